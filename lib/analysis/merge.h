/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many reports as one: of a fleet's hosts, of many runs.
 *
 *	m = xlv_merge_new();
 *	xlv_merge_add(m, rep, &err);  ...
 *	rep = xlv_merge_finish(m, &err);
 *	xlv_merge_free(m);
 *
 * Whatever the order and the grouping, the result is the same: counts and sums
 * are added, distributions come from histograms that are added bucket by bucket
 * (analysis/hist.h: quantiles within 0.4 %, n, min, max, sum and mean exact), and
 * what can't be added exactly (means over time, ratios whose parts aren't in the
 * reports) is not available in the result rather than wrong.
 *
 * A fact about the recordings (kernel, CPUs, clock ...) stays where all have the
 * same; else it is unknown and a warning says so. What was merged is listed by
 * file in the result's metadata under "merged".
 */
#ifndef XLV_ANALYSIS_MERGE_H
#define XLV_ANALYSIS_MERGE_H

#include "analysis/report.h"

struct xlv_merge;

/** xlv_merge_new - NULL without memory */
struct xlv_merge *xlv_merge_new(void);

/** xlv_merge_add - add a report, which may itself be merged; 0 or -1 */
int xlv_merge_add(struct xlv_merge *m, const struct xlv_report *rep, struct xlv_error *err);

/** xlv_merge_finish - the merged report, or NULL; nothing can be added after it */
struct xlv_report *xlv_merge_finish(struct xlv_merge *m, struct xlv_error *err);
void xlv_merge_free(struct xlv_merge *m);

#endif
