/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JSON reports (doc/report.schema.json) back.
 *
 *	f = xlv_json_open(path, &err);
 *	while ((n = xlv_json_next(f, &doc, &err)) > 0)
 *		... xlv_json_report_of(doc, &err) ... xlv_json_free(doc);
 *	xlv_json_close(f);
 *
 * A file holds one report or several, one after the other (`report --json` of many
 * recordings, or cat). The list of syncs is stepped over at the speed of memory:
 * whoever needs it walks it with xlv_json_syncs(), one sync in memory at a time.
 *
 * Files are not trusted: types, sums and histograms are checked, and what is
 * wrong is named by file and key.
 */
#ifndef XLV_ANALYSIS_LOAD_H
#define XLV_ANALYSIS_LOAD_H

#include "analysis/input.h"

struct xlv_json_file;
struct xlv_json_doc;

/** xlv_json_sniff - 1 if @path starts like a JSON object, 0 if not, -1 if it can't be read */
int xlv_json_sniff(const char *path, struct xlv_error *err);

/** xlv_json_open - open a file of reports; "-" is standard input */
struct xlv_json_file *xlv_json_open(const char *path, struct xlv_error *err);
void xlv_json_close(struct xlv_json_file *f);	/* after its last report was freed */

/** xlv_json_next - the next report of a file: 1, 0 at the end, -1 where it isn't one */
int xlv_json_next(struct xlv_json_file *f, struct xlv_json_doc **doc, struct xlv_error *err);
void xlv_json_free(struct xlv_json_doc *doc);

/** xlv_json_path - the file's name, "x.json", or "x.json:3" for its third report */
const char *xlv_json_path(const struct xlv_json_doc *doc);
bool xlv_json_has_syncs(const struct xlv_json_doc *doc);

/** xlv_json_report_of - all but the syncs; to be freed by xlv_report_free() */
struct xlv_report *xlv_json_report_of(const struct xlv_json_doc *doc, struct xlv_error *err);

/** xlv_json_syncs - like xlv_input_each(), which calls it */
int xlv_json_syncs(const struct xlv_json_doc *doc,
		   int (*fn)(const struct xlv_case *c, void *arg), void *arg,
		   struct xlv_error *err);

#endif
