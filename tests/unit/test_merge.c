// SPDX-License-Identifier: GPL-2.0-or-later
/* Merging: exact counts, close quantiles, whatever the order and the grouping. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/bootstrap.h"
#include "analysis/merge.h"
#include "output/json.h"

#define REPORTS	7

static struct xlv_rng rng;

static int64_t below(int64_t n)
{
	return xlv_rng_below(&rng, n);
}

/* Heavy-tailed like latencies. */
static int64_t value(void)
{
	return 1000 + below(100000) + (below(50) ? 0 : below(20000000));
}

static struct xlv_dist dist_of(int64_t *v, size_t n)
{
	struct xlv_dist d = xlv_dist_make(v, n);

	d.hist = n ? xlv_hist_from_sorted(v, n) : NULL;
	return d;
}

static struct xlv_dist random_dist(size_t n)
{
	int64_t *v = malloc((n + 1) * sizeof(*v));
	struct xlv_dist d;

	for (size_t i = 0; i < n; i++)
		v[i] = value();
	d = dist_of(v, n);
	free(v);
	return d;
}

static struct xlv_report *make_report(int nr, const char *kernel)
{
	struct xlv_report *rep = calloc(1, sizeof(*rep));
	char name[32];

	snprintf(name, sizeof(name), "host%d.dat", nr);
	rep->filter = XLV_FILTER_ALL;
	rep->exact = true;
	rep->source.file = strdup(name);
	rep->source.kernel = strdup(kernel);
	rep->source.clock = strdup("mono");
	rep->source.machine = strdup("x86_64");
	rep->source.format = strdup("trace.dat");
	rep->source.buffer = strdup("");
	rep->source.cpus = 4;
	rep->source.boundaries = XLV_BOUNDS_TRACEPOINT;
	rep->source.events = below(100000);
	rep->complete = 50 + below(500);
	rep->partial = below(5);
	rep->syncs = rep->complete + rep->partial;
	rep->time_ns = 1000000000 + below(1000000000);
	for (int k = 0; k < XLV_KIND_COUNT; k++)
		rep->by_kind[k] = below(100);
	for (int i = 0; i < XLV_I_COUNT; i++)
		rep->interval[i] = random_dist(rep->complete - below(20));
	rep->nr_stages = 1 + below(4);
	for (int i = 0; i < rep->nr_stages; i++) {
		rep->stages[i].stage = 3 * i + below(3);
		rep->stages[i].dist = random_dist(rep->complete);
		rep->stages[i].flush_ns = rep->stages[i].device_ns = XLV_NONE;
		rep->stages[i].in_order_ns = below(2) ? XLV_NONE : below(1000);
	}
	rep->wakes = calloc(3, sizeof(*rep->wakes));
	rep->nr_wakes = below(4);
	for (int i = 0; i < rep->nr_wakes; i++) {
		rep->wakes[i].stage = XLV_STAGE_WAKE;
		rep->wakes[i].cause = 2 * i + below(2);
		rep->wakes[i].count = 1 + below(100);
		rep->wakes[i].total_ns = rep->wakes[i].parts_ns[XLV_PART_SCHED] = below(100000);
		rep->wakes[i].remote = below(rep->wakes[i].count + 1);
	}
	rep->placements = calloc(3, sizeof(*rep->placements));
	rep->nr_placements = 1 + below(3);
	for (int i = 0; i < rep->nr_placements; i++) {
		snprintf(rep->placements[i].placement, 8, "A%cA%cAA", 'A' + i,
			 (char)('A' + below(3)));
		rep->placements[i].count = 10 + below(50);
		rep->placements[i].span = random_dist(rep->placements[i].count);
		rep->placements[i].T1 = random_dist(rep->placements[i].count);
		rep->placements[i].T4 = random_dist(below(10));
	}
	rep->others = calloc(2, sizeof(*rep->others));
	rep->nr_others = 1;
	rep->others[0] = (struct xlv_other_row){ strdup(below(2) ? "inode lock" : "log space"),
						 1 + below(9), below(1000000) };
	rep->pipeline.pushes_max = below(4);
	rep->pipeline.submitted_by_task = below(100);
	return rep;
}

static struct xlv_report *merge(struct xlv_report *const *rep, int n)
{
	struct xlv_merge *m = xlv_merge_new();
	struct xlv_report *all;
	struct xlv_error err;

	for (int i = 0; i < n; i++)
		if (xlv_merge_add(m, rep[i], &err))
			fail_msg("%s", err.text);
	all = xlv_merge_finish(m, &err);
	if (!all)
		fail_msg("%s", err.text);
	xlv_merge_free(m);
	return all;
}

static char *text_of(const struct xlv_report *rep)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(xlv_json_report(f, rep, NULL), 0);
	fclose(f);
	return text;
}

static void order_and_grouping_make_no_difference(void **state)
{
	struct xlv_report *rep[REPORTS], *shuffled[REPORTS], *part[3], *all, *again;
	char *want, *got;

	(void)state;
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < REPORTS; i++)
			rep[i] = make_report(i, round % 2 && i == 3 ? "6.1" : "6.12");
		all = merge(rep, REPORTS);
		want = text_of(all);
		for (int i = 0; i < REPORTS; i++) {
			int at = below(i + 1);

			shuffled[i] = shuffled[at];
			shuffled[at] = rep[i];
		}
		part[0] = merge(shuffled, 2);
		part[1] = merge(shuffled + 2, 1);
		part[2] = merge(shuffled + 3, REPORTS - 3);
		again = merge(part, 3);
		got = text_of(again);
		assert_string_equal(want, got);
		assert_int_equal(all->nr_warnings, round % 2);
		for (int i = 0; i < 3; i++)
			xlv_report_free(part[i]);
		for (int i = 0; i < REPORTS; i++)
			xlv_report_free(rep[i]);
		xlv_report_free(all);
		xlv_report_free(again);
		free(want);
		free(got);
	}
}

static void counts_are_exact_and_quantiles_within_a_hundredth(void **state)
{
	enum { EACH = 3000 };
	static int64_t every[REPORTS * EACH];
	struct xlv_report *rep[REPORTS], *all;
	struct xlv_dist exact, *got;
	int64_t syncs = 0;

	(void)state;
	for (int i = 0; i < REPORTS; i++) {
		static int64_t v[EACH];

		rep[i] = make_report(i, "6.12");
		syncs += rep[i]->syncs;
		for (int j = 0; j < EACH; j++)
			v[j] = every[i * EACH + j] = value() * (i + 1);
		xlv_hist_free(rep[i]->interval[XLV_I_SPAN].hist);
		rep[i]->interval[XLV_I_SPAN] = dist_of(v, EACH);
	}
	all = merge(rep, REPORTS);
	exact = xlv_dist_make(every, REPORTS * EACH);
	got = &all->interval[XLV_I_SPAN];
	assert_int_equal(all->syncs, syncs);
	assert_int_equal(got->n, exact.n);
	assert_int_equal(got->min, exact.min);
	assert_int_equal(got->max, exact.max);
	assert_int_equal(got->sum, exact.sum);
	assert_true(fabs(got->mean - exact.mean) < 1e-6 * exact.mean);
	assert_true(llabs(got->p50 - exact.p50) * 100 <= exact.p50);
	assert_true(llabs(got->p90 - exact.p90) * 100 <= exact.p90);
	assert_true(llabs(got->p95 - exact.p95) * 100 <= exact.p95);
	assert_true(llabs(got->p99 - exact.p99) * 100 <= exact.p99);
	assert_false(all->exact);
	for (int i = 0; i < REPORTS; i++)
		xlv_report_free(rep[i]);
	xlv_report_free(all);
}

static void what_differs_is_unknown_and_said(void **state)
{
	struct xlv_report *rep[2] = { make_report(0, "6.1"), make_report(1, "6.12") }, *all;

	(void)state;
	rep[1]->source.fake_completion = true;
	rep[1]->source.cpus = 8;
	rep[1]->source.lost_events = 5;
	all = merge(rep, 2);
	assert_string_equal(all->source.kernel, "");
	assert_string_equal(all->source.clock, "mono");
	assert_int_equal(all->source.cpus, 0);
	assert_string_equal(all->source.file, "2 recordings");
	assert_non_null(strstr(all->source.metadata, "\"host1.dat\""));
	assert_true(isnan(all->pipeline.pushes_mean));
	assert_int_equal(all->nr_warnings, 4);
	assert_non_null(strstr(all->warnings[2], "1 of 2 recordings ran with fake completion"));
	for (int i = 0; i < 2; i++)
		xlv_report_free(rep[i]);
	xlv_report_free(all);
}

static void a_report_without_histograms_is_refused(void **state)
{
	struct xlv_report *rep = make_report(0, "6.1");
	struct xlv_merge *m = xlv_merge_new();
	struct xlv_error err;

	(void)state;
	xlv_hist_free(rep->interval[0].hist);
	rep->interval[0].hist = NULL;
	assert_int_equal(xlv_merge_add(m, rep, &err), -1);
	assert_non_null(strstr(err.text, "without histograms"));
	xlv_merge_free(m);
	xlv_report_free(rep);
}

static int setup(void **state)
{
	(void)state;
	xlv_rng_seed(&rng, 13);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_grouping_make_no_difference),
		cmocka_unit_test(counts_are_exact_and_quantiles_within_a_hundredth),
		cmocka_unit_test(what_differs_is_unknown_and_said),
		cmocka_unit_test(a_report_without_histograms_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
