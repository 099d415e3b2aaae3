/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a woken task did not run at once.
 *
 * The time from sched_waking to sched_switch is cut by what the CPU that the
 * task ended on did meanwhile:
 *
 *	wakeup-ipi	until sched_wakeup: choosing a CPU, the inter-processor
 *			interrupt, the target's run queue
 *	idle-exit	then, while the CPU was still idle
 *	waker-busy	while the waker itself still ran there
 *	other-task	while it ran others; the longest is named. A worker that was
 *			awake and busy with other work is such another task itself
 *	irq		while it was in hard or soft interrupts
 *	sched		what remains: history too short, or the task on its CPU but
 *			not yet at work
 *
 * A waker in interrupt context is nobody's task: the task it interrupted counts
 * as another task.
 */
#ifndef XLV_MODEL_WAKE_CAUSE_H
#define XLV_MODEL_WAKE_CAUSE_H

#include "model/sched.h"

/**
 * xlv_wake_parts - split [from_ns, to_ns) of a wake-up
 * @s:		the scheduler's state, at or soon after @to_ns
 * @w:		the wake; .waking_ns may be XLV_NONE (the task was awake already)
 * @cpu:	the CPU to look at; -1: none known
 * @parts:	set to parts that add up to to_ns - from_ns
 *
 * Fills w->other_*, w->cstate and w->freq_khz as well.
 */
void xlv_wake_parts(const struct xlv_sched *s, struct xlv_wake *w, int32_t cpu, int64_t from_ns,
		    int64_t to_ns, int64_t parts[XLV_PART_COUNT]);

/**
 * xlv_wake_holder - who held a CPU longest while a preempted task waited for it
 * @s:		the scheduler's state, at or soon after @to_ns
 * @pid:	the task that waited
 * @cpu:	where it ran again
 *
 * Returns the name of a task other than @pid, or NULL where none was seen.
 */
const char *xlv_wake_holder(const struct xlv_sched *s, int32_t pid, int32_t cpu, int64_t from_ns,
			    int64_t to_ns);

/** xlv_wake_cause - the part that names a wake: the largest, XLV_PART_UNKNOWN if all are 0 */
uint8_t xlv_wake_cause(const int64_t parts[XLV_PART_COUNT]);

#endif
