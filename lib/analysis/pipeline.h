/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How full the journal pipeline was.
 *
 * A CIL push is in flight from its queueing to the end of its work; an iclog
 * from its write to its being clean. The means are over the time from the first
 * to the last thing in flight, the maxima over any instant.
 */
#ifndef XLV_ANALYSIS_PIPELINE_H
#define XLV_ANALYSIS_PIPELINE_H

#include "analysis/report.h"

/**
 * xlv_pipeline_make - measure a run's pipeline
 * @run:	the run; its pushes and iclogs count whoever caused them
 * @from_ns:	count what begins at or after this; XLV_NONE: all
 * @to_ns:	and before this; XLV_NONE: all
 * @dev:	of one filesystem; 0: all
 * @syncs:	the syncs that flushes and FUA writes are counted per
 * @nr_syncs:	how many; 0 leaves the figures per sync NAN
 *
 * Returns 0, or -1 without memory.
 */
int xlv_pipeline_make(const struct xlv_run *run, int64_t from_ns, int64_t to_ns, uint32_t dev,
		      const struct xlv_sync *const *syncs, int64_t nr_syncs,
		      struct xlv_pipeline *out);

#endif
