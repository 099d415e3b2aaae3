// SPDX-License-Identifier: GPL-2.0-or-later
/* What a JSON report holds comes back, and a bad file gets a clear word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "analysis/bootstrap.h"
#include "analysis/jsonr.h"
#include "analysis/load.h"
#include "output/json.h"
#include "traces.h"

/* --- the JSON reader itself --- */

static const struct xlv_jval *parse(struct xlv_jarena *a, const char *text)
{
	const char *why;

	return xlv_jparse(a, text, text + strlen(text), &why);
}

static void values_come_out_as_they_stand(void **state)
{
	struct xlv_jarena a = { 0 };
	const struct xlv_jval *v = parse(&a,
		" { \"i\" : -12, \"d\":1.5e3,\"s\":\"a\\n\\u00e4\\ud83d\\ude00\\u0000\", "
		"\"t\":true,\"n\":null, \"l\":[1,[],{}] } ");

	(void)state;
	assert_non_null(v);
	assert_int_equal(v->n, 6);
	assert_int_equal(xlv_jget(v, "i")->integer, -12);
	assert_true(xlv_jget(v, "d")->number == 1500.0);
	assert_string_equal(xlv_jget(v, "s")->string, "a\n\xc3\xa4\xf0\x9f\x98\x80\xef\xbf\xbd");
	assert_true(xlv_jget(v, "t")->boolean);
	assert_null(xlv_jget(v, "n"));
	assert_null(xlv_jget(v, "absent"));
	assert_int_equal(xlv_jget(v, "l")->n, 3);
	assert_int_equal(xlv_jget(v, "l")->text.to - xlv_jget(v, "l")->text.from, 9);
	xlv_jarena_free(&a);
}

static void the_ends_of_int64_are_whole_numbers_and_more_is_not(void **state)
{
	struct xlv_jarena a = { 0 };

	(void)state;
	assert_int_equal(parse(&a, "9223372036854775807 ")->integer, INT64_MAX);
	assert_int_equal(parse(&a, "-9223372036854775808 ")->integer, INT64_MIN);
	assert_int_equal(parse(&a, "9223372036854775808 ")->type, XLV_J_DOUBLE);
	assert_int_equal(parse(&a, "99999999999999999999 ")->type, XLV_J_DOUBLE);
	xlv_jarena_free(&a);
}

static void what_is_not_json_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "{", "[1", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "[1 2]", "\"abc",
		"\"\\x\"", "\"\\u12g4\"", "tru", "nul", "-", "1 2", "\"a\tb\"", "]", "[\"\\",
	};
	struct xlv_jarena a = { 0 };
	char deep[101];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_null(parse(&a, bad[i]));
	memset(deep, '[', 50);
	memset(deep + 50, ']', 50);
	deep[100] = '\0';
	assert_null(parse(&a, deep));
	xlv_jarena_free(&a);
}

/* --- reports --- */

struct opened {
	struct xlv_input *in;
	char *text;
	size_t len;
};

static struct xlv_input *open_recording(const char *path)
{
	struct xlv_error err = { "" };
	struct xlv_trace *t = xlv_trace_open(path, NULL, &err);
	struct xlv_run *run = t ? xlv_run_build(t, NULL, &err) : NULL;
	struct xlv_input *in = run ? xlv_input_of_run(path, t, run, NULL, &err) : NULL;

	if (!in)
		fail_msg("%s: %s", path, err.text);
	return in;
}

static char *report_text(const struct xlv_report *rep, bool one_line, bool no_syncs, size_t *len)
{
	const struct xlv_json_opts opts = { .one_line = one_line, .no_syncs = no_syncs };
	char *text;
	FILE *f = open_memstream(&text, len);

	assert_int_equal(xlv_json_report(f, rep, &opts), 0);
	fclose(f);
	return text;
}

static const char *save(const char *name, const char *text, size_t len)
{
	const char *path = traces_temp(name);

	traces_write(path, text, len);
	return path;
}

/* A recording of the project's own, or of the collection. */
static const char *some_recording(void)
{
	const char *path = traces_sample("lab/base.dat");

	return path ? path : traces_path("host-6.18-dd.dat");
}

static int setup(void **state)
{
	static struct opened o;
	const char *path = some_recording();

	if (path) {
		o.in = open_recording(path);
		o.text = report_text(o.in->rep, false, false, &o.len);
	}
	*state = &o;
	return 0;
}

static int teardown(void **state)
{
	struct opened *o = *state;

	free(o->text);
	xlv_input_close(o->in);
	return 0;
}

static struct xlv_json_doc *first_doc(struct xlv_json_file *f)
{
	struct xlv_error err = { "" };
	struct xlv_json_doc *doc = NULL;

	if (xlv_json_next(f, &doc, &err) != 1)
		fail_msg("%s", err.text);
	return doc;
}

/* What is read back but not told again: words, and what only a run has. */
static struct json_object *comparable(const char *text)
{
	static const char *const drop[] = {
		"answer", "findings", "forces", "unfinished", "none_because", "syncs",
	};
	struct json_object *o = json_tokener_parse(text);

	assert_non_null(o);
	for (size_t i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
		json_object_object_del(o, drop[i]);
	return o;
}

static void a_report_read_back_is_the_report(void **state)
{
	struct opened *o = *state;
	struct xlv_json_file *f;
	struct xlv_json_doc *doc;
	struct xlv_report *rep;
	struct xlv_error err = { "" };
	struct json_object *before, *after;
	size_t len;

	if (!o->in)
		skip();
	for (int form = 0; form < 4; form++) {
		char *text = report_text(o->in->rep, form & 1, form & 2, &len), *again;

		f = xlv_json_open(save("r.json", text, len), &err);
		assert_non_null(f);
		doc = first_doc(f);
		assert_int_equal(xlv_json_has_syncs(doc), !(form & 2));
		rep = xlv_json_report_of(doc, &err);
		if (!rep)
			fail_msg("%s", err.text);
		again = report_text(rep, false, true, &len);
		before = comparable(text);
		after = comparable(again);
		assert_true(json_object_equal(before, after));
		json_object_put(before);
		json_object_put(after);
		free(again);
		free(text);
		xlv_report_free(rep);
		xlv_json_free(doc);
		assert_int_equal(xlv_json_next(f, &doc, &err), 0);
		xlv_json_close(f);
	}
}

struct told {
	const struct xlv_report *rep;
	int64_t at;
	struct xlv_detail d;
};

static int same_sync(const struct xlv_case *c, void *arg)
{
	struct told *t = arg;
	const struct xlv_sync *s = t->rep->selected[t->at++];

	assert_int_equal(xlv_sync_detail(t->rep->run, s, &t->d), 0);
	assert_int_equal(c->sync->id, s->id);
	assert_int_equal(c->sync->start_ns, s->start_ns);
	assert_int_equal(c->sync->kind, s->kind);
	assert_int_equal(c->sync->reasons, s->reasons);
	assert_string_equal(c->sync->placement, s->placement);
	assert_int_equal(c->sync->io_device_ns, s->io_device_ns);
	for (int i = 0; i < XLV_I_COUNT; i++)
		assert_int_equal(xlv_sync_interval(c->sync, i), xlv_sync_interval(s, i));
	assert_int_equal(c->detail->nr_segments, t->d.nr_segments);
	for (int i = 0; i < t->d.nr_segments; i++) {
		assert_int_equal(c->detail->segments[i].stage, t->d.segments[i].stage);
		assert_int_equal(c->detail->segments[i].ns, t->d.segments[i].ns);
		assert_int_equal(c->detail->segments[i].wake, t->d.segments[i].wake);
	}
	assert_int_equal(c->detail->nr_wakes, t->d.nr_wakes);
	for (int i = 0; i < t->d.nr_wakes; i++) {
		assert_memory_equal(c->detail->wakes[i].parts_ns, t->d.wakes[i].parts_ns,
				    sizeof(t->d.wakes[i].parts_ns));
		assert_int_equal(c->detail->wakes[i].wake.migrated, t->d.wakes[i].wake.migrated);
	}
	assert_int_equal(c->detail->nr_waits, t->d.nr_waits);
	for (int i = 0; i < t->d.nr_waits; i++) {
		const struct xlv_wake *a = &c->detail->waits[i].wake, *b = &t->d.waits[i].wake;

		assert_int_equal(c->detail->waits[i].queue, t->d.waits[i].queue);
		assert_int_equal(a->waking_ns, b->waking_ns);
		assert_int_equal(a->running_ns, b->running_ns);
		assert_int_equal(a->migrated, b->migrated);
		assert_int_equal(a->waker_on_prev, b->waker_on_prev);
		assert_int_equal(a->waker_role, b->waker_role);
	}
	return 0;
}

static void every_sync_comes_back_with_its_parts(void **state)
{
	struct opened *o = *state;
	struct told t = { 0 };
	struct xlv_json_file *f;
	struct xlv_json_doc *doc;
	struct xlv_error err = { "" };

	if (!o->in)
		skip();
	t.rep = o->in->rep;
	f = xlv_json_open(save("s.json", o->text, o->len), &err);
	doc = first_doc(f);
	if (xlv_json_syncs(doc, same_sync, &t, &err))
		fail_msg("%s", err.text);
	assert_int_equal(t.at, t.rep->nr_selected);
	xlv_detail_free(&t.d);
	xlv_json_free(doc);
	xlv_json_close(f);
}

/* Reports in one file, in both of our forms, in one that isn't ours, with space between. */
static void a_file_can_hold_several_reports(void **state)
{
	struct opened *o = *state;
	struct xlv_error err = { "" };
	struct json_object *other;
	struct xlv_json_file *f;
	struct xlv_json_doc *doc;
	size_t len, line_len;
	char *line, *all;
	FILE *m;
	int n = 0;

	if (!o->in)
		skip();
	line = report_text(o->in->rep, true, false, &line_len);
	other = json_tokener_parse(line);
	m = open_memstream(&all, &len);
	fprintf(m, "%s%s\n\n%s%s%s\n", o->text, line, line,
		json_object_to_json_string_ext(other, JSON_C_TO_STRING_PRETTY), o->text);
	fclose(m);
	f = xlv_json_open(save("many.json", all, len), &err);
	while (xlv_json_next(f, &doc, &err) > 0) {
		struct xlv_report *rep = xlv_json_report_of(doc, &err);

		if (!rep)
			fail_msg("%s", err.text);
		assert_int_equal(rep->syncs, o->in->rep->syncs);
		xlv_report_free(rep);
		xlv_json_free(doc);
		n++;
	}
	assert_int_equal(n, 5);
	xlv_json_close(f);
	json_object_put(other);
	free(all);
	free(line);
}

static int count(const struct xlv_case *c, void *arg)
{
	(void)c;
	++*(int64_t *)arg;
	return 0;
}

/* Reads all there is of a file; -1 with a reason, or 0. */
static int read_all(const char *path, struct xlv_error *err)
{
	struct xlv_json_file *f = xlv_json_open(path, err);
	struct xlv_json_doc *doc;
	int64_t syncs = 0;
	int ret = -1, more;

	while (f && (more = xlv_json_next(f, &doc, err)) > 0) {
		struct xlv_report *rep = xlv_json_report_of(doc, err);

		ret = rep ? 0 : -1;
		if (rep && xlv_json_has_syncs(doc))
			ret = xlv_json_syncs(doc, count, &syncs, err);
		xlv_report_free(rep);
		xlv_json_free(doc);
		if (ret)
			break;
	}
	if (f && !ret && more < 0)
		ret = -1;
	xlv_json_close(f);
	return ret;
}

static void a_report_that_was_cut_is_refused_with_a_reason(void **state)
{
	struct opened *o = *state;
	struct xlv_error err;

	if (!o->in)
		skip();
	for (size_t len = 0; len + 2 < o->len; len += 1 + o->len / 150) {
		err.text[0] = '\0';
		assert_int_equal(read_all(save("cut.json", o->text, len), &err), -1);
		assert_non_null(strstr(err.text, "cut.json"));
	}
}

static void damage_is_never_more_than_an_error(void **state)
{
	static const char with[] = "{}[],:\"\\0n-9 \n\xff";
	struct opened *o = *state;
	struct xlv_error err;
	struct xlv_rng rng;
	int refused = 0;
	char *copy;

	if (!o->in)
		skip();
	xlv_rng_seed(&rng, 3);
	copy = malloc(o->len);
	for (int round = 0; round < 300; round++) {
		size_t head = o->len < 60000 || round % 2 ? o->len : 60000;

		memcpy(copy, o->text, o->len);
		for (int i = round % 5; i >= 0; i--)
			copy[xlv_rng_below(&rng, head)] =
				with[xlv_rng_below(&rng, sizeof(with) - 1)];
		refused += read_all(save("bad.json", copy, o->len), &err) != 0;
	}
	assert_true(refused > 100);
	free(copy);
}

static void another_file_is_named_for_what_it_is_not(void **state)
{
	static const struct { const char *text, *why; } files[] = {
		{ "", "empty" }, { "{}", "not a report" }, { "[]", "not JSON" },
		{ "{\"schema\":\"xlogviz.compare/1\"}", "not a report" },
		{ "{\"schema\":\"xlogviz.report/1\"}", "it has no \"trace\"" },
		{ "{\"schema\":\"xlogviz.report/1\",\"trace\":3,\"counts\":{\"syncs\":-1}}",
		  "negative" },
		{ "hello", "not JSON" },
	};
	struct xlv_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *path = save("x.json", files[i].text, strlen(files[i].text));

		assert_int_equal(read_all(path, &err), -1);
		if (!strstr(err.text, files[i].why))
			fail_msg("'%s' gave: %s", files[i].text, err.text);
	}
	assert_int_equal(read_all("/nonexistent/x.json", &err), -1);
	assert_non_null(strstr(err.text, "unable to open '/nonexistent/x.json'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_out_as_they_stand),
		cmocka_unit_test(the_ends_of_int64_are_whole_numbers_and_more_is_not),
		cmocka_unit_test(what_is_not_json_is_refused),
		cmocka_unit_test(a_report_read_back_is_the_report),
		cmocka_unit_test(every_sync_comes_back_with_its_parts),
		cmocka_unit_test(a_file_can_hold_several_reports),
		cmocka_unit_test(a_report_that_was_cut_is_refused_with_a_reason),
		cmocka_unit_test(damage_is_never_more_than_an_error),
		cmocka_unit_test(another_file_is_named_for_what_it_is_not),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
