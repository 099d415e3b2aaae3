/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler's state as the events tell it: what every CPU runs and ran, and
 * what became of every task.
 *
 * xlv_sched_event() takes every event first, so that the other parts of the
 * model find the state as it is just after the event (for a sched_switch: the
 * next task is on the CPU). What changed for a task is called out through the
 * hooks, in order.
 *
 * Events can be missing. A task that shows an event in task context is running,
 * whatever was believed; such corrections count as `implied` and the hooks say so.
 */
#ifndef XLV_MODEL_SCHED_H
#define XLV_MODEL_SCHED_H

#include "model/run.h"
#include "model/strpool.h"

struct xlv_sync_build;
struct xlv_work;
struct xlv_worklog;

enum xlv_task_is { XLV_IS_UNKNOWN, XLV_IS_RUNNING, XLV_IS_RUNNABLE, XLV_IS_ASLEEP };

struct xlv_task {
	/* what every event of a task looks at comes first: it fills a cache line */
	struct xlv_task	*next;		/* hash chain */
	int32_t		pid;
	int32_t		cpu;		/* where it runs or last ran; -1 */
	const char	*comm;
	uint32_t	comm_len;	/* as the events told it; 0: they did not yet */
	uint8_t		is;		/* enum xlv_task_is */
	bool		is_ksoftirqd;
	bool		wake_pending;
	int64_t		since_ns;	/* of .is */
	int32_t		writing;	/* as a submitter of log I/O: the live iclog that
					 * ICLOG_WRITE showed, its bios follow; -1 */
	int64_t		throttled_ns;	/* start of a sleep that .sleep_why is of; XLV_NONE */
	struct xlv_sync_build *sync;	/* as a task that syncs */

	/*
	 * The latest wake-up: pending until the task runs, then the one that made
	 * it run. .waking_ns is XLV_NONE where none was seen since it last slept.
	 */
	struct xlv_wake	wake;

	/* as a worker: the work item it executes, or did last */
	struct xlv_work	*work;		/* tracked item, until its end */
	const char	*func_name;	/* of any item; NULL: none now */
	uint8_t		func, last_func;	/* enum xlv_func; of now, of the item before */
	struct xlv_worklog *log;	/* of the tracked item, also after its end */
	struct xlv_worklog *own_log;	/* memory for it where no push lends any */
	int64_t		work_start_ns;
	int32_t		live_push;	/* of the item, also after its end; -1 */
	int32_t		live_iclog;	/* whose callbacks it runs; -1 */
	uint8_t		iclog_phase;	/* last XLV_EV_ICLOG_SYNC_DONE or _CLEAN in this item */
	bool		iclog_wait;	/* ICLOG_WAIT_ON was its last event */
	uint8_t		sleep_why;	/* XFS_GRANT_SLEEP or XFS_CIL_WAIT before its sleep, or 0 */
};

/* One stay of a task on a CPU, or of the CPU in interrupts. */
struct xlv_stay {
	int64_t		start_ns;
	int64_t		earliest_ns;	/* .start_ns, or before: its sched_switch is missing */
	const char	*comm;
	int32_t		pid;
};

struct xlv_irq_stay {
	int64_t		start_ns, end_ns;
};

#define XLV_STAYS	2048	/* remembered for each CPU; a power of two */
#define XLV_IRQ_STAYS	1024

struct xlv_cpu {
	struct xlv_task	*cur;		/* NULL: not known yet */
	int64_t		last_ns;	/* its last event; XLV_NONE: none yet */
	int64_t		before_ns;	/* the one before */
	struct xlv_stay	*stays;		/* ring; the newest is [(nr_stays - 1) % XLV_STAYS] */
	uint64_t	nr_stays;
	struct xlv_irq_stay *irqs;	/* ring, finished ones */
	uint64_t	nr_irqs;
	int32_t		irq_depth;
	int64_t		irq_start_ns;
	int32_t		cstate, freq_khz;
	int64_t		unseen_switches;	/* out of idle, without a sched_switch */

	/* last completion of block I/O in the current interrupt or task stay */
	int64_t		block_done_ns;	/* XLV_NONE: none */
	int32_t		block_done_iclog;	/* live log write it belongs to; -1 */
};

struct xlv_sched_hooks {
	void	*arg;
	/* @t went off its CPU; @preempted: able to run; @next took the CPU */
	void	(*out)(void *arg, struct xlv_task *t, int64_t ns, bool preempted,
		       const struct xlv_task *next);
	/* @t is on a CPU again; t->wake says how; @implied: no sched_switch said so */
	void	(*in)(void *arg, struct xlv_task *t, int64_t ns, bool implied);
	/*
	 * @t was woken; t->wake is filled but for its end. It sleeps (t->is), or is
	 * about to, or the wake-up came for nothing: then no sleep follows.
	 */
	void	(*woken)(void *arg, struct xlv_task *t, struct xlv_task *waker);
	/* sched_waking came after the task already ran: clocks of CPUs differ */
	void	(*woken_late)(void *arg, struct xlv_task *t, struct xlv_task *waker);
	/* @cpu ran @t but showed no event from @start_ns to @end_ns */
	void	(*hole)(void *arg, int cpu, const struct xlv_task *t, int64_t start_ns,
			int64_t end_ns);
};

struct xlv_sched {
	struct xlv_strpool	*pool;
	struct xlv_sched_hooks	hooks;
	struct xlv_cpu		*cpu;
	int32_t			nr_cpus;	/* grows with the CPUs that show up */
	struct xlv_task		**slot;
	size_t			nr_slots, nr_tasks;
	bool			have_switch;	/* the recording has sched_switch */
	bool			failed;		/* no memory */
};

int xlv_sched_init(struct xlv_sched *s, struct xlv_strpool *pool,
		   const struct xlv_sched_hooks *hooks, const struct xlv_trace_info *info);
void xlv_sched_free(struct xlv_sched *s);

/**
 * xlv_sched_event - take one event
 *
 * Returns the task that ran on the event's CPU when it happened (the previous
 * one for a sched_switch), or NULL without memory.
 */
struct xlv_task *xlv_sched_event(struct xlv_sched *s, const struct xlv_event *ev);

struct xlv_task *xlv_sched_new_task(struct xlv_sched *s, int32_t pid);

/** xlv_sched_task - the task of a pid, made where it is new; NULL without memory */
static inline struct xlv_task *xlv_sched_task(struct xlv_sched *s, int32_t pid)
{
	struct xlv_task *t = s->slot[(uint32_t)pid & (s->nr_slots - 1)];

	while (t && t->pid != pid)
		t = t->next;
	return t ? t : xlv_sched_new_task(s, pid);
}

/** xlv_sched_in_irq - did this event happen in interrupt context? */
static inline bool xlv_sched_in_irq(const struct xlv_sched *s, const struct xlv_event *ev)
{
	if (!(ev->ctx & XLV_CTX_UNKNOWN))
		return ev->ctx & XLV_CTX_IRQ;
	/* text without its flags column: by the entry and exit events, where there are any */
	return ev->cpu >= 0 && ev->cpu < s->nr_cpus && s->cpu[ev->cpu].irq_depth > 0;
}

#endif
