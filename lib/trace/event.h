/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decoded trace event, the same whatever kernel, machine or file format it
 * came from.
 *
 * The reader (trace/reader.h) turns records of a trace.dat file, or lines of
 * ftrace text, into these. All that differs between kernel versions is settled
 * before an event gets here. Fields that this recording doesn't hold have the
 * value named beside them.
 *
 * Strings are not terminated and live until the next event is read: copy what
 * has to stay.
 */
#ifndef XLV_TRACE_EVENT_H
#define XLV_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct xlv_str {
	const char	*s;
	uint32_t	len;
};

/*
 * X(TYPE, system, name): the events that are decoded. Other names of the same
 * event on other kernels are known to trace/kernel.c alone.
 */
#define XLV_EVENTS(X)								\
	X(SCHED_SWITCH,		"sched",	"sched_switch")			\
	X(SCHED_WAKING,		"sched",	"sched_waking")			\
	X(SCHED_WAKEUP,		"sched",	"sched_wakeup")			\
	X(SCHED_WAKEUP_NEW,	"sched",	"sched_wakeup_new")		\
	X(SCHED_MIGRATE,	"sched",	"sched_migrate_task")		\
	X(SCHED_FORK,		"sched",	"sched_process_fork")		\
	X(SCHED_EXEC,		"sched",	"sched_process_exec")		\
	X(SCHED_EXIT,		"sched",	"sched_process_exit")		\
	X(TASK_RENAME,		"task",		"task_rename")			\
	X(WQ_QUEUE,		"workqueue",	"workqueue_queue_work")		\
	X(WQ_ACTIVATE,		"workqueue",	"workqueue_activate_work")	\
	X(WQ_START,		"workqueue",	"workqueue_execute_start")	\
	X(WQ_END,		"workqueue",	"workqueue_execute_end")	\
	X(BIO_QUEUE,		"block",	"block_bio_queue")		\
	X(BIO_REMAP,		"block",	"block_bio_remap")		\
	X(BIO_COMPLETE,		"block",	"block_bio_complete")		\
	X(BIO_SPLIT,		"block",	"block_split")			\
	X(BIO_BACKMERGE,	"block",	"block_bio_backmerge")		\
	X(BIO_FRONTMERGE,	"block",	"block_bio_frontmerge")		\
	X(RQ_INSERT,		"block",	"block_rq_insert")		\
	X(RQ_ISSUE,		"block",	"block_rq_issue")		\
	X(RQ_REQUEUE,		"block",	"block_rq_requeue")		\
	X(RQ_COMPLETE,		"block",	"block_rq_complete")		\
	X(IRQ_ENTRY,		"irq",		"irq_handler_entry")		\
	X(IRQ_EXIT,		"irq",		"irq_handler_exit")		\
	X(SOFTIRQ_RAISE,	"irq",		"softirq_raise")		\
	X(SOFTIRQ_ENTRY,	"irq",		"softirq_entry")		\
	X(SOFTIRQ_EXIT,		"irq",		"softirq_exit")			\
	/* any vector's entry or exit; vec.timer: the local timer's */		\
	X(VECTOR_ENTRY,		"irq_vectors",	"*_entry")			\
	X(VECTOR_EXIT,		"irq_vectors",	"*_exit")			\
	X(HRTIMER_ENTRY,	"timer",	"hrtimer_expire_entry")		\
	X(HRTIMER_EXIT,		"timer",	"hrtimer_expire_exit")		\
	X(IPI_SEND,		"ipi",		"ipi_send_cpu")			\
	X(CPU_IDLE,		"power",	"cpu_idle")			\
	X(CPU_FREQUENCY,	"power",	"cpu_frequency")		\
	X(XFS_FILE_FSYNC,	"xfs",		"xfs_file_fsync")		\
	X(XFS_LOG_FORCE,	"xfs",		"xfs_log_force")		\
	X(XFS_CIL_WAIT,		"xfs",		"xfs_log_cil_wait")		\
	X(XFS_GRANT_SLEEP,	"xfs",		"xfs_log_grant_sleep")		\
	X(XFS_GRANT_WAKE,	"xfs",		"xfs_log_grant_wake")		\
	X(ICLOG_ACTIVATE,	"xfs",		"xlog_iclog_activate")		\
	X(ICLOG_CALLBACK,	"xfs",		"xlog_iclog_callback")		\
	X(ICLOG_CB_START,	"xfs",		"xlog_iclog_callbacks_start")	\
	X(ICLOG_CB_DONE,	"xfs",		"xlog_iclog_callbacks_done")	\
	X(ICLOG_CLEAN,		"xfs",		"xlog_iclog_clean")		\
	X(ICLOG_FORCE,		"xfs",		"xlog_iclog_force")		\
	X(ICLOG_FORCE_LSN,	"xfs",		"xlog_iclog_force_lsn")		\
	X(ICLOG_GET_SPACE,	"xfs",		"xlog_iclog_get_space")		\
	X(ICLOG_RELEASE,	"xfs",		"xlog_iclog_release")		\
	X(ICLOG_SWITCH,		"xfs",		"xlog_iclog_switch")		\
	X(ICLOG_SYNC,		"xfs",		"xlog_iclog_sync")		\
	X(ICLOG_SYNCING,	"xfs",		"xlog_iclog_syncing")		\
	X(ICLOG_SYNC_DONE,	"xfs",		"xlog_iclog_sync_done")		\
	X(ICLOG_WAIT_ON,	"xfs",		"xlog_iclog_wait_on")		\
	X(ICLOG_WANT_SYNC,	"xfs",		"xlog_iclog_want_sync")		\
	X(ICLOG_WRITE,		"xfs",		"xlog_iclog_write")		\
	/* the spans: from the kernel patch (group xfs) or probes (group xlogviz) */ \
	X(FORCE_ENTER,		"xfs",		"xlog_force_enter")		\
	X(FORCE_EXIT,		"xfs",		"xlog_force_exit")		\
	X(CIL_FORCE_ENTER,	"xfs",		"xlog_cil_force_enter")		\
	X(CIL_FORCE_EXIT,	"xfs",		"xlog_cil_force_exit")		\
	X(FORCE_WAIT_ENTER,	"xfs",		"xlog_force_wait_enter")	\
	X(FORCE_WAIT_EXIT,	"xfs",		"xlog_force_wait_exit")		\
	X(FORCE_WAKE,		"xfs",		"xlog_force_wake")		\
	X(FAKE_IO,		"xfs",		"xlog_fake_io")			\
	/* probes for kernels without xlog_iclog_* (group xlogviz only) */	\
	X(PROBE_PUSH_ENTER,	"xlogviz",	"push_enter")			\
	X(PROBE_PUSH_EXIT,	"xlogviz",	"push_exit")			\
	X(PROBE_SYNC_ENTER,	"xlogviz",	"sync_enter")			\
	X(PROBE_IOEND_ENTER,	"xlogviz",	"ioend_enter")			\
	X(PROBE_CLEAN_ENTER,	"xlogviz",	"clean_enter")			\
	/* sys_enter_NAME and sys_exit_NAME of the syscalls in enum xlv_syscall */ \
	X(SYS_ENTER,		"syscalls",	"sys_enter_*")			\
	X(SYS_EXIT,		"syscalls",	"sys_exit_*")			\
	/* trace_marker text */							\
	X(MARK,			"ftrace",	"print")

enum xlv_event_type {
	XLV_EV_OTHER,		/* any other event: only the common part is set */
	XLV_EV_LOST,		/* events of .cpu before .ts_ns are gone: dropped, or damaged */
#define XLV_ENUM(type, system, name)	XLV_EV_##type,
	XLV_EVENTS(XLV_ENUM)
#undef XLV_ENUM
	XLV_EV_COUNT
};

/* Context of an event, from its common_flags; a clear word means task context. */
enum {
	XLV_CTX_HARDIRQ		= 1,
	XLV_CTX_SOFTIRQ		= 2,
	XLV_CTX_NMI		= 4,
	XLV_CTX_IRQ		= XLV_CTX_HARDIRQ | XLV_CTX_SOFTIRQ | XLV_CTX_NMI,
	XLV_CTX_NEED_RESCHED	= 8,
	XLV_CTX_UNKNOWN		= 16,	/* text without the flags column */
};

/* State in which a task left the CPU, by the file's own print fmt. */
enum xlv_task_state {
	XLV_TASK_RUNNABLE,	/* R, R+: preempted or yielded */
	XLV_TASK_SLEEP,		/* S */
	XLV_TASK_BLOCKED,	/* D */
	XLV_TASK_IDLE,		/* I: an idle kworker */
	XLV_TASK_STOPPED,	/* T, t, P */
	XLV_TASK_DEAD,		/* X, Z */
	XLV_TASK_UNKNOWN,
};

/* Functions of work items and callers that the model knows. */
enum xlv_func {
	XLV_FN_UNKNOWN,		/* see the name */
	XLV_FN_CIL_PUSH,	/* xlog_cil_push_work, xlog_cil_push */
	XLV_FN_IOEND,		/* xlog_ioend_work */
	XLV_FN_IOEND_BUF,	/* xfs_buf_ioend_work: log I/O completion before 5.4 */
	XLV_FN_XFS_END_IO,	/* xfs_end_io: data writeback completion */
	XLV_FN_WQ_BARRIER,	/* wq_barrier_func */
	XLV_FN_LOG_WORKER,	/* xfs_log_worker: periodic, xfs-sync */
	XLV_FN_DIO_COMPLETE,	/* iomap_dio_complete_work, dio_aio_complete_work */
	XLV_FN_AIO_FSYNC,	/* aio_fsync_work */
	XLV_FN_LOOP,		/* loop_workfn, loop_rootcg_workfn */
	XLV_FN_FILE_FSYNC,	/* xfs_file_fsync and its inlined helpers */
	XLV_FN_FORCE_SEQ,	/* xfs_log_force_seq, xfs_log_force_lsn (nested) */
	XLV_FN_LOG_FORCE,	/* xfs_log_force itself (nested) */
	XLV_FN_SYNC_FS,		/* xfs_fs_sync_fs, xfs_quiesce_attr ... */
	XLV_FN_AIL,		/* xfsaild */
	XLV_FN_OTHER,		/* known by name, of no special meaning */
};

enum xlv_syscall {
	XLV_SYS_NONE,
	XLV_SYS_FSYNC, XLV_SYS_FDATASYNC, XLV_SYS_MSYNC, XLV_SYS_SYNC, XLV_SYS_SYNCFS,
	XLV_SYS_SYNC_FILE_RANGE,
	XLV_SYS_WRITE, XLV_SYS_PWRITE64, XLV_SYS_WRITEV, XLV_SYS_PWRITEV, XLV_SYS_PWRITEV2,
	XLV_SYS_IO_URING_ENTER, XLV_SYS_IO_SUBMIT, XLV_SYS_FALLOCATE, XLV_SYS_OTHER,
	XLV_SYS_COUNT
};

enum xlv_iclog_state {
	XLV_ICLOG_ACTIVE, XLV_ICLOG_WANT_SYNC, XLV_ICLOG_SYNCING, XLV_ICLOG_DONE_SYNC,
	XLV_ICLOG_CALLBACK, XLV_ICLOG_DIRTY, XLV_ICLOG_UNKNOWN
};

/* Flags of an iclog and of a block I/O, decoded. */
enum { XLV_ICL_NEED_FLUSH = 1, XLV_ICL_NEED_FUA = 2, XLV_ICL_FLAGS_UNKNOWN = 4 };
enum {
	XLV_RW_READ = 1, XLV_RW_WRITE = 2, XLV_RW_PREFLUSH = 4, XLV_RW_FUA = 8,
	XLV_RW_SYNC = 16, XLV_RW_META = 32, XLV_RW_DISCARD = 64,
	XLV_RW_FLUSH = 128,	/* an empty cache-flush request */
	XLV_RW_AHEAD = 256,
};

struct xlv_event {
	int64_t		ts_ns;		/* the trace's own clock */
	int32_t		cpu;
	int32_t		pid;		/* the current task's, also in interrupts */
	uint16_t	id;		/* the record's event id; 0 in text */
	uint8_t		type;		/* enum xlv_event_type */
	uint8_t		ctx;		/* XLV_CTX_* */
	uint8_t		probe;		/* a span that came from group xlogviz */
	union {
		struct {		/* LOST */
			int64_t		count;		/* -1: not known */
		} lost;
		struct {		/* SCHED_SWITCH */
			struct xlv_str	prev_comm, next_comm;
			int32_t		prev_pid, next_pid;
			int32_t		prev_prio, next_prio;
			uint8_t		prev_state;	/* enum xlv_task_state */
		} sw;
		struct {		/* SCHED_WAKING, _WAKEUP, _WAKEUP_NEW */
			struct xlv_str	comm;
			int32_t		pid, prio;
			int32_t		target_cpu;
		} wake;
		struct {		/* SCHED_MIGRATE */
			struct xlv_str	comm;
			int32_t		pid, orig_cpu, dest_cpu;
		} migrate;
		struct {		/* SCHED_FORK (child), _EXEC, _EXIT, TASK_RENAME */
			struct xlv_str	comm;		/* the new name; empty: not told */
			int32_t		pid;
		} task;
		struct {		/* WQ_* */
			uint64_t	work;		/* address of the work item */
			struct xlv_str	func_name;	/* empty: unknown */
			struct xlv_str	wq_name;	/* QUEUE only; empty: unknown */
			int32_t		req_cpu, cpu;	/* QUEUE only; -1: unbound or unknown */
			uint8_t		func;		/* enum xlv_func */
		} wq;
		struct {		/* BIO_*, RQ_* */
			uint32_t	dev;		/* major << 20 | minor */
			uint32_t	old_dev;	/* BIO_REMAP */
			uint64_t	sector;
			uint64_t	old_sector;	/* BIO_REMAP; BIO_SPLIT: the new sector */
			uint32_t	nr_sector;
			uint32_t	rw;		/* XLV_RW_* */
			int32_t		error;
			struct xlv_str	rwbs;
		} block;
		struct {		/* IRQ_*, SOFTIRQ_*, VECTOR_* */
			int32_t		nr;		/* irq or softirq vector; -1 */
			bool		timer;		/* the local timer's tick */
			struct xlv_str	name;		/* handler or vector */
		} irq;
		struct {		/* IPI_SEND */
			int32_t		target_cpu;
		} ipi;
		struct {		/* CPU_IDLE, CPU_FREQUENCY */
			int32_t		cpu;		/* the CPU it is about */
			int64_t		state;		/* C-state, -1: idle left; or kHz */
		} power;
		struct {		/* XFS_FILE_FSYNC, XFS_LOG_FORCE, XFS_CIL_WAIT, GRANT */
			uint32_t	dev;
			uint64_t	ino;		/* FILE_FSYNC */
			uint64_t	seq;		/* LOG_FORCE: its `lsn` field, 0: all */
			struct xlv_str	caller_name;	/* without offset; empty: unknown */
			uint8_t		caller;		/* enum xlv_func */
		} xfs;
		struct {		/* ICLOG_* */
			uint32_t	dev;
			uint64_t	lsn;
			int32_t		refcount;
			uint32_t	offset;
			uint8_t		state;		/* enum xlv_iclog_state */
			uint8_t		flags;		/* XLV_ICL_* */
			struct xlv_str	caller_name;
		} iclog;
		struct {		/* FORCE_*, CIL_FORCE_*, FAKE_IO, PROBE_* */
			uint32_t	dev;		/* 0: the probe can't tell */
			uint64_t	key;
			int64_t		val;
		} span;
		struct {		/* SYS_ENTER, SYS_EXIT */
			uint8_t		nr;		/* enum xlv_syscall */
			int64_t		arg;		/* ENTER: first argument (fd) */
			int64_t		ret;		/* EXIT */
		} sys;
		struct {		/* MARK */
			struct xlv_str	text;
		} mark;
	};
};

/**
 * xlv_event_name - the tracepoint name of a type, "sched_switch"
 * @type:	enum xlv_event_type
 *
 * Never NULL; patterns ("sys_enter_*") for the types that have several.
 */
const char *xlv_event_name(unsigned int type);

/** xlv_syscall_name - "fsync" for XLV_SYS_FSYNC; never NULL */
const char *xlv_syscall_name(unsigned int nr);

#endif
