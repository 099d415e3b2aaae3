// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/words.h"
#include "output/lanes.h"
#include "output/pipeline_view.h"
#include "output/scale.h"

#define GUTTER		150.0
#define BAR		14.0
#define PUSH_BAR	9.0
#define SYNC_BAR	4.0
#define MAX_SYNC_BARS	8
#define SPACE		7.0
#define MAX_ROWS	400
#define NEIGHBOURS	5	/* iclogs before and after a sync's own */
#define COMPACT_ROWS	60	/* beyond this rows are thin and without names */

struct row {
	int32_t		iclog;
	double		y, h;		/* from the body's top */
	int32_t		*syncs;		/* ids that depended on it, up to MAX_SYNC_BARS */
	int32_t		nr_syncs, more_syncs;
};

struct view {
	const struct xlv_report	*rep;
	const struct xlv_run	*run;
	const struct xlv_paint	*palette;
	const struct xlv_sync	*focus;
	struct xlv_scale	scale;
	struct row		*rows;
	int32_t			*row_of;	/* by iclog; -1 */
	int			nr_rows, undrawn;
	bool			compact;
	double			head, height;
};

static int64_t sync_end_ns(const struct xlv_run *run, const struct xlv_sync *s)
{
	return s->span_ns == XLV_NONE ? run->info->end_ns : s->start_ns + s->span_ns;
}

/* ---- which iclogs ---- */

static int by_lsn(const void *a, const void *b, void *arg)
{
	const struct row *r = a, *q = b;
	const struct xlv_run *run = arg;
	const struct xlv_iclog *x = &run->iclogs[r->iclog], *y = &run->iclogs[q->iclog];

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->lsn != y->lsn)
		return x->lsn < y->lsn ? -1 : 1;
	return r->iclog - q->iclog;
}

/* The part of the recording around a sync that shows some iclogs before and after. */
static void around(const struct view *v, int64_t *from_ns, int64_t *to_ns)
{
	const struct xlv_run *run = v->run;
	const struct xlv_sync *s = v->focus;
	int64_t span = sync_end_ns(run, s) - s->start_ns;

	*from_ns = s->start_ns - span / 10;
	*to_ns = s->start_ns + span + span / 10 + 1;
	if (s->iclog < 0)
		return;
	for (int32_t i = s->iclog - NEIGHBOURS; i <= s->iclog + NEIGHBOURS; i++) {
		int64_t life[XLV_LIFE_COUNT];

		if (i < 0 || (size_t)i >= run->nr_iclogs || run->iclogs[i].dev != s->dev)
			continue;
		xlv_iclog_life(&run->iclogs[i], run->info->end_ns, life);
		if (life[XLV_LIFE_CLOSED] < *from_ns)
			*from_ns = life[XLV_LIFE_CLOSED] - span / 20;
		if (life[XLV_LIFE_CLEAN] > *to_ns && life[XLV_LIFE_CLEAN] < *to_ns + 20 * span)
			*to_ns = life[XLV_LIFE_CLEAN] + span / 20;
	}
}

static int choose_rows(struct view *v)
{
	const struct xlv_run *run = v->run;

	v->row_of = malloc((run->nr_iclogs + 1) * sizeof(*v->row_of));
	v->rows = calloc(MAX_ROWS, sizeof(*v->rows));
	if (!v->row_of || !v->rows)
		return -1;
	for (size_t i = 0; i < run->nr_iclogs; i++) {
		int64_t life[XLV_LIFE_COUNT];

		v->row_of[i] = -1;
		xlv_iclog_life(&run->iclogs[i], run->info->end_ns, life);
		if (life[XLV_LIFE_CLOSED] >= v->scale.to_ns ||
		    life[XLV_LIFE_CLEAN] < v->scale.from_ns)
			continue;
		if (v->nr_rows < MAX_ROWS)
			v->rows[v->nr_rows++].iclog = i;
		else
			v->undrawn++;
	}
	qsort_r(v->rows, v->nr_rows, sizeof(*v->rows), by_lsn, (void *)run);
	for (int i = 0; i < v->nr_rows; i++)
		v->row_of[v->rows[i].iclog] = i;
	v->compact = v->nr_rows > COMPACT_ROWS;
	for (size_t i = 0; i < run->nr_syncs; i++) {
		const struct xlv_sync *s = &run->syncs[i];
		struct row *r;

		if (s->iclog < 0 || v->row_of[s->iclog] < 0)
			continue;
		r = &v->rows[v->row_of[s->iclog]];
		if (!r->syncs)
			r->syncs = malloc(MAX_SYNC_BARS * sizeof(*r->syncs));
		if (!r->syncs)
			return -1;
		if (r->nr_syncs < MAX_SYNC_BARS)
			r->syncs[r->nr_syncs++] = s->id;
		else
			r->more_syncs++;
	}
	return 0;
}

static void layout(struct view *v)
{
	double y = v->head + 22;

	for (int i = 0; i < v->nr_rows; i++) {
		struct row *r = &v->rows[i];

		r->y = y;
		r->h = v->compact ? 5 : PUSH_BAR + BAR + r->nr_syncs * (SYNC_BAR + 1);
		y += r->h + (v->compact ? 1 : SPACE);
	}
	v->height = y + 4;
}

/* ---- drawing ---- */

static double at(const struct view *v, int64_t ts_ns)
{
	return xlv_scale_x(&v->scale, ts_ns);
}

static void tip_when(const struct view *v, char *tip, size_t size, int64_t ts_ns)
{
	int64_t rel = ts_ns - v->scale.zero_ns;
	struct xlv_word w;

	xlv_print(tip, size, "\nat %s%s", rel < 0 ? "-" : "+", xlv_word_ns(&w, llabs(rel)));
}

static void piece(struct xlv_surface *s, const struct view *v, struct xlv_legend *legend,
		  int paint, int64_t from_ns, int64_t to_ns, double y, double h,
		  const char *label, const char *tip)
{
	double x1 = at(v, from_ns), x2 = at(v, to_ns);

	if (to_ns <= v->scale.from_ns || from_ns >= v->scale.to_ns || x2 - x1 < 0.1)
		return;
	xlv_rect(s, paint, x1, y, x2 - x1, h, tip);
	xlv_legend_use(legend, paint);
	if (label && *label && h >= 9)
		xlv_text_fit(s, xlv_palette_on(v->palette, paint, true), XLV_MIDDLE,
			     (x1 + x2) / 2, y + h / 2 + 3.2, x2 - x1 - 4, label);
}

static void draw_pushes(struct xlv_surface *s, const struct view *v, struct xlv_legend *legend,
			const struct xlv_iclog *ic, double y, double h)
{
	for (size_t i = 0; i < v->run->nr_pushes; i++) {
		const struct xlv_push *p = &v->run->pushes[i];
		int64_t end = p->end_ns != XLV_NONE ? p->end_ns : v->run->info->end_ns;
		char tip[256] = "", name[64];
		struct xlv_word w;

		if (!p->last_lsn || p->first_lsn > ic->lsn || p->last_lsn < ic->lsn ||
		    (p->dev && p->dev != ic->dev) || p->start_ns == XLV_NONE)
			continue;
		xlv_print(tip, sizeof(tip), "CIL push by %s on CPU %d: %s, %d iclogs\n%s on a CPU",
			  xlv_task_name(name, sizeof(name), p->worker_comm, p->worker_pid),
			  p->worker_cpu, xlv_word_ns(&w, end - p->start_ns), p->iclogs,
			  xlv_word_ns(&w, p->running_ns));
		tip_when(v, tip, sizeof(tip), p->start_ns);
		if (p->queued_ns != XLV_NONE)
			piece(s, v, legend, P_STAGE + XLV_STAGE_CIL_QUEUE, p->queued_ns,
			      p->start_ns, y, h, "", "push queued");
		piece(s, v, legend, P_WORK + XLV_WORK_CIL_WORKER, p->start_ns, end, y, h,
		      "CIL push", tip);
	}
}

static void draw_sync(struct xlv_surface *s, const struct view *v, struct xlv_legend *legend,
		      const struct xlv_sync *k, double y)
{
	int64_t end = sync_end_ns(v->run, k);
	char tip[256] = "", name[64], id[32], data[96];
	bool own = k == v->focus;
	struct xlv_word w;

	snprintf(id, sizeof(id), "sync-%d", k->id);
	snprintf(data, sizeof(data), "data-start=\"%" PRId64 "\" data-ns=\"%" PRId64 "\"",
		 k->start_ns, end - k->start_ns);
	xlv_print(tip, sizeof(tip), "sync %d by %s: %s", k->id,
		  xlv_task_name(name, sizeof(name), k->comm, k->pid),
		  xlv_word_ns(&w, k->span_ns));
	tip_when(v, tip, sizeof(tip), k->start_ns);
	xlv_group_begin(s, &(struct xlv_group){ .id = id, .data = data,
			.class = own ? "sync own" : "sync" });
	piece(s, v, legend, own ? P_SYNC_OWN : P_SYNC, k->start_ns,
	      end, y, SYNC_BAR, NULL, tip);
	xlv_group_end(s);
}

static void draw_row(struct xlv_surface *s, const struct view *v, struct xlv_legend *legend,
		     const struct row *r, double top)
{
	const struct xlv_iclog *ic = &v->run->iclogs[r->iclog];
	double y = top + r->y, h = v->compact ? r->h : BAR;
	int64_t life[XLV_LIFE_COUNT];
	char label[64], tip[512], id[32], data[64];

	snprintf(id, sizeof(id), "iclog-%d", r->iclog);
	snprintf(data, sizeof(data), "data-lsn=\"%" PRIu64 "\"", ic->lsn);
	xlv_group_begin(s, &(struct xlv_group){ .id = id, .data = data,
			.class = ic->out_of_order ? "iclog out-of-order" : "iclog" });
	xlv_rect(s, P_LANE, v->scale.x, y, v->scale.width, r->h, NULL);
	if (!v->compact) {
		snprintf(label, sizeof(label), "iclog %u/%u", (unsigned int)(ic->lsn >> 32),
			 (unsigned int)ic->lsn);
		xlv_text_fit(s, P_HEADING, XLV_RIGHT, v->scale.x - 10, y + 12, GUTTER - 14, label);
		snprintf(label, sizeof(label), "%d sync%s%s", r->nr_syncs + r->more_syncs,
			 r->nr_syncs + r->more_syncs == 1 ? "" : "s",
			 ic->out_of_order ? ", done out of order" : "");
		xlv_text_fit(s, P_SMALL, XLV_RIGHT, v->scale.x - 10, y + 23, GUTTER - 14, label);
		draw_pushes(s, v, legend, ic, y, PUSH_BAR);
		y += PUSH_BAR;
	}
	xlv_iclog_life(ic, v->run->info->end_ns, life);
	for (int i = 0; i < XLV_LIFE_CLEAN; i++) {
		xlv_iclog_label(ic, i, label, sizeof(label));
		xlv_iclog_tip(ic, i, life[i + 1] - life[i], tip, sizeof(tip));
		tip_when(v, tip, sizeof(tip), life[i]);
		piece(s, v, legend, xlv_iclog_paint(ic, i), life[i], life[i + 1], y, h,
		      i == XLV_LIFE_FIRST ? "" : label, tip);
	}
	y += BAR + 1;
	for (int i = 0; !v->compact && i < r->nr_syncs; i++, y += SYNC_BAR + 1)
		draw_sync(s, v, legend, &v->run->syncs[r->syncs[i] - 1], y);
	xlv_group_end(s);
}

/* From the callbacks of an earlier iclog to those that had to wait for them. */
static void draw_order(struct xlv_surface *s, const struct view *v, const struct row *r,
		       const struct row *before, double top)
{
	const struct xlv_iclog *ic = &v->run->iclogs[r->iclog];
	const struct xlv_iclog *earlier = &v->run->iclogs[before->iclog];
	double x, y1, y2;

	if (ic->in_order_ns == XLV_NONE || ic->in_order_ns <= 0 || earlier->dev != ic->dev ||
	    ic->callbacks_start_ns == XLV_NONE)
		return;
	x = at(v, ic->callbacks_start_ns);
	y1 = top + before->y + (v->compact ? before->h : PUSH_BAR + BAR);
	y2 = top + r->y + (v->compact ? 0 : PUSH_BAR);
	xlv_group_begin(s, &(struct xlv_group){ .class = "in-order",
			.title = "callbacks run in log order: these waited for earlier ones" });
	xlv_line(s, P_WAKE_REMOTE, x, y1, x, y2);
	xlv_path_move(s, x, y2);
	xlv_path_line(s, x - 3, y2 - 5);
	xlv_path_line(s, x + 3, y2 - 5);
	xlv_path_close(s);
	xlv_path_draw(s, P_WAKE_REMOTE_HEAD, NULL);
	xlv_group_end(s);
}

static void draw_axis(struct xlv_surface *s, const struct view *v, double y, double bottom)
{
	int64_t step = xlv_tick_step(v->scale.to_ns - v->scale.from_ns, v->scale.width / 75);
	int64_t from = v->scale.from_ns - v->scale.zero_ns, to = v->scale.to_ns - v->scale.zero_ns;

	for (int64_t rel = from / step * step; rel < to; rel += step) {
		double x = at(v, v->scale.zero_ns + rel);
		char label[32];

		if (rel < from)
			continue;
		xlv_tick_label(label, sizeof(label), rel, step);
		xlv_line(s, P_GRID, x, y, x, bottom);
		xlv_text(s, P_MUTED, XLV_MIDDLE, x, y - 5, label);
	}
	xlv_line(s, P_AXIS, v->scale.x, y, v->scale.x + v->scale.width, y);
}

static void draw_body(struct xlv_surface *s, struct xlv_legend *legend, double top, void *arg)
{
	const struct view *v = arg;
	const struct xlv_pipeline *pl = &v->rep->pipeline;
	char text[256], data[160];
	struct xlv_word w;
	double width = v->scale.x + v->scale.width - XLV_PAGE_MARGIN;

	snprintf(data, sizeof(data), "data-from=\"%" PRId64 "\" data-to=\"%" PRId64
		 "\" data-x=\"%.0f\" data-width=\"%.0f\"", v->scale.from_ns, v->scale.to_ns,
		 v->scale.x, v->scale.width);
	xlv_group_begin(s, &(struct xlv_group){ .id = "pipeline", .class = "panel", .data = data });
	if (v->focus)
		snprintf(text, sizeof(text), "Iclog writes around sync %d", v->focus->id);
	else
		snprintf(text, sizeof(text), "%d iclog writes in %s", v->nr_rows + v->undrawn,
			 xlv_word_ns(&w, v->scale.to_ns - v->scale.from_ns));
	xlv_text_fit(s, P_TITLE, XLV_LEFT, XLV_PAGE_MARGIN, top + 16, width, text);
	snprintf(text, sizeof(text), "In flight over the whole recording: %.2f CIL pushes (at most "
		 "%d), %.2f iclogs (at most %d).", pl->pushes_mean, pl->pushes_max,
		 pl->iclogs_mean, pl->iclogs_max);
	if (pl->out_of_order)
		xlv_print(text, sizeof(text), " %" PRId64 " iclogs were done out of order: %s of "
			  "waiting for the callbacks of earlier ones.", pl->out_of_order,
			  xlv_word_ns(&w, pl->in_order_wait_ns));
	xlv_text_fit(s, P_TEXT, XLV_LEFT, XLV_PAGE_MARGIN, top + 35, width, text);
	draw_axis(s, v, top + v->head + 16, top + v->height - 4);
	if (!v->nr_rows)
		xlv_text(s, P_TEXT, XLV_LEFT, v->scale.x, top + v->head + 34,
			 "no iclog was written here");
	for (int i = 0; i < v->nr_rows; i++)
		draw_row(s, v, legend, &v->rows[i], top);
	for (int i = 1; i < v->nr_rows; i++)
		draw_order(s, v, &v->rows[i], &v->rows[i - 1], top);
	xlv_group_end(s);
	if (v->undrawn)
		snprintf(legend->note, sizeof(legend->note), "%d more iclog writes are not drawn: "
			 "take a shorter part.", v->undrawn);
}

int xlv_pipeline_draw(FILE *out, const struct xlv_report *rep, const struct xlv_choose *choose,
		      const struct xlv_picture_opts *opts, struct xlv_error *err)
{
	const struct xlv_trace_info *info = rep->run->info;
	int64_t from_ns = choose->from_ns, to_ns = choose->to_ns;
	struct view v = {
		.rep = rep, .run = rep->run, .palette = xlv_palette(opts->theme), .head = 48,
	};
	struct xlv_frame frame = {
		.rep = rep, .opts = *opts, .title = "xlogviz: the journal pipeline",
		.body = draw_body, .arg = &v,
	};
	struct xlv_picks picks = { 0 };
	int ret = -1;

	if (xlv_choose_syncs(rep, choose, &picks, err))
		return -1;
	v.focus = picks.sync[0];
	if (v.focus)
		around(&v, &from_ns, &to_ns);
	v.scale.from_ns = from_ns > info->start_ns ? from_ns : info->start_ns;
	v.scale.to_ns = to_ns <= info->end_ns ? to_ns : info->end_ns + 1;
	v.scale.zero_ns = v.focus ? v.focus->start_ns : v.scale.from_ns;
	v.scale.x = XLV_PAGE_MARGIN + GUTTER;
	v.scale.width = xlv_picture_width(opts) - 2 * XLV_PAGE_MARGIN - GUTTER;
	if (choose_rows(&v)) {
		xlv_fail(err, "not enough memory for a picture");
	} else {
		layout(&v);
		frame.body_height = v.height;
		ret = xlv_frame_draw(&frame, out, err);
	}
	for (int i = 0; v.rows && i < v.nr_rows; i++)
		free(v.rows[i].syncs);
	free(v.rows);
	free(v.row_of);
	return ret;
}
