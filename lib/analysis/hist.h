/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of durations that can be merged: the same values in whatever
 * order and from however many parts give the same histogram.
 *
 *	h = xlv_hist_new();
 *	xlv_hist_add(h, ns, 1);
 *	xlv_hist_merge(all, h);
 *	dist = xlv_hist_dist(all);
 *	xlv_hist_free(h);
 *
 * Buckets are log-linear: values below 128 have one bucket each, every power of
 * two above is cut into 128 equal buckets. A bucket stands for its middle, so a
 * quantile is at most 0.4 % from the exact nearest-rank one; n, min, max, sum
 * and mean are exact. Negative values mirror the positive ones.
 *
 * With a = |v|, e = 0 and m = a where a < 128, else e = floor(log2 a) - 7 and
 * m = a >> e: index = 128 e + m for v >= 0, and -index for v < 0. This is the
 * "index" of the JSON form, so it never changes within a report version.
 */
#ifndef XLV_ANALYSIS_HIST_H
#define XLV_ANALYSIS_HIST_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/dist.h"

#define XLV_HIST_SCHEME	"log-linear/128"	/* as it stands in JSON */

struct xlv_hist_bucket {
	int32_t	index;
	int64_t	count;			/* never 0 */
};

struct xlv_hist {
	int64_t	n, min, max, sum;	/* min and max are meaningless with n == 0 */
	struct xlv_hist_bucket *bucket;	/* by index, ascending */
	size_t	nr_buckets, room;
};

/** xlv_hist_new - an empty histogram, or NULL without memory */
struct xlv_hist *xlv_hist_new(void);
void xlv_hist_free(struct xlv_hist *h);

/**
 * xlv_hist_from_sorted - histogram of sorted values
 *
 * NULL without memory. This is the fast way: one pass, no searching.
 */
struct xlv_hist *xlv_hist_from_sorted(const int64_t *v, size_t n);

/** xlv_hist_copy - a copy, or NULL without memory */
struct xlv_hist *xlv_hist_copy(const struct xlv_hist *h);

/**
 * xlv_hist_add - count a value
 * @count:	how often; > 0
 *
 * Returns 0, or -1 without memory or when the count overflows.
 */
int xlv_hist_add(struct xlv_hist *h, int64_t v, int64_t count);

/**
 * xlv_hist_append - add a bucket that was read from a file
 *
 * Buckets come in ascending order. The caller sets min, max and sum and calls
 * xlv_hist_valid() when all are there. Returns -1 on a bad index, count or
 * order, or without memory.
 */
int xlv_hist_append(struct xlv_hist *h, int32_t index, int64_t count);

/** xlv_hist_valid - 1 if n, min and max agree with the buckets, else 0 */
int xlv_hist_valid(const struct xlv_hist *h);

/** xlv_hist_merge - add all of @from to @to; 0, or -1 (@to is then unchanged) */
int xlv_hist_merge(struct xlv_hist *to, const struct xlv_hist *from);

/** xlv_hist_quantile - nearest rank within the error above; @h->n > 0 */
int64_t xlv_hist_quantile(const struct xlv_hist *h, double q);

/** xlv_hist_dist - the distribution; its .hist is NULL */
struct xlv_dist xlv_hist_dist(const struct xlv_hist *h);

/* The bucket of a value, and the values at a bucket's two ends, both inside. */
int32_t xlv_hist_index(int64_t v);
void xlv_hist_bounds(int32_t index, int64_t *low, int64_t *high);

/* The largest index there is. */
int32_t xlv_hist_max_index(void);

#endif
