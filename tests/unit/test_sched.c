// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts of a wake-up on a CPU whose switches are all there, and on one where
 * the switch from idle to a task is missing, as some virtual machines have them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "model/sched.h"
#include "model/wake_cause.h"

#define WAKER	10	/* on CPU 0 */
#define OTHER	20	/* on CPU 1 */
#define WAITER	30	/* on CPU 1 */

static struct xlv_sched sched;
static struct xlv_strpool *pool;
static struct xlv_wake wake;	/* of the waiter, once it runs */

static void out(void *arg, struct xlv_task *t, int64_t ns, bool preempted,
		const struct xlv_task *next)
{
	(void)arg, (void)t, (void)ns, (void)preempted, (void)next;
}

static void in(void *arg, struct xlv_task *t, int64_t ns, bool implied)
{
	(void)arg, (void)ns, (void)implied;
	if (t->pid == WAITER)
		wake = t->wake;
}

static void woken(void *arg, struct xlv_task *t, struct xlv_task *waker)
{
	(void)arg, (void)t, (void)waker;
}

static void hole(void *arg, int cpu, const struct xlv_task *t, int64_t from_ns, int64_t to_ns)
{
	(void)arg, (void)cpu, (void)t, (void)from_ns, (void)to_ns;
}

static int begin(void **state)
{
	static const struct xlv_sched_hooks hooks = {
		.out = out, .in = in, .woken = woken, .woken_late = woken, .hole = hole,
	};
	static struct xlv_trace_info info;

	(void)state;
	info.has_format[XLV_EV_SCHED_SWITCH] = true;
	memset(&wake, 0, sizeof(wake));
	pool = xlv_strpool_new();
	return !pool || xlv_sched_init(&sched, pool, &hooks, &info);
}

static int end(void **state)
{
	(void)state;
	xlv_sched_free(&sched);
	xlv_strpool_free(pool);
	return 0;
}

static void at(int64_t ns, int cpu, int pid, uint8_t type, int other_pid)
{
	struct xlv_event ev = { .ts_ns = ns, .cpu = cpu, .pid = pid, .type = type };

	if (type == XLV_EV_SCHED_SWITCH) {
		ev.sw.prev_pid = pid;
		ev.sw.next_pid = other_pid;
		ev.sw.prev_state = XLV_TASK_SLEEP;
	} else if (type != XLV_EV_OTHER) {
		ev.wake.pid = other_pid;
	}
	assert_non_null(xlv_sched_event(&sched, &ev));
}

static void expect_parts(int64_t idle_ns, int64_t other_ns, int64_t sched_ns)
{
	int64_t parts[XLV_PART_COUNT], sum = 0;

	xlv_wake_parts(&sched, &wake, 1, wake.waking_ns, wake.running_ns, parts);
	for (int i = 0; i < XLV_PART_COUNT; i++)
		sum += parts[i];
	assert_int_equal(sum, wake.running_ns - wake.waking_ns);
	assert_int_equal(parts[XLV_PART_IDLE_EXIT], idle_ns);
	assert_int_equal(parts[XLV_PART_OTHER_TASK], other_ns);
	assert_int_equal(parts[XLV_PART_SCHED], sched_ns);
}

/* The waiter sleeps on CPU 1, which then idles; CPU 0 wakes it at 2000. */
static void sleep_and_wake(void)
{
	at(500, 0, WAKER, XLV_EV_OTHER, 0);
	at(1000, 1, WAITER, XLV_EV_SCHED_SWITCH, 0);
	at(2000, 0, WAKER, XLV_EV_SCHED_WAKING, WAITER);
}

static void test_idle_is_idle(void **state)
{
	(void)state;
	sleep_and_wake();
	at(2700, 1, 0, XLV_EV_SCHED_SWITCH, WAITER);
	expect_parts(700, 0, 0);
}

static void test_other_task(void **state)
{
	(void)state;
	sleep_and_wake();
	at(2100, 1, 0, XLV_EV_SCHED_SWITCH, OTHER);
	at(2700, 1, OTHER, XLV_EV_SCHED_SWITCH, WAITER);
	expect_parts(100, 600, 0);
}

/* When it left idle isn't known: only up to its last sign is the time idle's. */
static void test_unseen_switch_from_idle(void **state)
{
	(void)state;
	sleep_and_wake();
	at(2300, 1, 0, XLV_EV_OTHER, 0);
	at(2600, 1, OTHER, XLV_EV_OTHER, 0);
	at(2700, 1, OTHER, XLV_EV_SCHED_SWITCH, WAITER);
	expect_parts(300, 100, 300);
}

/* One whose first sign is its switch to the waiter: none of the time is known. */
static void test_unseen_task_at_the_switch(void **state)
{
	(void)state;
	sleep_and_wake();
	at(2700, 1, OTHER, XLV_EV_SCHED_SWITCH, WAITER);
	expect_parts(0, 0, 700);
}

/* Between two tasks the CPU wasn't idle, whichever of them it ran. */
static void test_unseen_switch_between_tasks(void **state)
{
	(void)state;
	sleep_and_wake();
	at(2100, 1, 0, XLV_EV_SCHED_SWITCH, OTHER);
	at(2700, 1, OTHER + 1, XLV_EV_SCHED_SWITCH, WAITER);
	expect_parts(100, 600, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_idle_is_idle, begin, end),
		cmocka_unit_test_setup_teardown(test_other_task, begin, end),
		cmocka_unit_test_setup_teardown(test_unseen_switch_from_idle, begin, end),
		cmocka_unit_test_setup_teardown(test_unseen_task_at_the_switch, begin, end),
		cmocka_unit_test_setup_teardown(test_unseen_switch_between_tasks, begin, end),
	};

	return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
