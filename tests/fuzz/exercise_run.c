// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/report.h"
#include "exercise.h"
#include "output/json.h"
#include "output/text.h"
#include "output/timeline.h"

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "exercise: %s\n", what);
	abort();
}

static int64_t sum(const int64_t *v, int n)
{
	int64_t ns = 0;

	for (int i = 0; i < n; i++)
		ns += v[i];
	return ns;
}

/* What must add up however wrong the events are. */
static void check_sums(const struct xlv_run *run)
{
	struct xlv_detail d = { 0 };

	for (size_t i = 0; i < run->nr_syncs; i++) {
		const struct xlv_sync *s = &run->syncs[i];
		int64_t ns = 0;

		if (xlv_sync_detail(run, s, &d))
			break;
		for (int k = 0; k < d.nr_segments; k++)
			ns += d.segments[k].ns;
		must(s->reasons || ns == s->span_ns, "stages don't add up to the span");
		for (int k = 0; k < d.nr_wakes; k++)
			must(sum(d.wakes[k].parts_ns, XLV_PART_COUNT) == d.wakes[k].ns,
			     "parts of a wake-up don't add up to it");
		for (int k = 0; k < d.nr_waits; k++) {
			const struct xlv_wake *w = &d.waits[k].wake;

			must(w->waking_ns == XLV_NONE || w->running_ns == XLV_NONE ||
			     sum(w->parts_ns, XLV_PART_COUNT) == w->running_ns - w->waking_ns,
			     "parts of a wait's end don't add up to it");
		}
	}
	xlv_detail_free(&d);
}

void exercise_run(const char *path)
{
	struct xlv_picture_opts picture = { .format = XLV_SVG };
	struct xlv_text_opts text = { .width = 80, .utf8 = true, .slowest = 5 };
	struct xlv_choose choose = { .choice = XLV_CHOOSE_DEFAULT };
	struct xlv_report *rep = NULL;
	struct xlv_run *run = NULL;
	struct xlv_error err;
	struct xlv_trace *t;
	FILE *null = fopen("/dev/null", "w");

	t = xlv_trace_open(path, NULL, &err);
	if (!t || !null)
		goto out;
	run = xlv_run_build(t, NULL, &err);
	if (!run)
		goto out;
	check_sums(run);
	rep = xlv_report_make(run, NULL, true, &err);
	if (!rep)
		goto out;
	xlv_text_report(null, rep, &text);
	xlv_json_report(null, rep, NULL);
	xlv_timeline_draw(null, t, rep, &choose, &picture, &err);
out:
	xlv_report_free(rep);
	xlv_run_free(run);
	xlv_trace_close(t);
	if (null)
		fclose(null);
}
