// SPDX-License-Identifier: GPL-2.0-or-later
/* What a panel shows, and where. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/words.h"
#include "output/panel.h"

#define MAX_TASKS	24
#define MAX_ICLOG_ROWS	8
#define MAX_BIO_ROWS	6
#define MAX_CALLOUT_ROWS 6
#define MAX_BOXES	40000	/* in the lanes of a panel, which bounds its size */
#define DENSITY_ROW	34.0
#define MAX_STRIPS	80	/* syncs in a window whose stages are drawn */

int64_t xlv_sync_end_ns(const struct xlv_sync *s, const struct xlv_run *run)
{
	return s->span_ns == XLV_NONE ? run->info->end_ns : s->start_ns + s->span_ns;
}

static void dev_name(char *buf, size_t size, uint32_t dev)
{
	snprintf(buf, size, "%u:%u", dev >> 20, dev & 0xfffff);
}

/* ---- what a panel shows ---- */

static void add_row(struct xlv_panel *p, enum xlv_row_kind kind, double h, double space,
		    int32_t index)
{
	struct xlv_row *r;

	if (p->nr_rows == p->rows_size) {
		int size = p->rows_size ? p->rows_size * 2 : 32;
		struct xlv_row *more = realloc(p->rows, size * sizeof(*more));

		if (!more) {
			p->failed = true;
			return;
		}
		p->rows = more;
		p->rows_size = size;
	}
	r = &p->rows[p->nr_rows++];
	*r = (struct xlv_row){ .kind = kind, .y = p->height, .h = h, .index = index };
	p->height += h + space;
}

static int32_t lane_of_cpu(const struct xlv_panel *p, int32_t cpu)
{
	for (int32_t i = 0; i < p->win->nr_cpus; i++)
		if (p->win->cpus[i].cpu == cpu)
			return i;
	return -1;
}

static void draw_cpu(struct xlv_panel *p, int32_t cpu)
{
	int32_t i = lane_of_cpu(p, cpu);

	if (i >= 0 && !p->cpu_drawn[i]) {
		p->cpu_drawn[i] = true;
		p->nr_cpus_drawn++;
	}
}

static int64_t role_ns(const struct xlv_cpu_lane *lane)
{
	return lane->work_ns[XLV_WORK_FSYNC] + lane->work_ns[XLV_WORK_CIL_WORKER] +
	       lane->work_ns[XLV_WORK_LOG_WORKER] + lane->work_ns[XLV_WORK_IO_DONE];
}

static void choose_cpus(struct xlv_panel *p)
{
	const struct xlv_window *win = p->win;

	if (p->focus) {
		for (int i = 0; i < 6; i++)
			draw_cpu(p, p->focus->place_cpu[i]);
		for (int32_t i = 0; i < p->d.nr_segments; i++)
			draw_cpu(p, p->d.segments[i].cpu);
		for (int32_t i = 0; i < p->d.nr_wakes; i++) {
			draw_cpu(p, p->d.wakes[i].wake.waker_cpu);
			draw_cpu(p, p->d.wakes[i].wake.to_cpu);
		}
		for (int32_t i = 0; i < p->d.nr_waits; i++) {
			draw_cpu(p, p->d.waits[i].wake.waker_cpu);
			draw_cpu(p, p->d.waits[i].wake.to_cpu);
		}
	}
	/* Small machines whole; else whoever has a role, up to eight beside a sync. */
	for (int32_t i = 0; i < win->nr_cpus; i++) {
		if (win->nr_cpus <= 4)
			draw_cpu(p, win->cpus[i].cpu);
		else if (role_ns(&win->cpus[i]) > 0 && (!p->focus || p->nr_cpus_drawn < 8))
			draw_cpu(p, win->cpus[i].cpu);
	}
}

/* Puts spans into the first row where they don't overlap. Spans come by start. */
static int pack(int64_t *row_end, int rows, int64_t start_ns, int64_t end_ns)
{
	for (int r = 0; r < rows; r++)
		if (row_end[r] <= start_ns) {
			row_end[r] = end_ns;
			return r;
		}
	return -1;
}

int64_t xlv_bio_start_ns(const struct xlv_bio *b)
{
	return b->queue_ns != XLV_NONE ? b->queue_ns :
	       b->issue_ns != XLV_NONE ? b->issue_ns : b->done_ns;
}

int64_t xlv_known_until_ns(const struct xlv_panel *p, int64_t start_ns)
{
	int64_t end = p->win->to_ns;

	for (int32_t i = 0; i < p->win->nr_gaps; i++) {
		const struct xlv_gap *g = &p->win->gaps[i];

		if (g->end_ns > start_ns && g->start_ns < end)
			end = g->start_ns > start_ns ? g->start_ns : start_ns;
	}
	return end;
}

int64_t xlv_bio_end_ns(const struct xlv_panel *p, const struct xlv_bio *b)
{
	return b->done_ns != XLV_NONE ? b->done_ns : xlv_known_until_ns(p, xlv_bio_start_ns(b));
}

static int layout_bios(struct xlv_panel *p)
{
	const struct xlv_window *win = p->win;
	int64_t row_end[XLV_MAX_DEVICES][MAX_BIO_ROWS];
	int64_t pixel = (win->to_ns - win->from_ns) / p->scale.width;

	p->bio_row = malloc((win->nr_bios + 1) * sizeof(*p->bio_row));
	if (!p->bio_row)
		return -1;
	for (int i = 0; i < XLV_MAX_DEVICES; i++)
		for (int r = 0; r < MAX_BIO_ROWS; r++)
			row_end[i][r] = INT64_MIN;
	/* devices of the log first, then as they come */
	for (int pass = 0; pass < 2; pass++)
		for (int32_t i = 0; i < win->nr_bios; i++) {
			int k = 0;

			if (!pass && win->bios[i].iclog < 0)
				continue;
			while (k < p->nr_devs && p->devs[k] != win->bios[i].dev)
				k++;
			if (k == p->nr_devs && p->nr_devs < XLV_MAX_DEVICES)
				p->devs[p->nr_devs++] = win->bios[i].dev;
		}
	for (int32_t i = 0; i < win->nr_bios; i++) {
		const struct xlv_bio *b = &win->bios[i];
		int64_t start_ns, end_ns;
		int k = 0, r;

		p->bio_row[i] = -1;
		while (k < p->nr_devs && p->devs[k] != b->dev)
			k++;
		start_ns = xlv_bio_start_ns(b);
		end_ns = xlv_bio_end_ns(p, b);
		if (k == p->nr_devs || end_ns < win->from_ns || start_ns >= win->to_ns)
			continue;
		p->bios[k]++;
		r = pack(row_end[k], MAX_BIO_ROWS, start_ns, end_ns + pixel);
		p->bio_row[i] = r;
		if (r >= p->bio_rows[k])
			p->bio_rows[k] = r + 1;
	}
	return 0;
}

void xlv_panel_iclog_life(const struct xlv_panel *p, const struct xlv_iclog *ic,
			  int64_t life[XLV_LIFE_COUNT])
{
	xlv_iclog_life(ic, p->win->to_ns, life);
	xlv_iclog_life(ic, xlv_known_until_ns(p, life[XLV_LIFE_FIRST]), life);
}

static int layout_iclogs(struct xlv_panel *p)
{
	const struct xlv_window *win = p->win;
	int64_t row_end[MAX_ICLOG_ROWS];

	p->iclog_row = malloc((win->nr_iclogs + 1) * sizeof(*p->iclog_row));
	if (!p->iclog_row)
		return -1;
	for (int r = 0; r < MAX_ICLOG_ROWS; r++)
		row_end[r] = INT64_MIN;
	for (int32_t i = 0; i < win->nr_iclogs; i++) {
		int64_t life[XLV_LIFE_COUNT];
		int r;

		xlv_panel_iclog_life(p, &win->run->iclogs[win->iclogs[i]], life);
		p->iclog_row[i] = -1;
		if (life[XLV_LIFE_FIRST] >= win->to_ns || life[XLV_LIFE_END] <= win->from_ns)
			continue;
		r = pack(row_end, MAX_ICLOG_ROWS, life[XLV_LIFE_FIRST], life[XLV_LIFE_END]);
		p->iclog_row[i] = r;
		if (r >= p->iclog_rows)
			p->iclog_rows = r + 1;
	}
	return 0;
}

/* ---- words ---- */

static void stage_text(const struct xlv_panel *p, const struct xlv_segment *g, char *name, size_t n)
{
	struct xlv_word w;

	snprintf(name, n, "%s %s", xlv_stage_name(g->stage), xlv_word_ns(&w, g->ns));
	if (g->wake >= 0 && g->wake < p->d.nr_wakes && p->d.wakes[g->wake].ns > 0 &&
	    p->d.wakes[g->wake].cause < XLV_PART_COUNT)
		xlv_print(name, n, " (%s)", xlv_part_name(p->d.wakes[g->wake].cause));
}

/* "log-io 120 us (42 %), cil-queue ...": the longest stages of a sync. */
static void where_time_went(const struct xlv_panel *p, char *buf, size_t size)
{
	int64_t sum[XLV_STAGE_COUNT] = { 0 };
	struct xlv_word w, share;

	for (int32_t i = 0; i < p->d.nr_segments; i++)
		sum[p->d.segments[i].stage] += p->d.segments[i].ns;
	snprintf(buf, size, "Where the time went:");
	for (int n = 0; n < 4; n++) {
		int most = 0;

		for (int i = 1; i < XLV_STAGE_COUNT; i++)
			if (sum[i] > sum[most])
				most = i;
		if (sum[most] <= 0)
			break;
		xlv_print(buf, size, "%s %s %s (%s)", n ? "," : "", xlv_stage_name(most),
			  xlv_word_ns(&w, sum[most]),
			  xlv_word_share(&share, (double)sum[most] / p->focus->span_ns));
		sum[most] = 0;
	}
}

static void describe_T4(const struct xlv_panel *p, char *buf, size_t size)
{
	const struct xlv_path_wake *wake = NULL;
	struct xlv_word w, other;

	for (int32_t i = 0; i < p->d.nr_wakes; i++)
		if (p->d.wakes[i].stage == XLV_STAGE_WAKE)
			wake = &p->d.wakes[i];
	if (!wake || wake->wake.waking_ns == XLV_NONE || wake->cause >= XLV_PART_COUNT)
		return;
	xlv_print(buf, size, ". The last wake took %s, mostly %s", xlv_word_ns(&w, wake->ns),
		  xlv_part_name(wake->cause));
	if (wake->cause == XLV_PART_OTHER_TASK && wake->wake.other_comm)
		xlv_print(buf, size, " (%s)", xlv_word_name(&other, wake->wake.other_comm));
	if (wake->wake.remote)
		xlv_print(buf, size, ", CPU %d to %d", wake->wake.waker_cpu, wake->wake.to_cpu);
	else
		xlv_print(buf, size, ", on CPU %d", wake->wake.to_cpu);
}

static void describe_partial(const struct xlv_sync *s, char *buf, size_t size)
{
	bool first = true;

	snprintf(buf, size, "Partial (");
	for (int i = 0; i < XLV_REASON_COUNT; i++)
		if (s->reasons & 1 << i) {
			xlv_print(buf, size, "%s%s", first ? "" : ", ", xlv_reason_name(i));
			first = false;
		}
	xlv_print(buf, size, "): what is drawn is only what was recorded of it");
}

static void describe_focus(struct xlv_panel *p)
{
	const struct xlv_sync *s = p->focus;
	char name[64], dev[24];
	struct xlv_word w;

	xlv_task_name(name, sizeof(name), s->comm, s->pid);
	snprintf(p->heading, sizeof(p->heading), "%s%sync %d: %s by %s took %s",
		 p->what ? p->what : "", p->what ? " s" : "S", s->id,
		 s->syscall != XLV_SYS_NONE ? xlv_syscall_name(s->syscall) : "fsync", name,
		 xlv_word_ns(&w, s->span_ns));
	snprintf(p->line[0], sizeof(p->line[0]), "pid %d, kind %s", s->pid, xlv_kind_name(s->kind));
	if (s->dev) {
		dev_name(dev, sizeof(dev), s->dev);
		xlv_print(p->line[0], sizeof(p->line[0]), ", device %s", dev);
	}
	if (s->iclog_lsn)
		xlv_print(p->line[0], sizeof(p->line[0]), ", iclog LSN %u/%u",
			  (unsigned int)(s->iclog_lsn >> 32), (unsigned int)s->iclog_lsn);
	if (s->placement[0])
		xlv_print(p->line[0], sizeof(p->line[0]), ", CPUs %s (task, CIL worker, submitter, "
			  "I/O, log worker, task)", s->placement);
	if (s->group_size > 1)
		xlv_print(p->line[0], sizeof(p->line[0]), ", woken %d of %d", s->group_pos,
			  s->group_size);
	if (s->reasons) {
		describe_partial(s, p->line[1], sizeof(p->line[1]));
	} else if (s->span_ns > 0 && p->d.nr_segments) {
		where_time_went(p, p->line[1], sizeof(p->line[1]));
		describe_T4(p, p->line[1], sizeof(p->line[1]));
	}
}

static void describe_window(struct xlv_panel *p)
{
	const struct xlv_window *win = p->win;
	struct xlv_word w, at;

	if (win->from_ns == p->run->info->start_ns)
		snprintf(p->heading, sizeof(p->heading), "The first %s of the recording",
			 xlv_word_ns(&w, win->to_ns - win->from_ns));
	else
		snprintf(p->heading, sizeof(p->heading), "%s of the recording, %s after its start",
			 xlv_word_ns(&w, win->to_ns - win->from_ns),
			 xlv_word_ns(&at, win->from_ns - p->run->info->start_ns));
	snprintf(p->line[0], sizeof(p->line[0]),
		 "%d syncs by %d task%s, %d CIL pushes, %d iclog writes", win->nr_syncs,
		 win->nr_tasks, win->nr_tasks == 1 ? "" : "s", win->nr_pushes, win->nr_iclogs);
}

/* ---- layout ---- */

/* Whether a stage's name and duration can stand in the band itself. */
static bool label_fits(struct xlv_ruler *ruler, const struct xlv_paint *palette,
		       const struct xlv_segment *g, double width)
{
	const struct xlv_paint *font = &palette[P_ON_LIGHT];
	struct xlv_word w;

	return xlv_ruler_width(ruler, font->size, false, xlv_stage_name(g->stage)) <= width - 6 &&
	       xlv_ruler_width(ruler, font->size, false, xlv_word_ns(&w, g->ns)) <= width - 6;
}

/* Whether a label in a row touches one that has been placed, or crosses its leader. */
static bool callout_free(const struct xlv_panel *p, const struct xlv_callout *c, int row)
{
	double from = c->before ? c->x - c->width : c->x - 2;
	double to = c->before ? c->x + 2 : c->x + c->width;

	for (int i = 0; i < p->nr_callouts; i++) {
		const struct xlv_callout *o = &p->callouts[i];
		double o_from = o->before ? o->x - o->width : o->x - 2;
		double o_to = o->before ? o->x + 2 : o->x + o->width;

		if (o->row < 0 || o == c)
			continue;
		if (o->row == row && from < o_to && to > o_from)
			return false;
		if (o->row > row && o->x > from && o->x < to)
			return false;
		if (o->row < row && c->x > o_from && c->x < o_to)
			return false;
	}
	return true;
}

static bool callout_place(struct xlv_panel *p, struct xlv_callout *c)
{
	for (c->row = 0; c->row < MAX_CALLOUT_ROWS; c->row++)
		if (callout_free(p, c, c->row))
			return true;
	c->row = -1;
	return false;
}

/*
 * Labels stand right of their leaders and are placed from right to left, so that
 * leaders to deeper rows pass left of them. Those for which the picture ends too
 * soon, or that get into the way of such, stand left, placed from left to right.
 * Returns false if one had to change sides, and placing must begin anew.
 */
static bool place_callouts(struct xlv_panel *p)
{
	for (int i = 0; i < p->nr_callouts; i++)
		p->callouts[i].row = -1;
	for (int i = 0; i < p->nr_callouts; i++)
		if (p->callouts[i].before)
			callout_place(p, &p->callouts[i]);
	for (int i = p->nr_callouts - 1; i >= 0; i--) {
		struct xlv_callout *c = &p->callouts[i];

		if (c->before || callout_place(p, c) || c->x - c->width < p->scale.x ||
		    c->x < p->scale.x + p->scale.width * 0.7)
			continue;
		c->before = true;
		return false;
	}
	return true;
}

/* Moves a label to the highest row that is free on either side of its leader. */
static bool callout_raise(const struct xlv_panel *p, struct xlv_callout *c)
{
	bool before = c->before;
	int row = c->row < 0 ? MAX_CALLOUT_ROWS : c->row;

	for (int r = 0; r < row; r++)
		for (int side = 0; side < 2; side++) {
			c->before = before ^ side;
			if (c->before ? c->x - c->width < p->scale.x :
			    c->x + c->width > p->scale.x + p->scale.width)
				continue;
			if (callout_free(p, c, r)) {
				c->row = r;
				return true;
			}
		}
	c->before = before;
	return false;
}

/* Labels of stages too narrow for them, in rows below the band, each beside a leader. */
static int layout_callouts(struct xlv_panel *p, struct xlv_ruler *ruler,
			   const struct xlv_paint *palette)
{
	const struct xlv_paint *font = &palette[P_SMALL];
	bool moved = true;
	int rows = 0;

	p->callouts = calloc(p->d.nr_segments + 1, sizeof(*p->callouts));
	if (!p->callouts)
		return -1;
	for (int32_t i = 0; i < p->d.nr_segments; i++) {
		const struct xlv_segment *g = &p->d.segments[i];
		double x1 = xlv_scale_x(&p->scale, g->start_ns);
		double x2 = xlv_scale_x(&p->scale, g->start_ns + g->ns);
		struct xlv_callout *c = &p->callouts[p->nr_callouts];

		if (x2 - x1 < 1.5 || label_fits(ruler, palette, g, x2 - x1))
			continue;
		stage_text(p, g, c->text, sizeof(c->text));
		c->x = (x1 + x2) / 2;
		c->width = xlv_ruler_width(ruler, font->size, font->bold, c->text) + 8;
		c->before = c->x + c->width > p->scale.x + p->scale.width;
		p->nr_callouts++;
	}
	while (!place_callouts(p))
		;
	while (moved) {
		moved = false;
		for (int i = 0; i < p->nr_callouts; i++)
			moved |= callout_raise(p, &p->callouts[i]);
	}
	for (int i = 0; i < p->nr_callouts; i++)
		rows = p->callouts[i].row + 1 > rows ? p->callouts[i].row + 1 : rows;
	if (rows)
		add_row(p, XLV_ROW_CALLOUTS, rows * XLV_CALLOUT_ROW, 8, 0);
	return 0;
}

static bool has_parts(const struct xlv_panel *p)
{
	for (int32_t i = 0; i < p->d.nr_segments; i++) {
		const struct xlv_segment *g = &p->d.segments[i];

		if (g->wake >= 0 && xlv_scale_x(&p->scale, g->start_ns + g->ns) -
		    xlv_scale_x(&p->scale, g->start_ns) > 12)
			return true;
	}
	return false;
}

static int layout_rows(struct xlv_panel *p, struct xlv_ruler *ruler,
		       const struct xlv_paint *palette)
{
	const struct xlv_window *win = p->win;
	int cpus = p->nr_cpus_drawn;
	double cpu_h = cpus <= 8 ? 22 : cpus <= 16 ? 17 : cpus <= 32 ? 12 : cpus <= 64 ? 8 : 5;
	bool strips = !p->focus && win->nr_syncs <= MAX_STRIPS;
	double space = cpus <= 8 ? 14 : cpus <= 16 ? 8 : cpus <= 32 ? 4 : cpus <= 64 ? 2 : 1;

	p->height = 26 + 17 + (p->line[1][0] ? 17 : 0) + 8;
	add_row(p, XLV_ROW_AXIS, 18, 4, 0);
	if (p->focus && p->d.nr_segments) {
		if (p->focus->T1_ns != XLV_NONE)
			add_row(p, XLV_ROW_BRACKETS, 3 * 18, 4, 0);
		add_row(p, XLV_ROW_BAND, 34, 0, 0);
		if (has_parts(p))
			add_row(p, XLV_ROW_PARTS, 15, 0, 0);
		p->height += 3;
		if (layout_callouts(p, ruler, palette))
			return -1;
		p->height += 8;
	}
	for (int32_t i = 0; p->focus && i < win->nr_tasks; i++)
		if (win->tasks[i].pid == p->focus->pid)
			add_row(p, XLV_ROW_TASK, 22, 8, i);
	for (int32_t i = 0; i < win->nr_tasks && i < MAX_TASKS; i++) {
		bool roomy = !p->focus && win->nr_tasks <= 8;

		if (p->focus && win->tasks[i].pid == p->focus->pid)
			continue;
		add_row(p, XLV_ROW_TASK, roomy ? 22 : 12, roomy ? strips ? 1 : 8 : 3, i);
		if (strips)
			add_row(p, XLV_ROW_STRIP, 7, 8, i);
	}
	if (win->nr_tasks > MAX_TASKS)
		add_row(p, XLV_ROW_MORE_TASKS, 14, 4, win->nr_tasks - MAX_TASKS);
	p->height += 12;
	for (int32_t i = 0; i < win->nr_cpus; i++)
		if (p->cpu_drawn[i])
			add_row(p, XLV_ROW_CPU, cpu_h, space, i);
	if (cpus < win->nr_cpus)
		add_row(p, XLV_ROW_FOLDED, 20, 8, win->nr_cpus - cpus);
	p->height += 6;
	if (p->iclog_rows)
		add_row(p, XLV_ROW_ICLOGS, win->nr_iclogs > XLV_MAX_BARS ? DENSITY_ROW :
			p->iclog_rows * XLV_BAR_ROW, 10, 0);
	for (int k = 0; k < p->nr_devs; k++)
		if (p->bio_rows[k])
			add_row(p, XLV_ROW_DEVICE, p->bios[k] > XLV_MAX_BARS ? DENSITY_ROW :
				p->bio_rows[k] * XLV_BAR_ROW, 8, k);
	return p->failed ? -1 : 0;
}

void xlv_panel_free(struct xlv_panel *p)
{
	xlv_detail_free(&p->d);
	xlv_window_free(p->win);
	free(p->rows);
	free(p->cpu_drawn);
	free(p->callouts);
	free(p->bio_row);
	free(p->iclog_row);
}

/* The tasks that a sync shares its iclog with come along in its panel. */
int xlv_panel_init(struct xlv_panel *p, struct xlv_trace *t, const struct xlv_run *run,
		   const struct xlv_sync *focus, int64_t from_ns, int64_t to_ns, double width,
		   struct xlv_ruler *ruler, const struct xlv_paint *palette,
		   struct xlv_error *err)
{
	struct xlv_window_opts wo = { 0 };
	int64_t boxes;

	p->run = run;
	p->focus = focus;
	p->scale.x = XLV_PAGE_MARGIN + XLV_GUTTER;
	p->scale.width = width - 2 * XLV_PAGE_MARGIN - XLV_GUTTER;
	if (focus) {
		int64_t span = xlv_sync_end_ns(focus, run) - focus->start_ns;

		if (span < 100)		/* never ended, or by clocks that differ */
			span = 100;
		if (xlv_sync_detail(run, focus, &p->d))
			return xlv_fail(err, "not enough memory for a picture");
		from_ns = focus->start_ns - span / 9;
		to_ns = focus->start_ns + span + span / 9 + 1;
		snprintf(p->prefix, sizeof(p->prefix), "s%d-", focus->id);
	} else {
		snprintf(p->prefix, sizeof(p->prefix), "w-");
	}
	wo.from_ns = from_ns;
	wo.to_ns = to_ns;
	/* Of a sync few CPUs are drawn, of a window maybe all. */
	boxes = MAX_BOXES / (focus || run->info->nr_cpus < 16 ? 16 : run->info->nr_cpus);
	if (boxes > 2 * p->scale.width)
		boxes = 2 * p->scale.width;
	wo.res_ns = (to_ns - from_ns) / boxes;
	p->win = xlv_window_read(t, run, &wo, err);
	if (!p->win)
		return -1;
	p->scale.from_ns = p->win->from_ns;
	p->scale.to_ns = p->win->to_ns;
	p->scale.zero_ns = focus ? focus->start_ns : p->win->from_ns;
	p->cpu_drawn = calloc(p->win->nr_cpus + 1, sizeof(*p->cpu_drawn));
	if (!p->cpu_drawn || layout_bios(p) || layout_iclogs(p))
		return xlv_fail(err, "not enough memory for a picture");
	choose_cpus(p);
	if (focus)
		describe_focus(p);
	else
		describe_window(p);
	if (layout_rows(p, ruler, palette))
		return xlv_fail(err, "not enough memory for a picture");
	return 0;
}
