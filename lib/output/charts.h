/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording's distributions in one picture: T1 to T4 as cumulative curves, mean
 * stages and mean T4 by placement, and the syncs over time.
 */
#ifndef XLV_OUTPUT_CHARTS_H
#define XLV_OUTPUT_CHARTS_H

#include "output/frame.h"

/**
 * xlv_charts_draw - draw the charts of a report
 * @out:	where the picture is written
 * @t:		the trace of its run, read again where events were lost, to say
 *		when; NULL: not said
 * @rep:	a report with a run; the syncs that it selected count
 */
int xlv_charts_draw(FILE *out, struct xlv_trace *t, const struct xlv_report *rep,
		    const struct xlv_picture_opts *opts, struct xlv_error *err);

#endif
