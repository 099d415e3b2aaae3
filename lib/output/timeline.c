// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A panel is laid out as a list of rows before anything is drawn, since a page
 * must know its height; then each row is drawn at its place.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/words.h"
#include "output/lanes.h"
#include "output/scale.h"
#include "output/timeline.h"
#include "output/utf8.h"

#define GUTTER		150.0	/* left of the lanes: their names */
#define MARGIN		XLV_PAGE_MARGIN
#define MAX_TASKS	24
#define MAX_ICLOG_ROWS	8
#define MAX_BIO_ROWS	6
#define MAX_DEVICES	4
#define MAX_CALLOUT_ROWS 4
#define CALLOUT_ROW	14.0
#define PANEL_SPACE	24.0
#define MAX_BOXES	40000	/* in the lanes of a panel, which bounds its size */
#define MAX_ARROWS	250
#define MAX_BARS	500	/* iclogs or bios of a lane; more are drawn as densities */
#define DENSITY_ROW	34.0
#define MAX_STRIPS	80	/* syncs in a window whose stages are drawn */
#define MAX_TIPS	900
#define MAX_NARROW	1024

enum row_kind {
	ROW_AXIS, ROW_BRACKETS, ROW_BAND, ROW_PARTS, ROW_CALLOUTS, ROW_TASK, ROW_STRIP, ROW_MORE_TASKS,
	ROW_CPU, ROW_FOLDED, ROW_ICLOGS, ROW_DEVICE, ROW_GAP,
};

struct row {
	enum row_kind	kind;
	double		y, h;		/* from the panel's top; without the space below */
	int32_t		index;		/* of the task or CPU lane; the device */
};

struct callout {
	double		x, width;	/* of the leader and the text */
	bool		before;		/* the text ends at the leader */
	int		row;		/* -1: no place */
	char		text[96];
};

struct panel {
	const struct xlv_run	*run;
	const struct xlv_sync	*focus;		/* NULL: a window */
	struct xlv_detail	d;
	struct xlv_window	*win;
	struct xlv_scale	scale;
	const char		*what;		/* "median", "slowest" ...; NULL */
	char			prefix[24];
	char			heading[256];
	char			line[2][512];
	struct row		*rows;
	int			nr_rows, rows_size;
	bool			*cpu_drawn;	/* by index in win->cpus */
	int			nr_cpus_drawn;
	struct callout		*callouts;
	int			nr_callouts;
	uint32_t		devs[MAX_DEVICES];
	int			bio_rows[MAX_DEVICES], nr_devs;
	int			bios[MAX_DEVICES];	/* how many to draw */
	int32_t			*bio_row;	/* by index in win->bios; -1 */
	int32_t			*iclog_row;	/* by index in win->iclogs; -1 */
	int			iclog_rows;
	int			tips;
	int			undrawn_arrows;
	double			height;
};

struct narrow {
	int	paint;
	double	x, y, w, h;
};

struct canvas {
	struct xlv_surface	*s;
	const struct xlv_paint	*palette;
	struct xlv_legend	*legend;
	struct panel		*p;
	double			top;		/* of the panel */
	struct narrow		boxes[MAX_NARROW];	/* pieces not drawn yet */
	int			nr_boxes;
};

static int64_t sync_end_ns(const struct xlv_sync *s, const struct xlv_run *run)
{
	return s->span_ns == XLV_NONE ? run->info->end_ns : s->start_ns + s->span_ns;
}

static void dev_name(char *buf, size_t size, uint32_t dev)
{
	snprintf(buf, size, "%u:%u", dev >> 20, dev & 0xfffff);
}

/* ---- what a panel shows ---- */

static struct row *add_row(struct panel *p, enum row_kind kind, double h, double space,
			   int32_t index)
{
	struct row *r;

	if (p->nr_rows == p->rows_size) {
		int size = p->rows_size ? p->rows_size * 2 : 32;
		struct row *more = realloc(p->rows, size * sizeof(*more));

		if (!more)
			return NULL;
		p->rows = more;
		p->rows_size = size;
	}
	r = &p->rows[p->nr_rows++];
	*r = (struct row){ .kind = kind, .y = p->height, .h = h, .index = index };
	p->height += h + space;
	return r;
}

static int32_t lane_of_cpu(const struct panel *p, int32_t cpu)
{
	for (int32_t i = 0; i < p->win->nr_cpus; i++)
		if (p->win->cpus[i].cpu == cpu)
			return i;
	return -1;
}

static void draw_cpu(struct panel *p, int32_t cpu)
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

static void choose_cpus(struct panel *p)
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

static int64_t bio_start(const struct xlv_bio *b)
{
	return b->queue_ns != XLV_NONE ? b->queue_ns :
	       b->issue_ns != XLV_NONE ? b->issue_ns : b->done_ns;
}

static int64_t bio_end(const struct panel *p, const struct xlv_bio *b)
{
	return b->done_ns != XLV_NONE ? b->done_ns : p->win->to_ns;
}

static int layout_bios(struct panel *p)
{
	const struct xlv_window *win = p->win;
	int64_t row_end[MAX_DEVICES][MAX_BIO_ROWS];
	int64_t pixel = (win->to_ns - win->from_ns) / p->scale.width;

	p->bio_row = malloc((win->nr_bios + 1) * sizeof(*p->bio_row));
	if (!p->bio_row)
		return -1;
	for (int i = 0; i < MAX_DEVICES; i++)
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
			if (k == p->nr_devs && p->nr_devs < MAX_DEVICES)
				p->devs[p->nr_devs++] = win->bios[i].dev;
		}
	for (int32_t i = 0; i < win->nr_bios; i++) {
		const struct xlv_bio *b = &win->bios[i];
		int k = 0, r;

		p->bio_row[i] = -1;
		while (k < p->nr_devs && p->devs[k] != b->dev)
			k++;
		if (k == p->nr_devs || bio_end(p, b) < win->from_ns || bio_start(b) >= win->to_ns)
			continue;
		p->bios[k]++;
		r = pack(row_end[k], MAX_BIO_ROWS, bio_start(b), bio_end(p, b) + pixel);
		p->bio_row[i] = r;
		if (r >= p->bio_rows[k])
			p->bio_rows[k] = r + 1;
	}
	return 0;
}

static int layout_iclogs(struct panel *p)
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

		xlv_iclog_life(&win->run->iclogs[win->iclogs[i]], win->to_ns, life);
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

static void stage_text(const struct panel *p, const struct xlv_segment *g, char *name, size_t n)
{
	struct xlv_word w;

	snprintf(name, n, "%s %s", xlv_stage_name(g->stage), xlv_word_ns(&w, g->ns));
	if (g->wake >= 0 && g->wake < p->d.nr_wakes && p->d.wakes[g->wake].ns > 0 &&
	    p->d.wakes[g->wake].cause < XLV_PART_COUNT)
		xlv_print(name, n, " (%s)", xlv_part_name(p->d.wakes[g->wake].cause));
}

/* "log-io 120 us (42 %), cil-queue ...": the longest stages of a sync. */
static void where_time_went(const struct panel *p, char *buf, size_t size)
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

static void describe_T4(const struct panel *p, char *buf, size_t size)
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

static void describe_focus(struct panel *p)
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
	xlv_print(p->line[0], sizeof(p->line[0]), ", CPUs %s (task, CIL worker, submitter, I/O, "
	      "log worker, task)", s->placement);
	if (s->group_size > 1)
		xlv_print(p->line[0], sizeof(p->line[0]), ", woken %d of %d", s->group_pos,
		      s->group_size);
	if (s->reasons)
		xlv_print(p->line[0], sizeof(p->line[0]), "; partial: its figures are incomplete");
	if (s->span_ns > 0 && p->d.nr_segments) {
		where_time_went(p, p->line[1], sizeof(p->line[1]));
		describe_T4(p, p->line[1], sizeof(p->line[1]));
	}
}

static void describe_window(struct panel *p)
{
	const struct xlv_window *win = p->win;
	struct xlv_word w, at;

	snprintf(p->heading, sizeof(p->heading), "%s of the recording, %s after its start",
		 xlv_word_ns(&w, win->to_ns - win->from_ns),
		 xlv_word_ns(&at, win->from_ns - p->run->info->start_ns));
	snprintf(p->line[0], sizeof(p->line[0]),
		 "%d syncs by %d tasks, %d CIL pushes, %d iclog writes", win->nr_syncs,
		 win->nr_tasks, win->nr_pushes, win->nr_iclogs);
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

/*
 * Labels of stages too narrow for them, in rows below the band, each beside a
 * leader. Those near the right edge stand left of their leader and are placed from
 * left to right, the others right of it, from right to left: so a leader to a deeper
 * row never crosses a text above.
 */
static int layout_callouts(struct panel *p, struct xlv_ruler *ruler,
			   const struct xlv_paint *palette)
{
	double left = p->scale.x, right = p->scale.x + p->scale.width;
	double taken_to[MAX_CALLOUT_ROWS], taken_from[MAX_CALLOUT_ROWS];
	const struct xlv_paint *font = &palette[P_SMALL];
	int rows = 0, r;

	p->callouts = calloc(p->d.nr_segments + 1, sizeof(*p->callouts));
	if (!p->callouts)
		return -1;
	for (r = 0; r < MAX_CALLOUT_ROWS; r++) {
		taken_to[r] = left;
		taken_from[r] = right + 4;
	}
	for (int32_t i = 0; i < p->d.nr_segments; i++) {
		const struct xlv_segment *g = &p->d.segments[i];
		double x1 = xlv_scale_x(&p->scale, g->start_ns);
		double x2 = xlv_scale_x(&p->scale, g->start_ns + g->ns);
		struct callout *c = &p->callouts[p->nr_callouts];

		if (x2 - x1 < 1.5 || label_fits(ruler, palette, g, x2 - x1))
			continue;
		stage_text(p, g, c->text, sizeof(c->text));
		c->x = (x1 + x2) / 2;
		c->width = xlv_ruler_width(ruler, font->size, font->bold, c->text) + 8;
		c->row = -1;
		c->before = c->x + c->width > right;
		p->nr_callouts++;
		for (r = 0; c->before && r < MAX_CALLOUT_ROWS; r++)
			if (c->x - c->width >= taken_to[r])
				break;
		if (!c->before || r == MAX_CALLOUT_ROWS)
			continue;
		c->row = r;
		taken_to[r] = c->x + 2;
		taken_from[r] = fmin(taken_from[r], c->x - c->width);
		for (int k = 0; k < r; k++) {
			taken_to[k] = fmax(taken_to[k], c->x + 2);
			taken_from[k] = fmin(taken_from[k], c->x - 2);
		}
	}
	for (int i = p->nr_callouts - 1; i >= 0; i--) {
		struct callout *c = &p->callouts[i];

		for (r = 0; !c->before && r < MAX_CALLOUT_ROWS; r++)
			if (c->x + c->width <= taken_from[r])
				break;
		if (c->before || r == MAX_CALLOUT_ROWS)
			continue;
		c->row = r;
		taken_from[r] = c->x - 2;
		for (int k = 0; k < r; k++)
			taken_from[k] = fmin(taken_from[k], c->x - 2);
	}
	for (int i = 0; i < p->nr_callouts; i++)
		rows = p->callouts[i].row + 1 > rows ? p->callouts[i].row + 1 : rows;
	if (rows)
		add_row(p, ROW_CALLOUTS, rows * CALLOUT_ROW, 8, 0);
	return 0;
}

static bool has_parts(const struct panel *p)
{
	for (int32_t i = 0; i < p->d.nr_segments; i++) {
		const struct xlv_segment *g = &p->d.segments[i];

		if (g->wake >= 0 && xlv_scale_x(&p->scale, g->start_ns + g->ns) -
		    xlv_scale_x(&p->scale, g->start_ns) > 12)
			return true;
	}
	return false;
}

static int layout_rows(struct panel *p, struct xlv_ruler *ruler, const struct xlv_paint *palette)
{
	const struct xlv_window *win = p->win;
	int cpus = p->nr_cpus_drawn;
	double cpu_h = cpus <= 8 ? 22 : cpus <= 16 ? 17 : cpus <= 32 ? 12 : cpus <= 64 ? 8 : 5;
	bool strips = !p->focus && win->nr_syncs <= MAX_STRIPS;
	double space = cpus <= 8 ? 14 : cpus <= 16 ? 8 : cpus <= 32 ? 4 : cpus <= 64 ? 2 : 1;

	p->height = 26 + 17 + (p->line[1][0] ? 17 : 0) + 8;
	add_row(p, ROW_AXIS, 18, 4, 0);
	if (p->focus && p->d.nr_segments) {
		if (p->focus->T1_ns != XLV_NONE)
			add_row(p, ROW_BRACKETS, 3 * 18, 4, 0);
		add_row(p, ROW_BAND, 34, 0, 0);
		if (has_parts(p))
			add_row(p, ROW_PARTS, 15, 0, 0);
		p->height += 3;
		if (layout_callouts(p, ruler, palette))
			return -1;
		p->height += 8;
	}
	for (int32_t i = 0; p->focus && i < win->nr_tasks; i++)
		if (win->tasks[i].pid == p->focus->pid)
			add_row(p, ROW_TASK, 22, 8, i);
	for (int32_t i = 0; i < win->nr_tasks && i < MAX_TASKS; i++) {
		bool roomy = !p->focus && win->nr_tasks <= 8;

		if (p->focus && win->tasks[i].pid == p->focus->pid)
			continue;
		add_row(p, ROW_TASK, roomy ? 22 : 12, roomy ? strips ? 1 : 8 : 3, i);
		if (strips)
			add_row(p, ROW_STRIP, 7, 8, i);
	}
	if (win->nr_tasks > MAX_TASKS)
		add_row(p, ROW_MORE_TASKS, 14, 4, win->nr_tasks - MAX_TASKS);
	p->height += 12;
	for (int32_t i = 0; i < win->nr_cpus; i++)
		if (p->cpu_drawn[i])
			add_row(p, ROW_CPU, cpu_h, space, i);
	if (cpus < win->nr_cpus)
		add_row(p, ROW_FOLDED, 20, 8, win->nr_cpus - cpus);
	p->height += 6;
	if (p->iclog_rows)
		add_row(p, ROW_ICLOGS, win->nr_iclogs > MAX_BARS ? DENSITY_ROW :
			p->iclog_rows * 15.0, 10, 0);
	for (int k = 0; k < p->nr_devs; k++)
		if (p->bio_rows[k])
			add_row(p, ROW_DEVICE, p->bios[k] > MAX_BARS ? DENSITY_ROW :
				p->bio_rows[k] * 15.0, 8, k);
	for (int i = 0; i < p->nr_rows; i++)
		if (!p->rows)
			return -1;
	return 0;
}

static void panel_free(struct panel *p)
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
static int panel_init(struct panel *p, struct xlv_trace *t, const struct xlv_run *run,
		      const struct xlv_sync *focus, int64_t from_ns, int64_t to_ns, double width,
		      struct xlv_ruler *ruler, const struct xlv_paint *palette,
		      struct xlv_error *err)
{
	struct xlv_window_opts wo = { 0 };
	int64_t boxes;

	p->run = run;
	p->focus = focus;
	p->scale.x = MARGIN + GUTTER;
	p->scale.width = width - 2 * MARGIN - GUTTER;
	if (focus) {
		int64_t span = sync_end_ns(focus, run) - focus->start_ns;

		if (xlv_sync_detail(run, focus, &p->d))
			return xlv_fail(err, "not enough memory for a picture");
		from_ns = focus->start_ns - span / 12;
		to_ns = focus->start_ns + span + span / 12 + 1;
		snprintf(p->prefix, sizeof(p->prefix), "s%d-", focus->id);
	} else {
		snprintf(p->prefix, sizeof(p->prefix), "w-");
	}
	wo.from_ns = from_ns;
	wo.to_ns = to_ns;
	boxes = MAX_BOXES / (run->info->nr_cpus > 4 ? run->info->nr_cpus : 4);
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

/* ---- drawing ---- */

static double at(const struct canvas *c, int64_t ts_ns)
{
	return xlv_scale_x(&c->p->scale, ts_ns);
}

static void row_name(struct canvas *c, const struct row *r, const char *name, const char *more)
{
	double x = MARGIN + GUTTER - 10, y = c->top + r->y + r->h / 2 + 4;
	double w = GUTTER - 16;

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

static void row_background(struct canvas *c, const struct row *r)
{
	xlv_rect(c->s, P_LANE, c->p->scale.x, c->top + r->y, c->p->scale.width, r->h, NULL);
}

static void group(struct canvas *c, const char *class, const char *title, const char *data,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void group(struct canvas *c, const char *class, const char *title, const char *data,
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

static void draw_axis(struct canvas *c, const struct row *r)
{
	const struct xlv_scale *sc = &c->p->scale;
	int64_t range = sc->to_ns - sc->from_ns;
	int64_t step = xlv_tick_step(range, sc->width / 75);
	int64_t first = sc->from_ns - sc->zero_ns, rel;
	double y = c->top + r->y + r->h, bottom = c->top + c->p->height - 6;
	char label[32];

	group(c, "axis", NULL, NULL, "axis");
	first = first / step * step;
	for (rel = first; rel < sc->to_ns - sc->zero_ns; rel += step) {
		double x;

		if (rel < sc->from_ns - sc->zero_ns)
			continue;
		x = at(c, sc->zero_ns + rel);
		xlv_line(c->s, P_GRID, x, y, x, bottom);
		xlv_tick_label(label, sizeof(label), rel, step);
		if (x > sc->x + 25 || !rel)
			xlv_text(c->s, P_MUTED, x > sc->x + sc->width - 20 ? XLV_RIGHT : XLV_MIDDLE,
				 x, y - 5, label);
	}
	xlv_line(c->s, P_AXIS, sc->x, y, sc->x + sc->width, y);
	xlv_text(c->s, P_MUTED, XLV_RIGHT, sc->x - 10, y - 5,
		 c->p->focus ? "time from its start" : "time in the window");
	xlv_group_end(c->s);
}

/* @left: a label that doesn't fit between the ends stands left of them, not right. */
static void draw_bracket(struct canvas *c, int n, double y, int64_t from_ns, int64_t to_ns,
			 int64_t ns, const char *name, bool left)
{
	double x1 = at(c, from_ns), x2 = at(c, to_ns), w, x;
	char text[160], data[96];
	struct xlv_word word;

	snprintf(data, sizeof(data), "data-start=\"%" PRId64 "\" data-ns=\"%" PRId64 "\"", from_ns,
		 ns);
	snprintf(text, sizeof(text), "T%d %s %s", n, name, xlv_word_ns(&word, ns));
	group(c, "bracket", text, data, "T%d", n);
	xlv_path_move(c->s, x1, y + 7);
	xlv_path_line(c->s, x1, y);
	xlv_path_line(c->s, x2, y);
	xlv_path_line(c->s, x2, y + 7);
	xlv_path_draw(c->s, P_BRACKET, NULL);
	w = xlv_text_width(c->s, P_HEADING, text);
	if (w > x2 - x1 - 12) {
		snprintf(text, sizeof(text), "T%d %s", n, word.s);
		w = xlv_text_width(c->s, P_HEADING, text);
	}
	x = (x1 + x2) / 2 - w / 2;
	if (w <= x2 - x1 - 12)
		xlv_rect(c->s, P_PAGE, x - 4, y - 7, w + 8, 14, NULL);
	else if ((left && x1 - w - 6 > c->p->scale.x) ||
		 x2 + w + 6 > c->p->scale.x + c->p->scale.width)
		x = x1 - w - 6;
	else
		x = x2 + 6;
	xlv_text(c->s, P_HEADING, XLV_LEFT, x, y + 4.5, text);
	xlv_group_end(c->s);
}

static const struct xlv_wait *force_wait(const struct panel *p)
{
	const struct xlv_wait *last = NULL;

	for (int32_t i = 0; i < p->d.nr_waits; i++)
		if (p->d.waits[i].queue == XLV_QUEUE_FORCE &&
		    p->d.waits[i].wake.running_ns != XLV_NONE)
			last = &p->d.waits[i];
	return last;
}

static void draw_brackets(struct canvas *c, const struct row *r)
{
	const struct xlv_sync *s = c->p->focus;
	const struct xlv_wait *fw = force_wait(c->p);
	double y = c->top + r->y + 8;

	if (s->T1_ns != XLV_NONE)
		draw_bracket(c, 1, y, s->force.enter_ns, s->force.exit_ns, s->T1_ns, "log force",
			     true);
	if (s->T2_ns != XLV_NONE)
		draw_bracket(c, 2, y + 18, s->cil_force.enter_ns, s->cil_force.exit_ns, s->T2_ns,
			     "CIL force", true);
	if (s->T3_ns != XLV_NONE && fw)
		draw_bracket(c, 3, y + 18, fw->wake.running_ns - s->T3_ns, fw->wake.running_ns,
			     s->T3_ns, "sleep on the iclog", false);
	if (s->T4_ns != XLV_NONE && fw)
		draw_bracket(c, 4, y + 36, fw->wake.waking_ns, fw->wake.running_ns, s->T4_ns,
			     "its wake-up", false);
}

static void tip_who(char *title, size_t size, const char *comm, int32_t pid, int32_t cpu)
{
	char name[64];

	if (pid > 0)
		xlv_print(title, size, "\n%s (pid %d)", xlv_task_name(name, sizeof(name), comm, pid), pid);
	if (cpu >= 0)
		xlv_print(title, size, "%s CPU %d", pid > 0 ? " on" : "\non", cpu);
}

static void tip_when(const struct panel *p, char *title, size_t size, int64_t start_ns)
{
	struct xlv_word w;
	int64_t rel = start_ns - p->scale.zero_ns;

	xlv_print(title, size, "\nat %s%s", rel < 0 ? "-" : "+",
	      xlv_word_ns(&w, rel < 0 ? -rel : rel));
}

static void wake_words(char *buf, size_t size, const struct xlv_wake *w)
{
	char waker[64], wakee[64];
	struct xlv_word word;

	xlv_task_name(waker, sizeof(waker), w->waker_comm, w->waker_pid);
	xlv_task_name(wakee, sizeof(wakee), w->comm, w->pid);
	xlv_print(buf, size, "%s%s on CPU %d wakes %s, which runs on CPU %d after %s",
	      w->waker_context == XLV_FROM_TASK ? "" : "an interrupt over ", waker, w->waker_cpu,
	      wakee, w->to_cpu, xlv_word_ns(&word, w->running_ns - w->waking_ns));
	if (w->distance != XLV_DIST_UNKNOWN)
		xlv_print(buf, size, " (%s)", xlv_distance_name(w->distance));
}

static void draw_band(struct canvas *c, const struct row *r)
{
	const struct panel *p = c->p;
	double y = c->top + r->y;
	struct xlv_word word;

	row_name(c, r, "critical path", "stages add up to the span");
	for (int32_t i = 0; i < p->d.nr_segments; i++) {
		const struct xlv_segment *g = &p->d.segments[i];
		double x1 = at(c, g->start_ns), x2 = at(c, g->start_ns + g->ns);
		int paint = P_STAGE + g->stage, on = xlv_palette_on(c->palette, paint, false);
		char title[768] = "", data[96];

		xlv_print(title, sizeof(title), "%s: %s", xlv_stage_name(g->stage),
		      xlv_word_ns(&word, g->ns));
		if (g->what) {
			struct xlv_word what;

			xlv_print(title, sizeof(title), ", %s", xlv_word_name(&what, g->what));
		}
		tip_who(title, sizeof(title), g->comm, g->pid, g->cpu);
		tip_when(p, title, sizeof(title), g->start_ns);
		if (g->wake >= 0 && p->d.wakes[g->wake].wake.waking_ns != XLV_NONE) {
			xlv_print(title, sizeof(title), "\n");
			wake_words(title, sizeof(title), &p->d.wakes[g->wake].wake);
		}
		snprintf(data, sizeof(data), "data-start=\"%" PRId64 "\" data-ns=\"%" PRId64 "\"",
			 g->start_ns, g->ns);
		group(c, "stage", title, data, "stage-%d", i);
		xlv_rect(c->s, paint, x1, y, x2 - x1, r->h, NULL);
		xlv_legend_use(c->legend, paint);
		xlv_word_ns(&word, g->ns);
		if (fmax(xlv_text_width(c->s, on, xlv_stage_name(g->stage)),
			 xlv_text_width(c->s, on, word.s)) <= x2 - x1 - 6) {
			xlv_text(c->s, on, XLV_MIDDLE, (x1 + x2) / 2, y + 15,
				 xlv_stage_name(g->stage));
			xlv_text(c->s, on, XLV_MIDDLE, (x1 + x2) / 2, y + 28, word.s);
		}
		xlv_group_end(c->s);
		if (i && x2 - x1 > 1)
			xlv_line(c->s, P_RULE, x1, y, x1, y + r->h);
	}
}

static void draw_parts(struct canvas *c, const struct row *r)
{
	const struct panel *p = c->p;
	double y = c->top + r->y;

	row_name(c, r, "of which wake-up", NULL);
	for (int32_t i = 0; i < p->d.nr_segments; i++) {
		const struct xlv_segment *g = &p->d.segments[i];
		const struct xlv_path_wake *w = g->wake < 0 ? NULL : &p->d.wakes[g->wake];
		int64_t t = g->start_ns, sum = 0;

		if (!w)
			continue;
		for (int k = 0; k < XLV_PART_COUNT; k++)
			sum += w->parts_ns[k];
		/* The wake is at the end of its segment. */
		if (sum < g->ns)
			t += g->ns - sum;
		for (int k = 0; k < XLV_PART_COUNT; k++) {
			double x1 = at(c, t), x2 = at(c, t + w->parts_ns[k]);
			char title[256] = "";
			struct xlv_word word;
			int paint = P_PART + k, on;

			if (w->parts_ns[k] <= 0)
				continue;
			t += w->parts_ns[k];
			if (x2 - x1 < 0.3)
				continue;
			xlv_print(title, sizeof(title), "%s: %s of the wake-up", xlv_part_name(k),
			      xlv_word_ns(&word, w->parts_ns[k]));
			if (k == XLV_PART_OTHER_TASK && w->wake.other_comm) {
				struct xlv_word who;

				xlv_print(title, sizeof(title), "\nlongest: %s",
				      xlv_word_name(&who, w->wake.other_comm));
			}
			if (k == XLV_PART_IDLE_EXIT && w->wake.cstate >= 0)
				xlv_print(title, sizeof(title), "\nC-state %d", w->wake.cstate);
			xlv_rect(c->s, paint, x1, y, x2 - x1, r->h, title);
			xlv_legend_use(c->legend, paint);
			on = xlv_palette_on(c->palette, paint, true);
			if (xlv_text_width(c->s, on, xlv_part_name(k)) <= x2 - x1 - 4)
				xlv_text(c->s, on, XLV_MIDDLE, (x1 + x2) / 2, y + 10.5,
					 xlv_part_name(k));
		}
	}
}

static void draw_callouts(struct canvas *c, const struct row *r)
{
	double top = c->top + r->y;

	for (int i = 0; i < c->p->nr_callouts; i++) {
		const struct callout *k = &c->p->callouts[i];
		double y = top + k->row * CALLOUT_ROW;

		if (k->row < 0)
			continue;
		xlv_line(c->s, P_LEADER, k->x, top - 3, k->x, y + 12);
		xlv_text(c->s, P_SMALL, k->before ? XLV_RIGHT : XLV_LEFT,
			 k->x + (k->before ? -3 : 3), y + 11, k->text);
	}
}

/* Draws the narrow pieces so far, one path for each paint. */
static void flush_pieces(struct canvas *c)
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
static void fit_label(struct canvas *c, int on, double x, double y, double width,
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
 * no tool tip of their own, and are drawn together by flush_pieces().
 */
static void draw_piece(struct canvas *c, const struct row *r, int paint, double x1, double x2,
		       const char *label, const char *brief, const char *title)
{
	double y = c->top + r->y, w = fmax(x2 - x1, 0.4);
	bool tiny = r->h < 16;

	xlv_legend_use(c->legend, paint);
	if (w < 2 || c->p->tips >= MAX_TIPS) {
		if (c->nr_boxes == MAX_NARROW)
			flush_pieces(c);
		c->boxes[c->nr_boxes++] = (struct narrow){ paint, x1, y, w, r->h };
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
static void draw_columns(struct canvas *c, const struct row *r, int first_paint, int count,
			 int skip, const int64_t *(*shares)(const void *pieces, int32_t i,
			 int64_t *start_ns, int64_t *end_ns), const void *pieces, int32_t n)
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

static const int64_t *task_shares(const void *pieces, int32_t i, int64_t *start, int64_t *end)
{
	const struct xlv_task_piece *p = (const struct xlv_task_piece *)pieces + i;

	*start = p->start_ns;
	*end = p->end_ns;
	return p->where_ns;
}

static const int64_t *cpu_shares(const void *pieces, int32_t i, int64_t *start, int64_t *end)
{
	const struct xlv_piece *p = (const struct xlv_piece *)pieces + i;

	*start = p->start_ns;
	*end = p->end_ns;
	return p->work_ns;
}

static void task_label(const struct xlv_task_piece *k, char *label, size_t size, char *brief,
		       size_t brief_size)
{
	const char *queue = k->queue == XLV_QUEUE_OTHER && k->what ? k->what :
			    k->queue < XLV_QUEUE_COUNT ? xlv_queue_name(k->queue) : NULL;

	*label = *brief = '\0';
	switch (k->where) {
	case XLV_TASK_AT_RUNNING:
		snprintf(label, size, "on CPU %d", k->cpu);
		snprintf(brief, brief_size, "CPU %d", k->cpu);
		break;
	case XLV_TASK_AT_RUNNABLE:
		snprintf(label, size, "runnable");
		break;
	case XLV_TASK_AT_ASLEEP:
		snprintf(label, size, queue ? "asleep: %s" : "asleep", queue);
		snprintf(brief, brief_size, "%.40s", queue ? queue : "");
		break;
	}
}

static void draw_task(struct canvas *c, const struct row *r)
{
	const struct xlv_task_lane *lane = &c->p->win->tasks[r->index];
	char name[96], pid[32], label[128], brief[64], title[384];
	struct xlv_word word;

	xlv_task_name(name, sizeof(name), lane->comm, lane->pid);
	snprintf(pid, sizeof(pid), "pid %d", lane->pid);
	group(c, "task-lane", NULL, NULL, "task-%d", lane->pid);
	row_background(c, r);
	if (r->h < 20)
		xlv_print(name, sizeof(name), " %d", lane->pid);
	row_name(c, r, name, pid);
	draw_columns(c, r, P_WHERE, XLV_TASK_AT_COUNT, XLV_TASK_AT_ASLEEP + XLV_QUEUE_COUNT,
		     task_shares, lane->pieces, lane->nr_pieces);
	for (int32_t i = 0; i < lane->nr_pieces; i++) {
		const struct xlv_task_piece *k = &lane->pieces[i];
		int paint = P_WHERE + k->where;

		if (k->where_ns)
			continue;
		if (k->where == XLV_TASK_AT_ASLEEP)
			paint += k->queue;
		if (k->where == XLV_TASK_AT_RUNNING && !k->sync)
			paint = P_WORK + XLV_WORK_SYNCER;
		task_label(k, label, sizeof(label), brief, sizeof(brief));
		snprintf(title, sizeof(title), "%s %s for %s", name, label,
			 xlv_word_ns(&word, k->end_ns - k->start_ns));
		tip_when(c->p, title, sizeof(title), k->start_ns);
		if (k->sync)
			xlv_print(title, sizeof(title), "\nin sync %d", k->sync);
		draw_piece(c, r, paint, at(c, k->start_ns), at(c, k->end_ns), label,
			   brief, title);
	}
	flush_pieces(c);
	xlv_group_end(c->s);
}

/* The stages of a task's syncs, below its lane in a window. */
static void draw_strip(struct canvas *c, const struct row *r)
{
	const struct panel *p = c->p;
	struct xlv_detail d = { 0 };
	struct xlv_word word;
	char title[256];

	for (int32_t i = 0; i < p->win->nr_syncs; i++) {
		const struct xlv_sync *s = &p->run->syncs[p->win->syncs[i]];

		if (s->pid != p->win->tasks[r->index].pid || xlv_sync_detail(p->run, s, &d))
			continue;
		group(c, "sync", NULL, NULL, "sync-%d", s->id);
		for (int32_t k = 0; k < d.nr_segments; k++) {
			const struct xlv_segment *g = &d.segments[k];

			snprintf(title, sizeof(title), "%s: %s\nin sync %d", xlv_stage_name(g->stage),
				 xlv_word_ns(&word, g->ns), s->id);
			draw_piece(c, r, P_STAGE + g->stage, at(c, g->start_ns),
				   at(c, g->start_ns + g->ns), NULL, NULL, title);
		}
		flush_pieces(c);
		xlv_group_end(c->s);
	}
	xlv_detail_free(&d);
}

static void cpu_label(const struct xlv_piece *k, char *label, size_t size)
{
	switch (k->work) {
	case XLV_WORK_CIL_WORKER:
		snprintf(label, size, "CIL push");
		break;
	case XLV_WORK_LOG_WORKER:
		snprintf(label, size, "log worker");
		break;
	case XLV_WORK_IO_DONE:
	case XLV_WORK_IRQ:
		xlv_show(label, size, k->func && *k->func ? k->func :
			 k->context == XLV_FROM_SOFTIRQ ? "softirq" : "irq", true);
		break;
	case XLV_WORK_IDLE:
	case XLV_WORK_UNKNOWN:
		*label = '\0';
		break;
	default:
		xlv_task_name(label, size, k->func ? k->func : k->comm, k->pid);
	}
}

static void cpu_title(const struct panel *p, const struct xlv_piece *k, int32_t cpu, char *title,
		      size_t size)
{
	char label[96], name[64];
	struct xlv_word word;

	cpu_label(k, label, sizeof(label));
	snprintf(title, size, "CPU %d: %s for %s", cpu, *label ? label : xlv_work_name(k->work),
		 xlv_word_ns(&word, k->end_ns - k->start_ns));
	if (k->pid > 0)
		xlv_print(title, size, "\n%s%s (pid %d)", k->work == XLV_WORK_IO_DONE ||
		      k->work == XLV_WORK_IRQ ? "over " : "",
		      xlv_task_name(name, sizeof(name), k->comm, k->pid), k->pid);
	if (k->func && k->work != XLV_WORK_IRQ && k->work != XLV_WORK_IO_DONE)
		xlv_print(title, size, ", %s", xlv_show(name, sizeof(name), k->func, true) ? name : "");
	tip_when(p, title, size, k->start_ns);
	if (k->sync)
		xlv_print(title, size, "\nin sync %d", k->sync);
	if (k->preempted)
		xlv_print(title, size, "\npreempted at its end");
}

static void draw_cpu_lane(struct canvas *c, const struct row *r)
{
	const struct xlv_cpu_lane *lane = &c->p->win->cpus[r->index];
	char name[32], more[48], label[96], title[512];
	int64_t known = 0, busy = 0;
	struct xlv_word word;

	for (int k = XLV_WORK_IDLE; k < XLV_WORK_COUNT; k++) {
		known += lane->work_ns[k];
		busy += k == XLV_WORK_IDLE ? 0 : lane->work_ns[k];
	}
	snprintf(name, sizeof(name), "CPU %d", lane->cpu);
	snprintf(more, sizeof(more), "busy %s",
		 xlv_word_share(&word, known ? (double)busy / known : NAN));
	group(c, "cpu-lane", NULL, NULL, "cpu-%d", lane->cpu);
	row_background(c, r);
	if (r->h >= 9 || lane->cpu % 8 == 0) {
		if (r->h >= 9)
			row_name(c, r, name, more);
		else
			xlv_text_fit(c->s, P_SMALL, XLV_RIGHT, MARGIN + GUTTER - 10,
				     c->top + r->y + 7, GUTTER - 16, name);
	}
	draw_columns(c, r, P_WORK, XLV_WORK_COUNT, XLV_WORK_IDLE, cpu_shares, lane->pieces,
		     lane->nr_pieces);
	for (int32_t i = 0; i < lane->nr_pieces; i++) {
		const struct xlv_piece *k = &lane->pieces[i];

		if (k->work_ns || k->work == XLV_WORK_IDLE)
			continue;
		cpu_label(k, label, sizeof(label));
		cpu_title(c->p, k, lane->cpu, title, sizeof(title));
		draw_piece(c, r, P_WORK + k->work, at(c, k->start_ns), at(c, k->end_ns), label,
			   k->work == XLV_WORK_CIL_WORKER ? "CIL" :
			   k->work == XLV_WORK_LOG_WORKER ? "log" : NULL, title);
	}
	for (int32_t i = 0; i < c->p->win->nr_silences; i++) {
		const struct xlv_silence *s = &c->p->run->silences[c->p->win->silences[i]];

		if (s->cpu != lane->cpu)
			continue;
		snprintf(title, sizeof(title),
			 "CPU %d showed no sign of life for %s: taken away by the host, or "
			 "interrupts off", s->cpu, xlv_word_ns(&word, s->ns));
		draw_piece(c, r, P_SILENCE, at(c, s->start_ns), at(c, s->start_ns + s->ns), NULL,
			   NULL, title);
	}
	for (int32_t i = 0; i < c->p->win->nr_gaps; i++) {
		const struct xlv_gap *g = &c->p->win->gaps[i];

		if (g->cpu != lane->cpu)
			continue;
		if (g->count >= 0)
			snprintf(title, sizeof(title), "%" PRId64 " events of CPU %d were lost here",
				 g->count, g->cpu);
		else
			snprintf(title, sizeof(title), "events of CPU %d were lost here", g->cpu);
		draw_piece(c, r, P_GAP, at(c, g->start_ns), at(c, g->end_ns), "lost", "",
			   title);
	}
	flush_pieces(c);
	xlv_group_end(c->s);
}

/*
 * How many of a thing were in flight, by kind, as columns: what is drawn where bars
 * would be too many.
 */
struct density {
	int	columns, kinds;
	double	*sum;		/* columns of kinds: time in flight, in columns */
};

static bool density_init(struct density *d, const struct panel *p, int kinds)
{
	d->columns = p->scale.width / 2;
	d->kinds = kinds;
	d->sum = calloc((size_t)d->columns * kinds, sizeof(*d->sum));
	return d->sum;
}

static void density_add(struct density *d, const struct panel *p, int kind, int64_t from_ns,
			int64_t to_ns)
{
	double a = (xlv_scale_x(&p->scale, from_ns) - p->scale.x) / p->scale.width * d->columns;
	double b = (xlv_scale_x(&p->scale, to_ns) - p->scale.x) / p->scale.width * d->columns;

	for (int col = a; col < b && col < d->columns; col++)
		d->sum[col * d->kinds + kind] += fmin(b, col + 1) - fmax(a, col);
}

/* Draws and frees it. Returns the most that were in flight in a column. */
static double density_draw(struct canvas *c, const struct row *r, struct density *d,
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

/* CPUs without a part in it: how many were busy, as a curve of columns. */
static void draw_folded(struct canvas *c, const struct row *r)
{
	const struct panel *p = c->p;
	int columns = p->scale.width / 4;
	double *busy = calloc(columns + 1, sizeof(*busy)), all = 0;
	int64_t span = p->win->to_ns - p->win->from_ns;
	char name[48], more[48];
	struct xlv_word word;

	if (!busy || span <= 0) {
		free(busy);
		return;
	}
	for (int32_t i = 0; i < p->win->nr_cpus; i++) {
		const struct xlv_cpu_lane *lane = &p->win->cpus[i];

		for (int32_t j = 0; !p->cpu_drawn[i] && j < lane->nr_pieces; j++) {
			const struct xlv_piece *k = &lane->pieces[j];
			int64_t idle = k->work_ns ? k->work_ns[XLV_WORK_IDLE] +
				       k->work_ns[XLV_WORK_UNKNOWN] :
				       k->work == XLV_WORK_IDLE || k->work == XLV_WORK_UNKNOWN ?
				       k->end_ns - k->start_ns : 0;
			double a = (double)(k->start_ns - p->win->from_ns) / span * columns;
			double b = (double)(k->end_ns - p->win->from_ns) / span * columns;
			double share = 1 - (double)idle / (k->end_ns - k->start_ns);

			if (share <= 0)
				continue;
			all += share * (b - a);
			for (int col = a; col < b && col < columns; col++)
				busy[col] += share * (fmin(b, col + 1) - fmax(a, col));
		}
	}
	snprintf(name, sizeof(name), r->index == 1 ? "1 other CPU" : "%d other CPUs", r->index);
	snprintf(more, sizeof(more), "without a part, busy %s",
		 xlv_word_share(&word, all / columns / r->index));
	group(c, "cpu-folded", NULL, NULL, "cpus-folded");
	row_background(c, r);
	row_name(c, r, name, more);
	for (int i = 0; i < columns; i++) {
		double h = r->h * busy[i] / r->index;

		if (h >= 0.2)
			xlv_path_box(c->s, p->scale.x + p->scale.width * i / columns,
				     c->top + r->y + r->h - h, p->scale.width / columns, h);
	}
	xlv_path_draw(c->s, P_WORK + XLV_WORK_OTHER, NULL);
	xlv_group_end(c->s);
	free(busy);
}

static void draw_iclog(struct canvas *c, const struct row *r, int32_t index)
{
	const struct panel *p = c->p;
	const struct xlv_iclog *ic = &p->run->iclogs[p->win->iclogs[index]];
	struct row one = { .y = r->y + p->iclog_row[index] * 15.0, .h = 13 };
	int64_t life[XLV_LIFE_COUNT];
	char label[48], title[512];

	xlv_iclog_life(ic, p->win->to_ns, life);
	group(c, p->focus && p->focus->iclog == p->win->iclogs[index] ? "iclog own" : "iclog",
	      NULL, NULL, "iclog-%d", p->win->iclogs[index]);
	for (int i = 0; i < XLV_LIFE_END; i++) {
		double x1 = at(c, life[i]), x2 = at(c, life[i + 1]);

		if (x2 - x1 < 0.1)
			continue;
		xlv_iclog_label(ic, i, label, sizeof(label));
		xlv_iclog_tip(ic, i, life[i + 1] - life[i], title, sizeof(title));
		tip_when(p, title, sizeof(title), life[i]);
		draw_piece(c, &one, xlv_iclog_paint(ic, i), x1, x2, label, "", title);
	}
	flush_pieces(c);
	xlv_group_end(c->s);
}

static void draw_many_iclogs(struct canvas *c, const struct row *r)
{
	static const int paints[] = {
		P_ICLOG_CLOSED, P_ICLOG_WRITE, P_ICLOG_DONE, P_ICLOG_CALLBACKS,
	};
	const struct panel *p = c->p;
	struct density d;
	char more[48];

	if (!density_init(&d, p, 4))
		return;
	for (int32_t i = 0; i < p->win->nr_iclogs; i++) {
		int64_t life[XLV_LIFE_COUNT];

		xlv_iclog_life(&p->run->iclogs[p->win->iclogs[i]], p->win->to_ns, life);
		for (int k = 0; k < 4; k++)
			density_add(&d, p, k, life[XLV_LIFE_CLOSED + k], life[XLV_LIFE_WRITE + k]);
	}
	snprintf(more, sizeof(more), "up to %.1f in flight", density_draw(c, r, &d, paints));
	row_name(c, r, "iclogs", more);
}

static void draw_iclogs(struct canvas *c, const struct row *r)
{
	group(c, "iclog-lane", NULL, NULL, "iclogs");
	row_background(c, r);
	if (c->p->win->nr_iclogs > MAX_BARS) {
		draw_many_iclogs(c, r);
	} else {
		row_name(c, r, "iclogs", "LSN cycle/block");
		for (int32_t i = 0; i < c->p->win->nr_iclogs; i++)
			if (c->p->iclog_row[i] >= 0)
				draw_iclog(c, r, i);
	}
	xlv_group_end(c->s);
}

static void bio_label(const struct xlv_bio *b, char *buf, size_t size)
{
	const char *what = b->iclog >= 0 ? "log write" : b->rw & XLV_RW_DISCARD ? "discard" :
			   b->rw & XLV_RW_READ ? "read" : "write";

	if (!b->nr_sector) {
		snprintf(buf, size, "flush");
		return;
	}
	snprintf(buf, size, "%s %.*f KiB%s%s", what, b->nr_sector % 2, b->nr_sector / 2.0,
		 b->rw & XLV_RW_PREFLUSH ? ", flush" : "", b->rw & XLV_RW_FUA ? ", FUA" : "");
}

static int bio_paint(const struct xlv_bio *b)
{
	return !b->nr_sector ? P_BIO_FLUSH : b->rw & XLV_RW_READ ? P_BIO_READ : P_BIO_WRITE;
}

static void draw_bio(struct canvas *c, const struct row *one, const struct xlv_bio *b)
{
	int64_t end = bio_end(c->p, b);
	int64_t issue = b->issue_ns != XLV_NONE ? b->issue_ns : bio_start(b);
	int paint = bio_paint(b);
	const char *brief = b->iclog >= 0 ? "log" : b->rw & XLV_RW_READ ? "read" : "write";
	char label[64], title[512];
	struct xlv_word w1, w2;

	bio_label(b, label, sizeof(label));
	snprintf(title, sizeof(title), "%s", label);
	if (b->nr_sector)
		xlv_print(title, sizeof(title), " at sector %" PRIu64, b->sector);
	xlv_print(title, sizeof(title), ": %s", b->done_ns == XLV_NONE ? "not completed here" :
	      xlv_word_ns(&w1, end - bio_start(b)));
	if (b->issue_ns != XLV_NONE && b->queue_ns != XLV_NONE && b->done_ns != XLV_NONE)
		xlv_print(title, sizeof(title), " (%s queued, %s on the device)",
		      xlv_word_ns(&w1, b->issue_ns - b->queue_ns), xlv_word_ns(&w2, end - issue));
	if (b->queue_cpu >= 0)
		xlv_print(title, sizeof(title), "\nqueued on CPU %d", b->queue_cpu);
	if (b->done_cpu >= 0)
		xlv_print(title, sizeof(title), ", completed on CPU %d", b->done_cpu);
	tip_when(c->p, title, sizeof(title), bio_start(b));
	if (b->queue_ns != XLV_NONE && issue > b->queue_ns)
		draw_piece(c, one, P_BIO_QUEUED, at(c, b->queue_ns), at(c, issue), NULL, NULL,
			   title);
	draw_piece(c, one, paint, at(c, issue), at(c, end), label, b->nr_sector ? brief : "", title);
}

static double draw_many_bios(struct canvas *c, const struct row *r)
{
	static const int paints[] = { P_BIO_WRITE, P_BIO_READ, P_BIO_FLUSH, P_BIO_QUEUED };
	const struct panel *p = c->p;
	struct density d;

	if (!density_init(&d, p, 4))
		return 0;
	for (int32_t i = 0; i < p->win->nr_bios; i++) {
		const struct xlv_bio *b = &p->win->bios[i];
		int64_t issue = b->issue_ns != XLV_NONE ? b->issue_ns : bio_start(b);
		int kind = 0;

		if (b->dev != p->devs[r->index])
			continue;
		while (paints[kind] != bio_paint(b))
			kind++;
		density_add(&d, p, 3, bio_start(b), issue);
		density_add(&d, p, kind, issue, bio_end(p, b));
	}
	return density_draw(c, r, &d, paints);
}

static void draw_device(struct canvas *c, const struct row *r)
{
	const struct panel *p = c->p;
	char dev[24], name[40], more[48] = "";

	dev_name(dev, sizeof(dev), p->devs[r->index]);
	snprintf(name, sizeof(name), "device %s", dev);
	group(c, "device-lane", NULL, NULL, "dev-%u-%u", p->devs[r->index] >> 20,
	      p->devs[r->index] & 0xfffff);
	row_background(c, r);
	if (p->bios[r->index] > MAX_BARS)
		snprintf(more, sizeof(more), "up to %.1f in flight", draw_many_bios(c, r));
	else
		for (int32_t i = 0; i < p->win->nr_bios; i++) {
			struct row one = { .y = r->y + p->bio_row[i] * 15.0, .h = 13 };

			if (p->win->bios[i].dev == p->devs[r->index] && p->bio_row[i] >= 0)
				draw_bio(c, &one, &p->win->bios[i]);
		}
	flush_pieces(c);
	row_name(c, r, name, more);
	xlv_group_end(c->s);
}

/* ---- arrows ---- */

static const struct row *cpu_row(const struct panel *p, int32_t cpu)
{
	for (int i = 0; i < p->nr_rows; i++)
		if (p->rows[i].kind == ROW_CPU && p->win->cpus[p->rows[i].index].cpu == cpu)
			return &p->rows[i];
	return NULL;
}

static void arrow_head(struct canvas *c, int paint, double x, double y, double dx, double dy)
{
	double len = hypot(dx, dy), size = 6;

	if (len < 0.01)
		return;
	dx = dx / len * size;
	dy = dy / len * size;
	xlv_path_move(c->s, x, y);
	xlv_path_line(c->s, x - dx - dy * 0.45, y - dy + dx * 0.45);
	xlv_path_line(c->s, x - dx + dy * 0.45, y - dy - dx * 0.45);
	xlv_path_close(c->s);
	xlv_path_draw(c->s, paint, NULL);
}

/* From one CPU's lane to another's, or an arc above its own. */
static bool draw_arrow(struct canvas *c, int line, int head, int32_t cpu1, int64_t t1,
		       int32_t cpu2, int64_t t2)
{
	const struct row *r1 = cpu_row(c->p, cpu1), *r2 = cpu_row(c->p, cpu2);
	double x1, x2, y1, y2;

	if (!r1 || !r2)
		return false;
	x1 = at(c, t1);
	x2 = at(c, t2);
	if (r1 == r2) {
		double up = fmin(12, fmax(5, (x2 - x1) / 3));

		y1 = c->top + r1->y;
		xlv_path_move(c->s, x1, y1);
		xlv_path_curve(c->s, x1 + 1, y1 - up, x2 - 1, y1 - up, x2, y1);
		xlv_path_draw(c->s, line, NULL);
		arrow_head(c, head, x2, y1, 0.3, 1);
		return true;
	}
	y1 = c->top + r1->y + (r2->y > r1->y ? r1->h : 0);
	y2 = c->top + r2->y + (r2->y > r1->y ? 0 : r2->h);
	xlv_line(c->s, line, x1, y1, x2, y2);
	xlv_path_box(c->s, x1 - 1.5, y1 - 1.5, 3, 3);
	xlv_path_draw(c->s, head, NULL);
	arrow_head(c, head, x2, y2, x2 - x1, y2 - y1);
	return true;
}

static bool in_view(const struct panel *p, int64_t t1, int64_t t2)
{
	return t1 != XLV_NONE && t2 != XLV_NONE && t1 >= p->win->from_ns && t2 < p->win->to_ns;
}

/* A wake-up on the critical path, or that ended a sleep of the task itself. */
static bool on_path(const struct panel *p, int32_t pid, int64_t waking_ns)
{
	for (int32_t i = 0; i < p->d.nr_waits; i++)
		if (p->focus->pid == pid && p->d.waits[i].wake.waking_ns == waking_ns)
			return true;
	for (int32_t i = 0; i < p->d.nr_wakes; i++)
		if (p->d.wakes[i].wake.pid == pid && p->d.wakes[i].wake.waking_ns == waking_ns)
			return true;
	return false;
}

static bool has_role(unsigned int work)
{
	return work == XLV_WORK_FSYNC || work == XLV_WORK_CIL_WORKER ||
	       work == XLV_WORK_LOG_WORKER;
}

static void draw_handovers(struct canvas *c)
{
	const struct xlv_window *win = c->p->win;
	int n = 0;

	for (int32_t i = 0; i < win->nr_works; i++) {
		const struct xlv_handover *h = &win->works[i];

		n += (h->func == XLV_FN_CIL_PUSH || h->func == XLV_FN_IOEND) &&
		     in_view(c->p, h->queue_ns, h->start_ns);
	}
	if (n > MAX_ARROWS) {
		c->p->undrawn_arrows += n;
		return;
	}
	for (int32_t i = 0; i < win->nr_works; i++) {
		const struct xlv_handover *h = &win->works[i];
		char title[256] = "", data[96], func[64];
		struct xlv_word w;

		if ((h->func != XLV_FN_CIL_PUSH && h->func != XLV_FN_IOEND) ||
		    !in_view(c->p, h->queue_ns, h->start_ns) || !cpu_row(c->p, h->queue_cpu) ||
		    !cpu_row(c->p, h->worker_cpu))
			continue;
		xlv_show(func, sizeof(func), h->func_name, true);
		xlv_print(title, sizeof(title), "%s queued on CPU %d, starts on CPU %d after %s", func,
		      h->queue_cpu, h->worker_cpu, xlv_word_ns(&w, h->start_ns - h->queue_ns));
		snprintf(data, sizeof(data), "data-start=\"%" PRId64 "\" data-ns=\"%" PRId64 "\"",
			 h->queue_ns, h->start_ns - h->queue_ns);
		group(c, "arrow handover", title, data, "work-%d", i);
		draw_arrow(c, P_HANDOVER, P_HANDOVER_HEAD, h->queue_cpu, h->queue_ns,
			   h->worker_cpu, h->start_ns);
		xlv_group_end(c->s);
		xlv_legend_use(c->legend, P_HANDOVER);
	}
}

static bool arrow_wanted(const struct panel *p, const struct xlv_arrow *a)
{
	return in_view(p, a->waking_ns, a->running_ns) && has_role(a->work) &&
	       (a->waker_work != XLV_WORK_OTHER || p->focus);
}

static void draw_wakes(struct canvas *c)
{
	const struct panel *p = c->p;
	const struct xlv_window *win = p->win;
	int n = 0;

	for (int32_t i = 0; i < win->nr_wakes; i++)
		n += arrow_wanted(p, &win->wakes[i]);
	/* Those of the sync itself are drawn in any case. */
	if (n > MAX_ARROWS)
		c->p->undrawn_arrows += n;
	for (int32_t i = 0; i < win->nr_wakes; i++) {
		const struct xlv_arrow *a = &win->wakes[i];
		bool remote = a->waker_cpu != a->to_cpu;
		struct xlv_wake w = {
			.waking_ns = a->waking_ns, .running_ns = a->running_ns, .pid = a->pid,
			.comm = a->comm, .waker_pid = a->waker_pid, .waker_comm = a->waker_comm,
			.waker_cpu = a->waker_cpu, .to_cpu = a->to_cpu,
			.waker_context = a->context,
		};
		bool path = on_path(p, a->pid, a->waking_ns);
		char title[512] = "", data[96], class[48];

		if (((n > MAX_ARROWS || !arrow_wanted(p, a)) && !path) || !cpu_row(p, a->waker_cpu) ||
		    !cpu_row(p, a->to_cpu))
			continue;
		for (int32_t k = 0; k < p->d.nr_wakes; k++)
			if (p->d.wakes[k].wake.pid == a->pid &&
			    p->d.wakes[k].wake.waking_ns == a->waking_ns)
				w = p->d.wakes[k].wake;
		wake_words(title, sizeof(title), &w);
		snprintf(data, sizeof(data), "data-start=\"%" PRId64 "\" data-ns=\"%" PRId64 "\"",
			 a->waking_ns, a->running_ns - a->waking_ns);
		snprintf(class, sizeof(class), "arrow wake%s%s", remote ? " remote" : " local",
			 path ? " path" : "");
		group(c, class, title, data, "wake-%d", i);
		draw_arrow(c, remote ? P_WAKE_REMOTE : P_WAKE,
			   remote ? P_WAKE_REMOTE_HEAD : P_WAKE_HEAD, a->waker_cpu, a->waking_ns,
			   a->to_cpu, a->running_ns);
		xlv_group_end(c->s);
		xlv_legend_use(c->legend, remote ? P_WAKE_REMOTE : P_WAKE);
	}
}

static void draw_focus_area(struct canvas *c)
{
	const struct panel *p = c->p;
	double x1, x2, top = c->top + p->rows[0].y + p->rows[0].h;

	if (!p->focus)
		return;
	x1 = at(c, p->focus->start_ns);
	x2 = at(c, sync_end_ns(p->focus, p->run));
	xlv_rect(c->s, P_FOCUS, x1, top, x2 - x1, c->top + p->height - 6 - top, NULL);
}

static void draw_panel(struct canvas *c)
{
	struct panel *p = c->p;
	double y = c->top + 16, width = p->scale.x + p->scale.width - MARGIN;
	char data[192];

	snprintf(data, sizeof(data), "data-from=\"%" PRId64 "\" data-to=\"%" PRId64
		 "\" data-x=\"%.0f\" data-width=\"%.0f\"", p->scale.from_ns, p->scale.to_ns,
		 p->scale.x, p->scale.width);
	group(c, "panel", NULL, data, "panel");
	xlv_text_fit(c->s, P_TITLE, XLV_LEFT, MARGIN, y, width, p->heading);
	xlv_text_fit(c->s, P_MUTED, XLV_LEFT, MARGIN, y += 18, width, p->line[0]);
	if (p->line[1][0])
		xlv_text_fit(c->s, P_TEXT, XLV_LEFT, MARGIN, y += 17, width, p->line[1]);
	draw_focus_area(c);
	for (int i = 0; i < p->nr_rows; i++) {
		const struct row *r = &p->rows[i];
		char name[48];

		switch (r->kind) {
		case ROW_AXIS: draw_axis(c, r); break;
		case ROW_BRACKETS: draw_brackets(c, r); break;
		case ROW_BAND: draw_band(c, r); break;
		case ROW_PARTS: draw_parts(c, r); break;
		case ROW_CALLOUTS: draw_callouts(c, r); break;
		case ROW_TASK: draw_task(c, r); break;
		case ROW_STRIP: draw_strip(c, r); break;
		case ROW_MORE_TASKS:
			snprintf(name, sizeof(name), "and %d more tasks", r->index);
			row_name(c, r, name, NULL);
			break;
		case ROW_CPU: draw_cpu_lane(c, r); break;
		case ROW_FOLDED: draw_folded(c, r); break;
		case ROW_ICLOGS: draw_iclogs(c, r); break;
		case ROW_DEVICE: draw_device(c, r); break;
		case ROW_GAP: break;
		}
	}
	draw_handovers(c);
	draw_wakes(c);
	xlv_group_end(c->s);
}

struct body {
	struct panel		*panels;
	int			nr;
	const struct xlv_paint	*palette;
};

static void draw_body(struct xlv_surface *s, struct xlv_legend *legend, double top, void *arg)
{
	struct body *b = arg;
	struct canvas c = { .s = s, .palette = b->palette, .legend = legend, .top = top };
	double width = b->nr ? b->panels[0].scale.x + b->panels[0].scale.width : 0;
	int undrawn = 0;

	for (int i = 0; i < b->nr; i++) {
		c.p = &b->panels[i];
		c.p->tips = c.p->undrawn_arrows = 0;
		if (i)
			xlv_line(s, P_RULE, MARGIN, c.top - PANEL_SPACE / 2 - 4, width,
				 c.top - PANEL_SPACE / 2 - 4);
		draw_panel(&c);
		c.top += c.p->height + PANEL_SPACE;
		undrawn += c.p->undrawn_arrows;
	}
	if (undrawn)
		snprintf(legend->note, sizeof(legend->note),
			 "%d wake-ups and hand-overs are too many to draw as arrows: take a shorter "
			 "part.", undrawn);
}

int xlv_timeline_draw(FILE *out, struct xlv_trace *t, const struct xlv_report *rep,
		      const struct xlv_choose *choose, const struct xlv_picture_opts *opts,
		      struct xlv_error *err)
{
	const struct xlv_paint *palette = xlv_palette(opts->theme);
	struct panel *panels = calloc(XLV_MAX_PANELS, sizeof(*panels));
	struct body body = { .panels = panels, .palette = palette };
	struct xlv_frame frame = {
		.rep = rep, .opts = *opts, .title = "xlogviz: where the time of an fsync went",
		.body = draw_body, .arg = &body,
	};
	struct xlv_ruler *ruler = xlv_ruler_new();
	double width = xlv_picture_width(opts);
	struct xlv_picks picks = { 0 };
	int ret = -1;

	if (!panels || !ruler) {
		xlv_fail(err, "not enough memory for a picture");
		goto out;
	}
	if (xlv_choose_syncs(rep, choose, &picks, err))
		goto out;
	for (; body.nr < picks.nr; body.nr++) {
		struct panel *p = &panels[body.nr];

		p->what = picks.what[body.nr];
		if (panel_init(p, t, rep->run, picks.sync[body.nr], choose->from_ns, choose->to_ns,
			       width, ruler, palette, err)) {
			body.nr++;
			goto out;
		}
		frame.body_height += p->height + PANEL_SPACE;
	}
	ret = xlv_frame_draw(&frame, out, err);
out:
	for (int i = 0; i < body.nr; i++)
		panel_free(&panels[i]);
	free(panels);
	xlv_ruler_free(ruler);
	return ret;
}
