/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What pictures are drawn on: one interface, three formats.
 *
 *	s = xlv_surface_new(out, XLV_SVG, &page, &err);
 *	xlv_group_begin(s, &(struct xlv_group){ .id = "cpu-0", .title = "CPU 0" });
 *	xlv_rect(s, PAINT_BAR, x, y, w, h, "tool tip");
 *	xlv_text_fit(s, PAINT_LABEL, XLV_LEFT, x, y, w, "label");
 *	xlv_group_end(s);
 *	ret = xlv_surface_finish(s, &err);	(writes, and frees the surface)
 *
 * PNG and PDF are cairo's. SVG is written here, because ids, classes, tool tips
 * and text that stays text are what an SVG is for. Whatever is drawn has a paint:
 * an index in the page's table, which is an SVG's style sheet too, so that an
 * element needs no more than its class.
 *
 * Text is measured by pango for all formats, so layouts agree. Strings may be
 * anything: what isn't printable UTF-8 is replaced, and markup is escaped after
 * shortening, never before. The same calls give the same bytes.
 */
#ifndef XLV_OUTPUT_SURFACE_H
#define XLV_OUTPUT_SURFACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/error.h"

enum xlv_picture {
	XLV_SVG, XLV_PNG, XLV_PDF,
	XLV_DRY,	/* draws nothing: only measures */
};

enum xlv_hatch {
	XLV_HATCH_NONE,
	XLV_HATCH_UP,		/* //// */
	XLV_HATCH_DOWN,		/* \\\\ */
	XLV_HATCH_CROSS,
	XLV_HATCH_BARS,		/* |||| */
	XLV_HATCH_LINES,	/* ==== */
	XLV_HATCH_COUNT
};

/* Colours are 0xRRGGBBAA; 0 draws nothing. */
struct xlv_paint {
	const char	*name;		/* the class in an SVG */
	uint32_t	fill, stroke;
	double		width;		/* of the stroke */
	double		dash;		/* length of dashes and gaps; 0: solid */
	enum xlv_hatch	hatch;		/* over the fill */
	uint32_t	hatch_colour;
	double		size;		/* text: pixels; 0: not for text */
	bool		bold;
};

struct xlv_page {
	double			width, height;		/* pixels */
	double			scale;			/* of a PNG; 0: 1 */
	const char		*title;
	const struct xlv_paint	*paints;
	int			nr_paints;
	int			background;		/* paint */
};

struct xlv_group {
	const char	*id, *class, *title;	/* NULL: none */
	const char	*data;		/* attributes as text, of numbers only: data-ns="5" */
};

enum xlv_anchor { XLV_LEFT, XLV_MIDDLE, XLV_RIGHT };

struct xlv_surface;

/**
 * xlv_surface_new - start a picture
 * @out:	where it is written; belongs to the caller
 * @format:	of the file
 * @page:	its strings and paints must outlive the surface
 */
struct xlv_surface *xlv_surface_new(FILE *out, enum xlv_picture format,
				    const struct xlv_page *page, struct xlv_error *err);

/** xlv_surface_finish - write what is left, free the surface; -1: couldn't draw or write it */
int xlv_surface_finish(struct xlv_surface *s, struct xlv_error *err);

/** xlv_picture_of - the format that a file's name ends in; -1: none of them */
int xlv_picture_of(const char *path);

void xlv_group_begin(struct xlv_surface *s, const struct xlv_group *group);
void xlv_group_end(struct xlv_surface *s);

/* What follows is seen within this only, until xlv_clip_end(). */
void xlv_clip_begin(struct xlv_surface *s, double x, double y, double w, double h);
void xlv_clip_end(struct xlv_surface *s);

void xlv_rect(struct xlv_surface *s, int paint, double x, double y, double w, double h,
	      const char *title);
void xlv_line(struct xlv_surface *s, int paint, double x1, double y1, double x2, double y2);

/* A path is begun by its first point or box and drawn by xlv_path_draw(). */
void xlv_path_move(struct xlv_surface *s, double x, double y);
void xlv_path_line(struct xlv_surface *s, double x, double y);
void xlv_path_curve(struct xlv_surface *s, double x1, double y1, double x2, double y2,
		    double x, double y);
void xlv_path_close(struct xlv_surface *s);
void xlv_path_box(struct xlv_surface *s, double x, double y, double w, double h);
void xlv_path_draw(struct xlv_surface *s, int paint, const char *title);

/** xlv_text - one line; @y is its baseline */
void xlv_text(struct xlv_surface *s, int paint, enum xlv_anchor anchor, double x, double y,
	      const char *text);

/**
 * xlv_text_fit - a line that keeps within a width
 *
 * Shortened with an ellipsis where it is too long. Where fewer than four
 * characters would stay, nothing is drawn and false returned.
 */
bool xlv_text_fit(struct xlv_surface *s, int paint, enum xlv_anchor anchor, double x, double y,
		  double width, const char *text);

/** xlv_text_width - how wide a line is, with a margin for other fonts in an SVG */
double xlv_text_width(struct xlv_surface *s, int paint, const char *text);

/*
 * Measuring before there is a page: layouts must know heights and widths first.
 */
struct xlv_ruler;
struct xlv_ruler *xlv_ruler_new(void);
void xlv_ruler_free(struct xlv_ruler *r);
double xlv_ruler_width(struct xlv_ruler *r, double size, bool bold, const char *text);

/**
 * xlv_ruler_shorten - make a text fit
 * @buf:	gets the text, made printable, with an ellipsis where it was cut
 *
 * Returns the width, or 0 where fewer than four characters would stay; @buf is
 * then empty.
 */
double xlv_ruler_shorten(struct xlv_ruler *r, double size, bool bold, double width,
			 const char *text, char *buf, size_t buf_size);

#endif
