/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sync as a pipeline diagram in the terminal: a row an event, and a column
 * each for the syncing task, the CIL worker, the I/O completion and the log
 * worker, with T1 to T4 marked at the side.
 */
#ifndef XLV_OUTPUT_SHOW_H
#define XLV_OUTPUT_SHOW_H

#include <stdbool.h>
#include <stdio.h>

#include "model/run.h"

struct xlv_show_opts {
	int	width;		/* columns to fill, at least 80; 0: 80 */
	bool	utf8;		/* else plain ASCII */
	bool	colour;
};

/**
 * xlv_show_print - draw a sync
 * @out:	where to
 * @t:		the run's trace, for a second pass over the sync's time
 * @run:	the run
 * @sync:	one of its syncs
 * @opts:	NULL for 80 columns of ASCII
 *
 * Returns 0, or -1 when the trace can't be read or @out not be written.
 */
int xlv_show_print(FILE *out, struct xlv_trace *t, const struct xlv_run *run,
		   const struct xlv_sync *sync, const struct xlv_show_opts *opts,
		   struct xlv_error *err);

#endif
