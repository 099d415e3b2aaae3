// SPDX-License-Identifier: GPL-2.0-or-later
/* The axis and the critical path: brackets, stages, parts of wake-ups. */
#include "config.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/words.h"
#include "output/panel.h"

void xlv_draw_axis(struct xlv_canvas *c, const struct xlv_row *r)
{
	const struct xlv_scale *sc = &c->p->scale;
	int64_t range = sc->to_ns - sc->from_ns;
	int64_t step = xlv_tick_step(range, sc->width / 75);
	int64_t first = sc->from_ns - sc->zero_ns, rel;
	double y = c->top + r->y + r->h, bottom = c->top + c->p->height - 6;
	char label[32];

	xlv_row_group(c, "axis", NULL, NULL, "axis");
	first = first / step * step;
	for (rel = first; rel < sc->to_ns - sc->zero_ns; rel += step) {
		double x;

		if (rel < sc->from_ns - sc->zero_ns)
			continue;
		x = at(c, sc->zero_ns + rel);
		xlv_line(c->s, P_GRID, x, y, x, bottom);
		xlv_tick_label(label, sizeof(label), rel, step);
		if (x > sc->x + 25 || !rel)
			xlv_text(c->s, P_MUTED, XLV_MIDDLE, x, y - 5, label);
	}
	xlv_line(c->s, P_AXIS, sc->x, y, sc->x + sc->width, y);
	xlv_text(c->s, P_MUTED, XLV_RIGHT, sc->x - 10, y - 5,
		 c->p->focus ? "time from its start" : "time in the window");
	xlv_group_end(c->s);
}

/* @left: a label that doesn't fit between the ends stands left of them, not right. */
static void draw_bracket(struct xlv_canvas *c, int n, double y, int64_t from_ns, int64_t to_ns,
			 int64_t ns, const char *name, bool left)
{
	double x1 = at(c, from_ns), x2 = at(c, to_ns), w, x;
	char text[160], data[96];
	struct xlv_word word;

	snprintf(data, sizeof(data), "data-start=\"%" PRId64 "\" data-ns=\"%" PRId64 "\"", from_ns,
		 ns);
	snprintf(text, sizeof(text), "T%d %s %s", n, name, xlv_word_ns(&word, ns));
	xlv_row_group(c, "bracket", text, data, "T%d", n);
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

static const struct xlv_wait *force_wait(const struct xlv_panel *p)
{
	const struct xlv_wait *last = NULL;

	for (int32_t i = 0; i < p->d.nr_waits; i++)
		if (p->d.waits[i].queue == XLV_QUEUE_FORCE &&
		    p->d.waits[i].wake.running_ns != XLV_NONE)
			last = &p->d.waits[i];
	return last;
}

void xlv_draw_brackets(struct xlv_canvas *c, const struct xlv_row *r)
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
	if (s->T3_ns != XLV_NONE)
		draw_bracket(c, 3, y + 18, s->force_wait.enter_ns, s->force_wait.exit_ns, s->T3_ns,
			     "sleep on the iclog", false);
	if (s->T4_ns != XLV_NONE && fw)
		draw_bracket(c, 4, y + 36, fw->wake.waking_ns, fw->wake.running_ns, s->T4_ns,
			     "its wake-up", false);
}

static void tip_who(char *title, size_t size, const char *comm, int32_t pid, int32_t cpu)
{
	char name[64];

	if (pid > 0)
		xlv_print(title, size, "\n%s (pid %d)",
			  xlv_task_name(name, sizeof(name), comm, pid), pid);
	if (cpu >= 0)
		xlv_print(title, size, "%s CPU %d", pid > 0 ? " on" : "\non", cpu);
}

void xlv_draw_band(struct xlv_canvas *c, const struct xlv_row *r)
{
	const struct xlv_panel *p = c->p;
	double y = c->top + r->y;
	struct xlv_word word;

	xlv_row_name(c, r, "critical path", "stages add up to the span");
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
		xlv_tip_when(p, title, sizeof(title), g->start_ns);
		if (g->wake >= 0 && p->d.wakes[g->wake].wake.waking_ns != XLV_NONE) {
			xlv_print(title, sizeof(title), "\n");
			xlv_wake_words(title, sizeof(title), &p->d.wakes[g->wake].wake);
		}
		snprintf(data, sizeof(data), "data-start=\"%" PRId64 "\" data-ns=\"%" PRId64 "\"",
			 g->start_ns, g->ns);
		xlv_row_group(c, "stage", title, data, "stage-%d", i);
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

void xlv_draw_parts(struct xlv_canvas *c, const struct xlv_row *r)
{
	const struct xlv_panel *p = c->p;
	double y = c->top + r->y;

	xlv_row_name(c, r, "of which wake-up", NULL);
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

void xlv_draw_callouts(struct xlv_canvas *c, const struct xlv_row *r)
{
	double top = c->top + r->y;

	xlv_row_group(c, "callouts", NULL, NULL, "callouts");
	for (int i = 0; i < c->p->nr_callouts; i++) {
		const struct xlv_callout *k = &c->p->callouts[i];
		double y = top + k->row * XLV_CALLOUT_ROW;

		if (k->row < 0)
			continue;
		xlv_line(c->s, P_LEADER, k->x, top - 3, k->x, y + 12);
		xlv_text(c->s, P_SMALL, k->before ? XLV_RIGHT : XLV_LEFT,
			 k->x + (k->before ? -3 : 3), y + 11, k->text);
	}
	xlv_group_end(c->s);
}
