// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The second pass: one state a CPU (task, interrupts on top of it) and one a task
 * (where it is, which work item it runs), a piece closed whenever either changes.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/strpool.h"
#include "model/window.h"

#define DEFAULT_MAX	500000
#define MAX_TASKS	(1 << 20)
#define MAX_CPUS	65536
#define MAX_OPEN_BIOS	4096
#define IRQ_DEPTH	8
#define MIN_LEAD_NS	(10 * 1000 * 1000LL)
#define MAX_LEAD_NS	(100 * 1000 * 1000LL)

/* ---- memory: blocks that are freed together ---- */

struct block {
	struct block	*next;
	size_t		used, size;
	_Alignas(16) char data[];
};

struct map_slot {
	uint64_t	key;
	int32_t		value;	/* -1: free */
};

struct map {
	struct map_slot	*slots;
	size_t		size, used;
};

/* ---- state while reading ---- */

struct task {
	int32_t		pid;
	const char	*comm;
	int32_t		on_cpu;		/* -1: not on one */
	int32_t		last_cpu;
	uint8_t		func;		/* enum xlv_func of the work item it runs */
	const char	*func_name;	/* NULL: none */
	int32_t		handover;	/* of that item, index in works; -1 */
	int32_t		arrow;		/* wake-up that is under way, index in wakes; -1 */
	int32_t		last_arrow;	/* the last one that put it on a CPU; -1 */
	int32_t		sync_first, nr_syncs, sync_cursor;	/* in state.sync_of */
	int32_t		lane;		/* index in win->tasks; -1 */
};

struct irq {
	uint8_t		context;	/* XLV_FROM_HARDIRQ or _SOFTIRQ */
	bool		io_done;
	const char	*name;
};

struct open_piece {
	struct xlv_piece	p;
	bool			started;
};

struct cpu {
	int32_t			cpu;
	int32_t			pid;		/* -1: not known yet */
	struct irq		irq[IRQ_DEPTH];
	int32_t			depth;
	int64_t			last_ns;	/* of its events; XLV_NONE */
	struct open_piece	open;
	struct xlv_cpu_lane	lane;
	size_t			size;		/* of lane.pieces */
	bool			dense;		/* the last piece takes more short ones */
	int64_t			longest_ns;	/* in the last piece */
};

struct task_state {		/* parallel to win->tasks */
	struct xlv_task_piece	open;
	struct xlv_detail	detail;		/* of the sync it was in last */
	int32_t			detail_of;	/* that sync's id */
	bool			started;
	size_t			size;
	bool			dense;
	int64_t			longest_ns;
};

struct state {
	struct xlv_window	*win;
	struct xlv_trace	*trace;
	const struct xlv_run	*run;
	unsigned int		want;
	int32_t			max;
	bool			has_waking, has_bio_complete;
	bool			oom;

	struct task		*tasks;
	int32_t			nr_tasks;
	size_t			tasks_size;
	struct map		task_map;	/* pid to tasks */
	int32_t			*sync_of;	/* indexes of syncs by pid, start */
	int32_t			nr_sync_of;

	struct cpu		**cpus;		/* by number */
	int32_t			nr_cpus;
	struct task_state	*lanes;

	struct map		work_map;	/* work item to works, queued and not started */
	size_t			bios_size, wakes_size, works_size, gaps_size;
	int32_t			open_bios[MAX_OPEN_BIOS];
	int32_t			nr_open_bios;

};

/* The window as the caller sees it, with what must be freed. */
struct window {
	struct xlv_window	win;
	struct block		*blocks;
	struct xlv_strpool	*strings;
};

static void *arena_alloc(struct state *st, size_t n)
{
	struct window *w = (struct window *)st->win;
	struct block *b = w->blocks;
	void *p;

	n = (n + 15) & ~(size_t)15;
	if (!b || b->size - b->used < n) {
		size_t size = n > 65536 ? n : 65536;

		b = malloc(sizeof(*b) + size);
		if (!b) {
			st->oom = true;
			return NULL;
		}
		b->size = size;
		b->used = 0;
		b->next = w->blocks;
		w->blocks = b;
	}
	p = b->data + b->used;
	b->used += n;
	return p;
}

/* Makes room for one more element. */
static bool grow(struct state *st, void *array, size_t *size, size_t used, size_t elem)
{
	void **a = array;
	size_t want;
	void *p;

	if (used < *size)
		return true;
	want = *size ? *size * 2 : 64;
	p = realloc(*a, want * elem);
	if (!p) {
		st->oom = true;
		return false;
	}
	*a = p;
	*size = want;
	return true;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

static int32_t map_get(const struct map *m, uint64_t key)
{
	if (!m->size)
		return -1;
	for (size_t i = mix(key) & (m->size - 1);; i = (i + 1) & (m->size - 1)) {
		if (m->slots[i].value < 0)
			return -1;
		if (m->slots[i].key == key)
			return m->slots[i].value;
	}
}

static bool map_put(struct state *st, struct map *m, uint64_t key, int32_t value)
{
	size_t i;

	if (m->used * 2 >= m->size) {
		size_t size = m->size ? m->size * 2 : 256;
		struct map bigger = { calloc(size, sizeof(*bigger.slots)), size, 0 };

		if (!bigger.slots) {
			st->oom = true;
			return false;
		}
		for (i = 0; i < size; i++)
			bigger.slots[i].value = -1;
		for (i = 0; i < m->size; i++)
			if (m->slots[i].value >= 0)
				map_put(st, &bigger, m->slots[i].key, m->slots[i].value);
		free(m->slots);
		*m = bigger;
	}
	for (i = mix(key) & (m->size - 1); m->slots[i].value >= 0; i = (i + 1) & (m->size - 1))
		if (m->slots[i].key == key) {
			m->slots[i].value = value;
			return true;
		}
	m->slots[i].key = key;
	m->slots[i].value = value;
	m->used++;
	return true;
}

static const char *intern_str(struct state *st, struct xlv_str text)
{
	struct window *w = (struct window *)st->win;
	const char *s;

	if (!text.len)
		return "";
	s = xlv_intern(w->strings, text);
	if (s)
		return s;
	st->oom = true;
	return "";
}

static const char *intern(struct state *st, const char *s)
{
	return intern_str(st, (struct xlv_str){ s, (uint32_t)strlen(s) });
}

/* ---- tasks ---- */

static int32_t sync_slice(const struct state *st, int32_t pid, int32_t *nr)
{
	int32_t lo = 0, hi = st->nr_sync_of, first;

	while (lo < hi) {
		int32_t mid = lo + (hi - lo) / 2;

		if (st->run->syncs[st->sync_of[mid]].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (first = lo; lo < st->nr_sync_of && st->run->syncs[st->sync_of[lo]].pid == pid; lo++)
		;
	*nr = lo - first;
	return first;
}

static struct task *task_get(struct state *st, int32_t pid)
{
	int32_t i = map_get(&st->task_map, (uint32_t)pid);
	const char *comm;
	struct task *t;

	if (i >= 0)
		return &st->tasks[i];
	if (st->nr_tasks >= MAX_TASKS ||
	    !grow(st, &st->tasks, &st->tasks_size, st->nr_tasks, sizeof(*st->tasks)) ||
	    !map_put(st, &st->task_map, (uint32_t)pid, st->nr_tasks))
		return NULL;
	t = &st->tasks[st->nr_tasks++];
	memset(t, 0, sizeof(*t));
	t->pid = pid;
	comm = pid > 0 ? xlv_trace_comm(st->trace, pid) : NULL;
	t->comm = comm ? intern(st, comm) : "";
	t->on_cpu = t->last_cpu = -1;
	t->handover = t->arrow = t->last_arrow = -1;
	t->lane = -1;
	t->sync_first = sync_slice(st, pid, &t->nr_syncs);
	return t;
}

static int64_t sync_end_ns(const struct xlv_sync *s)
{
	return s->span_ns == XLV_NONE ? INT64_MAX : s->start_ns + s->span_ns;
}

/* The sync that a task is in. Asked with times that only grow. */
static const struct xlv_sync *task_sync(const struct state *st, struct task *t, int64_t ts_ns)
{
	while (t->sync_cursor < t->nr_syncs) {
		const struct xlv_sync *s =
			&st->run->syncs[st->sync_of[t->sync_first + t->sync_cursor]];

		if (s->start_ns > ts_ns)
			return NULL;
		if (sync_end_ns(s) > ts_ns)
			return s;
		t->sync_cursor++;
	}
	return NULL;
}

static enum xlv_work task_work(const struct state *st, struct task *t, int64_t ts_ns)
{
	if (!t->pid)
		return XLV_WORK_IDLE;
	if (t->func == XLV_FN_CIL_PUSH)
		return XLV_WORK_CIL_WORKER;
	if (t->func == XLV_FN_IOEND)
		return XLV_WORK_LOG_WORKER;
	if (task_sync(st, t, ts_ns))
		return XLV_WORK_FSYNC;
	return t->nr_syncs && !t->func_name ? XLV_WORK_SYNCER : XLV_WORK_OTHER;
}

/* ---- lanes of CPUs ---- */

static void cpu_add(struct state *st, struct cpu *c, const struct xlv_piece *piece)
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
			sum = arena_alloc(st, XLV_WORK_COUNT * sizeof(*sum));
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
	if (!grow(st, &c->lane.pieces, &c->size, c->lane.nr_pieces, sizeof(p)))
		return;
	c->lane.pieces[c->lane.nr_pieces++] = p;
	c->longest_ns = ns;
	c->dense = ns < win->res_ns;
}

/* What a CPU does at a moment, as a piece that starts there. */
static struct xlv_piece cpu_now(struct state *st, struct cpu *c, int64_t ts_ns)
{
	struct xlv_piece p = { .start_ns = ts_ns, .pid = c->pid, .comm = "" };
	const struct xlv_sync *s;
	struct task *t;

	if (c->pid < 0)
		return p;
	t = task_get(st, c->pid);
	if (!t)
		return p;
	p.comm = t->comm;
	s = task_sync(st, t, ts_ns);
	p.sync = s ? s->id : 0;
	if (c->depth) {
		struct irq *q = &c->irq[c->depth - 1];

		p.context = q->context;
		p.work = q->io_done ? XLV_WORK_IO_DONE : XLV_WORK_IRQ;
		p.func = q->name;
		return p;
	}
	p.context = XLV_FROM_TASK;
	p.work = task_work(st, t, ts_ns);
	p.func = t->func_name;
	return p;
}

static void cpu_update(struct state *st, struct cpu *c, int64_t ts_ns, bool preempted)
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
		cpu_add(st, c, open);
	}
	*open = now;
	c->open.started = true;
}

static struct cpu *cpu_get(struct state *st, int32_t nr)
{
	struct cpu *c;

	if (nr < 0 || nr >= MAX_CPUS)
		return NULL;
	if (nr >= st->nr_cpus) {
		struct cpu **more = realloc(st->cpus, (nr + 1) * sizeof(*more));

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

static void lane_add(struct state *st, int32_t lane, const struct xlv_task_piece *piece)
{
	struct xlv_task_lane *tl = &st->win->tasks[lane];
	struct task_state *ts = &st->lanes[lane];
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
			sum = arena_alloc(st, XLV_TASK_AT_COUNT * sizeof(*sum));
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
	if (!grow(st, &tl->pieces, &ts->size, tl->nr_pieces, sizeof(p)))
		return;
	tl->pieces[tl->nr_pieces++] = p;
	ts->longest_ns = ns;
	ts->dense = ns < win->res_ns;
}

/* Names the wait queue of a sleep that the model saw: @exact begins then, or began before. */
static void name_sleep(struct state *st, struct task_state *ls, const struct xlv_sync *s,
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
static void lane_set(struct state *st, struct task *t, int64_t ts_ns, struct xlv_task_piece next)
{
	const struct xlv_sync *s;
	struct task_state *ls;

	if (t->lane < 0)
		return;
	ls = &st->lanes[t->lane];
	s = task_sync(st, t, ts_ns);
	next.start_ns = ts_ns;
	next.sync = s ? s->id : 0;
	if (next.where == XLV_TASK_AT_ASLEEP)
		name_sleep(st, ls, s, ts_ns, true, &next);
	if (ls->open.where == next.where && ls->open.sync == next.sync &&
	    ls->open.cpu == next.cpu && ls->open.queue == next.queue)
		return;
	ls->open.end_ns = ts_ns;
	lane_add(st, t->lane, &ls->open);
	ls->open = next;
	ls->started = true;
}

static void lane_running(struct state *st, struct task *t, int32_t cpu, int64_t ts_ns)
{
	lane_set(st, t, ts_ns,
		 (struct xlv_task_piece){ .where = XLV_TASK_AT_RUNNING, .cpu = cpu });
}

/* A woken task becomes runnable; if nothing is known of it yet, it slept until now. */
static void lane_woken(struct state *st, struct task *t, int64_t ts_ns)
{
	struct task_state *ls;

	if (t->lane < 0)
		return;
	ls = &st->lanes[t->lane];
	if (!ls->started) {
		ls->open.where = XLV_TASK_AT_ASLEEP;
		ls->open.state = XLV_TASK_UNKNOWN;
		name_sleep(st, ls, task_sync(st, t, ts_ns), ts_ns, false, &ls->open);
	} else if (ls->open.where != XLV_TASK_AT_ASLEEP) {
		return;
	}
	lane_set(st, t, ts_ns,
		 (struct xlv_task_piece){ .where = XLV_TASK_AT_RUNNABLE, .cpu = -1 });
}

static int add_lane(struct state *st, size_t *size, int32_t pid)
{
	struct xlv_window *win = st->win;
	struct task *t = task_get(st, pid);

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
	st->lanes[t->lane] = (struct task_state){
		.open = { .start_ns = win->from_ns, .where = XLV_TASK_AT_UNKNOWN, .cpu = -1 },
	};
	return 0;
}

/* ---- events ---- */

static uint8_t context_of(const struct xlv_event *ev)
{
	if (ev->ctx & XLV_CTX_UNKNOWN)
		return XLV_FROM_UNKNOWN;
	if (ev->ctx & (XLV_CTX_HARDIRQ | XLV_CTX_NMI))
		return XLV_FROM_HARDIRQ;
	return ev->ctx & XLV_CTX_SOFTIRQ ? XLV_FROM_SOFTIRQ : XLV_FROM_TASK;
}

static uint8_t work_in_context(struct state *st, struct cpu *c, const struct xlv_event *ev)
{
	struct task *t;

	if (c->depth)
		return c->irq[c->depth - 1].io_done ? XLV_WORK_IO_DONE : XLV_WORK_IRQ;
	if (ev->ctx & XLV_CTX_IRQ)
		return XLV_WORK_IRQ;
	t = task_get(st, ev->pid);
	return t ? task_work(st, t, ev->ts_ns) : XLV_WORK_UNKNOWN;
}

static void on_switch(struct state *st, struct cpu *c, const struct xlv_event *ev)
{
	bool runnable = ev->sw.prev_state == XLV_TASK_RUNNABLE;
	struct task *prev, *next;

	c->depth = 0;
	prev = task_get(st, ev->sw.prev_pid);
	if (prev) {
		prev->comm = intern_str(st, ev->sw.prev_comm);
		prev->on_cpu = -1;
		prev->last_cpu = c->cpu;
		if (ev->sw.prev_pid)
			lane_set(st, prev, ev->ts_ns, (struct xlv_task_piece){
				.where = runnable ? XLV_TASK_AT_RUNNABLE : XLV_TASK_AT_ASLEEP,
				.state = runnable ? 0 : ev->sw.prev_state, .cpu = -1 });
	}
	next = task_get(st, ev->sw.next_pid);
	if (!next)
		return;
	next->comm = intern_str(st, ev->sw.next_comm);
	next->on_cpu = c->cpu;
	next->last_arrow = -1;
	if (next->arrow >= 0) {
		struct xlv_arrow *a = &st->win->wakes[next->arrow];

		a->running_ns = ev->ts_ns;
		a->to_cpu = c->cpu;
		a->comm = next->comm;
		a->work = task_work(st, next, ev->ts_ns);
		next->last_arrow = next->arrow;
		next->arrow = -1;
	}
	if (next->pid)
		lane_running(st, next, c->cpu, ev->ts_ns);
	c->pid = ev->sw.next_pid;
	cpu_update(st, c, ev->ts_ns, runnable && ev->sw.prev_pid);
}

static void on_wake(struct state *st, struct cpu *c, const struct xlv_event *ev)
{
	bool first = ev->type == XLV_EV_SCHED_WAKING || !st->has_waking;
	struct xlv_window *win = st->win;
	struct task *t = task_get(st, ev->wake.pid), *waker;
	struct xlv_arrow *a;

	if (!t || !ev->wake.pid)
		return;
	if (!first && t->arrow >= 0 && win->wakes[t->arrow].wakeup_ns == XLV_NONE)
		win->wakes[t->arrow].wakeup_ns = ev->ts_ns;
	if (t->on_cpu >= 0)	/* on its way to sleep: it stays on its CPU */
		return;
	lane_woken(st, t, ev->ts_ns);
	if (!first || t->arrow >= 0 || !(st->want & XLV_WIN_WAKES))
		return;
	if (win->nr_wakes >= st->max) {
		win->dropped += ev->ts_ns >= win->from_ns && ev->ts_ns < win->to_ns;
		return;
	}
	if (!grow(st, &win->wakes, &st->wakes_size, win->nr_wakes, sizeof(*a)))
		return;
	waker = task_get(st, ev->pid);
	t = task_get(st, ev->wake.pid);	/* the table may have moved */
	a = &win->wakes[win->nr_wakes];
	*a = (struct xlv_arrow){
		.waking_ns = ev->ts_ns, .running_ns = XLV_NONE,
		.wakeup_ns = ev->type == XLV_EV_SCHED_WAKING ? XLV_NONE : ev->ts_ns,
		.waker_pid = ev->pid, .waker_cpu = ev->cpu,
		.pid = ev->wake.pid, .prev_cpu = t->last_cpu, .to_cpu = -1,
		.context = context_of(ev), .waker_work = work_in_context(st, c, ev),
		.waker_comm = waker ? waker->comm : "",
		.comm = intern_str(st, ev->wake.comm),
	};
	t->arrow = win->nr_wakes++;
}

static void on_irq(struct state *st, struct cpu *c, const struct xlv_event *ev)
{
	uint8_t context = ev->type == XLV_EV_SOFTIRQ_ENTRY || ev->type == XLV_EV_SOFTIRQ_EXIT ?
			  XLV_FROM_SOFTIRQ : XLV_FROM_HARDIRQ;

	if (ev->type == XLV_EV_IRQ_ENTRY || ev->type == XLV_EV_SOFTIRQ_ENTRY ||
	    ev->type == XLV_EV_VECTOR_ENTRY) {
		if (c->depth < IRQ_DEPTH)
			c->irq[c->depth++] = (struct irq){
				.context = context, .name = intern_str(st, ev->irq.name) };
	} else {
		int32_t i = c->depth;

		while (i > 0 && c->irq[i - 1].context != context)
			i--;
		if (i > 0)
			c->depth = i - 1;
	}
	cpu_update(st, c, ev->ts_ns, false);
}

static void on_work(struct state *st, struct cpu *c, const struct xlv_event *ev)
{
	struct xlv_window *win = st->win;
	struct task *t = task_get(st, ev->pid);
	int32_t i = map_get(&st->work_map, ev->wq.work);
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
		cpu_update(st, c, ev->ts_ns, false);
		return;
	}
	fits = (st->want & XLV_WIN_WORKS) && win->nr_works < st->max &&
	       grow(st, &win->works, &st->works_size, win->nr_works, sizeof(*h));
	if (ev->type == XLV_EV_WQ_QUEUE) {
		if (!fits) {
			win->dropped += (st->want & XLV_WIN_WORKS) && ev->ts_ns >= win->from_ns &&
					ev->ts_ns < win->to_ns;
			return;
		}
		if (!map_put(st, &st->work_map, ev->wq.work, win->nr_works))
			return;
		win->works[win->nr_works++] = (struct xlv_handover){
			.work = ev->wq.work, .func = ev->wq.func,
			.func_name = intern_str(st, ev->wq.func_name),
			.queue_ns = ev->ts_ns, .start_ns = XLV_NONE, .end_ns = XLV_NONE,
			.queue_pid = ev->pid, .queue_cpu = ev->cpu, .context = context_of(ev),
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
			h->func_name = intern_str(st, ev->wq.func_name);
	}
	t->handover = i;
	t->func = ev->wq.func;
	t->func_name = ev->wq.func_name.len ? intern_str(st, ev->wq.func_name) : "work item";
	if (t->last_arrow >= 0)
		win->wakes[t->last_arrow].work = task_work(st, t, ev->ts_ns);
	t->last_arrow = -1;
	cpu_update(st, c, ev->ts_ns, false);
}

/* kprobes tell the roles where workqueue events weren't recorded. */
static void on_probe(struct state *st, struct cpu *c, const struct xlv_event *ev)
{
	struct task *t = task_get(st, ev->pid);

	if (!t || st->run->info->count[XLV_EV_WQ_START])
		return;
	t->func = ev->type == XLV_EV_PROBE_PUSH_ENTER ? XLV_FN_CIL_PUSH :
		  ev->type == XLV_EV_PROBE_IOEND_ENTER ? XLV_FN_IOEND : XLV_FN_UNKNOWN;
	t->func_name = ev->type == XLV_EV_PROBE_PUSH_ENTER ? "xlog_cil_push_work" :
		       ev->type == XLV_EV_PROBE_IOEND_ENTER ? "xlog_ioend_work" : NULL;
	cpu_update(st, c, ev->ts_ns, false);
}

/* ---- block I/O ---- */

static struct xlv_bio *bio_new(struct state *st, const struct xlv_event *ev)
{
	struct xlv_window *win = st->win;
	struct xlv_bio *b;

	if (win->nr_bios >= st->max) {
		win->dropped += ev->ts_ns >= win->from_ns && ev->ts_ns < win->to_ns;
		return NULL;
	}
	if (!grow(st, &win->bios, &st->bios_size, win->nr_bios, sizeof(*b)))
		return NULL;
	if (st->nr_open_bios == MAX_OPEN_BIOS) {	/* the oldest will never complete */
		memmove(st->open_bios, st->open_bios + MAX_OPEN_BIOS / 2,
			MAX_OPEN_BIOS / 2 * sizeof(*st->open_bios));
		st->nr_open_bios = MAX_OPEN_BIOS / 2;
	}
	b = &win->bios[win->nr_bios];
	*b = (struct xlv_bio){
		.dev = ev->block.dev, .sector = ev->block.sector,
		.nr_sector = ev->block.nr_sector, .rw = ev->block.rw,
		.queue_ns = XLV_NONE, .issue_ns = XLV_NONE, .done_ns = XLV_NONE,
		.queue_cpu = -1, .queue_pid = -1, .done_cpu = -1, .iclog = -1,
	};
	st->open_bios[st->nr_open_bios++] = win->nr_bios++;
	return b;
}

static void bio_close(struct state *st, int32_t open)
{
	memmove(st->open_bios + open, st->open_bios + open + 1,
		(st->nr_open_bios - open - 1) * sizeof(*st->open_bios));
	st->nr_open_bios--;
}

static bool same_disk(uint32_t a, uint32_t b)
{
	return a == b || a >> 20 == b >> 20;	/* a bio may name the partition */
}

/* Whether a request is about this bio. An empty flush has no sectors. */
static bool in_request(const struct xlv_bio *b, const struct xlv_event *ev)
{
	bool flush = !ev->block.nr_sector && ev->block.rw & (XLV_RW_FLUSH | XLV_RW_PREFLUSH);

	if (!same_disk(b->dev, ev->block.dev))
		return false;
	if (!b->nr_sector)
		return flush;
	if (flush || (b->rw ^ ev->block.rw) & XLV_RW_READ)
		return false;
	return b->sector >= ev->block.sector && b->sector - ev->block.sector < ev->block.nr_sector;
}

static void bio_done(struct xlv_bio *b, const struct xlv_event *ev)
{
	b->done_ns = ev->ts_ns;
	b->done_cpu = ev->cpu;
	b->done_context = context_of(ev);
	b->error = ev->block.error;
}

static void on_block(struct state *st, struct cpu *c, const struct xlv_event *ev)
{
	struct xlv_window *win = st->win;
	struct xlv_bio *b;
	bool found = false;

	if (ev->type == XLV_EV_RQ_COMPLETE || ev->type == XLV_EV_BIO_COMPLETE)
		if (c->depth && !c->irq[c->depth - 1].io_done) {
			c->irq[c->depth - 1].io_done = true;
			if (c->open.started && c->open.p.work == XLV_WORK_IRQ)
				c->open.p.work = XLV_WORK_IO_DONE;
		}
	if (!(st->want & XLV_WIN_BIOS))
		return;
	if (ev->type == XLV_EV_BIO_QUEUE) {
		b = bio_new(st, ev);
		if (b) {
			b->queue_ns = ev->ts_ns;
			b->queue_cpu = ev->cpu;
			b->queue_pid = ev->pid;
		}
		return;
	}
	for (int32_t i = st->nr_open_bios - 1; i >= 0; i--) {
		b = &win->bios[st->open_bios[i]];
		switch (ev->type) {
		case XLV_EV_RQ_ISSUE:
			if (in_request(b, ev) && b->done_ns == XLV_NONE) {
				if (b->issue_ns == XLV_NONE)
					b->issue_ns = ev->ts_ns;
				found = true;
			}
			break;
		case XLV_EV_RQ_COMPLETE:
			if (in_request(b, ev) && b->issue_ns != XLV_NONE) {
				bio_done(b, ev);
				if (!st->has_bio_complete || b->queue_ns == XLV_NONE)
					bio_close(st, i);
			}
			break;
		case XLV_EV_BIO_COMPLETE:
			if (!found && b->queue_ns != XLV_NONE && b->sector == ev->block.sector &&
			    same_disk(b->dev, ev->block.dev) &&
			    (b->nr_sector == ev->block.nr_sector || b->done_ns != XLV_NONE)) {
				bio_done(b, ev);
				bio_close(st, i);
				found = true;
			}
			break;
		}
	}
	/* The flush before a write with PREFLUSH is a request without a bio. */
	if (ev->type == XLV_EV_RQ_ISSUE && !found && !ev->block.nr_sector &&
	    ev->block.rw & (XLV_RW_FLUSH | XLV_RW_PREFLUSH)) {
		b = bio_new(st, ev);
		if (b) {
			b->issue_ns = ev->ts_ns;
			b->rw |= XLV_RW_FLUSH;
		}
	}
}

static void on_lost(struct state *st, struct cpu *c, const struct xlv_event *ev)
{
	struct xlv_window *win = st->win;
	int64_t start = c->last_ns == XLV_NONE ? win->from_ns : c->last_ns;
	struct task *t;

	/* Nothing is known from there on: not who ran here, nor whom that woke. */
	t = c->pid >= 0 ? task_get(st, c->pid) : NULL;
	if (t)
		t->on_cpu = -1;
	c->depth = 0;
	c->pid = -1;
	cpu_update(st, c, start, false);
	for (int32_t i = 0; i < win->nr_tasks; i++) {
		struct task_state *ls = &st->lanes[i];

		if (!ls->started || ls->open.start_ns >= start)
			continue;
		ls->open.end_ns = start;
		lane_add(st, i, &ls->open);
		ls->open = (struct xlv_task_piece){
			.start_ns = start, .where = XLV_TASK_AT_UNKNOWN, .cpu = -1 };
	}
	if (ev->ts_ns < win->from_ns || start >= win->to_ns || win->nr_gaps >= st->max ||
	    !grow(st, &win->gaps, &st->gaps_size, win->nr_gaps, sizeof(*win->gaps)))
		return;
	win->gaps[win->nr_gaps++] = (struct xlv_gap){
		.cpu = c->cpu, .start_ns = start, .end_ns = ev->ts_ns, .count = ev->lost.count,
	};
}

static void on_event(struct state *st, const struct xlv_event *ev)
{
	struct cpu *c = cpu_get(st, ev->cpu);
	struct task *t;

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
		t = task_get(st, ev->pid);
		if (t && ev->pid) {
			t->on_cpu = c->cpu;
			t->last_cpu = c->cpu;
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
		on_block(st, c, ev);
		break;
	case XLV_EV_PROBE_PUSH_ENTER:
	case XLV_EV_PROBE_PUSH_EXIT:
	case XLV_EV_PROBE_IOEND_ENTER:
		on_probe(st, c, ev);
		break;
	case XLV_EV_SCHED_EXEC:
	case XLV_EV_TASK_RENAME:
		t = task_get(st, ev->task.pid);
		if (t && ev->task.comm.len)
			t->comm = intern_str(st, ev->task.comm);
		break;
	}
	cpu_update(st, c, ev->ts_ns, false);
	/* A sync begins and ends with an event of its task. */
	if (!(ev->ctx & XLV_CTX_IRQ)) {
		t = task_get(st, ev->pid);
		if (t && ev->pid && t->lane >= 0)
			lane_running(st, t, c->cpu, ev->ts_ns);
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
static int collect(struct state *st)
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
		if (touches(win, run->syncs[n].start_ns, sync_end_ns(&run->syncs[n])))
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
static int index_syncs(struct state *st, int64_t from_ns, int64_t to_ns)
{
	const struct xlv_run *run = st->run;

	st->sync_of = malloc((run->nr_syncs + 1) * sizeof(*st->sync_of));
	if (!st->sync_of)
		return -1;
	for (size_t i = 0; i < run->nr_syncs; i++)
		if (run->syncs[i].start_ns < to_ns && sync_end_ns(&run->syncs[i]) >= from_ns)
			st->sync_of[st->nr_sync_of++] = i;
	qsort_r(st->sync_of, st->nr_sync_of, sizeof(*st->sync_of), cmp_sync, (void *)run);
	return 0;
}

/* Workers that were at work already when reading begins. */
static void seed_workers(struct state *st, int64_t at_ns)
{
	const struct xlv_run *run = st->run;
	struct task *t;

	for (size_t i = 0; i < run->nr_pushes; i++) {
		const struct xlv_push *p = &run->pushes[i];

		if (p->worker_pid > 0 && p->start_ns != XLV_NONE && p->start_ns < at_ns &&
		    (p->end_ns == XLV_NONE || p->end_ns > at_ns) &&
		    (t = task_get(st, p->worker_pid))) {
			t->func = XLV_FN_CIL_PUSH;
			t->func_name = "xlog_cil_push_work";
		}
	}
	for (size_t i = 0; i < run->nr_iclogs; i++) {
		const struct xlv_iclog *ic = &run->iclogs[i];

		if (ic->worker_pid > 0 && ic->ioend_start_ns != XLV_NONE &&
		    ic->ioend_start_ns < at_ns &&
		    (ic->ioend_end_ns == XLV_NONE || ic->ioend_end_ns > at_ns) &&
		    (t = task_get(st, ic->worker_pid))) {
			t->func = XLV_FN_IOEND;
			t->func_name = "xlog_ioend_work";
		}
	}
}

/* Drops what ended before the window or began after it, keeping order. */
static void trim(struct state *st)
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

/* A bio is an iclog's when it is the one that the model saw queued for it. */
static void match_iclogs(struct state *st)
{
	struct xlv_window *win = st->win;

	for (int32_t i = 0; i < win->nr_iclogs; i++) {
		const struct xlv_iclog *ic = &st->run->iclogs[win->iclogs[i]];
		int32_t lo = 0, hi = win->nr_bios;

		if (ic->bio_ns == XLV_NONE)
			continue;
		while (lo < hi) {	/* flushes without a queue time were put in order */
			int32_t mid = lo + (hi - lo) / 2;
			const struct xlv_bio *b = &win->bios[mid];

			if ((b->queue_ns == XLV_NONE ? b->issue_ns : b->queue_ns) < ic->bio_ns)
				lo = mid + 1;
			else
				hi = mid;
		}
		for (; lo < win->nr_bios; lo++) {
			struct xlv_bio *b = &win->bios[lo];

			if (b->queue_ns != XLV_NONE && b->queue_ns > ic->bio_ns)
				break;
			if (b->queue_ns == ic->bio_ns && b->sector == ic->sector)
				b->iclog = win->iclogs[i];
		}
	}
}

static void finish(struct state *st)
{
	struct xlv_window *win = st->win;

	for (int32_t i = 0; i < st->nr_cpus; i++) {
		struct cpu *c = st->cpus[i];

		if (!c || st->oom)
			continue;
		c->open.p.end_ns = win->to_ns;
		cpu_add(st, c, &c->open.p);
	}
	for (int32_t i = 0; i < st->nr_tasks; i++) {
		struct task *t = &st->tasks[i];

		if (t->lane < 0 || st->oom)
			continue;
		st->lanes[t->lane].open.end_ns = win->to_ns;
		lane_add(st, t->lane, &st->lanes[t->lane].open);
		win->tasks[t->lane].comm = t->comm;
	}
	trim(st);
	match_iclogs(st);
}

static int take_cpus(struct state *st)
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

static int read_events(struct state *st, int64_t lead_ns, struct xlv_error *err)
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

static int make_lanes(struct state *st, const struct xlv_window_opts *opts)
{
	struct xlv_window *win = st->win;
	size_t size = 0;

	if (!(st->want & XLV_WIN_TASKS))
		return 0;
	for (int32_t i = 0; i < win->nr_syncs; i++)
		if (add_lane(st, &size, st->run->syncs[win->syncs[i]].pid))
			return -1;
	for (int32_t i = 0; i < opts->nr_pids; i++)
		if (add_lane(st, &size, opts->pids[i]))
			return -1;
	return 0;
}

struct xlv_window *xlv_window_read(struct xlv_trace *t, const struct xlv_run *run,
				   const struct xlv_window_opts *opts, struct xlv_error *err)
{
	struct window *w = calloc(1, sizeof(*w));
	struct state *st = calloc(1, sizeof(*st));
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
	struct window *w = (struct window *)win;

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
	while (w->blocks) {
		struct block *b = w->blocks;

		w->blocks = b->next;
		free(b);
	}
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
