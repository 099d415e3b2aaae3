// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The picture of a comparison: the median sync of each recording as a band of its
 * stages, all on one time scale, with ribbons from each stage to the same stage of
 * the next recording; below, for each OTHER, the waterfall from BASE's sync to
 * OTHER's, stage by stage, of the typical sync and of the mean.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/compare.h"
#include "output/palette.h"
#include "output/scale.h"
#include "output/surface.h"

#define WIDTH		1200.0
#define MARGIN		24.0
#define NAME_W		190.0		/* beside a band */
#define HEADING_H	22.0
#define BAND_H		34.0
#define RIBBON_H	26.0
#define AXIS_H		30.0
#define ROW_H		21.0		/* of a waterfall's row */
#define LABEL_W		130.0
#define VALUE_W		84.0

/* The sync that stands for a recording. */
struct median {
	int64_t			span_ns, start_ns;
	int32_t			id;
	struct xlv_segment	*seg;
	int32_t			nr;
};

struct picture {
	struct xlv_surface		*s;
	const struct xlv_compared	*all;
	struct median			*median;	/* a side each; .seg NULL: none */
	bool				used[XLV_STAGE_COUNT];
	bool				no_memory;
};

/* --- choosing median syncs --- */

static int by_span(const void *va, const void *vb)
{
	const struct xlv_row *const *a = va, *const *b = vb;

	if ((*a)->value[XLV_I_SPAN] != (*b)->value[XLV_I_SPAN])
		return (*a)->value[XLV_I_SPAN] < (*b)->value[XLV_I_SPAN] ? -1 : 1;
	return (*a)->start_ns < (*b)->start_ns ? -1 : (*a)->start_ns > (*b)->start_ns;
}

static int take_segments(const struct xlv_case *c, void *arg)
{
	struct median *m = arg;

	if (c->sync->start_ns != m->start_ns || c->sync->span_ns != m->span_ns)
		return 0;
	m->id = c->sync->id;
	m->nr = c->detail->nr_segments;
	m->seg = calloc((size_t)m->nr + 1, sizeof(*m->seg));
	if (!m->seg)
		return 2;
	memcpy(m->seg, c->detail->segments, (size_t)m->nr * sizeof(*m->seg));
	return 1;
}

static int find_median(struct median *m, const struct xlv_side *side, struct xlv_error *err)
{
	const struct xlv_row **row;
	int ret = 0;

	if (!side->nr_rows)
		return 0;
	row = malloc(side->nr_rows * sizeof(*row));
	if (!row)
		return xlv_fail(err, "out of memory");
	for (size_t i = 0; i < side->nr_rows; i++)
		row[i] = &side->row[i];
	qsort(row, side->nr_rows, sizeof(*row), by_span);
	m->span_ns = row[(side->nr_rows - 1) / 2]->value[XLV_I_SPAN];
	m->start_ns = row[(side->nr_rows - 1) / 2]->start_ns;
	free(row);
	for (int i = 0; i < side->nr_inputs && !ret; i++)
		if (side->input[i]->has_syncs)
			ret = xlv_input_each(side->input[i], take_segments, m, err);
	return ret < 0 ? -1 : ret == 2 ? xlv_fail(err, "out of memory") : 0;
}

/* --- words --- */

static void time_text(char *buf, size_t size, int64_t ns, bool sign)
{
	int64_t a = ns < 0 ? -ns : ns;
	const char *s = ns < 0 ? "-" : sign ? "+" : "";

	if (a < 1000)
		snprintf(buf, size, "%s%" PRId64 " ns", s, a);
	else if (a < 1000000)
		snprintf(buf, size, "%s%.*f us", s, a < 100000 ? 1 : 0, (double)a / 1e3);
	else if (a < 1000000000)
		snprintf(buf, size, "%s%.*f ms", s, a < 100000000 ? 2 : 0, (double)a / 1e6);
	else
		snprintf(buf, size, "%s%.2f s", s, (double)a / 1e9);
}

static void tip(char *buf, size_t size, const char *what, int64_t ns, const char *comm, int32_t cpu)
{
	char t[32], where[80] = "";

	time_text(t, sizeof(t), ns, false);
	if (comm && *comm)
		snprintf(where, sizeof(where), "\n%.40s", comm);
	if (cpu >= 0)
		snprintf(where + strlen(where), sizeof(where) - strlen(where), " on CPU %d", cpu);
	snprintf(buf, size, "%s: %s (%" PRId64 " ns)%s", what, t, ns, where);
}

/* --- bands --- */

static void draw_axis(struct picture *p, const struct xlv_scale *scale, double top, double bottom)
{
	int64_t step = xlv_tick_step(scale->to_ns - scale->from_ns, 10);
	char label[32];

	for (int64_t at = 0; step > 0 && at <= scale->to_ns; at += step) {
		double x = xlv_scale_x(scale, at);

		xlv_line(p->s, P_GRID, x, top, x, bottom);
		xlv_tick_label(label, sizeof(label), at, step);
		xlv_text(p->s, P_MUTED, XLV_MIDDLE, x, bottom + 16, label);
	}
}

static void draw_segment(struct picture *p, const struct xlv_scale *scale, double y,
			 const struct median *m, const struct xlv_segment *g)
{
	double x1 = xlv_scale_x(scale, g->start_ns - m->start_ns);
	double x2 = xlv_scale_x(scale, g->start_ns - m->start_ns + g->ns);
	char title[256], data[96];
	struct xlv_group group = { .class = "stage", .data = data };

	snprintf(data, sizeof(data), "data-ns=\"%" PRId64 "\" data-start-ns=\"%" PRId64 "\"", g->ns,
		 g->start_ns);
	tip(title, sizeof(title), xlv_stage_name(g->stage), g->ns, g->comm, g->cpu);
	xlv_group_begin(p->s, &group);
	xlv_rect(p->s, P_STAGE + g->stage, x1, y, x2 - x1, BAND_H, title);
	xlv_text_fit(p->s, xlv_palette_on(xlv_palette(XLV_THEME_LIGHT), P_STAGE + g->stage, false),
		     XLV_MIDDLE, (x1 + x2) / 2, y + BAND_H / 2 + 4, x2 - x1 - 6,
		     xlv_stage_name(g->stage));
	xlv_group_end(p->s);
	p->used[g->stage] = true;
}

/* The @nth segment of a stage, or NULL. */
static const struct xlv_segment *nth(const struct median *m, unsigned int stage, int n)
{
	for (int i = 0; i < m->nr; i++)
		if (m->seg[i].stage == stage && m->seg[i].ns > 0 && !n--)
			return &m->seg[i];
	return NULL;
}

static void draw_ribbons(struct picture *p, const struct xlv_scale *scale, double y,
			 const struct median *a, const struct median *b)
{
	int seen[XLV_STAGE_COUNT] = { 0 };

	for (int i = 0; i < a->nr; i++) {
		const struct xlv_segment *from = &a->seg[i], *to;
		double x[4];

		if (from->ns <= 0)
			continue;
		to = nth(b, from->stage, seen[from->stage]++);
		if (!to)
			continue;
		x[0] = xlv_scale_x(scale, from->start_ns - a->start_ns);
		x[1] = xlv_scale_x(scale, from->start_ns - a->start_ns + from->ns);
		x[2] = xlv_scale_x(scale, to->start_ns - b->start_ns + to->ns);
		x[3] = xlv_scale_x(scale, to->start_ns - b->start_ns);
		if (x[1] - x[0] < 3 && x[2] - x[3] < 3)
			continue;
		for (int edge = 0; edge < 2; edge++)
			xlv_line(p->s, P_GRID, x[edge], y, x[3 - edge], y + RIBBON_H);
	}
}

static double bands_height(const struct xlv_compared *all)
{
	return all->nr * BAND_H + (all->nr - 1) * RIBBON_H + AXIS_H;
}

static void draw_band(struct picture *p, const struct xlv_scale *scale, double y, int nr)
{
	const struct median *m = &p->median[nr];
	char text[64], t[32], id[32];
	struct xlv_group group = { .id = id, .class = "sync" };

	snprintf(id, sizeof(id), "median-%d", nr);
	xlv_group_begin(p->s, &group);
	time_text(t, sizeof(t), m->span_ns, false);
	if (m->seg)
		snprintf(text, sizeof(text), "%s, sync %d", t, m->id);
	else
		snprintf(text, sizeof(text), "merged: no single syncs");
	xlv_text_fit(p->s, P_HEADING, XLV_LEFT, MARGIN, y + 14, NAME_W - 12,
		     p->all->side[nr]->name);
	xlv_text_fit(p->s, P_MUTED, XLV_LEFT, MARGIN, y + 29, NAME_W - 12, text);
	for (int i = 0; i < m->nr; i++)
		if (m->seg[i].ns > 0)
			draw_segment(p, scale, y, m, &m->seg[i]);
	xlv_group_end(p->s);
}

static void draw_bands(struct picture *p, double top)
{
	struct xlv_scale scale = { .x = MARGIN + NAME_W, .width = WIDTH - 2 * MARGIN - NAME_W };
	double y = top;

	for (int i = 0; i < p->all->nr; i++)
		if (p->median[i].span_ns > scale.to_ns)
			scale.to_ns = p->median[i].span_ns;
	if (!scale.to_ns)
		scale.to_ns = 1;
	draw_axis(p, &scale, top, top + bands_height(p->all) - AXIS_H);
	for (int i = 0; i < p->all->nr; i++) {
		draw_band(p, &scale, y, i);
		y += BAND_H;
		if (i + 1 < p->all->nr)
			draw_ribbons(p, &scale, y, &p->median[i], &p->median[i + 1]);
		y += RIBBON_H;
	}
}

/* --- waterfalls --- */

static bool shown(const struct xlv_account *a, int stage)
{
	return a->row[stage].base_ns || a->row[stage].other_ns;
}

static int rows_of(const struct xlv_account *a)
{
	int n = 0;

	for (int s = 0; s < XLV_STAGE_COUNT; s++)
		n += shown(a, s);
	return n;
}

static double waterfall_height(const struct xlv_comparison *c)
{
	int rows = c->has_account ? rows_of(&c->account) : 0;

	if (c->has_typical && rows_of(&c->typical) > rows)
		rows = rows_of(&c->typical);
	return c->has_account ? HEADING_H + 24 + (rows + 2) * ROW_H + AXIS_H : 0;
}

static void draw_bar(struct picture *p, const struct xlv_scale *scale, double y, int paint,
		     const char *label, int64_t from_ns, int64_t to_ns, const char *value)
{
	double x1 = xlv_scale_x(scale, from_ns < to_ns ? from_ns : to_ns);
	double x2 = xlv_scale_x(scale, from_ns < to_ns ? to_ns : from_ns);
	double left = scale->x - LABEL_W, right = scale->x + scale->width + VALUE_W;
	char title[128], data[64];
	struct xlv_group group = { .class = "bar", .data = data };

	snprintf(data, sizeof(data), "data-ns=\"%" PRId64 "\"", to_ns - from_ns);
	snprintf(title, sizeof(title), "%.60s: %s (%" PRId64 " ns)", label, value, to_ns - from_ns);
	xlv_group_begin(p->s, &group);
	xlv_rect(p->s, paint, x1, y + 3, x2 - x1 > 1 ? x2 - x1 : 1, ROW_H - 6, title);
	if (paint == P_LANE)		/* a whole sync: its recording's name is long */
		xlv_text_fit(p->s, P_TEXT, XLV_LEFT, x1 + 6, y + 14, x2 - x1 - 12, label);
	else
		xlv_text_fit(p->s, P_TEXT, XLV_LEFT, left, y + 14, LABEL_W - 8, label);
	xlv_text(p->s, P_TEXT, XLV_RIGHT, right, y + 14, value);
	xlv_group_end(p->s);
}

/* From BASE's sync to OTHER's. */
static void draw_waterfall(struct picture *p, double left, double top, double width,
			   const struct xlv_comparison *c, const struct xlv_account *a,
			   const char *what)
{
	int64_t most = a->base_ns > a->other_ns ? a->base_ns : a->other_ns, at = a->base_ns, next;
	struct xlv_scale scale = { .x = left + LABEL_W, .width = width - LABEL_W - VALUE_W };
	double y = top + HEADING_H;
	char value[32];

	for (int s = 0; s < XLV_STAGE_COUNT; s++) {
		at += a->row[s].other_ns - a->row[s].base_ns;
		most = at > most ? at : most;
	}
	scale.to_ns = most > 0 ? most : 1;
	xlv_text_fit(p->s, P_HEADING, XLV_LEFT, left, top + 15, width, what);
	time_text(value, sizeof(value), a->base_ns, false);
	draw_bar(p, &scale, y, P_LANE, c->base->name, 0, a->base_ns, value);
	at = a->base_ns;
	for (int s = 0; s < XLV_STAGE_COUNT; s++) {
		if (!shown(a, s))
			continue;
		y += ROW_H;
		next = at + a->row[s].other_ns - a->row[s].base_ns;
		time_text(value, sizeof(value), next - at, true);
		draw_bar(p, &scale, y, P_STAGE + s, xlv_stage_name(s), at, next, value);
		p->used[s] = true;
		at = next;
	}
	y += ROW_H;
	time_text(value, sizeof(value), a->other_ns, false);
	draw_bar(p, &scale, y, P_LANE, c->other->name, 0, a->other_ns, value);
	xlv_line(p->s, P_GRID, scale.x, top + HEADING_H, scale.x, y + ROW_H);
}

static void draw_comparison(struct picture *p, const struct xlv_comparison *c, int nr, double top)
{
	double half = (WIDTH - 3 * MARGIN) / 2;
	char title[200], id[32];
	struct xlv_group group = { .id = id, .class = "waterfall" };

	if (!c->has_account)
		return;
	snprintf(id, sizeof(id), "waterfall-%d", nr);
	snprintf(title, sizeof(title), "From %.80s to %.80s", c->base->name, c->other->name);
	xlv_group_begin(p->s, &group);
	xlv_text_fit(p->s, P_TITLE, XLV_LEFT, MARGIN, top + 14, WIDTH - 2 * MARGIN, title);
	top += 24;
	if (c->has_typical)
		draw_waterfall(p, MARGIN, top, half, c, &c->typical,
			       "typical sync: the middle half by duration");
	draw_waterfall(p, c->has_typical ? 2 * MARGIN + half : MARGIN, top, half, c, &c->account,
		       "mean over all syncs");
	xlv_group_end(p->s);
}

static void draw_legend(struct picture *p, double top)
{
	double x = MARGIN, w;

	for (int s = 0; s < XLV_STAGE_COUNT; s++) {
		if (!p->used[s])
			continue;
		w = 16 + xlv_text_width(p->s, P_MUTED, xlv_stage_name(s)) + 14;
		if (x + w > WIDTH - MARGIN) {
			x = MARGIN;
			top += 18;
		}
		xlv_rect(p->s, P_STAGE + s, x, top, 11, 11, NULL);
		xlv_text(p->s, P_MUTED, XLV_LEFT, x + 16, top + 10, xlv_stage_name(s));
		x += w;
	}
}

static void draw(struct picture *p)
{
	double top = MARGIN;

	xlv_text(p->s, P_TITLE, XLV_LEFT, MARGIN, top + 14, "Median syncs, on one time scale");
	draw_bands(p, top + 28);
	top += 28 + bands_height(p->all) + 24;
	for (int i = 1; i < p->all->nr; i++) {
		draw_comparison(p, p->all->with[i - 1], i, top);
		top += waterfall_height(p->all->with[i - 1]);
	}
	draw_legend(p, top);
}

int xlv_compare_svg(FILE *out, const struct xlv_compared *all, struct xlv_error *err)
{
	const struct xlv_paint *paints = xlv_palette(XLV_THEME_LIGHT);
	struct xlv_page page = {
		.width = WIDTH, .height = 2 * MARGIN + 28 + bands_height(all) + 24 + 40,
		.title = "xlogviz compare", .paints = paints, .nr_paints = P_COUNT,
		.background = P_PAGE,
	};
	struct picture p = { .all = all };
	int ret = -1;

	for (int i = 1; i < all->nr; i++)
		page.height += waterfall_height(all->with[i - 1]);
	p.median = calloc((size_t)all->nr, sizeof(*p.median));
	if (!p.median)
		return xlv_fail(err, "out of memory");
	for (int i = 0; i < all->nr; i++)
		if (find_median(&p.median[i], all->side[i], err))
			goto out;
	p.s = xlv_surface_new(out, XLV_SVG, &page, err);
	if (!p.s)
		goto out;
	draw(&p);
	ret = xlv_surface_finish(p.s, err);
out:
	for (int i = 0; i < all->nr; i++)
		free(p.median[i].seg);
	free(p.median);
	return ret;
}
