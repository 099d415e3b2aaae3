// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "model/arena.h"

#define LARGE_PAGE	((size_t)2 << 20)
#define FIRST_CHUNK	((size_t)64 << 10)

struct xlv_arena_chunk {
	struct xlv_arena_chunk	*next;
	uint64_t		data[];
};

void xlv_arena_large_pages(void *p, size_t bytes)
{
	uintptr_t from = ((uintptr_t)p + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)p + bytes) & ~(LARGE_PAGE - 1);

	/* advice only: a kernel that knows no large pages says no, and that's that */
	if (to > from)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/* Small recordings get by with a small chunk; the others are full of large pages. */
static int add_chunk(struct xlv_arena *a, size_t least)
{
	size_t size = a->chunk ? LARGE_PAGE : FIRST_CHUNK;
	struct xlv_arena_chunk *c;

	if (size < least + sizeof(*c))
		size = (least + sizeof(*c) + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	c = size < LARGE_PAGE ? malloc(size) : aligned_alloc(LARGE_PAGE, size);
	if (!c)
		return -1;
	xlv_arena_large_pages(c, size);
	c->next = a->chunk;
	a->chunk = c;
	a->used = 0;
	a->size = size - sizeof(*c);	/* a multiple of 8, so rounding up stays inside */
	return 0;
}

void *xlv_arena_room(struct xlv_arena *a, size_t bytes)
{
	if (a->size - a->used < bytes && add_chunk(a, bytes))
		return NULL;
	return (char *)a->chunk->data + a->used;
}

void xlv_arena_take(struct xlv_arena *a, size_t bytes)
{
	a->used += (bytes + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
}

void xlv_arena_free(struct xlv_arena *a)
{
	struct xlv_arena_chunk *c, *next;

	for (c = a->chunk; c; c = next) {
		next = c->next;
		free(c);
	}
	*a = (struct xlv_arena){ 0 };
}
