/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaves the machine as it was, whatever becomes of the recorder.
 *
 * Each change that outlives a process is written to an undo list, a file of
 * /run/xlogviz, before it is made. A guardian, a process in a session of its
 * own, waits for the recorder to close the list or to die (SIGKILL included:
 * it sees the end of a pipe) and then takes the changes back, last one first.
 *
 *	undo = xlv_undo_open(&err);		(forks: before any thread)
 *	xlv_undo_add(undo, "instance %s", name);
 *	mkdir(...);
 *	...
 *	xlv_undo_close(undo, &err);		(takes back, waits until it is done)
 *
 * If the guardian was killed too, the list stays, and xlv_undo_sweep() of a
 * later run finds it. A list belongs to a process by its pid and start time, so
 * that of a live recorder is never touched.
 *
 * The entries:
 *	instance NAME		tracefs instance to remove
 *	probe GROUP/NAME	kprobe event to remove, unless someone has it enabled
 *	write PATH VALUE	file to write the old value to; no blanks in PATH
 *	affinity TID START LIST	CPUs a thread may run on
 *	process PID START	ends by itself; after 10 s SIGTERM, after 20 s SIGKILL
 *	note TEXT		nothing to undo: said when the recorder died
 */
#ifndef XLV_RECORD_UNDO_H
#define XLV_RECORD_UNDO_H

#include <stdbool.h>

#include "trace/error.h"

struct xlv_undo;

struct xlv_undo *xlv_undo_open(struct xlv_error *err);

/** xlv_undo_add - note how to take back a change, before making it; 0 or -1 */
int xlv_undo_add(struct xlv_undo *undo, struct xlv_error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * xlv_undo_claim - note how to put back a file that only one recorder may change
 * @value:	what is in it now
 *
 * Two recorders that change the same setting would each put back what they
 * found, and so leave the first one's. Returns 0, or -1 with who has it.
 */
int xlv_undo_claim(struct xlv_undo *undo, const char *path, const char *value,
		   struct xlv_error *err);

/**
 * xlv_undo_forked - let go of the list in a child process
 *
 * A child that has not called exec yet would keep the guardian waiting.
 */
void xlv_undo_forked(struct xlv_undo *undo);

/**
 * xlv_undo_close - take everything back and free @undo
 *
 * Returns 0, or -1 with what could not be undone.
 */
int xlv_undo_close(struct xlv_undo *undo, struct xlv_error *err);

/** xlv_undo_id - "PID-STARTTIME" of this process: what its instance is named after */
const char *xlv_undo_id(const struct xlv_undo *undo);

/**
 * xlv_undo_sweep - take back what dead recorders left
 * @dry:	only tell
 * @tell:	called with a line for each thing found
 *
 * Looks at lists without a live owner, at tracefs instances "xlogviz-PID-START"
 * and at probes in the group xlogviz. Returns how many things were found, or -1
 * where some could not be removed.
 */
int xlv_undo_sweep(bool dry, void (*tell)(const char *line, void *arg), void *arg);

#endif
