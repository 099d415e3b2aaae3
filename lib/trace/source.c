// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/bytes.h"
#include "trace/kernel.h"

/* trace-cmd makes chunks of ten sub-buffers; more than so many are damage. */
#define CHUNK_MAX_PAGES	64
#define CHUNK_MIN_BYTES	(1u << 20)

/* What all windows of a recording may hold together. */
#define WINDOWS_MAX_BYTES	(512ull << 20)

void xlv_source_init(struct xlv_source *s, struct xlv_container *c, struct xlv_cpu_data *d,
		     uint32_t subbuf_bytes, size_t window_bytes)
{
	memset(s, 0, sizeof(*s));
	s->c = c;
	s->d = d;
	s->subbuf_bytes = subbuf_bytes;
	s->window_bytes = window_bytes < 2 * (size_t)subbuf_bytes ? 2 * (size_t)subbuf_bytes :
								    window_bytes;
}

void xlv_source_free(struct xlv_source *s)
{
	free(s->win);
	if (s->c)
		s->c->window_bytes -= s->win_cap;
	s->win = NULL;
	s->win_len = s->win_cap = 0;
	s->finished = true;
}

static void damaged(struct xlv_source *s, uint64_t offset, int64_t missing, const char *what)
{
	s->hole = true;
	if (!s->quiet)
		xlv_damage_add(s->c->damage, XLV_DAMAGE_PAGE, s->d->cpu, offset, missing,
			       "CPU %d: %s", s->d->cpu, what);
}

static ssize_t read_at(int fd, void *buf, size_t len, uint64_t at)
{
	size_t have = 0;
	ssize_t n;

	while (have < len) {
		n = pread(fd, (uint8_t *)buf + have, len - have, at + have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += n;
	}
	return have;
}

/* Drop what lies before .pos and make room for @more bytes. */
static bool make_room(struct xlv_source *s, size_t more)
{
	size_t gone, keep, grow;
	uint8_t *p;

	gone = s->pos > s->win_pos ? s->pos - s->win_pos : 0;
	if (gone >= s->win_len) {
		s->win_pos += s->win_len;
		s->win_len = 0;
	} else if (gone) {
		keep = s->win_len - gone;
		memmove(s->win, s->win + gone, keep);
		s->win_pos += gone;
		s->win_len = keep;
	}
	if (s->win_len + more <= s->win_cap)
		return true;
	grow = s->win_len + more - s->win_cap;
	p = s->c->window_bytes + grow <= WINDOWS_MAX_BYTES ?
	    realloc(s->win, s->win_len + more + XLV_RECORD_SLACK) : NULL;
	if (!p) {
		damaged(s, xlv_source_offset(s), -1, "no memory is left for its data");
		return false;
	}
	s->win = p;
	s->win_cap += grow;
	s->c->window_bytes += grow;
	return true;
}

static bool fill_plain(struct xlv_source *s)
{
	uint64_t at = s->win_pos + s->win_len;
	size_t want = s->window_bytes;
	ssize_t n;

	if (at >= s->d->avail)
		return false;
	if (want > s->d->avail - at)
		want = s->d->avail - at;
	if (!make_room(s, want))
		return false;
	at = s->win_pos + s->win_len;
	n = read_at(s->d->fd, s->win + s->win_len, want, s->d->offset + at);
	if (n < (ssize_t)want)
		damaged(s, s->d->offset + at + n, want - n, "the file can't be read here");
	s->win_len += n;
	return n > 0;
}

/*
 * Unpack the next chunk behind what the window holds. A chunk that can't be
 * unpacked leaves zeros: the sub-buffers in it are then empty.
 */
static bool fill_packed(struct xlv_source *s)
{
	bool swap = s->c->big_endian != XLV_HOST_BIG;
	uint32_t packed, plain, max;
	uint64_t at, left;
	uint8_t h[8];
	void *src;

	at = s->d->offset + s->chunk_at;
	if (!s->started) {
		if (s->d->avail < 4 || read_at(s->d->fd, h, 4, at) != 4)
			return false;
		s->chunks_left = s->d->open_ended ? UINT32_MAX : xlv_get32(h, swap);
		s->chunk_at = 4;
		s->started = true;
		at += 4;
	}
	left = s->d->avail - s->chunk_at;
	if (!s->chunks_left || s->chunk_at >= s->d->avail || left <= 8)
		return false;
	if (read_at(s->d->fd, h, 8, at) != 8)
		return false;
	packed = xlv_get32(h, swap);
	plain = xlv_get32(h + 4, swap);
	left -= 8;
	max = CHUNK_MAX_PAGES * s->subbuf_bytes;
	if (max < CHUNK_MIN_BYTES)
		max = CHUNK_MIN_BYTES;
	if (!packed || !plain || packed > max || plain > max) {
		damaged(s, at, left, "what follows is no compressed chunk");
		s->chunks_left = 0;
		return false;
	}
	if (packed > left) {
		if (s->d->avail >= s->d->size)
			damaged(s, at, left, "the last chunk is cut short");
		s->chunks_left = 0;
		return false;
	}
	if (!make_room(s, plain))
		return false;
	src = malloc(packed);
	if (!src)
		return false;
	if (read_at(s->d->fd, src, packed, at + 8) != (ssize_t)packed ||
	    xlv_codec_unpack(s->c->codec, s->win + s->win_len, plain, src, packed)) {
		damaged(s, at, packed + 8, "a chunk can't be decompressed");
		memset(s->win + s->win_len, 0, plain);
	}
	free(src);
	s->win_len += plain;
	s->chunk_at += 8 + (uint64_t)packed;
	s->chunks_left--;
	return true;
}

const uint8_t *xlv_source_peek(struct xlv_source *s, unsigned int ahead, size_t *len)
{
	uint64_t pos = s->pos + (uint64_t)ahead * s->subbuf_bytes;

	*len = 0;
	if (s->finished)
		return NULL;
	while (s->win_pos + s->win_len < pos + s->subbuf_bytes)
		if (!(s->d->packed ? fill_packed(s) : fill_plain(s)))
			break;
	if (pos >= s->win_pos + s->win_len)
		return NULL;
	*len = s->win_pos + s->win_len - pos;
	if (*len > s->subbuf_bytes)
		*len = s->subbuf_bytes;
	return s->win + (pos - s->win_pos);
}

void xlv_source_skip(struct xlv_source *s)
{
	s->pos += s->subbuf_bytes;
}

int64_t xlv_source_offset(const struct xlv_source *s)
{
	return s->d->offset + (s->d->packed ? s->chunk_at : s->pos);
}

uint64_t xlv_source_done(const struct xlv_source *s)
{
	uint64_t n = s->d->packed ? s->chunk_at : s->pos;

	return s->finished || n > s->d->avail ? s->d->avail : n;
}

void xlv_source_mark(const struct xlv_source *s, struct xlv_source_mark *m)
{
	m->pos = s->d->packed ? s->win_pos + s->win_len : s->pos;
	m->chunk_at = s->chunk_at;
	m->chunks_left = s->chunks_left;
}

void xlv_source_seek(struct xlv_source *s, const struct xlv_source_mark *m)
{
	s->win_len = 0;
	s->win_pos = s->pos = m->pos;
	s->chunk_at = m->chunk_at;
	s->chunks_left = m->chunks_left;
	s->started = m->chunk_at != 0;
	s->finished = false;
}
