/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window: everything that happened between two moments of a recording, in a
 * second pass over it. This is what pictures and exports are made of; what the
 * journal work *means* stands in the run (model/run.h).
 *
 *	struct xlv_window_opts opts = { .from_ns = a, .to_ns = b };
 *
 *	win = xlv_window_read(trace, run, &opts, &err);
 *	... win->cpus[i].pieces[j], win->wakes[i], win->bios[i] ...
 *	xlv_window_free(win);
 *
 * Pieces of a lane are in time order, don't overlap, and lie within the window;
 * those of a CPU tile it. Things that have a start and an end (bios, wakes,
 * hand-overs) are there when they touch the window, with their real times, which
 * may lie outside; XLV_NONE where the recording doesn't tell.
 *
 * Memory is bounded. With .res_ns set (the nanoseconds of a pixel), pieces shorter
 * than that are added up, with the time of each kind of work, into pieces no longer
 * than twice that: at most 2 * (to - from) / res_ns + 2 in a lane. Lists stop at
 * .max entries; .dropped counts what didn't fit. Strings belong to the window.
 */
#ifndef XLV_MODEL_WINDOW_H
#define XLV_MODEL_WINDOW_H

#include "model/run.h"

/* What a CPU did, innermost first: an interrupt, not the task under it. */
enum xlv_work {
	XLV_WORK_UNKNOWN,	/* before the CPU's first event */
	XLV_WORK_IDLE,
	XLV_WORK_OTHER,		/* a task of no role */
	XLV_WORK_SYNCER,	/* a task that syncs in this window, between its syncs */
	XLV_WORK_FSYNC,		/* a task within its sync */
	XLV_WORK_CIL_WORKER,	/* runs xlog_cil_push_work */
	XLV_WORK_LOG_WORKER,	/* runs xlog_ioend_work */
	XLV_WORK_IO_DONE,	/* an interrupt that completed I/O */
	XLV_WORK_IRQ,		/* any other hard or soft interrupt */
	XLV_WORK_COUNT
};

struct xlv_piece {
	int64_t		start_ns, end_ns;
	int32_t		pid;		/* the current task, also in an interrupt; -1 unknown */
	uint8_t		work;		/* enum xlv_work; of merged: the one with the most time */
	uint8_t		context;	/* enum xlv_context: of an interrupt, its kind */
	bool		preempted;	/* the task went off while able to run */
	const char	*comm;		/* of the task; "" unknown */
	const char	*func;		/* work item's function or interrupt's name; NULL */
	int32_t		sync;		/* id of the sync; 0 none */
	int32_t		merged;		/* how many pieces were added up; 1: itself */
	const int64_t	*work_ns;	/* merged > 1: time by enum xlv_work; else NULL */
};

struct xlv_cpu_lane {
	int32_t			cpu;
	struct xlv_piece	*pieces;
	int32_t			nr_pieces;
	int64_t			work_ns[XLV_WORK_COUNT];	/* sums over the window */
};

enum xlv_task_where {
	XLV_TASK_AT_UNKNOWN,
	XLV_TASK_AT_RUNNING,
	XLV_TASK_AT_RUNNABLE,	/* woken or preempted, not yet on a CPU */
	XLV_TASK_AT_ASLEEP,
	XLV_TASK_AT_COUNT = XLV_TASK_AT_ASLEEP + XLV_QUEUE_COUNT + 1	/* of where_ns */
};

struct xlv_task_piece {
	int64_t		start_ns, end_ns;
	uint8_t		where;		/* enum xlv_task_where; of merged: the most */
	uint8_t		queue;		/* ASLEEP: enum xlv_queue; XLV_QUEUE_COUNT: not in a sync */
	uint8_t		state;		/* ASLEEP: enum xlv_task_state */
	int32_t		cpu;		/* RUNNING: where; -1 */
	int32_t		sync;		/* id; 0: outside of syncs */
	int32_t		merged;		/* 1: itself */
	const char	*what;		/* ASLEEP on OTHER: xlv_wait's what; else NULL */
	const int64_t	*where_ns;	/* merged > 1: time by where, asleep at ASLEEP + queue */
};

/* Tasks that sync in the window, in order of their first sync there, then .pids. */
struct xlv_task_lane {
	int32_t			pid;
	const char		*comm;
	struct xlv_task_piece	*pieces;
	int32_t			nr_pieces;
};

/* One I/O of a block device. Bios that were merged into a request share its times. */
struct xlv_bio {
	uint32_t	dev;		/* as queued: major << 20 | minor */
	uint64_t	sector;
	uint32_t	nr_sector;
	uint32_t	rw;		/* XLV_RW_* */
	int64_t		queue_ns, issue_ns, done_ns;
	int32_t		queue_cpu, queue_pid, done_cpu;		/* -1 unknown */
	uint8_t		done_context;	/* enum xlv_context */
	int32_t		iclog;		/* index in run->iclogs whose write it is; -1 */
	int32_t		error;
};

/* From a waker to a task that it woke. */
struct xlv_arrow {
	int64_t		waking_ns, wakeup_ns, running_ns;
	int32_t		waker_pid, waker_cpu;
	int32_t		pid, prev_cpu, to_cpu;	/* wakee; -1 unknown */
	uint8_t		context;	/* enum xlv_context of the waker */
	uint8_t		waker_work, work;	/* enum xlv_work; the wakee's after it ran again */
	const char	*waker_comm, *comm;
};

/* From whoever queued a work item to the worker that ran it. */
struct xlv_handover {
	uint64_t	work;
	uint8_t		func;		/* enum xlv_func */
	const char	*func_name;	/* "" unknown */
	int64_t		queue_ns, start_ns, end_ns;
	int32_t		queue_pid, queue_cpu;	/* -1 unknown */
	uint8_t		context;	/* enum xlv_context of who queued */
	int32_t		worker_pid, worker_cpu;	/* -1: didn't start in the window */
};

/* Events of a CPU that the recording lost, somewhere between two of its events. */
struct xlv_gap {
	int32_t		cpu;
	int64_t		start_ns, end_ns;	/* last event before, first after */
	int64_t		count;			/* -1 not known */
};

struct xlv_window {
	const struct xlv_run	*run;
	int64_t			from_ns, to_ns, res_ns;

	struct xlv_cpu_lane	*cpus;		/* every CPU with an event, by number */
	struct xlv_task_lane	*tasks;
	struct xlv_bio		*bios;		/* by queue_ns */
	struct xlv_arrow	*wakes;		/* by waking_ns */
	struct xlv_handover	*works;		/* by queue_ns */
	struct xlv_gap		*gaps;
	int32_t			nr_cpus, nr_tasks, nr_bios, nr_wakes, nr_works, nr_gaps;

	/* indexes in the run of what touches the window */
	int32_t			*syncs, *pushes, *iclogs, *silences;
	int32_t			nr_syncs, nr_pushes, nr_iclogs, nr_silences;

	int64_t			events;		/* read for it */
	int64_t			dropped;	/* bios, wakes and hand-overs beyond .max */
};

enum {
	XLV_WIN_CPUS = 1, XLV_WIN_TASKS = 2, XLV_WIN_BIOS = 4, XLV_WIN_WAKES = 8,
	XLV_WIN_WORKS = 16, XLV_WIN_ALL = 31,
};

struct xlv_window_opts {
	int64_t		from_ns, to_ns;
	int64_t		res_ns;		/* 0: nothing is merged */
	unsigned int	want;		/* XLV_WIN_*; 0: all */
	int32_t		max;		/* entries in each list; 0: 500,000 */
	const int32_t	*pids;		/* further tasks that get a lane; NULL */
	int32_t		nr_pids;
};

/**
 * xlv_window_read - collect what happened in a part of a recording
 * @t:		the trace that @run was built from; is rewound
 * @run:	for roles, sleeps, syncs, and iclogs; must outlive the window
 * @opts:	which part; what lies outside of the recording is cut off
 * @err:	what went wrong: a read error, no memory
 */
struct xlv_window *xlv_window_read(struct xlv_trace *t, const struct xlv_run *run,
				   const struct xlv_window_opts *opts, struct xlv_error *err);
void xlv_window_free(struct xlv_window *win);

/** xlv_window_cpu - the lane of a CPU, or NULL */
const struct xlv_cpu_lane *xlv_window_cpu(const struct xlv_window *win, int32_t cpu);

/** xlv_window_at - the piece of a lane at a moment, or NULL */
const struct xlv_piece *xlv_window_at(const struct xlv_cpu_lane *lane, int64_t ts_ns);

/** xlv_work_name - "idle", "fsync", "cil-worker" ...; never NULL */
const char *xlv_work_name(unsigned int work);

#endif
