/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over bytes that may end at any point: a part of a file, or memory.
 *
 * Every taker returns NULL, zero or false once the data runs out or a size is
 * past XLV_CURSOR_MAX, and sets .bad; later calls then do nothing, so that a
 * parser may check once after several fields. What a taker returned stays
 * valid until the next call.
 */
#ifndef XLV_TRACE_CURSOR_H
#define XLV_TRACE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than any header section of a real file: kallsyms has some 10 MiB. */
#define XLV_CURSOR_MAX	(128u << 20)

struct xlv_cursor {
	int		fd;		/* -1: the bytes are in memory */
	uint64_t	base;		/* file offset of .buf[0] */
	uint64_t	end;		/* file offset where the data ends */
	uint8_t		*buf;
	size_t		len, pos, cap;
	bool		swap, bad;
};

/** xlv_cursor_file - walk over @fd from @start to @end */
void xlv_cursor_file(struct xlv_cursor *c, int fd, uint64_t start, uint64_t end, bool swap);
/** xlv_cursor_memory - walk over @len bytes at @buf, which the cursor frees */
void xlv_cursor_memory(struct xlv_cursor *c, void *buf, size_t len, bool swap);
void xlv_cursor_free(struct xlv_cursor *c);

const void *xlv_cursor_take(struct xlv_cursor *c, uint64_t size);
const char *xlv_cursor_string(struct xlv_cursor *c, size_t max);	/* terminated */
uint16_t xlv_cursor_u16(struct xlv_cursor *c);
uint32_t xlv_cursor_u32(struct xlv_cursor *c);
uint64_t xlv_cursor_u64(struct xlv_cursor *c);

static inline uint64_t xlv_cursor_tell(const struct xlv_cursor *c)
{
	return c->base + c->pos;
}

static inline uint64_t xlv_cursor_left(const struct xlv_cursor *c)
{
	return c->end - xlv_cursor_tell(c);
}

#endif
