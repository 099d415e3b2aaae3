// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/input.h"
#include "analysis/load.h"

struct xlv_input *xlv_input_of_run(const char *path, struct xlv_trace *trace, struct xlv_run *run,
				   const struct xlv_filter *filter, struct xlv_error *err)
{
	struct xlv_input *in = calloc(1, sizeof(*in));

	if (in)
		in->path = strdup(path);
	if (!in || !in->path) {
		xlv_fail(err, "out of memory");
		goto fail;
	}
	in->rep = xlv_report_make(run, filter, false, err);
	if (!in->rep)
		goto fail;
	in->trace = trace;
	in->has_syncs = true;
	return in;
fail:
	if (in)
		free(in->path);
	free(in);
	xlv_run_free(run);
	xlv_trace_close(trace);
	return NULL;
}

struct xlv_input *xlv_input_of_json(struct xlv_json_doc *doc, struct xlv_error *err)
{
	struct xlv_input *in = calloc(1, sizeof(*in));

	if (!in) {
		xlv_fail(err, "out of memory");
		xlv_json_free(doc);
		return NULL;
	}
	in->doc = doc;
	in->has_syncs = xlv_json_has_syncs(doc);
	in->path = strdup(xlv_json_path(doc));
	if (in->path)
		in->rep = xlv_json_report_of(doc, err);
	else
		xlv_fail(err, "out of memory");
	if (!in->rep) {
		xlv_input_close(in);
		return NULL;
	}
	return in;
}

void xlv_input_close(struct xlv_input *in)
{
	const struct xlv_run *run;

	if (!in)
		return;
	run = in->rep ? in->rep->run : NULL;
	xlv_report_free(in->rep);
	xlv_run_free((struct xlv_run *)run);
	xlv_trace_close(in->trace);
	xlv_json_free(in->doc);
	free(in->path);
	free(in);
}

static int64_t overlap(const struct xlv_segment *g, int64_t from_ns, int64_t to_ns)
{
	int64_t end_ns = g->start_ns + g->ns;

	if (from_ns == XLV_NONE || to_ns == XLV_NONE)
		return 0;
	if (from_ns < g->start_ns)
		from_ns = g->start_ns;
	if (to_ns > end_ns)
		to_ns = end_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static int64_t plus(int64_t sum, int64_t ns)
{
	return sum == XLV_NONE ? ns : sum + ns;
}

struct xlv_io_parts xlv_io_parts_of(const struct xlv_run *run, const struct xlv_sync *s,
				    const struct xlv_detail *d, bool *done_in_push)
{
	struct xlv_io_parts parts = { XLV_NONE, XLV_NONE, XLV_NONE };
	const struct xlv_iclog *ic;
	int64_t flush_end_ns;

	*done_in_push = false;
	if (s->iclog < 0 || (size_t)s->iclog >= run->nr_iclogs)
		return parts;
	ic = &run->iclogs[s->iclog];
	flush_end_ns = ic->flush_done_ns;
	if (ic->issue_ns != XLV_NONE && flush_end_ns > ic->issue_ns)
		flush_end_ns = ic->issue_ns;
	for (int i = 0; i < d->nr_segments; i++) {
		const struct xlv_segment *g = &d->segments[i];

		if (g->stage == XLV_STAGE_LOG_IO && ic->issue_ns != XLV_NONE) {
			parts.device_ns = plus(parts.device_ns,
					       overlap(g, ic->issue_ns, ic->done_ns));
			parts.flush_ns = plus(parts.flush_ns,
					      overlap(g, ic->flush_issue_ns, flush_end_ns));
		}
		if (g->stage == XLV_STAGE_CALLBACKS && ic->in_order_ns != XLV_NONE)
			parts.in_order_ns = plus(parts.in_order_ns,
						 ic->in_order_ns < g->ns ? ic->in_order_ns : g->ns);
	}
	if (s->push >= 0 && (size_t)s->push < run->nr_pushes && ic->ioend_start_ns != XLV_NONE)
		*done_in_push = run->pushes[s->push].end_ns > ic->ioend_start_ns;
	return parts;
}

int xlv_input_each(const struct xlv_input *in, int (*fn)(const struct xlv_case *c, void *arg),
		   void *arg, struct xlv_error *err)
{
	struct xlv_detail d = { 0 };
	struct xlv_case c = { .detail = &d };
	int ret = 0;

	if (in->doc)
		return xlv_json_syncs(in->doc, fn, arg, err);
	for (int64_t i = 0; i < in->rep->nr_selected && !ret; i++) {
		c.sync = in->rep->selected[i];
		if (xlv_sync_detail(in->rep->run, c.sync, &d)) {
			ret = xlv_fail(err, "out of memory");
			break;
		}
		c.parts = xlv_io_parts_of(in->rep->run, c.sync, &d, &c.done_in_push);
		ret = fn(&c, arg);
	}
	xlv_detail_free(&d);
	return ret;
}
