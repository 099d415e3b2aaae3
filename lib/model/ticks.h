/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that fell silent.
 *
 * A CPU that runs a task shows a timer tick at least: in its softirqs, its
 * interrupt vectors, its timers, where those are recorded. One that shows
 * nothing for more than two ticks was taken away by the host, was in firmware or
 * had interrupts off; that time is not the task's work.
 *
 * The tick's period isn't in the file. It is read off the recorded ticks
 * themselves; without any, nothing is called silent.
 */
#ifndef XLV_MODEL_TICKS_H
#define XLV_MODEL_TICKS_H

#include "model/memory.h"
#include "model/run.h"
#include "model/strpool.h"

#define XLV_MOST_HOLES	20000

struct xlv_ticks {
	int64_t			*last_ns;	/* of each CPU, its last tick */
	int32_t			nr_cpus;
	int64_t			hits[8];	/* gaps as long as each known period */
	struct xlv_silence	*holes;		/* longer than any two ticks could be short */
	size_t			nr_holes, cap_holes;
};

void xlv_ticks_event(struct xlv_ticks *k, const struct xlv_event *ev);
void xlv_ticks_hole(struct xlv_ticks *k, int32_t cpu, int32_t pid, const char *comm,
		    int64_t from_ns, int64_t to_ns);

/**
 * xlv_ticks_finish - set run->tick_ns and run->silences, and book them
 *
 * Segments of syncs in which a silent CPU ran their task, or a worker of theirs,
 * are split: the silent part becomes XLV_STAGE_CPU_SILENT. Expects run->syncs in
 * order of start, with their ids. @arena: see xlv_detail_pack(). Returns 0, or -1
 * without memory.
 */
int xlv_ticks_finish(struct xlv_ticks *k, struct xlv_run *run, struct xlv_arena *arena);
void xlv_ticks_free(struct xlv_ticks *k);

#endif
