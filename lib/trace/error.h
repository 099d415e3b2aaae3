/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a library call says what went wrong.
 *
 * A call that can fail takes a `struct xlv_error *`, fills it and returns a
 * negative value or NULL. The text is one line, lower case, without a full
 * stop: the fault first, its subject quoted, the place where it is known, then
 * the remedy. The caller puts the program's name before it.
 */
#ifndef XLV_TRACE_ERROR_H
#define XLV_TRACE_ERROR_H

struct xlv_error {
	char	text[768];
};

/**
 * xlv_fail - record an error
 * @err:	where to put the text; may be NULL
 * @fmt:	printf format
 *
 * Returns -1, so that a caller can `return xlv_fail(err, ...)`.
 */
int xlv_fail(struct xlv_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
