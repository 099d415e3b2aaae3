// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline.h"

/* Things in flight: the instants at which each begins and ends. */
struct flight {
	int64_t	*begin, *end;
	size_t	nr;
	double	sum_ns;
};

static int flight_init(struct flight *f, size_t max)
{
	memset(f, 0, sizeof(*f));
	f->begin = calloc(max + 1, sizeof(*f->begin));
	f->end = calloc(max + 1, sizeof(*f->end));
	return f->begin && f->end ? 0 : -1;
}

static void flight_free(struct flight *f)
{
	free(f->begin);
	free(f->end);
}

static void flight_add(struct flight *f, int64_t begin, int64_t end)
{
	f->begin[f->nr] = begin;
	f->end[f->nr++] = end;
	f->sum_ns += (double)end - (double)begin;
}

/* What ends at an instant is no longer in flight with what begins then. */
static void flight_measure(struct flight *f, double *mean, int32_t *max)
{
	size_t b = 0, e = 0;
	int32_t now = 0;

	*mean = NAN;
	*max = 0;
	if (!f->nr)
		return;
	xlv_sort_ns(f->begin, f->nr);
	xlv_sort_ns(f->end, f->nr);
	while (b < f->nr) {
		if (f->end[e] <= f->begin[b]) {
			now--;
			e++;
			continue;
		}
		now++;
		b++;
		if (now > *max)
			*max = now;
	}
	if (f->end[f->nr - 1] > f->begin[0])
		*mean = f->sum_ns / ((double)f->end[f->nr - 1] - (double)f->begin[0]);
}

static int64_t first_known(int64_t a, int64_t b, int64_t c)
{
	return a != XLV_NONE ? a : b != XLV_NONE ? b : c;
}

static int64_t iclog_begin(const struct xlv_iclog *ic)
{
	return first_known(first_known(ic->write_ns, ic->syncing_ns, ic->bio_ns),
			   ic->done_ns, ic->ioend_queued_ns);
}

static int64_t iclog_end(const struct xlv_iclog *ic)
{
	return first_known(ic->clean_ns, ic->callbacks_done_ns, ic->ioend_end_ns);
}

struct scope {
	int64_t		from_ns, to_ns;
	uint32_t	dev;
};

static bool in_scope(const struct scope *s, uint32_t dev, int64_t begin_ns)
{
	if (s->dev && dev && dev != s->dev)
		return false;
	if (begin_ns == XLV_NONE)
		return s->from_ns == XLV_NONE && s->to_ns == XLV_NONE;
	return (s->from_ns == XLV_NONE || begin_ns >= s->from_ns) &&
	       (s->to_ns == XLV_NONE || begin_ns < s->to_ns);
}

static void count_iclogs(const struct xlv_run *run, const struct scope *scope,
			 struct flight *f, struct xlv_pipeline *out,
			 int64_t *flushes, int64_t *fuas)
{
	for (size_t i = 0; i < run->nr_iclogs; i++) {
		const struct xlv_iclog *ic = &run->iclogs[i];
		int64_t begin = iclog_begin(ic), end = iclog_end(ic);

		if (!in_scope(scope, ic->dev, begin))
			continue;
		if (begin != XLV_NONE && end != XLV_NONE && end >= begin)
			flight_add(f, begin, end);
		out->out_of_order += ic->out_of_order;
		if (ic->in_order_ns != XLV_NONE)
			out->in_order_wait_ns += ic->in_order_ns;
		if (ic->submit_role == XLV_ROLE_FSYNC)
			out->submitted_by_task++;
		else if (ic->submit_role == XLV_ROLE_CIL_WORKER)
			out->submitted_by_worker++;
		if (!ic->fake && !(ic->flags & XLV_ICL_FLAGS_UNKNOWN)) {
			*flushes += !!(ic->flags & XLV_ICL_NEED_FLUSH);
			*fuas += !!(ic->flags & XLV_ICL_NEED_FUA);
		}
	}
}

/* How many syncs depended on each push and each iclog that any depended on. */
static int count_shared(const struct xlv_run *run, const struct xlv_sync *const *syncs,
			int64_t nr_syncs, struct xlv_pipeline *out)
{
	bool *push = calloc(run->nr_pushes + 1, sizeof(*push));
	bool *iclog = calloc(run->nr_iclogs + 1, sizeof(*iclog));
	int64_t on_push = 0, on_iclog = 0, pushes = 0, iclogs = 0;
	int ret = -1;

	if (!push || !iclog)
		goto out;
	for (int64_t i = 0; i < nr_syncs; i++) {
		const struct xlv_sync *s = syncs[i];

		if (s->push >= 0 && (size_t)s->push < run->nr_pushes) {
			on_push++;
			pushes += !push[s->push];
			push[s->push] = true;
		}
		if (s->iclog >= 0 && (size_t)s->iclog < run->nr_iclogs) {
			on_iclog++;
			iclogs += !iclog[s->iclog];
			iclog[s->iclog] = true;
		}
	}
	if (pushes)
		out->syncs_per_push = (double)on_push / (double)pushes;
	if (iclogs)
		out->syncs_per_iclog = (double)on_iclog / (double)iclogs;
	ret = 0;
out:
	free(push);
	free(iclog);
	return ret;
}

int xlv_pipeline_make(const struct xlv_run *run, int64_t from_ns, int64_t to_ns, uint32_t dev,
		      const struct xlv_sync *const *syncs, int64_t nr_syncs,
		      struct xlv_pipeline *out)
{
	const struct scope scope = { from_ns, to_ns, dev };
	int64_t flushes = 0, fuas = 0;
	struct flight pushes = { 0 }, iclogs = { 0 };
	int ret = -1;

	memset(out, 0, sizeof(*out));
	out->syncs_per_push = out->syncs_per_iclog = NAN;
	out->flush_per_sync = out->fua_per_sync = NAN;
	if (flight_init(&pushes, run->nr_pushes) || flight_init(&iclogs, run->nr_iclogs))
		goto out;
	for (size_t i = 0; i < run->nr_pushes; i++) {
		const struct xlv_push *p = &run->pushes[i];
		int64_t begin = first_known(p->queued_ns, p->start_ns, XLV_NONE);

		if (in_scope(&scope, p->dev, begin) && begin != XLV_NONE &&
		    p->end_ns != XLV_NONE && p->end_ns >= begin)
			flight_add(&pushes, begin, p->end_ns);
	}
	count_iclogs(run, &scope, &iclogs, out, &flushes, &fuas);
	flight_measure(&pushes, &out->pushes_mean, &out->pushes_max);
	flight_measure(&iclogs, &out->iclogs_mean, &out->iclogs_max);
	if (count_shared(run, syncs, nr_syncs, out))
		goto out;
	for (int64_t i = 0; i < nr_syncs; i++)
		flushes += syncs[i]->flushes;
	if (nr_syncs) {
		out->flush_per_sync = (double)flushes / (double)nr_syncs;
		out->fua_per_sync = (double)fuas / (double)nr_syncs;
	}
	ret = 0;
out:
	flight_free(&pushes);
	flight_free(&iclogs);
	return ret;
}
