// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings of every make of machine are read alike, and of damaged ones what
 * is intact, with a word about what is missing.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "datgen.h"
#include "trace/reader.h"
#include "traces.h"

static const struct datgen_opts plain = {
	.version = 6, .long_bytes = 8, .page_bytes = 4096, .codec = "none", .clock = "mono",
	.cpus = 2,
};

static struct xlv_trace *open_image(const uint8_t *image, size_t len, struct xlv_error *err)
{
	const char *path = traces_temp("image.dat");

	traces_write(path, image, len);
	return xlv_trace_open(path, NULL, err);
}

/* Read all; returns the number of events. */
static long drain(struct xlv_trace *t)
{
	struct xlv_event ev;
	long n = 0;

	while (xlv_trace_next(t, &ev) > 0)
		n += ev.type != XLV_EV_LOST;
	return n;
}

static struct xlv_trace *must_open(const uint8_t *image, size_t len)
{
	struct xlv_error err;
	struct xlv_trace *t;

	t = open_image(image, len, &err);
	if (!t)
		fail_msg("%s", err.text);
	return t;
}

static struct xlv_trace *small(const struct datgen_opts *o)
{
	struct datgen *g = datgen_new(o);
	struct xlv_trace *t;
	uint8_t *image;
	size_t len;

	datgen_fill(g);
	image = datgen_finish(g, &len);
	t = must_open(image, len);
	free(image);
	return t;
}

static const struct xlv_damage *find_damage(struct xlv_trace *t, const char *what)
{
	const struct xlv_trace_info *info = xlv_trace_info(t);
	int i;

	for (i = 0; i < info->nr_damage; i++)
		if (strstr(info->damage[i].what, what))
			return &info->damage[i];
	for (i = 0; i < info->nr_damage; i++)
		print_message("damage: %s\n", info->damage[i].what);
	fail_msg("no word of '%s'", what);
	return NULL;
}

#define assert_str(s, text)	do {						\
	char buf_[256];								\
	xlv_str_copy(buf_, sizeof(buf_), s);					\
	assert_string_equal(buf_, text);					\
} while (0)

static void check_small(struct xlv_trace *t, const struct datgen_opts *o)
{
	const struct xlv_trace_info *info = xlv_trace_info(t);
	struct xlv_event ev;
	int i;

	for (i = 0; xlv_trace_next(t, &ev) > 0; i++) {
		assert_int_equal(ev.ts_ns, 1000000000 + 1000 * (i + 1));
		assert_int_equal(ev.cpu, i % 8 == 4 || i % 8 == 5);
		switch (i % 8) {
		case 0:
			assert_int_equal(ev.type, XLV_EV_SYS_ENTER);
			assert_int_equal(ev.pid, 100);
			assert_int_equal(ev.sys.nr, XLV_SYS_FSYNC);
			assert_int_equal(ev.sys.arg, 3);
			break;
		case 1:
			assert_int_equal(ev.type, XLV_EV_XFS_LOG_FORCE);
			assert_int_equal(ev.xfs.dev, 7 << 20 | 1);
			assert_int_equal(ev.xfs.seq, 20 + i / 8);
			assert_int_equal(ev.xfs.caller, XLV_FN_FILE_FSYNC);
			break;
		case 2:
			assert_int_equal(ev.type, XLV_EV_WQ_QUEUE);
			assert_int_equal(ev.wq.work, 0xd0000000 + i / 8);
			assert_int_equal(ev.wq.func, XLV_FN_CIL_PUSH);
			assert_str(ev.wq.wq_name, "xfs-cil/sda");
			assert_int_equal(ev.wq.req_cpu, -1);
			assert_int_equal(ev.wq.cpu, 1);
			break;
		case 3:
			assert_int_equal(ev.type, XLV_EV_SCHED_SWITCH);
			assert_str(ev.sw.prev_comm, "dd");
			assert_int_equal(ev.sw.prev_state, XLV_TASK_BLOCKED);
			assert_int_equal(ev.sw.next_pid, 0);
			break;
		case 4:
			assert_int_equal(ev.type, XLV_EV_ICLOG_CLEAN);
			assert_int_equal(ev.ctx, XLV_CTX_HARDIRQ);
			assert_int_equal(ev.iclog.state, XLV_ICLOG_CALLBACK);
			assert_int_equal(ev.iclog.flags, XLV_ICL_NEED_FLUSH | XLV_ICL_NEED_FUA);
			assert_int_equal(ev.iclog.lsn, 0x100000000 + i / 8);
			assert_str(ev.iclog.caller_name, "xlog_ioend_work");
			break;
		case 5:
			assert_int_equal(ev.type, XLV_EV_SCHED_WAKING);
			assert_int_equal(ev.ctx, XLV_CTX_SOFTIRQ);
			assert_str(ev.wake.comm, "dd");
			assert_int_equal(ev.wake.target_cpu, 0);
			break;
		case 6:
			assert_int_equal(ev.sw.prev_state, XLV_TASK_RUNNABLE);
			break;
		case 7:
			assert_int_equal(ev.type, XLV_EV_SYS_EXIT);
			assert_int_equal(ev.sys.ret, 0);
			break;
		}
	}
	assert_int_equal(i, DATGEN_EVENTS);
	assert_int_equal(info->events, DATGEN_EVENTS);
	assert_int_equal(info->nr_damage, 0);
	assert_int_equal(info->version, o->version);
	assert_int_equal(info->big_endian, o->big_endian);
	assert_int_equal(info->long_bytes, o->long_bytes);
	assert_int_equal(info->subbuf_bytes, o->subbuf_bytes ? o->subbuf_bytes : o->page_bytes);
	assert_string_equal(info->clock, o->clock);
	assert_string_equal(info->compression, o->codec);
	assert_string_equal(xlv_trace_comm(t, 200), "kworker/1:1H");
	assert_null(xlv_trace_comm(t, 5));
	xlv_trace_close(t);
}

static void every_machine_is_read_alike(void **state)
{
	static const uint32_t sizes[][2] = {
		{ 4096, 0 }, { 16384, 0 }, { 65536, 0 }, { 4096, 16384 }, { 4096, 65536 },
	};
	static const char *const codecs[] = { "none", "zlib", "zstd" };
	struct datgen_opts o = plain;
	unsigned int i, c;

	(void)state;
	for (o.version = 6; o.version <= 7; o.version++)
		for (o.big_endian = false;; o.big_endian = true) {
			for (o.long_bytes = 4; o.long_bytes <= 8; o.long_bytes += 4)
				for (i = 0; i < 5; i++)
					for (c = 0; c < (o.version == 6 ? 1 : 3); c++) {
						o.page_bytes = sizes[i][0];
						o.subbuf_bytes = sizes[i][1];
						o.codec = codecs[c];
						check_small(small(&o), &o);
					}
			if (o.big_endian)
				break;
		}
}

static const struct datgen_field one_field[] = { { "int x", 4, true, 'n' }, { NULL, 0, false, 0 } };
#define ONE(n)	((const struct datgen_value[]){ NUM(n) })

/* Long gaps, absolute times, discarded entries, big records, empty pages. */
static void all_entries_of_a_sub_buffer_are_walked(void **state)
{
	static const struct datgen_field text[] = {
		{ "unsigned long ip", -1, false, 'n' }, { "char buf[]", 0, false, 's' },
		{ NULL, 0, false, 0 } };
	const uint64_t base = 5000000000;
	struct datgen *g = datgen_new(&plain);
	struct xlv_event ev;
	struct xlv_trace *t;
	uint8_t *image;
	char big[2000];
	size_t len;

	(void)state;
	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	datgen_define(g, "ftrace", "print", 5, text, "\"%s\", REC->buf");
	datgen_define(g, "a", "b", 6, one_field, "\"%d\", REC->x");
	datgen_emit(g, 0, base, 6, 1, 0, ONE(1));
	datgen_emit(g, 0, base + 10000000000, 6, 1, 0, ONE(1));
	datgen_discarded(g, 0, 32, 500);
	datgen_emit(g, 0, base + 10000001000, 6, 1, 0, ONE(1));
	datgen_stamp(g, 0, base + 20000000000);
	datgen_emit(g, 0, base + 20000000007, 5, 1, 0,
		    (const struct datgen_value[]){ NUM(0), STR(big) });
	datgen_emit(g, 0, base + 20000000008, 5, 1, 0,
		    (const struct datgen_value[]){ NUM(0), STR(big) });
	datgen_emit(g, 0, base + 20000000009, 5, 1, 0,
		    (const struct datgen_value[]){ NUM(0), STR(big) });
	image = datgen_finish(g, &len);
	t = must_open(image, len);
	free(image);

	assert_int_equal(xlv_trace_next(t, &ev), 1);
	assert_int_equal(ev.ts_ns, base);
	assert_int_equal(xlv_trace_next(t, &ev), 1);
	assert_int_equal(ev.ts_ns, base + 10000000000);
	assert_int_equal(xlv_trace_next(t, &ev), 1);
	assert_int_equal(ev.ts_ns, base + 10000001000);
	assert_int_equal(ev.type, XLV_EV_OTHER);
	assert_int_equal(xlv_trace_next(t, &ev), 1);
	assert_int_equal(ev.ts_ns, base + 20000000007);
	assert_int_equal(ev.type, XLV_EV_MARK);
	assert_int_equal(ev.mark.text.len, sizeof(big) - 1);
	assert_int_equal(drain(t), 2);
	assert_int_equal(xlv_trace_info(t)->nr_damage, 0);
	xlv_trace_close(t);
}

static void losses_become_events(void **state)
{
	struct datgen_opts o = plain;
	struct xlv_event ev;
	struct xlv_trace *t;
	struct datgen *g;
	uint8_t *image;
	size_t len;

	(void)state;
	for (o.long_bytes = 4; o.long_bytes <= 8; o.long_bytes += 4) {
		g = datgen_new(&o);
		datgen_define(g, "a", "b", 6, one_field, "\"%d\", REC->x");
		datgen_emit(g, 1, 1000, 6, 1, 0, ONE(1));
		datgen_lost(g, 1, 321);
		datgen_emit(g, 1, 2000, 6, 1, 0, ONE(1));
		datgen_lost(g, 1, -1);
		datgen_emit(g, 1, 3000, 6, 1, 0, ONE(1));
		datgen_emit(g, 0, 1500, 6, 1, 0, ONE(1));
		image = datgen_finish(g, &len);
		t = must_open(image, len);
		free(image);
		assert_int_equal(xlv_trace_next(t, &ev), 1);
		assert_int_equal(xlv_trace_next(t, &ev), 1);
		assert_int_equal(ev.cpu, 0);
		assert_int_equal(xlv_trace_next(t, &ev), 1);
		assert_int_equal(ev.type, XLV_EV_LOST);
		assert_int_equal(ev.cpu, 1);
		assert_int_equal(ev.ts_ns, 2000);
		assert_int_equal(ev.lost.count, 321);
		assert_int_equal(xlv_trace_next(t, &ev), 1);
		assert_int_equal(ev.ts_ns, 2000);
		assert_int_equal(xlv_trace_next(t, &ev), 1);
		assert_int_equal(ev.type, XLV_EV_LOST);
		assert_int_equal(ev.lost.count, -1);
		assert_int_equal(drain(t), 1);
		assert_int_equal(xlv_trace_info(t)->lost_events, 321);
		assert_int_equal(xlv_trace_info(t)->lost_uncounted, 1);
		assert_int_equal(xlv_trace_info(t)->events, 4);
		xlv_trace_close(t);
	}
}

/* A recording of many sub-buffers, one event a microsecond on each of two CPUs. */
static uint8_t *long_image(const struct datgen_opts *o, long events, size_t *len)
{
	struct datgen *g = datgen_new(o);
	long i;

	datgen_define(g, "a", "b", 6, one_field, "\"%d\", REC->x");
	for (i = 0; i < events; i++)
		datgen_emit(g, i & 1, 1000000 + i * 1000, 6, 1, 0, ONE(i));
	return datgen_finish(g, len);
}

static void data_that_is_cut_is_read_up_to_the_cut(void **state)
{
	struct datgen_opts o = plain;
	const struct xlv_damage *d;
	struct xlv_trace *t;
	size_t len, cut;
	uint8_t *image;
	long n, last = 0;

	(void)state;
	image = long_image(&o, 4000, &len);
	for (cut = datgen_data_offset() + 100; cut < len; cut += 3777) {
		t = must_open(image, cut);
		n = drain(t);
		assert_true(n >= last && n < 4000);
		last = n;
		d = find_damage(t, "CPU 1");
		assert_int_equal(d->kind, XLV_DAMAGE_CUT);
		assert_int_equal(d->cpu, 1);
		assert_true(d->missing_bytes > 0);
		xlv_trace_close(t);
	}
	assert_true(last > 3700);
	free(image);
}

static void headers_that_are_cut_are_refused_with_the_place(void **state)
{
	struct datgen *g = datgen_new(&plain);
	struct xlv_error err;
	struct xlv_trace *t;
	uint8_t *image;
	size_t len, cut;

	(void)state;
	datgen_fill(g);
	image = datgen_finish(g, &len);
	for (cut = 1; cut < datgen_data_offset() - 4096; cut += 97) {
		t = open_image(image, cut, &err);
		assert_null(t);
		if (cut > 100 && !strstr(err.text, "at byte"))
			fail_msg("cut at %zu: %s", cut, err.text);
	}
	free(image);
}

static void a_bad_commit_costs_one_sub_buffer(void **state)
{
	static const uint64_t bad[] = { 4081, 0x7fffffff, UINT64_MAX, 1ull << 40, 0x28000000 };
	const struct xlv_damage *d;
	struct xlv_trace *t;
	uint8_t *image;
	long whole, n;
	unsigned int i;
	size_t len;

	(void)state;
	image = long_image(&plain, 4000, &len);
	t = must_open(image, len);
	whole = drain(t);
	assert_int_equal(whole, 4000);
	xlv_trace_close(t);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(image + datgen_page_offset(1, 3) + 8, &bad[i], 8);
		t = must_open(image, len);
		n = drain(t);
		assert_in_range(n, whole - 260, whole - 200);
		d = find_damage(t, "claims more");
		assert_int_equal(d->cpu, 1);
		assert_int_equal(d->offset_bytes, datgen_page_offset(1, 3));
		assert_int_equal(d->missing_bytes, 4096);
		assert_int_equal(xlv_trace_info(t)->nr_damage, 1);
		/* the events that are gone with it are told in the stream */
		assert_int_equal(xlv_trace_info(t)->count[XLV_EV_LOST], 1);
		assert_int_equal(xlv_trace_info(t)->lost_uncounted, 1);
		xlv_trace_close(t);
	}
	free(image);
}

static void neighbouring_bad_sub_buffers_are_told_as_one(void **state)
{
	const uint64_t bad = UINT64_MAX;
	const struct xlv_damage *d;
	struct xlv_trace *t;
	uint8_t *image;
	size_t len;
	int i;

	(void)state;
	image = long_image(&plain, 6000, &len);
	for (i = 3; i < 7; i++)
		memcpy(image + datgen_page_offset(0, i) + 8, &bad, 8);
	t = must_open(image, len);
	drain(t);
	d = find_damage(t, "claims more");
	assert_int_equal(d->missing_bytes, 4 * 4096);
	assert_int_equal(xlv_trace_info(t)->nr_damage, 1);
	xlv_trace_close(t);
	free(image);
}

static void a_sub_buffer_far_out_of_time_is_left_out(void **state)
{
	const uint64_t times[] = { UINT64_MAX / 4, 1ull << 45, 1 };
	struct xlv_event ev;
	struct xlv_trace *t;
	uint8_t *image;
	int64_t last;
	unsigned int i;
	size_t len;
	long n;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct datgen *g = datgen_new(&plain);

		datgen_define(g, "a", "b", 6, one_field, "\"%d\", REC->x");
		for (n = 0; n < 4000; n++)
			datgen_emit(g, n & 1, 9000000000000 + n * 1000, 6, 1, 0, ONE(n));
		image = datgen_finish(g, &len);
		memcpy(image + datgen_page_offset(0, 2), &times[i], 8);
		t = must_open(image, len);
		for (n = 0, last = 0; xlv_trace_next(t, &ev) > 0; n++) {
			assert_true(ev.ts_ns >= last);
			last = ev.ts_ns;
		}
		assert_in_range(n, 3700, 3900);
		find_damage(t, "time can't be right");
		assert_int_equal(xlv_trace_info(t)->backward, 0);
		xlv_trace_close(t);
		free(image);
	}
}

static void small_steps_back_are_delivered_and_counted(void **state)
{
	struct datgen *g = datgen_new(&plain);
	struct xlv_trace *t;
	uint8_t *image;
	size_t len;
	int i;

	(void)state;
	datgen_define(g, "a", "b", 6, one_field, "\"%d\", REC->x");
	for (i = 0; i < 10; i++) {
		datgen_flush(g, 0);
		datgen_emit(g, 0, 1000000 + (i == 5 ? 3500 : i * 1000), 6, 1, 0, ONE(i));
	}
	image = datgen_finish(g, &len);
	t = must_open(image, len);
	assert_int_equal(drain(t), 10);
	assert_int_equal(xlv_trace_info(t)->backward, 1);
	assert_int_equal(xlv_trace_info(t)->nr_damage, 0);
	xlv_trace_close(t);
	free(image);
}

static void a_chunk_that_is_broken_costs_only_itself(void **state)
{
	static const char *const codecs[] = { "zlib", "zstd" };
	struct datgen_opts o = plain;
	const struct xlv_damage *d;
	struct xlv_trace *t;
	uint8_t *image;
	size_t len;
	int i;
	long n;

	(void)state;
	o.version = 7;
	for (i = 0; i < 2; i++) {
		o.codec = codecs[i];
		image = long_image(&o, 20000, &len);
		/* the first chunk of CPU 0, behind the number of chunks and two sizes */
		memset(image + datgen_data_offset() + 4 + 8, 0xa5, 64);
		t = must_open(image, len);
		n = drain(t);
		assert_in_range(n, 20000 - 10 * 256, 20000 - 10 * 220);
		d = find_damage(t, "can't be decompressed");
		assert_int_equal(d->cpu, 0);
		assert_int_equal(xlv_trace_info(t)->lost_uncounted, 1);
		xlv_trace_close(t);
		free(image);
	}
}

/* Without the options at a version 7 file's end, its data is found all the same. */
static void a_version_7_file_without_its_end_is_searched(void **state)
{
	static const char *const codecs[] = { "none", "zlib", "zstd" };
	struct datgen_opts o = plain;
	struct xlv_trace *t;
	uint8_t *image;
	size_t len;
	int i;

	(void)state;
	o.version = 7;
	for (i = 0; i < 3; i++) {
		o.codec = codecs[i];
		image = long_image(&o, 20000, &len);
		t = must_open(image, len - 20);
		assert_in_range(drain(t), 20000 - 300, 20000);
		assert_int_equal(xlv_trace_info(t)->nr_cpu, 2);
		find_damage(t, "found by searching");
		xlv_trace_close(t);

		t = must_open(image, len - (len - datgen_data_offset()) / 3);
		assert_in_range(drain(t), 10000, 15000);
		find_damage(t, "may end early");
		xlv_trace_close(t);
		free(image);
	}
}

static void numbers_of_cpus_that_cannot_be_are_refused(void **state)
{
	struct datgen *g = datgen_new(&plain);
	const uint32_t billions = 0xfffffff0;
	struct xlv_error err;
	struct xlv_trace *t;
	uint8_t *image, *p;
	size_t len;

	(void)state;
	datgen_fill(g);
	datgen_option(g, 8, &billions, 4);
	image = datgen_finish(g, &len);
	t = must_open(image, len);
	find_damage(t, "no number of CPUs");
	assert_int_equal(xlv_trace_info(t)->nr_cpus, 2);
	assert_int_equal(drain(t), DATGEN_EVENTS);
	xlv_trace_close(t);

	/* the count before the table itself */
	p = memmem(image, len, "options  ", 9);
	memcpy(p - 4, &billions, 4);
	t = open_image(image, len, &err);
	assert_null(t);
	assert_non_null(strstr(err.text, "CPU"));
	free(image);
}

static void the_buffer_with_xfs_events_is_chosen(void **state)
{
	struct xlv_trace_opts opts = { .buffer = "foo" };
	struct datgen_opts o = plain;
	const struct xlv_trace_info *info;
	struct xlv_error err;
	struct xlv_trace *t;
	struct datgen *g;
	uint8_t *image;
	size_t len;

	(void)state;
	for (o.version = 6; o.version <= 7; o.version++) {
		g = datgen_new(&o);
		datgen_define(g, "a", "b", 6, one_field, "\"%d\", REC->x");
		datgen_emit(g, 0, 1000, 6, 1, 0, ONE(1));
		datgen_instance(g, "xfs", "boot");
		datgen_fill(g);
		datgen_instance(g, "foo", "local");
		datgen_emit(g, 1, 1000, 6, 1, 0, ONE(1));
		image = datgen_finish(g, &len);
		t = must_open(image, len);
		info = xlv_trace_info(t);
		assert_int_equal(info->nr_buffers, 3);
		assert_string_equal(info->buffers[info->buffer].name, "xfs");
		assert_string_equal(info->clock, "boot");
		assert_false(info->buffers[0].has_xfs);
		assert_true(info->buffers[1].has_xfs);
		assert_int_equal(drain(t), DATGEN_EVENTS);
		xlv_trace_close(t);

		t = xlv_trace_open(traces_temp("image.dat"), &opts, &err);
		assert_non_null(t);
		assert_string_equal(xlv_trace_info(t)->clock, "local");
		assert_int_equal(drain(t), 1);
		xlv_trace_close(t);

		opts.buffer = "bar";
		assert_null(xlv_trace_open(traces_temp("image.dat"), &opts, &err));
		assert_non_null(strstr(err.text, "'bar'"));
		assert_non_null(strstr(err.text, "'foo'"));
		opts.buffer = "foo";
		free(image);
	}
}

static void times_are_converted(void **state)
{
	static const uint32_t tsc[] = { 0x80000000, 32, 0, 0 };	/* half a ns a tick */
	struct datgen_opts o = plain;
	struct xlv_event ev;
	struct xlv_trace *t;
	struct datgen *g;
	uint8_t *image;
	size_t len;

	(void)state;
	o.clock = "x86-tsc";
	g = datgen_new(&o);
	datgen_fill(g);
	datgen_option(g, 14, tsc, sizeof(tsc));
	datgen_option(g, 7, "-100", 5);
	image = datgen_finish(g, &len);
	t = must_open(image, len);
	assert_int_equal(xlv_trace_next(t, &ev), 1);
	assert_int_equal(ev.ts_ns, 1000001000 / 2 - 100);
	assert_false(xlv_trace_info(t)->clock_ticks);
	xlv_trace_close(t);
	free(image);

	t = small(&o);
	assert_true(xlv_trace_info(t)->clock_ticks);
	xlv_trace_close(t);
}

static void what_the_recorder_says_is_put_together(void **state)
{
	static const struct datgen_field text[] = {
		{ "unsigned long ip", -1, false, 'n' }, { "char buf[]", 0, false, 's' },
		{ NULL, 0, false, 0 } };
	static const char *const marks[] = {
		"hello",
		"xlogviz-meta host 1/1 {\"cpus\": 4}\n",
		"xlogviz-meta command 1/2 \"dd \\\"of=x",
		"xlogviz-meta other 1/1 not json",
		"xlogviz-meta command 1/3 \"dd ", "xlogviz-meta command 2/3 of=",
		"xlogviz-meta command 3/3 y\"",
		"xlogviz-meta host 1/1 {\"cpus\": 8}",
		"xlogviz-meta bad 2/2 \"x\"", "xlogviz-meta bad 0/0 1", "xlogviz-meta",
		"xlogviz-meta ",
	};
	struct datgen *g = datgen_new(&plain);
	struct xlv_trace *t;
	uint8_t *image;
	unsigned int i;
	size_t len;

	(void)state;
	datgen_define(g, "ftrace", "print", 5, text, "\"%s\", REC->buf");
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		datgen_emit(g, 0, 1000 + i, 5, 1, 0,
			    (const struct datgen_value[]){ NUM(0), STR(marks[i]) });
	image = datgen_finish(g, &len);
	t = must_open(image, len);
	assert_null(xlv_trace_info(t)->metadata);
	drain(t);
	assert_string_equal(xlv_trace_info(t)->metadata,
			    "{\"host\":{\"cpus\":8},\"command\":\"dd of=y\"}");
	xlv_trace_close(t);
	free(image);
}

static void only_wanted_types_are_decoded(void **state)
{
	struct xlv_trace *t = small(&plain);
	bool want[XLV_EV_COUNT] = { [XLV_EV_SCHED_WAKING] = true };
	struct xlv_event ev;
	int other = 0, waking = 0;

	(void)state;
	xlv_trace_want(t, want);
	while (xlv_trace_next(t, &ev) > 0) {
		other += ev.type == XLV_EV_OTHER;
		waking += ev.type == XLV_EV_SCHED_WAKING;
	}
	assert_int_equal(waking, 10);
	assert_int_equal(other, DATGEN_EVENTS - 10);
	assert_int_equal(xlv_trace_info(t)->count[XLV_EV_XFS_LOG_FORCE], 10);
	xlv_trace_close(t);
}

/* A second pass gives the same; one over a part gives all of that part. */
static void a_part_can_be_read_again(void **state)
{
	static const char *const codecs[] = { "none", "zstd" };
	const long total = 800000;
	struct datgen_opts o = plain;
	struct xlv_error err;
	struct xlv_event ev;
	struct xlv_trace *t;
	uint8_t *image;
	long n, inside;
	size_t len;
	int i;

	(void)state;
	o.version = 7;
	for (i = 0; i < 2; i++) {
		o.codec = codecs[i];
		image = long_image(&o, total, &len);
		t = must_open(image, len);
		free(image);
		assert_int_equal(drain(t), total);
		assert_int_equal(xlv_trace_rewind(t, INT64_MIN, INT64_MAX, &err), 0);
		assert_int_equal(drain(t), total);

		assert_int_equal(xlv_trace_rewind(t, 601000000, 611000000, &err), 0);
		for (n = 0, inside = 0; xlv_trace_next(t, &ev) > 0; n++) {
			assert_true(ev.ts_ns <= 611000000);
			inside += ev.ts_ns >= 601000000;
		}
		assert_int_equal(inside, 10001);
		assert_true(n < total / 2);	/* skipped most of what lies before */
		assert_int_equal(xlv_trace_info(t)->events, total);
		assert_int_equal(xlv_trace_info(t)->nr_damage, 0);

		/* and back to the whole */
		assert_int_equal(xlv_trace_rewind(t, INT64_MIN, INT64_MAX, &err), 0);
		assert_int_equal(drain(t), total);
		xlv_trace_close(t);
	}
}

static void a_killed_recorders_files_are_read(void **state)
{
	const struct xlv_trace_info *info;
	struct xlv_error err;
	struct xlv_trace *t;
	const char *path;

	(void)state;
	path = traces_path("matrix/killed.dat");
	if (!path || !traces_path("matrix/killed.dat.cpu0") ||
	    !traces_path("matrix/killed.dat.cpu1")) {
		print_message("skipped: matrix/killed.dat is not there\n");
		skip();
	}
	t = xlv_trace_open(path, NULL, &err);
	if (!t)
		fail_msg("%s", err.text);
	assert_int_equal(drain(t), 6413);
	info = xlv_trace_info(t);
	assert_string_equal(info->format, "raw");
	assert_int_equal(info->count[XLV_EV_XFS_FILE_FSYNC], 60);
	find_damage(t, "killed");
	xlv_trace_close(t);

	/* also by the name of one of the raw files */
	t = xlv_trace_open(traces_path("matrix/killed.dat.cpu1"), NULL, &err);
	assert_non_null(t);
	assert_int_equal(drain(t), 6413);
	xlv_trace_close(t);
}

static void other_files_are_refused(void **state)
{
	static const struct {
		const char	*data;
		size_t		len;
		const char	*word;
	} files[] = {
		{ "", 0, "empty" },
		{ "hello world, this is no trace\n", 30, "neither" },
		{ "\x17\x08\x44tracing", 10, "version" },
		{ "\x17\x08\x44tracing5\0", 12, "version '5'" },
		{ "\x17\x08\x44tracing6\0\7\7", 14, "byte 12" },
		{ "\x17\x08\x44tracing7\0\0\x08\0\x10\0\0lzma\0" "1\0", 25, "lzma" },
	};
	struct xlv_error err;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_null(open_image((const uint8_t *)files[i].data, files[i].len, &err));
		if (!strstr(err.text, files[i].word))
			fail_msg("'%s' does not say '%s'", err.text, files[i].word);
	}
	assert_null(xlv_trace_open("/nonexistent/file", NULL, &err));
	assert_non_null(strstr(err.text, "'/nonexistent/file'"));
	assert_null(xlv_trace_open("/", NULL, &err));
	assert_non_null(strstr(err.text, "directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_machine_is_read_alike),
		cmocka_unit_test(all_entries_of_a_sub_buffer_are_walked),
		cmocka_unit_test(losses_become_events),
		cmocka_unit_test(data_that_is_cut_is_read_up_to_the_cut),
		cmocka_unit_test(headers_that_are_cut_are_refused_with_the_place),
		cmocka_unit_test(a_bad_commit_costs_one_sub_buffer),
		cmocka_unit_test(neighbouring_bad_sub_buffers_are_told_as_one),
		cmocka_unit_test(a_sub_buffer_far_out_of_time_is_left_out),
		cmocka_unit_test(small_steps_back_are_delivered_and_counted),
		cmocka_unit_test(a_chunk_that_is_broken_costs_only_itself),
		cmocka_unit_test(a_version_7_file_without_its_end_is_searched),
		cmocka_unit_test(numbers_of_cpus_that_cannot_be_are_refused),
		cmocka_unit_test(the_buffer_with_xfs_events_is_chosen),
		cmocka_unit_test(times_are_converted),
		cmocka_unit_test(what_the_recorder_says_is_put_together),
		cmocka_unit_test(only_wanted_types_are_decoded),
		cmocka_unit_test(a_part_can_be_read_again),
		cmocka_unit_test(a_killed_recorders_files_are_read),
		cmocka_unit_test(other_files_are_refused),
	};

	return cmocka_run_group_tests_name("trace_damage", tests, NULL, NULL);
}
