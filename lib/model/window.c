// SPDX-License-Identifier: GPL-2.0-or-later
/* The second pass: which event changes what, and what is there before and after. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/window_state.h"

#define DEFAULT_MAX	500000
#define MIN_LEAD_NS	(10 * 1000 * 1000LL)
#define MAX_LEAD_NS	(100 * 1000 * 1000LL)

static uint8_t work_in_context(struct xlv_win *st, struct xlv_win_cpu *c,
			       const struct xlv_event *ev)
{
	struct xlv_win_task *t;

	if (c->depth)
		return c->irq[c->depth - 1].io_done ? XLV_WORK_IO_DONE : XLV_WORK_IRQ;
	if (ev->ctx & XLV_CTX_IRQ)
		return XLV_WORK_IRQ;
	t = xlv_win_task(st, ev->pid);
	return t ? xlv_win_work(st, t, ev->ts_ns) : XLV_WORK_UNKNOWN;
}

static void on_switch(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_event *ev)
{
	bool runnable = ev->sw.prev_state == XLV_TASK_RUNNABLE;
	struct xlv_win_task *prev, *next;

	c->depth = 0;
	prev = xlv_win_task(st, ev->sw.prev_pid);
	if (prev) {
		prev->comm = xlv_win_intern(st, ev->sw.prev_comm);
		prev->on_cpu = -1;
		prev->arrow = -1;	/* its way to this CPU was not seen */
		prev->last_cpu = c->cpu;
		if (ev->sw.prev_pid)
			xlv_win_lane_set(st, prev, ev->ts_ns, (struct xlv_task_piece){
				.where = runnable ? XLV_TASK_AT_RUNNABLE : XLV_TASK_AT_ASLEEP,
				.state = runnable ? 0 : ev->sw.prev_state, .cpu = -1 });
	}
	next = xlv_win_task(st, ev->sw.next_pid);
	if (!next)
		return;
	next->comm = xlv_win_intern(st, ev->sw.next_comm);
	next->on_cpu = c->cpu;
	next->last_arrow = -1;
	if (next->arrow >= 0) {
		struct xlv_arrow *a = &st->win->wakes[next->arrow];

		a->running_ns = ev->ts_ns;
		a->to_cpu = c->cpu;
		a->comm = next->comm;
		a->work = xlv_win_work(st, next, ev->ts_ns);
		next->last_arrow = next->arrow;
		next->arrow = -1;
	}
	if (next->pid)
		xlv_win_lane_running(st, next, c->cpu, ev->ts_ns);
	c->pid = ev->sw.next_pid;
	xlv_win_cpu_update(st, c, ev->ts_ns, runnable && ev->sw.prev_pid);
}

static void on_wake(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_event *ev)
{
	bool first = ev->type == XLV_EV_SCHED_WAKING || !st->has_waking;
	struct xlv_window *win = st->win;
	struct xlv_win_task *t = xlv_win_task(st, ev->wake.pid), *waker;
	struct xlv_arrow *a;

	if (!t || !ev->wake.pid)
		return;
	if (!first && t->arrow >= 0 && win->wakes[t->arrow].wakeup_ns == XLV_NONE)
		win->wakes[t->arrow].wakeup_ns = ev->ts_ns;
	if (t->on_cpu >= 0)	/* on its way to sleep: it stays on its CPU */
		return;
	xlv_win_lane_woken(st, t, ev->ts_ns);
	if (!first || t->arrow >= 0 || !(st->want & XLV_WIN_WAKES))
		return;
	if (win->nr_wakes >= st->max) {
		win->dropped += ev->ts_ns >= win->from_ns && ev->ts_ns < win->to_ns;
		return;
	}
	if (!xlv_win_grow(st, &win->wakes, &st->wakes_size, win->nr_wakes, sizeof(*a)))
		return;
	waker = xlv_win_task(st, ev->pid);
	t = xlv_win_task(st, ev->wake.pid);	/* the table may have moved */
	a = &win->wakes[win->nr_wakes];
	*a = (struct xlv_arrow){
		.waking_ns = ev->ts_ns, .running_ns = XLV_NONE,
		.wakeup_ns = ev->type == XLV_EV_SCHED_WAKING ? XLV_NONE : ev->ts_ns,
		.waker_pid = ev->pid, .waker_cpu = ev->cpu,
		.pid = ev->wake.pid, .prev_cpu = t->last_cpu, .to_cpu = -1,
		.context = xlv_win_context(ev), .waker_work = work_in_context(st, c, ev),
		.waker_comm = waker ? waker->comm : "",
		.comm = xlv_win_intern(st, ev->wake.comm),
	};
	t->arrow = win->nr_wakes++;
}

static void on_irq(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_event *ev)
{
	uint8_t context = ev->type == XLV_EV_SOFTIRQ_ENTRY || ev->type == XLV_EV_SOFTIRQ_EXIT ?
			  XLV_FROM_SOFTIRQ : XLV_FROM_HARDIRQ;

	if (ev->type == XLV_EV_IRQ_ENTRY || ev->type == XLV_EV_SOFTIRQ_ENTRY ||
	    ev->type == XLV_EV_VECTOR_ENTRY) {
		if (c->depth < XLV_WIN_IRQ_DEPTH)
			c->irq[c->depth++] = (struct xlv_win_irq){
				.context = context, .name = xlv_win_intern(st, ev->irq.name) };
	} else {
		int32_t i = c->depth;

		while (i > 0 && c->irq[i - 1].context != context)
			i--;
		if (i > 0)
			c->depth = i - 1;
	}
	xlv_win_cpu_update(st, c, ev->ts_ns, false);
}

static void on_work(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_event *ev)
{
	struct xlv_window *win = st->win;
	struct xlv_win_task *t = xlv_win_task(st, ev->pid);
	int32_t i = xlv_win_map_get(&st->work_map, ev->wq.work);
	struct xlv_handover *h;
	bool fits;

	if (!t)
		return;
	if (ev->type == XLV_EV_WQ_END) {
		if (t->handover >= 0)
			win->works[t->handover].end_ns = ev->ts_ns;
		t->handover = -1;
		t->func = XLV_FN_UNKNOWN;
		t->func_name = NULL;
		xlv_win_cpu_update(st, c, ev->ts_ns, false);
		return;
	}
	fits = (st->want & XLV_WIN_WORKS) && win->nr_works < st->max &&
	       xlv_win_grow(st, &win->works, &st->works_size, win->nr_works, sizeof(*h));
	if (ev->type == XLV_EV_WQ_QUEUE) {
		if (!fits) {
			win->dropped += (st->want & XLV_WIN_WORKS) && ev->ts_ns >= win->from_ns &&
					ev->ts_ns < win->to_ns;
			return;
		}
		if (!xlv_win_map_put(st, &st->work_map, ev->wq.work, win->nr_works))
			return;
		win->works[win->nr_works++] = (struct xlv_handover){
			.work = ev->wq.work, .func = ev->wq.func,
			.func_name = xlv_win_intern(st, ev->wq.func_name),
			.queue_ns = ev->ts_ns, .start_ns = XLV_NONE, .end_ns = XLV_NONE,
			.queue_pid = ev->pid, .queue_cpu = ev->cpu, .context = xlv_win_context(ev),
			.worker_pid = -1, .worker_cpu = -1,
		};
		return;
	}
	/* WQ_START */
	if (i < 0 || win->works[i].start_ns != XLV_NONE) {
		i = -1;
		if (fits) {
			i = win->nr_works++;
			win->works[i] = (struct xlv_handover){
				.work = ev->wq.work, .queue_ns = XLV_NONE, .end_ns = XLV_NONE,
				.queue_pid = -1, .queue_cpu = -1, .context = XLV_FROM_UNKNOWN,
				.func_name = "",
			};
		}
	}
	if (i >= 0) {
		h = &win->works[i];
		h->start_ns = ev->ts_ns;
		h->worker_pid = ev->pid;
		h->worker_cpu = ev->cpu;
		h->func = ev->wq.func;
		if (ev->wq.func_name.len)
			h->func_name = xlv_win_intern(st, ev->wq.func_name);
	}
	t->handover = i;
	t->func = ev->wq.func;
	t->func_name = ev->wq.func_name.len ? xlv_win_intern(st, ev->wq.func_name) : "work item";
	if (t->last_arrow >= 0)
		win->wakes[t->last_arrow].work = xlv_win_work(st, t, ev->ts_ns);
	t->last_arrow = -1;
	xlv_win_cpu_update(st, c, ev->ts_ns, false);
}

/* kprobes tell the roles where workqueue events weren't recorded. */
static void on_probe(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_event *ev)
{
	struct xlv_win_task *t = xlv_win_task(st, ev->pid);

	if (!t || st->run->info->count[XLV_EV_WQ_START])
		return;
	t->func = ev->type == XLV_EV_PROBE_PUSH_ENTER ? XLV_FN_CIL_PUSH :
		  ev->type == XLV_EV_PROBE_IOEND_ENTER ? XLV_FN_IOEND : XLV_FN_UNKNOWN;
	t->func_name = ev->type == XLV_EV_PROBE_PUSH_ENTER ? "xlog_cil_push_work" :
		       ev->type == XLV_EV_PROBE_IOEND_ENTER ? "xlog_ioend_work" : NULL;
	xlv_win_cpu_update(st, c, ev->ts_ns, false);
}

static void on_lost(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_event *ev)
{
	struct xlv_window *win = st->win;
	int64_t start = c->last_ns == XLV_NONE ? win->from_ns : c->last_ns;
	struct xlv_win_task *t;

	/* Nothing is known from there on: not who ran here, nor whom that woke. */
	t = c->pid >= 0 ? xlv_win_task(st, c->pid) : NULL;
	if (t)
		t->on_cpu = -1;
	c->depth = 0;
	c->pid = -1;
	xlv_win_cpu_update(st, c, start, false);
	for (int32_t i = 0; i < win->nr_tasks; i++) {
		struct xlv_win_lane *ls = &st->lanes[i];

		if (!ls->started || ls->open.start_ns >= start)
			continue;
		ls->open.end_ns = start;
		xlv_win_lane_add(st, i, &ls->open);
		ls->open = (struct xlv_task_piece){
			.start_ns = start, .where = XLV_TASK_AT_UNKNOWN, .cpu = -1 };
	}
	if (ev->ts_ns < win->from_ns || start >= win->to_ns || win->nr_gaps >= st->max ||
	    !xlv_win_grow(st, &win->gaps, &st->gaps_size, win->nr_gaps, sizeof(*win->gaps)))
		return;
	win->gaps[win->nr_gaps++] = (struct xlv_gap){
		.cpu = c->cpu, .start_ns = start, .end_ns = ev->ts_ns, .count = ev->lost.count,
	};
}

static void on_event(struct xlv_win *st, const struct xlv_event *ev)
{
	struct xlv_win_cpu *c = xlv_win_cpu(st, ev->cpu);
	struct xlv_win_task *t;

	if (!c)
		return;
	if (ev->type == XLV_EV_LOST) {
		on_lost(st, c, ev);
		return;
	}
	c->last_ns = ev->ts_ns;
	if (ev->type == XLV_EV_SCHED_SWITCH) {
		on_switch(st, c, ev);
		return;
	}
	/* The current task, where a switch to it was not seen. */
	if (ev->pid != c->pid && ev->pid >= 0) {
		c->pid = ev->pid;
		t = xlv_win_task(st, ev->pid);
		if (t && ev->pid) {
			t->on_cpu = c->cpu;
			t->last_cpu = c->cpu;
			t->arrow = -1;
		}
	}
	switch (ev->type) {
	case XLV_EV_SCHED_WAKING:
	case XLV_EV_SCHED_WAKEUP:
	case XLV_EV_SCHED_WAKEUP_NEW:
		on_wake(st, c, ev);
		break;
	case XLV_EV_IRQ_ENTRY:
	case XLV_EV_IRQ_EXIT:
	case XLV_EV_SOFTIRQ_ENTRY:
	case XLV_EV_SOFTIRQ_EXIT:
	case XLV_EV_VECTOR_ENTRY:
	case XLV_EV_VECTOR_EXIT:
		on_irq(st, c, ev);
		break;
	case XLV_EV_WQ_QUEUE:
	case XLV_EV_WQ_START:
	case XLV_EV_WQ_END:
		on_work(st, c, ev);
		break;
	case XLV_EV_BIO_QUEUE:
	case XLV_EV_BIO_COMPLETE:
	case XLV_EV_RQ_ISSUE:
	case XLV_EV_RQ_COMPLETE:
		xlv_win_on_block(st, c, ev);
		break;
	case XLV_EV_PROBE_PUSH_ENTER:
	case XLV_EV_PROBE_PUSH_EXIT:
	case XLV_EV_PROBE_IOEND_ENTER:
		on_probe(st, c, ev);
		break;
	case XLV_EV_SCHED_EXEC:
	case XLV_EV_TASK_RENAME:
		t = xlv_win_task(st, ev->task.pid);
		if (t && ev->task.comm.len)
			t->comm = xlv_win_intern(st, ev->task.comm);
		break;
	}
	xlv_win_cpu_update(st, c, ev->ts_ns, false);
	/* A sync begins and ends with an event of its task. */
	if (!(ev->ctx & XLV_CTX_IRQ)) {
		t = xlv_win_task(st, ev->pid);
		if (t && ev->pid && t->lane >= 0)
			xlv_win_lane_running(st, t, c->cpu, ev->ts_ns);
	}
}

/* ---- before and after the events ---- */

static int cmp_sync(const void *a, const void *b, void *arg)
{
	const struct xlv_run *run = arg;
	const struct xlv_sync *x = &run->syncs[*(const int32_t *)a];
	const struct xlv_sync *y = &run->syncs[*(const int32_t *)b];

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static bool touches(const struct xlv_window *win, int64_t start_ns, int64_t end_ns)
{
	if (start_ns == XLV_NONE)
		start_ns = end_ns;
	if (end_ns == XLV_NONE)
		end_ns = start_ns;
	return start_ns != XLV_NONE && start_ns < win->to_ns && end_ns >= win->from_ns;
}

static int64_t first_known(const int64_t *ts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ts[i] != XLV_NONE)
			return ts[i];
	return XLV_NONE;
}

static int64_t last_known(const int64_t *ts, size_t n)
{
	while (n--)
		if (ts[n] != XLV_NONE)
			return ts[n];
	return XLV_NONE;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool push_touches(const struct xlv_window *win, const struct xlv_push *p)
{
	int64_t ts[] = { p->queued_ns, p->start_ns, p->end_ns };

	return touches(win, first_known(ts, COUNT(ts)), last_known(ts, COUNT(ts)));
}

static bool iclog_touches(const struct xlv_window *win, const struct xlv_iclog *ic)
{
	int64_t ts[] = {
		ic->first_ns, ic->switch_ns, ic->syncing_ns, ic->write_ns, ic->bio_ns,
		ic->issue_ns, ic->done_ns, ic->ioend_queued_ns, ic->ioend_start_ns,
		ic->sync_done_ns, ic->callbacks_start_ns, ic->callbacks_done_ns, ic->clean_ns,
		ic->activate_ns,
	};

	return touches(win, first_known(ts, COUNT(ts)), last_known(ts, COUNT(ts)));
}

static bool silence_touches(const struct xlv_window *win, const struct xlv_silence *s)
{
	return touches(win, s->start_ns, s->start_ns + s->ns);
}

/* Indexes of the run's things that touch the window. */
static int collect(struct xlv_win *st)
{
	const struct xlv_run *run = st->run;
	struct xlv_window *win = st->win;
	size_t most = run->nr_syncs, n;

	if (run->nr_pushes > most)
		most = run->nr_pushes;
	if (run->nr_iclogs > most)
		most = run->nr_iclogs;
	if (run->nr_silences > most)
		most = run->nr_silences;
	win->syncs = malloc((run->nr_syncs + 1) * sizeof(int32_t));
	win->pushes = malloc((run->nr_pushes + 1) * sizeof(int32_t));
	win->iclogs = malloc((run->nr_iclogs + 1) * sizeof(int32_t));
	win->silences = malloc((run->nr_silences + 1) * sizeof(int32_t));
	if (!win->syncs || !win->pushes || !win->iclogs || !win->silences || most > INT32_MAX)
		return -1;
	for (n = 0; n < run->nr_syncs; n++)
		if (touches(win, run->syncs[n].start_ns, xlv_win_sync_end_ns(&run->syncs[n])))
			win->syncs[win->nr_syncs++] = n;
	for (n = 0; n < run->nr_pushes; n++)
		if (push_touches(win, &run->pushes[n]))
			win->pushes[win->nr_pushes++] = n;
	for (n = 0; n < run->nr_iclogs; n++)
		if (iclog_touches(win, &run->iclogs[n]))
			win->iclogs[win->nr_iclogs++] = n;
	for (n = 0; n < run->nr_silences; n++)
		if (silence_touches(win, &run->silences[n]))
			win->silences[win->nr_silences++] = n;
	return 0;
}

/* Syncs by pid: those near enough to be seen while reading. */
static int index_syncs(struct xlv_win *st, int64_t from_ns, int64_t to_ns)
{
	const struct xlv_run *run = st->run;

	st->sync_of = malloc((run->nr_syncs + 1) * sizeof(*st->sync_of));
	if (!st->sync_of)
		return -1;
	for (size_t i = 0; i < run->nr_syncs; i++)
		if (run->syncs[i].start_ns < to_ns &&
		    xlv_win_sync_end_ns(&run->syncs[i]) >= from_ns)
			st->sync_of[st->nr_sync_of++] = i;
	qsort_r(st->sync_of, st->nr_sync_of, sizeof(*st->sync_of), cmp_sync, (void *)run);
	return 0;
}

/* Workers that were at work already when reading begins. */
static void seed_workers(struct xlv_win *st, int64_t at_ns)
{
	const struct xlv_run *run = st->run;
	struct xlv_win_task *t;

	for (size_t i = 0; i < run->nr_pushes; i++) {
		const struct xlv_push *p = &run->pushes[i];

		if (p->worker_pid > 0 && p->start_ns != XLV_NONE && p->start_ns < at_ns &&
		    (p->end_ns == XLV_NONE || p->end_ns > at_ns) &&
		    (t = xlv_win_task(st, p->worker_pid))) {
			t->func = XLV_FN_CIL_PUSH;
			t->func_name = "xlog_cil_push_work";
		}
	}
	for (size_t i = 0; i < run->nr_iclogs; i++) {
		const struct xlv_iclog *ic = &run->iclogs[i];

		if (ic->worker_pid > 0 && ic->ioend_start_ns != XLV_NONE &&
		    ic->ioend_start_ns < at_ns &&
		    (ic->ioend_end_ns == XLV_NONE || ic->ioend_end_ns > at_ns) &&
		    (t = xlv_win_task(st, ic->worker_pid))) {
			t->func = XLV_FN_IOEND;
			t->func_name = "xlog_ioend_work";
		}
	}
}

/* Drops what ended before the window or began after it, keeping order. */
static void trim(struct xlv_win *st)
{
	struct xlv_window *win = st->win;
	int32_t n = 0;

	for (int32_t i = 0; i < win->nr_wakes; i++)
		if (touches(win, win->wakes[i].waking_ns, win->wakes[i].running_ns))
			win->wakes[n++] = win->wakes[i];
	win->nr_wakes = n;
	n = 0;
	for (int32_t i = 0; i < win->nr_works; i++) {
		int64_t ts[] = { win->works[i].queue_ns, win->works[i].start_ns,
				 win->works[i].end_ns };

		if (touches(win, first_known(ts, 3), last_known(ts, 3)))
			win->works[n++] = win->works[i];
	}
	win->nr_works = n;
	n = 0;
	for (int32_t i = 0; i < win->nr_bios; i++) {
		int64_t ts[] = { win->bios[i].queue_ns, win->bios[i].issue_ns,
				 win->bios[i].done_ns };

		if (touches(win, first_known(ts, 3), last_known(ts, 3)))
			win->bios[n++] = win->bios[i];
	}
	win->nr_bios = n;
}

static void finish(struct xlv_win *st)
{
	struct xlv_window *win = st->win;

	for (int32_t i = 0; i < st->nr_cpus; i++) {
		struct xlv_win_cpu *c = st->cpus[i];

		if (!c || st->oom)
			continue;
		c->open.p.end_ns = win->to_ns;
		xlv_win_cpu_add(st, c, &c->open.p);
	}
	for (int32_t i = 0; i < st->nr_tasks; i++) {
		struct xlv_win_task *t = &st->tasks[i];

		if (t->lane < 0 || st->oom)
			continue;
		st->lanes[t->lane].open.end_ns = win->to_ns;
		xlv_win_lane_add(st, t->lane, &st->lanes[t->lane].open);
		win->tasks[t->lane].comm = t->comm;
	}
	trim(st);
	xlv_win_match_iclogs(st);
}

static int take_cpus(struct xlv_win *st)
{
	struct xlv_window *win = st->win;

	win->cpus = calloc(st->nr_cpus + 1, sizeof(*win->cpus));
	if (!win->cpus)
		return -1;
	for (int32_t i = 0; i < st->nr_cpus; i++)
		if (st->cpus[i] && st->cpus[i]->last_ns != XLV_NONE) {
			win->cpus[win->nr_cpus++] = st->cpus[i]->lane;
			st->cpus[i]->lane.pieces = NULL;
		}
	return 0;
}

static void choose_types(struct xlv_trace *t, unsigned int want)
{
	bool types[XLV_EV_COUNT] = {
		[XLV_EV_LOST] = true, [XLV_EV_SCHED_SWITCH] = true, [XLV_EV_SCHED_WAKING] = true,
		[XLV_EV_SCHED_WAKEUP] = true, [XLV_EV_SCHED_WAKEUP_NEW] = true,
		[XLV_EV_SCHED_EXEC] = true, [XLV_EV_TASK_RENAME] = true,
		[XLV_EV_WQ_QUEUE] = want & XLV_WIN_WORKS, [XLV_EV_WQ_START] = true,
		[XLV_EV_WQ_END] = true, [XLV_EV_IRQ_ENTRY] = true, [XLV_EV_IRQ_EXIT] = true,
		[XLV_EV_SOFTIRQ_ENTRY] = true, [XLV_EV_SOFTIRQ_EXIT] = true,
		[XLV_EV_VECTOR_ENTRY] = true, [XLV_EV_VECTOR_EXIT] = true,
		[XLV_EV_BIO_QUEUE] = want & XLV_WIN_BIOS, [XLV_EV_BIO_COMPLETE] = true,
		[XLV_EV_RQ_ISSUE] = want & XLV_WIN_BIOS, [XLV_EV_RQ_COMPLETE] = true,
		[XLV_EV_PROBE_PUSH_ENTER] = true, [XLV_EV_PROBE_PUSH_EXIT] = true,
		[XLV_EV_PROBE_IOEND_ENTER] = true,
	};

	xlv_trace_want(t, types);
}

static int read_events(struct xlv_win *st, int64_t lead_ns, struct xlv_error *err)
{
	struct xlv_window *win = st->win;
	struct xlv_event ev;
	int n;

	if (xlv_trace_rewind(st->trace, win->from_ns - lead_ns, win->to_ns + lead_ns, err))
		return -1;
	choose_types(st->trace, st->want);
	while ((n = xlv_trace_next(st->trace, &ev)) > 0 && !st->oom) {
		win->events++;
		on_event(st, &ev);
	}
	xlv_trace_want(st->trace, NULL);
	if (n < 0)
		return xlv_fail(err, "%s", xlv_trace_error(st->trace));
	return 0;
}

static int make_lanes(struct xlv_win *st, const struct xlv_window_opts *opts)
{
	struct xlv_window *win = st->win;
	size_t size = 0;

	if (!(st->want & XLV_WIN_TASKS))
		return 0;
	for (int32_t i = 0; i < win->nr_syncs; i++)
		if (xlv_win_lane_new(st, &size, st->run->syncs[win->syncs[i]].pid))
			return -1;
	for (int32_t i = 0; i < opts->nr_pids; i++)
		if (xlv_win_lane_new(st, &size, opts->pids[i]))
			return -1;
	return 0;
}

struct xlv_window *xlv_window_read(struct xlv_trace *t, const struct xlv_run *run,
				   const struct xlv_window_opts *opts, struct xlv_error *err)
{
	struct xlv_win_owner *w = calloc(1, sizeof(*w));
	struct xlv_win *st = calloc(1, sizeof(*st));
	int64_t lead_ns;
	bool ok = false;

	if (!w || !st || !(w->strings = xlv_strpool_new())) {
		xlv_fail(err, "not enough memory for a window of the recording");
		goto out;
	}
	st->win = &w->win;
	st->trace = t;
	st->run = run;
	st->want = opts->want ? opts->want : XLV_WIN_ALL;
	st->max = opts->max > 0 ? opts->max : DEFAULT_MAX;
	st->has_waking = run->info->count[XLV_EV_SCHED_WAKING] > 0;
	st->has_bio_complete = run->info->count[XLV_EV_BIO_COMPLETE] > 0;
	w->win.run = run;
	w->win.from_ns = opts->from_ns > run->info->start_ns ? opts->from_ns : run->info->start_ns;
	w->win.to_ns = opts->to_ns <= run->info->end_ns ? opts->to_ns : run->info->end_ns + 1;
	if (w->win.to_ns < w->win.from_ns)
		w->win.to_ns = w->win.from_ns;
	w->win.res_ns = opts->res_ns;

	lead_ns = (w->win.to_ns - w->win.from_ns) / 4;
	if (lead_ns < MIN_LEAD_NS)
		lead_ns = MIN_LEAD_NS;
	if (lead_ns > MAX_LEAD_NS)
		lead_ns = MAX_LEAD_NS;
	if (index_syncs(st, w->win.from_ns - lead_ns, w->win.to_ns + lead_ns) || collect(st) ||
	    make_lanes(st, opts)) {
		xlv_fail(err, "not enough memory for a window of the recording");
		goto out;
	}
	seed_workers(st, w->win.from_ns - lead_ns);
	if (read_events(st, lead_ns, err))
		goto out;
	finish(st);
	if (st->oom || take_cpus(st)) {
		xlv_fail(err, "not enough memory for a window of the recording");
		goto out;
	}
	ok = true;
out:
	for (int32_t i = 0; st && i < st->nr_cpus; i++)
		if (st->cpus[i]) {
			free(st->cpus[i]->lane.pieces);
			free(st->cpus[i]);
		}
	if (st) {
		free(st->cpus);
		free(st->tasks);
		free(st->task_map.slots);
		free(st->work_map.slots);
		free(st->sync_of);
		for (int32_t i = 0; st->win && i < st->win->nr_tasks; i++)
			xlv_detail_free(&st->lanes[i].detail);
		free(st->lanes);
	}
	free(st);
	if (!ok) {
		xlv_window_free(w ? &w->win : NULL);
		return NULL;
	}
	return &w->win;
}

void xlv_window_free(struct xlv_window *win)
{
	struct xlv_win_owner *w = (struct xlv_win_owner *)win;

	if (!w)
		return;
	for (int32_t i = 0; i < win->nr_cpus; i++)
		free(win->cpus[i].pieces);
	for (int32_t i = 0; i < win->nr_tasks; i++)
		free(win->tasks[i].pieces);
	free(win->cpus);
	free(win->tasks);
	free(win->bios);
	free(win->wakes);
	free(win->works);
	free(win->gaps);
	free(win->syncs);
	free(win->pushes);
	free(win->iclogs);
	free(win->silences);
	xlv_arena_free(&w->arena);
	xlv_strpool_free(w->strings);
	free(w);
}

const struct xlv_cpu_lane *xlv_window_cpu(const struct xlv_window *win, int32_t cpu)
{
	for (int32_t i = 0; i < win->nr_cpus; i++)
		if (win->cpus[i].cpu == cpu)
			return &win->cpus[i];
	return NULL;
}

const struct xlv_piece *xlv_window_at(const struct xlv_cpu_lane *lane, int64_t ts_ns)
{
	int32_t lo = 0, hi = lane->nr_pieces;

	while (lo < hi) {
		int32_t mid = lo + (hi - lo) / 2;

		if (lane->pieces[mid].end_ns <= ts_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == lane->nr_pieces || lane->pieces[lo].start_ns > ts_ns)
		return NULL;
	return &lane->pieces[lo];
}

const char *xlv_work_name(unsigned int work)
{
	static const char *const names[XLV_WORK_COUNT] = {
		"unknown", "idle", "other", "syncer", "fsync", "cil-worker", "log-worker",
		"io-done", "irq",
	};

	return work < XLV_WORK_COUNT ? names[work] : "unknown";
}
