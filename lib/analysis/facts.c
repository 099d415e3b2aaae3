// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/facts.h"

/* More names than this are a sign of a broken file; the rest go without. */
#define MAX_NAMES	4096

static void matter_settle(struct xlv_matter *m)
{
	int32_t id = m->now_id;
	int64_t ns = m->now_ns;

	if (!id)
		return;
	for (int i = 0; i < XLV_EXAMPLES; i++) {
		int32_t i_id = m->example[i];
		int64_t i_ns = m->example_ns[i];

		if (i_id && i_ns >= ns)
			continue;
		m->example[i] = id;
		m->example_ns[i] = ns;
		id = i_id;
		ns = i_ns;
		if (!id)
			break;
	}
	m->now_id = 0;
	m->now_ns = 0;
}

/* Syncs are added one after the other, so a change of id ends the one before. */
static void matter_add(struct xlv_matter *m, const struct xlv_sync *s, int64_t ns)
{
	if (m->now_id != s->id) {
		matter_settle(m);
		m->now_id = s->id;
		m->syncs++;
	}
	m->now_ns += ns;
	m->ns += ns;
	m->count++;
}

static int names_add(struct xlv_names *n, const char *name, int64_t ns)
{
	int i;

	if (!name)
		return 0;
	for (i = 0; i < n->nr; i++)
		if (!strcmp(n->v[i].name, name))
			break;
	if (i == n->nr) {
		if (n->nr == MAX_NAMES)
			return 0;
		if (n->nr == n->max) {
			int max = n->max ? n->max * 2 : 16;
			struct xlv_named *v = realloc(n->v, (size_t)max * sizeof(*v));

			if (!v)
				return -1;
			n->v = v;
			n->max = max;
		}
		n->v[i] = (struct xlv_named){ .name = strdup(name) };
		if (!n->v[i].name)
			return -1;
		n->nr++;
	}
	n->v[i].ns += ns;
	n->v[i].count++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct xlv_named *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void names_sort(struct xlv_names *n)
{
	if (n->nr)
		qsort(n->v, (size_t)n->nr, sizeof(*n->v), by_time);
}

static void names_free(struct xlv_names *n)
{
	for (int i = 0; i < n->nr; i++)
		free(n->v[i].name);
	free(n->v);
}

static void wake_sum_add(struct xlv_wake_sum *w, const struct xlv_sync *s,
			 const struct xlv_wake *wake, const int64_t *parts_ns, int64_t ns)
{
	matter_add(&w->all, s, ns);
	for (int p = 0; p < XLV_PART_COUNT; p++)
		w->parts_ns[p] += parts_ns[p];
	w->distance[wake->distance < XLV_DIST_COUNT ? wake->distance : 0]++;
}

static bool wake_known(const struct xlv_wake *w)
{
	return w->waking_ns != XLV_NONE && w->running_ns != XLV_NONE;
}

/*
 * @parts_ns add up to @ns, the part of the wake that lies on the sync's path;
 * the named task gets no more of it than it held the CPU for.
 */
static int add_wake(struct xlv_facts *f, const struct xlv_sync *s, enum xlv_who who,
		    const struct xlv_wake *w, const int64_t *parts_ns, int64_t ns)
{
	int64_t other = parts_ns[XLV_PART_OTHER_TASK];

	for (int p = 0; p < XLV_PART_COUNT; p++)
		if (parts_ns[p])
			matter_add(&f->part[who][p], s, parts_ns[p]);
	if (w->waker_cpu >= 0 && w->to_cpu >= 0)
		wake_sum_add(w->remote ? &f->remote : &f->local, s, w, parts_ns, ns);
	if (parts_ns[XLV_PART_IDLE_EXIT] > 0 && w->cstate >= 0)
		f->cstate_count[w->cstate < 15 ? w->cstate : 15]++;
	if (other > 0) {
		int64_t named = w->other_ns < other ? w->other_ns : other;

		matter_add(&f->behind_all[who], s, other);
		if (!w->other_comm || named < 0)
			named = 0;
		if (named)
			return names_add(&f->behind[who], w->other_comm, named);
	}
	return 0;
}

/* A task, not an interrupt, woke the waiter from the CPU that it had slept on. */
static bool is_bounce(const struct xlv_wake *w)
{
	return w->migrated && w->waker_on_prev && w->waker_pid > 0 &&
	       (w->waker_context == XLV_FROM_TASK || w->waker_context == XLV_FROM_UNKNOWN);
}

static int values_add(struct xlv_values *a, int64_t v)
{
	if (a->nr == a->max) {
		size_t max = a->max ? a->max * 2 : 64;
		int64_t *more = realloc(a->v, max * sizeof(*more));

		if (!more)
			return -1;
		a->v = more;
		a->max = max;
	}
	a->v[a->nr++] = v;
	return 0;
}

static int add_wait(struct xlv_facts *f, const struct xlv_sync *s, const struct xlv_wait *wait)
{
	const struct xlv_wake *w = &wait->wake;
	bool bounce = is_bounce(w);
	int64_t ns;

	if (!wake_known(w))
		return 0;
	ns = w->running_ns - w->waking_ns;
	if (!bounce && !w->migrated && !w->remote && w->to_cpu >= 0)
		wake_sum_add(&f->stay, s, w, w->parts_ns, ns);
	if (bounce) {
		wake_sum_add(&f->bounce, s, w, w->parts_ns, ns);
		f->bounce_by[w->waker_role < XLV_ROLE_COUNT ? w->waker_role : XLV_ROLE_OTHER]++;
		if (s->force_ns == XLV_NONE || wait->start_ns < s->force_ns)
			f->bounce_writeback++;
	}
	if (wait->queue == XLV_QUEUE_FORCE && (bounce || !w->migrated) &&
	    values_add(bounce ? &f->bounce_T4 : &f->stay_T4, ns))
		return -1;
	return add_wake(f, s, XLV_WHO_WAITER, w, w->parts_ns, ns);
}

/* How much of @seg lies within [from_ns, to_ns); nothing where either is unknown. */
static int64_t overlap(const struct xlv_segment *seg, int64_t from_ns, int64_t to_ns)
{
	int64_t end_ns = seg->start_ns + seg->ns;

	if (from_ns == XLV_NONE || to_ns == XLV_NONE)
		return 0;
	if (from_ns < seg->start_ns)
		from_ns = seg->start_ns;
	if (to_ns > end_ns)
		to_ns = end_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static const struct xlv_iclog *iclog_of(const struct xlv_facts *f, const struct xlv_sync *s)
{
	return s->iclog >= 0 && (size_t)s->iclog < f->run->nr_iclogs ?
	       &f->run->iclogs[s->iclog] : NULL;
}

static void add_if(struct xlv_matter *m, const struct xlv_sync *s, int64_t ns)
{
	if (ns > 0)
		matter_add(m, s, ns);
}

static int add_segment(struct xlv_facts *f, const struct xlv_sync *s,
		       const struct xlv_segment *seg)
{
	const struct xlv_iclog *ic = iclog_of(f, s);
	enum xlv_who who;

	if (seg->stage >= XLV_STAGE_COUNT || !seg->ns)
		return 0;
	matter_add(&f->stage[seg->stage], s, seg->ns);
	switch (seg->stage) {
	case XLV_STAGE_LOG_IO:
		if (!ic)
			break;
		add_if(&f->log_flush, s, overlap(seg, ic->flush_issue_ns, ic->flush_done_ns));
		add_if(&f->log_device, s, overlap(seg, ic->issue_ns, ic->done_ns));
		break;
	case XLV_STAGE_CALLBACKS:
		if (ic && ic->in_order_ns != XLV_NONE && ic->callbacks_start_ns != XLV_NONE)
			add_if(&f->in_order, s,
			       overlap(seg, ic->callbacks_start_ns - ic->in_order_ns,
				       ic->callbacks_start_ns));
		break;
	case XLV_STAGE_RUNNABLE:
		who = seg->pid == s->pid ? XLV_WHO_WAITER :
		      ic && seg->pid == ic->worker_pid ? XLV_WHO_LOG_WORKER : XLV_WHO_CIL_WORKER;
		matter_add(&f->behind_all[who], s, seg->ns);
		return names_add(&f->behind[who], seg->what, seg->ns);
	case XLV_STAGE_OTHER_WAIT:
		return names_add(&f->other_wait, seg->what, seg->ns);
	}
	return 0;
}

static void add_worker_cpu(struct xlv_facts *f, const struct xlv_sync *s)
{
	const struct xlv_iclog *ic = iclog_of(f, s);
	uint64_t *seen, bit;

	if (!ic || ic->done_cpu < 0 || ic->worker_cpu < 0)
		return;
	f->worker_known++;
	f->worker_on_done_cpu += ic->done_cpu == ic->worker_cpu;
	seen = &f->done_cpu_seen[(ic->done_cpu >> 6) & 63];
	bit = UINT64_C(1) << (ic->done_cpu & 63);
	f->done_cpus += !(*seen & bit);
	*seen |= bit;
}

int xlv_facts_add(struct xlv_facts *f, const struct xlv_sync *s, const struct xlv_detail *d)
{
	f->selected++;
	if (f->begin_ns == XLV_NONE || s->start_ns < f->begin_ns)
		f->begin_ns = s->start_ns;
	if (s->span_ns != XLV_NONE &&
	    (f->end_ns == XLV_NONE || s->start_ns + s->span_ns > f->end_ns))
		f->end_ns = s->start_ns + s->span_ns;
	f->partial_lost += !!(s->reasons & XLV_PARTIAL_LOST);
	if (s->reasons || s->span_ns == XLV_NONE)
		return 0;
	f->nr++;
	f->time_ns += s->span_ns;
	if (s->span_ns > f->longest_ns)
		f->longest_ns = s->span_ns;
	if (s->kind < XLV_KIND_COUNT) {
		f->by_kind[s->kind]++;
		f->kind_ns[s->kind] += s->span_ns;
	}
	add_worker_cpu(f, s);
	if (iclog_of(f, s)) {
		f->on_iclogs++;
		f->iclogs += !f->iclog_seen[s->iclog];
		f->iclog_seen[s->iclog] = true;
	}
	for (int32_t i = 0; i < d->nr_segments; i++)
		if (add_segment(f, s, &d->segments[i]))
			return -1;
	for (int32_t i = 0; i < d->nr_waits; i++)
		if (add_wait(f, s, &d->waits[i]))
			return -1;
	for (int32_t i = 0; i < d->nr_wakes; i++) {
		const struct xlv_path_wake *pw = &d->wakes[i];

		enum xlv_who who = pw->stage == XLV_STAGE_IOEND_QUEUE ? XLV_WHO_LOG_WORKER :
								     XLV_WHO_CIL_WORKER;

		if ((pw->stage == XLV_STAGE_CIL_QUEUE || pw->stage == XLV_STAGE_IOEND_QUEUE) &&
		    add_wake(f, s, who, &pw->wake, pw->parts_ns, pw->ns))
			return -1;
	}
	return 0;
}

void xlv_facts_end(struct xlv_facts *f)
{
	for (int i = 0; i < XLV_STAGE_COUNT; i++)
		matter_settle(&f->stage[i]);
	for (int who = 0; who < XLV_WHO_COUNT; who++) {
		for (int p = 0; p < XLV_PART_COUNT; p++)
			matter_settle(&f->part[who][p]);
		matter_settle(&f->behind_all[who]);
		names_sort(&f->behind[who]);
	}
	names_sort(&f->other_wait);
	matter_settle(&f->remote.all);
	matter_settle(&f->local.all);
	matter_settle(&f->bounce.all);
	matter_settle(&f->stay.all);
	matter_settle(&f->log_flush);
	matter_settle(&f->log_device);
	matter_settle(&f->in_order);
}

int xlv_facts_begin(struct xlv_facts *f, const struct xlv_run *run)
{
	memset(f, 0, sizeof(*f));
	f->run = run;
	f->begin_ns = f->end_ns = XLV_NONE;
	f->iclog_seen = calloc(run->nr_iclogs + 1, sizeof(*f->iclog_seen));
	return f->iclog_seen ? 0 : -1;
}

void xlv_facts_free(struct xlv_facts *f)
{
	for (int who = 0; who < XLV_WHO_COUNT; who++)
		names_free(&f->behind[who]);
	names_free(&f->other_wait);
	free(f->iclog_seen);
	free(f->bounce_T4.v);
	free(f->stay_T4.v);
	memset(f, 0, sizeof(*f));
}
