/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells comparisons of one BASE with each OTHER: as text, as JSON
 * ("xlogviz.compare/1": doc/compare.schema.json), as a picture.
 */
#ifndef XLV_OUTPUT_COMPARE_H
#define XLV_OUTPUT_COMPARE_H

#include <stdio.h>

#include "analysis/compare.h"

#define XLV_COMPARE_SCHEMA	"xlogviz.compare/1"

struct xlv_compared {
	struct xlv_side		**side;		/* nr; the first is BASE */
	struct xlv_comparison	**with;		/* nr - 1: side[i + 1] with BASE */
	int			nr;
	uint64_t		seed;
};

struct xlv_compare_text_opts {
	int	width;		/* columns to fill; 0: 80 */
	bool	utf8, colour;
};

void xlv_compare_text(FILE *out, const struct xlv_compared *all,
		      const struct xlv_compare_text_opts *opts);
void xlv_compare_json(FILE *out, const struct xlv_compared *all);

/**
 * xlv_compare_svg - median syncs over one another, then each difference's waterfall
 *
 * Returns 0, or -1 for a sync that can't be read (@err) or want of memory.
 */
int xlv_compare_svg(FILE *out, const struct xlv_compared *all, struct xlv_error *err);

/**
 * xlv_compare_tables - the experiment laid out as the thread that asked for it did
 *
 * Throughput and T1 to T4, base and fake completion side by side, free to move
 * and bound to CPUs; sides are taken by their names (base, fc, base-bound,
 * fc-bound) and those that are missing are n/a.
 */
void xlv_compare_tables(FILE *out, const struct xlv_compared *all);

#endif
