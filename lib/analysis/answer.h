/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer on the first screen, in three sentences: where the time of a sync
 * is, why its waiter resumes when it does, what stands out.
 *
 * It needs nothing but the report, so it can be given for one that was merged or
 * read from a file, too.
 */
#ifndef XLV_ANALYSIS_ANSWER_H
#define XLV_ANALYSIS_ANSWER_H

#include "analysis/report.h"

/**
 * xlv_answer_make - put a report into words
 * @rep:	a finished report: intervals, stages, wakes, findings
 *
 * Returns three sentences in plain text, one a line, to be freed by the caller,
 * or NULL without memory.
 */
char *xlv_answer_make(const struct xlv_report *rep);

#endif
