// SPDX-License-Identifier: GPL-2.0-or-later
/* Lanes: a piece is closed whenever what a CPU or a task does changes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/window_state.h"

#define MAX_CPUS	65536

/* ---- lanes of CPUs ---- */

void xlv_win_cpu_add(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_piece *piece)
{
	struct xlv_piece p = *piece, *last;
	struct xlv_window *win = st->win;
	int64_t ns, *sum;

	if (p.start_ns < win->from_ns)
		p.start_ns = win->from_ns;
	if (p.end_ns > win->to_ns)
		p.end_ns = win->to_ns;
	ns = p.end_ns - p.start_ns;
	if (ns <= 0)
		return;
	c->lane.work_ns[p.work] += ns;
	p.merged = 1;
	p.work_ns = NULL;
	last = c->lane.nr_pieces ? &c->lane.pieces[c->lane.nr_pieces - 1] : NULL;
	if (ns < win->res_ns && last && c->dense) {
		if (!last->work_ns) {
			sum = xlv_win_alloc(st, XLV_WORK_COUNT * sizeof(*sum));
			if (!sum)
				return;
			memset(sum, 0, XLV_WORK_COUNT * sizeof(*sum));
			sum[last->work] = last->end_ns - last->start_ns;
			last->work_ns = sum;
		}
		sum = (int64_t *)last->work_ns;
		sum[p.work] += ns;
		last->merged++;
		last->end_ns = p.end_ns;
		if (ns > c->longest_ns) {
			c->longest_ns = ns;
			last->pid = p.pid;
			last->comm = p.comm;
			last->func = p.func;
			last->context = p.context;
			last->sync = p.sync;
			last->preempted = p.preempted;
		}
		for (unsigned int w = last->work = 0; w < XLV_WORK_COUNT; w++)
			if (sum[w] > sum[last->work])
				last->work = w;
		c->dense = last->end_ns - last->start_ns < win->res_ns;
		return;
	}
	if (!xlv_win_grow(st, &c->lane.pieces, &c->size, c->lane.nr_pieces, sizeof(p)))
		return;
	c->lane.pieces[c->lane.nr_pieces++] = p;
	c->longest_ns = ns;
	c->dense = ns < win->res_ns;
}

/* What a CPU does at a moment, as a piece that starts there. */
static struct xlv_piece cpu_now(struct xlv_win *st, struct xlv_win_cpu *c, int64_t ts_ns)
{
	struct xlv_piece p = { .start_ns = ts_ns, .pid = c->pid, .comm = "" };
	const struct xlv_sync *s;
	struct xlv_win_task *t;

	if (c->pid < 0)
		return p;
	t = xlv_win_task(st, c->pid);
	if (!t)
		return p;
	p.comm = t->comm;
	s = xlv_win_sync(st, t, ts_ns);
	p.sync = s ? s->id : 0;
	if (c->depth) {
		struct xlv_win_irq *q = &c->irq[c->depth - 1];

		p.context = q->context;
		p.work = q->io_done ? XLV_WORK_IO_DONE : XLV_WORK_IRQ;
		p.func = q->name;
		return p;
	}
	p.context = XLV_FROM_TASK;
	p.work = xlv_win_work(st, t, ts_ns);
	p.func = t->func_name;
	return p;
}

void xlv_win_cpu_update(struct xlv_win *st, struct xlv_win_cpu *c, int64_t ts_ns, bool preempted)
{
	struct xlv_piece now = cpu_now(st, c, ts_ns);
	struct xlv_piece *open = &c->open.p;

	if (c->open.started && open->pid == now.pid && open->work == now.work &&
	    open->context == now.context && open->func == now.func && open->sync == now.sync &&
	    !preempted)
		return;
	if (c->open.started) {
		open->end_ns = ts_ns;
		open->preempted = preempted;
		xlv_win_cpu_add(st, c, open);
	}
	*open = now;
	c->open.started = true;
}

struct xlv_win_cpu *xlv_win_cpu(struct xlv_win *st, int32_t nr)
{
	struct xlv_win_cpu *c;

	if (nr < 0 || nr >= MAX_CPUS)
		return NULL;
	if (nr >= st->nr_cpus) {
		struct xlv_win_cpu **more = realloc(st->cpus, (nr + 1) * sizeof(*more));

		if (!more) {
			st->oom = true;
			return NULL;
		}
		memset(more + st->nr_cpus, 0, (nr + 1 - st->nr_cpus) * sizeof(*more));
		st->cpus = more;
		st->nr_cpus = nr + 1;
	}
	if (st->cpus[nr])
		return st->cpus[nr];
	c = calloc(1, sizeof(*c));
	if (!c) {
		st->oom = true;
		return NULL;
	}
	c->cpu = c->lane.cpu = nr;
	c->pid = -1;
	c->last_ns = XLV_NONE;
	c->open.p = (struct xlv_piece){ .start_ns = st->win->from_ns, .pid = -1, .comm = "" };
	c->open.started = true;
	st->cpus[nr] = c;
	return c;
}

/* ---- lanes of tasks ---- */

static unsigned int where_index(const struct xlv_task_piece *p)
{
	return p->where == XLV_TASK_AT_ASLEEP ? XLV_TASK_AT_ASLEEP + p->queue : p->where;
}

void xlv_win_lane_add(struct xlv_win *st, int32_t lane, const struct xlv_task_piece *piece)
{
	struct xlv_task_lane *tl = &st->win->tasks[lane];
	struct xlv_win_lane *ts = &st->lanes[lane];
	struct xlv_task_piece p = *piece, *last;
	struct xlv_window *win = st->win;
	unsigned int most = 0;
	int64_t ns, *sum;

	if (p.start_ns < win->from_ns)
		p.start_ns = win->from_ns;
	if (p.end_ns > win->to_ns)
		p.end_ns = win->to_ns;
	ns = p.end_ns - p.start_ns;
	if (ns <= 0)
		return;
	p.merged = 1;
	p.where_ns = NULL;
	last = tl->nr_pieces ? &tl->pieces[tl->nr_pieces - 1] : NULL;
	if (ns < win->res_ns && last && ts->dense) {
		if (!last->where_ns) {
			sum = xlv_win_alloc(st, XLV_TASK_AT_COUNT * sizeof(*sum));
			if (!sum)
				return;
			memset(sum, 0, XLV_TASK_AT_COUNT * sizeof(*sum));
			sum[where_index(last)] = last->end_ns - last->start_ns;
			last->where_ns = sum;
		}
		sum = (int64_t *)last->where_ns;
		sum[where_index(&p)] += ns;
		last->merged++;
		last->end_ns = p.end_ns;
		if (ns > ts->longest_ns) {
			ts->longest_ns = ns;
			last->state = p.state;
			last->cpu = p.cpu;
			last->sync = p.sync;
			last->what = p.what;
		}
		for (unsigned int w = 0; w < XLV_TASK_AT_COUNT; w++)
			if (sum[w] > sum[most])
				most = w;
		last->where = most < XLV_TASK_AT_ASLEEP ? most : XLV_TASK_AT_ASLEEP;
		last->queue = most < XLV_TASK_AT_ASLEEP ? 0 : most - XLV_TASK_AT_ASLEEP;
		ts->dense = last->end_ns - last->start_ns < win->res_ns;
		return;
	}
	if (!xlv_win_grow(st, &tl->pieces, &ts->size, tl->nr_pieces, sizeof(p)))
		return;
	tl->pieces[tl->nr_pieces++] = p;
	ts->longest_ns = ns;
	ts->dense = ns < win->res_ns;
}

/* Names the wait queue of a sleep that the model saw: @exact begins then, or began before. */
static void name_sleep(struct xlv_win *st, struct xlv_win_lane *ls, const struct xlv_sync *s,
		       int64_t ts_ns, bool exact, struct xlv_task_piece *p)
{
	const struct xlv_detail *d = &ls->detail;

	p->queue = s ? XLV_QUEUE_OTHER : XLV_QUEUE_COUNT;
	if (!s)
		return;
	if (ls->detail_of != s->id && xlv_sync_detail(st->run, s, &ls->detail)) {
		st->oom = true;
		return;
	}
	ls->detail_of = s->id;
	for (int32_t i = 0; i < d->nr_waits; i++)
		if (exact ? d->waits[i].start_ns == ts_ns : d->waits[i].start_ns <= ts_ns) {
			p->queue = d->waits[i].queue;
			p->what = d->waits[i].what;
		}
}

/* Ends what a task did and begins @next, whose start is set here. */
void xlv_win_lane_set(struct xlv_win *st, struct xlv_win_task *t, int64_t ts_ns,
		      struct xlv_task_piece next)
{
	const struct xlv_sync *s;
	struct xlv_win_lane *ls;

	if (t->lane < 0)
		return;
	ls = &st->lanes[t->lane];
	s = xlv_win_sync(st, t, ts_ns);
	next.start_ns = ts_ns;
	next.sync = s ? s->id : 0;
	if (next.where == XLV_TASK_AT_ASLEEP)
		name_sleep(st, ls, s, ts_ns, true, &next);
	if (ls->open.where == next.where && ls->open.sync == next.sync &&
	    ls->open.cpu == next.cpu && ls->open.queue == next.queue)
		return;
	ls->open.end_ns = ts_ns;
	xlv_win_lane_add(st, t->lane, &ls->open);
	ls->open = next;
	ls->started = true;
}

void xlv_win_lane_running(struct xlv_win *st, struct xlv_win_task *t, int32_t cpu, int64_t ts_ns)
{
	xlv_win_lane_set(st, t, ts_ns,
			 (struct xlv_task_piece){ .where = XLV_TASK_AT_RUNNING, .cpu = cpu });
}

/* A woken task becomes runnable; if nothing is known of it yet, it slept until now. */
void xlv_win_lane_woken(struct xlv_win *st, struct xlv_win_task *t, int64_t ts_ns)
{
	struct xlv_win_lane *ls;

	if (t->lane < 0)
		return;
	ls = &st->lanes[t->lane];
	if (!ls->started) {
		ls->open.where = XLV_TASK_AT_ASLEEP;
		ls->open.state = XLV_TASK_UNKNOWN;
		name_sleep(st, ls, xlv_win_sync(st, t, ts_ns), ts_ns, false, &ls->open);
	} else if (ls->open.where != XLV_TASK_AT_ASLEEP) {
		return;
	}
	xlv_win_lane_set(st, t, ts_ns,
			 (struct xlv_task_piece){ .where = XLV_TASK_AT_RUNNABLE, .cpu = -1 });
}

int xlv_win_lane_new(struct xlv_win *st, size_t *size, int32_t pid)
{
	struct xlv_window *win = st->win;
	struct xlv_win_task *t = xlv_win_task(st, pid);

	if (!t)
		return -1;
	if (t->lane >= 0)
		return 0;
	if ((size_t)win->nr_tasks == *size) {
		size_t want = *size ? *size * 2 : 16;
		void *a = realloc(win->tasks, want * sizeof(*win->tasks));
		void *b;

		if (a)
			win->tasks = a;
		b = a ? realloc(st->lanes, want * sizeof(*st->lanes)) : NULL;
		if (!b)
			return -1;
		st->lanes = b;
		*size = want;
	}
	t->lane = win->nr_tasks++;
	win->tasks[t->lane] = (struct xlv_task_lane){ .pid = pid, .comm = "" };
	st->lanes[t->lane] = (struct xlv_win_lane){
		.open = { .start_ns = win->from_ns, .where = XLV_TASK_AT_UNKNOWN, .cpu = -1 },
	};
	return 0;
}
