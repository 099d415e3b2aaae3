// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/detail.h"
#include "model/syncs.h"
#include "model/wake_cause.h"

#define MOST_LOSSES	100000
#define LATE_WAKE_NS	10000000	/* clocks of CPUs don't differ by more */

int xlv_syncs_init(struct xlv_syncs *y, struct xlv_run *run, struct xlv_sched *sched,
		   struct xlv_journal *journal, struct xlv_arena *arena,
		   enum xlv_boundaries bounds)
{
	memset(y, 0, sizeof(*y));
	y->run = run;
	y->sched = sched;
	y->journal = journal;
	y->arena = arena;
	y->bounds = bounds;
	return 0;
}

static void build_free(struct xlv_sync_build *b)
{
	xlv_detail_free(&b->d);
	free(b->wait_on_ns);
	free(b);
}

void xlv_syncs_free(struct xlv_syncs *y)
{
	struct xlv_sync_build *b, *next;

	for (b = y->open; b; b = next) {
		next = b->next;
		build_free(b);
	}
	for (b = y->idle; b; b = next) {
		next = b->next;
		build_free(b);
	}
	free(y->losses);
	free(y->raw);
}

static void no_force(struct xlv_force_build *f)
{
	memset(f, 0, sizeof(*f));
	f->top_ns = f->nested_ns = f->first_iclog_ns = f->last_sure_ns = f->first_write_ns =
		f->sleep_end_ns = f->cil_sleep_end_ns = f->beyond_ns = XLV_NONE;
}

static struct xlv_sync_build *build_new(struct xlv_syncs *y, struct xlv_task *t, int64_t ns,
					uint8_t ends, const char *via)
{
	struct xlv_sync_build *b = y->idle;
	struct xlv_detail d;
	int64_t *wait_on_ns;
	int32_t cap;

	if (b) {
		y->idle = b->next;
	} else {
		b = calloc(1, sizeof(*b));
		if (!b) {
			y->failed = true;
			return NULL;
		}
	}
	/* keep the buffers, forget the rest */
	d = b->d;
	d.nr_waits = d.nr_segments = d.nr_wakes = 0;
	wait_on_ns = b->wait_on_ns;
	cap = b->cap_wait_on;
	memset(b, 0, sizeof(*b));
	b->d = d;
	b->wait_on_ns = wait_on_ns;
	b->cap_wait_on = cap;

	b->next = y->open;
	if (b->next)
		b->next->prev = b;
	y->open = b;
	b->task = t;
	t->sync = b;
	b->ends = ends;
	b->cursor_ns = ns;
	b->s.start_ns = ns;
	b->s.via = via;
	b->s.pid = t->pid;
	b->s.comm = t->comm;
	b->s.span_ns = b->s.fsync_ns = b->s.force_ns = XLV_NONE;
	b->s.T1_ns = b->s.T2_ns = b->s.T3_ns = b->s.T4_ns = XLV_NONE;
	b->s.T1_slack_ns = b->s.T2_slack_ns = b->s.wake_order_ns = XLV_NONE;
	b->s.force = b->s.cil_force = b->s.force_wait =
		(struct xlv_span){ XLV_NONE, XLV_NONE };
	b->s.io_flush_ns = b->s.io_device_ns = XLV_NONE;
	b->s.push = b->s.iclog = -1;
	for (int i = 0; i < 6; i++)
		b->s.place_cpu[i] = -1;
	for (int i = 0; i < 4; i++)
		b->T[i] = XLV_NONE;
	b->slack[0] = b->slack[1] = XLV_NONE;
	for (int i = 0; i < 2; i++) {
		struct xlv_spans_build *p = &b->spans[i];

		p->force = p->cil = p->wait = p->first_force = p->first_cil =
			(struct xlv_interval_ns){ XLV_NONE, XLV_NONE };
		p->T1 = p->T2 = p->T3 = XLV_NONE;
	}
	no_force(&b->f);
	b->waking.push = b->waking.iclog = -1;
	b->exit_ns = b->wait_on = b->submit_from = b->last_bio_ns = b->last_own_ns = XLV_NONE;
	b->cpu_before = b->cpu_after = -1;
	return b;
}

static void build_drop(struct xlv_syncs *y, struct xlv_sync_build *b)
{
	if (b->prev)
		b->prev->next = b->next;
	else
		y->open = b->next;
	if (b->next)
		b->next->prev = b->prev;
	b->task->sync = NULL;
	b->prev = NULL;
	b->next = y->idle;
	y->idle = b;
}

static void close_build(struct xlv_syncs *y, struct xlv_sync_build *b, int64_t end_ns,
			uint8_t reasons)
{
	if (b->is_sync)
		xlv_sync_close(y, b, end_ns, reasons);
	build_drop(y, b);
}

void xlv_piece(struct xlv_syncs *y, struct xlv_sync_build *b, uint8_t stage, int64_t to_ns,
	       int32_t cpu, int32_t pid, const char *comm, const char *what, int32_t wake)
{
	if (to_ns == b->cursor_ns)
		return;
	if (xlv_detail_room_segment(&b->d)) {
		y->failed = true;
		return;
	}
	b->d.segments[b->d.nr_segments++] = (struct xlv_segment){
		.stage = stage, .start_ns = b->cursor_ns, .ns = to_ns - b->cursor_ns,
		.cpu = cpu, .pid = pid, .comm = comm, .what = what, .wake = wake,
	};
	b->cursor_ns = to_ns;
}

static void own_piece(struct xlv_syncs *y, struct xlv_sync_build *b, uint8_t stage, int64_t to_ns,
		      const char *what)
{
	xlv_piece(y, b, stage, to_ns, b->task->cpu, b->task->pid, b->task->comm, what, -1);
}

/* Cut off a piece up to @to_ns, but not beyond @end_ns nor back before the cursor. */
static void piece_until(struct xlv_syncs *y, struct xlv_sync_build *b, uint8_t stage,
			int64_t to_ns, int64_t end_ns, int32_t cpu, int32_t pid, const char *comm)
{
	if (to_ns == XLV_NONE)
		return;
	if (to_ns > end_ns)
		to_ns = end_ns;
	if (to_ns > b->cursor_ns)
		xlv_piece(y, b, stage, to_ns, cpu, pid, comm, NULL, -1);
}

/* ---- the path behind a sleep ---- */

/* Add a wake-up to the path, with the parts of [from, to); its index or -1. */
static int32_t path_wake(struct xlv_syncs *y, struct xlv_sync_build *b, uint8_t stage,
			 const struct xlv_wake *wake, int32_t cpu, int64_t from_ns, int64_t to_ns)
{
	struct xlv_path_wake *w;

	if (from_ns == to_ns)
		return -1;
	if (xlv_detail_room_wake(&b->d)) {
		y->failed = true;
		return -1;
	}
	w = &b->d.wakes[b->d.nr_wakes];
	memset(w, 0, sizeof(*w));
	w->stage = stage;
	w->wake = *wake;
	w->ns = to_ns - from_ns;
	if (from_ns == wake->waking_ns && to_ns == wake->running_ns)
		memcpy(w->parts_ns, wake->parts_ns, sizeof(w->parts_ns));
	else
		xlv_wake_parts(y->sched, &w->wake, cpu, from_ns, to_ns, w->parts_ns);
	w->cause = xlv_wake_cause(w->parts_ns);
	return b->d.nr_wakes++;
}

/* Worker time up to @end_ns as its log tells it. */
static void worker_pieces(struct xlv_syncs *y, struct xlv_sync_build *b,
			  const struct xlv_worklog *log, uint8_t stage, int64_t end_ns)
{
	for (int i = 0; i < log->nr && b->cursor_ns < end_ns; i++) {
		const struct xlv_fare *f = &log->fare[i];
		int64_t to = i + 1 < log->nr ? log->fare[i + 1].start_ns : end_ns;
		uint8_t as = f->how == XLV_FARES_SUBMITTING ? XLV_STAGE_ICLOG_SUBMIT :
			     f->how == XLV_FARES_RUNNABLE ? XLV_STAGE_RUNNABLE :
			     f->how == XLV_FARES_BLOCKED ? XLV_STAGE_OTHER_WAIT : stage;

		if (to > end_ns)
			to = end_ns;
		if (to > b->cursor_ns)
			xlv_piece(y, b, as, to, f->how == XLV_FARES_BLOCKED ? -1 : f->cpu, log->pid,
				  log->comm, f->what, -1);
	}
	piece_until(y, b, stage, end_ns, end_ns, -1, log->pid, log->comm);
}

/* [cursor, waking) of a sleep on `commit`: the push, from its queue to the wake. */
static void push_pieces(struct xlv_syncs *y, struct xlv_sync_build *b, int64_t waking_ns)
{
	struct xlv_push *p = xlv_journal_push_rec(y->journal, b->waking.push);
	const struct xlv_worklog *log;
	int64_t from = b->cursor_ns;
	struct xlv_wake wake;
	int64_t start;
	int32_t at;

	if (!p || p->start_ns == XLV_NONE) {
		piece_until(y, b, XLV_STAGE_CIL_PUSH, waking_ns, waking_ns, -1, -1, NULL);
		return;
	}
	log = &y->journal->push[b->waking.push].log;
	start = p->start_ns < waking_ns ? p->start_ns : waking_ns;
	if (start > from) {
		wake = log->wake;
		at = path_wake(y, b, XLV_STAGE_CIL_QUEUE, &wake, p->worker_cpu, from, start);
		xlv_piece(y, b, XLV_STAGE_CIL_QUEUE, start, p->worker_cpu, p->worker_pid,
			  p->worker_comm, NULL, at);
	}
	worker_pieces(y, b, log, XLV_STAGE_CIL_PUSH, waking_ns);
}

static int64_t overlap(int64_t a, int64_t b, int64_t c, int64_t d)
{
	int64_t from = a > c ? a : c, to = b < d ? b : d;

	if (c == XLV_NONE || d == XLV_NONE || to <= from)
		return 0;
	return to - from;
}

static void add(int64_t *sum, int64_t ns)
{
	*sum = *sum == XLV_NONE ? ns : *sum + ns;
}

/* [cursor, waking) of a sleep on `force`: the iclog, its I/O, the log worker. */
static void iclog_pieces(struct xlv_syncs *y, struct xlv_sync_build *b, int64_t waking_ns,
			 const struct xlv_task *waker)
{
	const struct xlv_iclog *r = xlv_journal_iclog_rec(y->journal, b->waking.iclog);
	const struct xlv_live_iclog *l;
	int64_t submitted, done, from;
	struct xlv_wake wake;
	int32_t at;

	if (!r) {
		piece_until(y, b, XLV_STAGE_CALLBACKS, waking_ns, waking_ns, -1, waker->pid,
			    waker->comm);
		return;
	}
	l = &y->journal->iclog[b->waking.iclog];
	submitted = r->bio_ns != XLV_NONE ? r->bio_ns :
		    r->write_ns != XLV_NONE ? r->write_ns : r->syncing_ns;
	done = r->done_ns;
	if (r->fake)
		submitted = done;
	piece_until(y, b, XLV_STAGE_ICLOG_SUBMIT, submitted, waking_ns, r->submit_cpu,
		    r->submit_pid, r->submit_comm);
	from = b->cursor_ns;
	piece_until(y, b, XLV_STAGE_LOG_IO, done, waking_ns, -1, 0, NULL);
	if (b->cursor_ns > from && r->issue_ns != XLV_NONE) {
		add(&b->s.io_flush_ns,
		    overlap(from, b->cursor_ns, r->flush_issue_ns, r->flush_done_ns));
		add(&b->s.io_device_ns,
		    overlap(from, b->cursor_ns, r->issue_ns, l->data_done_ns));
	}
	from = b->cursor_ns;
	if (r->ioend_start_ns != XLV_NONE && r->ioend_start_ns > from) {
		int64_t to = r->ioend_start_ns < waking_ns ? r->ioend_start_ns : waking_ns;

		wake = l->wake;
		if (!l->worker_woken)
			wake.waking_ns = XLV_NONE;
		at = path_wake(y, b, XLV_STAGE_IOEND_QUEUE, &wake, r->worker_cpu, from, to);
		xlv_piece(y, b, XLV_STAGE_IOEND_QUEUE, to, r->worker_cpu, r->worker_pid,
			  r->worker_comm, NULL, at);
	}
	/* another worker may have taken over: callbacks run in log order */
	if (waker->log && waker->log->nr && b->cursor_ns < waker->log->fare[0].start_ns)
		piece_until(y, b, XLV_STAGE_CALLBACKS, waker->log->fare[0].start_ns, waking_ns,
			    r->worker_cpu, r->worker_pid, r->worker_comm);
	if (waker->log && b->cursor_ns < waking_ns)
		worker_pieces(y, b, waker->log, XLV_STAGE_CALLBACKS, waking_ns);
	piece_until(y, b, XLV_STAGE_CALLBACKS, waking_ns, waking_ns, -1, waker->pid, waker->comm);
	b->s.in_order_ns += r->in_order_ns;
}

/* ---- what a sleep was on ---- */

static bool in_cil(const struct xlv_sync_build *b)
{
	return b->in_force && b->f.first_iclog_ns == XLV_NONE;
}

static bool runs_push(const struct xlv_task *waker)
{
	if (waker->live_push < 0)
		return false;
	/* flush_workqueue()'s waiters are woken just after workqueue_execute_end */
	return waker->func == XLV_FN_CIL_PUSH ||
	       (!waker->func_name && waker->last_func == XLV_FN_CIL_PUSH);
}

static bool from_irq(const struct xlv_wake *w)
{
	return w->waker_context == XLV_FROM_HARDIRQ || w->waker_context == XLV_FROM_SOFTIRQ;
}

static const char *other_what(struct xlv_syncs *y, const struct xlv_sync_build *b,
			      const struct xlv_task *t, const struct xlv_task *waker)
{
	if (t->sleep_why == XLV_EV_XFS_GRANT_SLEEP)
		return "log space";
	if (t->sleep_why == XLV_EV_XFS_CIL_WAIT)
		return "CIL throttle";
	if (b->nr_flush && b->flush[b->nr_flush - 1].to == XLV_NONE)
		return "device cache flush";
	if (!from_irq(&t->wake) && waker->func == XLV_FN_XFS_END_IO)
		return "data write completion";
	if (from_irq(&t->wake) || waker->is_ksoftirqd)
		return y->sched->cpu[t->wake.waker_cpu].block_done_ns != XLV_NONE ?
			"block I/O" : "an interrupt";
	if (waker->func_name && waker->func != XLV_FN_UNKNOWN)
		return xlv_internf(y->sched->pool, "work %s", waker->func_name);
	if (waker->sync && waker->sync->s.ino && waker->sync->s.ino == b->s.ino)
		return "the inode, held by another task";
	return xlv_internf(y->sched->pool, "a wake-up by %s", waker->comm);
}

static void classify(struct xlv_syncs *y, struct xlv_sync_build *b, const struct xlv_task *t,
		     const struct xlv_task *waker)
{
	const struct xlv_live_iclog *l;

	b->waking.known = true;
	b->waking.queue = XLV_QUEUE_OTHER;
	b->waking.what = NULL;
	b->waking.push = b->waking.iclog = -1;
	b->waking.first_wake_ns = XLV_NONE;
	if (!b->in_force || from_irq(&t->wake)) {
		b->waking.what = other_what(y, b, t, waker);
		return;
	}
	if (runs_push(waker)) {
		b->waking.queue = XLV_QUEUE_COMMIT;
		b->waking.push = waker->live_push;
	} else if (in_cil(b) && (waker->func == XLV_FN_WQ_BARRIER ||
				 (waker->sync && waker->sync->in_force))) {
		/* flushers of the push workqueue wake one another */
		b->waking.queue = XLV_QUEUE_COMMIT;
		b->waking.push = xlv_journal_last_push(y->journal, b->s.dev);
	} else if ((waker->func == XLV_FN_IOEND || waker->func == XLV_FN_IOEND_BUF) &&
		   waker->iclog_phase == XLV_EV_ICLOG_SYNC_DONE) {
		b->waking.queue = XLV_QUEUE_WRITE;
		b->waking.iclog = waker->live_iclog;
	} else if (((waker->func == XLV_FN_IOEND || waker->func == XLV_FN_IOEND_BUF) &&
		    (waker->iclog_phase == XLV_EV_ICLOG_CLEAN || y->journal->no_iclog_events))) {
		b->waking.queue = XLV_QUEUE_FORCE;
		b->waking.iclog = waker->live_iclog;
		if (b->waking.iclog >= 0) {
			l = &y->journal->iclog[b->waking.iclog];
			b->waking.first_wake_ns = l->first_wake_ns;
			b->waking.pos = l->woken;
		}
	} else if (b->asleep && b->wait_on_ns[b->d.nr_waits - 1] != XLV_NONE) {
		/* xlog_wait_on_iclog() sleeps on nothing else, whoever the waker is */
		b->waking.queue = XLV_QUEUE_FORCE;
		b->waking.iclog = xlv_journal_iclog(y->journal, b->s.dev, b->s.iclog_lsn);
	} else {
		b->waking.what = other_what(y, b, t, waker);
	}
}

static void pieces_before_wake(struct xlv_syncs *y, struct xlv_sync_build *b, int64_t waking_ns,
			       const struct xlv_task *waker)
{
	if (b->waking.queue == XLV_QUEUE_COMMIT)
		push_pieces(y, b, waking_ns);
	else if (b->waking.queue == XLV_QUEUE_FORCE)
		iclog_pieces(y, b, waking_ns, waker);
}

void xlv_syncs_woken(struct xlv_syncs *y, struct xlv_task *t, struct xlv_task *waker)
{
	struct xlv_sync_build *b = t->sync;
	struct xlv_live_iclog *l;

	if (from_irq(&t->wake))
		t->wake.waker_role = XLV_ROLE_IO_DONE;
	else if (runs_push(waker))
		t->wake.waker_role = XLV_ROLE_CIL_WORKER;
	else if (waker->func == XLV_FN_IOEND || waker->func == XLV_FN_IOEND_BUF)
		t->wake.waker_role = XLV_ROLE_LOG_WORKER;
	else if (waker->sync && waker->sync->is_sync)
		t->wake.waker_role = XLV_ROLE_FSYNC;
	if (waker->live_iclog >= 0 && t->wake.waker_role == XLV_ROLE_LOG_WORKER &&
	    (waker->iclog_phase == XLV_EV_ICLOG_CLEAN || y->journal->no_iclog_events)) {
		l = &y->journal->iclog[waker->live_iclog];
		if (l->first_wake_ns == XLV_NONE)
			l->first_wake_ns = t->wake.waking_ns;
		l->woken++;
	}
	if (!b)
		return;
	classify(y, b, t, waker);
	if (b->asleep && t->is == XLV_IS_ASLEEP)
		pieces_before_wake(y, b, t->wake.waking_ns, waker);
}

void xlv_syncs_woken_late(struct xlv_syncs *y, struct xlv_task *t, struct xlv_task *waker)
{
	struct xlv_sync_build *b = t->sync;
	struct xlv_segment *last;
	struct xlv_wait *w;
	int32_t at = -1;

	if (!b || !b->d.nr_waits || b->asleep)
		return;
	w = &b->d.waits[b->d.nr_waits - 1];
	if (w->wake.waking_ns != XLV_NONE || w->wake.running_ns != t->since_ns ||
	    t->wake.waking_ns - t->since_ns > LATE_WAKE_NS)
		return;
	y->run->negative_deltas++;
	classify(y, b, t, waker);
	w->wake = t->wake;
	w->queue = b->waking.queue;
	w->what = b->waking.what;
	xlv_wake_parts(y->sched, &w->wake, -1, w->wake.waking_ns, w->wake.running_ns,
		       w->wake.parts_ns);
	last = b->d.nr_segments ? &b->d.segments[b->d.nr_segments - 1] : NULL;
	if (!last || last->stage != XLV_RAW_SLEEP || w->queue == XLV_QUEUE_OTHER)
		return;
	/* the piece before the wake-up gets longer than the sleep, the wake negative */
	b->d.nr_segments--;
	b->cursor_ns = last->start_ns;
	pieces_before_wake(y, b, w->wake.waking_ns, waker);
	at = path_wake(y, b, w->queue == XLV_QUEUE_COMMIT ? XLV_STAGE_CIL_WAKE :
		       w->queue == XLV_QUEUE_WRITE ? XLV_STAGE_WRITE_WAIT : XLV_STAGE_WAKE,
		       &w->wake, -1, w->wake.waking_ns, w->wake.running_ns);
	own_piece(y, b, b->d.wakes[at].stage, w->wake.running_ns, NULL);
	b->d.segments[b->d.nr_segments - 1].wake = at;
	b->waking.known = false;
}

void xlv_syncs_out(struct xlv_syncs *y, struct xlv_task *t, int64_t ns, bool preempted,
		   const struct xlv_task *next)
{
	struct xlv_sync_build *b = t->sync;
	struct xlv_wait *w;

	if (!b)
		return;
	own_piece(y, b, XLV_RAW_RUN, ns, NULL);
	b->off_cpu = true;
	b->behind = next ? next->comm : NULL;
	if (t->is == XLV_IS_UNKNOWN)
		b->torn = true;
	if (preempted)
		return;
	if (xlv_detail_room_wait(&b->d))
		goto fail;
	if (b->d.nr_waits == b->cap_wait_on) {
		int32_t cap = b->cap_wait_on ? b->cap_wait_on * 2 : 16;
		int64_t *more = realloc(b->wait_on_ns, cap * sizeof(*more));

		if (!more)
			goto fail;
		b->wait_on_ns = more;
		b->cap_wait_on = cap;
	}
	w = &b->d.waits[b->d.nr_waits];
	memset(w, 0, sizeof(*w));
	w->queue = XLV_QUEUE_OTHER;
	w->start_ns = ns;
	w->wake = t->wake;
	w->push = w->iclog = -1;
	b->wait_on_ns[b->d.nr_waits++] = b->wait_on;
	b->wait_on = XLV_NONE;
	b->asleep = true;
	/* a wake-up that came just before keeps what it was; an older one is void */
	if (!t->wake_pending)
		b->waking.known = false;
	if (b->submitted && b->nr_submit < 8)
		b->submit[b->nr_submit++] =
			(struct xlv_interval_ns){ b->submit_from, ns };
	b->submitted = false;
	b->submit_from = XLV_NONE;
	return;
fail:
	y->failed = true;
}

/* The sleep that just ended: what it was on, and its last pieces. */
static void wait_end(struct xlv_syncs *y, struct xlv_sync_build *b, struct xlv_task *t, int64_t ns,
		     bool implied)
{
	static const uint8_t wake_stage[] = {
		[XLV_QUEUE_COMMIT] = XLV_STAGE_CIL_WAKE, [XLV_QUEUE_WRITE] = XLV_STAGE_WRITE_WAIT,
		[XLV_QUEUE_FORCE] = XLV_STAGE_WAKE,
	};
	struct xlv_wait *w = &b->d.waits[b->d.nr_waits - 1];
	struct xlv_force_build *f = &b->f;
	struct xlv_iclog *r;
	bool cil = in_cil(b);
	int32_t at;

	w->wake = t->wake;
	w->wake.pid = t->pid;
	w->wake.comm = t->comm;
	/* a first sign of life is no sched_switch: it only says "by then" */
	w->wake.running_ns = implied ? XLV_NONE : ns;
	w->wake.to_cpu = t->cpu;
	if (t->wake.waking_ns != XLV_NONE && b->waking.known) {
		if (!implied)
			xlv_wake_parts(y->sched, &w->wake, t->cpu, w->wake.waking_ns, ns,
				       w->wake.parts_ns);
		w->wake.cause = xlv_wake_cause(w->wake.parts_ns);
		w->queue = b->waking.queue;
		w->what = b->waking.what;
		if (w->queue != XLV_QUEUE_OTHER) {
			int64_t from = w->queue == XLV_QUEUE_WRITE ? w->wake.waking_ns :
				       b->cursor_ns;

			if (from < w->start_ns)
				from = w->start_ns;
			at = implied ? -1 : path_wake(y, b, wake_stage[w->queue], &w->wake,
						      t->cpu, from, ns);
			xlv_piece(y, b, wake_stage[w->queue], ns, t->cpu, t->pid, t->comm, NULL,
				  at);
		}
		if (b->waking.push >= 0) {
			w->push = y->journal->push[b->waking.push].idx;
			y->run->pushes[w->push].syncs++;
			b->s.push = w->push;
		}
		r = xlv_journal_iclog_rec(y->journal, b->waking.iclog);
		if (r) {
			w->lsn = r->lsn;
			w->iclog = y->journal->iclog[b->waking.iclog].idx;
		}
		if (w->queue == XLV_QUEUE_FORCE && r) {
			r->syncs++;
			b->s.iclog = w->iclog;
			b->s.iclog_lsn = r->lsn;
			b->s.group_pos = b->waking.pos;
			if (b->waking.first_wake_ns != XLV_NONE)
				b->s.wake_order_ns = w->wake.waking_ns - b->waking.first_wake_ns;
		}
	} else if (b->in_force && b->wait_on_ns[b->d.nr_waits - 1] != XLV_NONE) {
		/* nobody was seen to wake it, but it slept on an iclog */
		w->queue = XLV_QUEUE_FORCE;
	}
	if (b->cursor_ns < ns)
		xlv_piece(y, b, XLV_RAW_SLEEP, ns, -1, 0, NULL,
			  w->what ? w->what : "an unseen wake-up", -1);
	b->waking.known = false;
	t->sleep_why = 0;
	if (b->nr_flush && b->flush[b->nr_flush - 1].to == XLV_NONE) {
		b->flush[b->nr_flush - 1].to = ns;
		return;
	}
	if (!b->in_force || (w->queue == XLV_QUEUE_OTHER && !cil))
		return;
	if (w->queue == XLV_QUEUE_WRITE && f->first_write_ns == XLV_NONE)
		f->first_write_ns = w->start_ns;
	f->sleep_end_ns = ns;
	f->sleep_is_force = w->queue == XLV_QUEUE_FORCE;
	if (cil && w->queue != XLV_QUEUE_WRITE && w->queue != XLV_QUEUE_FORCE)
		f->cil_sleep_end_ns = ns;
	f->beyond_ns = XLV_NONE;
	b->cpu_after = t->cpu;
}

/* Who took the CPU may have left at once; whoever held it longest is named. */
static void preemption_end(struct xlv_syncs *y, struct xlv_sync_build *b,
			   const struct xlv_task *t, int64_t ns)
{
	const char *holder = xlv_wake_holder(y->sched, t->pid, t->cpu, b->cursor_ns, ns);

	own_piece(y, b, XLV_STAGE_RUNNABLE, ns, holder ? holder : b->behind);
}

void xlv_syncs_in(struct xlv_syncs *y, struct xlv_task *t, int64_t ns, bool implied)
{
	struct xlv_sync_build *b = t->sync;

	if (!b)
		return;
	if (implied && y->sched->have_switch)
		b->torn = true;
	if (b->asleep)
		wait_end(y, b, t, ns, implied);
	else if (b->off_cpu)
		preemption_end(y, b, t, ns);
	b->asleep = b->off_cpu = false;
}

/* ---- events of the task itself ---- */

static bool may_sync(uint8_t nr)
{
	switch (nr) {
	case XLV_SYS_FSYNC: case XLV_SYS_FDATASYNC: case XLV_SYS_MSYNC: case XLV_SYS_SYNC:
	case XLV_SYS_SYNCFS: case XLV_SYS_WRITE: case XLV_SYS_PWRITE64: case XLV_SYS_WRITEV:
	case XLV_SYS_PWRITEV: case XLV_SYS_PWRITEV2: case XLV_SYS_FALLOCATE:
		return true;
	}
	return false;
}

/* A call whose log force is the whole point, even without xfs_file_fsync. */
static bool must_sync(uint8_t nr)
{
	return nr == XLV_SYS_FSYNC || nr == XLV_SYS_FDATASYNC || nr == XLV_SYS_MSYNC ||
	       nr == XLV_SYS_SYNC || nr == XLV_SYS_SYNCFS;
}

static struct xlv_sync_build *build_without_call(struct xlv_syncs *y, struct xlv_task *t,
						 int64_t ns)
{
	struct xlv_sync_build *b;

	if (t->func_name && t->work_start_ns) {
		b = build_new(y, t, t->work_start_ns, XLV_ENDS_BY_WORK, "kworker");
		if (b)
			own_piece(y, b, XLV_RAW_RUN, ns, NULL);
		return b;
	}
	return build_new(y, t, ns, XLV_ENDS_BY_EVENT,
			 !strncmp(t->comm, "iou-", 4) ? "io_uring" :
			 !strncmp(t->comm, "nfsd", 4) ? "nfsd" : "xfs_file_fsync");
}

static void close_by_event(struct xlv_syncs *y, struct xlv_sync_build *b)
{
	int64_t end = xlv_sync_event_end(b);

	close_build(y, b, end, end == XLV_NONE ? XLV_PARTIAL_END : 0);
}

static void count_caller(struct xlv_syncs *y, const struct xlv_event *ev, bool in_sync)
{
	struct xlv_run *run = y->run;
	const char *name = ev->xfs.caller_name.len ?
			   xlv_intern(y->sched->pool, ev->xfs.caller_name) : "unknown";
	struct xlv_force_caller *c, *more;
	size_t i;

	for (i = 0; i < run->nr_callers; i++)
		if (run->callers[i].name == name)
			break;
	if (i == run->nr_callers) {
		if (i == 256)
			return;
		more = realloc(run->callers, (i + 1) * sizeof(*more));
		if (!more) {
			y->failed = true;
			return;
		}
		run->callers = more;
		run->callers[run->nr_callers++] = (struct xlv_force_caller){ .name = name };
	}
	c = &run->callers[i];
	c->forces++;
	c->in_syncs += in_sync;
}

static void log_force(struct xlv_syncs *y, const struct xlv_event *ev, struct xlv_task *t)
{
	struct xlv_sync_build *b = t->sync;
	bool nested = ev->xfs.caller == XLV_FN_FORCE_SEQ || ev->xfs.caller == XLV_FN_LOG_FORCE;
	/* a kretprobe hides the caller: then the order tells */
	bool hidden = ev->xfs.caller == XLV_FN_UNKNOWN;

	if (hidden && b && b->in_force && b->f.nested_ns == XLV_NONE &&
	    b->f.first_iclog_ns == XLV_NONE && b->f.last_sure_ns == b->f.top_ns)
		nested = true;
	if (!b && ev->xfs.caller == XLV_FN_FILE_FSYNC)
		b = build_without_call(y, t, ev->ts_ns);
	if (!nested)
		count_caller(y, ev, b && (b->is_sync || must_sync(b->s.syscall)));
	if (!b)
		return;
	if (!b->is_sync) {
		if (ev->xfs.caller != XLV_FN_FILE_FSYNC && !must_sync(b->s.syscall))
			return;
		b->is_sync = true;
	}
	if (!b->s.dev)
		b->s.dev = ev->xfs.dev;
	if (nested && b->in_force) {
		b->f.nested_ns = ev->ts_ns;
		b->f.last_sure_ns = ev->ts_ns;
		b->f.beyond_ns = XLV_NONE;
		return;
	}
	if (b->in_force)
		xlv_force_close(y, b, ev->ts_ns);
	if (!b->forces++) {
		b->s.force_ns = ev->ts_ns;
		b->s.seq = ev->xfs.seq;
		b->cpu_before = ev->cpu;
	}
	b->in_force = true;
	no_force(&b->f);
	b->f.top_ns = b->f.last_sure_ns = ev->ts_ns;
	b->f.first_wait = b->d.nr_waits;
}

static void own_iclog_event(struct xlv_sync_build *b, const struct xlv_event *ev)
{
	if (!b->in_force)
		return;
	if (b->f.first_iclog_ns == XLV_NONE)
		b->f.first_iclog_ns = ev->ts_ns;
	b->f.last_sure_ns = ev->ts_ns;
	b->f.beyond_ns = XLV_NONE;
	if (b->submit_from == XLV_NONE)
		b->submit_from = ev->ts_ns;
	if (ev->iclog.lsn)
		b->s.iclog_lsn = ev->iclog.lsn;
	switch (ev->type) {
	case XLV_EV_ICLOG_SYNCING:
	case XLV_EV_ICLOG_WRITE:
		b->submitted = true;
		b->s.submitter = true;
		break;
	case XLV_EV_ICLOG_WAIT_ON:
		b->wait_on = ev->ts_ns;
		if (b->submitted && b->nr_submit < 8)
			b->submit[b->nr_submit++] =
				(struct xlv_interval_ns){ b->submit_from, ev->ts_ns };
		b->submitted = false;
		b->submit_from = XLV_NONE;
		break;
	}
}

static void span_enter(struct xlv_interval_ns *i, struct xlv_interval_ns *first, int64_t ns)
{
	*i = (struct xlv_interval_ns){ ns, XLV_NONE };
	if (first && first->from == XLV_NONE)
		first->from = ns;
}

static void span_exit(struct xlv_interval_ns *i, struct xlv_interval_ns *first, int64_t *sum,
		      int64_t ns)
{
	if (i->from == XLV_NONE || i->to != XLV_NONE)
		return;
	i->to = ns;
	if (first && first->to == XLV_NONE)
		first->to = ns;
	add(sum, ns - i->from);
}

static void own_span(struct xlv_sync_build *b, const struct xlv_event *ev)
{
	struct xlv_spans_build *p = &b->spans[!!ev->probe];

	switch (ev->type) {
	case XLV_EV_FORCE_ENTER:
		span_enter(&p->force, &p->first_force, ev->ts_ns);
		break;
	case XLV_EV_FORCE_EXIT:
		span_exit(&p->force, &p->first_force, &p->T1, ev->ts_ns);
		break;
	case XLV_EV_CIL_FORCE_ENTER:
		span_enter(&p->cil, &p->first_cil, ev->ts_ns);
		break;
	case XLV_EV_CIL_FORCE_EXIT:
		span_exit(&p->cil, &p->first_cil, &p->T2, ev->ts_ns);
		break;
	case XLV_EV_FORCE_WAIT_ENTER:
		span_enter(&p->wait, NULL, ev->ts_ns);
		break;
	case XLV_EV_FORCE_WAIT_EXIT:
		span_exit(&p->wait, NULL, &p->T3, ev->ts_ns);
		break;
	}
}

static void file_fsync(struct xlv_syncs *y, const struct xlv_event *ev, struct xlv_task *t)
{
	struct xlv_sync_build *b = t->sync;

	if (b && b->ends == XLV_ENDS_BY_EVENT) {
		close_by_event(y, b);
		b = NULL;
	}
	if (!b)
		b = build_without_call(y, t, ev->ts_ns);
	if (!b || b->s.fsync_ns != XLV_NONE)
		return;
	b->is_sync = true;
	b->s.fsync_ns = ev->ts_ns;
	b->s.dev = ev->xfs.dev;
	b->s.ino = ev->xfs.ino;
}

static void sys_enter(struct xlv_syncs *y, const struct xlv_event *ev, struct xlv_task *t)
{
	struct xlv_sync_build *b = t->sync;

	if (b && b->ends == XLV_ENDS_BY_EXIT && !y->sys_exits)
		close_by_event(y, b);	/* exits are not recorded */
	else if (b && b->ends == XLV_ENDS_BY_EXIT)
		close_build(y, b, XLV_NONE, y->nr_losses ? XLV_PARTIAL_LOST : XLV_PARTIAL_MISSING);
	else if (b && b->ends == XLV_ENDS_BY_EVENT)
		close_by_event(y, b);
	if (t->sync || !may_sync(ev->sys.nr))
		return;
	b = build_new(y, t, ev->ts_ns, XLV_ENDS_BY_EXIT, "syscall");
	if (b)
		b->s.syscall = ev->sys.nr;
}

static void sys_exit(struct xlv_syncs *y, const struct xlv_event *ev, struct xlv_task *t)
{
	struct xlv_sync_build *b = t->sync;

	y->sys_exits = true;
	if (!b)
		return;
	if (b->ends == XLV_ENDS_BY_EXIT && b->s.syscall == ev->sys.nr) {
		close_build(y, b, ev->ts_ns, 0);
	} else if (b->ends == XLV_ENDS_BY_EVENT) {
		/* a call that began before the trace, or before events were lost */
		if (may_sync(ev->sys.nr) && b->forces + (b->s.fsync_ns != XLV_NONE)) {
			b->s.syscall = ev->sys.nr;
			close_build(y, b, ev->ts_ns,
				    y->nr_losses ? XLV_PARTIAL_LOST : XLV_PARTIAL_START);
		} else {
			close_by_event(y, b);
		}
	}
}

static bool worker_may_sync(uint8_t func)
{
	return func == XLV_FN_DIO_COMPLETE || func == XLV_FN_AIO_FSYNC || func == XLV_FN_LOOP;
}

/* Is the event one that a task can't show inside a sync? */
static bool out_of_sync(const struct xlv_event *ev, const struct xlv_task *t)
{
	return (ev->type == XLV_EV_SCHED_SWITCH && ev->sw.prev_state == XLV_TASK_SLEEP &&
		t->pid == ev->sw.prev_pid) ||
	       ev->type == XLV_EV_SCHED_EXIT || ev->type == XLV_EV_WQ_END ||
	       ev->type == XLV_EV_WQ_START;
}

/*
 * Can the event tell that its task has left the log force? What the force does
 * itself can't (it queues the push and wakes its worker), nor being preempted, nor
 * what only a patched kernel or a probe shows: boundaries must not depend on that.
 */
static bool tells_left_force(const struct xlv_event *ev)
{
	switch (ev->type) {
	case XLV_EV_WQ_QUEUE:
	case XLV_EV_SCHED_WAKING:
	case XLV_EV_SCHED_WAKEUP:
	case XLV_EV_SCHED_MIGRATE:
	case XLV_EV_IPI_SEND:
		return false;
	case XLV_EV_SCHED_SWITCH:
		return ev->sw.prev_state != XLV_TASK_RUNNABLE;
	}
	return ev->type < XLV_EV_FORCE_ENTER || ev->type > XLV_EV_FAKE_IO;
}

void xlv_syncs_event(struct xlv_syncs *y, const struct xlv_event *ev, struct xlv_task *t)
{
	struct xlv_sync_build *b = t->sync;

	if (b && b->in_force && b->f.beyond_ns == XLV_NONE && tells_left_force(ev) &&
	    ev->ts_ns >= b->f.last_sure_ns)
		b->f.beyond_ns = ev->ts_ns;	/* taken back below where it is inside */
	if (b && b->ends == XLV_ENDS_BY_EVENT && out_of_sync(ev, t)) {
		close_by_event(y, b);
		b = NULL;
	}
	switch (ev->type) {
	case XLV_EV_SYS_ENTER:
		sys_enter(y, ev, t);
		return;
	case XLV_EV_SYS_EXIT:
		sys_exit(y, ev, t);
		return;
	case XLV_EV_WQ_START:
		if (!b && worker_may_sync(ev->wq.func))
			build_new(y, t, ev->ts_ns, XLV_ENDS_BY_WORK, "kworker");
		return;
	case XLV_EV_WQ_END:
		if (b && b->ends == XLV_ENDS_BY_WORK)
			close_build(y, b, ev->ts_ns, 0);
		return;
	case XLV_EV_XFS_FILE_FSYNC:
		file_fsync(y, ev, t);
		return;
	case XLV_EV_XFS_LOG_FORCE:
		log_force(y, ev, t);
		return;
	case XLV_EV_XFS_GRANT_SLEEP:
	case XLV_EV_XFS_CIL_WAIT:
		t->sleep_why = ev->type;
		return;
	case XLV_EV_WQ_QUEUE:
		if (b && b->in_force && xlv_journal_func(y->journal, ev) == XLV_FN_CIL_PUSH) {
			b->f.last_sure_ns = ev->ts_ns;
			b->f.beyond_ns = XLV_NONE;
			b->pushed = true;
			if (y->run->nr_pushes)
				b->s.push = y->run->nr_pushes - 1;
		}
		return;
	case XLV_EV_BIO_QUEUE:
		if (!b)
			return;
		if (!ev->block.nr_sector && ev->block.rw & (XLV_RW_FLUSH | XLV_RW_PREFLUSH)) {
			b->s.flushes++;
			if (b->nr_flush < 4)
				b->flush[b->nr_flush++] =
					(struct xlv_interval_ns){ ev->ts_ns, XLV_NONE };
		} else if (!b->in_force) {
			b->last_bio_ns = ev->ts_ns;
		}
		return;
	}
	if (!b)
		return;
	if (ev->type >= XLV_EV_ICLOG_ACTIVATE && ev->type <= XLV_EV_ICLOG_WRITE)
		own_iclog_event(b, ev);
	else if (ev->type >= XLV_EV_FORCE_ENTER && ev->type <= XLV_EV_FORCE_WAKE)
		own_span(b, ev);
}

void xlv_syncs_lost(struct xlv_syncs *y, int32_t cpu, int64_t from_ns, int64_t to_ns)
{
	struct xlv_loss *more;

	if (from_ns == XLV_NONE)
		from_ns = to_ns;
	if (y->nr_losses == MOST_LOSSES) {
		/* so many that where they were no longer matters: stretch the last one */
		y->losses[y->nr_losses - 1].cpu = -1;
		y->losses[y->nr_losses - 1].to_ns = to_ns;
		return;
	}
	if (y->nr_losses == y->cap_losses) {
		size_t cap = y->cap_losses ? y->cap_losses * 2 : 64;

		more = realloc(y->losses, cap * sizeof(*more));
		if (!more) {
			y->failed = true;
			return;
		}
		y->losses = more;
		y->cap_losses = cap;
	}
	y->losses[y->nr_losses++] = (struct xlv_loss){ cpu, from_ns, to_ns };
}

void xlv_syncs_finish(struct xlv_syncs *y)
{
	while (y->open) {
		struct xlv_sync_build *b = y->open;

		if (b->ends == XLV_ENDS_BY_EVENT ||
		    (b->ends == XLV_ENDS_BY_EXIT && !y->sys_exits))
			close_by_event(y, b);
		else
			close_build(y, b, XLV_NONE, XLV_PARTIAL_END);
	}
}
