// SPDX-License-Identifier: GPL-2.0-or-later
/* Block I/O: bios from queueing to completion. */
#include "config.h"

#include <string.h>

#include "model/window_state.h"

static struct xlv_bio *bio_new(struct xlv_win *st, const struct xlv_event *ev)
{
	struct xlv_window *win = st->win;
	struct xlv_bio *b;

	if (win->nr_bios >= st->max) {
		win->dropped += ev->ts_ns >= win->from_ns && ev->ts_ns < win->to_ns;
		return NULL;
	}
	if (!xlv_win_grow(st, &win->bios, &st->bios_size, win->nr_bios, sizeof(*b)))
		return NULL;
	if (st->nr_open_bios == XLV_WIN_OPEN_BIOS) {	/* the oldest will never complete */
		memmove(st->open_bios, st->open_bios + XLV_WIN_OPEN_BIOS / 2,
			XLV_WIN_OPEN_BIOS / 2 * sizeof(*st->open_bios));
		st->nr_open_bios = XLV_WIN_OPEN_BIOS / 2;
	}
	b = &win->bios[win->nr_bios];
	*b = (struct xlv_bio){
		.dev = ev->block.dev, .sector = ev->block.sector,
		.nr_sector = ev->block.nr_sector, .rw = ev->block.rw,
		.queue_ns = XLV_NONE, .issue_ns = XLV_NONE, .done_ns = XLV_NONE,
		.queue_cpu = -1, .queue_pid = -1, .done_cpu = -1, .iclog = -1,
	};
	st->open_bios[st->nr_open_bios++] = win->nr_bios++;
	return b;
}

static void bio_close(struct xlv_win *st, int32_t open)
{
	memmove(st->open_bios + open, st->open_bios + open + 1,
		(st->nr_open_bios - open - 1) * sizeof(*st->open_bios));
	st->nr_open_bios--;
}

static bool same_disk(uint32_t a, uint32_t b)
{
	return a == b || a >> 20 == b >> 20;	/* a bio may name the partition */
}

/* Whether a request is about this bio. An empty flush has no sectors. */
static bool in_request(const struct xlv_bio *b, const struct xlv_event *ev)
{
	bool flush = !ev->block.nr_sector && ev->block.rw & (XLV_RW_FLUSH | XLV_RW_PREFLUSH);

	if (!same_disk(b->dev, ev->block.dev))
		return false;
	if (!b->nr_sector)
		return flush;
	if (flush || (b->rw ^ ev->block.rw) & XLV_RW_READ)
		return false;
	return b->sector >= ev->block.sector && b->sector - ev->block.sector < ev->block.nr_sector;
}

static void bio_done(struct xlv_bio *b, const struct xlv_event *ev)
{
	b->done_ns = ev->ts_ns;
	b->done_cpu = ev->cpu;
	b->done_context = xlv_win_context(ev);
	b->error = ev->block.error;
}

void xlv_win_on_block(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_event *ev)
{
	struct xlv_window *win = st->win;
	struct xlv_bio *b;
	bool found = false;

	if (ev->type == XLV_EV_RQ_COMPLETE || ev->type == XLV_EV_BIO_COMPLETE)
		if (c->depth && !c->irq[c->depth - 1].io_done) {
			c->irq[c->depth - 1].io_done = true;
			if (c->open.started && c->open.p.work == XLV_WORK_IRQ)
				c->open.p.work = XLV_WORK_IO_DONE;
		}
	if (!(st->want & XLV_WIN_BIOS))
		return;
	if (ev->type == XLV_EV_BIO_QUEUE) {
		b = bio_new(st, ev);
		if (b) {
			b->queue_ns = ev->ts_ns;
			b->queue_cpu = ev->cpu;
			b->queue_pid = ev->pid;
		}
		return;
	}
	for (int32_t i = st->nr_open_bios - 1; i >= 0; i--) {
		b = &win->bios[st->open_bios[i]];
		switch (ev->type) {
		case XLV_EV_RQ_ISSUE:
			if (in_request(b, ev) && b->done_ns == XLV_NONE) {
				if (b->issue_ns == XLV_NONE)
					b->issue_ns = ev->ts_ns;
				found = true;
			}
			break;
		case XLV_EV_RQ_COMPLETE:
			if (in_request(b, ev) && b->issue_ns != XLV_NONE) {
				bio_done(b, ev);
				if (!st->has_bio_complete || b->queue_ns == XLV_NONE)
					bio_close(st, i);
			}
			break;
		case XLV_EV_BIO_COMPLETE:
			if (!found && b->queue_ns != XLV_NONE && b->sector == ev->block.sector &&
			    same_disk(b->dev, ev->block.dev) &&
			    (b->nr_sector == ev->block.nr_sector || b->done_ns != XLV_NONE)) {
				bio_done(b, ev);
				bio_close(st, i);
				found = true;
			}
			break;
		}
	}
	/* The flush before a write with PREFLUSH is a request without a bio. */
	if (ev->type == XLV_EV_RQ_ISSUE && !found && !ev->block.nr_sector &&
	    ev->block.rw & (XLV_RW_FLUSH | XLV_RW_PREFLUSH)) {
		b = bio_new(st, ev);
		if (b) {
			b->issue_ns = ev->ts_ns;
			b->rw |= XLV_RW_FLUSH;
		}
	}
}

/* A bio is an iclog's when it is the one that the model saw queued for it. */
void xlv_win_match_iclogs(struct xlv_win *st)
{
	struct xlv_window *win = st->win;

	for (int32_t i = 0; i < win->nr_iclogs; i++) {
		const struct xlv_iclog *ic = &st->run->iclogs[win->iclogs[i]];
		int32_t lo = 0, hi = win->nr_bios;

		if (ic->bio_ns == XLV_NONE)
			continue;
		while (lo < hi) {	/* flushes without a queue time were put in order */
			int32_t mid = lo + (hi - lo) / 2;
			const struct xlv_bio *b = &win->bios[mid];

			if ((b->queue_ns == XLV_NONE ? b->issue_ns : b->queue_ns) < ic->bio_ns)
				lo = mid + 1;
			else
				hi = mid;
		}
		for (; lo < win->nr_bios; lo++) {
			struct xlv_bio *b = &win->bios[lo];

			if (b->queue_ns != XLV_NONE && b->queue_ns > ic->bio_ns)
				break;
			if (b->queue_ns == ic->bio_ns && b->sector == ic->sector)
				b->iclog = win->iclogs[i];
		}
	}
}
