// SPDX-License-Identifier: GPL-2.0-or-later
/* Wake-ups and work-queue hand-overs, drawn over the lanes of CPUs. */
#include "config.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/words.h"
#include "output/panel.h"
#include "output/utf8.h"

#define MAX_ARROWS(p)	((p)->focus ? 150 : 60)
#define MIN_LENGTH	0.5	/* in time: shorter ones are all head */

static const struct xlv_row *cpu_row(const struct xlv_panel *p, int32_t cpu)
{
	for (int i = 0; i < p->nr_rows; i++)
		if (p->rows[i].kind == XLV_ROW_CPU && p->win->cpus[p->rows[i].index].cpu == cpu)
			return &p->rows[i];
	return NULL;
}

static void arrow_head(struct xlv_canvas *c, int paint, double x, double y, double dx, double dy)
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
static bool draw_arrow(struct xlv_canvas *c, int line, int head, int32_t cpu1, int64_t t1,
		       int32_t cpu2, int64_t t2)
{
	const struct xlv_row *r1 = cpu_row(c->p, cpu1), *r2 = cpu_row(c->p, cpu2);
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

static bool in_view(const struct xlv_panel *p, int64_t t1, int64_t t2)
{
	return t1 != XLV_NONE && t2 != XLV_NONE && t1 >= p->win->from_ns && t2 < p->win->to_ns;
}

/* A wake-up on the critical path, or that ended a sleep of the task itself. */
static bool on_path(const struct xlv_panel *p, int32_t pid, int64_t waking_ns)
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

void xlv_draw_handovers(struct xlv_canvas *c)
{
	const struct xlv_window *win = c->p->win;
	int n = 0;

	for (int32_t i = 0; i < win->nr_works; i++) {
		const struct xlv_handover *h = &win->works[i];

		n += (h->func == XLV_FN_CIL_PUSH || h->func == XLV_FN_IOEND) &&
		     in_view(c->p, h->queue_ns, h->start_ns);
	}
	if (n > MAX_ARROWS(c->p)) {
		c->p->undrawn_arrows += n;
		return;
	}
	for (int32_t i = 0; i < win->nr_works; i++) {
		const struct xlv_handover *h = &win->works[i];
		char title[256] = "", data[96], func[64];
		struct xlv_word w;

		if ((h->func != XLV_FN_CIL_PUSH && h->func != XLV_FN_IOEND) ||
		    !in_view(c->p, h->queue_ns, h->start_ns) || !cpu_row(c->p, h->queue_cpu) ||
		    !cpu_row(c->p, h->worker_cpu) ||
		    at(c, h->start_ns) - at(c, h->queue_ns) < MIN_LENGTH)
			continue;
		xlv_show(func, sizeof(func), h->func_name, true);
		xlv_print(title, sizeof(title), "%s queued on CPU %d, starts on CPU %d after %s",
			  func, h->queue_cpu, h->worker_cpu,
			  xlv_word_ns(&w, h->start_ns - h->queue_ns));
		snprintf(data, sizeof(data), "data-start=\"%" PRId64 "\" data-ns=\"%" PRId64 "\"",
			 h->queue_ns, h->start_ns - h->queue_ns);
		xlv_row_group(c, "arrow handover", title, data, "work-%d", i);
		draw_arrow(c, P_HANDOVER, P_HANDOVER_HEAD, h->queue_cpu, h->queue_ns,
			   h->worker_cpu, h->start_ns);
		xlv_group_end(c->s);
		xlv_legend_use(c->legend, P_HANDOVER);
	}
}

static bool arrow_wanted(const struct xlv_panel *p, const struct xlv_arrow *a)
{
	return in_view(p, a->waking_ns, a->running_ns) && has_role(a->work) &&
	       (a->waker_work != XLV_WORK_OTHER || p->focus);
}

void xlv_draw_wakes(struct xlv_canvas *c)
{
	const struct xlv_panel *p = c->p;
	const struct xlv_window *win = p->win;
	int n = 0;

	for (int32_t i = 0; i < win->nr_wakes; i++)
		n += arrow_wanted(p, &win->wakes[i]);
	/* Those of the sync itself are drawn in any case. */
	if (n > MAX_ARROWS(c->p))
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

		if (((n > MAX_ARROWS(p) || !arrow_wanted(p, a)) && !path) ||
		    !cpu_row(p, a->waker_cpu) || !cpu_row(p, a->to_cpu))
			continue;
		for (int32_t k = 0; k < p->d.nr_wakes; k++)
			if (p->d.wakes[k].wake.pid == a->pid &&
			    p->d.wakes[k].wake.waking_ns == a->waking_ns)
				w = p->d.wakes[k].wake;
		xlv_wake_words(title, sizeof(title), &w);
		snprintf(data, sizeof(data), "data-start=\"%" PRId64 "\" data-ns=\"%" PRId64 "\"",
			 a->waking_ns, a->running_ns - a->waking_ns);
		snprintf(class, sizeof(class), "arrow wake%s%s", remote ? " remote" : " local",
			 path ? " path" : "");
		xlv_row_group(c, class, title, data, "wake-%d", i);
		draw_arrow(c, remote ? P_WAKE_REMOTE : P_WAKE,
			   remote ? P_WAKE_REMOTE_HEAD : P_WAKE_HEAD, a->waker_cpu, a->waking_ns,
			   a->to_cpu, a->running_ns);
		xlv_group_end(c->s);
		xlv_legend_use(c->legend, remote ? P_WAKE_REMOTE : P_WAKE);
	}
}
