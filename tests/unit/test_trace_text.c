// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ftrace text gives the same events as the recording it was printed from, in
 * every layout that people post.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/reader.h"
#include "traces.h"

static struct xlv_trace *open_trace(const char *path)
{
	struct xlv_error err;
	struct xlv_trace *t;

	t = xlv_trace_open(path, NULL, &err);
	if (!t)
		fail_msg("%s", err.text);
	return t;
}

static const char *data_file(const char *name)
{
	const char *top = getenv("top_srcdir");
	static char path[4096];

	snprintf(path, sizeof(path), "%s/tests/unit/data/%s", top ? top : ".", name);
	return path;
}

/* The one event of a text of one line. */
static struct xlv_trace *one_line(const char *line, struct xlv_event *ev)
{
	const char *path = traces_temp("line.txt");
	struct xlv_trace *t;

	traces_write(path, line, strlen(line));
	t = open_trace(path);
	assert_int_equal(xlv_trace_next(t, ev), 1);
	return t;
}

#define assert_str(s, text)	do {						\
	char buf_[256];								\
	xlv_str_copy(buf_, sizeof(buf_), s);					\
	assert_string_equal(buf_, text);					\
} while (0)

/* --- one event of each kind, as the kernel or trace-cmd prints it --- */

static void columns_are_read(void **state)
{
	static const struct {
		const char	*line;
		int64_t		ts;
		int		cpu, pid;
		int		ctx;
	} lines[] = {
		{ "dd-106 [003] 1.565001: xfs_file_fsync: dev 7:2 ino 0x83",
		  1565001000, 3, 106, XLV_CTX_UNKNOWN },
		{ "dd-106 [003] d.h1. 1.565001: xfs_file_fsync: dev 7:2 ino 0x83",
		  1565001000, 3, 106, XLV_CTX_HARDIRQ },
		{ "dd-106 [003] .Ns1 1.565001: xfs_file_fsync: dev 7:2 ino 0x83",
		  1565001000, 3, 106, XLV_CTX_SOFTIRQ | XLV_CTX_NEED_RESCHED },
		{ "dd-106 (    106) [003] dNH5. 1.565001234: xfs_file_fsync: dev 7:2 ino 0x83",
		  1565001234, 3, 106,
		  XLV_CTX_HARDIRQ | XLV_CTX_SOFTIRQ | XLV_CTX_NEED_RESCHED },
		{ "migration/1-21 (-------) [1023] ..Z.. 1.5: xfs_file_fsync: dev 7:2 ino 0x83",
		  1500000000, 1023, 21, XLV_CTX_NMI | XLV_CTX_HARDIRQ },
		{ "a b-c [0] d-77 [002] ..... 0.000001: xfs_file_fsync: dev 7:2 ino 0x83",
		  1000, 2, 77, 0 },
		{ "> > <idle>-0 [000] 9.000000: xfs_file_fsync: dev 7:2 ino 0x83\r\n",
		  9000000000, 0, 0, XLV_CTX_UNKNOWN },
	};
	struct xlv_event ev;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct xlv_trace *t = one_line(lines[i].line, &ev);

		assert_int_equal(ev.ts_ns, lines[i].ts);
		assert_int_equal(ev.cpu, lines[i].cpu);
		assert_int_equal(ev.pid, lines[i].pid);
		assert_int_equal(ev.ctx, lines[i].ctx);
		assert_int_equal(ev.type, XLV_EV_XFS_FILE_FSYNC);
		assert_int_equal(ev.xfs.dev, 7 << 20 | 2);
		assert_int_equal(ev.xfs.ino, 0x83);
		xlv_trace_close(t);
	}
}

static void a_clock_of_ticks_is_told(void **state)
{
	struct xlv_event ev;
	struct xlv_trace *t;

	(void)state;
	t = one_line("dd-1 [000] 243839745122: sched_waking: comm=x pid=5 prio=120 "
		     "target_cpu=001", &ev);
	assert_int_equal(ev.ts_ns, 243839745122);
	assert_true(xlv_trace_info(t)->clock_ticks);
	xlv_trace_close(t);
}

#define HEAD	"dd-106 [003] ..... 1.565001: "

static void switches_have_two_styles(void **state)
{
	static const char *const lines[] = {
		HEAD "sched_switch: prev_comm=a ==> b prev_pid=106 prev_prio=120 prev_state=D "
		     "==> next_comm=kworker/u8:1 x next_pid=9 next_prio=100",
		HEAD "sched_switch: a ==> b:106 [120] D ==> kworker/u8:1 x:9 [100]",
		HEAD "sched_switch: prev_comm=a ==> b prev_pid=106 prev_prio=120 prev_state=2 "
		     "next_comm=kworker/u8:1 x next_pid=9 next_prio=100",
	};
	struct xlv_event ev;
	struct xlv_trace *t;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		if (i == 1)	/* here a name with an arrow can't be told apart */
			t = one_line(HEAD "sched_switch: a b:106 [120] D ==> "
				     "kworker/u8:1 x:9 [100]", &ev);
		else
			t = one_line(lines[i], &ev);
		assert_int_equal(ev.type, XLV_EV_SCHED_SWITCH);
		assert_str(ev.sw.prev_comm, i == 1 ? "a b" : "a ==> b");
		assert_str(ev.sw.next_comm, "kworker/u8:1 x");
		assert_int_equal(ev.sw.prev_pid, 106);
		assert_int_equal(ev.sw.next_pid, 9);
		assert_int_equal(ev.sw.prev_prio, 120);
		assert_int_equal(ev.sw.next_prio, 100);
		assert_int_equal(ev.sw.prev_state, XLV_TASK_BLOCKED);
		xlv_trace_close(t);
	}
}

static void task_states_are_read(void **state)
{
	static const struct {
		const char	*text;
		int		state;
	} states[] = {
		{ "R", XLV_TASK_RUNNABLE }, { "R+", XLV_TASK_RUNNABLE },
		{ "S", XLV_TASK_SLEEP }, { "D", XLV_TASK_BLOCKED }, { "D|K", XLV_TASK_BLOCKED },
		{ "I", XLV_TASK_IDLE }, { "W", XLV_TASK_IDLE }, { "D|N", XLV_TASK_IDLE },
		{ "T", XLV_TASK_STOPPED }, { "X", XLV_TASK_DEAD }, { "Z", XLV_TASK_DEAD },
		{ "0", XLV_TASK_RUNNABLE }, { "1", XLV_TASK_SLEEP }, { "2", XLV_TASK_BLOCKED },
		{ "4096", XLV_TASK_RUNNABLE }, { "256", XLV_TASK_RUNNABLE },
	};
	struct xlv_event ev;
	unsigned int i;
	char line[256];

	(void)state;
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		snprintf(line, sizeof(line), HEAD "sched_switch: prev_comm=a prev_pid=1 "
			 "prev_prio=120 prev_state=%s ==> next_comm=b next_pid=2 next_prio=120",
			 states[i].text);
		xlv_trace_close(one_line(line, &ev));
		assert_int_equal(ev.sw.prev_state, states[i].state);
	}
}

static void wakeups_have_two_styles(void **state)
{
	static const char *const lines[] = {
		HEAD "sched_waking: comm=kworker/2:1H pid=93 prio=100 target_cpu=002",
		HEAD "sched_waking: comm=kworker/2:1H pid=93 prio=100 success=1 target_cpu=002",
		HEAD "sched_waking: kworker/2:1H:93 [100] CPU:002",
		HEAD "sched_waking: kworker/2:1H:93 [100] success=1 CPU:002",
	};
	struct xlv_event ev;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct xlv_trace *t = one_line(lines[i], &ev);

		assert_int_equal(ev.type, XLV_EV_SCHED_WAKING);
		assert_str(ev.wake.comm, "kworker/2:1H");
		assert_int_equal(ev.wake.pid, 93);
		assert_int_equal(ev.wake.prio, 100);
		assert_int_equal(ev.wake.target_cpu, 2);
		xlv_trace_close(t);
	}
}

static void work_items_are_read(void **state)
{
	struct xlv_event ev;
	struct xlv_trace *t;

	(void)state;
	t = one_line(HEAD "workqueue_queue_work: work struct=000000000c94904a "
		     "function=xlog_cil_push_work [xfs] workqueue=xfs-cil/vda req_cpu=8192 "
		     "cpu=4294967295", &ev);
	assert_int_equal(ev.wq.work, 0xc94904a);
	assert_int_equal(ev.wq.func, XLV_FN_CIL_PUSH);
	assert_str(ev.wq.wq_name, "xfs-cil/vda");
	assert_int_equal(ev.wq.req_cpu, -1);
	assert_int_equal(ev.wq.cpu, -1);
	xlv_trace_close(t);
	t = one_line(HEAD "workqueue_queue_work: work struct=0xffff888003fcdbe8 "
		     "function=xlog_ioend_work workqueue=0xffff88803e970a00 req_cpu=8192 cpu=0",
		     &ev);
	assert_int_equal(ev.wq.work, 0xffff888003fcdbe8);
	assert_str(ev.wq.wq_name, "");
	assert_int_equal(ev.wq.cpu, 0);
	xlv_trace_close(t);
	t = one_line(HEAD "workqueue_execute_end: work struct 0xc94904a: function xfs_end_io", &ev);
	assert_int_equal(ev.type, XLV_EV_WQ_END);
	assert_int_equal(ev.wq.func, XLV_FN_XFS_END_IO);
	xlv_trace_close(t);
	t = one_line(HEAD "workqueue_activate_work: work struct 0xffff88800622f390", &ev);
	assert_int_equal(ev.type, XLV_EV_WQ_ACTIVATE);
	assert_str(ev.wq.func_name, "");
	assert_int_equal(ev.wq.func, XLV_FN_UNKNOWN);
	xlv_trace_close(t);
}

static void block_events_are_read(void **state)
{
	struct xlv_event ev;
	struct xlv_trace *t;

	(void)state;
	t = one_line(HEAD "block_rq_issue: 254,16 FWFSM 2560 () 1048685 + 5 be,0,4 [kworker/1:1]",
		     &ev);
	assert_int_equal(ev.block.dev, 254 << 20 | 16);
	assert_int_equal(ev.block.sector, 1048685);
	assert_int_equal(ev.block.nr_sector, 5);
	assert_int_equal(ev.block.rw, XLV_RW_PREFLUSH | XLV_RW_WRITE | XLV_RW_FUA | XLV_RW_SYNC |
				      XLV_RW_META);
	xlv_trace_close(t);
	t = one_line(HEAD "block_rq_complete: 254,0 FF () 18446744073709551615 + 0 [-5]", &ev);
	assert_int_equal(ev.block.sector, UINT64_MAX);
	assert_int_equal(ev.block.error, -5);
	assert_int_equal(ev.block.rw, XLV_RW_PREFLUSH | XLV_RW_FLUSH);
	xlv_trace_close(t);
	t = one_line(HEAD "block_bio_remap: 8,0 WS 2056 + 8 <- (8,1) 8", &ev);
	assert_int_equal(ev.block.sector, 2056);
	assert_int_equal(ev.block.old_dev, 8 << 20 | 1);
	assert_int_equal(ev.block.old_sector, 8);
	xlv_trace_close(t);
	t = one_line(HEAD "block_split: 8,0 WS 2056 / 4096 [dd]", &ev);
	assert_int_equal(ev.type, XLV_EV_BIO_SPLIT);
	assert_int_equal(ev.block.sector, 2056);
	assert_int_equal(ev.block.old_sector, 4096);
	xlv_trace_close(t);
}

static void iclogs_are_read(void **state)
{
	static const struct {
		const char	*flags;
		int		value;
	} flags[] = {
		{ " flags  caller", 0 },
		{ " flags XLOG_ICL_NEED_FLUSH caller", XLV_ICL_NEED_FLUSH },
		{ " flags XLOG_ICL_NEED_FLUSH|XLOG_ICL_NEED_FUA caller",
		  XLV_ICL_NEED_FLUSH | XLV_ICL_NEED_FUA },
		{ " caller", XLV_ICL_FLAGS_UNKNOWN },
	};
	struct xlv_event ev;
	unsigned int i;
	char line[512];

	(void)state;
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct xlv_trace *t;

		snprintf(line, sizeof(line), HEAD "xlog_iclog_syncing: dev 254:0 state "
			 "XLOG_STATE_SYNCING refcnt 2 offset 1988 lsn 0x10000003d%s "
			 "xlog_force_lsn+0x177/0x200 [xfs]", flags[i].flags);
		t = one_line(line, &ev);
		assert_int_equal(ev.type, XLV_EV_ICLOG_SYNCING);
		assert_int_equal(ev.iclog.dev, 254 << 20);
		assert_int_equal(ev.iclog.lsn, 0x10000003d);
		assert_int_equal(ev.iclog.refcount, 2);
		assert_int_equal(ev.iclog.offset, 1988);
		assert_int_equal(ev.iclog.state, XLV_ICLOG_SYNCING);
		assert_int_equal(ev.iclog.flags, flags[i].value);
		assert_str(ev.iclog.caller_name, "xlog_force_lsn");
		xlv_trace_close(t);
	}
}

static void forces_and_spans_are_read(void **state)
{
	struct xlv_event ev;
	struct xlv_trace *t;

	(void)state;
	t = one_line(HEAD "xfs_log_force: dev 254:0 lsn 0x15 caller xfs_file_fsync+0x174/0x1 [xfs]",
		     &ev);
	assert_int_equal(ev.xfs.seq, 0x15);
	assert_int_equal(ev.xfs.caller, XLV_FN_FILE_FSYNC);
	assert_str(ev.xfs.caller_name, "xfs_file_fsync");
	xlv_trace_close(t);
	t = one_line(HEAD "xfs_log_force: dev 254:0 lsn 0x15 caller xfs_log_force_lsn+0x5", &ev);
	assert_int_equal(ev.xfs.caller, XLV_FN_FORCE_SEQ);
	xlv_trace_close(t);
	t = one_line(HEAD "xlog_force_wait_enter: dev 254:0 key 0x10000003d val -5", &ev);
	assert_int_equal(ev.type, XLV_EV_FORCE_WAIT_ENTER);
	assert_int_equal(ev.span.key, 0x10000003d);
	assert_int_equal(ev.span.val, -5);
	assert_int_equal(ev.probe, 0);
	xlv_trace_close(t);
	t = one_line(HEAD "cil_force_enter: (xlog_cil_force_seq+0x0/0x250 [xfs]) key=0x15", &ev);
	assert_int_equal(ev.type, XLV_EV_CIL_FORCE_ENTER);
	assert_int_equal(ev.span.key, 0x15);
	assert_int_equal(ev.span.dev, 0);
	assert_int_equal(ev.probe, 1);
	xlv_trace_close(t);
}

static void syscalls_are_read(void **state)
{
	static const struct {
		const char	*line;
		int		type;
		int64_t		value;
	} lines[] = {
		{ "sys_enter_fsync: fd: 0x00000003", XLV_EV_SYS_ENTER, 3 },
		{ "sys_enter_fsync: [FAILED TO PARSE] __syscall_nr=74 fd=3", XLV_EV_SYS_ENTER, 3 },
		{ "sys_fsync(fd: 3)", XLV_EV_SYS_ENTER, 3 },
		{ "sys_exit_fsync: 0x0", XLV_EV_SYS_EXIT, 0 },
		{ "sys_exit_fsync: 0xfffffffffffffffb", XLV_EV_SYS_EXIT, -5 },
		{ "sys_fsync -> 0xfffffffffffffffb", XLV_EV_SYS_EXIT, -5 },
	};
	struct xlv_event ev;
	unsigned int i;
	char line[256];

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(line, sizeof(line), HEAD "%s", lines[i].line);
		xlv_trace_close(one_line(line, &ev));
		assert_int_equal(ev.type, lines[i].type);
		assert_int_equal(ev.sys.nr, XLV_SYS_FSYNC);
		assert_int_equal(ev.type == XLV_EV_SYS_ENTER ? ev.sys.arg : ev.sys.ret,
				 lines[i].value);
	}
}

static void losses_are_told(void **state)
{
	static const char text[] =
		"CPU:1 [LOST 123 EVENTS]\n"
		"dd-1 [000] 1.000001: sched_waking: comm=x pid=5 prio=120 target_cpu=001\n"
		"dd-1 [001] 1.000002: sched_waking: comm=x pid=5 prio=120 target_cpu=001\n"
		"CPU:0 [EVENTS DROPPED]\n"
		"dd-1 [000] 1.000003: sched_waking: comm=x pid=5 prio=120 target_cpu=001\n";
	static const int types[] = { XLV_EV_SCHED_WAKING, XLV_EV_LOST, XLV_EV_SCHED_WAKING,
				     XLV_EV_LOST, XLV_EV_SCHED_WAKING };
	const char *path = traces_temp("lost.txt");
	struct xlv_event ev;
	struct xlv_trace *t;
	unsigned int i;

	(void)state;
	traces_write(path, text, strlen(text));
	t = open_trace(path);
	for (i = 0; i < 5; i++) {
		assert_int_equal(xlv_trace_next(t, &ev), 1);
		assert_int_equal(ev.type, types[i]);
		if (i == 1) {
			assert_int_equal(ev.cpu, 1);
			assert_int_equal(ev.lost.count, 123);
			assert_int_equal(ev.ts_ns, 1000002000);
		}
		if (i == 3)
			assert_int_equal(ev.lost.count, -1);
	}
	assert_int_equal(xlv_trace_next(t, &ev), 0);
	assert_int_equal(xlv_trace_info(t)->lost_events, 123);
	assert_int_equal(xlv_trace_info(t)->lost_uncounted, 1);
	xlv_trace_close(t);
}

/* --- whole texts --- */

/* What two readings of the same trace must agree in. */
static bool same_str(struct xlv_str a, struct xlv_str b)
{
	return a.len == b.len && (!a.len || !memcmp(a.s, b.s, a.len));
}

static bool same_fields(const struct xlv_event *a, const struct xlv_event *b)
{
	switch (a->type) {
	case XLV_EV_SCHED_SWITCH:
		return same_str(a->sw.prev_comm, b->sw.prev_comm) &&
		       same_str(a->sw.next_comm, b->sw.next_comm) &&
		       a->sw.prev_pid == b->sw.prev_pid && a->sw.next_pid == b->sw.next_pid &&
		       a->sw.prev_prio == b->sw.prev_prio && a->sw.next_prio == b->sw.next_prio &&
		       a->sw.prev_state == b->sw.prev_state;
	case XLV_EV_SCHED_WAKING:
	case XLV_EV_SCHED_WAKEUP:
	case XLV_EV_SCHED_WAKEUP_NEW:
		return same_str(a->wake.comm, b->wake.comm) && a->wake.pid == b->wake.pid &&
		       a->wake.prio == b->wake.prio && a->wake.target_cpu == b->wake.target_cpu;
	case XLV_EV_SCHED_MIGRATE:
		return same_str(a->migrate.comm, b->migrate.comm) &&
		       a->migrate.pid == b->migrate.pid &&
		       a->migrate.orig_cpu == b->migrate.orig_cpu &&
		       a->migrate.dest_cpu == b->migrate.dest_cpu;
	case XLV_EV_WQ_QUEUE:
	case XLV_EV_WQ_ACTIVATE:
	case XLV_EV_WQ_START:
	case XLV_EV_WQ_END:
		/* a recording takes only names of exact addresses */
		return a->wq.work == b->wq.work && a->wq.req_cpu == b->wq.req_cpu &&
		       a->wq.cpu == b->wq.cpu && same_str(a->wq.wq_name, b->wq.wq_name) &&
		       (!a->wq.func_name.len || same_str(a->wq.func_name, b->wq.func_name));
	case XLV_EV_BIO_QUEUE ... XLV_EV_RQ_COMPLETE:
		return a->block.dev == b->block.dev && a->block.sector == b->block.sector &&
		       a->block.nr_sector == b->block.nr_sector && a->block.rw == b->block.rw &&
		       a->block.error == b->block.error;
	case XLV_EV_IRQ_ENTRY ... XLV_EV_HRTIMER_EXIT:
		return a->irq.nr == b->irq.nr && a->irq.timer == b->irq.timer &&
		       same_str(a->irq.name, b->irq.name);
	case XLV_EV_IPI_SEND:
		return a->ipi.target_cpu == b->ipi.target_cpu;
	case XLV_EV_CPU_IDLE:
	case XLV_EV_CPU_FREQUENCY:
		return a->power.cpu == b->power.cpu && a->power.state == b->power.state;
	case XLV_EV_XFS_FILE_FSYNC ... XLV_EV_XFS_GRANT_WAKE:
		return a->xfs.dev == b->xfs.dev && a->xfs.ino == b->xfs.ino &&
		       a->xfs.seq == b->xfs.seq &&
		       (!a->xfs.caller_name.len || a->xfs.caller == b->xfs.caller);
	case XLV_EV_ICLOG_ACTIVATE ... XLV_EV_ICLOG_WRITE:
		return a->iclog.dev == b->iclog.dev && a->iclog.lsn == b->iclog.lsn &&
		       a->iclog.state == b->iclog.state && a->iclog.flags == b->iclog.flags &&
		       a->iclog.refcount == b->iclog.refcount &&
		       a->iclog.offset == b->iclog.offset;
	case XLV_EV_FORCE_ENTER ... XLV_EV_PROBE_CLEAN_ENTER:
		return a->span.dev == b->span.dev && a->span.key == b->span.key &&
		       a->span.val == b->span.val && a->probe == b->probe;
	case XLV_EV_SYS_ENTER:
	case XLV_EV_SYS_EXIT:
		return a->sys.nr == b->sys.nr && a->sys.arg == b->sys.arg &&
		       a->sys.ret == b->sys.ret;
	case XLV_EV_MARK:
		return true;
	}
	return true;
}

static void compare_traces(const char *name, const char *path_a, const char *path_b)
{
	struct xlv_trace *a = open_trace(path_a), *b = open_trace(path_b);
	struct xlv_event ea, eb;
	int n, ra, rb;

	for (n = 0;; n++) {
		ra = xlv_trace_next(a, &ea);
		rb = xlv_trace_next(b, &eb);
		if (ra != rb)
			fail_msg("%s: after %d events only one goes on", name, n);
		if (ra <= 0)
			break;
		if (ea.ts_ns != eb.ts_ns || ea.cpu != eb.cpu || ea.pid != eb.pid ||
		    ea.type != eb.type || !same_fields(&ea, &eb))
			fail_msg("%s: event %d differs: %s at %lld ns on CPU %d, %s at %lld ns "
				 "on CPU %d", name, n, xlv_event_name(ea.type),
				 (long long)ea.ts_ns, ea.cpu, xlv_event_name(eb.type),
				 (long long)eb.ts_ns, eb.cpu);
	}
	assert_int_equal(ra, 0);
	print_message("%s: %d events\n", name, n);
	assert_true(n > 0);
	xlv_trace_close(a);
	xlv_trace_close(b);
}

static void kernel_text_is_read(void **state)
{
	const struct xlv_trace_info *info;
	struct xlv_event ev;
	struct xlv_trace *t;

	(void)state;
	t = open_trace(data_file("fsync-6.18.txt"));
	while (xlv_trace_next(t, &ev) > 0)
		;
	info = xlv_trace_info(t);
	assert_string_equal(info->format, "text");
	assert_int_equal(info->nr_cpus, 2);
	assert_int_equal(info->backward, 0);
	assert_int_equal(info->count[XLV_EV_XFS_FILE_FSYNC], 2);
	assert_int_equal(info->count[XLV_EV_XFS_LOG_FORCE], 2);
	assert_int_equal(info->count[XLV_EV_ICLOG_SYNC_DONE], 1);
	assert_int_equal(info->count[XLV_EV_MARK], 2);
	assert_string_equal(info->metadata, "{\"command\":\"dd oflag=sync\"}");
	assert_string_equal(xlv_trace_comm(t, 6782), "dd");
	assert_null(xlv_trace_comm(t, 12345));
	xlv_trace_close(t);
}

enum { QUOTE = 1, NO_TGID = 2, NO_FLAGS = 4, CRLF = 8, WRAP = 16, SHUFFLE = 32, TWICE = 64 };

/* Write the kernel's text again in another layout. */
static const char *relayout(int how)
{
	const char *path = traces_temp("layout.txt");
	char *text, *line, *save = NULL, *p, *q, *even = NULL, *odd = NULL;
	size_t n_even, n_odd;
	FILE *f, *g, *out;
	unsigned long len;
	int nr = 0;

	text = traces_read(data_file("fsync-6.18.txt"), &len);
	assert_non_null(text);
	f = open_memstream(&even, &n_even);
	g = open_memstream(&odd, &n_odd);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		out = *line != '#' && (how & SHUFFLE) && strstr(line, "[001]") ? g : f;
		if (*line != '#' && (how & NO_TGID)) {
			p = strchr(line, '(');
			q = strchr(line, ')');
			memmove(p, q + 1, strlen(q));
		}
		if (*line != '#' && (how & NO_FLAGS)) {
			p = strchr(strstr(line, " [00") + 1, ' ') + 1;
			q = strchr(p, ' ');
			memmove(p, q, strlen(q) + 1);
		}
		/* quoted before the whole, as mails do */
		if ((how & TWICE) && strstr(line, "xlog_iclog_clean"))
			fprintf(g, "%.*s \\\n", (int)(strlen(line) - 20), line);
		if (how & QUOTE)
			fputs("> ", out);
		p = (how & WRAP) ? strstr(line, " caller ") : NULL;
		if (p)
			fprintf(out, "%.*s%s", (int)(p - line), line,
				how & QUOTE ? "\n> " : "\n");
		fprintf(out, "%s%s\n", p ? p : line, how & CRLF ? "\r" : "");
		nr++;
	}
	fclose(f);
	fclose(g);
	f = fopen(path, "w");
	fputs(odd, f);
	fputs(even, f);
	fclose(f);
	free(even);
	free(odd);
	free(text);
	assert_true(nr > 50);
	return path;
}

static void layouts_make_no_difference(void **state)
{
	static const int hows[] = { 0, QUOTE, NO_TGID, NO_FLAGS, NO_TGID | NO_FLAGS, CRLF, WRAP,
				    QUOTE | WRAP | NO_TGID, SHUFFLE,
				    SHUFFLE | QUOTE | CRLF, TWICE };
	const char *whole = data_file("fsync-6.18.txt");
	char name[32];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(hows) / sizeof(hows[0]); i++) {
		snprintf(name, sizeof(name), "layout %#x", hows[i]);
		compare_traces(name, whole, relayout(hows[i]));
	}
}

/* trace-cmd's report of a recording against the recording */
static void compare_report(const char *name, const char *path)
{
	const char *out = traces_temp("report.txt");
	char *cmd;

	if (asprintf(&cmd, "trace-cmd report -t '%s' >'%s' 2>/dev/null", path, out) < 0)
		abort();
	if (system(cmd) || access(out, R_OK)) {
		print_message("skipped: trace-cmd can't report %s\n", name);
	} else {
		compare_traces(name, path, out);
	}
	free(cmd);
}

static void reports_equal_their_recordings(void **state)
{
	/* kernels whose letters and formats the installed plugins print rightly */
	static const char *const names[] = {
		"host-6.18-dd.dat", "host-6.18-fio8.dat", "qemu-6.1-base.dat",
		"qemu-6.1-stock.dat", "matrix/6.1-arm64.dat", "matrix/6.1-s390x.dat",
		"matrix/6.1-i386.dat", "matrix/6.12-amd64.dat", "matrix/6.1-amd64-lost.dat",
		"uml-7.2-base.dat", "matrix/5.10-amd64.dat",
	};
	const char *path;
	unsigned int i, n = 0;

	(void)state;
	if (system("trace-cmd --help >/dev/null 2>&1") == 127 << 8) {
		print_message("skipped: trace-cmd is not installed\n");
		skip();
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path = traces_path(names[i]);
		if (!path)
			continue;
		compare_report(names[i], path);
		n++;
	}
	if (!n) {
		print_message("skipped: the collection of recordings is not there\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_read),
		cmocka_unit_test(a_clock_of_ticks_is_told),
		cmocka_unit_test(switches_have_two_styles),
		cmocka_unit_test(task_states_are_read),
		cmocka_unit_test(wakeups_have_two_styles),
		cmocka_unit_test(work_items_are_read),
		cmocka_unit_test(block_events_are_read),
		cmocka_unit_test(iclogs_are_read),
		cmocka_unit_test(forces_and_spans_are_read),
		cmocka_unit_test(syscalls_are_read),
		cmocka_unit_test(losses_are_told),
		cmocka_unit_test(kernel_text_is_read),
		cmocka_unit_test(layouts_make_no_difference),
		cmocka_unit_test(reports_equal_their_recordings),
	};

	return cmocka_run_group_tests_name("trace_text", tests, NULL, NULL);
}
