/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run: everything about XFS journal work that was rebuilt from one recording.
 *
 *	run = xlv_run_build(trace, &opts, &err);	(one pass over all events)
 *	struct xlv_detail d = { 0 };
 *	for (i = 0; i < run->nr_syncs; i++) {
 *		... run->syncs[i] ...
 *		xlv_sync_detail(run, &run->syncs[i], &d);
 *		... d.waits, d.segments, d.wakes ...
 *	}
 *	xlv_detail_free(&d);
 *	xlv_run_free(run);
 *
 * It holds syncs (calls that make data durable), the CIL pushes and iclog writes
 * they depended on, and what was left unfinished. All times are nanoseconds of
 * the trace's clock, all durations nanoseconds; XLV_NONE stands for a time or
 * duration that does not apply or is not known. Strings belong to the run.
 *
 * Names follow the kernel: iclog, CIL, log force, LSN. Each field says which
 * event it comes from where that isn't plain.
 */
#ifndef XLV_MODEL_RUN_H
#define XLV_MODEL_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/reader.h"

#define XLV_NONE	INT64_MIN

/* Where T1 to T3 get their ends from, worst to best. */
enum xlv_boundaries {
	XLV_BOUNDS_NONE,	/* no XFS events */
	XLV_BOUNDS_TRACEPOINT,
	XLV_BOUNDS_KPROBE,
	XLV_BOUNDS_PATCHED,
	XLV_BOUNDS_AUTO,	/* as an option: the best that the recording has */
};

enum xlv_kind {
	XLV_KIND_LOG_FORCE,	/* forced the log and its own push or iclog write was needed */
	XLV_KIND_FLUSH_ONLY,	/* no log force: nothing in the log to wait for */
	XLV_KIND_PIGGYBACK,	/* another task's push and iclog write covered it */
	XLV_KIND_NO_WAIT,	/* forced, nothing to wait for */
	XLV_KIND_COUNT
};

enum xlv_queue {
	XLV_QUEUE_COMMIT,	/* xc_commit_wait, or flushing the push work */
	XLV_QUEUE_WRITE,	/* the previous iclog's ic_write_wait */
	XLV_QUEUE_FORCE,	/* ic_force_wait */
	XLV_QUEUE_OTHER,
	XLV_QUEUE_COUNT
};

enum xlv_stage {
	XLV_STAGE_WRITE, XLV_STAGE_DATA_WRITEBACK,
	XLV_STAGE_CIL_QUEUE, XLV_STAGE_CIL_PUSH, XLV_STAGE_CIL_WAKE,
	XLV_STAGE_WRITE_WAIT, XLV_STAGE_ICLOG_SUBMIT, XLV_STAGE_LOG_IO,
	XLV_STAGE_IOEND_QUEUE, XLV_STAGE_CALLBACKS, XLV_STAGE_WAKE,
	XLV_STAGE_EXIT, XLV_STAGE_DEVICE_FLUSH, XLV_STAGE_OTHER_WAIT,
	XLV_STAGE_RUNNING, XLV_STAGE_RUNNABLE,
	XLV_STAGE_CPU_SILENT,	/* the CPU ran the task but showed no sign of life */
	XLV_STAGE_COUNT
};

enum xlv_part {
	XLV_PART_WAKEUP_IPI, XLV_PART_IDLE_EXIT, XLV_PART_WAKER_BUSY,
	XLV_PART_OTHER_TASK, XLV_PART_IRQ, XLV_PART_SCHED,
	XLV_PART_COUNT,
	XLV_PART_UNKNOWN = XLV_PART_COUNT,	/* as a cause: no scheduler events */
};

enum xlv_context { XLV_FROM_TASK, XLV_FROM_SOFTIRQ, XLV_FROM_HARDIRQ, XLV_FROM_UNKNOWN };

/* What a task was to the journal pipeline at a moment. */
enum xlv_role {
	XLV_ROLE_OTHER, XLV_ROLE_FSYNC, XLV_ROLE_CIL_WORKER, XLV_ROLE_LOG_WORKER,
	XLV_ROLE_IO_DONE,	/* interrupt or softirq that completed the log I/O */
	XLV_ROLE_COUNT
};

enum xlv_distance {
	XLV_DIST_UNKNOWN, XLV_DIST_SAME_CPU, XLV_DIST_SAME_CORE, XLV_DIST_SAME_LLC,
	XLV_DIST_SAME_NODE, XLV_DIST_OTHER_NODE, XLV_DIST_COUNT
};

/* Why a sync is partial. */
enum {
	XLV_PARTIAL_LOST	= 1,	/* events were lost on a CPU it used */
	XLV_PARTIAL_START	= 2,	/* began before the trace */
	XLV_PARTIAL_END		= 4,	/* not over at the end of the trace */
	XLV_PARTIAL_MISSING	= 8,	/* an event that this file lacks: .missing */
};

/*
 * One wake-up: the path from sched_waking in the waker to sched_switch to the
 * wakee. parts_ns adds up to running_ns - waking_ns, always.
 */
struct xlv_wake {
	int64_t		waking_ns;
	int64_t		wakeup_ns;	/* XLV_NONE: not recorded */
	int64_t		running_ns;
	const char	*comm;
	const char	*waker_comm;
	int32_t		pid;		/* the wakee */
	int32_t		waker_pid;	/* of the current task, even in an interrupt */
	int32_t		waker_cpu;
	int32_t		prev_cpu;	/* where the wakee last ran; -1 unknown */
	int32_t		to_cpu;		/* where it ran again */
	int32_t		other_pid;	/* the task that held the target CPU longest; 0 none */
	uint8_t		waker_context;	/* enum xlv_context */
	uint8_t		waker_role;	/* enum xlv_role */
	uint8_t		cause;		/* enum xlv_part; the largest part */
	uint8_t		distance;	/* enum xlv_distance: waker_cpu to to_cpu */
	bool		remote;		/* waker_cpu != to_cpu */
	bool		migrated;	/* to_cpu != prev_cpu */
	bool		waker_on_prev;	/* the waker ran on prev_cpu itself */
	int64_t		parts_ns[XLV_PART_COUNT];
	const char	*other_comm;	/* of .other_pid */
	int64_t		other_ns;
	int32_t		cstate;		/* of the idle that was left; -1 unknown */
	int32_t		freq_khz;	/* of the target CPU; 0 unknown */
};

/* One sleep of the syncing task within its span. */
struct xlv_wait {
	int64_t		start_ns;	/* sched_switch off the CPU */
	struct xlv_wake	wake;		/* .running_ns XLV_NONE: never ran again */
	uint64_t	lsn;		/* of the iclog, WRITE and FORCE; else 0 */
	const char	*what;		/* OTHER: what it waited for, as far as known; else NULL */
	int32_t		push;		/* COMMIT: index in run->pushes; -1 */
	int32_t		iclog;		/* WRITE, FORCE: index in run->iclogs; -1 */
	uint8_t		queue;		/* enum xlv_queue */
};

/* A piece of a sync's critical path. Pieces tile [start_ns, start_ns + span_ns). */
struct xlv_segment {
	int64_t		start_ns, ns;
	int32_t		cpu;		/* where the path was; -1 unknown */
	int32_t		pid;		/* whose time it is: the task, a worker, 0 the device */
	const char	*comm;
	const char	*what;		/* OTHER_WAIT, RUNNABLE: on what, behind whom; or NULL */
	int32_t		wake;		/* index in the sync's wakes where it is one; -1 */
	uint8_t		stage;		/* enum xlv_stage */
};

/*
 * A wake-up on the critical path. parts_ns adds up to the ns of the segments
 * that refer to it, clipped to the sync's own wait. Of a WRITE_WAIT segment it
 * covers the tail from sched_waking on.
 */
struct xlv_path_wake {
	uint8_t		stage;		/* CIL_QUEUE, CIL_WAKE, WRITE_WAIT, IOEND_QUEUE, WAKE */
	uint8_t		cause;
	int64_t		ns;
	int64_t		parts_ns[XLV_PART_COUNT];
	struct xlv_wake	wake;		/* unclipped; waking_ns XLV_NONE: it was awake */
};

struct xlv_span {			/* FORCE_* and the like */
	int64_t		enter_ns, exit_ns;
};

/* The T_why of a sync whose switch back to a CPU was not recorded. */
#define XLV_WHY_NO_SWITCH	"the sched_switch back to it is missing"

struct xlv_sync {
	int32_t		id;		/* from 1, in order of start */
	uint8_t		kind;		/* enum xlv_kind */
	uint8_t		reasons;	/* XLV_PARTIAL_*; 0: complete */
	uint8_t		syscall;	/* enum xlv_syscall; NONE: none was recorded */
	uint8_t		bounds;		/* enum xlv_boundaries used for T1 to T3 */
	const char	*missing;	/* name of the missing event, for PARTIAL_MISSING */
	const char	*via;		/* "syscall", "kworker", "io_uring", "nfsd", "xfs_file_fsync" */
	int32_t		pid;
	const char	*comm;
	uint32_t	dev;		/* major << 20 | minor; 0 unknown */
	uint64_t	ino;		/* 0 unknown */

	int64_t		start_ns, span_ns;	/* span_ns XLV_NONE: never ended */
	int64_t		fsync_ns;	/* xfs_file_fsync; XLV_NONE */
	int64_t		force_ns;	/* first log force; XLV_NONE: none */
	struct xlv_span	force, cil_force, force_wait;	/* T1 to T3 as used */
	int64_t		T1_ns, T2_ns, T3_ns, T4_ns;
	int64_t		T1_slack_ns, T2_slack_ns;
	const char	*T_why[4];	/* why T1 .. T4 is XLV_NONE, "no log force"; NULL */

	uint64_t	seq;		/* CIL sequence forced */
	uint64_t	iclog_lsn;	/* of the iclog it waited on or last touched; 0 */
	int32_t		push, iclog;	/* indexes in the run; -1 */
	int32_t		group_size;	/* syncs woken by the same iclog; 0: no force wait */
	int32_t		group_pos;	/* 1 = first woken */
	int64_t		wake_order_ns;	/* burst's first waking to its own */
	int32_t		flushes;	/* device cache flushes by the task itself */
	bool		submitter;	/* the task submitted the iclog itself */

	/* CPUs in pipeline order; -1 unknown. placement: "ABABBA", '-' for unknown */
	int32_t		place_cpu[6];	/* before, CIL worker, submitter, I/O done, log worker, after */
	char		placement[8];

	int64_t		io_flush_ns, io_device_ns;	/* parts of its log-io; XLV_NONE unknown */
	int64_t		in_order_ns;	/* part of its callbacks: waiting for earlier iclogs */

	/* waits, segments and wakes, packed: see xlv_sync_detail() */
	uint8_t		*packed;
};

/*
 * The waits, segments and path wakes of one sync. A recording can hold a million
 * syncs, so they are kept packed (some 300 bytes a sync) and unpacked one at a
 * time into buffers that the next call uses again.
 */
struct xlv_detail {
	struct xlv_wait		*waits;		/* by start */
	struct xlv_segment	*segments;	/* by start; tile the span of a complete sync */
	struct xlv_path_wake	*wakes;		/* in path order */
	int32_t			nr_waits, nr_segments, nr_wakes;
	int32_t			cap_waits, cap_segments, cap_wakes;	/* private */
};

/* A CIL push: one item of the xfs-cil workqueue. */
struct xlv_push {
	uint32_t	dev;		/* 0 unknown */
	uint64_t	work;
	int64_t		queued_ns, start_ns, end_ns;	/* workqueue events */
	int32_t		queuer_pid, queuer_cpu;
	int32_t		worker_pid, worker_cpu;		/* -1 unknown */
	const char	*worker_comm;
	uint64_t	first_lsn, last_lsn;	/* of iclogs it wrote into; 0 */
	int32_t		iclogs;		/* how many */
	int32_t		syncs;		/* how many waited for it */
	int64_t		running_ns, runnable_ns, blocked_ns;	/* of the worker, start to end */
};

/* One write of an iclog to the log, or its fake completion. */
struct xlv_iclog {
	uint32_t	dev;
	uint64_t	lsn;
	int64_t		first_ns;	/* first space taken (ICLOG_GET_SPACE, offset 0) */
	int64_t		switch_ns;	/* ICLOG_SWITCH: closed */
	int64_t		syncing_ns;	/* ICLOG_SYNCING: last reference dropped */
	int64_t		write_ns;	/* ICLOG_WRITE */
	int64_t		bio_ns;		/* BIO_QUEUE of its first bio */
	int64_t		issue_ns;	/* RQ_ISSUE of the data */
	int64_t		flush_issue_ns, flush_done_ns;	/* its preflush as a request of its own */
	int64_t		done_ns;	/* last RQ_COMPLETE or BIO_COMPLETE; queueing of ioend work
					 * where block events are missing */
	int64_t		ioend_queued_ns, ioend_start_ns, ioend_end_ns;
	int64_t		sync_done_ns;	/* ICLOG_SYNC_DONE */
	int64_t		callbacks_start_ns, callbacks_done_ns;
	int64_t		clean_ns;	/* ICLOG_CLEAN */
	int64_t		activate_ns;	/* ICLOG_ACTIVATE */
	int32_t		submit_pid, submit_cpu, done_cpu, worker_pid, worker_cpu;	/* -1 unknown */
	uint8_t		submit_role;	/* FSYNC, CIL_WORKER, OTHER */
	uint8_t		done_context;	/* enum xlv_context */
	const char	*submit_comm, *worker_comm;
	uint8_t		flags;		/* XLV_ICL_* when written */
	uint32_t	bytes;		/* of the log write; 0 unknown */
	uint64_t	sector;
	bool		fake;		/* completed without a bio */
	bool		out_of_order;	/* done before an iclog with a lower LSN */
	int64_t		in_order_ns;	/* done, but its callbacks waited for earlier iclogs */
	int32_t		syncs;		/* how many slept on its ic_force_wait */
};

/* A CPU that ran a task but showed no event and no tick for more than two ticks. */
struct xlv_silence {
	int32_t		cpu, pid;
	const char	*comm;
	int64_t		start_ns, ns;
	int32_t		sync;		/* id of a sync on whose path it was; 0 none */
};

struct xlv_force_caller {
	const char	*name;		/* "xfs_file_fsync", "xfsaild", ... */
	int64_t		forces;
	int64_t		in_syncs;	/* how many of them belong to syncs */
};

/* What was not over when the trace ended. */
struct xlv_unfinished {
	const char	*what;		/* "waiter" or "work" */
	int32_t		pid;		/* the waiter or the worker; -1: not started */
	const char	*comm;
	const char	*on;		/* wait queue or work function */
	int64_t		since_ns;
	int32_t		sync;		/* id; 0 none */
};

/* Sleeps that throttle whoever commits: log space, CIL hard limit. */
struct xlv_throttle {
	int64_t		count, total_ns, in_syncs_ns;
};

struct xlv_topology {			/* index: CPU; -1 unknown */
	int32_t		nr;
	int32_t		*core, *llc, *node;
};

struct xlv_run {
	const struct xlv_trace_info *info;	/* of the trace, which must outlive the run */
	enum xlv_boundaries	bounds;		/* used */
	bool			bounds_have[XLV_BOUNDS_AUTO];	/* in the recording */
	int64_t			tick_ns;	/* period of the timer tick; XLV_NONE unknown */

	struct xlv_sync		*syncs;
	struct xlv_push		*pushes;
	struct xlv_iclog	*iclogs;
	size_t			nr_syncs, nr_pushes, nr_iclogs;

	struct xlv_force_caller	*callers;
	struct xlv_silence	*silences;
	struct xlv_unfinished	*unfinished;
	size_t			nr_callers, nr_silences, nr_unfinished;
	struct xlv_throttle	grant_wait, cil_wait;

	int64_t			fake_ios;	/* FAKE_IO events */
	int64_t			log_bios;	/* bios of iclog writes */
	/*
	 * Switches from idle to a task that only show by the task's later events.
	 * Some virtual machines never record them on some CPUs.
	 */
	int64_t			unseen_switches;
	int32_t			unseen_cpu;	/* where most of them were; -1 none */
	int64_t			negative_deltas;	/* cross-CPU deltas below zero (clock skew) */
	uint32_t		devs[16];	/* XFS filesystems seen */
	int32_t			nr_devs;
	struct xlv_topology	topology;
};

struct xlv_run_opts {
	enum xlv_boundaries	bounds;		/* AUTO (0 is NONE: set it) */
	void			(*progress)(double done, void *arg);	/* or NULL */
	void			*arg;
};

/**
 * xlv_run_build - rebuild the journal work of a recording
 * @t:		an open trace, read from its start to its end
 * @opts:	NULL for the defaults
 * @err:	what went wrong: a read error, no memory, boundaries asked for
 *		that the recording doesn't have
 *
 * Returns a run, even one without syncs, or NULL.
 */
struct xlv_run *xlv_run_build(struct xlv_trace *t, const struct xlv_run_opts *opts,
			      struct xlv_error *err);
void xlv_run_free(struct xlv_run *run);

/**
 * xlv_sync_detail - unpack the waits, segments and wakes of a sync
 * @run:	the run
 * @sync:	one of its syncs
 * @d:		zeroed before its first use; overwritten by each call
 *
 * Returns 0, or -1 where there is no memory.
 */
int xlv_sync_detail(const struct xlv_run *run, const struct xlv_sync *sync, struct xlv_detail *d);
void xlv_detail_free(struct xlv_detail *d);

/* Names as they stand in reports: "log-force", "commit", "cil-push", "idle-exit" ... */
const char *xlv_kind_name(unsigned int kind);
const char *xlv_queue_name(unsigned int queue);
const char *xlv_stage_name(unsigned int stage);
const char *xlv_part_name(unsigned int part);
const char *xlv_context_name(unsigned int context);
const char *xlv_role_name(unsigned int role);
const char *xlv_distance_name(unsigned int distance);
const char *xlv_boundaries_name(unsigned int bounds);

#endif
