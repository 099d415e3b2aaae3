// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/words.h"
#include "model/run.h"

static void durations_have_three_digits_and_a_unit(void **state)
{
	struct xlv_word w;

	(void)state;
	assert_string_equal(xlv_word_ns(&w, 0), "0 ns");
	assert_string_equal(xlv_word_ns(&w, 999), "999 ns");
	assert_string_equal(xlv_word_ns(&w, 1000), "1.00 us");
	assert_string_equal(xlv_word_ns(&w, 34912), "34.9 us");
	assert_string_equal(xlv_word_ns(&w, 99960), "100 us");
	assert_string_equal(xlv_word_ns(&w, 999499), "999 us");
	assert_string_equal(xlv_word_ns(&w, 999500), "1.00 ms");
	assert_string_equal(xlv_word_ns(&w, 12345678901), "12.3 s");
	assert_string_equal(xlv_word_ns(&w, -34912), "-34.9 us");
	assert_string_equal(xlv_word_ns(&w, XLV_NONE), "n/a");
	xlv_word_ticks(true);
	assert_string_equal(xlv_word_ns(&w, 34912), "34.9 k ticks");
	xlv_word_ticks(false);
	assert_string_equal(xlv_word_ns(&w, 34912), "34.9 us");
}

static void shares_are_percent(void **state)
{
	struct xlv_word w;

	(void)state;
	assert_string_equal(xlv_word_share(&w, 0.423), "42 %");
	assert_string_equal(xlv_word_share(&w, 0.0994), "9.9 %");
	assert_string_equal(xlv_word_share(&w, 0.0999), "10 %");
	assert_string_equal(xlv_word_share(&w, 0.0001), "under 0.1 %");
	assert_string_equal(xlv_word_share(&w, 0), "0 %");
	assert_string_equal(xlv_word_share(&w, 1), "100 %");
	assert_string_equal(xlv_word_share(&w, NAN), "n/a");
}

static void names_from_a_trace_cannot_reach_the_terminal_raw(void **state)
{
	struct xlv_word w;

	(void)state;
	assert_string_equal(xlv_word_name(&w, "kworker/0:1H"), "kworker/0:1H");
	assert_string_equal(xlv_word_name(&w, "\033[31mred"), "\\x1b[31mred");
	assert_string_equal(xlv_word_name(&w, "a\nb\x7f"), "a\\x0ab\\x7f");
	assert_string_equal(xlv_word_name(&w, "b\xc3\xa4r"), "b\xc3\xa4r");
	assert_string_equal(xlv_word_name(&w, "cut\xc3"), "cut\\xc3");
	assert_string_equal(xlv_word_name(&w, "\xc0\xaf"), "\\xc0\\xaf");
	assert_string_equal(xlv_word_name(&w, "\xed\xa0\x80"), "\\xed\\xa0\\x80");
	assert_string_equal(xlv_word_name(&w, "c1\xc2\x9bm"), "c1\\xc2\\x9bm");
	assert_string_equal(xlv_word_name(&w, "x\xe2\x80\xaey"), "x\\xe2\\x80\\xaey");
	assert_string_equal(xlv_word_name(&w, NULL), "?");
}

static void a_long_name_is_cut_between_characters(void **state)
{
	struct xlv_word w;
	char name[256];

	(void)state;
	for (int i = 0; i < 255; i++)
		name[i] = '\001';
	name[255] = '\0';
	xlv_word_name(&w, name);
	for (int i = 0; w.s[i]; i += 4)
		assert_memory_equal(w.s + i, "\\x01", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_have_three_digits_and_a_unit),
		cmocka_unit_test(shares_are_percent),
		cmocka_unit_test(names_from_a_trace_cannot_reach_the_terminal_raw),
		cmocka_unit_test(a_long_name_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
