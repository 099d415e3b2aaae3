/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How sure a difference between two recordings is: bootstrap intervals.
 *
 * A recording is a table: one row a sync in order of start, one column a figure
 * (span, T1 ...), XLV_NONE where a sync doesn't have it. Of each column the
 * median, the 95th percentile and the mean are compared.
 *
 * Syncs that follow each other resemble each other (same burst, same group
 * commit, same neighbour on the CPU), and resampling them one by one would
 * promise too much. So whole blocks of consecutive rows are drawn, from a
 * circle, with a block length that follows the data (Politis and White's choice,
 * taken on ranks so that one outlier can't hide the rest, the longest of all
 * columns). Where a side has several runs, the runs are drawn first and the
 * blocks within them, so that what differs from run to run counts as chance.
 *
 * Fifteen intervals at 95 % each would cry wolf in every second comparison. The
 * intervals here hold together: with 95 % confidence all of them cover the true
 * difference at once. They are percentile intervals, all widened to the same
 * level until 99 % of the replicates lie inside of every one of them: 99, because
 * such intervals from a few hundred correlated syncs hold less often than the
 * replicates say; and few blocks or runs widen them as Student's t does. How often
 * they really hold is tested.
 *
 * The same seed gives the same intervals on every machine.
 */
#ifndef XLV_ANALYSIS_BOOTSTRAP_H
#define XLV_ANALYSIS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xlv_stat { XLV_STAT_P50, XLV_STAT_P95, XLV_STAT_MEAN, XLV_STAT_COUNT };

#define XLV_BOOT_COLS	24
#define XLV_BOOT_MIN_N	20		/* with fewer values no interval is given */

struct xlv_series {
	const int64_t	*value;		/* nr_rows x nr_cols, row by row */
	size_t		nr_rows;
	int		nr_cols;
	const size_t	*run_rows;	/* rows of each run; NULL: one run */
	int		nr_runs;
};

struct xlv_estimate {
	int64_t	n[2];			/* values on either side */
	double	value[2];		/* p50 and p95 by nearest rank */
	bool	has_interval;
	double	low, high;		/* of value[1] - value[0] */
};

struct xlv_boot {
	int	nr_cols, replicates;
	size_t	block[2];		/* rows a block */
	struct xlv_estimate	est[XLV_BOOT_COLS][XLV_STAT_COUNT];
};

/**
 * xlv_boot_compare - differences between two series with their intervals
 * @side:	BASE and OTHER, with the same columns
 * @seed:	of the random numbers
 *
 * Returns false for want of memory.
 */
bool xlv_boot_compare(struct xlv_boot *boot, const struct xlv_series side[2], uint64_t seed);

/** xlv_block_length - rows a block for a series; at least 1, at most a quarter of it */
size_t xlv_block_length(const struct xlv_series *s);

/** xlv_stat_name - "p50", "p95", "mean" */
const char *xlv_stat_name(unsigned int stat);

/* A small generator, xoshiro256**: the same numbers everywhere. */
struct xlv_rng {
	uint64_t s[4];
};

void xlv_rng_seed(struct xlv_rng *rng, uint64_t seed);
uint64_t xlv_rng_next(struct xlv_rng *rng);
/** xlv_rng_below - a number from 0 to @n - 1, each as likely */
uint64_t xlv_rng_below(struct xlv_rng *rng, uint64_t n);

#endif
