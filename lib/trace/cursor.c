// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/bytes.h"

#define FILL_BYTES	(64u << 10)

void xlv_cursor_file(struct xlv_cursor *c, int fd, uint64_t start, uint64_t end, bool swap)
{
	*c = (struct xlv_cursor){ .fd = fd, .base = start, .end = end, .swap = swap };
	if (start > end)
		c->base = end;
}

void xlv_cursor_memory(struct xlv_cursor *c, void *buf, size_t len, bool swap)
{
	*c = (struct xlv_cursor){ .fd = -1, .end = len, .buf = buf, .len = len, .cap = len,
				  .swap = swap };
}

void xlv_cursor_free(struct xlv_cursor *c)
{
	free(c->buf);
	*c = (struct xlv_cursor){ .fd = -1 };
}

/* Have at least @size bytes from .pos on in .buf; fills ahead where it can. */
static bool fill(struct xlv_cursor *c, size_t size)
{
	size_t want, keep;
	uint8_t *buf;
	ssize_t n;

	if (c->len - c->pos >= size)
		return true;
	if (c->fd < 0 || size > XLV_CURSOR_MAX || xlv_cursor_left(c) < size)
		return false;

	keep = c->len - c->pos;
	if (keep)
		memmove(c->buf, c->buf + c->pos, keep);
	c->base += c->pos;
	c->pos = 0;
	c->len = keep;

	want = size > FILL_BYTES ? size : FILL_BYTES;
	if (want > c->end - c->base)
		want = c->end - c->base;
	if (want > c->cap) {
		buf = realloc(c->buf, want);
		if (!buf)
			return false;
		c->buf = buf;
		c->cap = want;
	}
	while (c->len < want) {
		n = pread(c->fd, c->buf + c->len, want - c->len, c->base + c->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		c->len += n;
	}
	return c->len >= size;
}

const void *xlv_cursor_take(struct xlv_cursor *c, uint64_t size)
{
	const void *p;

	if (c->bad || size > XLV_CURSOR_MAX || !fill(c, size)) {
		c->bad = true;
		return NULL;
	}
	p = c->buf ? c->buf + c->pos : (const uint8_t *)"";
	c->pos += size;
	return p;
}

const char *xlv_cursor_string(struct xlv_cursor *c, size_t max)
{
	const uint8_t *nul;
	const char *s;
	size_t n;

	if (c->bad)
		return NULL;
	n = xlv_cursor_left(c) < max ? xlv_cursor_left(c) : max;
	if (!n || !fill(c, n)) {
		c->bad = true;
		return NULL;
	}
	nul = memchr(c->buf + c->pos, 0, n);
	if (!nul) {
		c->bad = true;
		return NULL;
	}
	s = (const char *)c->buf + c->pos;
	c->pos = nul + 1 - c->buf;
	return s;
}

uint16_t xlv_cursor_u16(struct xlv_cursor *c)
{
	const void *p = xlv_cursor_take(c, 2);

	return p ? xlv_get16(p, c->swap) : 0;
}

uint32_t xlv_cursor_u32(struct xlv_cursor *c)
{
	const void *p = xlv_cursor_take(c, 4);

	return p ? xlv_get32(p, c->swap) : 0;
}

uint64_t xlv_cursor_u64(struct xlv_cursor *c)
{
	const void *p = xlv_cursor_take(c, 8);

	return p ? xlv_get64(p, c->swap) : 0;
}
