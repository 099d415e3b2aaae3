/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sync a line as JSON, for jq, DuckDB, ClickHouse, Spark. */
#ifndef XLV_OUTPUT_NDJSON_H
#define XLV_OUTPUT_NDJSON_H

#include <stdio.h>

#include "analysis/report.h"

/**
 * xlv_ndjson_syncs - write a report's syncs
 *
 * Each line is a member of "syncs" in the JSON report, with "file" and "kernel"
 * before it, so that lines of many recordings can stand in one file. Returns 0,
 * or -1 without memory; write errors stay in @out.
 */
int xlv_ndjson_syncs(FILE *out, const struct xlv_report *rep);

#endif
