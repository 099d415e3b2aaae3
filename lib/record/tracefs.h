/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where tracefs is and what it offers.
 */
#ifndef XLV_RECORD_TRACEFS_H
#define XLV_RECORD_TRACEFS_H

#include <stdbool.h>

#include "trace/error.h"

/**
 * xlv_tracefs_dir - the folder where tracefs is mounted
 *
 * Never mounts it. Returns NULL with the reason and the remedy in @err.
 */
const char *xlv_tracefs_dir(struct xlv_error *err);

/** xlv_tracefs_event - whether the kernel has an event, "xfs", "xfs_log_force" */
bool xlv_tracefs_event(const char *system, const char *name);

/** xlv_tracefs_field - whether an event has a field */
bool xlv_tracefs_field(const char *system, const char *name, const char *field);

/** xlv_tracefs_clock - whether the kernel has a trace clock */
bool xlv_tracefs_clock(const char *name);

/**
 * xlv_tracefs_function_filters - whether function-filter files can be opened
 *
 * Without them `trace-cmd record` dies. They are only opened, never changed.
 */
bool xlv_tracefs_function_filters(void);

/** xlv_tracefs_kprobes - whether kprobe events can be defined */
bool xlv_tracefs_kprobes(void);

/** xlv_tracefs_in_use - whether anyone has events enabled or a tracer running */
bool xlv_tracefs_in_use(void);

#endif
