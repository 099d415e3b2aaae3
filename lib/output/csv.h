/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sync a row, for spreadsheets and data frames.
 *
 * Columns are always all there, in the same order: what a sync is, its times,
 * its sleeps by wait queue, its stages, the causes of its wake-ups, the file.
 * What does not apply is empty. Names are escaped as by xlv_show(), a leading
 * = + - @ too, lest a spreadsheet takes a task's name for a formula.
 */
#ifndef XLV_OUTPUT_CSV_H
#define XLV_OUTPUT_CSV_H

#include <stdio.h>

#include "analysis/report.h"

void xlv_csv_header(FILE *out);

/** xlv_csv_syncs - write a report's syncs; 0, or -1 without memory */
int xlv_csv_syncs(FILE *out, const struct xlv_report *rep);

#endif
