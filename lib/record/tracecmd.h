/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The backend `trace-cmd`: wraps `trace-cmd record -B INSTANCE`.
 *
 * trace-cmd runs a command of ours that says when recording has begun and ends
 * when its standard input does, so it stops in good order even if the recorder
 * is killed.
 */
#ifndef XLV_RECORD_TRACECMD_H
#define XLV_RECORD_TRACECMD_H

#include <stdint.h>
#include <sys/types.h>

#include "record/eventset.h"
#include "record/instance.h"
#include "record/undo.h"
#include "trace/error.h"

struct xlv_tracecmd {
	pid_t	pid;
	int	in_fd;			/* closing it ends the recording */
	int	out_fd;			/* what trace-cmd says */
	char	file[PATH_MAX];		/* what it writes */
};

/** xlv_tracecmd_version - "3.1.6", or NULL where trace-cmd is not to be found */
const char *xlv_tracecmd_version(void);

/** xlv_tracecmd_start - begin to record into FILE~; returns when events are on */
int xlv_tracecmd_start(struct xlv_tracecmd *t, const struct xlv_instance *in,
		       const struct xlv_choices *choices, const char *const *probes, int nr_probes,
		       const char *clock, const char *file, struct xlv_undo *undo,
		       struct xlv_error *err);

/** xlv_tracecmd_bytes - how much it has written so far */
int64_t xlv_tracecmd_bytes(const struct xlv_tracecmd *t);

/** xlv_tracecmd_stop - end it and give the recording its name */
int xlv_tracecmd_stop(struct xlv_tracecmd *t, const char *file, struct xlv_error *err);

#endif
