// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/words.h"
#include "output/frame.h"
#include "output/lanes.h"
#include "output/utf8.h"

#define LEGEND_ROW	19.0
#define SWATCH		20.0
#define MAX_LINES	6

struct section {
	const char	*title;
	int		first, count;
	const char	*const *texts;
	const char	*(*name)(unsigned int i);
};

static const char *const work_texts[XLV_WORK_COUNT] = {
	"not recorded", "idle", "other work", "the same task, not syncing", "syncing task",
	"CIL worker", "log worker", "interrupt that completed I/O", "other interrupt",
};

static const char *const where_texts[XLV_TASK_AT_COUNT] = {
	"not known", "running", "runnable: woken or preempted, waits for a CPU",
	"asleep: commit", "asleep: write (previous iclog)", "asleep: force (own iclog)",
	"asleep: other", "asleep outside a sync",
};

static const char *const iclog_texts[] = {
	"active", "closed", "being written", "written", "callbacks",
	"written, waits for an earlier iclog", "clean",
};

static const char *const bio_texts[] = { "I/O queued", "write", "read", "cache flush" };

static const char *const arrow_texts[] = {
	"wake-up on the same CPU", NULL, "wake-up across CPUs", NULL, "work queued to worker",
	NULL,
};

static const char *const sync_texts[] = { "depended on the iclog", "the chosen one" };

static const char *const missing_texts[] = { "events lost", "CPU silent" };

static const struct section sections[] = {
	{ "Critical path", P_STAGE, XLV_STAGE_COUNT, NULL, xlv_stage_name },
	{ "Wake-up", P_PART, XLV_PART_COUNT, NULL, xlv_part_name },
	{ "Task", P_WHERE, XLV_TASK_AT_COUNT, where_texts, NULL },
	{ "CPU", P_WORK, XLV_WORK_COUNT, work_texts, NULL },
	{ "iclog", P_ICLOG_ACTIVE, 7, iclog_texts, NULL },
	{ "Device", P_BIO_QUEUED, 4, bio_texts, NULL },
	{ "Syncs", P_SYNC, 2, sync_texts, NULL },
	{ "Arrows", P_WAKE, 6, arrow_texts, NULL },
	{ "Missing", P_GAP, 2, missing_texts, NULL },
};

#define NR_SECTIONS	(sizeof(sections) / sizeof(sections[0]))
#define SECTION_NAME	106.0

static const char *entry_text(const struct section *sec, int i)
{
	return sec->texts ? sec->texts[i] : sec->name(i);
}

static bool section_used(const struct section *sec, const struct xlv_legend *l)
{
	for (int i = 0; i < sec->count; i++)
		if (l->used[sec->first + i] && entry_text(sec, i))
			return true;
	return false;
}

static void draw_swatch(struct xlv_surface *s, const struct xlv_paint *palette, int paint,
			double x, double y)
{
	if (palette[paint].stroke && !palette[paint].fill)
		xlv_line(s, paint, x, y - 4, x + SWATCH, y - 4);
	else
		xlv_rect(s, paint, x, y - 10, SWATCH, 12, NULL);
}

/* Draws the legend from @y on; @s may draw nothing. Returns where it ends. */
static double draw_legend(struct xlv_surface *s, const struct xlv_paint *palette,
			  const struct xlv_legend *l, double y, double width)
{
	double left = XLV_PAGE_MARGIN + SECTION_NAME, x;

	xlv_group_begin(s, &(struct xlv_group){ .id = "legend", .class = "legend" });
	for (size_t k = 0; k < NR_SECTIONS; k++) {
		const struct section *sec = &sections[k];

		if (!section_used(sec, l))
			continue;
		x = left;
		y += LEGEND_ROW;
		xlv_text(s, P_HEADING, XLV_LEFT, XLV_PAGE_MARGIN, y, sec->title);
		for (int i = 0; i < sec->count; i++) {
			const char *text = entry_text(sec, i);
			double w;

			if (!l->used[sec->first + i] || !text)
				continue;
			w = SWATCH + 6 + xlv_text_width(s, P_TEXT, text) + 18;
			if (x > left && x + w > width - XLV_PAGE_MARGIN) {
				x = left;
				y += LEGEND_ROW;
			}
			draw_swatch(s, palette, sec->first + i, x, y);
			xlv_text(s, P_TEXT, XLV_LEFT, x + SWATCH + 6, y, text);
			x += w;
		}
	}
	xlv_group_end(s);
	if (l->note[0]) {
		y += LEGEND_ROW;
		xlv_text_fit(s, P_MUTED, XLV_LEFT, XLV_PAGE_MARGIN, y, width - 2 * XLV_PAGE_MARGIN,
			     l->note);
	}
	return y;
}

/* Which recording: one line. */
static void source_line(const struct xlv_report *rep, char *buf, size_t size)
{
	const struct xlv_source *src = &rep->source;
	const char *base = src->file ? strrchr(src->file, '/') : NULL;
	char name[256];

	xlv_show(name, sizeof(name), base ? base + 1 : src->file ? src->file : "recording", true);
	snprintf(buf, size, "%s", name);
	if (src->kernel && *src->kernel) {
		xlv_show(name, sizeof(name), src->kernel, true);
		xlv_print(buf, size, ", kernel %s", name);
	}
	xlv_print(buf, size, ", %d CPUs", src->cpus);
	xlv_print(buf, size, ", %lld syncs (%lld complete)", (long long)rep->syncs,
	      (long long)rep->complete);
	if (src->boundaries != XLV_BOUNDS_NONE)
		xlv_print(buf, size, ", T1 to T4 from %ss", src->boundaries == XLV_BOUNDS_PATCHED ?
		      "patched tracepoint" : xlv_boundaries_name(src->boundaries));
}

static int warnings(const struct xlv_report *rep, char line[MAX_LINES][256])
{
	const struct xlv_source *src = &rep->source;
	int n = 0;

	if (src->fake_completion)
		snprintf(line[n++], 256, "Fake completion: log writes end without a device and "
			 "without cache flushes. This is not what a fast device does (%d CPUs).",
			 src->cpus);
	if (src->clock_ticks)
		snprintf(line[n++], 256, "The clock counts ticks: all times are ticks, not "
			 "nanoseconds.");
	if (src->lost_events || src->lost_uncounted)
		snprintf(line[n++], 256, "Events were lost (%lld counted): what happened there "
			 "is missing.", (long long)src->lost_events);
	if (src->damaged)
		snprintf(line[n++], 256, "Parts of the file are damaged and were left out.");
	return n;
}

/* Draws the head; returns where the body begins. */
static double draw_head(struct xlv_surface *s, const struct xlv_frame *f, double width)
{
	char line[MAX_LINES][256], text[768];
	double y = XLV_PAGE_MARGIN + 8, w = width - 2 * XLV_PAGE_MARGIN;
	int n = warnings(f->rep, line);

	xlv_group_begin(s, &(struct xlv_group){ .id = "head", .class = "head" });
	source_line(f->rep, text, sizeof(text));
	xlv_text(s, P_HEADING, XLV_LEFT, XLV_PAGE_MARGIN, y, f->title);
	xlv_text_fit(s, P_MUTED, XLV_RIGHT, width - XLV_PAGE_MARGIN, y,
		     w - xlv_text_width(s, P_HEADING, f->title) - 30, text);
	for (int i = 0; i < n; i++) {
		y += 18;
		xlv_text_fit(s, P_WARNING, XLV_LEFT, XLV_PAGE_MARGIN, y, w, line[i]);
	}
	y += 9;
	xlv_line(s, P_RULE, XLV_PAGE_MARGIN, y, width - XLV_PAGE_MARGIN, y);
	xlv_group_end(s);
	return y + 14;
}

int xlv_frame_draw(const struct xlv_frame *f, FILE *out, struct xlv_error *err)
{
	const struct xlv_paint *palette = xlv_palette(f->opts.theme);
	struct xlv_page page = {
		.width = xlv_picture_width(&f->opts), .height = 1,
		.scale = f->opts.scale > 0 ? f->opts.scale : 2, .title = f->title,
		.paints = palette, .nr_paints = P_COUNT, .background = P_PAGE,
	};
	struct xlv_legend legend = { 0 };
	struct xlv_surface *s;
	double top, end;

	s = xlv_surface_new(out, XLV_DRY, &page, err);
	if (!s)
		return -1;
	top = draw_head(s, f, page.width);
	f->body(s, &legend, top, f->arg);
	end = draw_legend(s, palette, &legend, top + f->body_height, page.width);
	if (xlv_surface_finish(s, err))
		return -1;

	page.height = ceil(end + XLV_PAGE_MARGIN);
	s = xlv_surface_new(out, f->opts.format, &page, err);
	if (!s)
		return -1;
	draw_head(s, f, page.width);
	f->body(s, &legend, top, f->arg);
	draw_legend(s, palette, &legend, top + f->body_height, page.width);
	return xlv_surface_finish(s, err);
}
