/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A distribution of durations in nanoseconds: exact nearest-rank quantiles.
 *
 * Values may be negative (clocks of CPUs that differ); nothing is clipped.
 * With n == 0 all else is meaningless and prints as null or n/a.
 */
#ifndef XLV_ANALYSIS_DIST_H
#define XLV_ANALYSIS_DIST_H

#include <stdint.h>
#include <stddef.h>

struct xlv_hist;

struct xlv_dist {
	int64_t	n;
	int64_t	min, p50, p90, p95, p99, max;
	double	mean;
	int64_t	sum;		/* of ns; held at the ends of int64_t if it overflows */
	struct xlv_hist *hist;	/* the same values in a form that merges; NULL: none */
};

/**
 * xlv_dist_make - summarise values
 * @v:	values; sorted in place
 * @n:	how many; 0 gives an empty distribution
 *
 * The result has no histogram: see xlv_hist_from_sorted().
 */
struct xlv_dist xlv_dist_make(int64_t *v, size_t n);

/** xlv_quantile - nearest rank: the smallest value with at least q of all at or below it
 * @v:	sorted, @n > 0
 * @q:	0 < q <= 1
 */
int64_t xlv_quantile(const int64_t *v, size_t n, double q);

/** xlv_rank - the rank, from 1, of quantile @q among @n > 0 values */
int64_t xlv_rank(int64_t n, double q);

/** xlv_sort_ns - sort durations, ascending */
void xlv_sort_ns(int64_t *v, size_t n);

#endif
