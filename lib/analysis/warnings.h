/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Warnings: what limits the trust in a report, each in a sentence with its
 * remedy. What the work itself did wrong is a finding (analysis/findings.h).
 */
#ifndef XLV_ANALYSIS_WARNINGS_H
#define XLV_ANALYSIS_WARNINGS_H

#include "analysis/report.h"

/** xlv_warnings_make - add the warnings of @rep's run; 0, or -1 without memory */
int xlv_warnings_make(struct xlv_report *rep);

/**
 * xlv_missing_events - name the events that a recording lacks
 * @info:	after a whole pass
 *
 * Returns "xfs:xlog_iclog_wait_on, sched:sched_waking ...": those that T1 to T4
 * need, comma-separated and to be freed; "" if none is missing, NULL without memory.
 */
char *xlv_missing_events(const struct xlv_trace_info *info);

#endif
