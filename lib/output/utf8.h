/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names from a recording (tasks, files, functions) can hold any bytes. These
 * make them fit to show: nothing that moves a cursor, changes colours, reorders
 * text or breaks a line gets through.
 */
#ifndef XLV_OUTPUT_UTF8_H
#define XLV_OUTPUT_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** xlv_utf8_length - bytes of the well-formed character at @s, or 0 */
size_t xlv_utf8_length(const char *s, size_t len);

/**
 * xlv_show - make a string fit to show
 * @dst:	receives the text, always terminated
 * @size:	of @dst; what doesn't fit is cut at a character
 * @s:		the string; NULL shows as "?"
 * @utf8:	whether whoever shows it knows UTF-8
 *
 * Control, bidirectional and invisible characters and bytes that aren't UTF-8
 * become \xNN for each byte, a backslash becomes two; without @utf8 so does
 * everything beyond ASCII. Returns how many columns the text takes.
 */
int xlv_show(char *dst, size_t size, const char *s, bool utf8);

/** xlv_columns - columns that @s takes on a terminal, as shown by xlv_show() */
int xlv_columns(const char *s);

#endif
