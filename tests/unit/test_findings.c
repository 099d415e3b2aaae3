// SPDX-License-Identifier: GPL-2.0-or-later
/* Each rule tells what it is for from the threshold on, and is silent below it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <json.h>

#include "analysis/findings.h"
#include "analysis/rules.h"

#define MAX_SYNCS	32
#define SPAN_NS		100000
/* Of one sync's span: the threshold, and a little less. */
#define ENOUGH		(SPAN_NS / 20)
#define TOO_LITTLE	(ENOUGH - 1)

/* A run made by hand: one task, syncs of SPAN_NS one after the other. */
struct world {
	struct xlv_trace_info	info;
	struct xlv_run		run;
	struct xlv_sync		syncs[MAX_SYNCS];
	struct xlv_iclog	iclogs[MAX_SYNCS];
	struct xlv_detail	detail[MAX_SYNCS];
	struct xlv_wait		waits[MAX_SYNCS][4];
	struct xlv_segment	segments[MAX_SYNCS][8];
	struct xlv_path_wake	wakes[MAX_SYNCS][4];
	struct xlv_report	rep;
};

static struct world w;

static void start(int nr)
{
	xlv_findings_free(&w.rep);
	memset(&w, 0, sizeof(w));
	w.info.clock = "mono";
	w.info.kernel = "6.12.0";
	w.info.nr_cpus = 4;
	w.info.end_ns = nr * SPAN_NS;
	w.run.info = &w.info;
	w.run.syncs = w.syncs;
	w.run.nr_syncs = (size_t)nr;
	w.run.iclogs = w.iclogs;
	w.run.nr_iclogs = (size_t)nr;
	w.rep.run = &w.run;
	for (int i = 0; i < nr; i++) {
		struct xlv_iclog *ic = &w.iclogs[i];
		struct xlv_sync *s = &w.syncs[i];

		*s = (struct xlv_sync){
			.id = i + 1, .kind = XLV_KIND_LOG_FORCE, .pid = 100, .comm = "dd",
			.start_ns = i * SPAN_NS, .span_ns = SPAN_NS,
			.force_ns = i * SPAN_NS + 40000, .push = -1, .iclog = i,
		};
		*ic = (struct xlv_iclog){
			.issue_ns = XLV_NONE, .done_ns = XLV_NONE, .flush_issue_ns = XLV_NONE,
			.flush_done_ns = XLV_NONE, .callbacks_start_ns = XLV_NONE,
			.in_order_ns = XLV_NONE, .done_cpu = -1, .worker_cpu = -1, .worker_pid = 50,
		};
		w.detail[i].waits = w.waits[i];
		w.detail[i].segments = w.segments[i];
		w.detail[i].wakes = w.wakes[i];
	}
}

static struct xlv_segment *segment(int i, enum xlv_stage stage, int64_t ns)
{
	struct xlv_segment *seg = &w.segments[i][w.detail[i].nr_segments++];

	*seg = (struct xlv_segment){
		.stage = (uint8_t)stage, .start_ns = w.syncs[i].start_ns, .ns = ns, .cpu = 0,
		.pid = 100, .comm = "dd", .wake = -1,
	};
	return seg;
}

static struct xlv_wake a_wake(enum xlv_part part, int64_t ns)
{
	struct xlv_wake wake = {
		.waking_ns = 1000, .wakeup_ns = 1000, .running_ns = 1000 + ns, .pid = 100,
		.comm = "dd", .waker_pid = 50, .waker_comm = "kworker/0:1H",
		.waker_role = XLV_ROLE_LOG_WORKER, .waker_context = XLV_FROM_TASK,
		.cause = (uint8_t)part, .cstate = -1,
	};

	wake.parts_ns[part] = ns;
	return wake;
}

/* A sleep on the iclog, whose wake takes @ns, all of it @part. */
static struct xlv_wake *force_wait(int i, enum xlv_part part, int64_t ns)
{
	struct xlv_wait *wait = &w.waits[i][w.detail[i].nr_waits++];

	wait->queue = XLV_QUEUE_FORCE;
	wait->start_ns = w.syncs[i].force_ns + 1000;
	wait->wake = a_wake(part, ns);
	return &wait->wake;
}

static struct xlv_wake *worker_wake(int i, enum xlv_stage stage, enum xlv_part part, int64_t ns)
{
	struct xlv_path_wake *pw = &w.wakes[i][w.detail[i].nr_wakes++];

	pw->stage = (uint8_t)stage;
	pw->cause = (uint8_t)part;
	pw->ns = ns;
	pw->parts_ns[part] = ns;
	pw->wake = a_wake(part, ns);
	return &pw->wake;
}

static const struct xlv_finding *judge(const char *id, bool all)
{
	struct xlv_facts f;

	xlv_findings_free(&w.rep);
	assert_int_equal(xlv_facts_begin(&f, &w.run), 0);
	for (size_t i = 0; i < w.run.nr_syncs; i++)
		assert_int_equal(xlv_facts_add(&f, &w.syncs[i], &w.detail[i]), 0);
	xlv_facts_end(&f);
	assert_int_equal(xlv_findings_judge(&w.rep, &f, all), 0);
	xlv_facts_free(&f);
	for (int32_t i = 0; i < w.rep.nr_findings; i++)
		if (!strcmp(w.rep.findings[i].id, id))
			return &w.rep.findings[i];
	return NULL;
}

static int64_t evidence(const struct xlv_finding *fi, const char *key)
{
	json_object *o = json_tokener_parse(fi->evidence), *v;
	int64_t n;

	assert_non_null(o);
	assert_true(json_object_object_get_ex(o, key, &v));
	n = json_object_get_int64(v);
	json_object_put(o);
	return n;
}

#define assert_says(fi, words)	assert_non_null(strstr((fi)->text, (words)))

/* Found with what is there now; a share is at the threshold, not above. */
static const struct xlv_finding *assert_fires(const char *id)
{
	const struct xlv_finding *fi = judge(id, false);

	assert_non_null(fi);
	assert_true(*fi->title && *fi->text && *fi->advice);
	if (!isnan(fi->share))
		assert_true(fabs(fi->share - XLV_FINDING_SHARE) < 1e-9);
	return fi;
}

/* Not told, but known when all are asked for. */
static void assert_too_little(const char *id)
{
	const struct xlv_finding *fi;

	assert_null(judge(id, false));
	fi = judge(id, true);
	assert_non_null(fi);
	assert_string_equal(fi->severity, "info");
}

static int teardown(void **state)
{
	(void)state;
	xlv_findings_free(&w.rep);
	return 0;
}

static void nothing_is_found_where_nothing_happened(void **state)
{
	(void)state;
	start(0);
	assert_null(judge("unfinished", true));
	assert_int_equal(w.rep.nr_findings, 0);
	start(4);
	assert_null(judge("unfinished", true));
	assert_int_equal(w.rep.nr_findings, 0);
}

static void partial_syncs_are_not_judged(void **state)
{
	(void)state;
	start(1);
	segment(0, XLV_STAGE_DATA_WRITEBACK, SPAN_NS);
	w.syncs[0].reasons = XLV_PARTIAL_END;
	assert_null(judge("data-writeback", true));
}

static void idle_exits_of_waiters_and_workers_add_up(void **state)
{
	const struct xlv_finding *fi;

	(void)state;
	start(1);
	force_wait(0, XLV_PART_IDLE_EXIT, ENOUGH - 1000)->cstate = 3;
	worker_wake(0, XLV_STAGE_IOEND_QUEUE, XLV_PART_IDLE_EXIT, 1000);
	fi = assert_fires("wake-idle-exit");
	assert_int_equal(evidence(fi, "waiter_ns"), ENOUGH - 1000);
	assert_int_equal(evidence(fi, "log_worker_ns"), 1000);
	assert_says(fi, "C-state index 3");
	start(1);
	force_wait(0, XLV_PART_IDLE_EXIT, TOO_LITTLE);
	assert_too_little("wake-idle-exit");
}

static void a_waiter_behind_its_waker(void **state)
{
	(void)state;
	start(1);
	force_wait(0, XLV_PART_WAKER_BUSY, ENOUGH);
	assert_fires("wake-behind-waker");
	start(1);
	force_wait(0, XLV_PART_WAKER_BUSY, TOO_LITTLE);
	assert_too_little("wake-behind-waker");
}

static void interrupts_in_the_way(void **state)
{
	(void)state;
	start(1);
	force_wait(0, XLV_PART_IRQ, ENOUGH);
	assert_fires("wake-irq");
	start(1);
	force_wait(0, XLV_PART_IRQ, TOO_LITTLE);
	assert_too_little("wake-irq");
}

static void behind(struct xlv_wake *wake, const char *name, int64_t ns)
{
	wake->other_pid = 7;
	wake->other_comm = name;
	wake->other_ns = ns;
}

static void a_task_in_the_waiters_way_is_named_with_its_share(void **state)
{
	const struct xlv_finding *fi;

	(void)state;
	start(1);
	behind(force_wait(0, XLV_PART_OTHER_TASK, ENOUGH - 500), "hog", ENOUGH - 500);
	segment(0, XLV_STAGE_RUNNABLE, 500)->what = "cc1";
	fi = assert_fires("waiter-behind-task");
	assert_says(fi, "'hog' held the CPU");
	assert_says(fi, "4.5 % of sync time");
	assert_says(fi, "'cc1' 0.5 %");
	assert_says(fi, "All 2 tasks in its way together take 5.0 %");
	assert_null(judge("log-worker-behind-task", true));
	start(1);
	behind(force_wait(0, XLV_PART_OTHER_TASK, TOO_LITTLE), "hog", TOO_LITTLE);
	assert_too_little("waiter-behind-task");
}

static void the_named_task_gets_no_more_than_it_held(void **state)
{
	const struct xlv_finding *fi;

	(void)state;
	start(1);
	behind(force_wait(0, XLV_PART_OTHER_TASK, 20000), "hog", 15000);
	fi = judge("waiter-behind-task", false);
	assert_non_null(fi);
	assert_says(fi, "15 % of sync time");
	assert_int_equal(evidence(fi, "total_ns"), 20000);
}

static void a_task_in_a_workers_way(void **state)
{
	const struct xlv_finding *fi;

	(void)state;
	start(1);
	behind(worker_wake(0, XLV_STAGE_CIL_QUEUE, XLV_PART_OTHER_TASK, ENOUGH), "hog", ENOUGH);
	fi = assert_fires("cil-worker-behind-task");
	assert_says(fi, "the CIL worker");
	start(1);
	behind(worker_wake(0, XLV_STAGE_IOEND_QUEUE, XLV_PART_OTHER_TASK, ENOUGH), "rt", ENOUGH);
	fi = assert_fires("log-worker-behind-task");
	assert_says(fi, "the log worker");
	start(1);
	*segment(0, XLV_STAGE_RUNNABLE, ENOUGH) = (struct xlv_segment){
		.stage = XLV_STAGE_RUNNABLE, .ns = ENOUGH, .pid = 60, .what = "hog", .wake = -1 };
	assert_fires("cil-worker-behind-task");
	start(1);
	*segment(0, XLV_STAGE_RUNNABLE, ENOUGH) = (struct xlv_segment){
		.stage = XLV_STAGE_RUNNABLE, .ns = ENOUGH, .pid = 50, .what = "hog", .wake = -1 };
	assert_fires("log-worker-behind-task");
	start(1);
	behind(worker_wake(0, XLV_STAGE_CIL_QUEUE, XLV_PART_OTHER_TASK, TOO_LITTLE), "hog", 1);
	assert_too_little("cil-worker-behind-task");
}

static void a_name_cannot_write_to_the_terminal(void **state)
{
	const struct xlv_finding *fi;

	(void)state;
	start(1);
	behind(force_wait(0, XLV_PART_OTHER_TASK, 20000), "\033[2J\"h\xff", 20000);
	fi = judge("waiter-behind-task", false);
	assert_non_null(fi);
	assert_null(strchr(fi->text, '\033'));
	assert_null(strchr(fi->title, '\033'));
	assert_says(fi, "\\x1b[2J\"h\\xff");
	assert_int_equal(evidence(fi, "total_ns"), 20000);
}

static struct xlv_wake *crossing(int i, bool remote, int64_t ns)
{
	struct xlv_wake *wake = force_wait(i, XLV_PART_WAKEUP_IPI, ns);

	wake->waker_cpu = 0;
	wake->to_cpu = remote ? 1 : 0;
	wake->remote = remote;
	wake->distance = remote ? XLV_DIST_OTHER_NODE : XLV_DIST_SAME_CPU;
	return wake;
}

static void wakes_that_cross_cpus_and_take_longer(void **state)
{
	const struct xlv_finding *fi;

	(void)state;
	start(2);
	crossing(0, true, 2 * ENOUGH);
	crossing(1, false, 100);
	fi = assert_fires("wake-remote");
	assert_says(fi, "50 % of the wake-ups");
	assert_says(fi, "between nodes");
	start(2);
	crossing(0, true, 2 * ENOUGH - 2);
	crossing(1, false, 100);
	assert_too_little("wake-remote");
	/* as quick as at home: the crossing isn't to blame */
	start(2);
	crossing(0, true, 20000);
	crossing(1, false, 20000);
	assert_null(judge("wake-remote", true));
	/* nor for what held the other CPU */
	start(2);
	crossing(0, true, 100)->parts_ns[XLV_PART_OTHER_TASK] = 20000;
	crossing(1, false, 10);
	assert_too_little("wake-remote");
}

static void bounce(int i, int64_t ns)
{
	struct xlv_wake *wake = force_wait(i, XLV_PART_WAKEUP_IPI, ns);

	wake->prev_cpu = wake->waker_cpu = 1;
	wake->to_cpu = 2;
	wake->migrated = wake->waker_on_prev = wake->remote = true;
}

static void a_task_moved_by_its_wakers_in_every_sync(void **state)
{
	const struct xlv_finding *fi;

	(void)state;
	start(2);
	for (int i = 0; i < 2; i++) {
		bounce(i, ENOUGH / 2);
		bounce(i, ENOUGH / 2);
		w.waits[i][1].queue = XLV_QUEUE_OTHER;
		w.waits[i][1].start_ns = w.syncs[i].start_ns;
		w.waits[i][1].wake.waker_role = XLV_ROLE_OTHER;
	}
	fi = assert_fires("migration-bounce");
	assert_string_equal(fi->severity, "warning");
	assert_says(fi, "moved to another CPU twice in every sync");
	assert_says(fi, "the log worker 2 times");
	assert_says(fi, "completes its data writeback 2 times");
	assert_says(fi, "100 % of it wakeup-ipi");
	assert_says(fi, "T4 is 2.50 us (p50) after such a move");
	assert_int_equal(evidence(fi, "by_log_worker"), 2);
	/* the advice knows the kernel */
	assert_non_null(strstr(fi->advice, "6.12.0 should"));
	w.info.kernel = "4.18.0-305.el8";
	assert_non_null(strstr(judge("migration-bounce", false)->advice, "lacks 52262ee567ad"));
	w.info.kernel = "";
	assert_null(strstr(judge("migration-bounce", false)->advice, "lacks"));
}

static void a_bounce_below_the_threshold(void **state)
{
	(void)state;
	start(1);
	bounce(0, TOO_LITTLE);
	assert_too_little("migration-bounce");
}

static void a_move_now_and_then_is_no_bounce(void **state)
{
	(void)state;
	start(3);
	bounce(0, 3 * ENOUGH);
	force_wait(1, XLV_PART_SCHED, 100);
	force_wait(2, XLV_PART_SCHED, 100);
	assert_null(judge("migration-bounce", true));
}

static void a_move_by_an_interrupt_is_no_bounce(void **state)
{
	(void)state;
	start(1);
	bounce(0, 20000);
	w.waits[0][0].wake.waker_context = XLV_FROM_HARDIRQ;
	assert_null(judge("migration-bounce", true));
}

static void a_move_from_a_free_cpu_is_no_bounce(void **state)
{
	(void)state;
	start(1);
	bounce(0, 20000);
	w.waits[0][0].wake.waker_on_prev = false;
	assert_null(judge("migration-bounce", true));
}

static void the_log_worker_on_the_completions_cpu(void **state)
{
	(void)state;
	start(20);
	for (int i = 0; i < 20; i++) {
		segment(i, XLV_STAGE_IOEND_QUEUE, ENOUGH);
		w.iclogs[i].done_cpu = i % 2;
		w.iclogs[i].worker_cpu = i == 19 ? 3 : i % 2;	/* 95 % */
	}
	assert_fires("log-worker-bound");
	w.iclogs[18].worker_cpu = 3;
	assert_null(judge("log-worker-bound", true));
	w.iclogs[18].worker_cpu = 0;
	w.info.nr_cpus = 1;
	assert_null(judge("log-worker-bound", true));
	w.info.nr_cpus = 4;
	for (int i = 0; i < 20; i++)
		w.segments[i][0].ns = TOO_LITTLE;
	assert_too_little("log-worker-bound");
}

static void stages_that_take_their_share(void **state)
{
	static const struct { enum xlv_stage stage; const char *id; } rule[] = {
		{ XLV_STAGE_DATA_WRITEBACK, "data-writeback" },
		{ XLV_STAGE_CIL_QUEUE, "cil-queue" },
		{ XLV_STAGE_WRITE_WAIT, "write-wait" },
		{ XLV_STAGE_CPU_SILENT, "cpu-silent" },
		{ XLV_STAGE_OTHER_WAIT, "other-wait" },
		{ XLV_STAGE_RUNNING, "log-force-cpu" },
		{ XLV_STAGE_DEVICE_FLUSH, "device-flush" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rule) / sizeof(*rule); i++) {
		start(2);
		segment(1, rule[i].stage, 2 * ENOUGH);
		assert_int_equal(evidence(assert_fires(rule[i].id), "total_ns"), 2 * ENOUGH);
		start(2);
		segment(1, rule[i].stage, 2 * ENOUGH - 1);
		assert_too_little(rule[i].id);
	}
}

static void a_silent_cpu_is_shown_with_its_task(void **state)
{
	struct xlv_silence silence = {
		.cpu = 3, .pid = 100, .comm = "dd", .start_ns = 5, .ns = 9000000, .sync = 1 };
	const struct xlv_finding *fi;

	(void)state;
	start(1);
	segment(0, XLV_STAGE_CPU_SILENT, ENOUGH);
	w.run.silences = &silence;
	w.run.nr_silences = 1;
	fi = assert_fires("cpu-silent");
	assert_says(fi, "CPU 3 while it ran 'dd': 9.00 ms");
}

static void sleeps_on_something_else_are_named(void **state)
{
	(void)state;
	start(1);
	segment(0, XLV_STAGE_OTHER_WAIT, ENOUGH)->what = "inode lock";
	assert_says(assert_fires("other-wait"), "'inode lock' 5.0 %");
}

static void the_log_device_and_its_flush_are_told_apart(void **state)
{
	(void)state;
	start(1);
	segment(0, XLV_STAGE_LOG_IO, 50000);
	w.iclogs[0].flush_issue_ns = 0;
	w.iclogs[0].flush_done_ns = ENOUGH;
	w.iclogs[0].issue_ns = 50000 - ENOUGH;
	w.iclogs[0].done_ns = 90000;	/* beyond the stage: not counted */
	assert_int_equal(evidence(assert_fires("log-device"), "total_ns"), ENOUGH);
	assert_int_equal(evidence(assert_fires("device-flush"), "log_ns"), ENOUGH);
	w.iclogs[0].issue_ns++;
	w.iclogs[0].flush_done_ns--;
	assert_too_little("log-device");
	assert_too_little("device-flush");
}

static void callbacks_that_wait_their_turn(void **state)
{
	(void)state;
	start(1);
	segment(0, XLV_STAGE_CALLBACKS, 50000);
	w.iclogs[0].callbacks_start_ns = 40000;
	w.iclogs[0].in_order_ns = ENOUGH;
	w.iclogs[0].out_of_order = true;
	assert_int_equal(evidence(assert_fires("in-order"), "out_of_order"), 1);
	w.iclogs[0].in_order_ns--;
	assert_too_little("in-order");
}

static void throttled_committers(void **state)
{
	(void)state;
	start(1);
	w.run.grant_wait = (struct xlv_throttle){ 3, 90000, ENOUGH - 1 };
	w.run.cil_wait = (struct xlv_throttle){ 1, 1, 1 };
	assert_int_equal(evidence(assert_fires("log-space"), "log_space_count"), 3);
	w.run.cil_wait.in_syncs_ns = 0;
	assert_too_little("log-space");
}

static void syncs_without_a_log_force(void **state)
{
	(void)state;
	start(20);
	w.syncs[7].kind = XLV_KIND_FLUSH_ONLY;
	assert_says(assert_fires("flush-only"), "1 of 20 syncs");
	w.syncs[7].span_ns--;
	assert_too_little("flush-only");
}

static void syncs_that_share_log_writes(void **state)
{
	(void)state;
	start(6);
	for (int i = 0; i < 6; i++) {
		w.syncs[i].start_ns = 0;
		w.syncs[i].iclog = i / 3;
	}
	assert_says(assert_fires("group-commit"), "3.00 syncs share each log write");
	for (int i = 0; i < 6; i++)
		w.syncs[i].iclog = i;
	assert_string_equal(assert_fires("group-commit")->title,
			    "Concurrent syncs hardly share log writes");
	start(6);	/* one after the other: nobody to share with */
	assert_null(judge("group-commit", true));
}

static void fake_completion_is_told_with_the_cpu_count(void **state)
{
	(void)state;
	start(1);
	w.run.fake_ios = 17;
	assert_says(assert_fires("fake-completion"), "machine with 4 CPUs");
	w.run.fake_ios = 0;
	assert_null(judge("fake-completion", true));
}

static void lost_events_and_what_they_spoil(void **state)
{
	(void)state;
	start(3);
	w.info.lost_events = 12;
	w.syncs[1].reasons = XLV_PARTIAL_LOST;
	assert_says(assert_fires("lost-events"), "1 of 3 syncs");
	w.info.lost_events = 0;
	assert_null(judge("lost-events", true));
	w.info.lost_uncounted = 1;
	assert_fires("lost-events");
}

static void clocks_that_differ(void **state)
{
	(void)state;
	start(1);
	assert_null(judge("clock-skew", true));
	w.info.clock = "local";
	assert_fires("clock-skew");
	w.info.clock = "mono";
	w.run.negative_deltas = 2;
	assert_says(assert_fires("clock-skew"), "2 times");
}

static void what_never_finished_is_named(void **state)
{
	struct xlv_unfinished un[] = {
		{ "waiter", 100, "dd", "force", SPAN_NS - 80000, 1 },
		{ "work", -1, NULL, "xlog_ioend_work", SPAN_NS - 70000, 0 },
	};
	const struct xlv_finding *fi;

	(void)state;
	start(1);
	assert_null(judge("unfinished", true));
	w.run.unfinished = un;
	w.run.nr_unfinished = 2;
	fi = assert_fires("unfinished");
	assert_says(fi, "'dd' (100) on force, for 80.0 us");
	assert_says(fi, "xlog_ioend_work, never started, for 70.0 us");
	assert_int_equal(evidence(fi, "waiters"), 1);
	assert_string_equal(fi->severity, "note");	/* another sync took 100 us */
	assert_says(fi, "Other syncs took up to 100 us");
	un[0].since_ns--;
	un[0].since_ns -= 20000;
	fi = assert_fires("unfinished");
	assert_string_equal(fi->severity, "warning");
	assert_null(strstr(fi->text, "Other syncs"));
	/* their end may be in what a damaged file lacks */
	w.info.nr_damage = 1;
	fi = assert_fires("unfinished");
	assert_string_equal(fi->severity, "note");
	assert_says(fi, "Parts of the recording are missing");
}

static void warnings_come_first_then_the_larger_share(void **state)
{
	(void)state;
	start(1);
	segment(0, XLV_STAGE_DATA_WRITEBACK, 60000);
	segment(0, XLV_STAGE_WRITE_WAIT, 20000);
	behind(force_wait(0, XLV_PART_OTHER_TASK, 10000), "hog", 10000);
	w.info.lost_events = 1;
	judge("", false);
	assert_int_equal(w.rep.nr_findings, 4);
	assert_string_equal(w.rep.findings[0].id, "lost-events");
	assert_string_equal(w.rep.findings[1].id, "waiter-behind-task");
	assert_string_equal(w.rep.findings[2].id, "data-writeback");
	assert_string_equal(w.rep.findings[3].id, "write-wait");
}

static void examples_are_the_syncs_where_it_took_longest(void **state)
{
	static const int64_t ns[] = { 5000, 9000, 1000, 7000, 8000 };
	const struct xlv_finding *fi;
	json_object *o, *ids;

	(void)state;
	start(5);
	for (int i = 0; i < 5; i++)
		segment(i, XLV_STAGE_WRITE_WAIT, ns[i]);
	fi = judge("write-wait", false);
	assert_non_null(fi);
	o = json_tokener_parse(fi->evidence);
	assert_true(json_object_object_get_ex(o, "examples", &ids));
	assert_int_equal(json_object_array_length(ids), 3);
	assert_int_equal(json_object_get_int(json_object_array_get_idx(ids, 0)), 2);
	assert_int_equal(json_object_get_int(json_object_array_get_idx(ids, 1)), 5);
	assert_int_equal(json_object_get_int(json_object_array_get_idx(ids, 2)), 4);
	json_object_put(o);
}

static void every_rule_says_what_must_hold(void **state)
{
	const char *holds;
	int n = 0;

	(void)state;
	for (; xlv_finding_rule(n, &holds); n++) {
		assert_non_null(holds);
		for (int i = 0; i < n; i++)
			assert_string_not_equal(xlv_rules[i].id, xlv_rules[n].id);
	}
	assert_true(n > 20);
}

static void the_manual_has_every_rule(void **state)
{
	const char *top = getenv("top_srcdir"), *holds;
	char path[4096], *page = NULL, id[64];
	size_t len = 0;
	FILE *f;

	(void)state;
	if (!top)
		skip();
	snprintf(path, sizeof(path), "%s/doc/xlogviz-findings.7", top);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(getdelim(&page, &len, '\0', f) > 0);
	fclose(f);
	for (int i = 0; xlv_finding_rule(i, &holds); i++) {
		int at = 0;

		for (const char *c = xlv_finding_rule(i, &holds); *c; c++)
			at += snprintf(id + at, sizeof(id) - at, *c == '-' ? "\\-" : "%c", *c);
		if (!strstr(page, id))
			fail_msg("'%s' isn't in the manual", id);
	}
	free(page);
}

#define test(fn)	cmocka_unit_test_teardown(fn, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(nothing_is_found_where_nothing_happened),
		test(partial_syncs_are_not_judged),
		test(idle_exits_of_waiters_and_workers_add_up),
		test(a_waiter_behind_its_waker),
		test(interrupts_in_the_way),
		test(a_task_in_the_waiters_way_is_named_with_its_share),
		test(the_named_task_gets_no_more_than_it_held),
		test(a_task_in_a_workers_way),
		test(a_name_cannot_write_to_the_terminal),
		test(wakes_that_cross_cpus_and_take_longer),
		test(a_task_moved_by_its_wakers_in_every_sync),
		test(a_bounce_below_the_threshold),
		test(a_move_now_and_then_is_no_bounce),
		test(a_move_by_an_interrupt_is_no_bounce),
		test(a_move_from_a_free_cpu_is_no_bounce),
		test(the_log_worker_on_the_completions_cpu),
		test(stages_that_take_their_share),
		test(a_silent_cpu_is_shown_with_its_task),
		test(sleeps_on_something_else_are_named),
		test(the_log_device_and_its_flush_are_told_apart),
		test(callbacks_that_wait_their_turn),
		test(throttled_committers),
		test(syncs_without_a_log_force),
		test(syncs_that_share_log_writes),
		test(fake_completion_is_told_with_the_cpu_count),
		test(lost_events_and_what_they_spoil),
		test(clocks_that_differ),
		test(what_never_finished_is_named),
		test(warnings_come_first_then_the_larger_share),
		test(examples_are_the_syncs_where_it_took_longest),
		test(every_rule_says_what_must_hold),
		test(the_manual_has_every_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
