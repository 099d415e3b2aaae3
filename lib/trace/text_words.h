/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding words and numbers in a line of text that isn't terminated. Nothing
 * found is an empty string, or zero.
 */
#ifndef XLV_TRACE_TEXT_WORDS_H
#define XLV_TRACE_TEXT_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reader.h"


static inline bool xlv_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline struct xlv_str xlv_span(const char *from, const char *to)
{
	return (struct xlv_str){ .s = from, .len = to > from ? to - from : 0 };
}

static inline struct xlv_str xlv_trim(struct xlv_str s)
{
	while (s.len && (*s.s == ' ' || *s.s == '\t')) {
		s.s++;
		s.len--;
	}
	while (s.len && strchr(" \t\r\n\\", s.s[s.len - 1]))
		s.len--;
	return s;
}

static inline const char *xlv_find(struct xlv_str s, const char *what)
{
	return s.len ? memmem(s.s, s.len, what, strlen(what)) : NULL;
}

static inline const char *xlv_find_last(struct xlv_str s, const char *what)
{
	const char *p = NULL, *q;
	struct xlv_str r = s;

	while ((q = xlv_find(r, what))) {
		p = q;
		r = xlv_span(q + 1, s.s + s.len);
	}
	return p;
}

/* A number at the start of @s: 0x and minus signs count; @base for bare digits. */
static inline bool xlv_parse_number(struct xlv_str s, int base, uint64_t *v)
{
	char buf[32], *end;

	s = xlv_trim(s);
	xlv_str_copy(buf, sizeof(buf), s);
	if (!xlv_is_digit(buf[0]) && buf[0] != '-' &&
	    !(base == 16 && (buf[0] | 0x20) >= 'a' && (buf[0] | 0x20) <= 'f'))
		return false;
	if (buf[0] == '0' && (buf[1] | 0x20) == 'x')
		base = 16;
	*v = strtoull(buf, &end, base);
	return end != buf;
}

/* What follows "KEY" (with its "=" or blank) at the start of a word. */
static inline struct xlv_str xlv_after(struct xlv_str s, const char *key)
{
	struct xlv_str r = s;
	const char *p;

	while ((p = xlv_find(r, key))) {
		if (p == s.s || p[-1] == ' ' || p[-1] == '\t' || p[-1] == '(')
			return xlv_span(p + strlen(key), s.s + s.len);
		r = xlv_span(p + 1, s.s + s.len);
	}
	return (struct xlv_str){ 0 };
}

static inline uint64_t xlv_number_after(struct xlv_str s, const char *key)
{
	uint64_t v = 0;

	xlv_parse_number(xlv_after(s, key), 10, &v);
	return v;
}

static inline struct xlv_str xlv_word_after(struct xlv_str s, const char *key)
{
	struct xlv_str r = xlv_after(s, key);
	const char *p = r.s;

	while (p && p < r.s + r.len && *p != ' ' && *p != '\t')
		p++;
	return xlv_span(r.s, p);
}

/* From after @key to before @next: names may hold blanks. */
static inline struct xlv_str xlv_between(struct xlv_str s, const char *key, const char *next)
{
	struct xlv_str r = xlv_after(s, key);
	const char *p = xlv_find(r, next);

	return p ? xlv_span(r.s, p) : r;
}

/* "7:0" after "dev " as the kernel's number */
static inline uint32_t xlv_dev_after(struct xlv_str s, const char *key, char sep)
{
	struct xlv_str r = *key ? xlv_after(s, key) : s;
	uint64_t major, minor;
	const char *p;

	p = r.len ? memchr(r.s, sep, r.len) : NULL;
	if (!p || !xlv_parse_number(r, 10, &major) ||
	    !xlv_parse_number(xlv_span(p + 1, r.s + r.len), 10, &minor))
		return 0;
	return (uint32_t)(major << 20 | (minor & 0xfffff));
}

/* "xfs_file_fsync+0x174/0x1f0 [xfs]" without what follows the name */
static inline struct xlv_str xlv_function_name(struct xlv_str s)
{
	const char *p = s.s;

	while (p && p < s.s + s.len && *p != '+' && *p != ' ' && *p != '/' && *p != '\t')
		p++;
	s = xlv_span(s.s, p);
	/* an address, where the kernel had no name */
	if (s.len > 1 && s.s[0] == '0' && s.s[1] == 'x')
		s.len = 0;
	return s;
}

#endif
