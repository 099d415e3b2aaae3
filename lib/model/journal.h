/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal's moving parts: work items, CIL pushes, iclog writes and their
 * I/O, followed from event to event.
 *
 * Finished records go to run->pushes and run->iclogs. What is in flight, or was
 * until lately, is also kept as a live object, because a waiter that it wakes
 * has to be told what took so long: a live push or log write knows the worker's
 * wake-up and a log of how the worker fared (struct xlv_worklog).
 */
#ifndef XLV_MODEL_JOURNAL_H
#define XLV_MODEL_JOURNAL_H

#include "model/sched.h"

/* How a worker fared while it executed one item. */
enum xlv_faring {
	XLV_FARES_RUNNING, XLV_FARES_SUBMITTING,	/* on a CPU; writing an iclog out */
	XLV_FARES_RUNNABLE, XLV_FARES_BLOCKED,
};

struct xlv_fare {
	int64_t		start_ns;
	uint8_t		how;
	int32_t		cpu;
	const char	*what;		/* behind whom, on what; NULL */
};

#define XLV_FARES	48

struct xlv_worklog {
	int32_t		pid;
	const char	*comm;
	struct xlv_wake	wake;		/* that brought the worker to the item */
	bool		woken;		/* it was for this item; else the worker was awake */
	struct xlv_fare	fare[XLV_FARES];	/* past that many, the last one goes on */
	int32_t		nr;
};

/* A tracked work item: a CIL push, a log I/O completion, a sync in a worker. */
struct xlv_work {
	struct xlv_work	*next;		/* hash chain */
	uint64_t	addr;
	uint8_t		func;
	bool		queued, started;
	const char	*func_name;
	int64_t		queued_ns, start_ns;
	int32_t		queuer_pid, queuer_cpu;
	uint8_t		queuer_context;
	int64_t		io_done_ns;	/* completion that queued it; XLV_NONE */
	int32_t		push;		/* live push; -1 */
	int32_t		iclog;		/* live log write as far as its I/O tells; -1 */
	int32_t		worker_pid;	/* -1 */
};

struct xlv_live_push {
	int32_t			idx;		/* in run->pushes */
	bool			ended;
	struct xlv_worklog	log;
};

struct xlv_log_bio {
	uint32_t	dev;
	uint64_t	sector;
	uint32_t	nr_sector;
};

struct xlv_live_iclog {
	struct xlv_iclog	rec;
	int32_t			idx;		/* in run->iclogs; -1 until it is written */
	bool			used, done, clean;
	int64_t			first_wake_ns;	/* of the burst; XLV_NONE */
	int32_t			woken;		/* waiters woken so far */
	int64_t			data_done_ns;	/* RQ_COMPLETE of the data; XLV_NONE */
	struct xlv_log_bio	bio[8];		/* the bio, its parts, its remappings */
	int32_t			nr_bios;
	struct xlv_wake		wake;		/* of the log worker for its completion */
	bool			worker_woken;	/* else the worker was awake */
};

#define XLV_LIVE_PUSHES	32
#define XLV_LIVE_ICLOGS	64

struct xlv_journal {
	struct xlv_run		*run;
	struct xlv_sched	*sched;
	struct xlv_work		**slot;		/* by address */
	size_t			nr_slots, nr_works;
	struct xlv_live_push	push[XLV_LIVE_PUSHES];		/* rings over all devs */
	uint32_t		next_push;
	struct xlv_live_iclog	iclog[XLV_LIVE_ICLOGS];
	uint64_t		lsn_of[XLV_LIVE_ICLOGS];	/* to find them by */
	uint32_t		next_iclog;
	int32_t			flying[XLV_LIVE_ICLOGS];	/* those written and not yet clean */
	int32_t			nr_flying;
	size_t			cap_pushes, cap_iclogs;
	int64_t			last_first_ns[8];		/* ICLOG_GET_SPACE at offset 0 */
	uint32_t		last_first_dev[8];
	bool			no_iclog_events;	/* kernel before 5.14 */
	bool			failed;
};

int xlv_journal_init(struct xlv_journal *j, struct xlv_run *run, struct xlv_sched *sched);
void xlv_journal_free(struct xlv_journal *j);

/**
 * xlv_journal_event - take one event, after the scheduler has
 * @cur:	the task it happened to
 * @irq:	it happened in interrupt context
 */
void xlv_journal_event(struct xlv_journal *j, const struct xlv_event *ev, struct xlv_task *cur,
		       bool irq);

/* A tracked worker went off its CPU or came back. */
void xlv_journal_out(struct xlv_task *t, int64_t ns, bool preempted, const struct xlv_task *next);
void xlv_journal_in(struct xlv_journal *j, struct xlv_task *t, int64_t ns);

/** xlv_journal_func - the function of a WQ_* event's item, by whatever tells it */
uint8_t xlv_journal_func(struct xlv_journal *j, const struct xlv_event *ev);

/** xlv_journal_iclog - the live log write of an LSN, or -1 */
int32_t xlv_journal_iclog(const struct xlv_journal *j, uint32_t dev, uint64_t lsn);

/** xlv_journal_last_push - the live push of @dev that ended last, or -1; dev 0: any */
int32_t xlv_journal_last_push(const struct xlv_journal *j, uint32_t dev);

/* The records behind live objects. */
struct xlv_push *xlv_journal_push_rec(struct xlv_journal *j, int32_t live);
struct xlv_iclog *xlv_journal_iclog_rec(struct xlv_journal *j, int32_t live);

#endif
