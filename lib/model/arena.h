/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is handed out piece by piece and freed as a whole.
 *
 * A recording can hold a million syncs, so what is kept of each goes here: no
 * header to a piece, and large pages where the kernel gives them.
 */
#ifndef XLV_MODEL_ARENA_H
#define XLV_MODEL_ARENA_H

#include <stddef.h>

struct xlv_arena {
	struct xlv_arena_chunk	*chunk;
	size_t			used, size;	/* of the chunk, in bytes */
};

/**
 * xlv_arena_room - where the next piece begins, with room for @bytes
 *
 * Aligned for any integer; NULL without memory. It is the caller's once
 * xlv_arena_take() says how many of the bytes it needed.
 */
void *xlv_arena_room(struct xlv_arena *a, size_t bytes);
void xlv_arena_take(struct xlv_arena *a, size_t bytes);
void xlv_arena_free(struct xlv_arena *a);

/*
 * Ask for large pages behind a block that is about to be filled. Without them
 * the page faults of a big recording take longer than what they are taken for.
 */
void xlv_arena_large_pages(void *p, size_t bytes);

#endif
