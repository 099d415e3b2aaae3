// SPDX-License-Identifier: GPL-2.0-or-later
/* Two back ends behind one interface: cairo with pango, and a small SVG writer. */
#include "config.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output/surface.h"

/* Verdana and DejaVu Sans have the same widths; what else a viewer may take is narrower. */
#define FONTS		"DejaVu Sans,Verdana,Bitstream Vera Sans,Geneva,sans-serif"
#define HATCH_STEP	5.0
#define ELLIPSIS	"\xe2\x80\xa6"
#define MAX_TEXT	512
#define MIN_CHARS	4	/* that stay of a shortened text */

enum op { OP_MOVE, OP_LINE, OP_CURVE, OP_CLOSE, OP_BOX };

struct step {
	enum op	op;
	double	v[6];
};

struct font {
	double			size;
	bool			bold;
	PangoFontDescription	*desc;
	double			ascii[128];	/* advances; 0: not measured */
};

struct xlv_ruler {
	PangoContext	*context;
	PangoLayout	*layout;
	struct font	*fonts;
	int		nr_fonts;
	double		margin;		/* factor for a font that isn't the first of the list */
};

struct xlv_surface {
	FILE			*out;
	enum xlv_picture	format;
	struct xlv_page		page;
	struct xlv_ruler	*ruler;
	cairo_surface_t		*cairo_surface;
	cairo_t			*cr;
	struct step		*steps;
	size_t			nr_steps, steps_size;
	int			nr_clips;
	bool			failed;
};

/* ---- text ---- */

static bool is_printable(gunichar c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff)
		return false;
	if (c == 0x2028 || c == 0x2029 || (c >= 0x200b && c <= 0x200f) || c == 0xfeff)
		return false;
	return !(c >= 0x202a && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069) && c != 0x061c;
}

/*
 * A copy that is valid UTF-8 without control and direction characters, cut at a
 * character's end.
 */
static char *printable(char *buf, size_t size, const char *text)
{
	static const char bad[] = "\xef\xbf\xbd";
	size_t used = 0;

	while (text && *text) {
		gunichar c = g_utf8_get_char_validated(text, -1);
		bool valid = c < 0x110000;
		size_t len = valid ? (size_t)(g_utf8_next_char(text) - text) : 1;
		const char *from = valid && is_printable(c) ? text : bad;
		size_t n = from == bad ? 3 : len;

		if (used + n >= size)
			break;
		memcpy(buf + used, from, n);
		used += n;
		text += len;
	}
	if (size)
		buf[used] = '\0';
	return buf;
}

struct xlv_ruler *xlv_ruler_new(void)
{
	struct xlv_ruler *r = calloc(1, sizeof(*r));
	PangoFontDescription *desc;
	cairo_font_options_t *fo;
	PangoFontMap *map;
	PangoFont *font;

	if (!r)
		return NULL;
	map = pango_cairo_font_map_new();
	r->context = pango_font_map_create_context(map);
	pango_cairo_context_set_resolution(r->context, 96);
	fo = cairo_font_options_create();
	cairo_font_options_set_hint_metrics(fo, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_hint_style(fo, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_antialias(fo, CAIRO_ANTIALIAS_GRAY);
	pango_cairo_context_set_font_options(r->context, fo);
	cairo_font_options_destroy(fo);
	pango_context_set_round_glyph_positions(r->context, FALSE);
	r->layout = pango_layout_new(r->context);
	pango_layout_set_single_paragraph_mode(r->layout, TRUE);

	r->margin = 1.2;
	desc = pango_font_description_from_string(FONTS);
	font = pango_font_map_load_font(map, r->context, desc);
	if (font) {
		PangoFontDescription *got = pango_font_describe(font);
		const char *family = pango_font_description_get_family(got);

		if (family && (!strcmp(family, "DejaVu Sans") || !strcmp(family, "Verdana")))
			r->margin = 1.02;
		pango_font_description_free(got);
		g_object_unref(font);
	}
	pango_font_description_free(desc);
	g_object_unref(map);
	return r;
}

void xlv_ruler_free(struct xlv_ruler *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->nr_fonts; i++)
		pango_font_description_free(r->fonts[i].desc);
	free(r->fonts);
	g_object_unref(r->layout);
	g_object_unref(r->context);
	free(r);
}

static struct font *ruler_font(struct xlv_ruler *r, double size, bool bold)
{
	struct font *f;

	for (int i = 0; i < r->nr_fonts; i++)
		if (r->fonts[i].size == size && r->fonts[i].bold == bold)
			return &r->fonts[i];
	f = realloc(r->fonts, (r->nr_fonts + 1) * sizeof(*f));
	if (!f)
		abort();	/* as pango itself does */
	r->fonts = f;
	f = &r->fonts[r->nr_fonts++];
	memset(f, 0, sizeof(*f));
	f->size = size;
	f->bold = bold;
	f->desc = pango_font_description_new();
	pango_font_description_set_family(f->desc, FONTS);
	pango_font_description_set_weight(f->desc, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
	pango_font_description_set_absolute_size(f->desc, size * PANGO_SCALE);
	return f;
}

static double pango_width(struct xlv_ruler *r, struct font *f, const char *text, int len)
{
	int w, h;

	pango_layout_set_font_description(r->layout, f->desc);
	pango_layout_set_text(r->layout, text, len);
	pango_layout_get_size(r->layout, &w, &h);
	return (double)w / PANGO_SCALE;
}

static double width_n(struct xlv_ruler *r, struct font *f, const char *text, size_t len)
{
	double w = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = text[i];

		if (c >= 128)
			return pango_width(r, f, text, len) * r->margin;
		if (f->ascii[c] == 0)
			f->ascii[c] = pango_width(r, f, (char *)&c, 1);
		w += f->ascii[c];
	}
	return w * r->margin;
}

double xlv_ruler_width(struct xlv_ruler *r, double size, bool bold, const char *text)
{
	char clean[MAX_TEXT];

	printable(clean, sizeof(clean), text);
	return width_n(r, ruler_font(r, size, bold), clean, strlen(clean));
}

double xlv_ruler_shorten(struct xlv_ruler *r, double size, bool bold, double width,
			 const char *text, char *buf, size_t buf_size)
{
	struct font *f = ruler_font(r, size, bold);
	size_t ends[MAX_TEXT + 1], n = 0, lo = 0, hi;
	char clean[MAX_TEXT];
	double w;

	printable(clean, buf_size < sizeof(clean) ? buf_size : sizeof(clean), text);
	w = width_n(r, f, clean, strlen(clean));
	if (w <= width) {
		strcpy(buf, clean);
		return w;
	}
	*buf = '\0';
	if (width <= 0)
		return 0;
	/* the most characters that fit before an ellipsis */
	for (const char *p = clean; *p; p = g_utf8_next_char(p))
		ends[n++] = p - clean;
	ends[n] = strlen(clean);
	hi = n;
	while (lo < hi) {
		size_t mid = (lo + hi + 1) / 2;

		if (ends[mid] + sizeof(ELLIPSIS) > buf_size) {
			hi = mid - 1;
			continue;
		}
		memcpy(buf, clean, ends[mid]);
		strcpy(buf + ends[mid], ELLIPSIS);
		if (width_n(r, f, buf, strlen(buf)) <= width)
			lo = mid;
		else
			hi = mid - 1;
	}
	if (lo < MIN_CHARS) {
		*buf = '\0';
		return 0;
	}
	memcpy(buf, clean, ends[lo]);
	while (lo > MIN_CHARS && buf[ends[lo] - 1] == ' ')
		lo--;
	strcpy(buf + ends[lo], ELLIPSIS);
	return width_n(r, f, buf, strlen(buf));
}

/* ---- SVG ---- */

static void num(FILE *out, double v)
{
	char buf[32];
	size_t n;

	v = round(v * 100) / 100;
	if (v == 0)
		v = 0;		/* no minus zero */
	n = snprintf(buf, sizeof(buf), "%.2f", v);
	while (buf[n - 1] == '0')
		n--;
	if (buf[n - 1] == '.')
		n--;
	buf[n] = '\0';
	fputs(buf, out);
}

static void attr_num(FILE *out, const char *name, double v)
{
	fprintf(out, " %s=\"", name);
	num(out, v);
	putc('"', out);
}

static void escape(FILE *out, const char *text)
{
	char clean[MAX_TEXT * 4];

	printable(clean, sizeof(clean), text);
	for (const char *p = clean; *p; p++)
		switch (*p) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default: putc(*p, out);
		}
}

/* Tool tips may have several lines. */
static void svg_title(FILE *out, const char *title)
{
	char line[MAX_TEXT];

	fputs("<title>", out);
	while (*title) {
		size_t n = strcspn(title, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, title);
		escape(out, line);
		title += n;
		if (*title) {
			putc('\n', out);
			title++;
		}
	}
	fputs("</title>", out);
}

static void attr_text(FILE *out, const char *name, const char *value)
{
	if (!value)
		return;
	fprintf(out, " %s=\"", name);
	escape(out, value);
	putc('"', out);
}

static void svg_colour(FILE *out, const char *property, uint32_t c)
{
	if (!c) {
		fprintf(out, "%s:none;", property);
		return;
	}
	fprintf(out, "%s:#%06x;", property, c >> 8);
	if ((c & 0xff) != 0xff)
		fprintf(out, "%s-opacity:%.2g;", property, (c & 0xff) / 255.0);
}

static void svg_patterns(struct xlv_surface *s)
{
	static const char *const lines[XLV_HATCH_COUNT] = {
		[XLV_HATCH_UP] = "M-1 1L1-1M0 5L5 0M4 6L6 4",
		[XLV_HATCH_DOWN] = "M-1 4L1 6M0 0L5 5M4-1L6 1",
		[XLV_HATCH_CROSS] = "M0 0L5 5M0 5L5 0",
		[XLV_HATCH_BARS] = "M2.5 0V5",
		[XLV_HATCH_LINES] = "M0 2.5H5",
	};

	for (int i = 0; i < s->page.nr_paints; i++) {
		const struct xlv_paint *p = &s->page.paints[i];

		if (!p->hatch)
			continue;
		fprintf(s->out, "<pattern id=\"h-%s\" width=\"5\" height=\"5\" "
			"patternUnits=\"userSpaceOnUse\"><path d=\"M0 0H5V5H0z\" style=\"",
			p->name);
		svg_colour(s->out, "fill", p->fill);
		fprintf(s->out, "\"/><path d=\"%s\" style=\"fill:none;", lines[p->hatch]);
		svg_colour(s->out, "stroke", p->hatch_colour);
		fputs("\"/></pattern>\n", s->out);
	}
}

static void svg_head(struct xlv_surface *s)
{
	const struct xlv_page *page = &s->page;
	FILE *out = s->out;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\"", out);
	attr_num(out, "width", page->width);
	attr_num(out, "height", page->height);
	fputs(" viewBox=\"0 0 ", out);
	num(out, page->width);
	putc(' ', out);
	num(out, page->height);
	fputs("\">\n", out);
	svg_title(out, page->title);
	fputs("\n<style>\ntext{font-family:'DejaVu Sans',Verdana,'Bitstream Vera Sans',Geneva,"
	      "sans-serif}\n", out);
	for (int i = 0; i < page->nr_paints; i++) {
		const struct xlv_paint *p = &page->paints[i];

		fprintf(out, ".%s{", p->name);
		if (p->hatch)
			fprintf(out, "fill:url(#h-%s);", p->name);
		else
			svg_colour(out, "fill", p->fill);
		if (p->stroke) {
			svg_colour(out, "stroke", p->stroke);
			fputs("stroke-width:", out);
			num(out, p->width);
			if (p->dash) {
				fputs(";stroke-dasharray:", out);
				num(out, p->dash);
			}
			putc(';', out);
		}
		if (p->size) {
			fputs("font-size:", out);
			num(out, p->size);
			fprintf(out, "px;%s", p->bold ? "font-weight:bold;" : "");
		}
		fputs("}\n", out);
	}
	fputs("</style>\n<defs>\n", out);
	svg_patterns(s);
	fputs("</defs>\n", out);
}

/* Ends an element that may have a tool tip. */
static void svg_close(struct xlv_surface *s, const char *element, const char *title)
{
	if (title) {
		putc('>', s->out);
		svg_title(s->out, title);
		fprintf(s->out, "</%s>\n", element);
	} else {
		fputs("/>\n", s->out);
	}
}

static void svg_point(FILE *out, double x, double y)
{
	num(out, x);
	putc(' ', out);
	num(out, y);
}

static void svg_path(struct xlv_surface *s, int paint, const char *title)
{
	FILE *out = s->out;

	fprintf(out, "<path class=\"%s\" d=\"", s->page.paints[paint].name);
	for (size_t i = 0; i < s->nr_steps; i++) {
		const struct step *t = &s->steps[i];

		switch (t->op) {
		case OP_MOVE:
		case OP_LINE:
			putc(t->op == OP_MOVE ? 'M' : 'L', out);
			svg_point(out, t->v[0], t->v[1]);
			break;
		case OP_CURVE:
			putc('C', out);
			svg_point(out, t->v[0], t->v[1]);
			putc(' ', out);
			svg_point(out, t->v[2], t->v[3]);
			putc(' ', out);
			svg_point(out, t->v[4], t->v[5]);
			break;
		case OP_CLOSE:
			putc('z', out);
			break;
		case OP_BOX:
			putc('M', out);
			svg_point(out, t->v[0], t->v[1]);
			putc('h', out);
			num(out, t->v[2]);
			putc('v', out);
			num(out, t->v[3]);
			putc('h', out);
			num(out, -t->v[2]);
			putc('z', out);
			break;
		}
	}
	putc('"', out);
	svg_close(s, "path", title);
}

/* ---- cairo ---- */

static void set_colour(cairo_t *cr, uint32_t c)
{
	cairo_set_source_rgba(cr, (c >> 24) / 255.0, (c >> 16 & 0xff) / 255.0,
			      (c >> 8 & 0xff) / 255.0, (c & 0xff) / 255.0);
}

/* Hatches the current path. The lines of neighbouring shapes are aligned. */
static void cairo_hatch(cairo_t *cr, const struct xlv_paint *p)
{
	double x1, y1, x2, y2, k;

	cairo_save(cr);
	cairo_clip_preserve(cr);
	cairo_path_extents(cr, &x1, &y1, &x2, &y2);
	cairo_new_path(cr);
	if (p->hatch == XLV_HATCH_UP || p->hatch == XLV_HATCH_CROSS)
		for (k = floor((x1 + y1) / HATCH_STEP) * HATCH_STEP; k < x2 + y2; k += HATCH_STEP) {
			cairo_move_to(cr, k - y1, y1);
			cairo_line_to(cr, k - y2, y2);
		}
	if (p->hatch == XLV_HATCH_DOWN || p->hatch == XLV_HATCH_CROSS)
		for (k = floor((x1 - y2) / HATCH_STEP) * HATCH_STEP; k < x2 - y1; k += HATCH_STEP) {
			cairo_move_to(cr, k + y1, y1);
			cairo_line_to(cr, k + y2, y2);
		}
	if (p->hatch == XLV_HATCH_BARS)
		for (k = floor(x1 / HATCH_STEP) * HATCH_STEP + 2.5; k < x2; k += HATCH_STEP) {
			cairo_move_to(cr, k, y1);
			cairo_line_to(cr, k, y2);
		}
	if (p->hatch == XLV_HATCH_LINES)
		for (k = floor(y1 / HATCH_STEP) * HATCH_STEP + 2.5; k < y2; k += HATCH_STEP) {
			cairo_move_to(cr, x1, k);
			cairo_line_to(cr, x2, k);
		}
	set_colour(cr, p->hatch_colour);
	cairo_set_line_width(cr, 1);
	cairo_set_dash(cr, NULL, 0, 0);
	cairo_stroke(cr);
	cairo_restore(cr);
}

/* Fills, hatches and strokes the current path as its paint says. */
static void cairo_paint_path(struct xlv_surface *s, int paint)
{
	const struct xlv_paint *p = &s->page.paints[paint];
	cairo_path_t *path = NULL;
	cairo_t *cr = s->cr;

	if (p->fill) {
		set_colour(cr, p->fill);
		cairo_fill_preserve(cr);
	}
	if (p->hatch) {
		path = cairo_copy_path(cr);
		cairo_hatch(cr, p);
		cairo_new_path(cr);
		cairo_append_path(cr, path);
		cairo_path_destroy(path);
	}
	if (p->stroke) {
		set_colour(cr, p->stroke);
		cairo_set_line_width(cr, p->width);
		cairo_set_dash(cr, &p->dash, p->dash ? 1 : 0, 0);
		cairo_stroke_preserve(cr);
	}
	cairo_new_path(cr);
}

static void cairo_text(struct xlv_surface *s, int paint, double x, double y, const char *text)
{
	const struct xlv_paint *p = &s->page.paints[paint];
	struct font *f = ruler_font(s->ruler, p->size, p->bold);
	PangoLayout *l = s->ruler->layout;

	pango_layout_set_font_description(l, f->desc);
	pango_layout_set_text(l, text, -1);
	set_colour(s->cr, p->fill);
	cairo_move_to(s->cr, x, y - (double)pango_layout_get_baseline(l) / PANGO_SCALE);
	pango_cairo_show_layout(s->cr, l);
	cairo_new_path(s->cr);
}

static cairo_status_t cairo_out(void *arg, const unsigned char *data, unsigned int len)
{
	return fwrite(data, 1, len, arg) == len ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void cairo_open(struct xlv_surface *s)
{
	const struct xlv_page *p = &s->page;

	if (s->format == XLV_PNG) {
		s->cairo_surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
							      (int)ceil(p->width * p->scale),
							      (int)ceil(p->height * p->scale));
	} else {
		/* A pixel is 1/96 inch, a point 1/72. */
		s->cairo_surface = cairo_pdf_surface_create_for_stream(cairo_out, s->out,
				p->width * 0.75, p->height * 0.75);
		cairo_pdf_surface_set_metadata(s->cairo_surface, CAIRO_PDF_METADATA_TITLE,
					       p->title);
		cairo_pdf_surface_set_metadata(s->cairo_surface, CAIRO_PDF_METADATA_CREATE_DATE,
					       "1970-01-01T00:00:00Z");
	}
	s->cr = cairo_create(s->cairo_surface);
	cairo_scale(s->cr, s->format == XLV_PNG ? p->scale : 0.75,
		    s->format == XLV_PNG ? p->scale : 0.75);
}

/* ---- the interface ---- */

struct xlv_surface *xlv_surface_new(FILE *out, enum xlv_picture format,
				    const struct xlv_page *page, struct xlv_error *err)
{
	struct xlv_surface *s = calloc(1, sizeof(*s));

	if (s)
		s->ruler = xlv_ruler_new();
	if (!s || !s->ruler) {
		free(s);
		xlv_fail(err, "not enough memory for a picture");
		return NULL;
	}
	s->out = out;
	s->format = format;
	s->page = *page;
	if (s->page.scale <= 0)
		s->page.scale = 1;
	if (format == XLV_SVG)
		svg_head(s);
	else if (format != XLV_DRY)
		cairo_open(s);
	xlv_rect(s, page->background, 0, 0, page->width, page->height, NULL);
	return s;
}

int xlv_surface_finish(struct xlv_surface *s, struct xlv_error *err)
{
	cairo_status_t status = CAIRO_STATUS_SUCCESS;
	int ret = 0;

	if (s->format == XLV_SVG) {
		fputs("</svg>\n", s->out);
	} else if (s->format != XLV_DRY) {
		status = cairo_status(s->cr);
		cairo_destroy(s->cr);
		if (status == CAIRO_STATUS_SUCCESS && s->format == XLV_PNG)
			status = cairo_surface_write_to_png_stream(s->cairo_surface, cairo_out,
								   s->out);
		cairo_surface_finish(s->cairo_surface);
		if (status == CAIRO_STATUS_SUCCESS)
			status = cairo_surface_status(s->cairo_surface);
		cairo_surface_destroy(s->cairo_surface);
	}
	if (s->failed)
		ret = xlv_fail(err, "not enough memory for a picture");
	else if (status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_WRITE_ERROR)
		ret = xlv_fail(err, "unable to draw the picture: %s",
			       cairo_status_to_string(status));
	else if (s->format == XLV_DRY)
		ret = 0;
	else if (fflush(s->out) || ferror(s->out) || status != CAIRO_STATUS_SUCCESS)
		ret = xlv_fail(err, "unable to write the picture: %s", strerror(errno));
	xlv_ruler_free(s->ruler);
	free(s->steps);
	free(s);
	return ret;
}

int xlv_picture_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcasecmp(dot, ".svg"))
		return XLV_SVG;
	if (dot && !strcasecmp(dot, ".png"))
		return XLV_PNG;
	if (dot && !strcasecmp(dot, ".pdf"))
		return XLV_PDF;
	return -1;
}

void xlv_group_begin(struct xlv_surface *s, const struct xlv_group *group)
{
	if (s->format != XLV_SVG)
		return;
	fputs("<g", s->out);
	attr_text(s->out, "id", group->id);
	attr_text(s->out, "class", group->class);
	if (group->data)
		fprintf(s->out, " %s", group->data);
	putc('>', s->out);
	if (group->title)
		svg_title(s->out, group->title);
	putc('\n', s->out);
}

void xlv_group_end(struct xlv_surface *s)
{
	if (s->format == XLV_SVG)
		fputs("</g>\n", s->out);
}

void xlv_clip_begin(struct xlv_surface *s, double x, double y, double w, double h)
{
	if (s->format == XLV_DRY)
		return;
	if (s->format != XLV_SVG) {
		cairo_save(s->cr);
		cairo_rectangle(s->cr, x, y, w, h);
		cairo_clip(s->cr);
		return;
	}
	fprintf(s->out, "<clipPath id=\"c%d\"><rect", s->nr_clips);
	attr_num(s->out, "x", x);
	attr_num(s->out, "y", y);
	attr_num(s->out, "width", w);
	attr_num(s->out, "height", h);
	fprintf(s->out, "/></clipPath>\n<g clip-path=\"url(#c%d)\">\n", s->nr_clips++);
}

void xlv_clip_end(struct xlv_surface *s)
{
	if (s->format == XLV_DRY)
		return;
	if (s->format != XLV_SVG)
		cairo_restore(s->cr);
	else
		fputs("</g>\n", s->out);
}

void xlv_rect(struct xlv_surface *s, int paint, double x, double y, double w, double h,
	      const char *title)
{
	if (s->format == XLV_DRY)
		return;
	if (s->format != XLV_SVG) {
		cairo_rectangle(s->cr, x, y, w, h);
		cairo_paint_path(s, paint);
		return;
	}
	fprintf(s->out, "<rect class=\"%s\"", s->page.paints[paint].name);
	attr_num(s->out, "x", x);
	attr_num(s->out, "y", y);
	attr_num(s->out, "width", w);
	attr_num(s->out, "height", h);
	svg_close(s, "rect", title);
}

void xlv_line(struct xlv_surface *s, int paint, double x1, double y1, double x2, double y2)
{
	xlv_path_move(s, x1, y1);
	xlv_path_line(s, x2, y2);
	xlv_path_draw(s, paint, NULL);
}

static struct step *add_step(struct xlv_surface *s, enum op op)
{
	if (s->nr_steps == s->steps_size) {
		size_t size = s->steps_size ? s->steps_size * 2 : 64;
		struct step *more = realloc(s->steps, size * sizeof(*more));

		if (!more) {
			s->failed = true;
			s->nr_steps = 0;
			return s->steps;
		}
		s->steps = more;
		s->steps_size = size;
	}
	s->steps[s->nr_steps].op = op;
	return &s->steps[s->nr_steps++];
}

void xlv_path_move(struct xlv_surface *s, double x, double y)
{
	struct step *t = add_step(s, OP_MOVE);

	t->v[0] = x;
	t->v[1] = y;
}

void xlv_path_line(struct xlv_surface *s, double x, double y)
{
	struct step *t = add_step(s, OP_LINE);

	t->v[0] = x;
	t->v[1] = y;
}

void xlv_path_curve(struct xlv_surface *s, double x1, double y1, double x2, double y2,
		    double x, double y)
{
	struct step *t = add_step(s, OP_CURVE);

	memcpy(t->v, (double[]){ x1, y1, x2, y2, x, y }, sizeof(t->v));
}

void xlv_path_close(struct xlv_surface *s)
{
	add_step(s, OP_CLOSE);
}

void xlv_path_box(struct xlv_surface *s, double x, double y, double w, double h)
{
	struct step *t = add_step(s, OP_BOX);

	memcpy(t->v, (double[]){ x, y, w, h, 0, 0 }, sizeof(t->v));
}

void xlv_path_draw(struct xlv_surface *s, int paint, const char *title)
{
	if (s->format == XLV_DRY)
		s->nr_steps = 0;
	if (!s->nr_steps)
		return;
	if (s->format == XLV_SVG) {
		svg_path(s, paint, title);
		s->nr_steps = 0;
		return;
	}
	for (size_t i = 0; i < s->nr_steps; i++) {
		const double *v = s->steps[i].v;

		switch (s->steps[i].op) {
		case OP_MOVE: cairo_move_to(s->cr, v[0], v[1]); break;
		case OP_LINE: cairo_line_to(s->cr, v[0], v[1]); break;
		case OP_CURVE: cairo_curve_to(s->cr, v[0], v[1], v[2], v[3], v[4], v[5]); break;
		case OP_CLOSE: cairo_close_path(s->cr); break;
		case OP_BOX: cairo_rectangle(s->cr, v[0], v[1], v[2], v[3]); break;
		}
	}
	s->nr_steps = 0;
	cairo_paint_path(s, paint);
}

static void draw_text(struct xlv_surface *s, int paint, enum xlv_anchor anchor, double x,
		      double y, const char *clean)
{
	const struct xlv_paint *p = &s->page.paints[paint];
	double w;

	if (s->format == XLV_DRY)
		return;
	if (s->format == XLV_SVG) {
		fprintf(s->out, "<text class=\"%s\"", p->name);
		attr_num(s->out, "x", x);
		attr_num(s->out, "y", y);
		if (anchor != XLV_LEFT)
			fprintf(s->out, " text-anchor=\"%s\"",
				anchor == XLV_MIDDLE ? "middle" : "end");
		putc('>', s->out);
		escape(s->out, clean);
		fputs("</text>\n", s->out);
		return;
	}
	if (anchor != XLV_LEFT) {
		w = pango_width(s->ruler, ruler_font(s->ruler, p->size, p->bold), clean, -1);
		x -= anchor == XLV_MIDDLE ? w / 2 : w;
	}
	cairo_text(s, paint, x, y, clean);
}

void xlv_text(struct xlv_surface *s, int paint, enum xlv_anchor anchor, double x, double y,
	      const char *text)
{
	char clean[MAX_TEXT];

	draw_text(s, paint, anchor, x, y, printable(clean, sizeof(clean), text));
}

bool xlv_text_fit(struct xlv_surface *s, int paint, enum xlv_anchor anchor, double x, double y,
		  double width, const char *text)
{
	const struct xlv_paint *p = &s->page.paints[paint];
	char clean[MAX_TEXT];

	if (xlv_ruler_shorten(s->ruler, p->size, p->bold, width, text, clean, sizeof(clean)) <= 0)
		return false;
	draw_text(s, paint, anchor, x, y, clean);
	return true;
}

double xlv_text_width(struct xlv_surface *s, int paint, const char *text)
{
	const struct xlv_paint *p = &s->page.paints[paint];

	return xlv_ruler_width(s->ruler, p->size, p->bold, text);
}
