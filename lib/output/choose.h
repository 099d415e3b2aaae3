/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a picture shows: some syncs, or a part of the recording. */
#ifndef XLV_OUTPUT_CHOOSE_H
#define XLV_OUTPUT_CHOOSE_H

#include "analysis/report.h"

#define XLV_MAX_PANELS	20

enum xlv_choice {
	XLV_CHOOSE_DEFAULT,	/* the median sync and the slowest */
	XLV_CHOOSE_MEDIAN,
	XLV_CHOOSE_SLOWEST,	/* .count of them */
	XLV_CHOOSE_SYNCS,	/* .ids */
	XLV_CHOOSE_WINDOW,	/* .from_ns to .to_ns */
};

struct xlv_choose {
	enum xlv_choice	choice;
	int		count;
	const int32_t	*ids;
	int		nr_ids;
	int64_t		from_ns, to_ns;	/* of the trace's clock */
};

struct xlv_picks {
	const struct xlv_sync	*sync[XLV_MAX_PANELS];	/* NULL: the window */
	const char		*what[XLV_MAX_PANELS];	/* "Slowest"; NULL: asked for by id */
	int			nr;
};

/**
 * xlv_choose_syncs - find the syncs that are asked for
 * @picks:	zeroed
 *
 * Median and slowest are by span over complete syncs, over those with a log force
 * where there are any. Returns 0, or -1: there is no such sync.
 */
int xlv_choose_syncs(const struct xlv_report *rep, const struct xlv_choose *choose,
		     struct xlv_picks *picks, struct xlv_error *err);

#endif
