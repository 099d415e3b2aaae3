/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swimlanes: what happened around a sync, or in a part of the recording.
 *
 * From top to bottom a panel has T1 to T4 as brackets, the stages of the critical
 * path as a band that tiles the sync, what the wake-ups on it consisted of, the
 * syncing task, the CPUs that take part, iclogs and devices, over one time axis.
 * Wake-ups are arrows from waker to wakee, work-queue hand-overs dashed ones.
 *
 * In an SVG each thing can be found by its id, "s12-T4", "s12-stage-3", "s12-cpu-0"
 * (12: the sync's id; a window's ids begin with "w"), and the panel's axis by
 * data-from, data-to (ns of the trace), data-x and data-width (pixels).
 */
#ifndef XLV_OUTPUT_TIMELINE_H
#define XLV_OUTPUT_TIMELINE_H

#include "output/choose.h"
#include "output/frame.h"

/**
 * xlv_timeline_draw - draw syncs or a window
 * @out:	where the picture is written
 * @t:		the trace of the report's run, for a second pass
 * @rep:	a report with a run
 * @choose:	what to draw
 * @opts:	how
 *
 * Returns 0, or -1: no such sync, the trace can't be read again, no memory.
 */
int xlv_timeline_draw(FILE *out, struct xlv_trace *t, const struct xlv_report *rep,
		      const struct xlv_choose *choose, const struct xlv_picture_opts *opts,
		      struct xlv_error *err);

#endif
