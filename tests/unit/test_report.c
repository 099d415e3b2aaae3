// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A report over a run made by hand: what is counted, what is left out, and that
 * no name out of a recording can break the text, the JSON or the CSV.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "analysis/report.h"
#include "model/detail.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/ndjson.h"
#include "output/text.h"
#include "output/utf8.h"

#define ESC_COMM	"\033[31mevil\n,\"\r"
#define BAD_COMM	"=\xff\xfe\xe2\x80\xae"

struct fixture {
	struct xlv_trace_info	info;
	struct xlv_cpu_info	cpu[2];
	struct xlv_buffer_info	buffer;
	struct xlv_damage	damage;
	struct xlv_force_caller	caller;
	struct xlv_sync		sync[4];
	struct xlv_arena	arena;
	struct xlv_run		run;
};

static void init_sync(struct xlv_sync *s, int id, int pid, const char *comm, int64_t start_ns,
		      int64_t span_ns)
{
	memset(s, 0, sizeof(*s));
	s->id = id;
	s->pid = pid;
	s->comm = comm;
	s->syscall = XLV_SYS_FSYNC;
	s->via = "syscall";
	s->bounds = XLV_BOUNDS_TRACEPOINT;
	s->dev = 7u << 20 | (unsigned int)id % 2;
	s->ino = 133;
	s->start_ns = start_ns;
	s->span_ns = span_ns;
	s->fsync_ns = start_ns;
	s->force_ns = XLV_NONE;
	s->force = s->cil_force = (struct xlv_span){ XLV_NONE, XLV_NONE };
	s->T1_ns = s->T2_ns = s->T3_ns = s->T4_ns = XLV_NONE;
	s->T1_slack_ns = s->T2_slack_ns = s->wake_order_ns = XLV_NONE;
	s->io_flush_ns = s->io_device_ns = s->in_order_ns = XLV_NONE;
	s->push = s->iclog = -1;
	for (int i = 0; i < 6; i++)
		s->place_cpu[i] = i % 2;
}

/* One stage over the whole span, one sleep of @sleep_ns that ends it. */
static void pack(struct fixture *f, struct xlv_sync *s, int64_t sleep_ns)
{
	struct xlv_detail d = { 0 };
	struct xlv_wait *w;
	struct xlv_segment *seg;

	assert_int_equal(xlv_detail_room_segment(&d), 0);
	seg = &d.segments[d.nr_segments++];
	memset(seg, 0, sizeof(*seg));
	seg->stage = sleep_ns ? XLV_STAGE_LOG_IO : XLV_STAGE_DATA_WRITEBACK;
	seg->start_ns = s->start_ns;
	seg->ns = s->span_ns;
	seg->cpu = -1;
	seg->wake = -1;
	if (sleep_ns) {
		assert_int_equal(xlv_detail_room_wait(&d), 0);
		w = &d.waits[d.nr_waits++];
		memset(w, 0, sizeof(*w));
		w->queue = XLV_QUEUE_FORCE;
		w->start_ns = s->start_ns + s->span_ns - sleep_ns;
		w->push = w->iclog = -1;
		w->wake.pid = s->pid;
		w->wake.comm = s->comm;
		w->wake.waker_comm = BAD_COMM;
		w->wake.waker_pid = 9;
		w->wake.waking_ns = s->start_ns + s->span_ns - 10;
		w->wake.wakeup_ns = XLV_NONE;
		w->wake.running_ns = s->start_ns + s->span_ns;
		w->wake.parts_ns[XLV_PART_SCHED] = 10;
		w->wake.cause = XLV_PART_SCHED;
		w->wake.cstate = -1;
	}
	assert_int_equal(xlv_detail_pack(&f->arena, s, &d), 0);
	xlv_detail_free(&d);
}

static int make(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->buffer = (struct xlv_buffer_info){ "", "mono", 2, true };
	f->info.file = "dir/" ESC_COMM ".dat";
	f->info.format = "trace.dat";
	f->info.version = 7;
	f->info.compression = "none";
	f->info.clock = "mono";
	f->info.kernel = "6.1\033[2J";
	f->info.machine = "x86_64";
	f->info.nr_cpus = 2;
	f->info.buffers = &f->buffer;
	f->info.nr_buffers = 1;
	f->info.events = 1234567;
	f->info.start_ns = 1000;
	f->info.end_ns = 2000001000;
	f->info.cpu = f->cpu;
	f->info.nr_cpu = 2;
	f->info.metadata = "{\"command\":[\"dd\",\"\\u001b]0;x\\u0007\"],\"a\":\"\xc3\xa4\"}";
	for (int i = 0; i < XLV_EV_COUNT; i++)
		f->info.count[i] = 1;

	init_sync(&f->sync[0], 1, 100, ESC_COMM, 2000, 1000);
	f->sync[0].T1_ns = 900;
	f->sync[0].T2_ns = 100;
	f->sync[0].T3_ns = 700;
	f->sync[0].T4_ns = 10;
	strcpy(f->sync[0].placement, "ABABBA");
	pack(f, &f->sync[0], 700);
	init_sync(&f->sync[1], 2, 200, BAD_COMM, 4000, 3000);
	f->sync[1].kind = XLV_KIND_FLUSH_ONLY;
	for (int i = 0; i < 4; i++)
		f->sync[1].T_why[i] = "no log force";
	pack(f, &f->sync[1], 0);
	init_sync(&f->sync[2], 3, 100, ESC_COMM, 9000, 500);
	f->sync[2].reasons = XLV_PARTIAL_LOST | XLV_PARTIAL_MISSING;
	f->sync[2].missing = "sched_waking";
	pack(f, &f->sync[2], 0);
	init_sync(&f->sync[3], 4, 300, "dd", 20000, XLV_NONE);
	f->sync[3].reasons = XLV_PARTIAL_END;
	f->sync[3].span_ns = 0;
	pack(f, &f->sync[3], 0);
	f->sync[3].span_ns = XLV_NONE;

	f->caller = (struct xlv_force_caller){ BAD_COMM, 2, 1 };
	f->run.info = &f->info;
	f->run.bounds = XLV_BOUNDS_TRACEPOINT;
	f->run.tick_ns = XLV_NONE;
	f->run.syncs = f->sync;
	f->run.nr_syncs = 4;
	f->run.callers = &f->caller;
	f->run.nr_callers = 1;
	*state = f;
	return 0;
}

static int unmake(void **state)
{
	struct fixture *f = *state;

	xlv_arena_free(&f->arena);
	free(f);
	return 0;
}

static struct xlv_report *report(struct fixture *f, const struct xlv_filter *filter)
{
	struct xlv_error err = { "" };
	struct xlv_report *rep = xlv_report_make(&f->run, filter, true, &err);

	if (!rep)
		print_error("%s\n", err.text);
	assert_non_null(rep);
	return rep;
}

typedef int (*writer)(FILE *f, const struct xlv_report *rep);

static char *written(writer write, const struct xlv_report *rep)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(write(f, rep), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static int as_text(FILE *f, const struct xlv_report *rep)
{
	struct xlv_text_opts opts = { .width = 100, .utf8 = true, .slowest = 9 };

	return xlv_text_report(f, rep, &opts);
}

static int as_json(FILE *f, const struct xlv_report *rep)
{
	return xlv_json_report(f, rep, NULL);
}

static int as_csv(FILE *f, const struct xlv_report *rep)
{
	xlv_csv_header(f);
	return xlv_csv_syncs(f, rep);
}

static void partial_syncs_are_counted_apart(void **state)
{
	struct xlv_report *rep = report(*state, NULL);

	assert_int_equal(rep->syncs, 4);
	assert_int_equal(rep->complete, 2);
	assert_int_equal(rep->partial, 2);
	assert_int_equal(rep->by_reason[0], 1);
	assert_int_equal(rep->by_reason[1], 0);
	assert_int_equal(rep->by_reason[2], 1);
	assert_int_equal(rep->by_reason[3], 1);
	assert_int_equal(rep->by_kind[XLV_KIND_LOG_FORCE], 3);
	assert_int_equal(rep->by_kind[XLV_KIND_FLUSH_ONLY], 1);
	assert_int_equal(rep->tasks, 3);
	assert_int_equal(rep->interval[XLV_I_SPAN].n, 2);
	assert_int_equal(rep->interval[XLV_I_SPAN].sum, 4000);
	assert_int_equal(rep->interval[XLV_I_T1].n, 1);
	assert_int_equal(rep->interval[XLV_I_T4].p50, 10);
	assert_int_equal(rep->interval_kind[XLV_KIND_FLUSH_ONLY][XLV_I_SPAN].p50, 3000);
	assert_int_equal(rep->interval_kind[XLV_KIND_FLUSH_ONLY][XLV_I_T1].n, 0);
	assert_int_equal(rep->wait[XLV_QUEUE_FORCE].n, 1);
	assert_int_equal(rep->wait[XLV_QUEUE_FORCE].sum, 700);
	assert_int_equal(rep->time_ns, 5000);
	assert_int_equal(rep->nr_placements, 1);
	assert_string_equal(rep->placements[0].placement, "ABABBA");
	assert_int_equal(rep->nr_stages, 2);
	assert_true(fabs(rep->stages[0].share - 0.75) < 1e-12);
	assert_true(fabs(rep->stages[1].share - 0.25) < 1e-12);
	xlv_report_free(rep);
}

static void filters_choose_syncs(void **state)
{
	struct xlv_filter filter = XLV_FILTER_ALL;
	struct xlv_report *rep;

	filter.pid = 100;
	rep = report(*state, &filter);
	assert_int_equal(rep->syncs, 2);
	assert_int_equal(rep->complete, 1);
	xlv_report_free(rep);

	filter = XLV_FILTER_ALL;
	filter.comm = "d?";
	rep = report(*state, &filter);
	assert_int_equal(rep->syncs, 1);
	assert_int_equal(rep->complete, 0);
	assert_int_equal(rep->selected[0]->id, 4);
	xlv_report_free(rep);

	filter = XLV_FILTER_ALL;
	filter.dev = 7u << 20;
	rep = report(*state, &filter);
	assert_int_equal(rep->syncs, 2);
	xlv_report_free(rep);

	/* from is inside, to is outside */
	filter = XLV_FILTER_ALL;
	filter.from_ns = 4000;
	filter.to_ns = 9000;
	rep = report(*state, &filter);
	assert_int_equal(rep->syncs, 1);
	assert_int_equal(rep->selected[0]->id, 2);
	xlv_report_free(rep);
}

static void text_has_no_control_characters(void **state)
{
	struct xlv_report *rep = report(*state, NULL);
	char *text = written(as_text, rep);
	const char *s = text;

	while (*s) {
		size_t n = xlv_utf8_length(s, strlen(s));

		assert_true(n > 0);
		assert_true(n > 1 || *s == '\n' || (*s >= 0x20 && *s != 0x7f));
		/* no right-to-left override */
		assert_int_not_equal(strncmp(s, "\xe2\x80\xae", 3), 0);
		s += n;
	}
	assert_non_null(strstr(text, "\\x1b[31m"));
	assert_non_null(strstr(text, "1,234,567 events"));
	free(text);
	xlv_report_free(rep);
}

static struct json_object *parse(const char *text, size_t len)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o;

	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text, (int)len);
	assert_int_equal(json_tokener_get_error(tok), json_tokener_success);
	json_tokener_free(tok);
	return o;
}

static struct json_object *at(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	assert_true(json_object_object_get_ex(o, key, &v));
	return v;
}

static void json_holds_hostile_names_and_nulls(void **state)
{
	struct xlv_report *rep = report(*state, NULL);
	char *text = written(as_json, rep), *lines = written(xlv_ndjson_syncs, rep), *line;
	struct json_object *o = parse(text, strlen(text) + 1), *s;
	int n = 0;

	assert_string_equal(json_object_get_string(at(o, "schema")), "xlogviz.report/1");
	assert_string_equal(json_object_get_string(at(at(o, "trace"), "command")),
			    "dd \033]0;x\a");
	assert_int_equal(json_object_array_length(at(o, "syncs")), 4);
	s = json_object_array_get_idx(at(o, "syncs"), 0);
	assert_string_equal(json_object_get_string(at(s, "comm")), ESC_COMM);
	assert_string_equal(json_object_get_string(at(s, "dev")), "7:1");
	s = json_object_array_get_idx(at(o, "syncs"), 1);
	assert_null(at(s, "T1_ns"));
	assert_null(at(s, "placement"));
	s = json_object_array_get_idx(at(o, "syncs"), 2);
	assert_string_equal(json_object_get_string(at(s, "status")), "partial");
	assert_string_equal(json_object_to_json_string_ext(at(s, "reasons"),
							   JSON_C_TO_STRING_PLAIN),
			    "[\"lost-events\",\"missing:sched_waking\"]");
	s = json_object_array_get_idx(at(o, "syncs"), 3);
	assert_null(at(s, "span_ns"));
	json_object_put(o);

	for (line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"), n++)
		json_object_put(parse(line, strlen(line) + 1));
	assert_int_equal(n, 4);
	free(lines);
	free(text);
	xlv_report_free(rep);
}

/* Fields of a line by the rules of RFC 4180. */
static int fields(const char *line)
{
	bool quoted = false;
	int n = 1;

	for (; *line && (quoted || *line != '\n'); line++) {
		if (*line == '"')
			quoted = !quoted;
		else if (*line == ',' && !quoted)
			n++;
	}
	assert_false(quoted);
	return n;
}

static void csv_rows_all_have_the_same_fields(void **state)
{
	struct xlv_report *rep = report(*state, NULL);
	char *text = written(as_csv, rep), *line = text;
	int width = fields(text), rows = 0;

	for (; *line; line = strchr(line, '\n') + 1, rows++)
		assert_int_equal(fields(line), width);
	assert_int_equal(rows, 5);
	/* nothing that a spreadsheet would take for a formula */
	assert_null(strstr(text, ",="));
	assert_non_null(strstr(text, ",\\x3d\\xff"));
	free(text);
	xlv_report_free(rep);
}

static bool warned(const struct xlv_report *rep, const char *text)
{
	for (int32_t i = 0; i < rep->nr_warnings; i++)
		if (strstr(rep->warnings[i], text))
			return true;
	return false;
}

static void warnings_name_what_limits_the_trust(void **state)
{
	struct fixture *f = *state;
	struct xlv_report *rep = report(f, NULL);

	assert_true(warned(rep, "2 of 4 syncs are partial (1 lost-events, 1 trace-end, 1 missing)"));
	assert_false(warned(rep, "events were lost"));
	assert_false(warned(rep, "clock"));
	assert_false(warned(rep, "missing:"));
	assert_false(xlv_report_losses(rep));
	xlv_report_free(rep);

	f->info.lost_events = 77;
	f->info.lost_uncounted = 3;
	f->cpu[1].lost_events = 77;
	f->info.clock = "local";
	f->info.backward = 5;
	f->run.negative_deltas = 6;
	f->run.fake_ios = 8;
	f->info.count[XLV_EV_SCHED_WAKING] = f->info.count[XLV_EV_SCHED_WAKEUP] = 0;
	f->damage = (struct xlv_damage){ .what = "the data of CPU 1 is \033[0m missing" };
	f->info.damage = &f->damage;
	f->info.nr_damage = 1;
	rep = report(f, NULL);
	assert_true(warned(rep, "77 events were lost, and more at 3 places, on 1 of 2 CPUs"));
	assert_true(warned(rep, "the clock 'local' differs between CPUs"));
	assert_true(warned(rep, "5 events"));
	assert_true(warned(rep, "6 times from one CPU to another came out below zero"));
	assert_true(warned(rep, "never equals a fast device; 2 CPUs"));
	assert_true(warned(rep, "without sched:sched_waking"));
	assert_true(warned(rep, "the file is damaged: the data of CPU 1"));
	assert_true(xlv_report_losses(rep));
	xlv_report_free(rep);
}

static void ticks_are_not_called_nanoseconds(void **state)
{
	struct fixture *f = *state;
	struct xlv_report *rep;
	char *text;

	f->info.clock = "x86-tsc";
	f->info.clock_ticks = true;
	rep = report(f, NULL);
	text = written(as_text, rep);
	assert_non_null(strstr(text, "ticks"));
	assert_null(strstr(text, "1.00us"));
	assert_null(strstr(text, "1.00 us"));
	assert_non_null(strstr(text, "1.00k"));
	free(text);
	text = written(as_json, rep);
	assert_non_null(strstr(text, "\"time_unit\": \"ticks\""));
	free(text);
	assert_true(warned(rep, "ticks of the clock 'x86-tsc'"));
	xlv_report_free(rep);
}

static void metadata_that_is_no_json_is_dropped(void **state)
{
	static const char *const bad[] = { "{\"command\":", "[1]", "{} x", "{\"a\":\"\xff\"}" };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct xlv_report *rep;
		char *text;

		f->info.metadata = bad[i];
		rep = report(f, NULL);
		assert_null(rep->source.metadata);
		assert_null(rep->source.command);
		text = written(as_json, rep);
		json_object_put(parse(text, strlen(text) + 1));
		free(text);
		xlv_report_free(rep);
	}
}

static void a_run_without_complete_syncs_has_no_numbers(void **state)
{
	struct fixture *f = *state;
	struct xlv_report *rep;
	char *text;

	f->run.syncs = &f->sync[2];
	f->run.nr_syncs = 2;
	rep = report(f, NULL);
	assert_int_equal(rep->complete, 0);
	assert_true(isnan(rep->syncs_per_s));
	text = written(as_text, rep);
	assert_non_null(strstr(text, "0 complete, 2 partial"));
	assert_null(strstr(text, "nan"));
	free(text);
	text = written(as_json, rep);
	assert_null(strstr(text, "nan"));
	json_object_put(parse(text, strlen(text) + 1));
	free(text);
	xlv_report_free(rep);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(partial_syncs_are_counted_apart),
		TEST(filters_choose_syncs),
		TEST(text_has_no_control_characters),
		TEST(json_holds_hostile_names_and_nulls),
		TEST(csv_rows_all_have_the_same_fields),
		TEST(warnings_name_what_limits_the_trust),
		TEST(ticks_are_not_called_nanoseconds),
		TEST(metadata_that_is_no_json_is_dropped),
		TEST(a_run_without_complete_syncs_has_no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
