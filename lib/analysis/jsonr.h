/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JSON into a tree that lies in one arena: many small reports are read, and
 * what a general library spends on each little object adds up.
 *
 *	struct xlv_jarena a = { 0 };
 *
 *	root = xlv_jparse(&a, text, text + len, &why);
 *	for (v = xlv_jget(root, "list")->first; v; v = v->next) ...
 *	xlv_jarena_reset(&a);		(keeps the memory for the next text)
 *	xlv_jarena_free(&a);
 *
 * The text must go on for at least one byte after what is parsed, and stay while
 * the tree is used: objects and arrays point into it.
 */
#ifndef XLV_ANALYSIS_JSONR_H
#define XLV_ANALYSIS_JSONR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xlv_jtype { XLV_J_NULL, XLV_J_BOOL, XLV_J_INT, XLV_J_DOUBLE, XLV_J_STRING, XLV_J_ARRAY,
		 XLV_J_OBJECT };

struct xlv_jval {
	enum xlv_jtype		type;
	uint32_t		n;		/* ARRAY, OBJECT: members */
	const char		*key;		/* of a member; not terminated */
	size_t			key_len;
	struct xlv_jval		*first, *next;
	union {
		bool		boolean;
		int64_t		integer;
		double		number;
		const char	*string;	/* terminated; may hold no NUL */
		struct {
			const char *from, *to;	/* ARRAY, OBJECT: as it stands in the text */
		} text;
	};
};

struct xlv_jblock;

struct xlv_jarena {
	struct xlv_jblock	*blocks, *at;
};

/**
 * xlv_jparse - parse one value
 * @from:	text; @to is where it must end, white space apart
 * @why:	gets a reason, "at byte N: ...", in a buffer of the arena's
 *
 * Returns NULL for what isn't JSON, is nested more than 32 deep, or without memory.
 */
const struct xlv_jval *xlv_jparse(struct xlv_jarena *a, const char *from, const char *to,
				  const char **why);
void xlv_jarena_reset(struct xlv_jarena *a);
void xlv_jarena_free(struct xlv_jarena *a);

/** xlv_jget - a member of an object; NULL where it is null, absent, or @o no object */
const struct xlv_jval *xlv_jget(const struct xlv_jval *o, const char *key);

#endif
