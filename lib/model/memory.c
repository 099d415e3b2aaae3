// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "model/memory.h"

#define CHUNK	((size_t)64 << 10)

struct xlv_arena_chunk {
	struct xlv_arena_chunk	*next;
	_Alignas(16) uint8_t	data[];
};

void *xlv_grow(void *p, size_t nr, size_t *cap, size_t size)
{
	size_t want = *cap ? *cap + *cap / 2 : 64, bytes = want * size;
	void *more;

	if (nr < *cap)
		return p;
	more = realloc(p, bytes);
	if (more)
		*cap = want;
	return more;
}

static int add_chunk(struct xlv_arena *a, size_t least)
{
	size_t size = least < CHUNK ? CHUNK : least;
	struct xlv_arena_chunk *c = malloc(sizeof(*c) + size);

	if (!c)
		return -1;
	c->next = a->chunk;
	a->chunk = c;
	a->used = 0;
	a->size = size;
	return 0;
}

uint8_t *xlv_arena_room(struct xlv_arena *a, size_t bytes)
{
	if (a->size - a->used < bytes && add_chunk(a, bytes))
		return NULL;
	return a->chunk->data + a->used;
}

void xlv_arena_take(struct xlv_arena *a, size_t bytes)
{
	a->used += bytes;
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
