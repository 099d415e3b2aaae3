// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON stays JSON and a terminal stays sane whatever names a trace holds. */
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

#include "model/run.h"
#include "output/jsonw.h"
#include "output/utf8.h"

static void json_has_its_form(void **state)
{
	struct xlv_jsonw w;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	xlv_jsonw_init(&w, f, 0);
	xlv_jsonw_object(&w, NULL);
	xlv_jsonw_int(&w, "min", INT64_MIN + 1);
	xlv_jsonw_ns(&w, "none", XLV_NONE);
	xlv_jsonw_ns(&w, "zero", 0);
	xlv_jsonw_double(&w, "nan", NAN);
	xlv_jsonw_double(&w, "half", 0.5);
	xlv_jsonw_bool(&w, "yes", true);
	xlv_jsonw_array(&w, "list");
	xlv_jsonw_object(&w, NULL);
	xlv_jsonw_end(&w);
	xlv_jsonw_array(&w, NULL);
	xlv_jsonw_end(&w);
	xlv_jsonw_str(&w, NULL, NULL);
	xlv_jsonw_raw(&w, NULL, "{\"a\":1}");
	xlv_jsonw_finish(&w);
	fclose(f);
	assert_string_equal(text, "{\"min\":-9223372036854775807,\"none\":null,\"zero\":0,"
			    "\"nan\":null,\"half\":0.5,\"yes\":true,"
			    "\"list\":[{},[],null,{\"a\":1}]}\n");
	free(text);
}

static void json_survives_any_bytes(void **state)
{
	static const char *const names[] = {
		"", "plain", "quote\" back\\slash", "tab\tnl\ncr\r esc\x1b[31m", "\x7f del",
		"\xc3\xa4 ok", "\xff\xfe bad", "\xc3", "\xe2\x82", "\xed\xa0\x80 surrogate",
		"\xf0\x9f\x92\xbe disk", "\xc0\x80 overlong", "<...> & ' `",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct xlv_jsonw w;
		struct json_tokener *tok = json_tokener_new();
		struct json_object *o;
		char *text;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		xlv_jsonw_init(&w, f, 3);
		xlv_jsonw_object(&w, NULL);
		xlv_jsonw_str(&w, names[i], names[i]);
		xlv_jsonw_finish(&w);
		fclose(f);
		json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
		o = json_tokener_parse_ex(tok, text, (int)size);
		assert_non_null(o);
		assert_int_equal(json_object_object_length(o), 1);
		json_object_put(o);
		json_tokener_free(tok);
		free(text);
	}
}

static void every_single_byte_name_shows_without_controls(void **state)
{
	char s[3] = { 0 }, shown[32];
	int columns;

	(void)state;
	for (int c = 1; c < 256; c++) {
		s[0] = (char)c;
		s[1] = 'x';
		columns = xlv_show(shown, sizeof(shown), s, true);
		assert_int_equal(columns, strlen(shown));
		for (char *p = shown; *p; p++)
			assert_true(*p >= 0x20 && *p < 0x7f);
	}
}

static void names_show_as_they_are_where_that_is_safe(void **state)
{
	char shown[64];

	(void)state;
	assert_int_equal(xlv_show(shown, sizeof(shown), "kworker/0:1H <x>", true), 16);
	assert_string_equal(shown, "kworker/0:1H <x>");
	assert_int_equal(xlv_show(shown, sizeof(shown), "\xc3\xa4\xe5\xad\x97", true), 3);
	assert_string_equal(shown, "\xc3\xa4\xe5\xad\x97");
	xlv_show(shown, sizeof(shown), "\xc3\xa4", false);
	assert_string_equal(shown, "\\xc3\\xa4");
	xlv_show(shown, sizeof(shown), "a\\x1b", true);
	assert_string_equal(shown, "a\\\\x1b");
	/* right-to-left override, zero-width space, a C1 control */
	xlv_show(shown, sizeof(shown), "\xe2\x80\xae" "a" "\xe2\x80\x8b" "\xc2\x9b", true);
	assert_string_equal(shown, "\\xe2\\x80\\xaea\\xe2\\x80\\x8b\\xc2\\x9b");
	xlv_show(shown, sizeof(shown), NULL, true);
	assert_string_equal(shown, "?");
	/* cut at a whole character */
	xlv_show(shown, 4, "ab\xc3\xa4", true);
	assert_string_equal(shown, "ab");
	xlv_show(shown, 5, "\x1b\x1b", true);
	assert_string_equal(shown, "\\x1b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_its_form),
		cmocka_unit_test(json_survives_any_bytes),
		cmocka_unit_test(every_single_byte_name_shows_without_controls),
		cmocka_unit_test(names_show_as_they_are_where_that_is_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
