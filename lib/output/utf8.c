// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes names from a recording fit to show. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "output/utf8.h"

static size_t decode(const char *str, size_t len, uint32_t *out)
{
	const unsigned char *s = (const unsigned char *)str;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c;
	size_t n;

	if (!len)
		return 0;
	if (s[0] < 0x80) {
		*out = s[0];
		return 1;
	}
	if ((s[0] & 0xe0) == 0xc0) {
		n = 2;
		c = s[0] & 0x1f;
	} else if ((s[0] & 0xf0) == 0xe0) {
		n = 3;
		c = s[0] & 0x0f;
	} else if ((s[0] & 0xf8) == 0xf0) {
		n = 4;
		c = s[0] & 0x07;
	} else {
		return 0;
	}
	if (len < n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*out = c;
	return n;
}

size_t xlv_utf8_length(const char *s, size_t len)
{
	uint32_t c;

	return decode(s, len, &c);
}

struct range {
	uint32_t from, to;
};

static bool within(uint32_t c, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].from && c <= r[i].to)
			return true;
	return false;
}

#define WITHIN(c, ranges) within(c, ranges, sizeof(ranges) / sizeof(ranges[0]))

/* Controls, separators, directions, joiners, tags, private use, non-characters. */
static bool hidden(uint32_t c)
{
	static const struct range ranges[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f },
		{ 0x61c, 0x61c }, { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
		{ 0xe000, 0xf8ff }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 },
		{ 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0x10ffff },
	};

	return WITHIN(c, ranges);
}

static int width(uint32_t c)
{
	static const struct range none[] = {
		{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd }, { 0x610, 0x61a },
		{ 0x64b, 0x65f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff },
		{ 0xfe20, 0xfe2f },
	};
	static const struct range wide[] = {
		{ 0x1100, 0x115e }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf }, { 0xac00, 0xd7a3 },
		{ 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 },
		{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd },
	};

	return WITHIN(c, none) ? 0 : WITHIN(c, wide) ? 2 : 1;
}

int xlv_columns(const char *s)
{
	size_t len = strlen(s), n;
	int columns = 0;
	uint32_t c;

	while (len) {
		n = decode(s, len, &c);
		columns += n ? width(c) : 1;
		if (!n)
			n = 1;
		s += n;
		len -= n;
	}
	return columns;
}

int xlv_show(char *dst, size_t size, const char *s, bool utf8)
{
	size_t len, n, out = 0, need;
	int columns = 0;
	uint32_t c;

	if (!s)
		s = "?";
	len = strlen(s);
	while (len) {
		bool escape;

		n = decode(s, len, &c);
		escape = !n || hidden(c) || (n > 1 && !utf8);
		if (!n)
			n = 1;
		need = escape ? 4 * n : c == '\\' ? 2 : n;
		if (out + need >= size)
			break;
		if (escape) {
			for (size_t i = 0; i < n; i++)
				sprintf(dst + out + 4 * i, "\\x%02x", (unsigned char)s[i]);
			columns += (int)need;
		} else if (c == '\\') {
			memcpy(dst + out, "\\\\", 2);
			columns += 2;
		} else {
			memcpy(dst + out, s, n);
			columns += width(c);
		}
		out += need;
		s += n;
		len -= n;
	}
	if (size)
		dst[out] = '\0';
	return columns;
}
