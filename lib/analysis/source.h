/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about the recording that a report tells of: struct xlv_source. */
#ifndef XLV_ANALYSIS_SOURCE_H
#define XLV_ANALYSIS_SOURCE_H

#include "analysis/report.h"

/** xlv_source_from_run - fill @src from a run; 0, or -1 without memory */
int xlv_source_from_run(struct xlv_source *src, const struct xlv_run *run);

/** xlv_source_free - free the strings in @src */
void xlv_source_free(struct xlv_source *src);

#endif
