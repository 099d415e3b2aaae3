// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals: seeded, exact where they can be, and right as often as they say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/bootstrap.h"
#include "analysis/dist.h"
#include "model/run.h"

#define COLS	3

static struct xlv_rng rng;

static double uniform(void)
{
	return (xlv_rng_next(&rng) >> 11) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(2 * M_PI * uniform());
}

/*
 * Like syncs: log-normal, correlated in time (coefficient @phi), a rare outlier,
 * columns that share most of their ups and downs.
 */
static void fill(int64_t *v, size_t n, double phi, double factor)
{
	double x = normal(), own;

	for (size_t i = 0; i < n; i++) {
		x = phi * x + sqrt(1 - phi * phi) * normal();
		for (int c = 0; c < COLS; c++) {
			own = 0.9 * x + 0.44 * normal();
			v[i * COLS + c] = factor * 100000 * exp(0.3 * own);
			if (uniform() < 0.002)
				v[i * COLS + c] += 2000000;
		}
	}
}

static struct xlv_series series(const int64_t *v, size_t n)
{
	return (struct xlv_series){ .value = v, .nr_rows = n, .nr_cols = COLS };
}

static int claims(const struct xlv_boot *b)
{
	int n = 0;

	for (int c = 0; c < b->nr_cols; c++)
		for (int s = 0; s < XLV_STAT_COUNT; s++)
			n += b->est[c][s].low > 0 || b->est[c][s].high < 0;
	return n;
}

static void the_generator_gives_its_published_numbers(void **state)
{
	struct xlv_rng r = { { 1, 2, 3, 4 } };

	(void)state;
	assert_int_equal(xlv_rng_next(&r), 11520);
	assert_int_equal(xlv_rng_next(&r), 0);
	assert_int_equal(xlv_rng_next(&r), 1509978240);
}

static void below_reaches_every_number_and_none_above(void **state)
{
	int seen[7] = { 0 };

	(void)state;
	for (int i = 0; i < 7000; i++)
		seen[xlv_rng_below(&rng, 7)]++;
	for (int i = 0; i < 7; i++)
		assert_in_range(seen[i], 850, 1150);
}

static void the_same_seed_gives_the_same_intervals(void **state)
{
	int64_t a[300 * COLS], b[300 * COLS];
	struct xlv_series s[2] = { series(a, 300), series(b, 300) };
	struct xlv_boot x, y, z;

	(void)state;
	fill(a, 300, 0.5, 1);
	fill(b, 300, 0.5, 1.1);
	assert_true(xlv_boot_compare(&x, s, 1));
	assert_true(xlv_boot_compare(&y, s, 1));
	assert_true(xlv_boot_compare(&z, s, 2));
	assert_memory_equal(&x, &y, sizeof(x));
	assert_memory_not_equal(&x, &z, sizeof(x));
}

static void values_are_nearest_rank_and_exact_beyond_the_bins(void **state)
{
	size_t n = 200001;
	int64_t *a = malloc(n * sizeof(*a)), *b = malloc(n * sizeof(*b)), sum = 0;
	struct xlv_series s[2] = { { a, n, 1, NULL, 1 }, { b, n, 1, NULL, 1 } };
	struct xlv_boot x;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		a[i] = b[n - 1 - i] = xlv_rng_next(&rng) >> 30;
		sum += a[i];
	}
	assert_true(xlv_boot_compare(&x, s, 1));
	assert_int_equal(claims(&x), 0);
	struct xlv_dist d = xlv_dist_make(b, n);

	assert_true(x.est[0][XLV_STAT_P50].value[0] == d.p50);
	assert_true(x.est[0][XLV_STAT_P95].value[1] == d.p95);
	assert_true(fabs(x.est[0][XLV_STAT_MEAN].value[0] - (double)sum / n) < 1e-3);
	free(a);
	free(b);
}

static void absent_values_are_left_out_and_few_give_no_interval(void **state)
{
	int64_t a[200 * COLS], b[200 * COLS];
	struct xlv_series s[2] = { series(a, 200), series(b, 200) };
	struct xlv_boot x;

	(void)state;
	fill(a, 200, 0, 1);
	fill(b, 200, 0, 1);
	for (int i = 0; i < 200; i++) {
		if (i % 2)
			a[i * COLS + 1] = XLV_NONE;
		if (i >= 10)
			b[i * COLS + 2] = XLV_NONE;
	}
	assert_true(xlv_boot_compare(&x, s, 1));
	assert_int_equal(x.est[1][0].n[0], 100);
	assert_true(x.est[1][0].has_interval);
	assert_int_equal(x.est[2][0].n[1], 10);
	assert_false(x.est[2][0].has_interval);
	assert_true(x.est[1][0].value[0] > 0);
}

static void a_recording_against_itself_shows_no_difference(void **state)
{
	int64_t a[500 * COLS];
	struct xlv_series s[2] = { series(a, 500), series(a, 500) };
	struct xlv_boot x;

	(void)state;
	fill(a, 500, 0.7, 1);
	assert_true(xlv_boot_compare(&x, s, 1));
	assert_int_equal(claims(&x), 0);
	for (int i = 0; i < 500 * COLS; i++)
		a[i] = 256;
	assert_true(xlv_boot_compare(&x, s, 1));
	assert_int_equal(claims(&x), 0);
}

static void blocks_grow_with_the_correlation(void **state)
{
	int64_t a[2000 * COLS];
	struct xlv_series s = series(a, 2000);
	size_t loose, tight;

	(void)state;
	fill(a, 2000, 0, 1);
	loose = xlv_block_length(&s);
	fill(a, 2000, 0.95, 1);
	tight = xlv_block_length(&s);
	assert_in_range(loose, 1, 12);
	assert_in_range(tight, 20, 500);
}

/* How often at least one of all figures claims a difference that isn't there. */
static int false_alarms(size_t n, double phi, int trials)
{
	int64_t *a = malloc(n * COLS * sizeof(*a)), *b = malloc(n * COLS * sizeof(*b));
	struct xlv_series s[2] = { series(a, n), series(b, n) };
	struct xlv_boot x;
	int alarms = 0;

	for (int t = 0; t < trials; t++) {
		fill(a, n, phi, 1);
		fill(b, n, phi, 1);
		assert_true(xlv_boot_compare(&x, s, t));
		alarms += claims(&x) > 0;
	}
	free(a);
	free(b);
	print_message("false alarms with %zu syncs, correlation %.1f: %d of %d\n", n, phi,
		      alarms, trials);
	return alarms;
}

static void nothing_is_claimed_where_nothing_differs(void **state)
{
	(void)state;
	assert_in_range(false_alarms(60, 0, 100), 0, 5);
	assert_in_range(false_alarms(200, 0.3, 100), 0, 5);
	assert_in_range(false_alarms(600, 0.6, 100), 0, 5);
	assert_in_range(false_alarms(1000, 0.9, 100), 0, 5);
}

static void a_real_difference_is_found(void **state)
{
	int64_t a[400 * COLS], b[400 * COLS];
	struct xlv_series s[2] = { series(a, 400), series(b, 400) };
	struct xlv_boot x;
	int found = 0;

	(void)state;
	for (int t = 0; t < 50; t++) {
		fill(a, 400, 0.3, 1);
		fill(b, 400, 0.3, 1.2);
		assert_true(xlv_boot_compare(&x, s, t));
		found += x.est[0][XLV_STAT_P50].low > 0;
	}
	assert_in_range(found, 48, 50);
}

/* Claims between five runs and five others, each at a speed of its own. */
static int claims_between(const double speed[2][5])
{
	enum { RUNS = 5, EACH = 100, N = RUNS * EACH };
	const size_t rows[RUNS] = { EACH, EACH, EACH, EACH, EACH };
	int64_t v[2][N * COLS];
	struct xlv_series s[2];
	struct xlv_boot x;

	for (int o = 0; o < 2; o++) {
		for (int r = 0; r < RUNS; r++)
			fill(v[o] + r * EACH * COLS, EACH, 0, speed[o][r]);
		s[o] = series(v[o], N);
		s[o].run_rows = rows;
		s[o].nr_runs = RUNS;
	}
	assert_true(xlv_boot_compare(&x, s, 1));
	return claims(&x);
}

static void what_differs_from_run_to_run_counts_as_chance(void **state)
{
	const double mixed[2][5] = { { 1, 1.3, 0.8, 1.2, 0.9 }, { 1.4, 0.9, 1.1, 1.3, 1 } };
	const double apart[2][5] = { { 1, 1, 1, 1, 1 }, { 1.4, 1.4, 1.4, 1.4, 1.4 } };

	(void)state;
	assert_int_equal(claims_between(mixed), 0);
	assert_in_range(claims_between(apart), 6, 9);
}

static int setup(void **state)
{
	(void)state;
	xlv_rng_seed(&rng, 11);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_gives_its_published_numbers),
		cmocka_unit_test(below_reaches_every_number_and_none_above),
		cmocka_unit_test(the_same_seed_gives_the_same_intervals),
		cmocka_unit_test(values_are_nearest_rank_and_exact_beyond_the_bins),
		cmocka_unit_test(absent_values_are_left_out_and_few_give_no_interval),
		cmocka_unit_test(a_recording_against_itself_shows_no_difference),
		cmocka_unit_test(blocks_grow_with_the_correlation),
		cmocka_unit_test(nothing_is_claimed_where_nothing_differs),
		cmocka_unit_test(a_real_difference_is_found),
		cmocka_unit_test(what_differs_from_run_to_run_counts_as_chance),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
