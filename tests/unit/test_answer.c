// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/answer.h"

static char *answer;

static int teardown(void **state)
{
	(void)state;
	free(answer);
	answer = NULL;
	return 0;
}

static struct xlv_report a_report(void)
{
	struct xlv_report rep = { .syncs = 10, .complete = 10, .nr_stages = 3 };

	rep.source.cpus = 4;
	rep.interval[XLV_I_SPAN] = (struct xlv_dist){ .n = 10, .p50 = 451000 };
	rep.interval[XLV_I_T4] = (struct xlv_dist){ .n = 10, .p50 = 31000, .p99 = 40000 };
	rep.stages[0] = (struct xlv_stage_row){ .stage = XLV_STAGE_DATA_WRITEBACK, .share = 0.22 };
	rep.stages[1] = (struct xlv_stage_row){ .stage = XLV_STAGE_LOG_IO, .share = 0.5 };
	rep.stages[2] = (struct xlv_stage_row){ .stage = XLV_STAGE_WAKE, .share = 0.03 };
	return rep;
}

static const char *line(int n)
{
	const char *s = answer;

	while (n--)
		s = strchr(s, '\n') + 1;
	return s;
}

#define assert_line(n, words)	assert_memory_equal(line(n), (words), strlen(words))

static void where_the_time_is(void **state)
{
	struct xlv_report rep = a_report();

	(void)state;
	answer = xlv_answer_make(&rep);
	assert_line(0, "Half of each sync's 451 us (p50) is log I/O (50 %); next come data writeback "
		    "(22 %).\n");
	/* three sentences, one a line */
	assert_string_equal(line(3), "");
}

static void fake_completion_is_said_at_once(void **state)
{
	struct xlv_report rep = a_report();

	(void)state;
	rep.source.fake_completion = true;
	answer = xlv_answer_make(&rep);
	assert_line(0, "With log I/O completed without a device on 4 CPUs, half of each sync's");
}

static void why_waiters_resume_late(void **state)
{
	struct xlv_wake_row wakes[] = {
		{ .stage = XLV_STAGE_WAKE, .cause = XLV_PART_IDLE_EXIT, .count = 9, .total_ns = 270,
		  .parts_ns = { [XLV_PART_IDLE_EXIT] = 200, [XLV_PART_SCHED] = 70 } },
		{ .stage = XLV_STAGE_WAKE, .cause = XLV_PART_SCHED, .count = 1, .total_ns = 130,
		  .parts_ns = { [XLV_PART_SCHED] = 130 } },
		{ .stage = XLV_STAGE_CIL_WAKE, .cause = XLV_PART_IRQ, .count = 10, .total_ns = 9999,
		  .parts_ns = { [XLV_PART_IRQ] = 9999 } },
	};
	struct xlv_report rep = a_report();

	(void)state;
	rep.wakes = wakes;
	rep.nr_wakes = 3;
	answer = xlv_answer_make(&rep);
	assert_line(1, "Waiters resume 31.0 us after their wake-up (T4, p50), because the CPU that they "
		    "are put on has to leave idle first (idle-exit is 74 % of it).\n");
}

static void a_rare_cause_that_takes_most_of_the_time(void **state)
{
	struct xlv_wake_row wakes[] = {
		{ .stage = XLV_STAGE_WAKE, .cause = XLV_PART_WAKER_BUSY, .count = 9, .total_ns = 90000 },
		{ .stage = XLV_STAGE_WAKE, .cause = XLV_PART_IRQ, .count = 1, .total_ns = 91000,
		  .parts_ns = { [XLV_PART_IRQ] = 91000 } },
	};
	struct xlv_report rep = a_report();

	(void)state;
	rep.wakes = wakes;
	rep.nr_wakes = 2;
	answer = xlv_answer_make(&rep);
	assert_non_null(strstr(answer, "still runs (waker-busy); but 1 of 10 take 91.0 us on average, "
			       "because interrupts hold the CPU that they are put on (irq is 100 % of it)"));
}

static void causes_do_where_parts_are_not_known(void **state)
{
	struct xlv_wake_row wakes[] = {
		{ .stage = XLV_STAGE_WAKE, .cause = XLV_PART_WAKER_BUSY, .count = 9, .total_ns = 300 },
		{ .stage = XLV_STAGE_WAKE, .cause = XLV_PART_UNKNOWN, .count = 1, .total_ns = 900 },
	};
	struct xlv_report rep = a_report();

	(void)state;
	rep.wakes = wakes;
	rep.nr_wakes = 2;
	answer = xlv_answer_make(&rep);
	assert_line(1, "Waiters resume 31.0 us after their wake-up (T4, p50), because they are put on "
		    "the CPU where the task that woke them, the log worker, still runs (waker-busy).\n");
}

static void a_bounce_is_the_reason_where_the_log_worker_bounces(void **state)
{
	struct xlv_wake_row wake = {
		.stage = XLV_STAGE_WAKE, .cause = XLV_PART_WAKEUP_IPI, .count = 10, .total_ns = 300 };
	struct xlv_finding fi = {
		.id = "migration-bounce", .severity = "warning", .share = 0.2,
		.text = (char *)"The task is moved 2.0 times. T4 is long.",
		.evidence = (char *)"{\"by_log_worker\":9}",
	};
	struct xlv_report rep = a_report();

	(void)state;
	rep.wakes = &wake;
	rep.nr_wakes = 1;
	rep.findings = &fi;
	rep.nr_findings = 1;
	answer = xlv_answer_make(&rep);
	assert_line(1, "Waiters resume 31.0 us after their wake-up (T4, p50), because they are moved to "
		    "another CPU: the log worker that wakes them occupies their own (wakeup-ipi).");
	assert_line(2, "The task is moved 2.0 times (migration-bounce, 20 % of sync time).\n");
	fi.evidence = (char *)"{\"by_log_worker\":4}";
	free(answer);
	answer = xlv_answer_make(&rep);
	assert_line(1, "Waiters resume 31.0 us after their wake-up (T4, p50), because the wake-up has to "
		    "reach another CPU first");
}

static void a_task_in_the_way_is_named(void **state)
{
	struct xlv_wake_row wake = {
		.stage = XLV_STAGE_WAKE, .cause = XLV_PART_OTHER_TASK, .count = 10, .total_ns = 300 };
	struct xlv_finding fi = {
		.id = "waiter-behind-task", .severity = "warning", .share = 0.2,
		.text = (char *)"'hog' held it.", .evidence = (char *)"{\"tasks\":[{\"name\":\"hog\"}]}",
	};
	struct xlv_report rep = a_report();

	(void)state;
	rep.wakes = &wake;
	rep.nr_wakes = 1;
	rep.findings = &fi;
	rep.nr_findings = 1;
	answer = xlv_answer_make(&rep);
	assert_line(1, "Waiters resume 31.0 us after their wake-up (T4, p50), because 'hog' holds the CPU "
		    "that they are put on (other-task).\n");
	fi.evidence = (char *)"{\"tasks\":7}";	/* read from somebody's file */
	free(answer);
	answer = xlv_answer_make(&rep);
	assert_non_null(strstr(answer, "another task holds the CPU"));
}

static void what_the_first_sentence_says_is_not_repeated(void **state)
{
	struct xlv_finding fi[] = {
		{ .id = "log-device", .severity = "note", .share = 0.5, .text = (char *)"The device." },
		{ .id = "group-commit", .severity = "info", .share = NAN, .text = (char *)"Groups." },
	};
	struct xlv_report rep = a_report();

	(void)state;
	rep.findings = fi;
	rep.nr_findings = 2;
	answer = xlv_answer_make(&rep);
	assert_line(2, "Nothing else stands out: no other finding reaches 5.0 % of sync time.\n");
}

static void a_recording_without_complete_syncs(void **state)
{
	struct xlv_finding fi = { .id = "unfinished", .severity = "warning", .share = NAN,
				  .text = (char *)"When it ended, 1 task slept." };
	struct xlv_report rep = { 0 };

	(void)state;
	answer = xlv_answer_make(&rep);
	assert_string_equal(answer, "The recording shows no sync, so there is nothing to explain.\n");
	free(answer);
	rep.syncs = 3;
	rep.findings = &fi;
	rep.nr_findings = 1;
	answer = xlv_answer_make(&rep);
	assert_line(1, "When it ended, 1 task slept (unfinished).\n");
}

static void syncs_that_never_slept_on_the_log_write(void **state)
{
	struct xlv_report rep = a_report();

	(void)state;
	rep.interval[XLV_I_T4].n = 0;
	rep.why_none[XLV_I_T4] = "no log force";
	answer = xlv_answer_make(&rep);
	assert_line(1, "No sync slept until its log write was done, so T3 and T4 don't apply (no log "
		    "force).\n");
}

#define test(fn)	cmocka_unit_test_teardown(fn, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(where_the_time_is),
		test(fake_completion_is_said_at_once),
		test(why_waiters_resume_late),
		test(a_rare_cause_that_takes_most_of_the_time),
		test(causes_do_where_parts_are_not_known),
		test(a_bounce_is_the_reason_where_the_log_worker_bounces),
		test(a_task_in_the_way_is_named),
		test(what_the_first_sentence_says_is_not_repeated),
		test(a_recording_without_complete_syncs),
		test(syncs_that_never_slept_on_the_log_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
