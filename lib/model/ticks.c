// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/detail.h"
#include "model/ticks.h"

/* CONFIG_HZ 1000, 300, 250, 200, 100 */
static const int64_t periods_ns[] = { 1000000, 3333333, 4000000, 5000000, 10000000 };
#define NR_PERIODS	((int)(sizeof(periods_ns) / sizeof(*periods_ns)))

enum { SOFTIRQ_TIMER = 1, SOFTIRQ_SCHED = 7, SOFTIRQ_RCU = 9 };

static bool is_tick(const struct xlv_event *ev)
{
	switch (ev->type) {
	case XLV_EV_SOFTIRQ_RAISE:
		return (ev->ctx & XLV_CTX_HARDIRQ) &&
		       (ev->irq.nr == SOFTIRQ_TIMER || ev->irq.nr == SOFTIRQ_SCHED ||
			ev->irq.nr == SOFTIRQ_RCU);
	case XLV_EV_VECTOR_ENTRY:
		return ev->irq.timer;
	case XLV_EV_IRQ_ENTRY:
		return ev->irq.timer;
	}
	return false;
}

void xlv_ticks_event(struct xlv_ticks *k, const struct xlv_event *ev)
{
	int64_t gap;

	if (!is_tick(ev) || ev->cpu < 0 || ev->cpu >= 65536)
		return;
	if (ev->cpu >= k->nr_cpus) {
		int64_t *more = realloc(k->last_ns, (ev->cpu + 1) * sizeof(*more));

		if (!more)
			return;
		k->last_ns = more;
		for (; k->nr_cpus <= ev->cpu; k->nr_cpus++)
			k->last_ns[k->nr_cpus] = XLV_NONE;
	}
	gap = k->last_ns[ev->cpu] == XLV_NONE ? 0 : ev->ts_ns - k->last_ns[ev->cpu];
	if (gap > 0 && gap < 100000)
		return;		/* two softirqs of one tick */
	k->last_ns[ev->cpu] = ev->ts_ns;
	if (gap <= 0 || gap > 11000000)
		return;
	for (int i = 0; i < NR_PERIODS; i++)
		if (gap > periods_ns[i] - periods_ns[i] / 32 &&
		    gap < periods_ns[i] + periods_ns[i] / 32)
			k->hits[i]++;
}

void xlv_ticks_hole(struct xlv_ticks *k, int32_t cpu, int32_t pid, const char *comm,
		    int64_t from_ns, int64_t to_ns)
{
	if (k->nr_holes == XLV_MOST_HOLES)
		return;
	if (k->nr_holes == k->cap_holes) {
		size_t cap = k->cap_holes ? k->cap_holes * 2 : 64;
		struct xlv_silence *more = realloc(k->holes, cap * sizeof(*more));

		if (!more)
			return;
		k->holes = more;
		k->cap_holes = cap;
	}
	k->holes[k->nr_holes++] = (struct xlv_silence){
		.cpu = cpu, .pid = pid, .comm = comm, .start_ns = from_ns, .ns = to_ns - from_ns,
	};
}

/* The period that most ticks keep to, by far; jitter gives the others a few hits. */
static int64_t period(const struct xlv_ticks *k)
{
	int best = 0;

	for (int i = 1; i < NR_PERIODS; i++)
		if (k->hits[i] > k->hits[best])
			best = i;
	for (int i = 0; i < NR_PERIODS; i++)
		if (i != best && k->hits[i] * 4 > k->hits[best])
			return XLV_NONE;
	return k->hits[best] >= 10 ? periods_ns[best] : XLV_NONE;
}

/* May the time of this segment be that of a silent CPU? */
static bool on_cpu(const struct xlv_segment *s)
{
	return s->cpu >= 0 && s->wake < 0 && s->stage != XLV_STAGE_RUNNABLE &&
	       s->stage != XLV_STAGE_OTHER_WAIT && s->stage != XLV_STAGE_LOG_IO;
}

/* Cut the silence out of the sync's segments; 1: it had a part, 0: not, -1: no memory. */
static int book(const struct xlv_run *run, struct xlv_arena *arena, struct xlv_sync *s,
		const struct xlv_silence *q, struct xlv_detail *d)
{
	int64_t q_end = q->start_ns + q->ns;
	int found = 0;

	if (xlv_sync_detail(run, s, d))
		return -1;
	for (int32_t i = 0; i < d->nr_segments; i++) {
		struct xlv_segment seg = d->segments[i], part[3];
		int64_t end = seg.start_ns + seg.ns, cut[4] = { seg.start_ns, 0, 0, end };
		int n = 0;

		if (seg.cpu != q->cpu || seg.pid != q->pid || !on_cpu(&seg) ||
		    seg.start_ns >= q_end || end <= q->start_ns)
			continue;
		cut[1] = q->start_ns > seg.start_ns ? q->start_ns : seg.start_ns;
		cut[2] = q_end < end ? q_end : end;
		for (int p = 0; p < 3; p++) {
			if (cut[p] == cut[p + 1])
				continue;
			part[n] = seg;
			part[n].start_ns = cut[p];
			part[n].ns = cut[p + 1] - cut[p];
			if (p == 1)
				part[n].stage = XLV_STAGE_CPU_SILENT;
			n++;
		}
		for (int p = 1; p < n; p++) {
			if (xlv_detail_room_segment(d))
				return -1;
			memmove(&d->segments[i + p + 1], &d->segments[i + p],
				(d->nr_segments - i - p) * sizeof(seg));
			d->nr_segments++;
		}
		memcpy(&d->segments[i], part, n * sizeof(seg));
		i += n - 1;
		found = 1;
	}
	if (found) {
		/* the old form stays behind in the arena: silences are rare */
		if (xlv_detail_pack(arena, s, d))
			return -1;
	}
	return found;
}

int xlv_ticks_finish(struct xlv_ticks *k, struct xlv_run *run, struct xlv_arena *arena)
{
	struct xlv_detail d = { 0 };
	int64_t longest = 0;
	int ret = -1;

	run->tick_ns = run->info->clock_ticks ? XLV_NONE : period(k);
	if (run->tick_ns == XLV_NONE)
		return 0;
	run->silences = calloc(k->nr_holes ? k->nr_holes : 1, sizeof(*run->silences));
	if (!run->silences)
		return -1;
	for (size_t i = 0; i < run->nr_syncs; i++)
		if (run->syncs[i].span_ns > longest)
			longest = run->syncs[i].span_ns;
	for (size_t h = 0; h < k->nr_holes; h++) {
		struct xlv_silence q = k->holes[h];
		size_t lo = 0, hi = run->nr_syncs;

		if (q.ns <= 2 * run->tick_ns)
			continue;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (run->syncs[mid].start_ns < q.start_ns - longest)
				lo = mid + 1;
			else
				hi = mid;
		}
		for (; lo < run->nr_syncs && run->syncs[lo].start_ns < q.start_ns + q.ns; lo++) {
			struct xlv_sync *s = &run->syncs[lo];

			if (s->span_ns == XLV_NONE || s->start_ns + s->span_ns <= q.start_ns)
				continue;
			switch (book(run, arena, s, &q, &d)) {
			case -1:
				goto out;
			case 1:
				q.sync = s->id;
			}
		}
		run->silences[run->nr_silences++] = q;
	}
	ret = 0;
out:
	xlv_detail_free(&d);
	return ret;
}

void xlv_ticks_free(struct xlv_ticks *k)
{
	free(k->last_ns);
	free(k->holes);
}
