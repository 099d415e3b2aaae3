// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "output/palette.h"
#include "output/scale.h"
#include "output/surface.h"

static void draw_everything(struct xlv_surface *s)
{
	xlv_group_begin(s, &(struct xlv_group){ .id = "a-1", .class = "lane", .title = "a <b>",
			.data = "data-ns=\"5\"" });
	xlv_rect(s, P_WORK + XLV_WORK_LOG_WORKER, 10.004, 20, 30.5, 8, "two\nlines & \"more\"");
	xlv_line(s, P_AXIS, 0, 0, 100, 50);
	xlv_path_move(s, 1, 2);
	xlv_path_curve(s, 1, 1, 2, 2, 3, 3);
	xlv_path_close(s);
	xlv_path_box(s, 5, 6, 7, 8);
	xlv_path_draw(s, P_WAKE, NULL);
	xlv_clip_begin(s, 0, 0, 50, 50);
	xlv_text(s, P_TEXT, XLV_MIDDLE, 50, 40, "kworker/0:1H <xfs-log> & co");
	xlv_clip_end(s);
	xlv_group_end(s);
}

/* The picture as a file, to be freed. */
static char *picture(enum xlv_picture format, enum xlv_theme theme,
		     void (*draw)(struct xlv_surface *s), size_t *len)
{
	struct xlv_page page = {
		.width = 200, .height = 100, .title = "t", .paints = xlv_palette(theme),
		.nr_paints = P_COUNT, .background = P_PAGE,
	};
	struct xlv_surface *s;
	struct xlv_error err;
	char *buf = NULL;
	FILE *f;

	f = open_memstream(&buf, len);
	assert_non_null(f);
	s = xlv_surface_new(f, format, &page, &err);
	assert_non_null(s);
	draw(s);
	assert_int_equal(xlv_surface_finish(s, &err), 0);
	fclose(f);
	return buf;
}

static void an_svg_has_ids_classes_tips_and_text(void **state)
{
	size_t len;
	char *svg = picture(XLV_SVG, XLV_THEME_LIGHT, draw_everything, &len);

	(void)state;
	assert_non_null(strstr(svg, "<g id=\"a-1\" class=\"lane\" data-ns=\"5\">"
			       "<title>a &lt;b&gt;</title>"));
	assert_non_null(strstr(svg, "<rect class=\"w-log-worker\" x=\"10\" y=\"20\" "
			       "width=\"30.5\""));
	assert_non_null(strstr(svg, "<title>two\nlines &amp; &quot;more&quot;</title></rect>"));
	assert_non_null(strstr(svg, ">kworker/0:1H &lt;xfs-log&gt; &amp; co</text>"));
	assert_non_null(strstr(svg, "M1 2C1 1 2 2 3 3zM5 6h7v8h-7z"));
	assert_non_null(strstr(svg, ".w-log-worker{fill:url(#h-w-log-worker);}"));
	free(svg);
}

static void the_same_calls_give_the_same_bytes(void **state)
{
	(void)state;
	for (int format = XLV_SVG; format <= XLV_PDF; format++) {
		size_t n1, n2;
		char *a = picture(format, XLV_THEME_LIGHT, draw_everything, &n1);
		char *b = picture(format, XLV_THEME_LIGHT, draw_everything, &n2);
		char *dark = picture(format, XLV_THEME_DARK, draw_everything, &n2);

		n2 = n1;
		assert_memory_equal(a, b, n1);
		assert_memory_not_equal(a, dark, n1 < 400 ? n1 : 400);
		free(a);
		free(b);
		free(dark);
	}
}

static void draw_hostile(struct xlv_surface *s)
{
	xlv_text(s, P_TEXT, XLV_LEFT, 0, 10, "a\x01\x1b[31m\x7f\xff\xc3</text><script>");
	xlv_text(s, P_TEXT, XLV_LEFT, 0, 20, "x\xe2\x80\xaey\xe2\x80\x8bz\xc2\x85");
	xlv_rect(s, P_PAGE, 0, 0, 1, 1, "]]>\x02&<");
}

static void hostile_text_cannot_leave_its_element(void **state)
{
	size_t len;
	char *svg = picture(XLV_SVG, XLV_THEME_LIGHT, draw_hostile, &len);

	(void)state;
	for (size_t i = 0; i < len; i++)
		assert_true((unsigned char)svg[i] >= 0x20 || svg[i] == '\n');
	assert_null(strstr(svg, "<script"));
	assert_null(strstr(svg, "\xff"));
	assert_null(strstr(svg, "\xe2\x80\xae"));
	assert_null(strstr(svg, "\xc2\x85"));
	assert_non_null(strstr(svg, "<title>]]&gt;\xef\xbf\xbd&amp;&lt;</title>"));
	free(svg);
}

static void a_shortened_text_fits_and_ends_in_an_ellipsis(void **state)
{
	static const char *const names[] = {
		"kworker/u16:3-xfs-cil/nvme0n1p3", "<<<<<<<<<<<<<<<<<<<<<<<<<<<",
		"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4\xc3\xb6",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
	};
	struct xlv_ruler *r = xlv_ruler_new();
	char buf[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		double full = xlv_ruler_width(r, 11, false, names[i]);

		for (double w = 0; w < full + 10; w += 3) {
			double got = xlv_ruler_shorten(r, 11, false, w, names[i], buf, sizeof(buf));

			assert_true(got <= w);
			assert_true(!*buf || xlv_ruler_width(r, 11, false, buf) <= w);
			if (w >= full)
				assert_string_equal(buf, names[i]);
			else if (*buf)
				assert_non_null(strstr(buf, "\xe2\x80\xa6"));
			else
				assert_true(got == 0);
		}
	}
	xlv_ruler_free(r);
}

static void a_text_longer_than_its_buffer_is_cut_at_a_character(void **state)
{
	struct xlv_ruler *r = xlv_ruler_new();
	char long_name[2000], buf[16];

	(void)state;
	for (int i = 0; i < 999; i++)
		memcpy(long_name + 2 * i, "\xc3\xa4", 2);
	long_name[1998] = '\0';
	xlv_ruler_shorten(r, 11, false, 1e6, long_name, buf, sizeof(buf));
	assert_int_equal(strlen(buf), 14);
	assert_memory_equal(buf + 12, "\xc3\xa4", 2);
	xlv_ruler_free(r);
}

static void a_failed_write_is_an_error(void **state)
{
	struct xlv_page page = {
		.width = 2000, .height = 2000, .title = "t",
		.paints = xlv_palette(XLV_THEME_LIGHT), .nr_paints = P_COUNT, .background = P_PAGE,
	};

	(void)state;
	for (int format = XLV_SVG; format <= XLV_PDF; format++) {
		FILE *full = fopen("/dev/full", "w");
		struct xlv_surface *s;
		struct xlv_error err;

		if (!full)
			skip();
		s = xlv_surface_new(full, format, &page, &err);
		assert_non_null(s);
		draw_everything(s);
		assert_int_equal(xlv_surface_finish(s, &err), -1);
		assert_non_null(strstr(err.text, "unable to write the picture"));
		fclose(full);
	}
}

static void formats_go_by_the_end_of_a_name(void **state)
{
	(void)state;
	assert_int_equal(xlv_picture_of("a/b.svg"), XLV_SVG);
	assert_int_equal(xlv_picture_of("b.dat.PNG"), XLV_PNG);
	assert_int_equal(xlv_picture_of("x.pdf"), XLV_PDF);
	assert_int_equal(xlv_picture_of("svg"), -1);
	assert_int_equal(xlv_picture_of("x.svg.dat"), -1);
}

/* How far apart two colours are to an eye that sees lightness alone. */
static int grey(uint32_t c)
{
	return ((c >> 24) * 299 + (c >> 16 & 0xff) * 587 + (c >> 8 & 0xff) * 114) / 1000;
}

static void roles_differ_in_grey_or_in_hatching(void **state)
{
	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		const struct xlv_paint *p = xlv_palette(theme);

		for (int i = P_WORK; i < P_WORK + XLV_WORK_COUNT; i++)
			for (int k = P_WORK; k < i; k++)
				assert_true(abs(grey(p[i].fill) - grey(p[k].fill)) >= 12 ||
					    p[i].hatch != p[k].hatch);
	}
}

static void labels_can_be_read_on_every_paint(void **state)
{
	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		const struct xlv_paint *p = xlv_palette(theme);

		for (int i = P_WORK; i < P_WAKE; i++) {
			int on = xlv_palette_on(p, i, false);

			assert_true(abs(grey(p[on].fill) - grey(p[i].fill)) >= 90);
		}
	}
}

static void paints_have_names_of_their_own(void **state)
{
	const struct xlv_paint *p = xlv_palette(XLV_THEME_LIGHT);

	(void)state;
	for (int i = 0; i < P_COUNT; i++) {
		assert_non_null(p[i].name);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(p[i].name, p[k].name);
	}
}

static void ticks_are_one_two_or_five(void **state)
{
	(void)state;
	assert_int_equal(xlv_tick_step(100, 11), 10);
	assert_int_equal(xlv_tick_step(100, 6), 20);
	assert_int_equal(xlv_tick_step(284000, 15), 20000);
	assert_int_equal(xlv_tick_step(20LL * 1000 * 1000 * 1000, 15), 2000000000);
	assert_int_equal(xlv_tick_step(0, 10), 1);
	for (int64_t range = 1; range < INT64_MAX / 7; range = range * 3 + 1) {
		int64_t step = xlv_tick_step(range, 14);

		assert_true(range / step < 14);
		while (step >= 10 && step % 10 == 0)
			step /= 10;
		assert_true(step == 1 || step == 2 || step == 5);
	}
}

static void tick_labels_keep_one_unit(void **state)
{
	char buf[32];

	(void)state;
	xlv_tick_label(buf, sizeof(buf), 0, 50000);
	assert_string_equal(buf, "0");
	xlv_tick_label(buf, sizeof(buf), 50000, 50000);
	assert_string_equal(buf, "50 us");
	xlv_tick_label(buf, sizeof(buf), 1250000, 50000);
	assert_string_equal(buf, "1250 us");
	xlv_tick_label(buf, sizeof(buf), 1500000, 500000);
	assert_string_equal(buf, "1.5 ms");
	xlv_tick_label(buf, sizeof(buf), -20, 20);
	assert_string_equal(buf, "-20 ns");
	xlv_tick_label(buf, sizeof(buf), 4000000000, 2000000000);
	assert_string_equal(buf, "4 s");
}

static void a_scale_keeps_within_its_edges(void **state)
{
	struct xlv_scale s = { .from_ns = 1000, .to_ns = 2000, .x = 10, .width = 100 };

	(void)state;
	assert_true(xlv_scale_x(&s, 1500) == 60);
	assert_true(xlv_scale_x(&s, 0) == 10);
	assert_true(xlv_scale_x(&s, INT64_MIN) == 10);
	assert_true(xlv_scale_x(&s, INT64_MAX) == 110);
	s.to_ns = s.from_ns;
	assert_true(xlv_scale_x(&s, 1000) == 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_svg_has_ids_classes_tips_and_text),
		cmocka_unit_test(the_same_calls_give_the_same_bytes),
		cmocka_unit_test(hostile_text_cannot_leave_its_element),
		cmocka_unit_test(a_shortened_text_fits_and_ends_in_an_ellipsis),
		cmocka_unit_test(a_text_longer_than_its_buffer_is_cut_at_a_character),
		cmocka_unit_test(a_failed_write_is_an_error),
		cmocka_unit_test(formats_go_by_the_end_of_a_name),
		cmocka_unit_test(roles_differ_in_grey_or_in_hatching),
		cmocka_unit_test(labels_can_be_read_on_every_paint),
		cmocka_unit_test(paints_have_names_of_their_own),
		cmocka_unit_test(ticks_are_one_two_or_five),
		cmocka_unit_test(tick_labels_keep_one_unit),
		cmocka_unit_test(a_scale_keeps_within_its_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
