// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Facts about what is rebuilt from real recordings. Where a recording isn't
 * there, its tests skip.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/run.h"
#include "traces.h"

struct subject {
	struct xlv_trace	*trace;
	struct xlv_run		*run;
	struct xlv_detail	d;
};

static void open_path(struct subject *x, const char *path, enum xlv_boundaries bounds)
{
	struct xlv_run_opts opts = { .bounds = bounds };
	struct xlv_error err;

	memset(x, 0, sizeof(*x));
	x->trace = xlv_trace_open(path, NULL, &err);
	if (!x->trace)
		fail_msg("%s", err.text);
	x->run = xlv_run_build(x->trace, &opts, &err);
	if (!x->run)
		fail_msg("%s", err.text);
}

static void open_as(struct subject *x, const char *name, enum xlv_boundaries bounds)
{
	const char *path = traces_path(name);

	if (!path) {
		print_message("no recording %s\n", name);
		skip();
	}
	open_path(x, path, bounds);
}

static void open_auto(struct subject *x, const char *name)
{
	open_as(x, name, XLV_BOUNDS_AUTO);
}

static void done(struct subject *x)
{
	xlv_detail_free(&x->d);
	xlv_run_free(x->run);
	xlv_trace_close(x->trace);
}

static int64_t part_sum(const int64_t *parts)
{
	int64_t sum = 0;

	for (int i = 0; i < XLV_PART_COUNT; i++)
		sum += parts[i];
	return sum;
}

static int64_t or_zero(int64_t ns)
{
	return ns == XLV_NONE ? 0 : ns;
}

/* ---- what must hold for every sync of every recording ---- */

static void check_sync(const struct subject *x, const struct xlv_sync *s, const char *name)
{
	const struct xlv_detail *d = &x->d;
	int64_t at = s->start_ns;

	if (!s->reasons) {
		for (int i = 0; i < d->nr_segments; i++) {
			const struct xlv_segment *g = &d->segments[i];

			assert_true(g->stage < XLV_STAGE_COUNT);
			assert_int_equal(g->start_ns, at);
			at += g->ns;
			if (g->wake >= 0)
				assert_true(g->wake < d->nr_wakes);
		}
		if (at - s->start_ns != s->span_ns)
			fail_msg("%s: stages of sync %d add up to %lld, its span is %lld", name,
				 s->id, (long long)(at - s->start_ns), (long long)s->span_ns);
	}
	for (int i = 0; i < d->nr_waits; i++) {
		const struct xlv_wake *w = &d->waits[i].wake;

		if (w->waking_ns != XLV_NONE && w->running_ns != XLV_NONE)
			assert_int_equal(part_sum(w->parts_ns), w->running_ns - w->waking_ns);
	}
	for (int i = 0; i < d->nr_wakes; i++)
		assert_int_equal(part_sum(d->wakes[i].parts_ns), d->wakes[i].ns);
	if (s->T1_ns != XLV_NONE)
		assert_true(s->T1_ns >= or_zero(s->T2_ns) + or_zero(s->T3_ns));
	if (s->T3_ns != XLV_NONE && s->T4_ns != XLV_NONE && !x->run->negative_deltas)
		assert_true(s->T3_ns >= s->T4_ns);
	for (int i = 0; i < 4; i++) {
		const int64_t T[] = { s->T1_ns, s->T2_ns, s->T3_ns, s->T4_ns };

		/* what is missing says why */
		if (T[i] == XLV_NONE && s->span_ns != XLV_NONE)
			assert_non_null(s->T_why[i]);
	}
}

static void check_all(int samples)
{
	const char *const *names = traces_list(samples, ".dat");
	int checked = 0;

	for (int i = 0; names[i]; i++) {
		const char *path = samples ? traces_sample(names[i]) : traces_path(names[i]);
		struct subject x = { 0 };
		struct xlv_error err;

		x.trace = xlv_trace_open(path, NULL, &err);
		if (!x.trace)
			continue;	/* not a trace: the reader's tests say what it is */
		x.run = xlv_run_build(x.trace, NULL, &err);
		assert_non_null(x.run);
		for (size_t k = 0; k < x.run->nr_syncs; k++) {
			assert_int_equal(xlv_sync_detail(x.run, &x.run->syncs[k], &x.d), 0);
			check_sync(&x, &x.run->syncs[k], names[i]);
			checked++;
		}
		done(&x);
	}
	if (!checked)
		skip();
}

static void test_tiles_and_sums_of_samples(void **state)
{
	(void)state;
	check_all(1);
}

static void test_tiles_and_sums_of_all_recordings(void **state)
{
	(void)state;
	check_all(0);
}

/* ---- the traps, each where it was seen ---- */

static void test_nested_force_is_one_force(void **state)
{
	struct subject x;

	(void)state;
	open_auto(&x, "host-6.18-dd.dat");
	assert_int_equal(x.run->nr_syncs, 200);
	assert_true(x.run->info->count[XLV_EV_XFS_LOG_FORCE] >= 400);
	assert_int_equal(x.run->nr_callers, 2);
	for (size_t i = 0; i < x.run->nr_callers; i++) {
		const struct xlv_force_caller *c = &x.run->callers[i];

		if (!strcmp(c->name, "xfs_file_fsync")) {
			assert_int_equal(c->forces, 200);
			assert_int_equal(c->in_syncs, 200);
		} else {
			/* nobody's fsync asked for these */
			assert_string_equal(c->name, "xfsaild");
			assert_int_equal(c->in_syncs, 0);
		}
	}
	done(&x);
}

/* 6.18 waits in flush_workqueue(), which is woken after the item's end. */
static void test_commit_wake_after_work_end(void **state)
{
	int commits = 0, after_end = 0;
	struct subject x;

	(void)state;
	open_auto(&x, "host-6.18-dd.dat");
	for (size_t i = 0; i < x.run->nr_syncs; i++) {
		xlv_sync_detail(x.run, &x.run->syncs[i], &x.d);
		for (int k = 0; k < x.d.nr_waits; k++) {
			const struct xlv_wait *w = &x.d.waits[k];

			if (w->queue != XLV_QUEUE_COMMIT)
				continue;
			assert_true(w->push >= 0);
			commits++;
			after_end += w->wake.waking_ns > x.run->pushes[w->push].end_ns;
		}
	}
	assert_true(commits > 190);
	assert_true(after_end * 10 > commits * 9);
	done(&x);
}

static void test_kinds_and_flush_only(void **state)
{
	int kind[XLV_KIND_COUNT] = { 0 };
	struct subject x;

	(void)state;
	open_auto(&x, "host-6.18-fio8.dat");
	assert_int_equal(x.run->nr_syncs, 792);
	for (size_t i = 0; i < x.run->nr_syncs; i++) {
		const struct xlv_sync *s = &x.run->syncs[i];

		assert_int_equal(s->reasons, 0);
		kind[s->kind]++;
		if (s->kind != XLV_KIND_FLUSH_ONLY)
			continue;
		assert_true(s->T1_ns == XLV_NONE && s->T2_ns == XLV_NONE);
		assert_true(s->T3_ns == XLV_NONE && s->T4_ns == XLV_NONE);
		assert_string_equal(s->T_why[0], "no log force");
	}
	assert_int_equal(kind[XLV_KIND_FLUSH_ONLY], 792 - 627);
	done(&x);
}

/* commit, then write, then force: the time on write is neither T2's nor T3's. */
static void test_write_sleep_is_apart(void **state)
{
	int found = 0;
	struct subject x;

	(void)state;
	open_auto(&x, "host-6.18-fio8.dat");
	for (size_t i = 0; i < x.run->nr_syncs; i++) {
		const struct xlv_sync *s = &x.run->syncs[i];
		int64_t write_ns = 0;
		bool commit = false, force = false;

		xlv_sync_detail(x.run, s, &x.d);
		for (int k = 0; k < x.d.nr_waits; k++) {
			const struct xlv_wait *w = &x.d.waits[k];

			if (w->queue == XLV_QUEUE_COMMIT && !write_ns)
				commit = true;
			if (w->queue == XLV_QUEUE_WRITE)
				write_ns += w->wake.running_ns - w->start_ns;
			if (w->queue == XLV_QUEUE_FORCE && write_ns)
				force = true;
		}
		if (!write_ns || s->T2_ns == XLV_NONE)
			continue;
		assert_true(s->T1_ns >= s->T2_ns + or_zero(s->T3_ns) + write_ns);
		found += commit && force;
	}
	assert_true(found > 0);
	done(&x);
}

/*
 * xlog_iclog_wait_on comes before the look at the iclog's state, so no sleep need
 * follow. No recording at hand caught one, hence a few lines of ftrace text.
 */
static void test_wait_on_without_sleep_is_no_wait(void **state)
{
	static const char text[] =
		"dd-10 [000] ..... 5.000000: sys_enter_fsync: fd: 0x00000003\n"
		"dd-10 [000] ..... 5.000001: xfs_file_fsync: dev 7:0 ino 0x83 iflags 0x0\n"
		"dd-10 [000] ..... 5.000010: xfs_log_force: dev 7:0 lsn 0x4 caller xfs_file_fsync+0x1d2\n"
		"dd-10 [000] ..... 5.000011: xfs_log_force: dev 7:0 lsn 0x4 caller xfs_log_force_seq+0x6d\n"
		"dd-10 [000] ..... 5.000015: xlog_iclog_force_lsn: dev 7:0 state XLOG_STATE_SYNCING "
		"refcnt 0 offset 368 lsn 0x100000010 flags  caller xfs_log_force_seq+0x89\n"
		"dd-10 [000] ..... 5.000017: xlog_iclog_wait_on: dev 7:0 state XLOG_STATE_DIRTY "
		"refcnt 0 offset 368 lsn 0x100000010 flags  caller xfs_log_force_seq+0x89\n"
		"dd-10 [000] ..... 5.000020: sys_exit_fsync: 0x0\n"
		"dd-10 [000] d.... 5.000030: sched_switch: prev_comm=dd prev_pid=10 prev_prio=120 "
		"prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n";
	const char *path = traces_temp("wait-on.txt");
	const struct xlv_sync *s;
	struct subject x;

	(void)state;
	traces_write(path, text, sizeof(text) - 1);
	open_path(&x, path, XLV_BOUNDS_AUTO);
	assert_int_equal(x.run->nr_syncs, 1);
	s = &x.run->syncs[0];
	assert_int_equal(s->reasons, 0);
	assert_int_equal(s->span_ns, 20000);
	assert_int_equal(s->T1_ns, 7000);
	assert_int_equal(s->T1_slack_ns, 3000);
	assert_int_equal(s->T2_ns, 4000);
	assert_true(s->T3_ns == XLV_NONE && s->T4_ns == XLV_NONE);
	assert_string_equal(s->T_why[2], "it did not wait");
	assert_int_equal(s->kind, XLV_KIND_NO_WAIT);
	done(&x);
}

/* Waits for log space are anybody's, and those in syncs are known apart. */
static void test_log_space_waits_have_their_time(void **state)
{
	static const char text[] =
		"dd-10 [000] ..... 5.000000: sys_enter_fsync: fd: 0x00000003\n"
		"dd-10 [000] ..... 5.000001: xfs_file_fsync: dev 7:0 ino 0x83 iflags "
		"0x0\n"
		"dd-10 [000] ..... 5.000002: xfs_log_grant_sleep: dev 7:0 type SWAPEXT "
		"t_ocnt 1 t_cnt 1\n"
		"dd-10 [000] d.... 5.000003: sched_switch: prev_comm=dd prev_pid=10 "
		"prev_prio=120 prev_state=D ==> next_comm=swapper/0 next_pid=0 next_prio=120\n"
		"<idle>-0 [000] d.h.. 5.000400: sched_waking: comm=dd pid=10 prio=120 "
		"target_cpu=000\n"
		"<idle>-0 [000] d.... 5.000403: sched_switch: prev_comm=swapper/0 "
		"prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=dd next_pid=10 next_prio=120\n"
		"dd-10 [000] ..... 5.000410: sys_exit_fsync: 0x0\n";
	const char *path = traces_temp("log-space.txt");
	struct subject x;

	(void)state;
	traces_write(path, text, sizeof(text) - 1);
	open_path(&x, path, XLV_BOUNDS_AUTO);
	assert_int_equal(x.run->grant_wait.count, 1);
	assert_int_equal(x.run->grant_wait.total_ns, 400000);
	assert_int_equal(x.run->grant_wait.in_syncs_ns, 400000);
	assert_int_equal(x.run->cil_wait.total_ns, 0);
	done(&x);
}

static void test_group_commit_wakes_in_order(void **state)
{
	struct subject x;
	int largest = 0;

	(void)state;
	open_auto(&x, "host-6.18-fio8.dat");
	for (size_t i = 0; i < x.run->nr_syncs; i++) {
		const struct xlv_sync *s = &x.run->syncs[i];

		if (!s->group_size)
			continue;
		assert_true(s->group_pos >= 1);
		assert_true(s->wake_order_ns >= 0);
		if (s->group_pos == 1)
			assert_int_equal(s->wake_order_ns, 0);
		else
			assert_true(s->wake_order_ns > 0);
		if (s->group_size > largest)
			largest = s->group_size;
	}
	assert_true(largest >= 5);
	done(&x);
}

static void test_fake_completion_has_no_log_io(void **state)
{
	struct subject x;

	(void)state;
	open_auto(&x, "uml-7.2-fc.dat");
	assert_int_equal(x.run->fake_ios, 1000);
	assert_int_equal(x.run->log_bios, 0);
	for (size_t i = 0; i < x.run->nr_iclogs; i++)
		assert_true(x.run->iclogs[i].fake);
	for (size_t i = 0; i < x.run->nr_syncs; i++) {
		xlv_sync_detail(x.run, &x.run->syncs[i], &x.d);
		for (int k = 0; k < x.d.nr_segments; k++)
			assert_true(x.d.segments[k].stage != XLV_STAGE_LOG_IO);
	}
	done(&x);
}

/* The thread's puzzle: the log worker sits on the CPU of the task it wakes. */
static void count_bounces(const char *name, int *waits, int *moved)
{
	struct subject x;

	open_auto(&x, name);
	*waits = *moved = 0;
	for (size_t i = 0; i < x.run->nr_syncs; i++) {
		xlv_sync_detail(x.run, &x.run->syncs[i], &x.d);
		for (int k = 0; k < x.d.nr_waits; k++) {
			const struct xlv_wait *w = &x.d.waits[k];

			if (w->queue != XLV_QUEUE_FORCE)
				continue;
			assert_int_equal(w->wake.waker_role, XLV_ROLE_LOG_WORKER);
			++*waits;
			*moved += w->wake.waker_on_prev && w->wake.migrated;
		}
	}
	done(&x);
}

static void test_old_scheduler_moves_the_waiter(void **state)
{
	int waits, moved;

	(void)state;
	count_bounces("uml-7.2-oldsched-fc.dat", &waits, &moved);
	assert_true(moved * 10 > waits * 9);
	count_bounces("uml-7.2-oldsched-fc-pinned.dat", &waits, &moved);
	assert_true(waits > 900);
	assert_int_equal(moved, 0);
	count_bounces("uml-7.2-fc.dat", &waits, &moved);
	assert_true(moved * 20 < waits);
}

/* Sixty syncs in each intact file, whatever the kernel and the machine. */
static void test_matrix(void **state)
{
	static const char *const files[] = {
		"5.10-amd64", "5.10-amd64-v6-multi", "6.1-amd64-multi", "6.1-amd64-x86-tsc",
		"6.1-arm64", "6.1-i386", "6.1-s390x", "6.1-s390x-v6", "6.12-amd64",
		"6.12-amd64-subbuf16k", "6.12-amd64-zlib", "6.12-arm64-16k", "killed",
	};

	(void)state;
	/* what a killed recorder leaves lies in several files */
	traces_path("matrix/killed.dat.cpu0");
	traces_path("matrix/killed.dat.cpu1");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		bool old = !strncmp(files[i], "5.10", 4);
		struct subject x;
		char name[80];
		int T4 = 0;

		snprintf(name, sizeof(name), "matrix/%s.dat", files[i]);
		open_auto(&x, name);
		if (x.run->nr_syncs != 60)
			fail_msg("%s: %zu syncs", name, x.run->nr_syncs);
		for (size_t k = 0; k < 60; k++) {
			const struct xlv_sync *s = &x.run->syncs[k];

			if (s->reasons)
				fail_msg("%s: sync %d is partial", name, s->id);
			assert_true(s->T1_ns != XLV_NONE);
			/* no event in xlog_cil_force_seq, none of iclogs before 5.14 */
			assert_int_equal(s->T2_ns == XLV_NONE, old);
			if (old)
				assert_true(s->T3_ns == XLV_NONE);
			T4 += s->T4_ns != XLV_NONE;
		}
		assert_true(T4 > 50);
		done(&x);
	}
}

/* ---- against the span events ---- */

struct span_sum {
	int64_t	force, cil, wait, force_at, cil_at, wait_at;
};

/* T1 to T3 straight from the events, for a trace in which one task syncs. */
static size_t spans_of(const char *path, struct span_sum *out, size_t most)
{
	struct span_sum now = { 0 };
	struct xlv_trace *t;
	struct xlv_event ev;
	int32_t pid = -1;
	size_t n = 0;

	t = xlv_trace_open(path, NULL, NULL);
	assert_non_null(t);
	while (xlv_trace_next(t, &ev) > 0) {
		if (ev.type == XLV_EV_XFS_FILE_FSYNC && pid < 0)
			pid = ev.pid;
		if (ev.pid != pid)
			continue;
		switch (ev.type) {
		case XLV_EV_FORCE_ENTER:
			memset(&now, 0, sizeof(now));
			now.force_at = ev.ts_ns;
			break;
		case XLV_EV_CIL_FORCE_ENTER:
			now.cil_at = ev.ts_ns;
			break;
		case XLV_EV_CIL_FORCE_EXIT:
			now.cil += ev.ts_ns - now.cil_at;
			break;
		case XLV_EV_FORCE_WAIT_ENTER:
			now.wait_at = ev.ts_ns;
			break;
		case XLV_EV_FORCE_WAIT_EXIT:
			now.wait += ev.ts_ns - now.wait_at;
			break;
		case XLV_EV_FORCE_EXIT:
			now.force = ev.ts_ns - now.force_at;
			if (n < most)
				out[n] = now;
			n++;
			break;
		}
	}
	xlv_trace_close(t);
	return n;
}

static const char *const patched[] = {
	"qemu-6.1-base", "qemu-6.1-base-pinned", "qemu-6.1-fc", "qemu-6.1-fc-pinned",
	"uml-7.2-base", "uml-7.2-fc", "uml-7.2-oldsched-fc", "uml-7.2-oldsched-fc-pinned",
};

static void test_patched_equals_the_spans(void **state)
{
	static struct span_sum spans[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(patched) / sizeof(*patched); i++) {
		struct subject x;
		char name[80];
		size_t n;

		snprintf(name, sizeof(name), "%s.dat", patched[i]);
		open_auto(&x, name);
		assert_int_equal(x.run->bounds, XLV_BOUNDS_PATCHED);
		n = spans_of(traces_path(name), spans, 2000);
		assert_int_equal(n, x.run->nr_syncs);
		for (size_t k = 0; k < n; k++) {
			const struct xlv_sync *s = &x.run->syncs[k];

			assert_int_equal(s->T1_ns, spans[k].force);
			assert_int_equal(s->T2_ns, spans[k].cil);
			assert_int_equal(or_zero(s->T3_ns), spans[k].wait);
		}
		done(&x);
	}
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Median error of tracepoint boundaries: at most 2 % or 10 us. */
static void test_tracepoints_come_close(void **state)
{
	static int64_t err[2000], value[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(patched) / sizeof(*patched); i++) {
		struct subject a, b;
		char name[80];

		snprintf(name, sizeof(name), "%s.dat", patched[i]);
		open_as(&a, name, XLV_BOUNDS_PATCHED);
		open_as(&b, name, XLV_BOUNDS_TRACEPOINT);
		assert_int_equal(a.run->nr_syncs, b.run->nr_syncs);
		for (int T = 0; T < 3; T++) {
			size_t n = 0;

			for (size_t k = 0; k < a.run->nr_syncs && n < 2000; k++) {
				const struct xlv_sync *p = &a.run->syncs[k], *q = &b.run->syncs[k];
				int64_t x = T == 0 ? p->T1_ns : T == 1 ? p->T2_ns : p->T3_ns;
				int64_t y = T == 0 ? q->T1_ns : T == 1 ? q->T2_ns : q->T3_ns;

				if (x == XLV_NONE || y == XLV_NONE)
					continue;
				value[n] = x;
				err[n++] = y - x;
			}
			assert_true(n > 100);
			qsort(err, n, sizeof(*err), by_value);
			qsort(value, n, sizeof(*value), by_value);
			print_message("%-28s T%d: n %zu, median %lld ns, median error %lld ns\n",
				      patched[i], T + 1, n, (long long)value[n / 2],
				      (long long)err[n / 2]);
			if (llabs(err[n / 2]) > 10000)
				assert_true(llabs(err[n / 2]) * 50 <= value[n / 2]);
		}
		done(&a);
		done(&b);
	}
}

/* ---- against an independent script's figures ---- */

struct expected {
	int		pid;
	int64_t		start, v[5];	/* span, T1 .. T4; XLV_NONE */
};

static size_t read_expected(const char *name, struct expected *e, size_t most)
{
	const char *path = traces_path(name);
	char line[1024];
	size_t n = 0;
	FILE *f;

	if (!path)
		skip();
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	while (n < most && fgets(line, sizeof(line), f)) {
		char *at = line;

		e[n].pid = atoi(strsep(&at, ","));
		e[n].start = atoll(strsep(&at, ","));
		for (int i = 0; i < 5; i++) {
			char *field = strsep(&at, ",");

			e[n].v[i] = *field ? atoll(field) : XLV_NONE;
		}
		n++;
	}
	fclose(f);
	return n;
}

static void check_figures(const char *dat, const char *csv, size_t count)
{
	static struct expected e[1000];
	size_t n = read_expected(csv, e, 1000), off[5] = { 0 };
	struct subject x;

	open_as(&x, dat, XLV_BOUNDS_TRACEPOINT);
	assert_int_equal(n, count);
	assert_int_equal(x.run->nr_syncs, count);
	for (size_t k = 0; k < n; k++) {
		const struct xlv_sync *s = NULL;
		int64_t mine[5];

		for (size_t i = 0; i < count && !s; i++)
			if (x.run->syncs[i].pid == e[k].pid &&
			    x.run->syncs[i].start_ns == e[k].start)
				s = &x.run->syncs[i];
		assert_non_null(s);
		mine[0] = s->span_ns;
		mine[1] = s->T1_ns;
		mine[2] = s->T2_ns;
		mine[3] = s->T3_ns;
		mine[4] = s->T4_ns;
		assert_int_equal(mine[0], e[k].v[0]);
		for (int i = 1; i < 5; i++) {
			int64_t d = llabs(mine[i] - e[k].v[i]);

			if ((mine[i] == XLV_NONE) != (e[k].v[i] == XLV_NONE))
				off[i]++;
			else if (mine[i] != XLV_NONE && d > 1500 && d * 50 > e[k].v[i])
				off[i]++;
		}
	}
	for (int i = 1; i < 5; i++)
		if (off[i] * 50 > n)
			fail_msg("%s: T%d differs in %zu of %zu syncs", dat, i, off[i], n);
	done(&x);
}

static void test_expected_dd(void **state)
{
	(void)state;
	check_figures("host-6.18-dd.dat", "host-6.18-dd.expected.csv", 200);
}

static void test_expected_fio8(void **state)
{
	(void)state;
	check_figures("host-6.18-fio8.dat", "host-6.18-fio8.expected.csv", 792);
}

/* ---- asking for what isn't there ---- */

static void test_boundaries_that_are_missing(void **state)
{
	struct xlv_run_opts opts = { .bounds = XLV_BOUNDS_KPROBE };
	const char *path = traces_path("host-6.18-dd.dat");
	struct xlv_error err;
	struct xlv_trace *t;

	(void)state;
	if (!path)
		skip();
	t = xlv_trace_open(path, NULL, &err);
	assert_non_null(t);
	assert_null(xlv_run_build(t, &opts, &err));
	assert_non_null(strstr(err.text, "kprobe"));
	xlv_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tiles_and_sums_of_samples),
		cmocka_unit_test(test_tiles_and_sums_of_all_recordings),
		cmocka_unit_test(test_nested_force_is_one_force),
		cmocka_unit_test(test_commit_wake_after_work_end),
		cmocka_unit_test(test_kinds_and_flush_only),
		cmocka_unit_test(test_write_sleep_is_apart),
		cmocka_unit_test(test_wait_on_without_sleep_is_no_wait),
		cmocka_unit_test(test_log_space_waits_have_their_time),
		cmocka_unit_test(test_group_commit_wakes_in_order),
		cmocka_unit_test(test_fake_completion_has_no_log_io),
		cmocka_unit_test(test_old_scheduler_moves_the_waiter),
		cmocka_unit_test(test_matrix),
		cmocka_unit_test(test_patched_equals_the_spans),
		cmocka_unit_test(test_tracepoints_come_close),
		cmocka_unit_test(test_expected_dd),
		cmocka_unit_test(test_expected_fio8),
		cmocka_unit_test(test_boundaries_that_are_missing),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
