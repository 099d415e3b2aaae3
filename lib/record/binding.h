/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where things may run while a recording is made: the workload, unbound workers
 * (the CIL push among them), interrupts of the log's device. What is changed is
 * noted for undoing first.
 */
#ifndef XLV_RECORD_BINDING_H
#define XLV_RECORD_BINDING_H

#include <sys/types.h>
#include <json.h>

#include "record/filesystem.h"
#include "record/undo.h"
#include "trace/error.h"

/** xlv_bind_check - whether a list names CPUs that are online; 0 or -1 */
int xlv_bind_check(const char *list, struct xlv_error *err);

/** xlv_bind_self - bind the calling thread, for the child that becomes the workload */
int xlv_bind_self(const char *list);

/** xlv_bind_process - bind every thread of a running process */
int xlv_bind_process(struct xlv_undo *undo, pid_t pid, const char *list, struct xlv_error *err);

/**
 * xlv_bind_workers - let unbound workers run on some CPUs only
 *
 * XFS's queues have no mask of their own, so this is the one of all unbound
 * workqueues of the machine. The log worker is bound to the CPU that took the
 * I/O completion; no mask moves it.
 */
int xlv_bind_workers(struct xlv_undo *undo, const char *list, struct xlv_error *err);

/**
 * xlv_bind_irqs - send the interrupts of the log's device to one CPU
 * @cpu:	-1: only report them
 * @report:	gets [ { "irq", "name", "cpus" } ]
 *
 * Returns how many were moved, or -1 with the reason where none could be.
 */
int xlv_bind_irqs(struct xlv_undo *undo, const struct xlv_filesystem *fs, int cpu,
		  json_object *report, struct xlv_error *err);

#endif
