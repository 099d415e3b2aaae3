/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact boundaries on a stock kernel: kprobe events on the functions that T1 to
 * T3 are defined by, in the event group xlogviz.
 *
 *	force_enter/exit	xfs_log_force_seq (key: sequence), xfs_log_force
 *	cil_force_enter/exit	xlog_cil_force_seq (key: sequence)
 *	wait_enter/exit		xlog_wait_on_iclog (key: address of the iclog)
 *
 * and where a kernel has no xlog_iclog_* events (before 5.14):
 *
 *	push_enter/exit, sync_enter, ioend_enter, clean_enter
 *
 * All recorders of a machine share the probes: the one that ends last removes
 * them, since the kernel keeps those that someone has enabled.
 */
#ifndef XLV_RECORD_PROBES_H
#define XLV_RECORD_PROBES_H

#include <stdint.h>

#include "record/undo.h"
#include "trace/error.h"

enum { XLV_MAX_PROBES = 16 };
#define XLV_PROBE_GROUP "xlogviz"

/** xlv_probes_possible - whether this kernel lets the most important function be probed */
bool xlv_probes_possible(struct xlv_error *err);

/**
 * xlv_probes_create - define what this kernel needs
 * @dev:	of the only filesystem recorded; 0: several
 * @name:	gets the names of the events
 *
 * Returns how many there are, or -1 where not even the force could be probed.
 */
int xlv_probes_create(struct xlv_undo *undo, uint32_t dev, const char *name[XLV_MAX_PROBES],
		      struct xlv_error *err);

/** xlv_probes_missed - hits that were lost because too many tasks were inside a function */
long long xlv_probes_missed(void);

#endif
