/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for what is kept of each sync. A recording can hold a million of them.
 */
#ifndef XLV_MODEL_MEMORY_H
#define XLV_MODEL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/**
 * xlv_grow - room for one more element in an array
 * @p:		the array; NULL: none yet
 * @nr, @cap:	how many elements it holds, and has room for
 * @size:	of an element, in bytes
 *
 * Returns the array, maybe elsewhere, for free(). NULL without memory: then it
 * is as it was.
 */
void *xlv_grow(void *p, size_t nr, size_t *cap, size_t size);

/*
 * Bytes, piece after piece without gaps, freed as a whole. Pieces that are all
 * multiples of 16 bytes are aligned to that, too.
 */
struct xlv_arena {
	struct xlv_arena_chunk	*chunk;
	size_t			used, size;	/* of the chunk, in bytes */
};

/**
 * xlv_arena_room - where the next piece begins, with room for @bytes
 *
 * NULL without memory. It is the caller's once xlv_arena_take() says how many of
 * the bytes it needed.
 */
uint8_t *xlv_arena_room(struct xlv_arena *a, size_t bytes);
void xlv_arena_take(struct xlv_arena *a, size_t bytes);
void xlv_arena_free(struct xlv_arena *a);

#endif
