// SPDX-License-Identifier: GPL-2.0-or-later
/* What all rows are drawn with. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/words.h"
#include "output/panel.h"

#define MAX_TIPS	900

void xlv_row_name(struct xlv_canvas *c, const struct xlv_row *r, const char *name, const char *more)
{
	double x = XLV_PAGE_MARGIN + XLV_GUTTER - 10, y = c->top + r->y + r->h / 2 + 4;
	double w = XLV_GUTTER - 16;

	if (r->h < 9)
		return;
	if (r->h < 14) {
		xlv_text_fit(c->s, P_SMALL, XLV_RIGHT, x, y - 0.5, w, name);
		return;
	}
	if (more && *more && r->h >= 20) {
		xlv_text_fit(c->s, P_HEADING, XLV_RIGHT, x, y - 5, w, name);
		xlv_text_fit(c->s, P_SMALL, XLV_RIGHT, x, y + 7, w, more);
	} else {
		xlv_text_fit(c->s, P_HEADING, XLV_RIGHT, x, y, w, name);
	}
}

void xlv_row_background(struct xlv_canvas *c, const struct xlv_row *r)
{
	xlv_rect(c->s, P_LANE, c->p->scale.x, c->top + r->y, c->p->scale.width, r->h, NULL);
}

void xlv_row_group(struct xlv_canvas *c, const char *class, const char *title, const char *data,
		   const char *fmt, ...) __attribute__((format(printf, 5, 6)));

void xlv_row_group(struct xlv_canvas *c, const char *class, const char *title, const char *data,
		   const char *fmt, ...)
{
	char id[96];
	va_list ap;

	snprintf(id, sizeof(id), "%s", c->p->prefix);
	va_start(ap, fmt);
	vsnprintf(id + strlen(id), sizeof(id) - strlen(id), fmt, ap);
	va_end(ap);
	xlv_group_begin(c->s, &(struct xlv_group){ id, class, title, data });
}

void xlv_tip_when(const struct xlv_panel *p, char *title, size_t size, int64_t start_ns)
{
	struct xlv_word w;
	int64_t rel = start_ns - p->scale.zero_ns;

	xlv_print(title, size, "\nat %s%s", rel < 0 ? "-" : "+",
		  xlv_word_ns(&w, rel < 0 ? -rel : rel));
}

void xlv_wake_words(char *buf, size_t size, const struct xlv_wake *w)
{
	char waker[64], wakee[64];
	struct xlv_word word;

	xlv_task_name(waker, sizeof(waker), w->waker_comm, w->waker_pid);
	xlv_task_name(wakee, sizeof(wakee), w->comm, w->pid);
	xlv_print(buf, size, "%s%s on CPU %d wakes %s, which runs on CPU %d after %s",
		  w->waker_context == XLV_FROM_TASK ? "" : "an interrupt over ", waker,
		  w->waker_cpu, wakee, w->to_cpu, xlv_word_ns(&word, w->running_ns - w->waking_ns));
	if (w->distance != XLV_DIST_UNKNOWN)
		xlv_print(buf, size, " (%s)", xlv_distance_name(w->distance));
}

/* Draws the narrow pieces so far, one path for each paint. */
void xlv_flush_pieces(struct xlv_canvas *c)
{
	for (int paint = 0; paint < P_COUNT; paint++) {
		for (int i = 0; i < c->nr_boxes; i++)
			if (c->boxes[i].paint == paint)
				xlv_path_box(c->s, c->boxes[i].x, c->boxes[i].y, c->boxes[i].w,
					     c->boxes[i].h);
		xlv_path_draw(c->s, paint, NULL);
	}
	c->nr_boxes = 0;
}

/* The longest form of a label that fits whole; else a shortened one where enough is left. */
static void fit_label(struct xlv_canvas *c, int on, double x, double y, double width,
		      const char *label, const char *brief)
{
	if (xlv_text_width(c->s, on, label) <= width)
		xlv_text(c->s, on, XLV_MIDDLE, x, y, label);
	else if (brief && *brief && xlv_text_width(c->s, on, brief) <= width)
		xlv_text(c->s, on, XLV_MIDDLE, x, y, brief);
	else if (!brief)
		xlv_text_fit(c->s, on, XLV_MIDDLE, x, y, width, label);
}

/*
 * A lane's piece: a box, with a label where it fits. Narrow ones have no label and
 * no tool tip of their own, and are drawn together by xlv_flush_pieces().
 */
void xlv_draw_piece(struct xlv_canvas *c, const struct xlv_row *r, int paint, double x1, double x2,
		    const char *label, const char *brief, const char *title)
{
	double y = c->top + r->y, w = fmax(x2 - x1, 0.4);
	bool tiny = r->h < 16;

	xlv_legend_use(c->legend, paint);
	if (w < 2 || c->p->tips >= MAX_TIPS) {
		if (c->nr_boxes == XLV_MAX_NARROW)
			xlv_flush_pieces(c);
		c->boxes[c->nr_boxes++] = (struct xlv_narrow){ paint, x1, y, w, r->h };
		return;
	}
	c->p->tips += title != NULL;
	xlv_rect(c->s, paint, x1, y, w, r->h, title);
	if (label && *label && r->h >= 11)
		fit_label(c, xlv_palette_on(c->palette, paint, tiny), x1 + w / 2,
			  y + r->h / 2 + (tiny ? 3.2 : 4), w - 4, label, brief);
}

/*
 * Pieces under a pixel: a column for each kind of work, as high as its share. One
 * path for all of a lane's columns of a kind keeps the picture small.
 */
void xlv_draw_columns(struct xlv_canvas *c, const struct xlv_row *r, int first_paint, int count,
		      int skip, xlv_shares_fn shares, const void *pieces, int32_t n)
{
	for (int k = count - 1; k >= 0; k--) {
		bool any = false;

		if (k == skip)
			continue;
		for (int32_t i = 0; i < n; i++) {
			int64_t start, end, below = 0;
			const int64_t *ns = shares(pieces, i, &start, &end);
			double x1, x2, y1, y2;

			if (!ns || ns[k] <= 0)
				continue;
			for (int j = k + 1; j < count; j++)
				below += j == skip ? 0 : ns[j];
			x1 = at(c, start);
			x2 = at(c, end);
			y2 = c->top + r->y + r->h * (1 - (double)below / (end - start));
			y1 = y2 - r->h * ((double)ns[k] / (end - start));
			if (y2 - y1 < 0.1)
				continue;
			xlv_path_box(c->s, x1, y1, fmax(x2 - x1, 0.4), y2 - y1);
			any = true;
		}
		if (!any)
			continue;
		xlv_path_draw(c->s, first_paint + k, NULL);
		xlv_legend_use(c->legend, first_paint + k);
	}
}

/*
 * How many of a thing were in flight, by kind, as columns: what is drawn where bars
 * would be too many.
 */
bool xlv_density_init(struct xlv_density *d, const struct xlv_panel *p, int kinds)
{
	d->columns = p->scale.width / 2;
	d->kinds = kinds;
	d->sum = calloc((size_t)d->columns * kinds, sizeof(*d->sum));
	return d->sum;
}

void xlv_density_add(struct xlv_density *d, const struct xlv_panel *p, int kind, int64_t from_ns,
		     int64_t to_ns)
{
	double a = (xlv_scale_x(&p->scale, from_ns) - p->scale.x) / p->scale.width * d->columns;
	double b = (xlv_scale_x(&p->scale, to_ns) - p->scale.x) / p->scale.width * d->columns;

	for (int col = a; col < b && col < d->columns; col++)
		d->sum[col * d->kinds + kind] += fmin(b, col + 1) - fmax(a, col);
}

/* Draws and frees it. Returns the most that were in flight in a column. */
double xlv_density_draw(struct xlv_canvas *c, const struct xlv_row *r, struct xlv_density *d,
			const int *paints)
{
	double most = 0, width = c->p->scale.width / d->columns;

	for (int col = 0; col < d->columns; col++) {
		double all = 0;

		for (int k = 0; k < d->kinds; k++)
			all += d->sum[col * d->kinds + k];
		most = fmax(most, all);
	}
	for (int k = 0; k < d->kinds && most > 0; k++) {
		for (int col = 0; col < d->columns; col++) {
			double below = 0, v = d->sum[col * d->kinds + k] / most * r->h;

			for (int j = 0; j < k; j++)
				below += d->sum[col * d->kinds + j] / most * r->h;
			if (v < 0.1)
				continue;
			xlv_path_box(c->s, c->p->scale.x + col * width,
				     c->top + r->y + r->h - below - v, width, v);
			xlv_legend_use(c->legend, paints[k]);
		}
		xlv_path_draw(c->s, paints[k], NULL);
	}
	free(d->sum);
	return most;
}
