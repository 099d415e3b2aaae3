/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the difference between two mean sync times comes from, to the nanosecond.
 *
 *	xlv_sums_add(&base, sync, detail) ...;	(of OTHER likewise)
 *	xlv_account_make(&acc, &base, &other);
 *	acc.row[stage].other_ns - acc.row[stage].base_ns is that stage's part
 *
 * A mean is a fraction, a sum of times over a number of syncs, and fractions
 * that are rounded one by one don't add up. So each recording's mean is rounded
 * once, to the nearest nanosecond (a half away from zero), and that whole number
 * is shared out among the stages, then each stage's share among its leaves: all
 * get their exact value rounded down, and the nanoseconds left over go to those
 * with the largest remainders (the first of equals). Hence in every table
 *
 *	- the parts of a column add up to its total, exactly;
 *	- base + difference = other in each row, exactly;
 *	- each mean is less than 1 ns from its exact value, each difference less
 *	  than 2 ns.
 *
 * Groups (syncs by placement, by kind) tell a change of mix from a change of
 * speed. With shares w and means m of a group, its contribution to the
 * difference is w' m' - w m. Of that
 *
 *	slower at the same placement	(w + w') / 2 * (m' - m)
 *	placed differently		the rest, (w' - w) * (m + m') / 2
 *
 * so that the interaction (w' - w)(m' - m) falls half to each side and swapping
 * the recordings only swaps the signs. A group that only one recording has can't
 * be slower than itself: all of it is mix. The mix column is shown against a
 * reference R, the mean of both recordings' means, as (w' - w)(m - R): moving
 * syncs into a group that is slower than R costs time. This leaves the total
 * as it is, since the w - w' add up to zero.
 */
#ifndef XLV_ANALYSIS_ACCOUNTING_H
#define XLV_ANALYSIS_ACCOUNTING_H

#include "model/run.h"

/* The parts of a stage: those of its wake-up (enum xlv_part), then these. */
enum xlv_leaf {
	XLV_LEAF_FLUSH = XLV_PART_COUNT,	/* log-io: the device's cache flush */
	XLV_LEAF_DEVICE,			/* log-io: the write itself */
	XLV_LEAF_IN_ORDER,			/* callbacks: waiting for earlier iclogs */
	XLV_LEAF_REST,				/* of the stage, none of the above */
	XLV_LEAF_COUNT
};

/* Times of complete syncs, added up. */
struct xlv_sums {
	int64_t	n;			/* syncs */
	int64_t	span_ns;		/* = the sum over leaf_ns */
	int64_t	leaf_ns[XLV_STAGE_COUNT][XLV_LEAF_COUNT];
};

/**
 * xlv_sums_add - add a complete sync
 *
 * Returns false, with @sums unchanged, for a sync whose segments don't add up to
 * its span or whose times are too large to be added.
 */
bool xlv_sums_add(struct xlv_sums *sums, const struct xlv_sync *sync,
		  const struct xlv_detail *detail);

struct xlv_account_row {
	int64_t	base_ns, other_ns;	/* of the mean sync */
	int64_t	leaf_base_ns[XLV_LEAF_COUNT], leaf_other_ns[XLV_LEAF_COUNT];
};

struct xlv_account {
	int64_t	base_ns, other_ns;	/* mean span, rounded */
	struct xlv_account_row	row[XLV_STAGE_COUNT];
};

/** xlv_account_make - share both means out; both sums must hold a sync */
void xlv_account_make(struct xlv_account *acc, const struct xlv_sums *base,
		      const struct xlv_sums *other);

struct xlv_mix_row {
	char	key[24];
	int64_t	base_n, other_n;
	int64_t	base_sum_ns, other_sum_ns;
	/* filled by xlv_mix_account() */
	int64_t	mix_ns, rate_ns;
};

struct xlv_mix {
	struct xlv_mix_row *group;	/* after accounting: largest contribution first */
	size_t	nr, room;
	int64_t	base_n, other_n;
	int64_t	base_sum_ns, other_sum_ns;
	int64_t	base_ns, other_ns;	/* mean span, rounded */
	int64_t	mix_ns, rate_ns;	/* add up to other_ns - base_ns */
};

/**
 * xlv_mix_add - count syncs
 * @n:		how many
 * @sum_ns:	their spans, added up
 * @other:	whether they are of OTHER
 *
 * Returns false for want of memory or a sum too large.
 */
bool xlv_mix_add(struct xlv_mix *g, const char *key, int64_t n, int64_t sum_ns, bool other);

/** xlv_mix_account - fill in what was defined above; false: no memory */
bool xlv_mix_account(struct xlv_mix *g);
void xlv_mix_free(struct xlv_mix *g);

/**
 * xlv_mean_round - @sum / @n to the nearest integer, a half away from zero
 * @n:	> 0
 */
int64_t xlv_mean_round(int64_t sum, int64_t n);

/**
 * xlv_apportion - share a whole number out in proportion to exact fractions
 * @sums:	numerators
 * @out:	sums[i] / n, rounded down or up so that they add up to @total
 * @k:		how many
 * @n:		denominator, > 0
 * @total:	the sum of all sums[i] / n, rounded down or up
 */
void xlv_apportion(const int64_t *sums, int64_t *out, size_t k, int64_t n, int64_t total);

#endif
