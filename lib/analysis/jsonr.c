// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/jsonr.h"

#define MAX_DEPTH	32
#define BLOCK_BYTES	(64 << 10)

struct xlv_jblock {
	struct xlv_jblock	*next;
	size_t			used, size;
	_Alignas(16) char	data[];
};

struct parser {
	struct xlv_jarena	*a;
	const char		*begin, *p, *end;
	const char		*fault;
	int			depth;
};

/* --- the arena --- */

static void *take(struct xlv_jarena *a, size_t size)
{
	struct xlv_jblock *b = a->at, *fresh;
	void *at;

	size = (size + 7) & ~(size_t)7;
	while (b && b->size - b->used < size) {
		b = b->next;
		if (b)
			b->used = 0;
	}
	if (!b) {
		size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;

		fresh = malloc(sizeof(*fresh) + room);
		if (!fresh)
			return NULL;
		*fresh = (struct xlv_jblock){ .size = room };
		if (a->at) {
			fresh->next = a->at->next;
			a->at->next = fresh;
		} else {
			a->blocks = fresh;
		}
		b = fresh;
	}
	a->at = b;
	at = b->data + b->used;
	b->used += size;
	return at;
}

void xlv_jarena_reset(struct xlv_jarena *a)
{
	a->at = a->blocks;
	if (a->at)
		a->at->used = 0;
}

void xlv_jarena_free(struct xlv_jarena *a)
{
	struct xlv_jblock *next;

	for (; a->blocks; a->blocks = next) {
		next = a->blocks->next;
		free(a->blocks);
	}
	a->at = NULL;
}

/* --- parsing --- */

static bool fail(struct parser *s, const char *fault)
{
	if (!s->fault)
		s->fault = fault;
	return false;
}

static void space(struct parser *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r'))
		s->p++;
}

static int hex4(const char *p, const char *end)
{
	int v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];

		v = v << 4 | (c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			      c >= 'A' && c <= 'F' ? c - 'A' + 10 : 0x10000);
	}
	return v > 0xffff ? -1 : v;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* The escape after a backslash at s->p; NUL and lone surrogates become U+FFFD. */
static char *escape(struct parser *s, char *to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *at = s->p < s->end ? memchr(from, *s->p, 8) : NULL;
	int c, low;

	if (at) {
		*to++ = into[at - from];
		s->p++;
		return to;
	}
	if (s->p >= s->end || *s->p != 'u' || (c = hex4(s->p + 1, s->end)) < 0) {
		fail(s, "a bad escape in a string");
		return NULL;
	}
	s->p += 5;
	if (c >= 0xd800 && c < 0xdc00 && s->end - s->p >= 6 && s->p[0] == '\\' && s->p[1] == 'u' &&
	    (low = hex4(s->p + 2, s->end)) >= 0xdc00 && low < 0xe000) {
		s->p += 6;
		return put_utf8(to, 0x10000 + ((uint32_t)(c - 0xd800) << 10) +
				    (uint32_t)(low - 0xdc00));
	}
	return put_utf8(to, c == 0 || (c >= 0xd800 && c < 0xe000) ? 0xfffd : (uint32_t)c);
}

/* Where the string at s->p ends: at its closing quote. */
static const char *string_end(struct parser *s, bool *plain)
{
	const char *p = s->p + 1;

	*plain = true;
	for (; p < s->end && *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			break;
		if (*p == '\\') {
			*plain = false;
			p++;
		}
	}
	if (p >= s->end || *p != '"') {
		fail(s, "a string without end");
		return NULL;
	}
	return p;
}

static bool string(struct parser *s, struct xlv_jval *v)
{
	bool plain;
	const char *close = string_end(s, &plain);
	char *to;

	if (!close)
		return false;
	/* an escape is never shorter than what it stands for */
	to = take(s->a, (size_t)(close - s->p));
	if (!to)
		return fail(s, "out of memory");
	v->type = XLV_J_STRING;
	v->string = to;
	s->p++;
	if (plain) {
		memcpy(to, s->p, (size_t)(close - s->p));
		to += close - s->p;
		s->p = close;
	}
	while (s->p < close) {
		if (*s->p != '\\') {
			*to++ = *s->p++;
			continue;
		}
		s->p++;
		to = escape(s, to);
		if (!to)
			return false;
	}
	*to = '\0';
	s->p = close + 1;
	return true;
}

static bool number(struct parser *s, struct xlv_jval *v)
{
	const char *p = s->p + (*s->p == '-');
	const char *digits = p;
	int64_t n = 0;
	char *end;

	while (p < s->end && *p >= '0' && *p <= '9' && p - digits < 19) {
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_sub_overflow(n, *p - '0', &n))
			break;
		p++;
	}
	if (p == digits)
		return fail(s, "a value that is none");
	if (*p != '.' && *p != 'e' && *p != 'E' && !(*p >= '0' && *p <= '9') &&
	    (*s->p == '-' || n > INT64_MIN)) {
		v->type = XLV_J_INT;
		v->integer = *s->p == '-' ? n : -n;
		s->p = p;
		return true;
	}
	v->type = XLV_J_DOUBLE;
	v->number = strtod(s->p, &end);
	s->p = end;
	return true;
}

static bool value(struct parser *s, struct xlv_jval *v);

static struct xlv_jval *add(struct parser *s, struct xlv_jval *parent, struct xlv_jval ***tail)
{
	struct xlv_jval *v = take(s->a, sizeof(*v));

	if (!v) {
		fail(s, "out of memory");
		return NULL;
	}
	memset(v, 0, sizeof(*v));
	**tail = v;
	*tail = &v->next;
	parent->n++;
	return v;
}

static bool key(struct parser *s, struct xlv_jval *v)
{
	const char *close;
	bool plain;

	space(s);
	if (s->p >= s->end || *s->p != '"')
		return fail(s, "an object's key is missing");
	close = string_end(s, &plain);
	if (!close)
		return false;
	v->key = s->p + 1;
	v->key_len = (size_t)(close - v->key);
	s->p = close + 1;
	space(s);
	if (s->p >= s->end || *s->p != ':')
		return fail(s, "a colon is missing");
	s->p++;
	return true;
}

/* The members of an object or array, up to @close. */
static bool members(struct parser *s, struct xlv_jval *v, bool object)
{
	struct xlv_jval **tail = &v->first, *m;
	const char *from = s->p++;
	char close = object ? '}' : ']';

	v->type = object ? XLV_J_OBJECT : XLV_J_ARRAY;
	if (++s->depth > MAX_DEPTH)
		return fail(s, "nested too deep");
	space(s);
	while (s->p < s->end && *s->p != close) {
		m = add(s, v, &tail);
		if (!m || (object && !key(s, m)) || !value(s, m))
			return false;
		space(s);
		if (s->p < s->end && *s->p == ',') {
			s->p++;
			space(s);
			if (s->p < s->end && *s->p == close)
				return fail(s, "a comma before the end");
		} else if (s->p < s->end && *s->p != close) {
			return fail(s, "a comma is missing");
		}
	}
	if (s->p >= s->end)
		return fail(s, "cut short");
	s->p++;
	s->depth--;
	v->text.from = from;
	v->text.to = s->p;
	return true;
}

static bool word(struct parser *s, const char *w)
{
	size_t len = strlen(w);

	if ((size_t)(s->end - s->p) < len || memcmp(s->p, w, len))
		return fail(s, "a value that is none");
	s->p += len;
	return true;
}

static bool value(struct parser *s, struct xlv_jval *v)
{
	space(s);
	if (s->p >= s->end)
		return fail(s, "cut short");
	switch (*s->p) {
	case '{':
	case '[':
		return members(s, v, *s->p == '{');
	case '"':
		return string(s, v);
	case 't':
	case 'f':
		v->type = XLV_J_BOOL;
		v->boolean = *s->p == 't';
		return word(s, v->boolean ? "true" : "false");
	case 'n':
		v->type = XLV_J_NULL;
		return word(s, "null");
	default:
		return number(s, v);
	}
}

const struct xlv_jval *xlv_jparse(struct xlv_jarena *a, const char *from, const char *to,
				  const char **why)
{
	struct parser s = { .a = a, .begin = from, .p = from, .end = to };
	struct xlv_jval *root = take(a, sizeof(*root));
	char *text;

	if (root) {
		memset(root, 0, sizeof(*root));
		if (value(&s, root)) {
			space(&s);
			if (s.p == to)
				return root;
			fail(&s, "something after the end");
		}
	}
	text = take(a, 96);
	if (text)
		snprintf(text, 96, "at byte %td: %s", s.p - s.begin, s.fault ? s.fault : "?");
	*why = text ? text : "out of memory";
	return NULL;
}

const struct xlv_jval *xlv_jget(const struct xlv_jval *o, const char *name)
{
	size_t len = strlen(name);

	if (!o || o->type != XLV_J_OBJECT)
		return NULL;
	for (const struct xlv_jval *m = o->first; m; m = m->next)
		if (m->key_len == len && !memcmp(m->key, name, len))
			return m->type == XLV_J_NULL ? NULL : m;
	return NULL;
}
