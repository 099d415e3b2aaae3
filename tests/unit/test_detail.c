// SPDX-License-Identifier: GPL-2.0-or-later
/* What is packed comes out again, whatever the numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "model/detail.h"

#define ROUNDS	2000

static const char *const names[] = { "dd", "kworker/0:1H", "an earlier iclog", "fio", NULL };

static uint64_t seed = 1;

static uint64_t any(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 20 ^ seed << 44;
}

/* Mostly small, of every length, sometimes the extremes. */
static int64_t number(void)
{
	static const int64_t odd[] = { 0, -1, INT64_MAX, -INT64_MAX, 1ll << 56, (1ll << 55) - 1 };
	uint64_t v = any();

	if (!(v & 31))
		return odd[v >> 5 & 3 ? v >> 7 & 3 : 4 + (v >> 7 & 1)];
	return (int64_t)(any() >> (v >> 5 & 63)) * (v & 1024 ? 1 : -1);
}

static int32_t small(void)
{
	return number();
}

static int64_t when(void)
{
	return any() & 7 ? (int64_t)(any() >> 2) >> (any() & 63) : XLV_NONE;
}

static const char *name(void)
{
	return names[any() % 5];
}

static void fill_wake(struct xlv_wake *w, const struct xlv_sync *s)
{
	bool own = any() & 1;

	*w = (struct xlv_wake){
		.waking_ns = when(), .wakeup_ns = when(), .running_ns = when(),
		.comm = own ? s->comm : name(), .pid = own ? s->pid : small(),
		.waker_comm = name(), .waker_pid = small(), .waker_cpu = small(),
		.prev_cpu = small(), .to_cpu = small(), .waker_context = any() & 3,
		.waker_role = any() % XLV_ROLE_COUNT, .cause = any() % (XLV_PART_UNKNOWN + 1),
		.remote = any() & 1, .migrated = any() & 1, .waker_on_prev = any() & 1,
		.cstate = any() & 1 ? -1 : small(), .freq_khz = any() & 1 ? 0 : small(),
	};
	for (int i = 0; i < XLV_PART_COUNT; i++)
		w->parts_ns[i] = any() & 1 ? number() : 0;
	if (any() & 1) {
		w->other_pid = small() | 1;
		w->other_comm = name();
		w->other_ns = number();
	}
}

static void fill(struct xlv_detail *d, const struct xlv_sync *s)
{
	int n = any() % 6;

	d->nr_waits = d->nr_segments = d->nr_wakes = 0;
	for (int i = 0; i < n; i++) {
		assert_int_equal(xlv_detail_room_wait(d), 0);
		d->waits[i] = (struct xlv_wait){
			.start_ns = when(), .queue = any() % XLV_QUEUE_COUNT, .lsn = any(),
			.what = name(), .push = small(), .iclog = small(),
		};
		fill_wake(&d->waits[i].wake, s);
		d->nr_waits++;
	}
	for (int i = 0; i < n * 3; i++) {
		assert_int_equal(xlv_detail_room_segment(d), 0);
		d->segments[i] = (struct xlv_segment){
			.ns = number() >> 8, .stage = any() % XLV_STAGE_COUNT, .cpu = any() & 1,
			.pid = any() & 1 ? s->pid : small(), .comm = any() & 1 ? s->comm : name(),
			.what = name(), .wake = any() & 1 ? -1 : small(),
		};
		d->nr_segments++;
	}
	for (int i = 0; i < n; i++) {
		struct xlv_path_wake *w;

		assert_int_equal(xlv_detail_room_wake(d), 0);
		w = &d->wakes[d->nr_wakes++];
		memset(w, 0, sizeof(*w));
		w->stage = any() % XLV_STAGE_COUNT;
		w->cause = any() % (XLV_PART_UNKNOWN + 1);
		if (any() & 1) {
			/* a wait's own wake-up, whole or clipped */
			memcpy(&w->wake, &d->waits[i].wake, sizeof(w->wake));
			memcpy(w->parts_ns, w->wake.parts_ns, sizeof(w->parts_ns));
			w->ns = (int64_t)((uint64_t)w->wake.running_ns -
					  (uint64_t)w->wake.waking_ns);
			if (any() & 1) {
				w->ns ^= 1;
				w->parts_ns[0] ^= 1;
			}
		} else {
			fill_wake(&w->wake, s);
			w->ns = number();
			w->parts_ns[1] = number();
		}
	}
}

#define SAME(field)	assert_int_equal(a->field, b->field)
#define SAME_STR(field)	assert_ptr_equal(a->field, b->field)

static void same_wake(const struct xlv_wake *a, const struct xlv_wake *b)
{
	SAME(waking_ns), SAME(wakeup_ns), SAME(running_ns), SAME(pid), SAME_STR(comm);
	SAME(waker_pid), SAME_STR(waker_comm), SAME(waker_cpu), SAME(prev_cpu), SAME(to_cpu);
	SAME(waker_context), SAME(waker_role), SAME(cause), SAME(remote), SAME(migrated);
	SAME(waker_on_prev), SAME(other_pid), SAME_STR(other_comm), SAME(other_ns);
	SAME(cstate), SAME(freq_khz);
	for (int i = 0; i < XLV_PART_COUNT; i++)
		SAME(parts_ns[i]);
}

static void same_wait(const struct xlv_wait *a, const struct xlv_wait *b)
{
	SAME(start_ns), SAME(queue), SAME(lsn), SAME_STR(what), SAME(push), SAME(iclog);
	same_wake(&a->wake, &b->wake);
}

static void same_segment(const struct xlv_segment *a, const struct xlv_segment *b)
{
	SAME(stage), SAME(ns), SAME(cpu), SAME(pid), SAME_STR(comm), SAME_STR(what), SAME(wake);
}

static void same_path_wake(const struct xlv_path_wake *a, const struct xlv_path_wake *b)
{
	SAME(stage), SAME(cause), SAME(ns);
	for (int i = 0; i < XLV_PART_COUNT; i++)
		SAME(parts_ns[i]);
	same_wake(&a->wake, &b->wake);
}

static void test_round_trip(void **state)
{
	struct xlv_detail in = { 0 }, out = { 0 };
	struct xlv_arena arena = { 0 };
	struct xlv_run run = { 0 };

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct xlv_sync s = { .start_ns = (int64_t)(any() >> 3), .pid = 4711,
				      .comm = names[0] };

		fill(&in, &s);
		assert_int_equal(xlv_detail_pack(&arena, &s, &in), 0);
		assert_int_equal(xlv_sync_detail(&run, &s, &out), 0);
		assert_int_equal(in.nr_waits, out.nr_waits);
		assert_int_equal(in.nr_segments, out.nr_segments);
		assert_int_equal(in.nr_wakes, out.nr_wakes);
		for (int i = 0; i < in.nr_waits; i++)
			same_wait(&in.waits[i], &out.waits[i]);
		for (int i = 0; i < in.nr_segments; i++)
			same_segment(&in.segments[i], &out.segments[i]);
		for (int i = 0; i < in.nr_wakes; i++)
			same_path_wake(&in.wakes[i], &out.wakes[i]);
	}
	xlv_detail_free(&in);
	xlv_detail_free(&out);
	xlv_arena_free(&arena);
}

/* Segments begin where the one before ends, the first with the sync. */
static void test_segments_tile(void **state)
{
	struct xlv_segment segments[3] = { { .ns = 5 }, { .ns = 7 }, { .ns = 11 } };
	struct xlv_detail in = { .segments = segments, .nr_segments = 3 }, out = { 0 };
	struct xlv_sync s = { .start_ns = 100, .comm = "dd" };
	struct xlv_arena arena = { 0 };
	struct xlv_run run = { 0 };

	(void)state;
	assert_int_equal(xlv_detail_pack(&arena, &s, &in), 0);
	assert_int_equal(xlv_sync_detail(&run, &s, &out), 0);
	assert_int_equal(out.segments[0].start_ns, 100);
	assert_int_equal(out.segments[1].start_ns, 105);
	assert_int_equal(out.segments[2].start_ns, 112);
	xlv_detail_free(&out);
	xlv_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_segments_tile),
	};

	return cmocka_run_group_tests_name("detail", tests, NULL, NULL);
}
