/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sub-buffers of one CPU, one after the other, whether they lie in the file
 * as they are or in compressed chunks. Holds one window of the data at a time.
 *
 * Positions count bytes of the uncompressed data.
 */
#ifndef XLV_TRACE_SOURCE_H
#define XLV_TRACE_SOURCE_H

#include "trace/container.h"

struct xlv_source {
	struct xlv_container	*c;
	struct xlv_cpu_data	*d;
	uint32_t		subbuf_bytes;
	size_t			window_bytes;	/* how much to read at once */

	uint64_t		pos;		/* of the next sub-buffer */
	uint8_t			*win;
	size_t			win_len, win_cap;
	uint64_t		win_pos;	/* position of .win[0] */

	/* compressed: the next chunk */
	uint64_t		chunk_at;	/* in the file, from .d->offset */
	uint32_t		chunks_left;
	bool			started, finished, quiet;
	bool			hole;		/* something was left out; the reader clears it */
};

/** xlv_source_init - start at the first sub-buffer */
void xlv_source_init(struct xlv_source *s, struct xlv_container *c, struct xlv_cpu_data *d,
		     uint32_t subbuf_bytes, size_t window_bytes);
void xlv_source_free(struct xlv_source *s);

/**
 * xlv_source_peek - the sub-buffer @ahead of the next one (0: the next one)
 * @len:	how much of it there is: less than a whole one at a cut
 *
 * Returns NULL at the end. What an earlier call returned is no longer valid
 * where @ahead is 0, and may have moved where it is not.
 */
const uint8_t *xlv_source_peek(struct xlv_source *s, unsigned int ahead, size_t *len);

/** xlv_source_skip - go past the next sub-buffer */
void xlv_source_skip(struct xlv_source *s);

/** xlv_source_offset - where in the file the next sub-buffer (or its chunk) lies */
int64_t xlv_source_offset(const struct xlv_source *s);

/** xlv_source_done - bytes of the file's data that have been read */
uint64_t xlv_source_done(const struct xlv_source *s);

/* A place to come back to. */
struct xlv_source_mark {
	uint64_t	pos, chunk_at;
	uint32_t	chunks_left;
};

void xlv_source_mark(const struct xlv_source *s, struct xlv_source_mark *m);
void xlv_source_seek(struct xlv_source *s, const struct xlv_source_mark *m);

#endif
