// SPDX-License-Identifier: GPL-2.0-or-later
/* Comparing real recordings: sums that add up, words that name the cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/compare.h"
#include "traces.h"

static struct xlv_side *side_of(const char *path, const char *name)
{
	struct xlv_error err = { "" };
	struct xlv_side *side = xlv_side_new(name);
	struct xlv_trace *t = xlv_trace_open(path, NULL, &err);
	struct xlv_run *run = t ? xlv_run_build(t, NULL, &err) : NULL;
	struct xlv_input *in = run ? xlv_input_of_run(path, t, run, NULL, &err) : NULL;

	if (!in || xlv_side_add(side, in, &err) || xlv_side_finish(side, &err))
		fail_msg("%s: %s", path, err.text);
	return side;
}

static void free_side(struct xlv_side *side)
{
	struct xlv_input *in = side->input[0];

	xlv_side_free(side);
	xlv_input_close(in);
}

static struct xlv_comparison *compare(const struct xlv_side *a, const struct xlv_side *b)
{
	struct xlv_error err = { "" };
	struct xlv_comparison *c = xlv_compare(a, b, 1, &err);

	if (!c)
		fail_msg("%s", err.text);
	return c;
}

static void check_account(const struct xlv_account *a, const struct xlv_sums *base,
			  const struct xlv_sums *other)
{
	int64_t sum[2] = { 0 };

	assert_int_equal(a->base_ns, xlv_mean_round(base->span_ns, base->n));
	assert_int_equal(a->other_ns, xlv_mean_round(other->span_ns, other->n));
	for (int i = 0; i < XLV_STAGE_COUNT; i++) {
		int64_t leaf[2] = { 0 };

		for (int l = 0; l < XLV_LEAF_COUNT; l++) {
			leaf[0] += a->row[i].leaf_base_ns[l];
			leaf[1] += a->row[i].leaf_other_ns[l];
		}
		assert_int_equal(leaf[0], a->row[i].base_ns);
		assert_int_equal(leaf[1], a->row[i].other_ns);
		sum[0] += leaf[0];
		sum[1] += leaf[1];
	}
	assert_int_equal(sum[0], a->base_ns);
	assert_int_equal(sum[1], a->other_ns);
}

static void check_mix(const struct xlv_mix *m, const struct xlv_account *a)
{
	int64_t sum = 0;

	for (size_t i = 0; i < m->nr; i++)
		sum += m->group[i].mix_ns + m->group[i].rate_ns;
	assert_int_equal(sum, m->mix_ns + m->rate_ns);
	assert_int_equal(sum, a->other_ns - a->base_ns);
}

static const char *const files[] = {
	"host-6.18-dd.dat", "host-6.18-fio8.dat", "qemu-6.1-base.dat", "qemu-6.1-fc.dat",
	"uml-7.2-base.dat", "uml-7.2-fc.dat", "matrix/6.12-amd64.dat",
};

static void everything_adds_up_between_any_two_recordings(void **state)
{
	enum { N = sizeof(files) / sizeof(files[0]) };
	struct xlv_side *side[N] = { NULL };
	int pairs = 0;

	(void)state;
	for (int i = 0; i < N; i++)
		if (traces_path(files[i]))
			side[i] = side_of(traces_path(files[i]), files[i]);
	for (int i = 0; i < N; i++)
		for (int j = i + 1; j < N; j += 2) {
			struct xlv_comparison *c;

			if (!side[i] || !side[j])
				continue;
			c = compare(side[i], side[j]);
			assert_int_equal(side[i]->not_tiled, 0);
			check_account(&c->account, &side[i]->sums, &side[j]->sums);
			check_account(&c->typical, &side[i]->typical, &side[j]->typical);
			check_mix(&c->placements, &c->account);
			check_mix(&c->kinds, &c->account);
			xlv_comparison_free(c);
			pairs++;
		}
	for (int i = 0; i < N; i++)
		if (side[i])
			free_side(side[i]);
	if (!pairs)
		skip();
}

static void a_recording_does_not_differ_from_itself(void **state)
{
	const char *const own[] = { "lab/base.dat", "lab/fc.dat" };
	int done = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		const char *path = i < 2 ? traces_sample(own[i]) : traces_path(files[i - 2]);
		struct xlv_comparison *c;
		struct xlv_side *side;

		if (!path)
			continue;
		side = side_of(path, "same");
		c = compare(side, side);
		assert_true(c->verdict == XLV_VERDICT_NONE || side->nr_rows < XLV_BOOT_MIN_N);
		assert_int_equal(c->nr_reasons, 0);
		assert_int_equal(c->account.base_ns, c->account.other_ns);
		xlv_comparison_free(c);
		free_side(side);
		done++;
	}
	if (!done)
		skip();
}

/* A side with some of another's rows, in their order. */
static struct xlv_side *some_of(const struct xlv_side *of, const bool *take, bool which)
{
	struct xlv_side *side = xlv_side_new("half");

	side->row = calloc(of->nr_rows, sizeof(*side->row));
	for (size_t i = 0; i < of->nr_rows; i++) {
		if (take[i] != which)
			continue;
		side->row[side->nr_rows] = of->row[i];
		side->row[side->nr_rows].value[XLV_FIG_GAP] = XLV_NONE;
		if (side->nr_rows)
			side->row[side->nr_rows - 1].value[XLV_FIG_GAP] =
				of->row[i].start_ns - side->row[side->nr_rows - 1].start_ns;
		side->nr_rows++;
	}
	return side;
}

static int differing_halves(const char *path, int halvings)
{
	struct xlv_side *side = side_of(path, "whole"), *half[2];
	bool *take = calloc(side->nr_rows, sizeof(*take));
	struct xlv_rng rng;
	int differing = 0;

	xlv_rng_seed(&rng, 17);
	for (int n = 0; n < halvings; n++) {
		size_t left = side->nr_rows / 2;
		struct xlv_comparison *c;

		for (size_t i = 0; i < side->nr_rows; i++) {
			take[i] = xlv_rng_below(&rng, side->nr_rows - i) < left;
			left -= take[i];
		}
		half[0] = some_of(side, take, true);
		half[1] = some_of(side, take, false);
		c = compare(half[0], half[1]);
		differing += c->verdict != XLV_VERDICT_NONE;
		xlv_comparison_free(c);
		xlv_side_free(half[0]);
		xlv_side_free(half[1]);
	}
	print_message("%s: %d of %d halvings differ\n", path, differing, halvings);
	free(take);
	free_side(side);
	return differing;
}

static void halves_of_a_recording_do_not_differ(void **state)
{
	const char *path = traces_path("host-6.18-dd.dat");
	const char *fio = traces_path("host-6.18-fio8.dat");

	(void)state;
	if (!path || !fio)
		skip();
	assert_in_range(differing_halves(path, 100), 0, 5);
	assert_in_range(differing_halves(fio, 40), 0, 2);
}

static const struct xlv_reason *reason_with(const struct xlv_comparison *c, const char *words)
{
	for (int i = 0; i < c->nr_reasons; i++)
		if (strstr(c->reasons[i].text, words))
			return &c->reasons[i];
	return NULL;
}

/* The puzzle in small: why is fake completion slower when the task may move? */
static void the_words_say_that_the_task_is_moved_by_its_wakers(void **state)
{
	const char *bound = traces_path("uml-7.2-oldsched-fc-pinned.dat");
	const char *free_to_move = traces_path("uml-7.2-oldsched-fc.dat");
	struct xlv_side *side[2];
	struct xlv_comparison *c;
	const struct xlv_reason *r;

	(void)state;
	if (!bound || !free_to_move)
		skip();
	side[0] = side_of(bound, "bound");
	side[1] = side_of(free_to_move, "free");
	c = compare(side[0], side[1]);
	assert_int_equal(c->verdict, XLV_VERDICT_SLOWER);
	r = &c->reasons[0];
	assert_non_null(strstr(r->text, "by the log worker (once in every sync) and the worker "
				       "that completes data writeback (once in every sync)"));
	assert_non_null(strstr(r->text, "In free the scheduler moves the task to another CPU, "
				       "twice in every sync"));
	assert_non_null(strstr(r->text, "In bound the task stays where it is"));
	assert_non_null(strstr(r->text, "T4 is 34.9 us instead of 5.22 us"));
	/* and that is nearly all of it */
	assert_true(r->ns > 0.8 * (c->typical.other_ns - c->typical.base_ns));
	assert_non_null(strstr(c->warnings[0], "fake completion of log writes on 4 CPUs"));
	xlv_comparison_free(c);

	c = compare(side[1], side[0]);
	assert_int_equal(c->verdict, XLV_VERDICT_FASTER);
	assert_non_null(reason_with(c, "In free the scheduler moves the task to another CPU"));
	xlv_comparison_free(c);
	free_side(side[0]);
	free_side(side[1]);
}

static void the_words_say_that_log_io_went_away(void **state)
{
	const char *base = traces_path("uml-7.2-base.dat"), *fc = traces_path("uml-7.2-fc.dat");
	struct xlv_side *side[2];
	struct xlv_comparison *c;

	(void)state;
	if (!base || !fc)
		skip();
	side[0] = side_of(base, "base");
	side[1] = side_of(fc, "fc");
	c = compare(side[0], side[1]);
	assert_int_equal(c->verdict, XLV_VERDICT_FASTER);
	assert_int_equal(c->reasons[0].stage, XLV_STAGE_LOG_IO);
	assert_non_null(strstr(c->reasons[0].text, "complete at once in fc, without a device"));
	assert_non_null(strstr(c->reasons[0].text, "never equals a fast device"));
	assert_non_null(reason_with(c, "in base an interrupt queues it, in fc the task that"));
	assert_null(reason_with(c, "moves the task"));
	xlv_comparison_free(c);
	free_side(side[0]);
	free_side(side[1]);
}

static void unlike_recordings_are_warned_about(void **state)
{
	const char *a = traces_path("uml-7.2-base.dat"), *b = traces_path("qemu-6.1-stock.dat");
	struct xlv_side *side[2];
	struct xlv_comparison *c;
	bool kernels = false, bounds = false;

	(void)state;
	if (!a || !b)
		skip();
	side[0] = side_of(a, "a");
	side[1] = side_of(b, "b");
	c = compare(side[0], side[1]);
	for (int i = 0; i < c->nr_warnings; i++) {
		kernels |= !!strstr(c->warnings[i], "different kernels: 7.2");
		bounds |= !!strstr(c->warnings[i], "patched and tracepoint");
	}
	assert_true(kernels);
	assert_true(bounds);
	xlv_comparison_free(c);
	free_side(side[0]);
	free_side(side[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_adds_up_between_any_two_recordings),
		cmocka_unit_test(a_recording_does_not_differ_from_itself),
		cmocka_unit_test(halves_of_a_recording_do_not_differ),
		cmocka_unit_test(the_words_say_that_the_task_is_moved_by_its_wakers),
		cmocka_unit_test(the_words_say_that_log_io_went_away),
		cmocka_unit_test(unlike_recordings_are_warned_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
