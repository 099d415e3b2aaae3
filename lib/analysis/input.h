/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Something to compare or merge: a recording's report, or one read from JSON.
 *
 *	in = xlv_input_of_run(path, trace, run, filter, &err);	(a recording)
 *	in = xlv_input_of_json(doc, &err);			(analysis/load.h)
 *	... in->rep ...
 *	xlv_input_each(in, fn, arg, &err);	(every selected sync, by start)
 *	xlv_input_close(in);
 *
 * A merged report holds no syncs (.has_syncs is false): it can be compared by its
 * sums and histograms alone.
 */
#ifndef XLV_ANALYSIS_INPUT_H
#define XLV_ANALYSIS_INPUT_H

#include "analysis/accounting.h"
#include "analysis/report.h"

struct xlv_json_doc;

struct xlv_input {
	char			*path;
	struct xlv_report	*rep;
	bool			has_syncs;
	/* one of them; owned */
	struct xlv_trace	*trace;		/* with .rep->run */
	struct xlv_json_doc	*doc;
};

/* One sync as it is compared. Lives until the callback returns. */
struct xlv_case {
	const struct xlv_sync	*sync;
	const struct xlv_detail	*detail;
	bool			done_in_push;	/* its log I/O was done, and the log worker
						 * running, before its CIL push had ended */
};

/**
 * xlv_input_of_run - take a recording
 * @run:	of @trace; both belong to the input from here on, also on failure
 * @filter:	which syncs count; NULL: all
 */
struct xlv_input *xlv_input_of_run(const char *path, struct xlv_trace *trace, struct xlv_run *run,
				   const struct xlv_filter *filter, struct xlv_error *err);

/** xlv_input_of_json - take a report, with its syncs where it has them; @doc as above */
struct xlv_input *xlv_input_of_json(struct xlv_json_doc *doc, struct xlv_error *err);
void xlv_input_close(struct xlv_input *in);

/**
 * xlv_input_each - call @fn for every selected sync, complete or not
 *
 * Stops when @fn returns non-zero. Returns 0, -1 for a sync that can't be read
 * (@err says why), or what @fn returned.
 */
int xlv_input_each(const struct xlv_input *in, int (*fn)(const struct xlv_case *c, void *arg),
		   void *arg, struct xlv_error *err);

/** xlv_done_in_push - what .done_in_push says of a sync of @run */
bool xlv_done_in_push(const struct xlv_run *run, const struct xlv_sync *s);

#endif
