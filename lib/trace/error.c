// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/error.h"

#include <stdarg.h>
#include <stdio.h>

int xlv_fail(struct xlv_error *err, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return -1;
}
