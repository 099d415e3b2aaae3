// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/text_fields.h"

#include "trace/text_words.h"

/* "comm:pid [prio] ..." as libtraceevent's plugin prints a task */
static bool plugin_task(struct xlv_str s, struct xlv_str *comm, int32_t *pid, int32_t *prio)
{
	const char *open, *colon;
	uint64_t v;

	open = xlv_find_last(s, " [");
	if (!open)
		return false;
	if (xlv_parse_number(xlv_span(open + 2, s.s + s.len), 10, &v))
		*prio = v;
	colon = memrchr(s.s, ':', open - s.s);
	if (!colon || !xlv_parse_number(xlv_span(colon + 1, open), 10, &v))
		return false;
	*pid = v;
	*comm = xlv_trim(xlv_span(s.s, colon));
	return true;
}

/* Letters, or the plain number; the highest bit stands for preempted. */
static uint8_t task_state(struct xlv_str s)
{
	uint64_t v;

	s = xlv_trim(s);
	if (s.len && xlv_is_digit(s.s[0]) && xlv_parse_number(s, 10, &v)) {
		if (!v || v > 0xff)
			return XLV_TASK_RUNNABLE;
		return v & 1 ? XLV_TASK_SLEEP : v & 2 ? XLV_TASK_BLOCKED :
		       v & 0x0c ? XLV_TASK_STOPPED : v & 0x30 ? XLV_TASK_DEAD :
		       v & 0x40 ? XLV_TASK_STOPPED : XLV_TASK_IDLE;
	}
	/* the plugin's letter for the idle bit of newer kernels */
	if (xlv_str_eq(s, "W"))
		return XLV_TASK_IDLE;
	return xlv_kernel_task_state(s);
}

static bool fields_switch(struct xlv_str s, struct xlv_event *ev)
{
	const char *arrow = xlv_find(s, " ==> ");
	struct xlv_str left, right, state;
	const char *p;

	if (xlv_find(s, "prev_comm=")) {
		ev->sw.prev_comm = xlv_between(s, "prev_comm=", " prev_pid=");
		ev->sw.prev_pid = xlv_number_after(s, "prev_pid=");
		ev->sw.prev_prio = xlv_number_after(s, "prev_prio=");
		ev->sw.prev_state = task_state(xlv_word_after(s, "prev_state="));
		ev->sw.next_comm = xlv_between(s, "next_comm=", " next_pid=");
		ev->sw.next_pid = xlv_number_after(s, "next_pid=");
		ev->sw.next_prio = xlv_number_after(s, "next_prio=");
		return xlv_find(s, "next_pid=");
	}
	if (!arrow)
		return false;
	left = xlv_span(s.s, arrow);
	right = xlv_span(arrow + 5, s.s + s.len);
	p = memrchr(left.s, ' ', left.len);
	if (!p)
		return false;
	state = xlv_span(p + 1, left.s + left.len);
	ev->sw.prev_state = task_state(state);
	return plugin_task(xlv_span(left.s, p), &ev->sw.prev_comm, &ev->sw.prev_pid,
			   &ev->sw.prev_prio) &&
	       plugin_task(right, &ev->sw.next_comm, &ev->sw.next_pid, &ev->sw.next_prio);
}

static bool fields_wake(struct xlv_str s, struct xlv_event *ev)
{
	const char *p;

	if (xlv_find(s, "comm=") && xlv_find(s, "pid=")) {
		ev->wake.comm = xlv_between(s, "comm=", " pid=");
		ev->wake.pid = xlv_number_after(s, "pid=");
		ev->wake.prio = xlv_number_after(s, "prio=");
		ev->wake.target_cpu = xlv_number_after(s, "target_cpu=");
		return true;
	}
	p = xlv_find(s, "CPU:");
	if (!p)
		return false;
	ev->wake.target_cpu = xlv_number_after(xlv_span(p, s.s + s.len), "CPU:");
	p = xlv_find(s, "success=") ? xlv_find(s, "success=") : p;
	return plugin_task(xlv_trim(xlv_span(s.s, p)), &ev->wake.comm, &ev->wake.pid,
			   &ev->wake.prio);
}

/* A work item's address: the first number, after "work struct" with '=' or ' '. */
static bool fields_wq(struct xlv_str s, struct xlv_event *ev)
{
	const char *p = xlv_find(s, "work struct");
	struct xlv_str name, addr;
	uint64_t v;

	if (!p)
		return false;
	addr = xlv_span(p + strlen("work struct") + 1, s.s + s.len);
	if (!xlv_parse_number(addr, 16, &ev->wq.work))
		return false;
	name = xlv_word_after(s, xlv_find(s, "function=") ? "function=" : "function ");
	ev->wq.func_name = xlv_function_name(name);
	ev->wq.func = xlv_kernel_func(ev->wq.func_name);
	ev->wq.wq_name = xlv_word_after(s, "workqueue=");
	/* kernels before 6.1 or so print its address */
	if (ev->wq.wq_name.len >= 8 && xlv_parse_number(ev->wq.wq_name, 16, &v) &&
	    strspn(ev->wq.wq_name.s, "0123456789abcdefx") >= ev->wq.wq_name.len)
		ev->wq.wq_name.len = 0;
	ev->wq.req_cpu = xlv_find(s, "req_cpu=") ? (int32_t)xlv_number_after(s, "req_cpu=") : -1;
	ev->wq.cpu = xlv_find(s, " cpu=") ? (int32_t)xlv_number_after(s, "cpu=") : -1;
	return true;
}

/* "254,0 WSM [BYTES (CMD)] SECTOR + N ..." */
static bool fields_block(struct xlv_str s, struct xlv_event *ev)
{
	const char *plus, *p, *open;
	struct xlv_str left;
	uint64_t v;

	memset(&ev->block, 0, sizeof(ev->block));
	ev->block.dev = xlv_dev_after(s, "", ',');
	p = memchr(s.s, ' ', s.len);
	if (!ev->block.dev || !p)
		return false;
	left = xlv_trim(xlv_span(p, s.s + s.len));
	for (p = left.s; p < left.s + left.len && *p != ' '; p++)
		;
	ev->block.rwbs = xlv_span(left.s, p);

	plus = xlv_find(s, ev->type == XLV_EV_BIO_SPLIT ? " / " : " + ");
	if (!plus)
		return false;
	p = memrchr(s.s, ' ', plus - s.s);
	if (!p || !xlv_parse_number(xlv_span(p + 1, plus), 10, &ev->block.sector) ||
	    !xlv_parse_number(xlv_span(plus + 3, s.s + s.len), 10, &v))
		return false;
	if (ev->type == XLV_EV_BIO_SPLIT)
		ev->block.old_sector = v;
	else
		ev->block.nr_sector = v;
	p = xlv_find(s, "<- (");
	if (p) {
		left = xlv_span(p + 4, s.s + s.len);
		ev->block.old_dev = xlv_dev_after(left, "", ',');
		p = memchr(left.s, ')', left.len);
		if (p)
			xlv_parse_number(xlv_span(p + 1, left.s + left.len), 10,
					 &ev->block.old_sector);
	}
	open = memrchr(s.s, '[', s.len);
	if (open && (ev->type == XLV_EV_BIO_COMPLETE || ev->type == XLV_EV_RQ_COMPLETE ||
		     ev->type == XLV_EV_RQ_REQUEUE) &&
	    xlv_parse_number(xlv_span(open + 1, s.s + s.len), 10, &v))
		ev->block.error = (int32_t)v;
	ev->block.rw = xlv_kernel_rwbs(ev->block.rwbs, ev->type == XLV_EV_BIO_SPLIT ? 1 :
				       ev->block.nr_sector);
	return true;
}

static bool fields_irq(struct xlv_str s, struct xlv_str event, uint8_t timer,
		       struct xlv_event *ev)
{
	memset(&ev->irq, 0, sizeof(ev->irq));
	ev->irq.nr = -1;
	switch (ev->type) {
	case XLV_EV_IRQ_ENTRY:
	case XLV_EV_IRQ_EXIT:
		ev->irq.nr = xlv_number_after(s, "irq=");
		ev->irq.name = xlv_trim(xlv_after(s, "name="));
		return xlv_find(s, "irq=");
	case XLV_EV_VECTOR_ENTRY:
	case XLV_EV_VECTOR_EXIT:
		if (xlv_find(s, "vector="))
			ev->irq.nr = xlv_number_after(s, "vector=");
		ev->irq.timer = timer;
		ev->irq.name = event;
		ev->irq.name.len -= ev->type == XLV_EV_VECTOR_ENTRY ? 6 : 5;
		return true;
	case XLV_EV_HRTIMER_ENTRY:
	case XLV_EV_HRTIMER_EXIT:
		ev->irq.name = xlv_function_name(xlv_word_after(s, "function="));
		ev->irq.timer = xlv_str_eq(ev->irq.name, "tick_sched_timer") ||
				xlv_str_eq(ev->irq.name, "tick_nohz_handler");
		return true;
	}
	ev->irq.nr = xlv_number_after(s, "vec=");
	return xlv_find(s, "vec=");
}

static bool fields_xfs(struct xlv_str s, struct xlv_event *ev)
{
	memset(&ev->xfs, 0, sizeof(ev->xfs));
	ev->xfs.dev = xlv_dev_after(s, "dev ", ':');
	ev->xfs.ino = xlv_number_after(s, "ino ");
	if (ev->type == XLV_EV_XFS_LOG_FORCE)
		ev->xfs.seq = xlv_number_after(s, "lsn ");
	ev->xfs.caller_name = xlv_function_name(xlv_after(s, "caller "));
	ev->xfs.caller = xlv_kernel_func(ev->xfs.caller_name);
	return ev->xfs.dev;
}

static bool fields_iclog(struct xlv_str s, struct xlv_event *ev)
{
	struct xlv_str flags;

	memset(&ev->iclog, 0, sizeof(ev->iclog));
	ev->iclog.dev = xlv_dev_after(s, "dev ", ':');
	ev->iclog.state = xlv_kernel_iclog_state(xlv_word_after(s, "state "));
	ev->iclog.refcount = xlv_number_after(s, "refcnt ");
	ev->iclog.offset = xlv_number_after(s, "offset ");
	ev->iclog.lsn = xlv_number_after(s, "lsn ");
	ev->iclog.caller_name = xlv_function_name(xlv_after(s, "caller "));
	flags = xlv_between(s, "flags ", "caller");
	ev->iclog.flags = xlv_find(s, "flags") ? xlv_kernel_iclog_flags(flags) :
					     XLV_ICL_FLAGS_UNKNOWN;
	return ev->iclog.dev && xlv_find(s, "lsn ");
}

/* "dev 254:0 key 0x15 val 1", or "(func+0x0/0x10) dev=0x.. key=0x.. val=1" */
static bool fields_span(struct xlv_str s, struct xlv_event *ev)
{
	memset(&ev->span, 0, sizeof(ev->span));
	if (xlv_find(s, "key=") || xlv_find(s, "dev=") || xlv_find(s, "val=")) {
		ev->span.dev = xlv_number_after(s, "dev=");
		ev->span.key = xlv_number_after(s, "key=");
		ev->span.val = xlv_number_after(s, "val=");
	} else {
		ev->span.dev = xlv_dev_after(s, "dev ", ':');
		ev->span.key = xlv_number_after(s, "key ");
		ev->span.val = (int64_t)xlv_number_after(s, "val ");
	}
	return true;
}

/* trace-cmd: "fd: 0x00000003, ..." or "... fd=3"; the kernel: "fd: 3)" in hex */
static bool fields_sys(struct xlv_str s, bool kernel, uint8_t nr, struct xlv_event *ev)
{
	struct xlv_str arg = { 0 };
	const char *p;
	uint64_t v = 0;

	ev->sys.nr = nr;
	ev->sys.arg = ev->sys.ret = 0;
	if (ev->type == XLV_EV_SYS_EXIT) {
		if (xlv_parse_number(s, 16, &v))
			ev->sys.ret = (int64_t)v;
		return true;
	}
	p = xlv_find(s, "__syscall_nr=");
	if (p) {
		p = memchr(p, ' ', s.s + s.len - p);
		p = p ? memchr(p, '=', s.s + s.len - p) : NULL;
	} else {
		p = xlv_find(s, ": ");
	}
	if (p)
		arg = xlv_span(p + 1, s.s + s.len);
	if (xlv_parse_number(arg, kernel ? 16 : 10, &v))
		ev->sys.arg = (int64_t)v;
	return true;
}

static bool fields_task(struct xlv_str s, struct xlv_event *ev)
{
	struct xlv_str file;
	const char *slash;

	switch (ev->type) {
	case XLV_EV_SCHED_FORK:
		ev->task.comm = xlv_between(s, "child_comm=", " child_pid=");
		ev->task.pid = xlv_number_after(s, "child_pid=");
		return xlv_find(s, "child_pid=");
	case XLV_EV_SCHED_EXEC:
		file = xlv_between(s, "filename=", " pid=");
		slash = file.len ? memrchr(file.s, '/', file.len) : NULL;
		if (slash)
			file = xlv_span(slash + 1, file.s + file.len);
		if (file.len > 15)
			file.len = 15;
		ev->task.comm = file;
		break;
	case XLV_EV_TASK_RENAME:
		ev->task.comm = xlv_between(s, "newcomm=", " oom_score_adj=");
		break;
	default:
		ev->task.comm = xlv_between(s, "comm=", " pid=");
		break;
	}
	ev->task.pid = xlv_find(s, "pid=") ? (int32_t)xlv_number_after(s, "pid=") : ev->pid;
	return true;
}

bool xlv_text_fields(struct xlv_event_id id, struct xlv_str event, struct xlv_str s,
		     bool syscall, struct xlv_event *ev)
{
	switch (ev->type) {
	case XLV_EV_SCHED_SWITCH:
		return fields_switch(s, ev);
	case XLV_EV_SCHED_WAKING ... XLV_EV_SCHED_WAKEUP_NEW:
		return fields_wake(s, ev);
	case XLV_EV_SCHED_MIGRATE:
		ev->migrate.comm = xlv_between(s, "comm=", " pid=");
		ev->migrate.pid = xlv_number_after(s, "pid=");
		ev->migrate.orig_cpu = xlv_number_after(s, "orig_cpu=");
		ev->migrate.dest_cpu = xlv_number_after(s, "dest_cpu=");
		return xlv_find(s, "dest_cpu=");
	case XLV_EV_SCHED_FORK ... XLV_EV_TASK_RENAME:
		return fields_task(s, ev);
	case XLV_EV_WQ_QUEUE ... XLV_EV_WQ_END:
		return fields_wq(s, ev);
	case XLV_EV_BIO_QUEUE ... XLV_EV_RQ_COMPLETE:
		return fields_block(s, ev);
	case XLV_EV_IRQ_ENTRY ... XLV_EV_HRTIMER_EXIT:
		return fields_irq(s, event, id.nr, ev);
	case XLV_EV_IPI_SEND:
		ev->ipi.target_cpu = xlv_number_after(s, "cpu=");
		return xlv_find(s, "cpu=");
	case XLV_EV_CPU_IDLE:
	case XLV_EV_CPU_FREQUENCY:
		ev->power.state = xlv_number_after(s, "state=");
		if (ev->power.state == UINT32_MAX)
			ev->power.state = -1;
		ev->power.cpu = xlv_number_after(s, "cpu_id=");
		return xlv_find(s, "cpu_id=");
	case XLV_EV_XFS_FILE_FSYNC ... XLV_EV_XFS_GRANT_WAKE:
		return fields_xfs(s, ev);
	case XLV_EV_ICLOG_ACTIVATE ... XLV_EV_ICLOG_WRITE:
		return fields_iclog(s, ev);
	case XLV_EV_FORCE_ENTER ... XLV_EV_PROBE_CLEAN_ENTER:
		return fields_span(s, ev);
	case XLV_EV_SYS_ENTER:
	case XLV_EV_SYS_EXIT:
		return fields_sys(s, syscall, id.nr, ev);
	case XLV_EV_MARK:
		ev->mark.text = s;
		return true;
	}
	return false;
}
