/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal as a pipeline: a row for each iclog write, in log order, with the
 * CIL pushes that filled it above and the syncs that depended on it below. What
 * overlaps, what completes out of order, and which callbacks wait for an earlier
 * iclog can be seen at once.
 */
#ifndef XLV_OUTPUT_PIPELINE_VIEW_H
#define XLV_OUTPUT_PIPELINE_VIEW_H

#include "output/choose.h"
#include "output/frame.h"

/**
 * xlv_pipeline_draw - draw the iclog writes of a part of the recording
 * @out:	where the picture is written
 * @rep:	a report with a run; needs no second pass over the trace
 * @choose:	the iclogs around the first sync that it chooses, or in its window
 */
int xlv_pipeline_draw(FILE *out, const struct xlv_report *rep, const struct xlv_choose *choose,
		      const struct xlv_picture_opts *opts, struct xlv_error *err);

#endif
