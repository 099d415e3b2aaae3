/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interned strings: one copy of each text, stable addresses, freed together.
 *
 * Names come from the trace, so their number is bounded: past 4 MiB of distinct
 * text, xlv_intern() answers with "...".
 */
#ifndef XLV_MODEL_STRPOOL_H
#define XLV_MODEL_STRPOOL_H

#include "trace/event.h"

struct xlv_strpool;

struct xlv_strpool *xlv_strpool_new(void);
void xlv_strpool_free(struct xlv_strpool *p);

/** xlv_intern - the pool's copy of @s; NULL only where there is no memory */
const char *xlv_intern(struct xlv_strpool *p, struct xlv_str s);
/** xlv_internf - the same of a formatted text, cut at 255 bytes */
const char *xlv_internf(struct xlv_strpool *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
