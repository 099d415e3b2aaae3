// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/detail.h"

#define WORDS(type)	(sizeof(type) / sizeof(uint32_t))
/* Of a segment: all but .start_ns, which the segments before it say. */
#define SEGMENT_AT	offsetof(struct xlv_segment, ns)
#define SEGMENT_WORDS	((sizeof(struct xlv_segment) - SEGMENT_AT) / sizeof(uint32_t))
/* Of a wake on the path: all but the wake-up itself, which most share with a wait. */
#define PATH_WORDS	(offsetof(struct xlv_path_wake, wake) / sizeof(uint32_t))
#define WAKE_AT		(offsetof(struct xlv_wait, wake) / sizeof(uint32_t))

/* A bit says which words follow. */
_Static_assert(WORDS(struct xlv_wait) <= 64 && SEGMENT_WORDS <= 32 &&
	       PATH_WORDS <= 32, "a word has no bit");
_Static_assert(sizeof(struct xlv_wait) % sizeof(uint32_t) == 0 &&
	       sizeof(struct xlv_segment) % sizeof(uint32_t) == 0 &&
	       SEGMENT_AT % sizeof(uint32_t) == 0 &&
	       offsetof(struct xlv_path_wake, wake) % sizeof(uint32_t) == 0 &&
	       offsetof(struct xlv_wait, wake) % sizeof(uint32_t) == 0, "half a word");

/* The structs before; the wake-up of @wait also for those that no wait shares. */
struct before {
	uint32_t	wait[WORDS(struct xlv_wait)];
	uint32_t	segment[SEGMENT_WORDS];
	uint32_t	path[PATH_WORDS];
};

/* Store the words of @item that differ from those of @last, which it then becomes. */
static inline uint32_t *put(uint32_t *out, const void *item, uint32_t *last, unsigned int words)
{
	uint32_t now[64], *at = out + (words > 32 ? 2 : 1);
	uint64_t differ = 0;

	memcpy(now, item, words * sizeof(*now));
	for (unsigned int i = 0; i < words; i++) {
		bool differs = now[i] != last[i];

		differ |= (uint64_t)differs << i;
		*at = now[i];
		at += differs;
	}
	out[0] = differ;
	if (words > 32)
		out[1] = differ >> 32;
	memcpy(last, now, words * sizeof(*now));
	return at;
}

static inline const uint32_t *get(const uint32_t *in, void *item, uint32_t *last,
				  unsigned int words)
{
	uint64_t differ = in[0];

	if (words > 32)
		differ |= (uint64_t)in[1] << 32;
	for (in += words > 32 ? 2 : 1; differ; differ &= differ - 1)
		last[__builtin_ctzll(differ)] = *in++;
	memcpy(item, last, words * sizeof(*last));
	return in;
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

int xlv_detail_pack(struct xlv_arena *arena, struct xlv_sync *sync, const struct xlv_detail *d)
{
	/* as if every word differed; put() looks one word ahead */
	size_t most = 4 + d->nr_waits * (WORDS(struct xlv_wait) + 2) +
		      d->nr_segments * (SEGMENT_WORDS + 1) +
		      d->nr_wakes * (WORDS(struct xlv_path_wake) + 4);
	struct before last = { 0 };
	uint32_t *first, *at;

	sync->packed = NULL;
	first = xlv_arena_room(arena, most * sizeof(*first));
	if (!first)
		return -1;
	at = first;
	*at++ = d->nr_waits;
	*at++ = d->nr_segments;
	*at++ = d->nr_wakes;
	for (int32_t i = 0; i < d->nr_waits; i++)
		at = put(at, &d->waits[i], last.wait, WORDS(struct xlv_wait));
	for (int32_t i = 0; i < d->nr_segments; i++)
		at = put(at, &d->segments[i].ns, last.segment, SEGMENT_WORDS);
	for (int32_t i = 0; i < d->nr_wakes; i++) {
		int32_t same = wait_of(d, &d->wakes[i].wake);

		at = put(at, &d->wakes[i], last.path, PATH_WORDS);
		*at++ = same;
		if (same < 0)
			at = put(at, &d->wakes[i].wake, last.wait + WAKE_AT,
				 WORDS(struct xlv_wake));
	}
	xlv_arena_take(arena, (at - first) * sizeof(*first));
	sync->packed = first;
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

static int unpack(const uint32_t *in, const struct xlv_sync *sync, struct xlv_detail *d)
{
	int32_t nr_waits = in[0], nr_segments = in[1], nr_wakes = in[2];
	struct before last = { 0 };
	int64_t ns = sync->start_ns;

	in += 3;
	for (; d->nr_waits < nr_waits; d->nr_waits++) {
		if (xlv_detail_room_wait(d))
			return -1;
		in = get(in, &d->waits[d->nr_waits], last.wait, WORDS(struct xlv_wait));
	}
	for (; d->nr_segments < nr_segments; d->nr_segments++) {
		struct xlv_segment *s;

		if (xlv_detail_room_segment(d))
			return -1;
		s = &d->segments[d->nr_segments];
		in = get(in, &s->ns, last.segment, SEGMENT_WORDS);
		s->start_ns = ns;
		ns += s->ns;
	}
	for (; d->nr_wakes < nr_wakes; d->nr_wakes++) {
		struct xlv_path_wake *w;
		int32_t same;

		if (xlv_detail_room_wake(d))
			return -1;
		w = &d->wakes[d->nr_wakes];
		in = get(in, w, last.path, PATH_WORDS);
		same = *in++;
		if (same >= 0)
			w->wake = d->waits[same].wake;
		else
			in = get(in, &w->wake, last.wait + WAKE_AT, WORDS(struct xlv_wake));
	}
	return 0;
}

int xlv_sync_detail(const struct xlv_run *run, const struct xlv_sync *sync, struct xlv_detail *d)
{
	d->nr_waits = d->nr_segments = d->nr_wakes = 0;
	if (!sync->packed)
		return 0;
	if (unpack(sync->packed, sync, d))
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
