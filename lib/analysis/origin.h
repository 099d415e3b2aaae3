/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about the recording that a report tells of: struct xlv_source. */
#ifndef XLV_ANALYSIS_ORIGIN_H
#define XLV_ANALYSIS_ORIGIN_H

#include "analysis/report.h"

/** xlv_origin_from_run - fill @src from a run; 0, or -1 without memory */
int xlv_origin_from_run(struct xlv_source *src, const struct xlv_run *run);

/** xlv_origin_free - free the strings in @src */
void xlv_origin_free(struct xlv_source *src);

#endif
