// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "model/detail.h"

/*
 * A number is its bits, seven a byte, behind as many low bits as tell how many
 * bytes: "1" one, "10" two, and so on. So the length is known before the bits
 * are, and neither way needs a branch. Past 56 bits: a zero byte, then eight.
 */
#define NUMBER_BYTES	9
/* No struct needs more numbers. */
#define WAIT_NUMBERS	32
#define SEGMENT_NUMBERS	8
#define WAKE_NUMBERS	40

struct codec {
	uint8_t			*p;
	int64_t			last_ns;	/* the last time that was coded */
	const char		*str[2];	/* the last strings, the latest first */
	const struct xlv_sync	*sync;
};

static inline void put(struct codec *c, uint64_t v)
{
	unsigned int bits = 64 - __builtin_clzll(v | 1), n = (bits + 6) * 37 >> 8;
	uint64_t x = (v << 1 | 1) << (n - 1);

	if (bits > 56) {
		*c->p++ = 0;
		x = v;
		n = 8;
	}
	x = htole64(x);
	memcpy(c->p, &x, sizeof(x));
	c->p += n;
}

static inline uint64_t get(struct codec *c)
{
	unsigned int n;
	uint64_t x;

	memcpy(&x, c->p, sizeof(x));
	x = le64toh(x);
	if (!(x & 0xff)) {
		memcpy(&x, c->p + 1, sizeof(x));
		c->p += NUMBER_BYTES;
		return le64toh(x);
	}
	n = __builtin_ctzll(x) + 1;
	c->p += n;
	return x << (64 - 8 * n) >> (64 - 7 * n);
}

static inline void put_signed(struct codec *c, int64_t v)
{
	put(c, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static inline int64_t get_signed(struct codec *c)
{
	uint64_t z = get(c);

	return (int64_t)(z >> 1 ^ -(z & 1));
}

/* A time: the difference to the last, after a place for "none". */
static inline void put_time(struct codec *c, int64_t ns)
{
	int64_t d = (int64_t)((uint64_t)ns - (uint64_t)c->last_ns);

	if (ns == XLV_NONE) {
		put(c, 0);
		return;
	}
	/* a difference of INT64_MIN would look like "none": times are no such numbers */
	put(c, ((uint64_t)d << 1 ^ (uint64_t)(d >> 63)) + 1);
	c->last_ns = ns;
}

static inline int64_t get_time(struct codec *c)
{
	uint64_t z = get(c);

	if (!z--)
		return XLV_NONE;
	c->last_ns = (int64_t)((uint64_t)c->last_ns + (z >> 1 ^ -(z & 1)));
	return c->last_ns;
}

/* A string of the run: one of the last two, none, or how far it lies from the last. */
static inline void seen_str(struct codec *c, const char *s)
{
	c->str[1] = c->str[0];
	c->str[0] = s;
}

static inline void put_str(struct codec *c, const char *s)
{
	int64_t d = (int64_t)((uintptr_t)s - (uintptr_t)c->str[0]);

	if (s == c->str[0] || !s) {
		put(c, s ? 0 : 2);
		return;
	}
	put(c, s == c->str[1] ? 1 : 3 + ((uint64_t)d << 1 ^ (uint64_t)(d >> 63)));
	seen_str(c, s);
}

static inline const char *get_str(struct codec *c)
{
	uint64_t z = get(c);

	if (z == 2)
		return NULL;
	if (z == 1) {
		seen_str(c, c->str[1]);
	} else if (z) {
		z -= 3;
		seen_str(c, (const char *)((uintptr_t)c->str[0] + (uintptr_t)(z >> 1 ^ -(z & 1))));
	}
	return c->str[0];
}

/* Of a wake-up: where its bits lie, and whether what it has is there. */
enum {
	WAKE_ROLE = 2, WAKE_CAUSE = 5, WAKE_REMOTE = 8, WAKE_MIGRATED, WAKE_ON_PREV,
	WAKE_OWN,		/* the syncing task's */
	WAKE_OTHER, WAKE_POWER,
	WAKE_PARTS,		/* a bit a part: most are zero */
};
_Static_assert(XLV_FROM_UNKNOWN < 4 && XLV_ROLE_COUNT <= 8 && XLV_PART_UNKNOWN < 8, "no room");

static inline uint64_t parts_there(const int64_t *parts)
{
	uint64_t bits = 0;

	for (int i = 0; i < XLV_PART_COUNT; i++)
		bits |= (uint64_t)(parts[i] != 0) << i;
	return bits;
}

static inline void put_parts(struct codec *c, const int64_t *parts, uint64_t there)
{
	for (; there; there &= there - 1)
		put_signed(c, parts[__builtin_ctzll(there)]);
}

static inline void get_parts(struct codec *c, int64_t *parts, uint64_t there)
{
	memset(parts, 0, XLV_PART_COUNT * sizeof(*parts));
	for (; there; there &= there - 1)
		parts[__builtin_ctzll(there)] = get_signed(c);
}

static void put_wake(struct codec *c, const struct xlv_wake *w)
{
	bool own = w->pid == c->sync->pid && w->comm == c->sync->comm;
	bool power = w->cstate != -1 || w->freq_khz;
	uint64_t parts = parts_there(w->parts_ns);

	put(c, w->waker_context | w->waker_role << WAKE_ROLE | w->cause << WAKE_CAUSE |
	       w->remote << WAKE_REMOTE | w->migrated << WAKE_MIGRATED |
	       w->waker_on_prev << WAKE_ON_PREV | own << WAKE_OWN |
	       !!w->other_pid << WAKE_OTHER | power << WAKE_POWER | parts << WAKE_PARTS);
	put_time(c, w->waking_ns);
	put_time(c, w->wakeup_ns);
	put_time(c, w->running_ns);
	if (!own) {
		put_signed(c, w->pid);
		put_str(c, w->comm);
	}
	put_signed(c, w->waker_pid);
	put_str(c, w->waker_comm);
	put_signed(c, w->waker_cpu);
	put_signed(c, w->prev_cpu);
	put_signed(c, w->to_cpu);
	put_parts(c, w->parts_ns, parts);
	if (w->other_pid) {
		put_signed(c, w->other_pid);
		put_str(c, w->other_comm);
		put_signed(c, w->other_ns);
	}
	if (power) {
		put_signed(c, w->cstate);
		put_signed(c, w->freq_khz);
	}
}

static void get_wake(struct codec *c, struct xlv_wake *w)
{
	uint64_t bits = get(c);

	w->waker_context = bits & 3;
	w->waker_role = bits >> WAKE_ROLE & 7;
	w->cause = bits >> WAKE_CAUSE & 7;
	w->remote = bits >> WAKE_REMOTE & 1;
	w->migrated = bits >> WAKE_MIGRATED & 1;
	w->waker_on_prev = bits >> WAKE_ON_PREV & 1;
	w->waking_ns = get_time(c);
	w->wakeup_ns = get_time(c);
	w->running_ns = get_time(c);
	w->pid = c->sync->pid;
	w->comm = c->sync->comm;
	if (!(bits >> WAKE_OWN & 1)) {
		w->pid = get_signed(c);
		w->comm = get_str(c);
	}
	w->waker_pid = get_signed(c);
	w->waker_comm = get_str(c);
	w->waker_cpu = get_signed(c);
	w->prev_cpu = get_signed(c);
	w->to_cpu = get_signed(c);
	get_parts(c, w->parts_ns, bits >> WAKE_PARTS);
	w->other_pid = 0;
	w->other_comm = NULL;
	w->other_ns = 0;
	if (bits >> WAKE_OTHER & 1) {
		w->other_pid = get_signed(c);
		w->other_comm = get_str(c);
		w->other_ns = get_signed(c);
	}
	w->cstate = -1;
	w->freq_khz = 0;
	if (bits >> WAKE_POWER & 1) {
		w->cstate = get_signed(c);
		w->freq_khz = get_signed(c);
	}
}

static void put_wait(struct codec *c, const struct xlv_wait *w)
{
	put_time(c, w->start_ns);
	put(c, w->queue);
	put_wake(c, &w->wake);
	put(c, w->lsn);
	put_str(c, w->what);
	put_signed(c, w->push);
	put_signed(c, w->iclog);
}

static void get_wait(struct codec *c, struct xlv_wait *w)
{
	w->start_ns = get_time(c);
	w->queue = get(c);
	get_wake(c, &w->wake);
	w->lsn = get(c);
	w->what = get_str(c);
	w->push = get_signed(c);
	w->iclog = get_signed(c);
}

/* Of a segment: its stage, and whether the rest is as it was or isn't there. */
enum { SEGMENT_OWNER = 5, SEGMENT_WHAT, SEGMENT_WAKE };
_Static_assert(XLV_STAGE_COUNT <= 32, "no room");

static inline void put_segment(struct codec *c, const struct xlv_segment *s,
			       const struct xlv_segment *last)
{
	bool same = s->cpu == last->cpu && s->pid == last->pid && s->comm == last->comm;

	put(c, s->stage | !same << SEGMENT_OWNER | !!s->what << SEGMENT_WHAT |
	       (s->wake != -1) << SEGMENT_WAKE);
	put_signed(c, s->ns);
	if (!same) {
		put_signed(c, s->cpu);
		put_signed(c, s->pid);
		put_str(c, s->comm);
	}
	if (s->what)
		put_str(c, s->what);
	if (s->wake != -1)
		put_signed(c, s->wake);
}

static inline void get_segment(struct codec *c, struct xlv_segment *s,
			       const struct xlv_segment *last)
{
	uint64_t bits = get(c);

	s->stage = bits & 31;
	s->ns = get_signed(c);
	s->cpu = last->cpu;
	s->pid = last->pid;
	s->comm = last->comm;
	if (bits >> SEGMENT_OWNER & 1) {
		s->cpu = get_signed(c);
		s->pid = get_signed(c);
		s->comm = get_str(c);
	}
	s->what = bits >> SEGMENT_WHAT & 1 ? get_str(c) : NULL;
	s->wake = bits >> SEGMENT_WAKE & 1 ? get_signed(c) : -1;
}

/* The wait whose wake-up this is; -1: none. */
static int32_t wait_of(const struct xlv_detail *d, const struct xlv_wake *w)
{
	for (int32_t i = d->nr_waits; i-- > 0; )
		if (d->waits[i].wake.waking_ns == w->waking_ns &&
		    !memcmp(&d->waits[i].wake, w, sizeof(*w)))
			return i;
	return -1;
}

/* Is it all of a wait's wake-up? Then the parts are the same, too. */
static inline bool whole(const struct xlv_path_wake *w)
{
	return (uint64_t)w->ns == (uint64_t)w->wake.running_ns - (uint64_t)w->wake.waking_ns;
}

/* Most wakes of the path are those of the task's own waits: then that says it all. */
static void put_path_wake(struct codec *c, const struct xlv_path_wake *w,
			  const struct xlv_detail *d)
{
	int32_t same = wait_of(d, &w->wake);
	uint64_t there;

	put(c, w->stage | w->cause << 5);
	put_signed(c, w->ns);
	put_signed(c, same);
	if (same < 0)
		put_wake(c, &w->wake);
	else if (whole(w))
		return;
	there = parts_there(w->parts_ns);
	put(c, there);
	put_parts(c, w->parts_ns, there);
}

static void get_path_wake(struct codec *c, struct xlv_path_wake *w, const struct xlv_detail *d)
{
	uint64_t bits = get(c);
	int32_t same;

	w->stage = bits & 31;
	w->cause = bits >> 5;
	w->ns = get_signed(c);
	same = get_signed(c);
	if (same < 0) {
		get_wake(c, &w->wake);
	} else {
		w->wake = d->waits[same].wake;
		if (whole(w)) {
			memcpy(w->parts_ns, w->wake.parts_ns, sizeof(w->parts_ns));
			return;
		}
	}
	get_parts(c, w->parts_ns, get(c));
}

/* What the first segment is compared with. */
static const struct xlv_segment no_segment = { .cpu = -1, .pid = -1 };

static struct codec codec(uint8_t *p, const struct xlv_sync *sync)
{
	return (struct codec){
		.p = p, .last_ns = sync->start_ns, .str = { sync->comm, NULL }, .sync = sync,
	};
}

int xlv_detail_pack(struct xlv_arena *arena, struct xlv_sync *sync, const struct xlv_detail *d)
{
	size_t most = (size_t)d->nr_waits * WAIT_NUMBERS +
		      (size_t)d->nr_segments * SEGMENT_NUMBERS +
		      (size_t)d->nr_wakes * WAKE_NUMBERS + 4;
	const struct xlv_segment *last = &no_segment;
	struct codec c;

	sync->packed = xlv_arena_room(arena, most * NUMBER_BYTES);
	if (!sync->packed)
		return -1;
	c = codec(sync->packed, sync);
	put(&c, d->nr_waits);
	put(&c, d->nr_segments);
	put(&c, d->nr_wakes);
	for (int32_t i = 0; i < d->nr_waits; i++)
		put_wait(&c, &d->waits[i]);
	for (int32_t i = 0; i < d->nr_segments; last = &d->segments[i++])
		put_segment(&c, &d->segments[i], last);
	for (int32_t i = 0; i < d->nr_wakes; i++)
		put_path_wake(&c, &d->wakes[i], d);
	xlv_arena_take(arena, c.p - sync->packed);
	return 0;
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

static int unpack(const struct xlv_sync *sync, struct xlv_detail *d)
{
	struct codec c = codec(sync->packed, sync);
	int32_t nr_waits = get(&c), nr_segments = get(&c), nr_wakes = get(&c);
	int64_t ns = sync->start_ns;

	for (; d->nr_waits < nr_waits; d->nr_waits++) {
		if (xlv_detail_room_wait(d))
			return -1;
		get_wait(&c, &d->waits[d->nr_waits]);
	}
	for (; d->nr_segments < nr_segments; d->nr_segments++) {
		struct xlv_segment *s;

		if (xlv_detail_room_segment(d))
			return -1;
		s = &d->segments[d->nr_segments];
		get_segment(&c, s, d->nr_segments ? s - 1 : &no_segment);
		s->start_ns = ns;
		ns += s->ns;
	}
	for (; d->nr_wakes < nr_wakes; d->nr_wakes++) {
		if (xlv_detail_room_wake(d))
			return -1;
		get_path_wake(&c, &d->wakes[d->nr_wakes], d);
	}
	return 0;
}

int xlv_sync_detail(const struct xlv_run *run, const struct xlv_sync *sync, struct xlv_detail *d)
{
	d->nr_waits = d->nr_segments = d->nr_wakes = 0;
	if (!sync->packed)
		return 0;
	if (unpack(sync, d))
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
