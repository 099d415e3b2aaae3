// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "output/panel.h"
#include "output/timeline.h"

#define PANEL_SPACE	24.0	/* between panels */

static void draw_focus_area(struct xlv_canvas *c)
{
	const struct xlv_panel *p = c->p;
	double x1, x2, top = c->top + p->rows[0].y + p->rows[0].h;

	if (!p->focus)
		return;
	x1 = at(c, p->focus->start_ns);
	x2 = at(c, xlv_sync_end_ns(p->focus, p->run));
	xlv_rect(c->s, P_FOCUS, x1, top, x2 - x1, c->top + p->height - 6 - top, NULL);
}

static void draw_panel(struct xlv_canvas *c)
{
	struct xlv_panel *p = c->p;
	double y = c->top + 16, width = p->scale.x + p->scale.width - XLV_PAGE_MARGIN;
	char data[192];

	snprintf(data, sizeof(data), "data-from=\"%" PRId64 "\" data-to=\"%" PRId64
		 "\" data-x=\"%.0f\" data-width=\"%.0f\"", p->scale.from_ns, p->scale.to_ns,
		 p->scale.x, p->scale.width);
	xlv_row_group(c, "panel", NULL, data, "panel");
	xlv_text_fit(c->s, P_TITLE, XLV_LEFT, XLV_PAGE_MARGIN, y, width, p->heading);
	xlv_text_fit(c->s, P_MUTED, XLV_LEFT, XLV_PAGE_MARGIN, y += 18, width, p->line[0]);
	if (p->line[1][0])
		xlv_text_fit(c->s, P_TEXT, XLV_LEFT, XLV_PAGE_MARGIN, y += 17, width, p->line[1]);
	draw_focus_area(c);
	for (int i = 0; i < p->nr_rows; i++) {
		const struct xlv_row *r = &p->rows[i];
		char name[48];

		switch (r->kind) {
		case XLV_ROW_AXIS: xlv_draw_axis(c, r); break;
		case XLV_ROW_BRACKETS: xlv_draw_brackets(c, r); break;
		case XLV_ROW_BAND: xlv_draw_band(c, r); break;
		case XLV_ROW_PARTS: xlv_draw_parts(c, r); break;
		case XLV_ROW_CALLOUTS: xlv_draw_callouts(c, r); break;
		case XLV_ROW_TASK: xlv_draw_task(c, r); break;
		case XLV_ROW_STRIP: xlv_draw_strip(c, r); break;
		case XLV_ROW_MORE_TASKS:
			snprintf(name, sizeof(name), "and %d more tasks", r->index);
			xlv_row_name(c, r, name, NULL);
			break;
		case XLV_ROW_CPU: xlv_draw_cpu_lane(c, r); break;
		case XLV_ROW_FOLDED: xlv_draw_folded(c, r); break;
		case XLV_ROW_ICLOGS: xlv_draw_iclogs(c, r); break;
		case XLV_ROW_DEVICE: xlv_draw_device(c, r); break;
		}
	}
	xlv_draw_handovers(c);
	xlv_draw_wakes(c);
	xlv_group_end(c->s);
}

struct body {
	struct xlv_panel		*panels;
	int			nr;
	const struct xlv_paint	*palette;
};

static void draw_body(struct xlv_surface *s, struct xlv_legend *legend, double top, void *arg)
{
	struct body *b = arg;
	struct xlv_canvas c = { .s = s, .palette = b->palette, .legend = legend, .top = top };
	double width = b->nr ? b->panels[0].scale.x + b->panels[0].scale.width : 0;
	int undrawn = 0;

	for (int i = 0; i < b->nr; i++) {
		c.p = &b->panels[i];
		c.p->tips = c.p->undrawn_arrows = 0;
		c.name_free_y = 0;
		if (i)
			xlv_line(s, P_RULE, XLV_PAGE_MARGIN, c.top - PANEL_SPACE / 2 - 4, width,
				 c.top - PANEL_SPACE / 2 - 4);
		draw_panel(&c);
		c.top += c.p->height + PANEL_SPACE;
		undrawn += c.p->undrawn_arrows;
	}
	if (undrawn)
		snprintf(legend->note, sizeof(legend->note),
			 "%d wake-ups and hand-overs are too many to draw as arrows: take a "
			 "shorter part.", undrawn);
}

int xlv_timeline_draw(FILE *out, struct xlv_trace *t, const struct xlv_report *rep,
		      const struct xlv_choose *choose, const struct xlv_picture_opts *opts,
		      struct xlv_error *err)
{
	const struct xlv_paint *palette = xlv_palette(opts->theme);
	struct xlv_panel *panels = calloc(XLV_MAX_PANELS, sizeof(*panels));
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
		struct xlv_panel *p = &panels[body.nr];

		p->what = picks.what[body.nr];
		if (xlv_panel_init(p, t, rep->run, picks.sync[body.nr], choose->from_ns,
				   choose->to_ns, width, ruler, palette, err)) {
			body.nr++;
			goto out;
		}
		frame.body_height += p->height + PANEL_SPACE;
	}
	ret = xlv_frame_draw(&frame, out, err);
out:
	for (int i = 0; i < body.nr; i++)
		xlv_panel_free(&panels[i]);
	free(panels);
	xlv_ruler_free(ruler);
	return ret;
}
