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

bool xlv_done_in_push(const struct xlv_run *run, const struct xlv_sync *s)
{
	if (s->iclog < 0 || (size_t)s->iclog >= run->nr_iclogs || s->push < 0 ||
	    (size_t)s->push >= run->nr_pushes || run->iclogs[s->iclog].ioend_start_ns == XLV_NONE)
		return false;
	return run->pushes[s->push].end_ns > run->iclogs[s->iclog].ioend_start_ns;
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
		c.done_in_push = xlv_done_in_push(in->rep->run, c.sync);
		ret = fn(&c, arg);
	}
	xlv_detail_free(&d);
	return ret;
}
