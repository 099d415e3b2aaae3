/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a recording: sets everything up, runs the workload, ends, and leaves the
 * machine as it was. What becomes of it when it is killed stands in record/undo.h.
 */
#ifndef XLV_RECORD_RECORDER_H
#define XLV_RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/eventset.h"
#include "trace/error.h"

enum xlv_backend { XLV_BACKEND_AUTO, XLV_BACKEND_TRACECMD, XLV_BACKEND_TRACEFS };
enum xlv_probing { XLV_PROBES_AUTO, XLV_PROBES_NONE, XLV_PROBES_KPROBE };

struct xlv_record_progress {
	double		seconds;
	int64_t		events, lost, bytes;
};

struct xlv_record_opts {
	const char		*file;		/* the recording */
	const char		*version;	/* "xlogviz 0.1.0", for the metadata */
	char *const		*command;	/* NULL: none */
	pid_t			pid;		/* 0: none; record until it ends */
	double			duration_s;	/* 0: no limit */
	enum xlv_event_set	set;
	enum xlv_backend	backend;
	enum xlv_probing	probes;
	const char *const	*devs;		/* paths or MAJ:MIN of filesystems */
	int			nr_devs;	/* 0: all that are mounted */
	long			buffer_kb;	/* 0: chosen */
	const char		*bind, *bind_workers;	/* lists of CPUs; NULL */
	int			irq_cpu;	/* -1: leave interrupts */
	bool			fake_completion;
	const char		*scratch;	/* mount point it may be used on */

	/* Called about once a second; either may be NULL. */
	void			(*progress)(const struct xlv_record_progress *p, void *arg);
	/* A line to be told at once: "lost 3 events ...: use --buffer-size 16M". */
	void			(*tell)(const char *line, void *arg);
	void			*arg;
};

struct xlv_record_result {
	struct xlv_record_progress total;
	int		workload_status;	/* to exit with; -1: no command ran */
	const char	*backend;		/* name of the one used */
};

/**
 * xlv_record - make one recording
 *
 * Must be called before the program has threads. SIGINT, SIGTERM and SIGHUP
 * reach the workload; the recording ends with it, or two seconds later.
 *
 * Returns 0, or -1. If the command could not be run, .workload_status is 127 or
 * 126 then, else -1.
 */
int xlv_record(const struct xlv_record_opts *opts, struct xlv_record_result *result,
	       struct xlv_error *err);

/**
 * xlv_record_recover - make a recording of what a killed recorder left
 * @file:	the name that the recording was to have
 * @out:	the name to give it; may be the same
 * @said:	gets what was found and what is missing, in words
 */
int xlv_record_recover(const char *file, const char *out, char *said, size_t size,
		       struct xlv_error *err);

#endif
