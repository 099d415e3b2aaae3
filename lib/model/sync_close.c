// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of a sync: T1 to T4, the names of its pieces, its kind, what is wrong
 * with it.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/detail.h"
#include "model/syncs.h"

static void add(int64_t *sum, int64_t ns)
{
	*sum = *sum == XLV_NONE ? ns : *sum + ns;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;		/* XLV_NONE is the earliest */
}

static bool can(const struct xlv_syncs *y, unsigned int type)
{
	return y->run->info->has_format[type];
}

/*
 * Without xlog_iclog_* a sleep that a log worker ended can be on `write` or on
 * `force`. A task that writes to the log afterwards was on `write`.
 */
static void tell_write_from_force(struct xlv_sync_build *b)
{
	int32_t last = -1;

	for (int32_t i = b->f.first_wait; i < b->d.nr_waits; i++) {
		if (b->d.waits[i].queue != XLV_QUEUE_FORCE)
			continue;
		if (last >= 0)
			b->d.waits[last].queue = XLV_QUEUE_WRITE;
		last = i;
	}
}

static void close_waits(struct xlv_syncs *y, struct xlv_sync_build *b)
{
	for (int32_t i = b->f.first_wait; i < b->d.nr_waits; i++) {
		const struct xlv_wait *w = &b->d.waits[i];

		if (w->queue != XLV_QUEUE_FORCE)
			continue;
		if (w->wake.running_ns == XLV_NONE) {
			b->why[2] = b->why[3] = XLV_WHY_NO_SWITCH;
			continue;
		}
		if (b->wait_on_ns[i] != XLV_NONE) {
			add(&b->T[2], w->wake.running_ns - b->wait_on_ns[i]);
			b->s.force_wait = (struct xlv_span){ b->wait_on_ns[i],
							     w->wake.running_ns };
		} else if (!can(y, XLV_EV_ICLOG_WAIT_ON)) {
			b->why[2] = "no xlog_iclog_wait_on";
		}
		if (w->wake.waking_ns != XLV_NONE)
			add(&b->T[3], w->wake.running_ns - w->wake.waking_ns);
		else
			b->why[3] = can(y, XLV_EV_SCHED_WAKING) ? "its sched_waking was not seen" :
				    "no sched_waking";
	}
}

void xlv_force_close(struct xlv_syncs *y, struct xlv_sync_build *b, int64_t end_ns)
{
	struct xlv_force_build *f = &b->f;
	int64_t t1_end, t2_end, t2_latest, from;

	if (!b->in_force)
		return;
	b->in_force = false;
	if (y->journal->no_iclog_events)
		tell_write_from_force(b);
	if (f->beyond_ns == XLV_NONE)
		f->beyond_ns = end_ns;
	if (f->beyond_ns == XLV_NONE)
		return;			/* never left it */

	if (f->sleep_end_ns > f->last_sure_ns) {
		t1_end = f->beyond_ns;
		add(&b->slack[0], f->beyond_ns - f->sleep_end_ns);
		b->exit_ns = f->sleep_is_force ? f->sleep_end_ns : t1_end;
	} else {
		t1_end = f->last_sure_ns;
		add(&b->slack[0], f->beyond_ns - f->last_sure_ns);
		b->exit_ns = t1_end;
	}
	add(&b->T[0], t1_end - f->top_ns);
	if (b->s.force.enter_ns == XLV_NONE)
		b->s.force.enter_ns = f->top_ns;
	b->s.force.exit_ns = t1_end;

	if (f->nested_ns != XLV_NONE) {
		t2_latest = f->beyond_ns;
		if (f->first_iclog_ns != XLV_NONE && f->first_iclog_ns < t2_latest)
			t2_latest = f->first_iclog_ns;
		if (f->first_write_ns != XLV_NONE && f->first_write_ns < t2_latest)
			t2_latest = f->first_write_ns;
		t2_end = t2_latest < t1_end ? t2_latest : t1_end;
		from = later(f->nested_ns, f->cil_sleep_end_ns);
		add(&b->T[1], t2_end - f->nested_ns);
		add(&b->slack[1], t2_latest - from);
		if (b->s.cil_force.enter_ns == XLV_NONE)
			b->s.cil_force.enter_ns = f->nested_ns;
		b->s.cil_force.exit_ns = t2_end;
	}
	close_waits(y, b);
}

int64_t xlv_sync_event_end(const struct xlv_sync_build *b)
{
	int64_t end;

	if (b->in_force)
		return b->f.beyond_ns;
	if (b->forces)
		return b->s.force.exit_ns;
	/* no force: after its last sleep or I/O it was on its way out */
	end = b->last_bio_ns;
	for (int32_t i = 0; i < b->d.nr_waits; i++) {
		if (b->d.waits[i].wake.running_ns == XLV_NONE)
			return XLV_NONE;
		end = later(end, b->d.waits[i].wake.running_ns);
	}
	return end;
}

/* ---- T1 to T4 ---- */

static void use_spans(struct xlv_sync_build *b, int source, enum xlv_boundaries bounds)
{
	const struct xlv_spans_build *p = &b->spans[source];
	struct xlv_sync *s = &b->s;

	s->bounds = bounds;
	s->T1_ns = p->T1;
	s->T2_ns = p->T2;
	s->T3_ns = p->T3;
	s->T1_slack_ns = p->T1 == XLV_NONE ? XLV_NONE : 0;
	s->T2_slack_ns = p->T2 == XLV_NONE ? XLV_NONE : 0;
	if (p->T1 != XLV_NONE)
		s->force = (struct xlv_span){ p->first_force.from, p->force.to };
	if (p->T2 != XLV_NONE)
		s->cil_force = (struct xlv_span){ p->first_cil.from, p->cil.to };
	if (p->T3 != XLV_NONE)
		s->force_wait = (struct xlv_span){ p->wait.from, p->wait.to };
}

static void use_tracepoints(struct xlv_sync_build *b)
{
	struct xlv_sync *s = &b->s;

	s->bounds = XLV_BOUNDS_TRACEPOINT;
	s->T1_ns = b->T[0];
	s->T2_ns = b->T[1];
	s->T3_ns = b->T[2];
	s->T1_slack_ns = b->slack[0];
	s->T2_slack_ns = b->slack[1];
}

static bool slept_on(const struct xlv_sync_build *b, uint8_t queue)
{
	for (int32_t i = 0; i < b->d.nr_waits; i++)
		if (b->d.waits[i].queue == queue)
			return true;
	return false;
}

static void close_intervals(struct xlv_syncs *y, struct xlv_sync_build *b)
{
	struct xlv_sync *s = &b->s;
	enum xlv_boundaries bounds = y->bounds;

	if (bounds == XLV_BOUNDS_AUTO) {
		bounds = XLV_BOUNDS_TRACEPOINT;
		if (b->spans[0].T1 != XLV_NONE)
			bounds = XLV_BOUNDS_PATCHED;
		else if (b->spans[1].T1 != XLV_NONE)
			bounds = XLV_BOUNDS_KPROBE;
	}
	if (bounds == XLV_BOUNDS_PATCHED)
		use_spans(b, 0, bounds);
	else if (bounds == XLV_BOUNDS_KPROBE)
		use_spans(b, 1, bounds);
	else
		use_tracepoints(b);
	s->T4_ns = b->T[3];

	if (!b->forces && s->T1_ns == XLV_NONE) {
		for (int i = 0; i < 4; i++)
			s->T_why[i] = "no log force";
		return;
	}
	if (s->T1_ns == XLV_NONE)
		s->T_why[0] = bounds == XLV_BOUNDS_TRACEPOINT ? "the log force was not left" :
			      "no span of it";
	if (s->T2_ns == XLV_NONE)
		s->T_why[1] = bounds != XLV_BOUNDS_TRACEPOINT ? "no span of it" :
			      y->journal->no_iclog_events ?
			      "this kernel has no event in xlog_cil_force_seq" :
			      "xlog_cil_force_seq was not seen";
	if (s->T3_ns == XLV_NONE)
		s->T_why[2] = b->why[2] ? b->why[2] : slept_on(b, XLV_QUEUE_FORCE) ?
			      "the start of its wait was not seen" : "it did not wait";
	if (s->T4_ns == XLV_NONE)
		s->T_why[3] = b->why[3] ? b->why[3] : !y->sched->have_switch ? "no sched_switch" :
			      "it did not wait";
}

/* ---- names of the pieces ---- */

static bool within(const struct xlv_interval_ns *i, int n, int64_t ns)
{
	for (int k = 0; k < n; k++)
		if (i[k].from != XLV_NONE && ns >= i[k].from &&
		    (i[k].to == XLV_NONE || ns < i[k].to))
			return true;
	return false;
}

static uint8_t name_running(const struct xlv_sync_build *b, int64_t ns)
{
	const struct xlv_sync *s = &b->s;

	if (within(b->flush, b->nr_flush, ns))
		return XLV_STAGE_DEVICE_FLUSH;
	if (s->fsync_ns != XLV_NONE && ns < s->fsync_ns)
		return XLV_STAGE_WRITE;
	if (!b->forces)
		return ns < b->exit_ns ? XLV_STAGE_DATA_WRITEBACK : XLV_STAGE_EXIT;
	if (ns < s->force_ns)
		return XLV_STAGE_DATA_WRITEBACK;
	if (b->exit_ns != XLV_NONE && ns >= b->exit_ns)
		return XLV_STAGE_EXIT;
	return within(b->submit, b->nr_submit, ns) ? XLV_STAGE_ICLOG_SUBMIT : XLV_STAGE_RUNNING;
}

static uint8_t name_sleep(const struct xlv_sync_build *b, int64_t ns)
{
	const struct xlv_sync *s = &b->s;

	if (within(b->flush, b->nr_flush, ns))
		return XLV_STAGE_DEVICE_FLUSH;
	if (s->fsync_ns != XLV_NONE && ns < s->fsync_ns)
		return XLV_STAGE_OTHER_WAIT;
	if (!b->forces || ns < s->force_ns)
		return XLV_STAGE_DATA_WRITEBACK;
	return XLV_STAGE_OTHER_WAIT;
}

/* Add a time to those in order; its place is near the end. */
static int cut_at(int64_t *cut, int n, int64_t ns)
{
	int i = n;

	if (ns == XLV_NONE)
		return n;
	for (; i && cut[i - 1] > ns; i--)
		cut[i] = cut[i - 1];
	cut[i] = ns;
	return n + 1;
}

static int cut_times(const struct xlv_sync_build *b, int64_t *cut)
{
	int n = 0;

	n = cut_at(cut, n, b->s.fsync_ns);
	n = cut_at(cut, n, b->s.force_ns);
	n = cut_at(cut, n, b->exit_ns);
	for (int i = 0; i < b->nr_submit; i++) {
		n = cut_at(cut, n, b->submit[i].from);
		n = cut_at(cut, n, b->submit[i].to);
	}
	for (int i = 0; i < b->nr_flush; i++) {
		n = cut_at(cut, n, b->flush[i].from);
		n = cut_at(cut, n, b->flush[i].to);
	}
	return n;
}

static void name_pieces(struct xlv_syncs *y, struct xlv_sync_build *b)
{
	int64_t cut[3 + 2 * 8 + 2 * 4];
	struct xlv_segment *raw = b->d.segments, *p;
	int32_t nr = b->d.nr_segments, cap = b->d.cap_segments;
	int nr_cuts = cut_times(b, cut);

	/* the raw pieces change places with those of the sync before */
	b->d.segments = y->raw;
	b->d.cap_segments = y->cap_raw;
	b->d.nr_segments = 0;
	y->raw = raw;
	y->cap_raw = cap;
	b->cursor_ns = b->s.start_ns;
	for (p = raw; p < raw + nr; p++) {
		int64_t end = p->start_ns + p->ns;

		if (p->stage == XLV_RAW_SLEEP) {
			xlv_piece(y, b, name_sleep(b, p->start_ns), end, p->cpu, p->pid, p->comm,
				  p->what, -1);
			continue;
		}
		if (p->stage != XLV_RAW_RUN) {
			xlv_piece(y, b, p->stage, end, p->cpu, p->pid, p->comm, p->what, p->wake);
			continue;
		}
		for (int i = 0; i < nr_cuts; i++)
			if (cut[i] > b->cursor_ns && cut[i] < end)
				xlv_piece(y, b, name_running(b, b->cursor_ns), cut[i], p->cpu,
					  p->pid, p->comm, NULL, -1);
		xlv_piece(y, b, name_running(b, b->cursor_ns), end, p->cpu, p->pid, p->comm, NULL,
			  -1);
	}
}

/* ---- what is wrong with it ---- */

static bool used_cpu(const struct xlv_sync_build *b, int32_t cpu)
{
	if (cpu < 0)
		return true;
	for (int32_t i = 0; i < b->d.nr_segments; i++)
		if (b->d.segments[i].cpu == cpu)
			return true;
	for (int32_t i = 0; i < b->d.nr_waits; i++)
		if (b->d.waits[i].wake.waker_cpu == cpu || b->d.waits[i].wake.to_cpu == cpu)
			return true;
	return b->cpu_before == cpu || b->task->cpu == cpu;
}

static bool unseen_wake(const struct xlv_sync_build *b)
{
	for (int32_t i = 0; i < b->d.nr_waits; i++)
		if (b->d.waits[i].wake.waking_ns == XLV_NONE)
			return true;
	return false;
}

static bool lost_in(const struct xlv_syncs *y, const struct xlv_sync_build *b, int64_t end_ns)
{
	bool anywhere = b->torn || unseen_wake(b);

	/* losses are in the order in which they came up: the late ones matter */
	for (size_t i = y->nr_losses; i-- > 0; ) {
		const struct xlv_loss *l = &y->losses[i];

		if (l->to_ns < b->s.start_ns)
			break;
		if (l->from_ns <= end_ns && (anywhere || used_cpu(b, l->cpu)))
			return true;
	}
	return false;
}

static uint8_t kind_of(const struct xlv_sync_build *b)
{
	if (!b->forces && b->spans[0].T1 == XLV_NONE && b->spans[1].T1 == XLV_NONE)
		return XLV_KIND_FLUSH_ONLY;
	if (b->pushed || b->s.submitter)
		return XLV_KIND_LOG_FORCE;
	for (int32_t i = 0; i < b->d.nr_waits; i++)
		if (b->d.waits[i].start_ns >= b->s.force_ns &&
		    b->d.waits[i].start_ns < b->exit_ns)
			return XLV_KIND_PIGGYBACK;
	return XLV_KIND_NO_WAIT;
}

/* The end that an event gave may lie before what was collected since. */
static void cut_off(struct xlv_sync_build *b, int64_t end_ns)
{
	while (b->d.nr_segments && b->d.segments[b->d.nr_segments - 1].start_ns >= end_ns)
		b->d.nr_segments--;
	if (b->d.nr_segments) {
		struct xlv_segment *last = &b->d.segments[b->d.nr_segments - 1];

		if (last->start_ns + last->ns > end_ns)
			last->ns = end_ns - last->start_ns;
		b->cursor_ns = last->start_ns + last->ns;
	} else {
		b->cursor_ns = b->s.start_ns;
	}
	while (b->d.nr_waits && b->d.waits[b->d.nr_waits - 1].start_ns >= end_ns)
		b->d.nr_waits--;
}

static int append(struct xlv_syncs *y, const struct xlv_sync *s)
{
	struct xlv_run *run = y->run;
	void *more = xlv_grow(run->syncs, run->nr_syncs, &y->cap_syncs, sizeof(*run->syncs));

	if (!more)
		return -1;
	run->syncs = more;
	run->syncs[run->nr_syncs++] = *s;
	return 0;
}

void xlv_sync_close(struct xlv_syncs *y, struct xlv_sync_build *b, int64_t end_ns, uint8_t reasons)
{
	struct xlv_sync *s = &b->s;
	int32_t i;

	if (end_ns != XLV_NONE && end_ns < s->start_ns) {
		/* the clock went back: what happened meanwhile can't be told */
		end_ns = XLV_NONE;
		reasons |= XLV_PARTIAL_LOST;
	}
	if (end_ns != XLV_NONE) {
		if (end_ns < b->cursor_ns)
			cut_off(b, end_ns);
		else if (!b->off_cpu)
			xlv_piece(y, b, XLV_RAW_RUN, end_ns, b->task->cpu, b->task->pid,
				  b->task->comm, NULL, -1);
		s->span_ns = end_ns - s->start_ns;
	}
	xlv_force_close(y, b, end_ns);
	if (!b->forces) {
		/* without a force, what follows the last I/O and sleep is the way out */
		b->exit_ns = later(later(b->last_bio_ns, s->fsync_ns), s->start_ns);
		for (i = 0; i < b->d.nr_waits; i++)
			b->exit_ns = later(b->exit_ns, b->d.waits[i].wake.running_ns);
	}
	s->comm = b->task->comm;
	s->kind = kind_of(b);
	close_intervals(y, b);
	if (end_ns != XLV_NONE)
		name_pieces(y, b);

	s->reasons = reasons;
	if (lost_in(y, b, end_ns == XLV_NONE ? INT64_MAX : end_ns))
		s->reasons |= XLV_PARTIAL_LOST;
	if (reasons & XLV_PARTIAL_MISSING)
		s->missing = "sys_exit";
	if (!y->sched->have_switch) {
		s->reasons |= XLV_PARTIAL_MISSING;
		s->missing = "sched_switch";
	}
	s->place_cpu[0] = b->cpu_before;
	s->place_cpu[5] = b->cpu_after >= 0 ? b->cpu_after : b->task->cpu;
	if (s->iclog < 0 && s->iclog_lsn && s->submitter) {
		i = xlv_journal_iclog(y->journal, s->dev, s->iclog_lsn);
		s->iclog = i < 0 ? -1 : y->journal->iclog[i].idx;
	}
#ifdef XLV_DEBUG
	if (!s->reasons) {
		int64_t sum = 0;

		for (i = 0; i < b->d.nr_segments; i++)
			sum += b->d.segments[i].ns;
		assert(sum == s->span_ns);
	}
#endif
	if (xlv_detail_pack(y->arena, s, &b->d) || append(y, s))
		y->failed = true;
}
