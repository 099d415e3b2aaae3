// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/detail.h"

/*
 * One walk over the fields serves writing and reading: `struct codec` says
 * which, and each put_*() either appends the field or sets it.
 */
struct codec {
	uint8_t		*buf;
	size_t		at, size;
	bool		reading, failed;
	int64_t		base;		/* the last time seen */
	const char	*seen[128];	/* strings met so far, by number */
	uint8_t		nr_seen;
};

static bool grow(struct codec *c)
{
	size_t size = c->size ? c->size * 2 : 1024;
	uint8_t *buf;

	if (c->failed)
		return false;
	buf = realloc(c->buf, size);
	c->failed = !buf;
	if (buf) {
		c->buf = buf;
		c->size = size;
	}
	return buf;
}

/* Room for @more bytes, few of them. */
static inline bool room(struct codec *c, size_t more)
{
	return c->size - c->at >= more || grow(c);
}

static void code_long_u64(struct codec *c, uint64_t *v)
{
	uint64_t x = *v;
	int shift = 0;

	if (!c->reading) {
		if (!room(c, 10))
			return;
		for (; x >= 0x80; x >>= 7)
			c->buf[c->at++] = x | 0x80;
		c->buf[c->at++] = x;
		return;
	}
	x = 0;
	while (c->at < c->size && shift < 64) {
		uint8_t b = c->buf[c->at++];

		x |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			break;
		shift += 7;
	}
	*v = x;
}

/* Most numbers are a byte. */
static inline void code_u64(struct codec *c, uint64_t *v)
{
	if (c->at < c->size) {
		if (c->reading && c->buf[c->at] < 0x80) {
			*v = c->buf[c->at++];
			return;
		}
		if (!c->reading && *v < 0x80) {
			c->buf[c->at++] = *v;
			return;
		}
	}
	code_long_u64(c, v);
}

static inline void code_i64(struct codec *c, int64_t *v)
{
	uint64_t z = ((uint64_t)*v << 1) ^ (uint64_t)(*v >> 63);

	code_u64(c, &z);
	*v = (int64_t)(z >> 1) ^ -(int64_t)(z & 1);
}

static inline void code_i32(struct codec *c, int32_t *v)
{
	int64_t x = *v;

	code_i64(c, &x);
	*v = x;
}

static inline void code_u8(struct codec *c, uint8_t *v)
{
	uint64_t x = *v;

	code_u64(c, &x);
	*v = x;
}

/* A time: the difference to the time before, shifted so that 0 can say "none". */
static void code_time(struct codec *c, int64_t *v)
{
	uint64_t has = *v != XLV_NONE;
	int64_t diff;

	if (!c->reading) {
		if (!has) {
			code_u64(c, &has);
			return;
		}
		diff = (int64_t)((uint64_t)*v - (uint64_t)c->base);
		c->base = *v;
		has = 1 + (((uint64_t)diff << 1) ^ (uint64_t)(diff >> 63));
		/* a difference of INT64_MIN would wrap to "none": times are no such numbers */
		code_u64(c, &has);
		return;
	}
	code_u64(c, &has);
	if (!has) {
		*v = XLV_NONE;
		return;
	}
	has--;
	diff = (int64_t)(has >> 1) ^ -(int64_t)(has & 1);
	c->base = (int64_t)((uint64_t)c->base + (uint64_t)diff);
	*v = c->base;
}

/*
 * A string of the run's pool: its address at first, then its number among those
 * met. The last number stands for an address that found no place.
 */
static void code_str(struct codec *c, const char **p)
{
	const uint8_t most = sizeof(c->seen) / sizeof(*c->seen);
	uint8_t i;

	if (!c->reading) {
		for (i = 0; i < c->nr_seen && c->seen[i] != *p; i++)
			;
		if (!room(c, 1 + sizeof(*p)))
			return;
		c->buf[c->at++] = i;
		if (i < c->nr_seen)
			return;
		memcpy(c->buf + c->at, p, sizeof(*p));
		c->at += sizeof(*p);
	} else {
		i = c->at < c->size ? c->buf[c->at++] : 0;
		if (i < c->nr_seen) {
			*p = c->seen[i];
			return;
		}
		memcpy(p, c->buf + c->at, sizeof(*p));
		c->at += sizeof(*p);
	}
	if (c->nr_seen < most)
		c->seen[c->nr_seen++] = *p;
}

/* Most parts of most wakes are zero: a bit each says which are there. */
static uint64_t parts_there(const int64_t *parts)
{
	uint64_t bits = 0;

	for (int i = 0; i < XLV_PART_COUNT; i++)
		bits |= (uint64_t)(parts[i] != 0) << i;
	return bits;
}

static void code_parts(struct codec *c, int64_t *parts, uint64_t there)
{
	for (int i = 0; i < XLV_PART_COUNT; i++)
		if (there >> i & 1)
			code_i64(c, &parts[i]);
		else
			parts[i] = 0;
}

static void code_wake(struct codec *c, struct xlv_wake *w)
{
	uint64_t bits = 0;

	if (!c->reading)	/* else it is no wake yet, and its bools are no bools */
		bits = w->waker_context | w->waker_role << 4 | w->cause << 8 | w->remote << 12 |
		       w->migrated << 13 | w->waker_on_prev << 14 |
		       parts_there(w->parts_ns) << 15 | (uint64_t)(w->other_pid != 0) << 24 |
		       (uint64_t)(w->cstate != -1 || w->freq_khz) << 25;
	code_time(c, &w->waking_ns);
	code_time(c, &w->wakeup_ns);
	code_time(c, &w->running_ns);
	code_i32(c, &w->pid);
	code_i32(c, &w->waker_pid);
	code_str(c, &w->comm);
	code_str(c, &w->waker_comm);
	code_i32(c, &w->waker_cpu);
	code_i32(c, &w->prev_cpu);
	code_i32(c, &w->to_cpu);
	code_u64(c, &bits);
	w->waker_context = bits & 15;
	w->waker_role = bits >> 4 & 15;
	w->cause = bits >> 8 & 15;
	w->remote = bits >> 12 & 1;
	w->migrated = bits >> 13 & 1;
	w->waker_on_prev = bits >> 14 & 1;
	code_parts(c, w->parts_ns, bits >> 15);
	if (bits >> 24 & 1) {
		code_i32(c, &w->other_pid);
		code_str(c, &w->other_comm);
		code_i64(c, &w->other_ns);
	} else {
		w->other_pid = 0;
		w->other_comm = NULL;
		w->other_ns = 0;
	}
	if (bits >> 25 & 1) {
		code_i32(c, &w->cstate);
		code_i32(c, &w->freq_khz);
	} else {
		w->cstate = -1;
		w->freq_khz = 0;
	}
}

static void code_wait(struct codec *c, struct xlv_wait *w)
{
	code_u8(c, &w->queue);
	code_time(c, &w->start_ns);
	code_wake(c, &w->wake);
	code_u64(c, &w->lsn);
	code_str(c, &w->what);
	code_i32(c, &w->push);
	code_i32(c, &w->iclog);
}

static void code_segment(struct codec *c, struct xlv_segment *s)
{
	code_u8(c, &s->stage);
	code_i64(c, &s->ns);
	code_i32(c, &s->cpu);
	code_i32(c, &s->pid);
	code_str(c, &s->comm);
	code_str(c, &s->what);
	code_i32(c, &s->wake);
}

/* Most wakes of the path are those of the task's own waits: then that says it all. */
static void code_path_wake(struct codec *c, struct xlv_path_wake *w, const struct xlv_detail *d)
{
	uint64_t there;
	int32_t same = -1;

	code_u8(c, &w->stage);
	code_u8(c, &w->cause);
	code_i64(c, &w->ns);
	if (!c->reading)
		for (same = d->nr_waits; same-- > 0; )
			if (d->waits[same].wake.waking_ns == w->wake.waking_ns &&
			    !memcmp(&d->waits[same].wake, &w->wake, sizeof(w->wake)))
				break;
	code_i32(c, &same);
	if (same < 0)
		code_wake(c, &w->wake);
	else if (same < d->nr_waits)
		w->wake = d->waits[same].wake;
	if (same >= 0 && w->ns == w->wake.running_ns - w->wake.waking_ns) {
		memcpy(w->parts_ns, w->wake.parts_ns, sizeof(w->parts_ns));
		return;
	}
	there = c->reading ? 0 : parts_there(w->parts_ns);
	code_u64(c, &there);
	code_parts(c, w->parts_ns, there);
}

#define ROOM(name, array, nr, cap)						\
int xlv_detail_room_##name(struct xlv_detail *d)				\
{										\
	if (d->nr == d->cap) {							\
		int32_t n = d->cap ? d->cap * 2 : 16;				\
		void *p = n > (1 << 24) ? NULL :				\
			  realloc(d->array, (size_t)n * sizeof(*d->array));	\
										\
		if (!p)								\
			return -1;						\
		d->array = p;							\
		d->cap = n;							\
	}									\
	return 0;								\
}
ROOM(wait, waits, nr_waits, cap_waits)
ROOM(segment, segments, nr_segments, cap_segments)
ROOM(wake, wakes, nr_wakes, cap_wakes)

static void code_all(struct codec *c, struct xlv_detail *d, const struct xlv_sync *sync)
{
	int32_t nw = d->nr_waits, ns = d->nr_segments, nk = d->nr_wakes;
	int64_t at = sync->start_ns;

	c->base = sync->start_ns;
	code_i32(c, &nw);
	code_i32(c, &ns);
	code_i32(c, &nk);
	if (c->reading)
		d->nr_waits = d->nr_segments = d->nr_wakes = 0;
	for (int32_t i = 0; i < nw && !c->failed; i++) {
		if (c->reading && xlv_detail_room_wait(d)) {
			c->failed = true;
			return;
		}
		code_wait(c, &d->waits[i]);
		d->nr_waits = c->reading ? i + 1 : nw;
	}
	for (int32_t i = 0; i < ns && !c->failed; i++) {
		if (c->reading && xlv_detail_room_segment(d)) {
			c->failed = true;
			return;
		}
		code_segment(c, &d->segments[i]);
		if (c->reading) {
			d->segments[i].start_ns = at;
			at += d->segments[i].ns;
			d->nr_segments = i + 1;
		}
	}
	for (int32_t i = 0; i < nk && !c->failed; i++) {
		if (c->reading && xlv_detail_room_wake(d)) {
			c->failed = true;
			return;
		}
		code_path_wake(c, &d->wakes[i], d);
		d->nr_wakes = c->reading ? i + 1 : nk;
	}
}

int xlv_detail_pack(struct xlv_sync *sync, const struct xlv_detail *d)
{
	struct codec c = { 0 };
	struct xlv_detail copy = *d;	/* only read: the walk is shared with unpacking */
	uint8_t *fit;

	code_all(&c, &copy, sync);
	if (c.failed) {
		free(c.buf);
		return -1;
	}
	fit = realloc(c.buf, c.at);
	sync->packed = fit ? fit : c.buf;
	sync->packed_bytes = c.at;
	return 0;
}

static uint8_t distance(const struct xlv_topology *t, int32_t a, int32_t b)
{
	if (a >= 0 && a == b)
		return XLV_DIST_SAME_CPU;
	if (a < 0 || b < 0 || a >= t->nr || b >= t->nr)
		return XLV_DIST_UNKNOWN;
	if (t->core[a] >= 0 && t->core[a] == t->core[b])
		return XLV_DIST_SAME_CORE;
	if (t->llc[a] >= 0 && t->llc[a] == t->llc[b])
		return XLV_DIST_SAME_LLC;
	if (t->node[a] < 0 || t->node[b] < 0)
		return XLV_DIST_UNKNOWN;
	return t->node[a] == t->node[b] ? XLV_DIST_SAME_NODE : XLV_DIST_OTHER_NODE;
}

int xlv_sync_detail(const struct xlv_run *run, const struct xlv_sync *sync, struct xlv_detail *d)
{
	struct codec c = {
		.buf = (uint8_t *)sync->packed, .size = sync->packed_bytes, .reading = true,
	};

	d->nr_waits = d->nr_segments = d->nr_wakes = 0;
	if (!sync->packed)
		return 0;
	code_all(&c, d, sync);
	if (c.failed)
		return -1;
	for (int32_t i = 0; i < d->nr_waits; i++)
		d->waits[i].wake.distance = distance(&run->topology, d->waits[i].wake.waker_cpu,
						     d->waits[i].wake.to_cpu);
	for (int32_t i = 0; i < d->nr_wakes; i++)
		d->wakes[i].wake.distance = distance(&run->topology, d->wakes[i].wake.waker_cpu,
						     d->wakes[i].wake.to_cpu);
	return 0;
}

void xlv_detail_free(struct xlv_detail *d)
{
	free(d->waits);
	free(d->segments);
	free(d->wakes);
	memset(d, 0, sizeof(*d));
}
