/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Syncs: from the call to its return, with every sleep and what ended it.
 *
 * A task that enters a call that may sync gets a struct xlv_sync_build. While it
 * runs, sleeps and is woken, the time since the call is cut into pieces without
 * a gap; what a sleep waited for is told apart at the moment of its sched_waking
 * by what the waker was doing. When the call returns, sync_close.c works out T1
 * to T4, names the pieces and hands the result to the run.
 */
#ifndef XLV_MODEL_SYNCS_H
#define XLV_MODEL_SYNCS_H

#include "model/memory.h"
#include "model/journal.h"

/* Pieces not yet named: the task itself on a CPU, and asleep on something. */
enum { XLV_RAW_RUN = XLV_STAGE_COUNT, XLV_RAW_SLEEP };

/* How the end of a sync shows. */
enum xlv_sync_end { XLV_ENDS_BY_EXIT, XLV_ENDS_BY_WORK, XLV_ENDS_BY_EVENT };

struct xlv_interval_ns {
	int64_t	from, to;
};

/* One log force, as far as it was seen; T1 to T3 by its tracepoints. */
struct xlv_force_build {
	int64_t		top_ns, nested_ns;	/* xfs_log_force, from its caller and nested */
	int64_t		first_iclog_ns;		/* own xlog_iclog_* events */
	int64_t		last_sure_ns;		/* last own event inside the force */
	int64_t		first_write_ns;		/* start of its first sleep on `write` */
	int64_t		sleep_end_ns;		/* of its last sleep that is the force's */
	bool		sleep_is_force;		/* that one was on `force` */
	int64_t		cil_sleep_end_ns;	/* of its last sleep before the first iclog event */
	int64_t		beyond_ns;		/* first own event after the two above */
	int32_t		first_wait;		/* index of its first sleep */
};

/* Spans of one source: [0] patched, [1] kprobe. */
struct xlv_spans_build {
	struct xlv_interval_ns	force, cil, wait;	/* the latest; .to XLV_NONE: open */
	int64_t			T1, T2, T3;		/* sums of the finished; XLV_NONE */
	struct xlv_interval_ns	first_force, first_cil;
};

struct xlv_sync_build {
	struct xlv_sync_build	*next;		/* of the free or the open ones */
	struct xlv_sync_build	*prev;
	struct xlv_task		*task;
	struct xlv_sync		s;
	struct xlv_detail	d;		/* segments still raw, in order, without gaps */
	int64_t			*wait_on_ns;	/* of each wait: xlog_iclog_wait_on before it */
	int32_t			cap_wait_on;
	int64_t			cursor_ns;	/* end of the last piece */
	uint8_t			ends;		/* enum xlv_sync_end */
	bool			is_sync;	/* it did what makes it one */
	bool			asleep, off_cpu, torn;
	const char		*behind;	/* who took the CPU */

	/* the wake-up that is under way, or was for nothing */
	struct {
		uint8_t		queue;
		bool		known;
		const char	*what;
		int32_t		push, iclog;	/* live */
		int64_t		first_wake_ns;
		int32_t		pos;
	} waking;

	bool			in_force;
	struct xlv_force_build	f;
	int32_t			forces;
	int64_t			T[4], slack[2];	/* sums over forces, by tracepoints; XLV_NONE */
	const char		*why[4];
	int64_t			exit_ns;	/* from here on the task only returns */
	struct xlv_spans_build	spans[2];

	int64_t			wait_on;	/* last own event was ICLOG_WAIT_ON */
	int64_t			submit_from;	/* own iclog events since */
	bool			submitted;
	struct xlv_interval_ns	submit[8];
	int32_t			nr_submit;
	struct xlv_interval_ns	flush[4];	/* own device cache flushes */
	int32_t			nr_flush;
	int64_t			last_bio_ns;	/* own data I/O */
	int64_t			last_own_ns;
	int32_t			cpu_before, cpu_after;
	bool			pushed;		/* queued a CIL push itself */
};

struct xlv_loss {
	int32_t	cpu;
	int64_t	from_ns, to_ns;
};

struct xlv_syncs {
	struct xlv_run		*run;
	struct xlv_sched	*sched;
	struct xlv_journal	*journal;
	struct xlv_arena	*arena;		/* for what is kept of each sync */
	struct xlv_sync_build	*open, *idle;
	enum xlv_boundaries	bounds;		/* asked for */
	size_t			cap_syncs, cap_callers;
	struct xlv_segment	*raw;		/* to name pieces of a sync from */
	int32_t			cap_raw;
	struct xlv_loss		*losses;
	size_t			nr_losses, cap_losses;
	bool			sys_exits;	/* syscall exits are recorded */
	bool			failed;
};

int xlv_syncs_init(struct xlv_syncs *y, struct xlv_run *run, struct xlv_sched *sched,
		   struct xlv_journal *journal, struct xlv_arena *arena,
		   enum xlv_boundaries bounds);
void xlv_syncs_free(struct xlv_syncs *y);

/**
 * xlv_syncs_event - take an event of task context, after the scheduler and the journal have
 * @cur:	the task it happened to
 */
void xlv_syncs_event(struct xlv_syncs *y, const struct xlv_event *ev, struct xlv_task *cur);

/* What the scheduler calls out; see struct xlv_sched_hooks. */
void xlv_syncs_out(struct xlv_syncs *y, struct xlv_task *t, int64_t ns, bool preempted,
		   const struct xlv_task *next);
void xlv_syncs_in(struct xlv_syncs *y, struct xlv_task *t, int64_t ns, bool implied);
void xlv_syncs_woken(struct xlv_syncs *y, struct xlv_task *t, struct xlv_task *waker);
void xlv_syncs_woken_late(struct xlv_syncs *y, struct xlv_task *t, struct xlv_task *waker);

/* Events of @cpu were lost between two times. */
void xlv_syncs_lost(struct xlv_syncs *y, int32_t cpu, int64_t from_ns, int64_t to_ns);

/* The trace is over: close what is open as partial. */
void xlv_syncs_finish(struct xlv_syncs *y);

/* ---- sync_close.c ---- */

/* The log force is over (another one begins, or the sync ends at @end_ns). */
void xlv_force_close(struct xlv_syncs *y, struct xlv_sync_build *b, int64_t end_ns);

/**
 * xlv_sync_close - name the pieces, work out the figures, hand over to the run
 * @end_ns:	end of the sync; XLV_NONE: it has none
 * @reasons:	XLV_PARTIAL_*
 */
void xlv_sync_close(struct xlv_syncs *y, struct xlv_sync_build *b, int64_t end_ns,
		    uint8_t reasons);

/* Where a sync that has no sys_exit ends, by what is known; XLV_NONE: not over. */
int64_t xlv_sync_event_end(const struct xlv_sync_build *b);

/* Append the piece from the cursor to @to_ns; zero-length ones are left out. */
void xlv_piece(struct xlv_syncs *y, struct xlv_sync_build *b, uint8_t stage, int64_t to_ns,
	       int32_t cpu, int32_t pid, const char *comm, const char *what, int32_t wake);

#endif
