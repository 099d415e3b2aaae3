// SPDX-License-Identifier: GPL-2.0-or-later
/* The accounting adds up to the nanosecond, whatever the numbers are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/accounting.h"
#include "analysis/bootstrap.h"

#define ROUNDS	500

static struct xlv_rng rng;

static int64_t below(int64_t n)
{
	return xlv_rng_below(&rng, n);
}

static void a_mean_is_rounded_to_the_nearest_integer(void **state)
{
	(void)state;
	assert_int_equal(xlv_mean_round(7, 2), 4);
	assert_int_equal(xlv_mean_round(-7, 2), -4);
	assert_int_equal(xlv_mean_round(10, 4), 3);
	assert_int_equal(xlv_mean_round(9, 4), 2);
	assert_int_equal(xlv_mean_round(-9, 4), -2);
	assert_int_equal(xlv_mean_round(0, 3), 0);
	assert_int_equal(xlv_mean_round(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(xlv_mean_round(INT64_MIN + 1, 1), INT64_MIN + 1);
}

static void apportioned_parts_add_up_and_are_off_by_less_than_one(void **state)
{
	int64_t sums[70], out[70], total, n;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		size_t k = 1 + below(70);

		n = 1 + below(round % 2 ? 10 : 1000000);
		total = 0;
		for (size_t i = 0; i < k; i++) {
			sums[i] = below(1000000000) - 300000000;
			total += sums[i];
		}
		total = xlv_mean_round(total, n);
		xlv_apportion(sums, out, k, n, total);
		for (size_t i = 0; i < k; i++) {
			assert_true(llabs(out[i] * n - sums[i]) < n);
			total -= out[i];
		}
		assert_int_equal(total, 0);
	}
}

static void what_is_zero_gets_no_leftover(void **state)
{
	const int64_t sums[] = { 0, 1, 0, 1, 1, 0 };
	int64_t out[6];

	(void)state;
	xlv_apportion(sums, out, 6, 3, 1);
	assert_int_equal(out[0], 0);
	assert_int_equal(out[1], 1);
	assert_int_equal(out[2] + out[3] + out[4] + out[5], 0);
}

/* A sync of random stages, some of them wake-ups, that tiles its span. */
struct made {
	struct xlv_sync sync;
	struct xlv_detail detail;
	struct xlv_segment seg[12];
	struct xlv_path_wake wake[12];
};

static bool add(struct xlv_sums *s, const struct made *m)
{
	return xlv_sums_add(s, &m->sync, &m->detail);
}

static void begin(struct made *m)
{
	memset(m, 0, sizeof(*m));
	m->sync.io_flush_ns = m->sync.io_device_ns = m->sync.in_order_ns = XLV_NONE;
	m->detail.segments = m->seg;
	m->detail.wakes = m->wake;
}

static bool is_wake(unsigned int stage)
{
	return stage == XLV_STAGE_CIL_QUEUE || stage == XLV_STAGE_CIL_WAKE ||
	       stage == XLV_STAGE_WRITE_WAIT || stage == XLV_STAGE_IOEND_QUEUE ||
	       stage == XLV_STAGE_WAKE;
}

static void make_wake(struct made *m, struct xlv_segment *g)
{
	struct xlv_path_wake *w = &m->wake[m->detail.nr_wakes];
	int64_t left = g->stage == XLV_STAGE_WRITE_WAIT ? g->ns / 3 : g->ns;

	g->wake = m->detail.nr_wakes++;
	w->stage = g->stage;
	w->ns = left;
	for (int p = 0; p < XLV_PART_COUNT; p++) {
		w->parts_ns[p] = p == XLV_PART_COUNT - 1 ? left : below(left + 1);
		left -= w->parts_ns[p];
	}
}

static void make_sync(struct made *m)
{
	begin(m);
	m->detail.nr_segments = 1 + below(12);
	for (int i = 0; i < m->detail.nr_segments; i++) {
		struct xlv_segment *g = &m->seg[i];

		g->stage = below(XLV_STAGE_COUNT);
		g->ns = below(200000);
		g->wake = -1;
		if (g->stage == XLV_STAGE_LOG_IO && below(2)) {
			m->sync.io_flush_ns = g->ns / 3;
			m->sync.io_device_ns = g->ns / 2;
		}
		if (g->stage == XLV_STAGE_CALLBACKS)
			m->sync.in_order_ns = g->ns / 4;
		if (is_wake(g->stage))
			make_wake(m, g);
		m->sync.span_ns += g->ns;
	}
}

static void the_account_adds_up_in_both_directions(void **state)
{
	struct xlv_account acc;
	struct made m;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct xlv_sums s[2] = { 0 };
		int64_t base = 0, other = 0;

		for (int o = 0; o < 2; o++)
			for (int i = 1 + below(30); i; i--) {
				make_sync(&m);
				assert_true(add(&s[o], &m));
			}
		xlv_account_make(&acc, &s[0], &s[1]);
		assert_int_equal(acc.base_ns, xlv_mean_round(s[0].span_ns, s[0].n));
		assert_int_equal(acc.other_ns, xlv_mean_round(s[1].span_ns, s[1].n));
		for (int i = 0; i < XLV_STAGE_COUNT; i++) {
			const struct xlv_account_row *r = &acc.row[i];
			int64_t lb = 0, lo = 0;

			for (int l = 0; l < XLV_LEAF_COUNT; l++) {
				lb += r->leaf_base_ns[l];
				lo += r->leaf_other_ns[l];
			}
			assert_int_equal(lb, r->base_ns);
			assert_int_equal(lo, r->other_ns);
			base += lb;
			other += lo;
		}
		assert_int_equal(base, acc.base_ns);
		assert_int_equal(other, acc.other_ns);
	}
}

static void the_tail_of_a_write_wait_is_split_and_the_sleep_is_rest(void **state)
{
	struct xlv_sums s = { 0 };
	struct made m;

	(void)state;
	begin(&m);
	m.sync.span_ns = 900;
	m.detail.nr_segments = m.detail.nr_wakes = 1;
	m.seg[0] = (struct xlv_segment){ .stage = XLV_STAGE_WRITE_WAIT, .ns = 900 };
	m.wake[0] = (struct xlv_path_wake){ .stage = XLV_STAGE_WRITE_WAIT, .ns = 30,
					    .parts_ns = { [XLV_PART_WAKER_BUSY] = 20,
							  [XLV_PART_SCHED] = 10 } };
	assert_true(add(&s, &m));
	assert_int_equal(s.leaf_ns[XLV_STAGE_WRITE_WAIT][XLV_PART_WAKER_BUSY], 20);
	assert_int_equal(s.leaf_ns[XLV_STAGE_WRITE_WAIT][XLV_PART_SCHED], 10);
	assert_int_equal(s.leaf_ns[XLV_STAGE_WRITE_WAIT][XLV_LEAF_REST], 870);
}

static void the_wake_after_data_writeback_is_split_out_of_it(void **state)
{
	struct xlv_wait wait = { .queue = XLV_QUEUE_OTHER, .start_ns = 100 };
	struct xlv_sums s = { 0 };
	struct made m;

	(void)state;
	begin(&m);
	m.sync.span_ns = 500;
	m.detail.nr_segments = m.detail.nr_waits = 1;
	m.detail.waits = &wait;
	m.seg[0] = (struct xlv_segment){ .stage = XLV_STAGE_DATA_WRITEBACK, .ns = 500, .wake = -1 };
	wait.wake.waking_ns = 300;
	wait.wake.running_ns = 340;
	wait.wake.parts_ns[XLV_PART_WAKEUP_IPI] = 40;
	assert_true(add(&s, &m));
	assert_int_equal(s.leaf_ns[XLV_STAGE_DATA_WRITEBACK][XLV_PART_WAKEUP_IPI], 40);
	assert_int_equal(s.leaf_ns[XLV_STAGE_DATA_WRITEBACK][XLV_LEAF_REST], 460);
	wait.wake.running_ns = 501;	/* not inside: nothing to split */
	assert_true(add(&s, &m));
	assert_int_equal(s.leaf_ns[XLV_STAGE_DATA_WRITEBACK][XLV_PART_WAKEUP_IPI], 40);
	assert_int_equal(s.span_ns, 1000);
}

static void a_sync_that_does_not_tile_is_refused_whole(void **state)
{
	struct xlv_sums s = { 0 }, none = { 0 };
	struct made m;

	(void)state;
	begin(&m);
	m.sync.span_ns = 6;
	m.detail.nr_segments = 1;
	m.seg[0] = (struct xlv_segment){ .stage = XLV_STAGE_EXIT, .ns = 5, .wake = -1 };
	assert_false(add(&s, &m));
	assert_memory_equal(&s, &none, sizeof(s));
	m.seg[0].ns = m.sync.span_ns = INT64_MAX;
	assert_true(add(&s, &m));
	assert_false(add(&s, &m));
	assert_int_equal(s.n, 1);
}

static void mix_and_rate_add_up_to_the_difference(void **state)
{
	char key[8];

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct xlv_mix g = { 0 };
		int64_t mix = 0, rate = 0;

		for (int i = 1 + below(300); i; i--) {
			snprintf(key, sizeof(key), "p%d", (int)below(12));
			assert_true(xlv_mix_add(&g, key, 1, below(1000000), below(2)));
		}
		assert_true(xlv_mix_add(&g, "only-base", 1, 1 + below(1000), false));
		assert_true(xlv_mix_add(&g, "only-other", 1, 1 + below(1000), true));
		assert_true(xlv_mix_account(&g));
		for (size_t i = 0; i < g.nr; i++) {
			mix += g.group[i].mix_ns;
			rate += g.group[i].rate_ns;
			if (!g.group[i].base_n || !g.group[i].other_n)
				assert_int_equal(g.group[i].rate_ns, 0);
		}
		assert_int_equal(mix, g.mix_ns);
		assert_int_equal(rate, g.rate_ns);
		assert_int_equal(mix + rate, xlv_mean_round(g.other_sum_ns, g.other_n) -
					     xlv_mean_round(g.base_sum_ns, g.base_n));
		xlv_mix_free(&g);
	}
}

static void the_same_groups_at_another_speed_are_all_rate(void **state)
{
	struct xlv_mix g = { 0 };

	(void)state;
	for (int i = 0; i < 10; i++) {
		xlv_mix_add(&g, i % 2 ? "AAAAAA" : "ABABBA", 1, 1000 + i % 2 * 500, false);
		xlv_mix_add(&g, i % 2 ? "AAAAAA" : "ABABBA", 1, 3000 + i % 2 * 500, true);
	}
	assert_true(xlv_mix_account(&g));
	assert_int_equal(g.rate_ns, 2000);
	assert_int_equal(g.mix_ns, 0);
	xlv_mix_free(&g);
}

static void other_groups_at_the_same_speed_are_all_mix(void **state)
{
	struct xlv_mix g = { 0 };

	(void)state;
	for (int i = 0; i < 10; i++) {
		xlv_mix_add(&g, i < 8 ? "AAAAAA" : "ABABBA", 1, i < 8 ? 1000 : 5000, false);
		xlv_mix_add(&g, i < 3 ? "AAAAAA" : "ABABBA", 1, i < 3 ? 1000 : 5000, true);
	}
	assert_true(xlv_mix_account(&g));
	assert_int_equal(g.rate_ns, 0);
	assert_int_equal(g.mix_ns, 2000);
	/* leaving the faster group and joining the slower one both cost time */
	assert_true(g.group[0].mix_ns > 0 && g.group[1].mix_ns > 0);
	xlv_mix_free(&g);
}

static int setup(void **state)
{
	(void)state;
	xlv_rng_seed(&rng, 7);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mean_is_rounded_to_the_nearest_integer),
		cmocka_unit_test(apportioned_parts_add_up_and_are_off_by_less_than_one),
		cmocka_unit_test(what_is_zero_gets_no_leftover),
		cmocka_unit_test(the_account_adds_up_in_both_directions),
		cmocka_unit_test(the_tail_of_a_write_wait_is_split_and_the_sleep_is_rest),
		cmocka_unit_test(the_wake_after_data_writeback_is_split_out_of_it),
		cmocka_unit_test(a_sync_that_does_not_tile_is_refused_whole),
		cmocka_unit_test(mix_and_rate_add_up_to_the_difference),
		cmocka_unit_test(the_same_groups_at_another_speed_are_all_rate),
		cmocka_unit_test(other_groups_at_the_same_speed_are_all_mix),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
