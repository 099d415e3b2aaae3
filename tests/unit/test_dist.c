// SPDX-License-Identifier: GPL-2.0-or-later
/* Distributions are exact; histograms keep their promised error and merge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/dist.h"
#include "analysis/hist.h"

#define N	20000

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Durations as they are: from nanoseconds to minutes, some negative. */
static int64_t random_ns(void)
{
	int64_t v = (int64_t)(next_random() >> (24 + next_random() % 34));

	return next_random() % 50 ? v : -v;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void sorting_sorts_any_values(void **state)
{
	static int64_t v[N], w[N];
	static const size_t sizes[] = { 0, 1, 2, 3, 511, 512, 513, N };

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		for (size_t i = 0; i < sizes[s]; i++)
			v[i] = w[i] = random_ns();
		if (sizes[s] > 600) {
			v[7] = w[7] = INT64_MIN;
			v[8] = w[8] = INT64_MAX;
		}
		xlv_sort_ns(v, sizes[s]);
		qsort(w, sizes[s], sizeof(w[0]), compare);
		assert_memory_equal(v, w, sizes[s] * sizeof(v[0]));
	}
}

static void quantiles_are_nearest_rank(void **state)
{
	int64_t v[100], one = 42;
	struct xlv_dist d;

	(void)state;
	for (int i = 0; i < 100; i++)
		v[i] = 100 - i;
	d = xlv_dist_make(v, 100);
	assert_int_equal(d.n, 100);
	assert_int_equal(d.min, 1);
	assert_int_equal(d.p50, 50);
	assert_int_equal(d.p90, 90);
	assert_int_equal(d.p95, 95);
	assert_int_equal(d.p99, 99);
	assert_int_equal(d.max, 100);
	assert_int_equal(d.sum, 5050);
	assert_true(d.mean == 50.5);
	d = xlv_dist_make(v, 3);
	assert_int_equal(d.p50, 2);
	assert_int_equal(d.p90, 3);
	d = xlv_dist_make(&one, 1);
	assert_int_equal(d.min, 42);
	assert_int_equal(d.p50, 42);
	assert_int_equal(d.p99, 42);
	d = xlv_dist_make(NULL, 0);
	assert_int_equal(d.n, 0);
}

static void sums_do_not_wrap(void **state)
{
	int64_t v[4] = { INT64_MAX, INT64_MAX, INT64_MAX, 1 };
	struct xlv_dist d = xlv_dist_make(v, 4);

	(void)state;
	assert_int_equal(d.sum, INT64_MAX);
	assert_true(d.mean > 6.9e18 && d.mean < 7e18);
}

static void a_bucket_holds_its_values(void **state)
{
	int64_t low, high, v;
	int32_t last = 0;

	(void)state;
	for (int32_t i = 0; i <= xlv_hist_max_index(); i++) {
		xlv_hist_bounds(i, &low, &high);
		assert_true(low <= high);
		assert_int_equal(xlv_hist_index(low), i);
		assert_int_equal(xlv_hist_index(high), i);
		if (i) {
			assert_int_equal(xlv_hist_index(-low), -i);
			assert_int_equal(xlv_hist_index(low - 1), i - 1);
		}
		/* the middle is within 1 % of both ends, by far */
		v = low + (high - low) / 2;
		assert_true((double)(high - v) <= 0.004 * (double)low + 0.5);
	}
	assert_int_equal(high, INT64_MAX);
	last = xlv_hist_index(INT64_MIN);
	xlv_hist_bounds(last, &low, &high);
	assert_int_equal(low, INT64_MIN);
	assert_int_equal(high, INT64_MIN);
}

static void assert_same(const struct xlv_hist *a, const struct xlv_hist *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->sum, b->sum);
	assert_int_equal(a->nr_buckets, b->nr_buckets);
	for (size_t i = 0; i < a->nr_buckets; i++) {
		assert_int_equal(a->bucket[i].index, b->bucket[i].index);
		assert_int_equal(a->bucket[i].count, b->bucket[i].count);
	}
	assert_true(xlv_hist_valid(a));
}

static void merging_parts_in_any_order_equals_the_whole(void **state)
{
	static int64_t v[N];
	struct xlv_hist *part[7], *one = xlv_hist_new(), *forth = xlv_hist_new();
	struct xlv_hist *back = xlv_hist_new(), *whole;

	(void)state;
	for (int i = 0; i < 7; i++)
		part[i] = xlv_hist_new();
	for (int i = 0; i < N; i++) {
		v[i] = random_ns();
		assert_int_equal(xlv_hist_add(part[i % 7], v[i], 1), 0);
		assert_int_equal(xlv_hist_add(one, v[i], 1), 0);
	}
	for (int i = 0; i < 7; i++) {
		assert_int_equal(xlv_hist_merge(forth, part[i]), 0);
		assert_int_equal(xlv_hist_merge(back, part[6 - i]), 0);
	}
	xlv_sort_ns(v, N);
	whole = xlv_hist_from_sorted(v, N);
	assert_same(whole, one);
	assert_same(whole, forth);
	assert_same(whole, back);
	for (int i = 0; i < 7; i++)
		xlv_hist_free(part[i]);
	xlv_hist_free(one);
	xlv_hist_free(forth);
	xlv_hist_free(back);
	xlv_hist_free(whole);
}

static void quantiles_are_within_one_percent(void **state)
{
	static const double q[] = { 0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1 };
	static int64_t v[N];
	struct xlv_hist *h;
	struct xlv_dist d;

	(void)state;
	for (int i = 0; i < N; i++)
		v[i] = random_ns();
	d = xlv_dist_make(v, N);
	h = xlv_hist_from_sorted(v, N);
	for (size_t i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
		double exact = (double)xlv_quantile(v, N, q[i]);

		assert_true(fabs((double)xlv_hist_quantile(h, q[i]) - exact) <=
			    0.01 * fabs(exact));
	}
	assert_int_equal(xlv_hist_dist(h).n, d.n);
	assert_int_equal(xlv_hist_dist(h).min, d.min);
	assert_int_equal(xlv_hist_dist(h).max, d.max);
	assert_int_equal(xlv_hist_dist(h).sum, d.sum);
	assert_true(xlv_hist_dist(h).mean == d.mean);
	xlv_hist_free(h);
}

static void what_was_read_is_checked(void **state)
{
	struct xlv_hist *h = xlv_hist_new();

	(void)state;
	assert_int_equal(xlv_hist_append(h, 5, 0), -1);
	assert_int_equal(xlv_hist_append(h, 5, -1), -1);
	assert_int_equal(xlv_hist_append(h, xlv_hist_max_index() + 2, 1), -1);
	assert_int_equal(xlv_hist_append(h, 5, 3), 0);
	assert_int_equal(xlv_hist_append(h, 5, 3), -1);
	assert_int_equal(xlv_hist_append(h, 4, 3), -1);
	assert_int_equal(xlv_hist_append(h, 9, INT64_MAX), -1);
	assert_int_equal(xlv_hist_append(h, 9, 1), 0);
	h->min = 5;
	h->max = 9;
	assert_true(xlv_hist_valid(h));
	h->max = 10;
	assert_false(xlv_hist_valid(h));
	xlv_hist_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorting_sorts_any_values),
		cmocka_unit_test(quantiles_are_nearest_rank),
		cmocka_unit_test(sums_do_not_wrap),
		cmocka_unit_test(a_bucket_holds_its_values),
		cmocka_unit_test(merging_parts_in_any_order_equals_the_whole),
		cmocka_unit_test(quantiles_are_within_one_percent),
		cmocka_unit_test(what_was_read_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
