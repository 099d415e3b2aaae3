// SPDX-License-Identifier: GPL-2.0-or-later
/* A small streaming JSON writer. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "model/run.h"
#include "output/jsonw.h"
#include "output/utf8.h"

void xlv_jsonw_init(struct xlv_jsonw *w, FILE *f, int break_depth)
{
	memset(w, 0, sizeof(*w));
	w->f = f;
	w->break_depth = break_depth;
}

static void put(struct xlv_jsonw *w, const char *s, size_t len)
{
	fwrite_unlocked(s, 1, len, w->f);
}

static void put_string(struct xlv_jsonw *w, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	size_t done = 0, i = 0;

	putc_unlocked('"', w->f);
	while (i < len) {
		unsigned char c = s[i];
		size_t step = 1;

		if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
			i++;
			continue;
		}
		if (c >= 0x80) {
			step = xlv_utf8_length(s + i, len - i);
			if (step) {
				i += step;
				continue;
			}
		}
		put(w, s + done, i - done);
		if (c >= 0x80) {
			put(w, "\\ufffd", 6);
		} else if (c == '"' || c == '\\') {
			putc_unlocked('\\', w->f);
			putc_unlocked(c, w->f);
		} else if (c == '\n') {
			put(w, "\\n", 2);
		} else if (c == '\t') {
			put(w, "\\t", 2);
		} else {
			put(w, "\\u00", 4);
			putc_unlocked(hex[c >> 4], w->f);
			putc_unlocked(hex[c & 15], w->f);
		}
		done = ++i;
	}
	put(w, s + done, len - done);
	putc_unlocked('"', w->f);
}

/* What stands before a member: comma, line break, key. */
static void member(struct xlv_jsonw *w, const char *key)
{
	uint32_t bit = 1u << w->depth;

	if (w->depth) {
		assert(!(w->is_array & bit) == !!key);
		if (w->has_member & bit)
			putc_unlocked(',', w->f);
		w->has_member |= bit;
		if (w->depth <= w->break_depth) {
			putc_unlocked('\n', w->f);
			for (int i = 0; i < w->depth; i++)
				putc_unlocked(' ', w->f);
		}
	}
	if (key) {
		put_string(w, key, strlen(key));
		putc_unlocked(':', w->f);
		if (w->break_depth)
			putc_unlocked(' ', w->f);
	}
}

static void begin(struct xlv_jsonw *w, const char *key, char open, bool is_array)
{
	uint32_t bit;

	member(w, key);
	putc_unlocked(open, w->f);
	w->depth++;
	assert(w->depth <= XLV_JSONW_DEPTH);
	bit = 1u << w->depth;
	w->has_member &= ~bit;
	w->is_array = is_array ? w->is_array | bit : w->is_array & ~bit;
}

void xlv_jsonw_object(struct xlv_jsonw *w, const char *key)
{
	begin(w, key, '{', false);
}

void xlv_jsonw_array(struct xlv_jsonw *w, const char *key)
{
	begin(w, key, '[', true);
}

void xlv_jsonw_end(struct xlv_jsonw *w)
{
	uint32_t bit = 1u << w->depth;

	assert(w->depth > 0);
	if (w->depth <= w->break_depth && (w->has_member & bit)) {
		putc_unlocked('\n', w->f);
		for (int i = 1; i < w->depth; i++)
			putc_unlocked(' ', w->f);
	}
	putc_unlocked(w->is_array & bit ? ']' : '}', w->f);
	w->depth--;
}

void xlv_jsonw_finish(struct xlv_jsonw *w)
{
	while (w->depth)
		xlv_jsonw_end(w);
	putc_unlocked('\n', w->f);
}

void xlv_jsonw_int(struct xlv_jsonw *w, const char *key, int64_t v)
{
	uint64_t a = v < 0 ? -(uint64_t)v : (uint64_t)v;
	char digits[24], *p = digits + sizeof(digits);

	member(w, key);
	do {
		*--p = '0' + a % 10;
		a /= 10;
	} while (a);
	if (v < 0)
		*--p = '-';
	put(w, p, digits + sizeof(digits) - p);
}

void xlv_jsonw_ns(struct xlv_jsonw *w, const char *key, int64_t ns)
{
	if (ns == XLV_NONE)
		xlv_jsonw_null(w, key);
	else
		xlv_jsonw_int(w, key, ns);
}

void xlv_jsonw_double(struct xlv_jsonw *w, const char *key, double v)
{
	if (!isfinite(v)) {
		xlv_jsonw_null(w, key);
		return;
	}
	member(w, key);
	fprintf(w->f, "%.9g", v);
}

void xlv_jsonw_bool(struct xlv_jsonw *w, const char *key, bool v)
{
	member(w, key);
	if (v)
		put(w, "true", 4);
	else
		put(w, "false", 5);
}

void xlv_jsonw_null(struct xlv_jsonw *w, const char *key)
{
	member(w, key);
	put(w, "null", 4);
}

void xlv_jsonw_strn(struct xlv_jsonw *w, const char *key, const char *s, size_t len)
{
	member(w, key);
	put_string(w, s, len);
}

void xlv_jsonw_str(struct xlv_jsonw *w, const char *key, const char *s)
{
	if (s)
		xlv_jsonw_strn(w, key, s, strlen(s));
	else
		xlv_jsonw_null(w, key);
}

void xlv_jsonw_raw(struct xlv_jsonw *w, const char *key, const char *json)
{
	member(w, key);
	if (json)
		put(w, json, strlen(json));
	else
		put(w, "null", 4);
}
