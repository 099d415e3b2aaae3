// SPDX-License-Identifier: GPL-2.0-or-later
/* The lanes of iclogs and block devices. */
#include "config.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/words.h"
#include "output/panel.h"

static void dev_name(char *buf, size_t size, uint32_t dev)
{
	snprintf(buf, size, "%u:%u", dev >> 20, dev & 0xfffff);
}

static void draw_iclog(struct xlv_canvas *c, const struct xlv_row *r, int32_t index)
{
	const struct xlv_panel *p = c->p;
	const struct xlv_iclog *ic = &p->run->iclogs[p->win->iclogs[index]];
	struct xlv_row one = { .y = r->y + p->iclog_row[index] * XLV_BAR_ROW, .h = 13 };
	bool own = p->focus && p->focus->iclog == p->win->iclogs[index];
	int64_t life[XLV_LIFE_COUNT];
	char label[48], title[512];

	xlv_panel_iclog_life(p, ic, life);
	xlv_row_group(c, own ? "iclog own" : "iclog", NULL, NULL, "iclog-%d",
		      p->win->iclogs[index]);
	for (int i = 0; i < XLV_LIFE_END; i++) {
		double x1 = at(c, life[i]), x2 = at(c, life[i + 1]);

		if (x2 - x1 < 0.1)
			continue;
		xlv_iclog_label(ic, i, label, sizeof(label));
		xlv_iclog_tip(ic, i, life[i + 1] - life[i], title, sizeof(title));
		xlv_tip_when(p, title, sizeof(title), life[i]);
		xlv_draw_piece(c, &one, xlv_iclog_paint(ic, i), x1, x2, label, "", title);
	}
	xlv_flush_pieces(c);
	xlv_group_end(c->s);
}

static void draw_many_iclogs(struct xlv_canvas *c, const struct xlv_row *r)
{
	static const int paints[] = {
		P_ICLOG_CLOSED, P_ICLOG_WRITE, P_ICLOG_DONE, P_ICLOG_CALLBACKS,
	};
	const struct xlv_panel *p = c->p;
	struct xlv_density d;
	char more[48];

	if (!xlv_density_init(&d, p, 4))
		return;
	for (int32_t i = 0; i < p->win->nr_iclogs; i++) {
		int64_t life[XLV_LIFE_COUNT];

		xlv_panel_iclog_life(p, &p->run->iclogs[p->win->iclogs[i]], life);
		for (int k = 0; k < 4; k++)
			xlv_density_add(&d, p, k, life[XLV_LIFE_CLOSED + k],
					life[XLV_LIFE_WRITE + k]);
	}
	snprintf(more, sizeof(more), "up to %.1f in flight", xlv_density_draw(c, r, &d, paints));
	xlv_row_name(c, r, "iclogs", more);
}

void xlv_draw_iclogs(struct xlv_canvas *c, const struct xlv_row *r)
{
	xlv_row_group(c, "iclog-lane", NULL, NULL, "iclogs");
	xlv_row_background(c, r);
	if (c->p->win->nr_iclogs > XLV_MAX_BARS) {
		draw_many_iclogs(c, r);
	} else {
		xlv_row_name(c, r, "iclogs", "LSN cycle/block");
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

static void draw_bio(struct xlv_canvas *c, const struct xlv_row *one, const struct xlv_bio *b)
{
	int64_t end = xlv_bio_end_ns(c->p, b);
	int64_t issue = b->issue_ns != XLV_NONE ? b->issue_ns : xlv_bio_start_ns(b);
	int paint = bio_paint(b);
	const char *brief = b->iclog >= 0 ? "log" : b->rw & XLV_RW_READ ? "read" : "write";
	char label[64], title[512];
	struct xlv_word w1, w2;

	bio_label(b, label, sizeof(label));
	snprintf(title, sizeof(title), "%s", label);
	if (b->nr_sector)
		xlv_print(title, sizeof(title), " at sector %" PRIu64, b->sector);
	xlv_print(title, sizeof(title), ": %s", b->done_ns == XLV_NONE ? "not completed here" :
		  xlv_word_ns(&w1, end - xlv_bio_start_ns(b)));
	if (b->issue_ns != XLV_NONE && b->queue_ns != XLV_NONE && b->done_ns != XLV_NONE)
		xlv_print(title, sizeof(title), " (%s queued, %s on the device)",
			  xlv_word_ns(&w1, b->issue_ns - b->queue_ns),
			  xlv_word_ns(&w2, end - issue));
	if (b->queue_cpu >= 0)
		xlv_print(title, sizeof(title), "\nqueued on CPU %d", b->queue_cpu);
	if (b->done_cpu >= 0)
		xlv_print(title, sizeof(title), ", completed on CPU %d", b->done_cpu);
	xlv_tip_when(c->p, title, sizeof(title), xlv_bio_start_ns(b));
	if (b->queue_ns != XLV_NONE && issue > b->queue_ns)
		xlv_draw_piece(c, one, P_BIO_QUEUED, at(c, b->queue_ns), at(c, issue), NULL, NULL,
			       title);
	xlv_draw_piece(c, one, paint, at(c, issue), at(c, end), label,
		       b->nr_sector ? brief : "", title);
}

static double draw_many_bios(struct xlv_canvas *c, const struct xlv_row *r)
{
	static const int paints[] = { P_BIO_WRITE, P_BIO_READ, P_BIO_FLUSH, P_BIO_QUEUED };
	const struct xlv_panel *p = c->p;
	struct xlv_density d;

	if (!xlv_density_init(&d, p, 4))
		return 0;
	for (int32_t i = 0; i < p->win->nr_bios; i++) {
		const struct xlv_bio *b = &p->win->bios[i];
		int64_t issue = b->issue_ns != XLV_NONE ? b->issue_ns : xlv_bio_start_ns(b);
		int kind = 0;

		if (b->dev != p->devs[r->index])
			continue;
		while (paints[kind] != bio_paint(b))
			kind++;
		xlv_density_add(&d, p, 3, xlv_bio_start_ns(b), issue);
		xlv_density_add(&d, p, kind, issue, xlv_bio_end_ns(p, b));
	}
	return xlv_density_draw(c, r, &d, paints);
}

void xlv_draw_device(struct xlv_canvas *c, const struct xlv_row *r)
{
	const struct xlv_panel *p = c->p;
	char dev[24], name[40], more[48] = "";

	dev_name(dev, sizeof(dev), p->devs[r->index]);
	snprintf(name, sizeof(name), "device %s", dev);
	xlv_row_group(c, "device-lane", NULL, NULL, "dev-%u-%u", p->devs[r->index] >> 20,
		      p->devs[r->index] & 0xfffff);
	xlv_row_background(c, r);
	if (p->bios[r->index] > XLV_MAX_BARS)
		snprintf(more, sizeof(more), "up to %.1f in flight", draw_many_bios(c, r));
	else
		for (int32_t i = 0; i < p->win->nr_bios; i++) {
			struct xlv_row one = { .y = r->y + p->bio_row[i] * XLV_BAR_ROW, .h = 13 };

			if (p->win->bios[i].dev == p->devs[r->index] && p->bio_row[i] >= 0)
				draw_bio(c, &one, &p->win->bios[i]);
		}
	xlv_flush_pieces(c);
	xlv_row_name(c, r, name, more);
	xlv_group_end(c->s);
}
