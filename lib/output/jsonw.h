/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON as it goes, so that a long list of syncs needs no memory.
 *
 *	struct xlv_jsonw w;
 *
 *	xlv_jsonw_init(&w, f, 2);
 *	xlv_jsonw_object(&w, NULL);
 *	xlv_jsonw_int(&w, "cpus", 4);
 *	xlv_jsonw_array(&w, "warnings");
 *	xlv_jsonw_str(&w, NULL, "...");
 *	xlv_jsonw_end(&w);
 *	xlv_jsonw_end(&w);
 *	xlv_jsonw_finish(&w);
 *
 * A value inside an object takes its key, inside an array NULL. Strings may hold
 * any bytes: what isn't valid UTF-8 is written as U+FFFD, so the output always
 * is. Write errors stay in the stream: ferror() tells.
 */
#ifndef XLV_OUTPUT_JSONW_H
#define XLV_OUTPUT_JSONW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define XLV_JSONW_DEPTH	30

struct xlv_jsonw {
	FILE		*f;
	int		depth;
	int		break_depth;	/* members down to this depth start a line */
	uint32_t	is_array;	/* a bit for each depth */
	uint32_t	has_member;
};

/**
 * xlv_jsonw_init - start a document
 * @f:			where to
 * @break_depth:	0: all on one line; 1: a line for each member of the
 *			outermost value; 2: also of those within it; ...
 */
void xlv_jsonw_init(struct xlv_jsonw *w, FILE *f, int break_depth);

void xlv_jsonw_object(struct xlv_jsonw *w, const char *key);
void xlv_jsonw_array(struct xlv_jsonw *w, const char *key);
void xlv_jsonw_end(struct xlv_jsonw *w);	/* of the innermost object or array */
void xlv_jsonw_finish(struct xlv_jsonw *w);	/* ends all, then the line */

void xlv_jsonw_int(struct xlv_jsonw *w, const char *key, int64_t v);
void xlv_jsonw_ns(struct xlv_jsonw *w, const char *key, int64_t ns);	/* XLV_NONE: null */
void xlv_jsonw_double(struct xlv_jsonw *w, const char *key, double v);	/* not finite: null */
void xlv_jsonw_bool(struct xlv_jsonw *w, const char *key, bool v);
void xlv_jsonw_null(struct xlv_jsonw *w, const char *key);
void xlv_jsonw_str(struct xlv_jsonw *w, const char *key, const char *s);	/* NULL: null */
void xlv_jsonw_strn(struct xlv_jsonw *w, const char *key, const char *s, size_t len);
void xlv_jsonw_raw(struct xlv_jsonw *w, const char *key, const char *json);	/* NULL: null */

#endif
