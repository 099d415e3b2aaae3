// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/words.h"
#include "output/charts.h"
#include "output/lanes.h"
#include "output/scale.h"

#define MAX_BARS	8
#define CURVE_POINTS	500
#define CELL		3.0	/* pixels: dots that share one are drawn once */
#define HEAD		34.0	/* title of a chart */
#define FOOT		36.0	/* its axis */

struct bar {
	char	placement[8];	/* "": all syncs */
	int64_t	count, with_T4;
	int64_t	stage_ns[XLV_STAGE_COUNT];
	int64_t	part_ns[XLV_PART_COUNT];
	int64_t	span_ns, T4_ns;
};

struct charts {
	const struct xlv_report	*rep;
	const struct xlv_paint	*palette;
	struct xlv_window	*win;		/* for its gaps; NULL */
	struct bar		bars[MAX_BARS];
	int			nr_bars;
	int64_t			*values[XLV_I_COUNT];	/* sorted */
	int64_t			nr_values[XLV_I_COUNT];
	double			width;		/* of one chart, with its labels */
	double			height;		/* of the upper row */
};

struct box {			/* where a chart's plot is */
	double	x, y, w, h;
};

/* ---- numbers ---- */

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int collect_values(struct charts *ch)
{
	const struct xlv_report *rep = ch->rep;

	for (int i = 0; i < XLV_I_COUNT; i++) {
		ch->values[i] = malloc((rep->nr_selected + 1) * sizeof(int64_t));
		if (!ch->values[i])
			return -1;
		for (int64_t k = 0; k < rep->nr_selected; k++) {
			int64_t v = xlv_sync_interval(rep->selected[k], i);

			if (!rep->selected[k]->reasons && v != XLV_NONE)
				ch->values[i][ch->nr_values[i]++] = v;
		}
		qsort(ch->values[i], ch->nr_values[i], sizeof(int64_t), by_value);
	}
	return 0;
}

static void add_to_bar(struct bar *b, const struct xlv_sync *s, const struct xlv_detail *d)
{
	b->count++;
	b->span_ns += s->span_ns;
	for (int32_t i = 0; i < d->nr_segments; i++)
		b->stage_ns[d->segments[i].stage] += d->segments[i].ns;
	if (s->T4_ns == XLV_NONE)
		return;
	b->with_T4++;
	b->T4_ns += s->T4_ns;
	for (int32_t i = 0; i < d->nr_wakes; i++)
		if (d->wakes[i].stage == XLV_STAGE_WAKE)
			for (int k = 0; k < XLV_PART_COUNT; k++)
				b->part_ns[k] += d->wakes[i].parts_ns[k];
}

/* The first bar is all syncs, then the most frequent placements. */
static int collect_bars(struct charts *ch)
{
	const struct xlv_report *rep = ch->rep;
	struct xlv_detail d = { 0 };

	ch->nr_bars = 1;
	for (int i = 0; i < rep->nr_placements && ch->nr_bars < MAX_BARS; i++)
		snprintf(ch->bars[ch->nr_bars++].placement, sizeof(ch->bars[0].placement), "%s",
			 rep->placements[i].placement);
	for (int64_t i = 0; i < rep->nr_selected; i++) {
		const struct xlv_sync *s = rep->selected[i];

		if (s->reasons || s->span_ns == XLV_NONE)
			continue;
		if (xlv_sync_detail(rep->run, s, &d)) {
			xlv_detail_free(&d);
			return -1;
		}
		add_to_bar(&ch->bars[0], s, &d);
		for (int k = 1; k < ch->nr_bars; k++)
			if (!strcmp(ch->bars[k].placement, s->placement))
				add_to_bar(&ch->bars[k], s, &d);
	}
	xlv_detail_free(&d);
	return 0;
}

/* ---- drawing ---- */

static void chart_title(struct xlv_surface *s, double x, double y, double w, const char *title,
			const char *more)
{
	double tw = xlv_text_width(s, P_HEADING, title);

	xlv_text(s, P_HEADING, XLV_LEFT, x, y + 12, title);
	xlv_text_fit(s, P_MUTED, XLV_LEFT, x + tw + 10, y + 12, w - tw - 10, more);
}

/* Decades with 2 and 5 between them. Returns where a value is. */
static double log_x(const struct box *b, double lo, double hi, double v)
{
	if (v < lo)
		v = lo;
	return b->x + b->w * (log(v) - log(lo)) / (log(hi) - log(lo));
}

static void log_axis(struct xlv_surface *s, const struct box *b, double lo, double hi,
		     bool vertical)
{
	static const int factors[] = { 1, 2, 5 };
	bool few = log10(hi / lo) < 2.5;
	char text[32];

	for (double p = 1; p <= hi; p *= 10)
		for (int i = 0; i < 3; i++) {
			double v = p * factors[i], at;
			bool label = !i || few;

			if (v < lo || v > hi)
				continue;
			xlv_tick_label(text, sizeof(text), v, v);
			if (vertical) {
				at = b->y + b->h - b->h * (log(v) - log(lo)) / (log(hi) - log(lo));
				xlv_line(s, P_GRID, b->x, at, b->x + b->w, at);
				if (label)
					xlv_text(s, P_MUTED, XLV_RIGHT, b->x - 6, at + 4, text);
				continue;
			}
			at = log_x(b, lo, hi, v);
			xlv_line(s, P_GRID, at, b->y, at, b->y + b->h);
			if (label)
				xlv_text(s, P_MUTED, XLV_MIDDLE, at, b->y + b->h + 15, text);
		}
}

/* The share of values at or below each: a stair with the steps of a pixel. */
static void draw_curve(struct xlv_surface *s, const struct box *b, double lo, double hi,
		       const int64_t *v, int64_t n, int paint)
{
	double last_x = log_x(b, lo, hi, v[0]), last_y = b->y + b->h;

	xlv_path_move(s, last_x, last_y);
	for (int64_t i = 0; i < n; i++) {
		double x = log_x(b, lo, hi, v[i]);

		if (i < n - 1 && log_x(b, lo, hi, v[i + 1]) - last_x < b->w / CURVE_POINTS)
			continue;
		xlv_path_line(s, x, last_y);
		last_y = b->y + b->h * (1 - (double)(i + 1) / n);
		xlv_path_line(s, x, last_y);
		last_x = x;
	}
	xlv_path_draw(s, paint, NULL);
}

static void draw_curves(struct xlv_surface *s, const struct charts *ch, double x, double y)
{
	struct box b = { x + 46, y + HEAD, ch->width - 46 - 10, ch->height - HEAD - FOOT - 40 };
	int64_t lo = INT64_MAX, hi = 1;
	double key_x = b.x;

	xlv_group_begin(s, &(struct xlv_group){ .id = "chart-intervals", .class = "chart" });
	chart_title(s, x, y, ch->width, "How long T1 to T4 took",
		    "share of syncs that were done in this time");
	for (int i = 0; i < XLV_I_COUNT; i++)
		if (ch->nr_values[i]) {
			int64_t first = ch->values[i][0];
			int64_t last = ch->values[i][ch->nr_values[i] - 1];

			lo = first < lo ? first : lo;
			hi = last > hi ? last : hi;
		}
	if (lo == INT64_MAX) {
		xlv_text(s, P_MUTED, XLV_LEFT, b.x, b.y + 20, "no complete sync");
		xlv_group_end(s);
		return;
	}
	lo = lo < 1 ? 1 : lo;
	hi = hi <= lo ? lo + 1 : hi;
	xlv_rect(s, P_LANE, b.x, b.y, b.w, b.h, NULL);
	log_axis(s, &b, lo * 0.9, hi * 1.1, false);
	for (int k = 0; k <= 4; k++) {
		char text[16];

		snprintf(text, sizeof(text), "%d %%", 25 * k);
		xlv_line(s, P_GRID, b.x, b.y + b.h * (1 - k / 4.0), b.x + b.w,
			 b.y + b.h * (1 - k / 4.0));
		xlv_text(s, P_MUTED, XLV_RIGHT, b.x - 6, b.y + b.h * (1 - k / 4.0) + 4, text);
	}
	for (int i = 0; i < XLV_I_COUNT; i++) {
		const int64_t *v = ch->values[i];
		int64_t n = ch->nr_values[i];
		char key[2][64], id[32];
		struct xlv_word w;
		double kw;

		if (!n)
			continue;
		snprintf(id, sizeof(id), "curve-%s", xlv_interval_name(i));
		xlv_group_begin(s, &(struct xlv_group){ .id = id, .class = "curve",
				.title = xlv_interval_name(i) });
		draw_curve(s, &b, lo * 0.9, hi * 1.1, v, n, P_CURVE + i);
		snprintf(key[0], sizeof(key[0]), "%s p50 %s", xlv_interval_name(i),
			 xlv_word_ns(&w, xlv_quantile(v, n, 0.5)));
		snprintf(key[1], sizeof(key[1]), "p99 %s",
			 xlv_word_ns(&w, xlv_quantile(v, n, 0.99)));
		kw = b.w / XLV_I_COUNT;
		xlv_line(s, P_CURVE + i, key_x, b.y + b.h + 38, key_x + 16, b.y + b.h + 38);
		xlv_text_fit(s, P_SMALL, XLV_LEFT, key_x + 20, b.y + b.h + 36, kw - 22, key[0]);
		xlv_text_fit(s, P_SMALL, XLV_LEFT, key_x + 20, b.y + b.h + 49, kw - 22, key[1]);
		key_x += kw;
		xlv_group_end(s);
	}
	xlv_group_end(s);
}

/* One bar of parts; the axis goes from 0 to @most, what is longer is cut there. */
static void draw_bar(struct xlv_surface *s, const struct charts *ch, struct xlv_legend *legend,
		     const struct box *b, double y, double h, const int64_t *ns, int parts,
		     int first_paint, int64_t count, double most, const char *(*name)(unsigned int))
{
	double x = b->x, end = b->x + b->w, sum = 0;
	struct xlv_word w;
	char title[128];

	for (int i = 0; i < parts; i++) {
		double mean = (double)ns[i] / count, wide = fmin(b->w * mean / most, end - x);
		int paint = first_paint + i, on = xlv_palette_on(ch->palette, paint, true);

		if (mean <= 0)
			continue;
		sum += mean;
		if (wide <= 0)
			continue;
		snprintf(title, sizeof(title), "%s: mean %s", name(i), xlv_word_ns(&w, mean));
		xlv_rect(s, paint, x, y, wide, h, title);
		xlv_legend_use(legend, paint);
		if (xlv_text_width(s, on, name(i)) <= wide - 4)
			xlv_text(s, on, XLV_MIDDLE, x + wide / 2, y + h / 2 + 3.2, name(i));
		x += wide;
	}
	if (sum > most * 1.001) {	/* torn off */
		xlv_path_move(s, end - 6, y - 1);
		xlv_path_line(s, end - 2, y + h / 2);
		xlv_path_line(s, end - 6, y + h + 1);
		xlv_path_line(s, end + 1, y + h + 1);
		xlv_path_line(s, end + 1, y - 1);
		xlv_path_close(s);
		xlv_path_draw(s, P_PAGE, NULL);
	}
	xlv_text(s, P_SMALL, XLV_LEFT, x + 5, y + h / 2 + 3.5, xlv_word_ns(&w, sum));
}

static double bar_height(const struct charts *ch)
{
	return ch->nr_bars <= 5 ? 26 : 20;
}

/* Stage means, or the parts of T4, of all syncs and by placement. */
static void draw_bars(struct xlv_surface *s, const struct charts *ch, struct xlv_legend *legend,
		      double x, double y, bool T4)
{
	struct box b = { x + 118, y + HEAD, ch->width - 118 - 70, 0 };
	double h = bar_height(ch), most = 1, bottom;
	int64_t step;

	xlv_group_begin(s, &(struct xlv_group){ .id = T4 ? "chart-T4" : "chart-stages",
			.class = "chart" });
	chart_title(s, x, y, ch->width, T4 ? "What T4 consisted of" : "Where the time went",
		    T4 ? "mean of syncs that slept on force: waking to running, by cause" :
		    "mean sync by CPU placement (task, CIL, submitter, I/O, log worker, task)");
	for (int i = 0; i < ch->nr_bars; i++) {
		const struct bar *k = &ch->bars[i];
		int64_t n = T4 ? k->with_T4 : k->count;

		if (n)
			most = fmax(most, (double)(T4 ? k->T4_ns : k->span_ns) / n);
	}
	/* Rare placements with much longer syncs must not hide the rest. */
	if (T4 ? ch->bars[0].with_T4 : ch->bars[0].count)
		most = fmin(most, 3.0 * (T4 ? (double)ch->bars[0].T4_ns / ch->bars[0].with_T4 :
				 (double)ch->bars[0].span_ns / ch->bars[0].count));
	most = fmax(most, 1);
	bottom = b.y + ch->nr_bars * (h + 8);
	step = xlv_tick_step(most, 6);
	for (int64_t v = 0; v <= most; v += step) {
		double tx = b.x + b.w * v / most;
		char label[32];

		xlv_tick_label(label, sizeof(label), v, step);
		xlv_line(s, P_GRID, tx, b.y, tx, bottom);
		xlv_text(s, P_MUTED, XLV_MIDDLE, tx, bottom + 14, label);
	}
	for (int i = 0; i < ch->nr_bars; i++) {
		const struct bar *k = &ch->bars[i];
		double by = b.y + i * (h + 8) + 2;
		char n[48];

		snprintf(n, sizeof(n), "%" PRId64 " syncs", T4 ? k->with_T4 : k->count);
		xlv_text(s, P_HEADING, XLV_RIGHT, b.x - 8, by + h / 2 - 1,
			 i ? k->placement : "all");
		xlv_text(s, P_SMALL, XLV_RIGHT, b.x - 8, by + h / 2 + 10, n);
		if (T4 ? !k->with_T4 : !k->count)
			continue;
		draw_bar(s, ch, legend, &b, by, h, T4 ? k->part_ns : k->stage_ns,
			 T4 ? XLV_PART_COUNT : XLV_STAGE_COUNT, T4 ? P_PART : P_STAGE,
			 T4 ? k->with_T4 : k->count, most, T4 ? xlv_part_name : xlv_stage_name);
	}
	xlv_group_end(s);
}

static void draw_dot(struct xlv_surface *s, const struct xlv_sync *sync, double x, double y)
{
	/* A shape a kind, so that grey tells them apart, too. */
	switch (sync->kind) {
	case XLV_KIND_FLUSH_ONLY:
		xlv_path_box(s, x - 1.7, y - 1.7, 3.4, 3.4);
		break;
	case XLV_KIND_PIGGYBACK:
		xlv_path_move(s, x, y - 2.8);
		xlv_path_line(s, x + 2.6, y + 2);
		xlv_path_line(s, x - 2.6, y + 2);
		xlv_path_close(s);
		break;
	case XLV_KIND_NO_WAIT:
		xlv_path_move(s, x, y - 2.8);
		xlv_path_line(s, x + 2.8, y);
		xlv_path_line(s, x, y + 2.8);
		xlv_path_line(s, x - 2.8, y);
		xlv_path_close(s);
		break;
	default:
		xlv_path_box(s, x - 2.4, y - 0.9, 4.8, 1.8);
	}
}

static void scatter_dots(struct xlv_surface *s, const struct charts *ch, const struct box *b,
			 const struct xlv_scale *sc, double lo, double hi, int kind, bool partial)
{
	int cols = b->w / CELL + 1, rows = b->h / CELL + 1;
	bool *seen = calloc((size_t)cols * rows, 1);
	const struct xlv_report *rep = ch->rep;

	for (int64_t i = 0; seen && i < rep->nr_selected; i++) {
		const struct xlv_sync *k = rep->selected[i];
		double x, y;
		int cell;

		if (k->span_ns == XLV_NONE || (partial ? !k->reasons : k->reasons ||
		    k->kind != kind))
			continue;
		x = xlv_scale_x(sc, k->start_ns);
		y = b->y + b->h - b->h * (log(fmax(k->span_ns, lo)) - log(lo)) /
		    (log(hi) - log(lo));
		cell = (int)((y - b->y) / CELL) * cols + (int)((x - b->x) / CELL);
		if (cell < 0 || cell >= cols * rows || seen[cell])
			continue;
		seen[cell] = true;
		draw_dot(s, k, x, y);
	}
	xlv_path_draw(s, partial ? P_DOT_PARTIAL : P_DOT + kind, NULL);
	free(seen);
}

static void draw_gaps(struct xlv_surface *s, const struct charts *ch, struct xlv_legend *legend,
		      const struct box *b, const struct xlv_scale *sc)
{
	double done = -1;

	for (int32_t i = 0; ch->win && i < ch->win->nr_gaps; i++) {
		const struct xlv_gap *g = &ch->win->gaps[i];
		double x1 = xlv_scale_x(sc, g->start_ns), x2 = xlv_scale_x(sc, g->end_ns);
		char title[96];

		if (x2 <= done)
			continue;
		snprintf(title, sizeof(title), "events of CPU %d were lost here", g->cpu);
		x1 = fmax(x1, done);
		xlv_rect(s, P_GAP, x1, b->y, fmax(x2 - x1, 1), b->h, title);
		xlv_legend_use(legend, P_GAP);
		done = fmax(x2, x1 + 1);
	}
}

/* From the first sync's start to the last one's end. */
static struct xlv_scale sync_times(const struct charts *ch, const struct box *b)
{
	const struct xlv_trace_info *info = ch->rep->run->info;
	struct xlv_scale sc = { INT64_MAX, INT64_MIN, info->start_ns, b->x, b->w };

	for (int64_t i = 0; i < ch->rep->nr_selected; i++) {
		const struct xlv_sync *s = ch->rep->selected[i];
		int64_t end = s->span_ns == XLV_NONE ? s->start_ns : s->start_ns + s->span_ns;

		sc.from_ns = s->start_ns < sc.from_ns ? s->start_ns : sc.from_ns;
		sc.to_ns = end > sc.to_ns ? end : sc.to_ns;
	}
	sc.zero_ns = sc.from_ns < info->start_ns ? sc.from_ns : info->start_ns;
	return sc;
}

static void draw_scatter(struct xlv_surface *s, const struct charts *ch,
			 struct xlv_legend *legend, double x, double y)
{
	struct box b = { x + 56, y + HEAD, ch->width - 56 - 10, ch->height - HEAD - FOOT - 20 };
	struct xlv_scale sc = sync_times(ch, &b);
	const int64_t *v = ch->values[XLV_I_SPAN];
	int64_t n = ch->nr_values[XLV_I_SPAN], step;
	double lo, hi, key_x = b.x;

	xlv_group_begin(s, &(struct xlv_group){ .id = "chart-time", .class = "chart" });
	chart_title(s, x, y, ch->width, "Syncs over time",
		    "span of each, by its start in the recording");
	if (!n) {
		xlv_text(s, P_MUTED, XLV_LEFT, b.x, b.y + 20, "no complete sync");
		xlv_group_end(s);
		return;
	}
	lo = fmax(v[0], 1) * 0.8;
	hi = fmax(v[n - 1] * 1.2, lo * 2);
	xlv_rect(s, P_LANE, b.x, b.y, b.w, b.h, NULL);
	log_axis(s, &b, lo, hi, true);
	step = xlv_tick_step(sc.to_ns - sc.from_ns, b.w / 80);
	for (int64_t t = (sc.from_ns - sc.zero_ns + step - 1) / step * step;
	     t <= sc.to_ns - sc.zero_ns; t += step) {
		double tx = xlv_scale_x(&sc, sc.zero_ns + t);
		char label[32];

		xlv_tick_label(label, sizeof(label), t, step);
		xlv_line(s, P_GRID, tx, b.y, tx, b.y + b.h);
		xlv_text(s, P_MUTED, XLV_MIDDLE, tx, b.y + b.h + 15, label);
	}
	draw_gaps(s, ch, legend, &b, &sc);
	for (int kind = 0; kind <= XLV_KIND_COUNT; kind++) {
		bool partial = kind == XLV_KIND_COUNT;
		const char *name = partial ? "partial" : xlv_kind_name(kind);
		int64_t count = 0;
		char text[48];

		for (int64_t i = 0; i < ch->rep->nr_selected; i++)
			count += partial ? !!ch->rep->selected[i]->reasons :
				 !ch->rep->selected[i]->reasons &&
				 ch->rep->selected[i]->kind == kind;
		if (!count)
			continue;
		scatter_dots(s, ch, &b, &sc, lo, hi, kind, partial);
		snprintf(text, sizeof(text), "%s %" PRId64, name, count);
		draw_dot(s, &(struct xlv_sync){ .kind = partial ? 0 : kind }, key_x + 4,
			 b.y + b.h + 30);
		xlv_path_draw(s, partial ? P_DOT_PARTIAL : P_DOT + kind, NULL);
		xlv_text(s, P_SMALL, XLV_LEFT, key_x + 12, b.y + b.h + 33.5, text);
		key_x += xlv_text_width(s, P_SMALL, text) + 30;
	}
	xlv_group_end(s);
}

static void draw_charts(struct xlv_surface *s, struct xlv_legend *legend, double top, void *arg)
{
	const struct charts *ch = arg;
	double left = XLV_PAGE_MARGIN, right = left + ch->width + 32;

	draw_curves(s, ch, left, top);
	draw_scatter(s, ch, legend, right, top);
	draw_bars(s, ch, legend, left, top + ch->height, false);
	draw_bars(s, ch, legend, right, top + ch->height, true);
}

int xlv_charts_draw(FILE *out, struct xlv_trace *t, const struct xlv_report *rep,
		    const struct xlv_picture_opts *opts, struct xlv_error *err)
{
	struct charts ch = { .rep = rep, .palette = xlv_palette(opts->theme) };
	struct xlv_frame frame = {
		.rep = rep, .opts = *opts, .title = "xlogviz: how long, where, and why",
		.body = draw_charts, .arg = &ch,
	};
	const struct xlv_trace_info *info = rep->run->info;
	int ret = -1;

	if (collect_values(&ch) || collect_bars(&ch)) {
		xlv_fail(err, "not enough memory for a picture");
		goto out;
	}
	if (t && (info->lost_events || info->lost_uncounted)) {
		struct xlv_window_opts wo = {
			.from_ns = info->start_ns, .to_ns = info->end_ns,
			.res_ns = (info->end_ns - info->start_ns) / 100, .want = XLV_WIN_CPUS,
		};

		ch.win = xlv_window_read(t, rep->run, &wo, err);
		if (!ch.win)
			goto out;
	}
	ch.width = (xlv_picture_width(opts) - 2 * XLV_PAGE_MARGIN - 32) / 2;
	ch.height = 340;
	frame.body_height = ch.height + HEAD + ch.nr_bars * (bar_height(&ch) + 8) + FOOT;
	ret = xlv_frame_draw(&frame, out, err);
out:
	xlv_window_free(ch.win);
	for (int i = 0; i < XLV_I_COUNT; i++)
		free(ch.values[i]);
	return ret;
}
