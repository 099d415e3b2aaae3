// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/metadata.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "record/sysfile.h"

enum { MARK_BYTES = 1000, PIECE_BYTES = 900 };

int xlv_meta_write(const char *instance, const char *key, json_object *value)
{
	const char *text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
	size_t len = strlen(text), pieces = len / PIECE_BYTES + 1, i;
	int err = 0;

	for (i = 0; i < pieces && !err; i++) {
		char mark[MARK_BYTES];

		snprintf(mark, sizeof(mark), "xlogviz-meta %s %zu/%zu %.*s", key, i + 1, pieces,
			 PIECE_BYTES, text + i * PIECE_BYTES);
		err = xlv_sys_write(mark, "%s/trace_marker", instance);
	}
	json_object_put(value);
	return err;
}
