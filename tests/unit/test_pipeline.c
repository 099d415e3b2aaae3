// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/pipeline.h"

static struct xlv_iclog an_iclog(int64_t write_ns, int64_t clean_ns)
{
	return (struct xlv_iclog){
		.write_ns = write_ns, .clean_ns = clean_ns, .syncing_ns = XLV_NONE, .bio_ns = XLV_NONE,
		.done_ns = XLV_NONE, .ioend_queued_ns = XLV_NONE, .callbacks_done_ns = XLV_NONE,
		.ioend_end_ns = XLV_NONE, .in_order_ns = XLV_NONE,
	};
}

static struct xlv_push a_push(int64_t queued_ns, int64_t end_ns)
{
	return (struct xlv_push){ .queued_ns = queued_ns, .start_ns = XLV_NONE, .end_ns = end_ns };
}

static void an_empty_run_has_no_figures(void **state)
{
	struct xlv_run run = { 0 };
	struct xlv_pipeline p;

	(void)state;
	assert_int_equal(xlv_pipeline_make(&run, XLV_NONE, XLV_NONE, 0, NULL, 0, &p), 0);
	assert_true(isnan(p.pushes_mean) && isnan(p.iclogs_mean));
	assert_true(isnan(p.syncs_per_push) && isnan(p.syncs_per_iclog));
	assert_true(isnan(p.flush_per_sync) && isnan(p.fua_per_sync));
	assert_int_equal(p.pushes_max, 0);
}

static void things_in_flight_over_time(void **state)
{
	/* two at once from 50 to 100; one ends as the next begins; one never ended */
	struct xlv_iclog ic[] = { an_iclog(0, 100), an_iclog(50, 150), an_iclog(150, 200),
				  an_iclog(120, XLV_NONE) };
	struct xlv_push pu[] = { a_push(0, 10), a_push(10, 20) };
	struct xlv_run run = { .iclogs = ic, .nr_iclogs = 4, .pushes = pu, .nr_pushes = 2 };
	struct xlv_pipeline p;

	(void)state;
	assert_int_equal(xlv_pipeline_make(&run, XLV_NONE, XLV_NONE, 0, NULL, 0, &p), 0);
	assert_int_equal(p.iclogs_max, 2);
	assert_true(fabs(p.iclogs_mean - 250.0 / 200) < 1e-9);
	assert_int_equal(p.pushes_max, 1);
	assert_true(fabs(p.pushes_mean - 1) < 1e-9);
}

static void only_what_is_in_scope_counts(void **state)
{
	struct xlv_iclog ic[] = { an_iclog(0, 100), an_iclog(50, 150), an_iclog(200, 300) };
	struct xlv_run run = { .iclogs = ic, .nr_iclogs = 3 };
	struct xlv_pipeline p;

	(void)state;
	ic[0].dev = ic[2].dev = 1;
	ic[1].dev = 2;
	for (int i = 0; i < 3; i++)
		ic[i].submit_role = XLV_ROLE_FSYNC;
	assert_int_equal(xlv_pipeline_make(&run, XLV_NONE, XLV_NONE, 1, NULL, 0, &p), 0);
	assert_int_equal(p.submitted_by_task, 2);
	assert_int_equal(p.iclogs_max, 1);
	assert_int_equal(xlv_pipeline_make(&run, 200, XLV_NONE, 0, NULL, 0, &p), 0);
	assert_int_equal(p.submitted_by_task, 1);
	assert_int_equal(xlv_pipeline_make(&run, XLV_NONE, 200, 0, NULL, 0, &p), 0);
	assert_int_equal(p.submitted_by_task, 2);
}

static void order_submitters_and_flushes(void **state)
{
	struct xlv_iclog ic[] = { an_iclog(0, 100), an_iclog(50, 150), an_iclog(60, 160) };
	struct xlv_sync s[2] = { { .push = -1, .iclog = -1, .flushes = 1 },
				 { .push = -1, .iclog = -1 } };
	const struct xlv_sync *syncs[] = { &s[0], &s[1] };
	struct xlv_run run = { .iclogs = ic, .nr_iclogs = 3 };
	struct xlv_pipeline p;

	(void)state;
	ic[0].flags = XLV_ICL_NEED_FLUSH | XLV_ICL_NEED_FUA;
	ic[0].submit_role = XLV_ROLE_CIL_WORKER;
	ic[1].flags = XLV_ICL_NEED_FUA;
	ic[1].submit_role = XLV_ROLE_FSYNC;
	ic[1].out_of_order = true;
	ic[1].in_order_ns = 30;
	ic[2].flags = XLV_ICL_NEED_FLUSH;
	ic[2].fake = true;	/* no device saw this flush */
	assert_int_equal(xlv_pipeline_make(&run, XLV_NONE, XLV_NONE, 0, syncs, 2, &p), 0);
	assert_int_equal(p.out_of_order, 1);
	assert_int_equal(p.in_order_wait_ns, 30);
	assert_int_equal(p.submitted_by_task, 1);
	assert_int_equal(p.submitted_by_worker, 1);
	assert_true(fabs(p.flush_per_sync - 1) < 1e-9);
	assert_true(fabs(p.fua_per_sync - 1) < 1e-9);
}

static void syncs_that_share(void **state)
{
	struct xlv_iclog ic[] = { an_iclog(0, 100), an_iclog(50, 150) };
	struct xlv_push pu[] = { a_push(0, 10) };
	struct xlv_sync s[3] = { { .push = 0, .iclog = 0 }, { .push = 0, .iclog = 0 },
				 { .push = -1, .iclog = 1 } };
	const struct xlv_sync *syncs[] = { &s[0], &s[1], &s[2] };
	struct xlv_run run = { .iclogs = ic, .nr_iclogs = 2, .pushes = pu, .nr_pushes = 1 };
	struct xlv_pipeline p;

	(void)state;
	assert_int_equal(xlv_pipeline_make(&run, XLV_NONE, XLV_NONE, 0, syncs, 3, &p), 0);
	assert_true(fabs(p.syncs_per_push - 2) < 1e-9);
	assert_true(fabs(p.syncs_per_iclog - 1.5) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_run_has_no_figures),
		cmocka_unit_test(things_in_flight_over_time),
		cmocka_unit_test(only_what_is_in_scope_counts),
		cmocka_unit_test(order_submitters_and_flushes),
		cmocka_unit_test(syncs_that_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
