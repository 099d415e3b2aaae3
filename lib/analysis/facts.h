/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the findings are judged by: sums over the complete syncs of a report.
 *
 * A matter is something that took time in syncs: how much, how often, and the
 * syncs where it took most. A list of names says whose doing it was.
 *
 * Wakes of the waiter are all that ended a sleep of the task within its sync,
 * wakes of workers those on the critical path (stages cil-queue and
 * ioend-queue): no nanosecond is in both.
 *
 * For lib/analysis alone:
 *
 *	xlv_facts_begin(&f, run);
 *	xlv_facts_add(&f, sync, &detail);	(each sync once)
 *	xlv_facts_end(&f);
 *	... f.stage[...] ...
 *	xlv_facts_free(&f);
 */
#ifndef XLV_ANALYSIS_FACTS_H
#define XLV_ANALYSIS_FACTS_H

#include "analysis/report.h"

#define XLV_EXAMPLES	3

struct xlv_matter {
	int64_t	ns, count;
	int64_t	syncs;			/* in how many of them */
	int32_t	example[XLV_EXAMPLES];	/* ids, the longest first; 0 none */
	int64_t	example_ns[XLV_EXAMPLES];
	int32_t	now_id;			/* the sync that is being added up */
	int64_t	now_ns;
};

struct xlv_named {
	char	*name;
	int64_t	ns, count;
};

struct xlv_names {
	struct xlv_named	*v;	/* most time first */
	int			nr, max;
};

enum xlv_who { XLV_WHO_WAITER, XLV_WHO_CIL_WORKER, XLV_WHO_LOG_WORKER, XLV_WHO_COUNT };

struct xlv_values {
	int64_t	*v;
	size_t	nr, max;
};

/* Wakes of one kind. */
struct xlv_wake_sum {
	struct xlv_matter	all;
	int64_t			parts_ns[XLV_PART_COUNT];
	int64_t			distance[XLV_DIST_COUNT];	/* how many */
};

struct xlv_facts {
	const struct xlv_run	*run;
	int64_t			selected;	/* syncs, also partial ones */
	int64_t			nr, time_ns;	/* complete ones, and their spans */
	int64_t			longest_ns;	/* of the spans */
	int64_t			by_kind[XLV_KIND_COUNT], kind_ns[XLV_KIND_COUNT];
	int64_t			begin_ns, end_ns;	/* first start, last end */
	int64_t			partial_lost;	/* partial because events were lost */
	int64_t			iclogs, on_iclogs;	/* distinct, and syncs that depend on them */
	bool			*iclog_seen;

	struct xlv_matter	stage[XLV_STAGE_COUNT];
	struct xlv_matter	part[XLV_WHO_COUNT][XLV_PART_COUNT];
	struct xlv_wake_sum	remote, local;	/* of both */
	struct xlv_names	behind[XLV_WHO_COUNT];	/* who held the CPU */
	struct xlv_matter	behind_all[XLV_WHO_COUNT];
	struct xlv_names	other_wait;	/* on what */
	struct xlv_matter	log_flush, log_device, in_order;
	int64_t			cstate_count[16];	/* of idle exits; [15]: deeper */

	/* wakes that move the waiter off the CPU that its waker occupies, and those that
	 * leave it on its CPU although the waker runs there */
	struct xlv_wake_sum	bounce, stay;
	struct xlv_values	bounce_T4, stay_T4;	/* of force sleeps: moved so, not moved */
	int64_t			bounce_by[XLV_ROLE_COUNT];	/* the wakers */
	int64_t			bounce_writeback;	/* of them, before the log force */

	/* where the log worker ran */
	int64_t			worker_known, worker_on_done_cpu;
	int32_t			done_cpus;	/* distinct */
	uint64_t		done_cpu_seen[64];
};

/** xlv_facts_begin - -1 without memory */
int xlv_facts_begin(struct xlv_facts *f, const struct xlv_run *run);
/** xlv_facts_add - add a sync; -1 without memory */
int xlv_facts_add(struct xlv_facts *f, const struct xlv_sync *s, const struct xlv_detail *d);
void xlv_facts_end(struct xlv_facts *f);
void xlv_facts_free(struct xlv_facts *f);

#endif
