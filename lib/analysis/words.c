// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/words.h"
#include "model/run.h"

static bool in_ticks;

void xlv_word_ticks(bool ticks)
{
	in_ticks = ticks;
}

const char *xlv_word_ns(struct xlv_word *w, int64_t ns)
{
	static const char *const units[2][4] = {
		{ "ns", "us", "ms", "s" }, { "ticks", "k ticks", "M ticks", "G ticks" },
	};
	const char *const *unit = units[in_ticks];
	double v = (double)ns;
	unsigned int u = 0;

	if (ns == XLV_NONE) {
		snprintf(w->s, sizeof(w->s), "n/a");
		return w->s;
	}
	/* 999.5 would print as 1000 */
	while (u < 3 && fabs(v) >= 999.5) {
		v /= 1000;
		u++;
	}
	snprintf(w->s, sizeof(w->s), "%.*f %s",
		 u == 0 || fabs(v) >= 99.95 ? 0 : fabs(v) >= 9.995 ? 1 : 2, v, unit[u]);
	return w->s;
}

const char *xlv_word_share(struct xlv_word *w, double share)
{
	double p = share * 100;

	if (isnan(p))
		snprintf(w->s, sizeof(w->s), "n/a");
	else if (p != 0 && fabs(p) < 0.05)
		snprintf(w->s, sizeof(w->s), "under 0.1 %%");
	else
		snprintf(w->s, sizeof(w->s), "%.*f %%", p != 0 && fabs(p) < 9.95 ? 1 : 0, p);
	return w->s;
}

/* Length of the UTF-8 character at @s, 0 where there is none. */
static unsigned int utf8_len(const unsigned char *s)
{
	unsigned int n, i;
	uint32_t c;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	c = s[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)) ||
	    (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

/* Controls of C0 and C1, and the marks that reorder text. */
static bool unprintable(const unsigned char *s, unsigned int n)
{
	if (n == 1)
		return s[0] < 0x20 || s[0] == 0x7f;
	if (n == 2)
		return s[0] == 0xc2 && s[1] < 0xa0;
	return n == 3 && s[0] == 0xe2 &&
	       ((s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9 || (s[2] >= 0xaa && s[2] <= 0xae) ||
				  s[2] == 0x8e || s[2] == 0x8f)) ||
		(s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

const char *xlv_word_name(struct xlv_word *w, const char *name)
{
	const unsigned char *s = (const unsigned char *)(name ? name : "?");
	size_t at = 0;

	while (*s) {
		unsigned int n = utf8_len(s);
		bool raw = n && !unprintable(s, n);
		unsigned int take = n ? n : 1;

		if (at + 4 * take + 1 > sizeof(w->s))
			break;
		for (unsigned int i = 0; i < take; i++, s++) {
			if (raw)
				w->s[at++] = (char)*s;
			else
				at += (size_t)sprintf(w->s + at, "\\x%02x", *s);
		}
	}
	w->s[at] = '\0';
	return w->s;
}
