/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sets of recordings side by side: what differs, how sure that is, and
 * where each nanosecond of the difference of the mean sync comes from.
 *
 *	a = xlv_side_new("base");
 *	xlv_side_add(a, input, &err); ...
 *	xlv_side_finish(a, &err);
 *	b = ...
 *	c = xlv_compare(a, b, seed, &err);
 *	... lib/output writes it as text, JSON, SVG ...
 *	xlv_comparison_free(c);
 *	xlv_side_free(a) ...		(after the comparisons that use them)
 *
 * A side is one recording or several of the same kind (the rounds of an
 * experiment). Only complete syncs count. The accounting is exact
 * (analysis/accounting.h), intervals are simultaneous (analysis/bootstrap.h).
 *
 * A few syncs that take a hundred times as long as the others can make most of a
 * mean, and have causes of their own. So the difference is accounted for twice:
 * of the mean over all syncs, and over the *typical* ones, the middle half of each
 * side by span. The words explain the typical sync first, then what the slow ones
 * add.
 */
#ifndef XLV_ANALYSIS_COMPARE_H
#define XLV_ANALYSIS_COMPARE_H

#include "analysis/accounting.h"
#include "analysis/bootstrap.h"
#include "analysis/input.h"

/* What is compared: the report's intervals, then the time from sync to sync. */
enum { XLV_FIG_GAP = XLV_I_COUNT, XLV_FIG_COUNT };

/* Wake-ups of one kind, added up. */
struct xlv_wake_facts {
	int64_t	n, ns;
	int64_t	remote;			/* crossed CPUs */
	int64_t	by_irq;			/* woken from an interrupt */
	struct xlv_holder {		/* who held the CPU meanwhile, longest first */
		char	comm[32];
		int64_t	ns;
	} holder[8];
};

/*
 * Clashes: a task, not an interrupt, wakes the syncing task from the very CPU that
 * it slept on. Either the task stays and waits until its waker leaves the CPU, or
 * the scheduler moves it to another one.
 */
struct xlv_clash_facts {
	int64_t	n, ns;
	int64_t	moved;
	int64_t	by_log_worker, by_cil_worker, early;	/* of n; early: before the log force */
	int64_t	queue_ns[XLV_QUEUE_COUNT];		/* of ns, by what it slept on */
};

/* Over the typical syncs. */
struct xlv_side_facts {
	int64_t	n;
	struct xlv_clash_facts	clash;
	struct xlv_wake_facts	stage[XLV_STAGE_COUNT];	/* wakes on the critical path */
	struct xlv_wake_facts	runnable;	/* holders of the CPU meanwhile */
	struct xlv_wake_facts	other_wait;	/* what it waited for */
	int64_t	moves;			/* wakes that moved the task to another CPU */
	int64_t	done_in_push;
	int64_t	grouped;		/* woken with others by the same iclog */
};

struct xlv_row {
	int64_t	start_ns;
	int64_t	value[XLV_FIG_COUNT];
	int64_t	stage_ns[XLV_STAGE_COUNT];
	char	placement[8];
	uint8_t	kind;
};

struct xlv_side {
	char	*name;
	struct xlv_input **input;	/* not owned */
	int	nr_inputs;

	bool	has_rows;		/* else only sums: no intervals, no words about wakes */
	struct xlv_row *row;		/* complete syncs, run by run, by start */
	size_t	nr_rows, room;
	size_t	*run_rows;

	struct xlv_sums		sums;
	struct xlv_sums		typical;
	int64_t			typical_low_ns, typical_high_ns;	/* spans, both inside */
	struct xlv_side_facts	facts;
	int64_t	syncs, partial, not_tiled;
	int64_t	time_ns;		/* first start to last end, over all runs */
	int64_t	fake_ios;
	/* the workload's own figures, where a recording or its output gave them */
	double	kB_per_s;		/* mean over the runs; NAN unknown */
};

struct xlv_side *xlv_side_new(const char *name);
/** xlv_side_add - take a recording in; 0 or -1 */
int xlv_side_add(struct xlv_side *side, struct xlv_input *in, struct xlv_error *err);
/** xlv_side_finish - after the last recording: find the typical syncs; 0 or -1 */
int xlv_side_finish(struct xlv_side *side, struct xlv_error *err);
void xlv_side_free(struct xlv_side *side);
/** xlv_side_rate - complete syncs per second; NAN unknown */
double xlv_side_rate(const struct xlv_side *side);
/** xlv_side_cpus - CPUs of the recorded machine; 0 unknown or not all the same */
int xlv_side_cpus(const struct xlv_side *side);
/** xlv_side_is_fake - whether log writes were completed without a device */
bool xlv_side_is_fake(const struct xlv_side *side);

enum xlv_verdict {
	XLV_VERDICT_UNKNOWN,		/* too few syncs for an interval */
	XLV_VERDICT_NONE,		/* no evidence of a difference */
	XLV_VERDICT_SLOWER, XLV_VERDICT_FASTER,	/* OTHER, by its median or mean span */
	XLV_VERDICT_DIFFERENT,		/* in other figures, or median against mean */
};

struct xlv_reason {
	int64_t	ns;			/* of the typical sync's difference */
	int	stage;			/* -1: of several */
	char	*text;
};

struct xlv_comparison {
	const struct xlv_side	*base, *other;
	enum xlv_verdict	verdict;
	bool			has_intervals;
	struct xlv_boot		boot;		/* columns: XLV_I_*, XLV_FIG_GAP */
	struct xlv_boot		stages;		/* columns: stages; for reasons only */
	bool			has_account, has_typical;
	struct xlv_account	account, typical;
	struct xlv_mix	placements, kinds;
	char			masked[8];	/* roles left out of placements: their letters' */
						/* positions hold '-', others '+' */
	char			*headline;	/* what differs, how much */
	struct xlv_reason	*reasons;	/* why, largest first; only what its stage's own
						 * interval bears out */
	int			nr_reasons;
	char			*tail;		/* what the slow syncs add; NULL nothing much */
	char			**warnings;
	int			nr_warnings;
};

struct xlv_comparison *xlv_compare(const struct xlv_side *base, const struct xlv_side *other,
				   uint64_t seed, struct xlv_error *err);
void xlv_comparison_free(struct xlv_comparison *c);

/** xlv_estimate_differs - whether the interval leaves out zero */
bool xlv_estimate_differs(const struct xlv_estimate *e);
/** xlv_verdict_name - "slower", "no-evidence" ... */
const char *xlv_verdict_name(unsigned int verdict);
/** xlv_leaf_name - "waker-busy", "device", "rest" ... */
const char *xlv_leaf_name(unsigned int leaf);

/* For compare.c: fill in .headline, .reasons, .tail, .warnings. 0, or -1 without memory. */
int xlv_compare_words(struct xlv_comparison *c);

#endif
