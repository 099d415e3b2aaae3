// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "output/choose.h"

static bool forced(const struct xlv_sync *s)
{
	return s->kind != XLV_KIND_FLUSH_ONLY;
}

static int by_span(const void *a, const void *b)
{
	const struct xlv_sync *x = *(const struct xlv_sync *const *)a;
	const struct xlv_sync *y = *(const struct xlv_sync *const *)b;

	if (x->span_ns != y->span_ns)
		return x->span_ns < y->span_ns ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void pick(struct xlv_picks *k, const struct xlv_sync *s, const char *what)
{
	if (k->nr == XLV_MAX_PANELS)
		return;
	k->what[k->nr] = what;
	k->sync[k->nr++] = s;
}

/* Complete syncs by span, those with a log force alone where there are any. */
static int64_t sorted(const struct xlv_report *rep, const struct xlv_sync **v, bool *only_forced)
{
	int64_t n = 0, m = 0;

	for (int64_t i = 0; i < rep->nr_selected; i++)
		if (!rep->selected[i]->reasons && rep->selected[i]->span_ns != XLV_NONE)
			v[n++] = rep->selected[i];
	for (int64_t i = 0; i < n; i++)
		m += forced(v[i]);
	*only_forced = m > 0;
	if (m) {
		int64_t k = 0;

		for (int64_t i = 0; i < n; i++)
			if (forced(v[i]))
				v[k++] = v[i];
		n = m;
	}
	qsort(v, n, sizeof(*v), by_span);
	return n;
}

int xlv_choose_syncs(const struct xlv_report *rep, const struct xlv_choose *choose,
		     struct xlv_picks *k, struct xlv_error *err)
{
	const struct xlv_run *run = rep->run;
	const struct xlv_sync **v;
	bool only_forced;
	int64_t n;

	if (choose->choice == XLV_CHOOSE_WINDOW) {
		pick(k, NULL, NULL);
		return 0;
	}
	if (choose->choice == XLV_CHOOSE_SYNCS) {
		for (int i = 0; i < choose->nr_ids; i++) {
			if (choose->ids[i] < 1 || (size_t)choose->ids[i] > run->nr_syncs)
				return xlv_fail(err, "no sync '%d' in the recording: it has 1 to "
						"%zu", choose->ids[i], run->nr_syncs);
			pick(k, &run->syncs[choose->ids[i] - 1], NULL);
		}
		return 0;
	}
	v = malloc((rep->nr_selected + 1) * sizeof(*v));
	if (!v)
		return xlv_fail(err, "not enough memory for a picture");
	n = sorted(rep, v, &only_forced);
	if (n && choose->choice != XLV_CHOOSE_SLOWEST)
		pick(k, v[(n - 1) / 2],
		     only_forced ? "Median of those with a log force:" : "Median");
	if (choose->choice == XLV_CHOOSE_DEFAULT && n > 1)
		pick(k, v[n - 1], "Slowest");
	for (int i = 0; choose->choice == XLV_CHOOSE_SLOWEST && i < choose->count && i < n; i++)
		pick(k, v[n - 1 - i], i ? "Next slowest" : "Slowest");
	free(v);
	if (!n)
		return xlv_fail(err, "no complete sync to draw: see 'xlogviz report' for what the "
				"recording has, or draw a part of it with --from and --to");
	return 0;
}
