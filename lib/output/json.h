/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON report, "xlogviz.report/1": doc/report.schema.json says what is in it. */
#ifndef XLV_OUTPUT_JSON_H
#define XLV_OUTPUT_JSON_H

#include <stdio.h>

#include "analysis/report.h"
#include "output/jsonw.h"

#define XLV_REPORT_SCHEMA	"xlogviz.report/1"

struct xlv_json_opts {
	bool	no_syncs;	/* leave the list of syncs out */
	bool	one_line;	/* the whole report on a line of its own */
};

/**
 * xlv_json_report - write a report
 * @opts:	NULL for the defaults
 *
 * The syncs are written one at a time. Returns 0, or -1 without memory; write
 * errors stay in @out.
 */
int xlv_json_report(FILE *out, const struct xlv_report *rep, const struct xlv_json_opts *opts);

/** xlv_json_dist - a distribution's members into the object that @w is in */
void xlv_json_dist(struct xlv_jsonw *w, const struct xlv_dist *dist);

/** xlv_json_sync - the members of a sync of @run into the object that @w is in */
void xlv_json_sync(struct xlv_jsonw *w, const struct xlv_run *run, const struct xlv_sync *s,
		   const struct xlv_detail *d);

/** xlv_json_filter - a filter as an object under @key */
void xlv_json_filter(struct xlv_jsonw *w, const char *key, const struct xlv_filter *f);

#endif
