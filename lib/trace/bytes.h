/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as a recording's machine wrote them: any alignment, either byte order.
 */
#ifndef XLV_TRACE_BYTES_H
#define XLV_TRACE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define XLV_HOST_BIG	true
#else
#define XLV_HOST_BIG	false
#endif

static inline uint16_t xlv_get16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t xlv_get32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t xlv_get64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* A number of 1, 2, 4 or 8 bytes; 0 for any other size. */
static inline uint64_t xlv_get(const void *p, unsigned int size, bool swap)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return xlv_get16(p, swap);
	case 4:
		return xlv_get32(p, swap);
	case 8:
		return xlv_get64(p, swap);
	}
	return 0;
}

#endif
