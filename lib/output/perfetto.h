/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording for a trace UI (ui.perfetto.dev, chrome://tracing), in the JSON
 * Trace Event Format.
 *
 * Tracks: a thread for each CPU (what ran there), each syncing task (its syncs as
 * slices, their stages nested within), each CIL worker and log worker (their work
 * items); iclogs as async slices, one track a phase. A flow runs along each sync's
 * pipeline: from the log force to the CIL push, the iclog's completion in the log
 * worker, and back to the task. Thread ids of tasks are their pids; those of the
 * other tracks are made up and lie above any pid, as the UI wants them unique.
 *
 * Times are microseconds with three decimals, that is, the nanoseconds of the
 * JSON report, which stand unrounded in the arguments too.
 */
#ifndef XLV_OUTPUT_PERFETTO_H
#define XLV_OUTPUT_PERFETTO_H

#include <stdio.h>

#include "analysis/report.h"

/**
 * xlv_perfetto_write - export the selected syncs and what ran beside them
 * @t:		the report's trace; is rewound
 * @rep:	its filter's from_ns and to_ns also bound what is shown of CPUs
 *
 * Returns 0, or -1 when the trace can't be read. Write errors stay in @f.
 */
int xlv_perfetto_write(FILE *f, struct xlv_trace *t, const struct xlv_report *rep,
		       struct xlv_error *err);

#endif
