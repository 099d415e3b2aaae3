/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compressions a trace.dat can have. */
#ifndef XLV_TRACE_CODEC_H
#define XLV_TRACE_CODEC_H

#include <stddef.h>

enum xlv_codec_kind { XLV_CODEC_NONE, XLV_CODEC_ZLIB, XLV_CODEC_ZSTD };

struct xlv_codec;

struct xlv_codec *xlv_codec_new(enum xlv_codec_kind kind);
void xlv_codec_free(struct xlv_codec *c);

/**
 * xlv_codec_unpack - decompress one piece
 *
 * Returns 0 if @src gave exactly @dst_len bytes, else -1.
 */
int xlv_codec_unpack(struct xlv_codec *c, void *dst, size_t dst_len, const void *src,
		     size_t src_len);

#endif
