/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report: what a run (model/run.h) amounts to, as numbers and as findings.
 *
 *	rep = xlv_report_make(run, &filter, &err);
 *	... lib/output writes it as text, JSON, CSV ...
 *	xlv_report_free(rep);
 *
 * It is also what comes back when a JSON report is read (analysis/load.h), so
 * that comparing and merging need not know which it was. Distributions are
 * exact, nearest rank, over complete syncs; in a merged report they come from
 * histograms (analysis/hist.h) and .exact is false.
 */
#ifndef XLV_ANALYSIS_REPORT_H
#define XLV_ANALYSIS_REPORT_H

#include "analysis/dist.h"
#include "model/run.h"

/* Which syncs count. Zero, NULL and XLV_NONE mean no restriction. */
struct xlv_filter {
	int32_t		pid;
	const char	*comm;
	uint32_t	dev;
	int64_t		from_ns, to_ns;	/* start of the sync; XLV_NONE: open */
};

enum xlv_interval { XLV_I_SPAN, XLV_I_T1, XLV_I_T2, XLV_I_T3, XLV_I_T4, XLV_I_COUNT };

struct xlv_stage_row {
	enum xlv_stage	stage;
	double		share;		/* of all complete syncs' time */
	struct xlv_dist	dist;		/* per sync that has the stage */
};

struct xlv_wake_row {
	enum xlv_stage	stage;
	enum xlv_part	cause;		/* the largest part of each wake counted here */
	int64_t		count, total_ns;
	double		remote_share;	/* of count */
	int64_t		parts_ns[XLV_PART_COUNT];
};

struct xlv_placement_row {
	char		placement[8];
	int64_t		count;
	double		share;
	int64_t		T1_p50, T4_p50, span_p50, span_p95;	/* XLV_NONE: none */
};

struct xlv_finding {
	const char	*id;		/* "wake-idle-exit" */
	const char	*severity;	/* "info", "note", "warning" */
	double		share;		/* of sync time; NAN: not a matter of time */
	char		*title, *text, *advice;
	char		*evidence;	/* a JSON object: numbers and example sync ids */
};

struct xlv_pipeline {
	double		pushes_mean, iclogs_mean;	/* in flight, over the time of the run */
	int32_t		pushes_max, iclogs_max;
	int64_t		out_of_order, in_order_wait_ns;
	double		syncs_per_push, syncs_per_iclog;	/* NAN: none */
	double		flush_per_sync, fua_per_sync;
	int64_t		submitted_by_task, submitted_by_worker;
};

struct xlv_report {
	const struct xlv_run	*run;	/* NULL when read from JSON */
	struct xlv_filter	filter;

	/* counts */
	int64_t		syncs, complete, partial;
	int64_t		by_kind[XLV_KIND_COUNT];
	int64_t		cil_pushes, iclog_writes, fake_ios;
	double		syncs_per_iclog;

	bool		exact;
	struct xlv_dist	interval[XLV_I_COUNT];
	struct xlv_dist	interval_kind[XLV_KIND_COUNT][XLV_I_COUNT];
	struct xlv_dist	slack[2];			/* T1, T2 */
	struct xlv_dist	wait[XLV_QUEUE_COUNT];		/* sleeps by wait queue */

	struct xlv_stage_row	stages[XLV_STAGE_COUNT];
	int32_t			nr_stages;	/* those that occur, in pipeline order */
	struct xlv_wake_row	*wakes;
	int32_t			nr_wakes;
	struct xlv_placement_row *placements;	/* most frequent first */
	int32_t			nr_placements;
	struct xlv_pipeline	pipeline;

	struct xlv_finding	*findings;	/* most important first */
	int32_t			nr_findings;
	char			**warnings;	/* each with its remedy */
	int32_t			nr_warnings;

	const struct xlv_sync	**selected;	/* the syncs that passed the filter, by start */
	int64_t			nr_selected;
};

/**
 * xlv_report_make - judge a run
 * @run:	must outlive the report
 * @filter:	which syncs count; NULL: all
 * @all_findings:	also those below 5 % of sync time
 */
struct xlv_report *xlv_report_make(const struct xlv_run *run, const struct xlv_filter *filter,
				   bool all_findings, struct xlv_error *err);
void xlv_report_free(struct xlv_report *rep);

const char *xlv_interval_name(unsigned int interval);

#endif
