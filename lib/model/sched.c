// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/sched.h"
#include "model/wake_cause.h"

/* A CPU number that no machine has means damage that the reader let through. */
#define MOST_CPUS	65536
/* Shorter gaps are never longer than two ticks of any kernel. */
#define HOLE_MIN_NS	2000000
/* A sched_waking this long before the sleep can't have been meant to end it. */
#define EARLY_WAKE_NS	1000000

int xlv_sched_init(struct xlv_sched *s, struct xlv_strpool *pool,
		   const struct xlv_sched_hooks *hooks, const struct xlv_trace_info *info)
{
	memset(s, 0, sizeof(*s));
	s->pool = pool;
	s->hooks = *hooks;
	s->have_switch = info->has_format[XLV_EV_SCHED_SWITCH];
	s->nr_slots = 4096;
	s->slot = calloc(s->nr_slots, sizeof(*s->slot));
	return s->slot ? 0 : -1;
}

void xlv_sched_free(struct xlv_sched *s)
{
	for (size_t i = 0; i < s->nr_slots; i++)
		for (struct xlv_task *t = s->slot[i], *next; t; t = next) {
			next = t->next;
			free(t->own_log);
			free(t);
		}
	free(s->slot);
	for (int i = 0; i < s->nr_cpus; i++) {
		free(s->cpu[i].stays);
		free(s->cpu[i].irqs);
	}
	free(s->cpu);
}

static void grow(struct xlv_sched *s)
{
	size_t nr = s->nr_slots * 4;
	struct xlv_task **slot = calloc(nr, sizeof(*slot));

	if (!slot)
		return;
	for (size_t i = 0; i < s->nr_slots; i++)
		for (struct xlv_task *t = s->slot[i], *next; t; t = next) {
			struct xlv_task **to = &slot[(uint32_t)t->pid & (nr - 1)];

			next = t->next;
			t->next = *to;
			*to = t;
		}
	free(s->slot);
	s->slot = slot;
	s->nr_slots = nr;
}

static void wake_clear(struct xlv_wake *w)
{
	memset(w, 0, sizeof(*w));
	w->waking_ns = w->wakeup_ns = w->running_ns = XLV_NONE;
	w->waker_cpu = w->prev_cpu = w->to_cpu = -1;
	w->cstate = -1;
	w->cause = XLV_PART_UNKNOWN;
}

struct xlv_task *xlv_sched_new_task(struct xlv_sched *s, int32_t pid)
{
	struct xlv_task **at = &s->slot[(uint32_t)pid & (s->nr_slots - 1)];
	struct xlv_task *t;

	t = calloc(1, sizeof(*t));
	if (!t) {
		s->failed = true;
		return NULL;
	}
	t->pid = pid;
	t->cpu = t->live_push = t->live_iclog = t->writing = -1;
	t->comm = pid ? "<...>" : "idle";
	t->since_ns = t->throttled_ns = XLV_NONE;
	wake_clear(&t->wake);
	t->next = *at;
	*at = t;
	if (++s->nr_tasks > s->nr_slots * 2)
		grow(s);
	return t;
}

static void set_comm(struct xlv_sched *s, struct xlv_task *t, struct xlv_str comm)
{
	if (!t->pid || !comm.len)
		return;
	if (comm.len == t->comm_len && !memcmp(t->comm, comm.s, comm.len))
		return;
	t->comm_len = comm.len;
	t->comm = xlv_intern(s->pool, comm);
	if (!t->comm) {
		t->comm = "<...>";
		t->comm_len = 0;
		s->failed = true;
	}
	t->is_ksoftirqd = !strncmp(t->comm, "ksoftirqd/", 10);
}

static struct xlv_cpu *make_cpu(struct xlv_sched *s, int32_t cpu)
{
	struct xlv_cpu *more, *c;

	if (cpu < 0 || cpu >= MOST_CPUS)
		return NULL;
	if (cpu >= s->nr_cpus) {
		more = realloc(s->cpu, (cpu + 1) * sizeof(*more));
		if (!more) {
			s->failed = true;
			return NULL;
		}
		s->cpu = more;
		for (; s->nr_cpus <= cpu; s->nr_cpus++) {
			c = &s->cpu[s->nr_cpus];
			memset(c, 0, sizeof(*c));
			c->last_ns = c->before_ns = c->block_done_ns = XLV_NONE;
			c->block_done_iclog = -1;
			c->cstate = -1;
		}
	}
	c = &s->cpu[cpu];
	if (!c->stays) {
		c->stays = malloc(XLV_STAYS * sizeof(*c->stays));
		c->irqs = malloc(XLV_IRQ_STAYS * sizeof(*c->irqs));
		if (!c->stays || !c->irqs) {
			s->failed = true;
			return NULL;
		}
	}
	return c;
}

static inline struct xlv_cpu *get_cpu(struct xlv_sched *s, int32_t cpu)
{
	return cpu >= 0 && cpu < s->nr_cpus && s->cpu[cpu].irqs ? &s->cpu[cpu] : make_cpu(s, cpu);
}

static void stay_begin(struct xlv_cpu *c, const struct xlv_task *t, int64_t ns,
		       int64_t earliest_ns)
{
	c->stays[c->nr_stays++ % XLV_STAYS] = (struct xlv_stay){
		.start_ns = ns, .earliest_ns = earliest_ns, .pid = t->pid, .comm = t->comm,
	};
}

static void irq_end(struct xlv_cpu *c, int64_t ns)
{
	c->irq_depth = 0;
	c->irqs[c->nr_irqs++ % XLV_IRQ_STAYS] =
		(struct xlv_irq_stay){ .start_ns = c->irq_start_ns, .end_ns = ns };
}

static inline bool is_irq(unsigned int type)
{
	return type >= XLV_EV_IRQ_ENTRY && type <= XLV_EV_HRTIMER_EXIT &&
	       type != XLV_EV_SOFTIRQ_RAISE;
}

/* Interrupt time of the CPU, from entry and exit events, nested or not. */
static void irq_event(struct xlv_cpu *c, const struct xlv_event *ev)
{
	switch (ev->type) {
	case XLV_EV_SOFTIRQ_ENTRY:
	case XLV_EV_SOFTIRQ_EXIT:
		/* ksoftirqd is a task: others wait for it as for a task */
		if (c->cur && c->cur->is_ksoftirqd)
			return;
	}
	switch (ev->type) {
	case XLV_EV_SOFTIRQ_ENTRY:
	case XLV_EV_IRQ_ENTRY:
	case XLV_EV_VECTOR_ENTRY:
	case XLV_EV_HRTIMER_ENTRY:
		if (!c->irq_depth++)
			c->irq_start_ns = ev->ts_ns;
		break;
	default:
		if (c->irq_depth && !--c->irq_depth)
			irq_end(c, ev->ts_ns);
	}
}

static void task_out(struct xlv_sched *s, struct xlv_task *t, int64_t ns, bool preempted,
		     const struct xlv_task *next)
{
	if (!t->pid)
		return;
	t->is = preempted ? XLV_IS_RUNNABLE : XLV_IS_ASLEEP;
	t->since_ns = ns;
	/*
	 * A waker can be quick enough to announce itself before the sleep shows.
	 * A wake-up that old, or of a task that never slept, was for nothing.
	 */
	if (preempted || (t->wake_pending && ns - t->wake.waking_ns > EARLY_WAKE_NS))
		t->wake_pending = false;
	if (!t->wake_pending)
		wake_clear(&t->wake);
	s->hooks.out(s->hooks.arg, t, ns, preempted, next);
}

static void task_in(struct xlv_sched *s, struct xlv_task *t, int32_t cpu, int64_t ns, bool implied)
{
	if (!t->pid) {
		t->cpu = cpu;
		return;
	}
	if (t->wake_pending) {
		t->wake.running_ns = ns;
		t->wake.to_cpu = cpu;
		t->wake.prev_cpu = t->cpu;
		t->wake.remote = t->wake.waker_cpu != cpu;
		t->wake.migrated = t->cpu >= 0 && t->cpu != cpu;
		t->wake.waker_on_prev = t->cpu >= 0 && t->wake.waker_cpu == t->cpu &&
					t->wake.waker_context == XLV_FROM_TASK;
		t->wake.comm = t->comm;
		t->wake_pending = false;
	}
	t->cpu = cpu;
	s->hooks.in(s->hooks.arg, t, ns, implied);
	t->is = XLV_IS_RUNNING;
	t->since_ns = ns;
}

/* @t is on @c now, and @ev isn't the sched_switch that put it there. */
static void imply_running(struct xlv_sched *s, struct xlv_cpu *c, struct xlv_task *t,
			  const struct xlv_event *ev)
{
	struct xlv_task *old = c->cur;

	if (old && old != t && old->is == XLV_IS_RUNNING && old->cpu == ev->cpu && old->pid) {
		/* its sched_switch is missing: all we know is that it doesn't run */
		old->is = XLV_IS_UNKNOWN;
		old->since_ns = ev->ts_ns;
		s->hooks.out(s->hooks.arg, old, ev->ts_ns, true, t);
	}
	if (old && !old->pid && t->pid && s->have_switch)
		c->unseen_switches++;
	c->cur = t;
	stay_begin(c, t, ev->ts_ns, c->before_ns);
	task_in(s, t, ev->cpu, ev->ts_ns, true);
}

static void sched_switch(struct xlv_sched *s, struct xlv_cpu *c, const struct xlv_event *ev)
{
	struct xlv_task *prev = xlv_sched_task(s, ev->sw.prev_pid);
	struct xlv_task *next = xlv_sched_task(s, ev->sw.next_pid);

	if (!prev || !next)
		return;
	set_comm(s, prev, ev->sw.prev_comm);
	set_comm(s, next, ev->sw.next_comm);
	if (c->cur != prev || (prev->pid && prev->is != XLV_IS_RUNNING))
		imply_running(s, c, prev, ev);
	task_out(s, prev, ev->ts_ns, ev->sw.prev_state == XLV_TASK_RUNNABLE, next);
	c->cur = next;
	stay_begin(c, next, ev->ts_ns, ev->ts_ns);
	task_in(s, next, ev->cpu, ev->ts_ns, false);
	c->block_done_ns = XLV_NONE;
	c->block_done_iclog = -1;
}

static uint8_t context_of(const struct xlv_sched *s, const struct xlv_event *ev)
{
	if (ev->ctx & (XLV_CTX_HARDIRQ | XLV_CTX_NMI))
		return XLV_FROM_HARDIRQ;
	if (ev->ctx & XLV_CTX_SOFTIRQ)
		return XLV_FROM_SOFTIRQ;
	if (ev->ctx & XLV_CTX_UNKNOWN)
		return xlv_sched_in_irq(s, ev) ? XLV_FROM_HARDIRQ : XLV_FROM_UNKNOWN;
	return XLV_FROM_TASK;
}

static void fill_waking(struct xlv_sched *s, struct xlv_task *t, const struct xlv_task *waker,
			const struct xlv_event *ev)
{
	struct xlv_wake *w = &t->wake;

	if (w->waking_ns != XLV_NONE)	/* else it is as clear as when the task went to sleep */
		wake_clear(w);
	w->pid = t->pid;
	w->comm = t->comm;
	w->waking_ns = ev->ts_ns;
	w->waker_pid = waker->pid;
	w->waker_comm = waker->comm;
	w->waker_cpu = ev->cpu;
	w->waker_context = context_of(s, ev);
}

static void sched_waking(struct xlv_sched *s, const struct xlv_event *ev, struct xlv_task *waker)
{
	struct xlv_task *t = xlv_sched_task(s, ev->wake.pid);

	if (!t || !t->pid)
		return;
	set_comm(s, t, ev->wake.comm);
	if (t->is == XLV_IS_RUNNING && t != waker && t->wake.waking_ns == XLV_NONE &&
	    t->cpu != ev->cpu && t->since_ns != XLV_NONE) {
		/*
		 * Two things look alike: a waker that is quick enough to catch the
		 * task on its way to sleep, and clocks that differ. Both get the
		 * chance: the wake stays pending, and a sleep that ended without
		 * one may take it.
		 */
		fill_waking(s, t, waker, ev);
		t->wake.running_ns = t->since_ns;
		t->wake.to_cpu = t->cpu;
		t->wake.remote = true;
		s->hooks.woken_late(s->hooks.arg, t, waker);
	}
	/* a second wake-up of a sleeper means that the first came too early to count */
	if (t->is == XLV_IS_RUNNABLE ||
	    (t->wake_pending && t->is == XLV_IS_ASLEEP && t->wake.waking_ns >= t->since_ns))
		return;
	fill_waking(s, t, waker, ev);
	t->wake_pending = true;
	s->hooks.woken(s->hooks.arg, t, waker);
}

struct xlv_task *xlv_sched_event(struct xlv_sched *s, const struct xlv_event *ev)
{
	struct xlv_cpu *c = get_cpu(s, ev->cpu);
	struct xlv_task *cur, *t;

	if (!c)
		return s->failed ? NULL : xlv_sched_task(s, ev->pid);
	if (ev->type == XLV_EV_LOST) {
		c->last_ns = ev->ts_ns;
		return c->cur ? c->cur : xlv_sched_task(s, 0);
	}
	if (c->last_ns != XLV_NONE && ev->ts_ns - c->last_ns > HOLE_MIN_NS && c->cur && c->cur->pid)
		s->hooks.hole(s->hooks.arg, ev->cpu, c->cur, c->last_ns, ev->ts_ns);
	c->before_ns = c->last_ns;
	c->last_ns = ev->ts_ns;

	cur = c->cur;
	if (!cur || cur->pid != ev->pid) {
		cur = xlv_sched_task(s, ev->pid);
		if (!cur)
			return NULL;
		imply_running(s, c, cur, ev);
	} else if (cur->is != XLV_IS_RUNNING && cur->pid) {
		imply_running(s, c, cur, ev);
	}
	if (is_irq(ev->type)) {
		irq_event(c, ev);
		return s->failed ? NULL : cur;
	}
	/* an exit got lost when a task is at work again */
	if (c->irq_depth && !(ev->ctx & (XLV_CTX_IRQ | XLV_CTX_UNKNOWN)))
		irq_end(c, ev->ts_ns);

	switch (ev->type) {
	case XLV_EV_SCHED_SWITCH:
		sched_switch(s, c, ev);
		break;
	case XLV_EV_SCHED_WAKING:
		sched_waking(s, ev, cur);
		break;
	case XLV_EV_SCHED_WAKEUP:
	case XLV_EV_SCHED_WAKEUP_NEW:
		t = xlv_sched_task(s, ev->wake.pid);
		if (!t)
			return NULL;
		set_comm(s, t, ev->wake.comm);
		if (t->wake_pending && t->wake.wakeup_ns == XLV_NONE)
			t->wake.wakeup_ns = ev->ts_ns;
		break;
	case XLV_EV_SCHED_EXEC:
	case XLV_EV_TASK_RENAME:
		t = xlv_sched_task(s, ev->task.pid);
		if (t)
			set_comm(s, t, ev->task.comm);
		break;
	case XLV_EV_CPU_IDLE:
		c = get_cpu(s, ev->power.cpu);
		if (c && ev->power.state >= 0)
			c->cstate = ev->power.state;
		break;
	case XLV_EV_CPU_FREQUENCY:
		c = get_cpu(s, ev->power.cpu);
		if (c)
			c->freq_khz = ev->power.state;
		break;
	}
	return s->failed ? NULL : cur;
}
