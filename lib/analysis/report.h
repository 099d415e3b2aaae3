/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report: what a run (model/run.h) amounts to, as numbers and as findings.
 *
 *	rep = xlv_report_make(run, &filter, all_findings, &err);
 *	... lib/output writes it as text, JSON, CSV ...
 *	xlv_report_free(rep);
 *
 * It is also what comes back when a JSON report is read (analysis/load.h), so
 * that comparing, merging and telling need not know which it was: facts about
 * the recording are in .source, and .run is NULL there. Distributions are exact,
 * nearest rank, over complete syncs; in a merged report they come from
 * histograms (analysis/hist.h) and .exact is false.
 */
#ifndef XLV_ANALYSIS_REPORT_H
#define XLV_ANALYSIS_REPORT_H

#include "analysis/dist.h"
#include "analysis/hist.h"
#include "model/run.h"

/* Which syncs count. Zero, NULL and XLV_NONE mean no restriction. */
struct xlv_filter {
	int32_t		pid;
	const char	*comm;		/* shell pattern: "fio*" */
	uint32_t	dev;
	int64_t		from_ns, to_ns;	/* start of the sync; XLV_NONE: open */
};

#define XLV_FILTER_ALL	((struct xlv_filter){ .from_ns = XLV_NONE, .to_ns = XLV_NONE })

enum xlv_interval { XLV_I_SPAN, XLV_I_T1, XLV_I_T2, XLV_I_T3, XLV_I_T4, XLV_I_COUNT };

/* The recording a report tells of. Strings belong to the report. */
struct xlv_source {
	char		*file;
	char		*format;	/* "trace.dat", "text", "raw" */
	int		version;	/* of trace.dat; 0 */
	char		*clock;		/* "" unknown */
	bool		clock_ticks;
	char		*kernel;	/* "" unknown */
	char		*machine;	/* "" unknown */
	int		cpus;
	int64_t		events, lost_events, lost_uncounted;
	int64_t		start_ns, end_ns;	/* XLV_NONE: no events */
	enum xlv_boundaries boundaries;
	char		*buffer;	/* "" the top buffer */
	bool		damaged;	/* parts of the file could not be read */
	bool		fake_completion;
	char		*command;	/* what was recorded; NULL unknown */
	char		*topology;	/* JSON {"core":[],"llc":[],"node":[]}; NULL unknown */
	char		*event_set;	/* what the recorder chose: "minimal" ...; NULL unknown */
	char		*unknown;	/* what that leaves unknown, "a; b"; NULL nothing */
	char		*metadata;	/* JSON object by the recorder; NULL none */
};

struct xlv_stage_row {
	enum xlv_stage	stage;
	double		share;		/* of all complete syncs' time */
	struct xlv_dist	dist;		/* per sync that has the stage */
	int64_t		flush_ns, device_ns;	/* LOG_IO: sums; XLV_NONE unknown */
	int64_t		in_order_ns;	/* CALLBACKS: sum; XLV_NONE */
};

struct xlv_wake_row {
	enum xlv_stage	stage;
	enum xlv_part	cause;		/* the largest part of each wake counted here */
	int64_t		count, total_ns;
	int64_t		remote;		/* how many crossed CPUs */
	double		remote_share;	/* of count */
	int64_t		parts_ns[XLV_PART_COUNT];
};

struct xlv_placement_row {
	char		placement[8];
	int64_t		count;
	double		share;
	int64_t		T1_p50, T4_p50, span_p50, span_p95;	/* XLV_NONE: none */
	struct xlv_dist	span, T1, T4;
};

/* Sleeps on something that is none of the log's wait queues. */
struct xlv_other_row {
	char		*what;
	int64_t		count, total_ns;
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

enum { XLV_REASON_COUNT = 4 };		/* bits of xlv_sync.reasons */

struct xlv_report {
	const struct xlv_run	*run;	/* NULL when read from JSON */
	struct xlv_filter	filter;
	char			*filter_comm;	/* what filter.comm points to */
	struct xlv_source	source;

	/* counts, of the syncs that passed the filter */
	int64_t		syncs, complete, partial;
	int64_t		by_kind[XLV_KIND_COUNT];	/* of all */
	int64_t		by_reason[XLV_REASON_COUNT];	/* of the partial; bit order */
	int64_t		tasks;				/* pids that synced */
	int64_t		cil_pushes, iclog_writes, fake_ios;	/* of the whole recording */
	double		syncs_per_iclog;		/* NAN: no iclog written */
	int64_t		time_ns;	/* first start to last end of complete syncs; XLV_NONE */
	double		syncs_per_s;			/* complete ones; NAN */

	bool		exact;
	struct xlv_dist	interval[XLV_I_COUNT];
	struct xlv_dist	interval_kind[XLV_KIND_COUNT][XLV_I_COUNT];
	const char	*why_none[XLV_I_COUNT];		/* commonest reason for none; NULL */
	struct xlv_dist	slack[2];			/* T1, T2 */
	struct xlv_dist	wait[XLV_QUEUE_COUNT];		/* sleeps by wait queue */
	int64_t		wait_syncs[XLV_QUEUE_COUNT];	/* syncs with such a sleep */
	struct xlv_other_row *others;			/* longest in all first */
	int32_t		nr_others;

	struct xlv_stage_row	stages[XLV_STAGE_COUNT];
	int32_t			nr_stages;	/* those that occur, in pipeline order */
	struct xlv_wake_row	*wakes;		/* in pipeline order, then longest in all */
	int32_t			nr_wakes;
	struct xlv_placement_row *placements;	/* most frequent first */
	int32_t			nr_placements;
	struct xlv_pipeline	pipeline;	/* analysis/pipeline.h */

	struct xlv_finding	*findings;	/* most important first; analysis/findings.h */
	int32_t			nr_findings;
	char			*answer;	/* three sentences; analysis/answer.h; NULL none */
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

/** xlv_report_warn - add a warning (printf format); 0, or -1 without memory */
int xlv_report_warn(struct xlv_report *rep, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** xlv_report_losses - true if events were lost or parts of the file damaged */
bool xlv_report_losses(const struct xlv_report *rep);

const char *xlv_interval_name(unsigned int interval);	/* "span", "T1" ... */
const char *xlv_reason_name(unsigned int bit);		/* "lost-events" ...; bit 3: "missing" */

/** xlv_sync_interval - one of a sync's five figures, or XLV_NONE */
static inline int64_t xlv_sync_interval(const struct xlv_sync *s, unsigned int interval)
{
	switch (interval) {
	case XLV_I_SPAN:	return s->span_ns;
	case XLV_I_T1:		return s->T1_ns;
	case XLV_I_T2:		return s->T2_ns;
	case XLV_I_T3:		return s->T3_ns;
	case XLV_I_T4:		return s->T4_ns;
	default:		return XLV_NONE;
	}
}

#endif
