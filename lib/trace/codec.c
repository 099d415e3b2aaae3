// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/codec.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

struct xlv_codec {
	enum xlv_codec_kind	kind;
	ZSTD_DCtx		*zstd;
};

struct xlv_codec *xlv_codec_new(enum xlv_codec_kind kind)
{
	struct xlv_codec *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->kind = kind;
	if (kind == XLV_CODEC_ZSTD) {
		c->zstd = ZSTD_createDCtx();
		if (!c->zstd) {
			free(c);
			return NULL;
		}
	}
	return c;
}

void xlv_codec_free(struct xlv_codec *c)
{
	if (!c)
		return;
	ZSTD_freeDCtx(c->zstd);
	free(c);
}

int xlv_codec_unpack(struct xlv_codec *c, void *dst, size_t dst_len, const void *src,
		     size_t src_len)
{
	uLongf zlen = dst_len;
	size_t n;

	switch (c->kind) {
	case XLV_CODEC_ZSTD:
		n = ZSTD_decompressDCtx(c->zstd, dst, dst_len, src, src_len);
		return ZSTD_isError(n) || n != dst_len ? -1 : 0;
	case XLV_CODEC_ZLIB:
		return uncompress(dst, &zlen, src, src_len) != Z_OK || zlen != dst_len ? -1 : 0;
	case XLV_CODEC_NONE:
		break;
	}
	return -1;
}
