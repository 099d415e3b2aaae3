/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts together what `xlogviz record` wrote into the trace about the run. */
#ifndef XLV_TRACE_METADATA_H
#define XLV_TRACE_METADATA_H

#include "trace/reader.h"

struct xlv_metadata;

struct xlv_metadata *xlv_metadata_new(void);
void xlv_metadata_free(struct xlv_metadata *m);

/** xlv_metadata_add - look at a marker's text; others than ours are left alone */
void xlv_metadata_add(struct xlv_metadata *m, struct xlv_str text);

/** xlv_metadata_json - the object so far, NULL if none; valid until the next add */
const char *xlv_metadata_json(struct xlv_metadata *m);

/** xlv_metadata_text - a string of it, or NULL; valid until the next add */
const char *xlv_metadata_text(struct xlv_metadata *m, const char *key);

#endif
