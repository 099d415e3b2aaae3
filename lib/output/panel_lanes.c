// SPDX-License-Identifier: GPL-2.0-or-later
/* The lanes of tasks and CPUs. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/words.h"
#include "output/panel.h"
#include "output/utf8.h"

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

void xlv_draw_task(struct xlv_canvas *c, const struct xlv_row *r)
{
	const struct xlv_task_lane *lane = &c->p->win->tasks[r->index];
	char name[96], pid[32], label[128], brief[64], title[384];
	struct xlv_word word;

	xlv_task_name(name, sizeof(name), lane->comm, lane->pid);
	snprintf(pid, sizeof(pid), "pid %d", lane->pid);
	xlv_row_group(c, "task-lane", NULL, NULL, "task-%d", lane->pid);
	xlv_row_background(c, r);
	if (r->h < 20)
		xlv_print(name, sizeof(name), " %d", lane->pid);
	xlv_row_name(c, r, name, pid);
	xlv_draw_columns(c, r, P_WHERE, XLV_TASK_AT_COUNT, XLV_TASK_AT_ASLEEP + XLV_QUEUE_COUNT,
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
		xlv_tip_when(c->p, title, sizeof(title), k->start_ns);
		if (k->sync)
			xlv_print(title, sizeof(title), "\nin sync %d", k->sync);
		xlv_draw_piece(c, r, paint, at(c, k->start_ns), at(c, k->end_ns), label,
			       brief, title);
	}
	xlv_flush_pieces(c);
	xlv_group_end(c->s);
}

/* The stages of a task's syncs, below its lane in a window. */
void xlv_draw_strip(struct xlv_canvas *c, const struct xlv_row *r)
{
	const struct xlv_panel *p = c->p;
	struct xlv_detail d = { 0 };
	struct xlv_word word;
	char title[256];

	for (int32_t i = 0; i < p->win->nr_syncs; i++) {
		const struct xlv_sync *s = &p->run->syncs[p->win->syncs[i]];

		if (s->pid != p->win->tasks[r->index].pid || xlv_sync_detail(p->run, s, &d))
			continue;
		xlv_row_group(c, "sync", NULL, NULL, "sync-%d", s->id);
		for (int32_t k = 0; k < d.nr_segments; k++) {
			const struct xlv_segment *g = &d.segments[k];

			snprintf(title, sizeof(title), "%s: %s\nin sync %d",
				 xlv_stage_name(g->stage), xlv_word_ns(&word, g->ns), s->id);
			xlv_draw_piece(c, r, P_STAGE + g->stage, at(c, g->start_ns),
				       at(c, g->start_ns + g->ns), NULL, NULL, title);
		}
		xlv_flush_pieces(c);
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

static void cpu_title(const struct xlv_panel *p, const struct xlv_piece *k, int32_t cpu,
		      char *title, size_t size)
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
	if (k->func && k->work != XLV_WORK_IRQ && k->work != XLV_WORK_IO_DONE) {
		xlv_show(name, sizeof(name), k->func, true);
		xlv_print(title, size, ", %s", name);
	}
	xlv_tip_when(p, title, size, k->start_ns);
	if (k->sync)
		xlv_print(title, size, "\nin sync %d", k->sync);
	if (k->preempted)
		xlv_print(title, size, "\npreempted at its end");
}

void xlv_draw_cpu_lane(struct xlv_canvas *c, const struct xlv_row *r)
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
	xlv_row_group(c, "cpu-lane", NULL, NULL, "cpu-%d", lane->cpu);
	xlv_row_background(c, r);
	if (r->h >= 9) {
		xlv_row_name(c, r, name, more);
	} else if (r->y >= c->name_free_y) {	/* thin lanes: as many names as fit */
		xlv_text_fit(c->s, P_SMALL, XLV_RIGHT, c->p->scale.x - 10, c->top + r->y + 7,
			     XLV_GUTTER - 16, name);
		c->name_free_y = r->y + 11;
	}
	xlv_draw_columns(c, r, P_WORK, XLV_WORK_COUNT, XLV_WORK_IDLE, cpu_shares, lane->pieces,
			 lane->nr_pieces);
	for (int32_t i = 0; i < lane->nr_pieces; i++) {
		const struct xlv_piece *k = &lane->pieces[i];

		if (k->work_ns || k->work == XLV_WORK_IDLE)
			continue;
		cpu_label(k, label, sizeof(label));
		cpu_title(c->p, k, lane->cpu, title, sizeof(title));
		xlv_draw_piece(c, r, P_WORK + k->work, at(c, k->start_ns), at(c, k->end_ns), label,
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
		xlv_draw_piece(c, r, P_SILENCE, at(c, s->start_ns), at(c, s->start_ns + s->ns),
			       NULL, NULL, title);
	}
	for (int32_t i = 0; i < c->p->win->nr_gaps; i++) {
		const struct xlv_gap *g = &c->p->win->gaps[i];

		if (g->cpu != lane->cpu)
			continue;
		if (g->count >= 0)
			snprintf(title, sizeof(title), "%" PRId64 " events of CPU %d were lost",
				 g->count, g->cpu);
		else
			snprintf(title, sizeof(title), "events of CPU %d were lost", g->cpu);
		xlv_draw_piece(c, r, P_GAP, at(c, g->start_ns), at(c, g->end_ns), "lost", "",
			       title);
	}
	xlv_flush_pieces(c);
	xlv_group_end(c->s);
}

/* CPUs without a part in it: how many were busy, as a curve of columns. */
void xlv_draw_folded(struct xlv_canvas *c, const struct xlv_row *r)
{
	const struct xlv_panel *p = c->p;
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
	xlv_row_group(c, "cpu-folded", NULL, NULL, "cpus-folded");
	xlv_row_background(c, r);
	xlv_row_name(c, r, name, more);
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
