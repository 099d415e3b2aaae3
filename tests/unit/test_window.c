// SPDX-License-Identifier: GPL-2.0-or-later
/* A window agrees with the run that it belongs to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/window.h"
#include "traces.h"

struct recording {
	struct xlv_trace	*trace;
	struct xlv_run		*run;
};

static const char *const names[] = {
	"uml-7.2-oldsched-fc.dat", "host-6.18-fio8.dat", "qemu-6.1-fio4-base.dat",
	"matrix/5.10-amd64.dat", "matrix/6.1-amd64-lost.dat", NULL
};

static const char *const samples[] = { "fio4.dat", "lab/fc.dat", NULL };

static bool load(struct recording *r, const char *path)
{
	struct xlv_error err;

	if (!path)
		return false;
	r->trace = xlv_trace_open(path, NULL, &err);
	assert_non_null(r->trace);
	r->run = xlv_run_build(r->trace, NULL, &err);
	assert_non_null(r->run);
	return true;
}

static void unload(struct recording *r)
{
	xlv_run_free(r->run);
	xlv_trace_close(r->trace);
}

/* Calls for each recording that is here, the one in the source tree at least. */
static void each(void (*check)(struct recording *r))
{
	const char *top = getenv("top_srcdir");
	struct recording r;
	char path[1024];

	snprintf(path, sizeof(path), "%s/tests/unit/data/fsync-6.18.txt", top ? top : ".");
	if (load(&r, path)) {
		check(&r);
		unload(&r);
	}
	for (int i = 0; samples[i]; i++)
		if (load(&r, traces_sample(samples[i]))) {
			check(&r);
			unload(&r);
		}
	for (int i = 0; names[i]; i++)
		if (load(&r, traces_path(names[i]))) {
			check(&r);
			unload(&r);
		}
}

static struct xlv_window *window(struct recording *r, int64_t from_ns, int64_t to_ns,
				 int64_t res_ns)
{
	struct xlv_window_opts opts = { .from_ns = from_ns, .to_ns = to_ns, .res_ns = res_ns };
	struct xlv_error err;
	struct xlv_window *win = xlv_window_read(r->trace, r->run, &opts, &err);

	assert_non_null(win);
	return win;
}

static struct xlv_window *whole(struct recording *r, int64_t res_ns)
{
	return window(r, r->run->info->start_ns, r->run->info->end_ns + 1, res_ns);
}

static void check_tiling(struct recording *r)
{
	struct xlv_window *win = whole(r, 0);

	assert_true(win->nr_cpus > 0);
	for (int32_t i = 0; i < win->nr_cpus; i++) {
		const struct xlv_cpu_lane *c = &win->cpus[i];
		int64_t at = win->from_ns, sum = 0;

		for (int32_t k = 0; k < c->nr_pieces; k++) {
			assert_int_equal(c->pieces[k].start_ns, at);
			assert_true(c->pieces[k].end_ns > at);
			at = c->pieces[k].end_ns;
		}
		assert_int_equal(at, win->to_ns);
		for (int k = 0; k < XLV_WORK_COUNT; k++)
			sum += c->work_ns[k];
		assert_int_equal(sum, win->to_ns - win->from_ns);
	}
	for (int32_t i = 0; i < win->nr_tasks; i++) {
		const struct xlv_task_lane *t = &win->tasks[i];
		int64_t at = win->from_ns;

		for (int32_t k = 0; k < t->nr_pieces; k++) {
			assert_int_equal(t->pieces[k].start_ns, at);
			at = t->pieces[k].end_ns;
		}
		assert_int_equal(at, win->to_ns);
	}
	xlv_window_free(win);
}

static void lanes_tile_the_window(void **state)
{
	(void)state;
	each(check_tiling);
}

static void check_merging(struct recording *r)
{
	struct xlv_window *exact = whole(r, 0), *rough;
	int64_t res = (exact->to_ns - exact->from_ns) / 300 + 1;

	rough = whole(r, res);
	for (int32_t i = 0; i < rough->nr_cpus; i++) {
		const struct xlv_cpu_lane *c = &rough->cpus[i];
		int64_t sum[XLV_WORK_COUNT] = { 0 };

		assert_true(c->nr_pieces <= 2 * (rough->to_ns - rough->from_ns) / res + 2);
		assert_memory_equal(c->work_ns, exact->cpus[i].work_ns, sizeof(c->work_ns));
		for (int32_t k = 0; k < c->nr_pieces; k++) {
			const struct xlv_piece *p = &c->pieces[k];

			if (p->work_ns)
				for (int w = 0; w < XLV_WORK_COUNT; w++)
					sum[w] += p->work_ns[w];
			else
				sum[p->work] += p->end_ns - p->start_ns;
		}
		assert_memory_equal(c->work_ns, sum, sizeof(sum));
	}
	xlv_window_free(rough);
	xlv_window_free(exact);
}

static void merging_bounds_lanes_and_keeps_their_sums(void **state)
{
	(void)state;
	each(check_merging);
}

static const struct xlv_task_piece *asleep_from(const struct xlv_window *win, int32_t pid,
						int64_t start_ns)
{
	for (int32_t i = 0; i < win->nr_tasks; i++)
		for (int32_t k = 0; win->tasks[i].pid == pid && k < win->tasks[i].nr_pieces; k++)
			if (win->tasks[i].pieces[k].start_ns == start_ns &&
			    win->tasks[i].pieces[k].where == XLV_TASK_AT_ASLEEP)
				return &win->tasks[i].pieces[k];
	return NULL;
}

static const struct xlv_arrow *arrow(const struct xlv_window *win, const struct xlv_wake *w)
{
	for (int32_t i = 0; i < win->nr_wakes; i++)
		if (win->wakes[i].pid == w->pid && win->wakes[i].waking_ns == w->waking_ns)
			return &win->wakes[i];
	return NULL;
}

/* A window around one sync: its sleeps by queue, its wakes, what ran where. */
static void check_sync(struct recording *r, const struct xlv_sync *s, struct xlv_detail *d)
{
	struct xlv_window *win = window(r, s->start_ns, s->start_ns + s->span_ns, 0);
	int32_t found = 0;

	assert_int_equal(xlv_sync_detail(r->run, s, d), 0);
	for (int32_t i = 0; i < win->nr_syncs; i++)
		found += &r->run->syncs[win->syncs[i]] == s;
	assert_int_equal(found, 1);
	for (int32_t i = 0; i < d->nr_waits; i++) {
		const struct xlv_wait *w = &d->waits[i];
		const struct xlv_task_piece *p = asleep_from(win, s->pid, w->start_ns);
		const struct xlv_arrow *a;

		assert_non_null(p);
		assert_int_equal(p->queue, w->queue);
		assert_int_equal(p->sync, s->id);
		if (w->wake.waking_ns == XLV_NONE || w->wake.running_ns == XLV_NONE)
			continue;
		assert_int_equal(p->end_ns, w->wake.waking_ns);
		a = arrow(win, &w->wake);
		assert_non_null(a);
		assert_int_equal(a->running_ns, w->wake.running_ns);
		assert_int_equal(a->to_cpu, w->wake.to_cpu);
		assert_int_equal(a->waker_cpu, w->wake.waker_cpu);
	}
	xlv_window_free(win);
}

static void check_syncs(struct recording *r)
{
	struct xlv_detail d = { 0 };
	size_t step = r->run->nr_syncs / 20 + 1;

	for (size_t i = 0; i < r->run->nr_syncs; i += step)
		if (!r->run->syncs[i].reasons)
			check_sync(r, &r->run->syncs[i], &d);
	xlv_detail_free(&d);
}

static void sleeps_and_wakes_are_those_of_the_run(void **state)
{
	(void)state;
	each(check_syncs);
}

/* At the middle of a push its worker runs it, unless it was off the CPU. */
static void check_roles(struct recording *r)
{
	struct xlv_window *win = whole(r, 0);
	size_t checked = 0;

	for (size_t i = 0; i < r->run->nr_pushes; i++) {
		const struct xlv_push *p = &r->run->pushes[i];
		const struct xlv_cpu_lane *c = xlv_window_cpu(win, p->worker_cpu);
		const struct xlv_piece *k;

		if (!c || p->start_ns == XLV_NONE || p->end_ns == XLV_NONE ||
		    p->end_ns - p->start_ns < 2)
			continue;
		k = xlv_window_at(c, p->start_ns + 1);
		assert_non_null(k);
		if (k->pid != p->worker_pid || k->context != XLV_FROM_TASK)
			continue;
		assert_int_equal(k->work, XLV_WORK_CIL_WORKER);
		checked++;
	}
	assert_true(checked > 0 || !r->run->nr_pushes || r->run->info->lost_events);
	xlv_window_free(win);
}

static void workers_of_the_cil_are_told_by_their_work(void **state)
{
	(void)state;
	each(check_roles);
}

static void check_bios(struct recording *r)
{
	struct xlv_window *win = whole(r, 0);
	int64_t want = 0, found = 0;

	for (int32_t i = 0; i < win->nr_bios; i++) {
		const struct xlv_bio *b = &win->bios[i];

		if (b->queue_ns != XLV_NONE && b->issue_ns != XLV_NONE)
			assert_true(b->issue_ns >= b->queue_ns || r->run->negative_deltas);
		if (b->issue_ns != XLV_NONE && b->done_ns != XLV_NONE)
			assert_true(b->done_ns >= b->issue_ns || r->run->negative_deltas);
		if (b->iclog < 0)
			continue;
		found++;
		assert_int_equal(b->queue_ns, r->run->iclogs[b->iclog].bio_ns);
	}
	for (size_t i = 0; i < r->run->nr_iclogs; i++)
		want += r->run->iclogs[i].bio_ns != XLV_NONE;
	assert_int_equal(found, want);
	xlv_window_free(win);
}

static void every_iclog_write_has_its_bio(void **state)
{
	(void)state;
	each(check_bios);
}

static void check_clipping(struct recording *r)
{
	int64_t start = r->run->info->start_ns, end = r->run->info->end_ns;
	struct xlv_window *win = window(r, INT64_MIN, INT64_MAX, 0);

	assert_int_equal(win->from_ns, start);
	assert_int_equal(win->to_ns, end + 1);
	xlv_window_free(win);
	win = window(r, end + 1000, end + 2000, 0);
	assert_true(win->to_ns >= win->from_ns);
	xlv_window_free(win);
}

static void a_window_is_cut_to_the_recording(void **state)
{
	(void)state;
	each(check_clipping);
}

static void check_limits(struct recording *r)
{
	struct xlv_window_opts opts = {
		.from_ns = r->run->info->start_ns, .to_ns = r->run->info->end_ns, .max = 3,
	};
	struct xlv_window *win, *all = whole(r, 0);
	struct xlv_error err;

	win = xlv_window_read(r->trace, r->run, &opts, &err);
	assert_non_null(win);
	assert_true(win->nr_bios <= 3 && win->nr_wakes <= 3 && win->nr_works <= 3);
	assert_true(win->dropped > 0 || all->nr_wakes + all->nr_works + all->nr_bios <= 9);
	xlv_window_free(win);
	xlv_window_free(all);
}

static void lists_stop_at_their_limit_and_say_so(void **state)
{
	(void)state;
	each(check_limits);
}

static void lost_events_are_gaps(void **state)
{
	struct recording r;
	struct xlv_window *win;

	(void)state;
	if (!load(&r, traces_path("matrix/6.1-amd64-lost.dat")))
		skip();
	win = whole(&r, 0);
	assert_true(win->nr_gaps > 0);
	for (int32_t i = 0; i < win->nr_gaps; i++)
		assert_true(win->gaps[i].end_ns >= win->gaps[i].start_ns);
	xlv_window_free(win);
	unload(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_tile_the_window),
		cmocka_unit_test(merging_bounds_lanes_and_keeps_their_sums),
		cmocka_unit_test(sleeps_and_wakes_are_those_of_the_run),
		cmocka_unit_test(workers_of_the_cil_are_told_by_their_work),
		cmocka_unit_test(every_iclog_write_has_its_bio),
		cmocka_unit_test(a_window_is_cut_to_the_recording),
		cmocka_unit_test(lists_stop_at_their_limit_and_say_so),
		cmocka_unit_test(lost_events_are_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
