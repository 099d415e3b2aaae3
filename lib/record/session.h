/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the recorder: one recording from its choices to its end.
 *
 *	session_choose.c	decides everything before anything is changed
 *	recorder.c		sets up, runs, ends
 *	session_facts.c		tells the report about it
 */
#ifndef XLV_RECORD_SESSION_H
#define XLV_RECORD_SESSION_H

#include <signal.h>

#include "record/container.h"
#include "record/eventset.h"
#include "record/filesystem.h"
#include "record/instance.h"
#include "record/kallsyms.h"
#include "record/probes.h"
#include "record/recorder.h"
#include "record/stream.h"
#include "record/tracecmd.h"
#include "record/undo.h"
#include "record/workload.h"

#define XLV_TRACE_CLOCK "mono"

/* What ended the recording. */
enum xlv_end {
	XLV_END_NONE, XLV_END_WORKLOAD, XLV_END_DURATION, XLV_END_INTERRUPT, XLV_END_PROCESS,
	XLV_END_ERROR,
};

struct xlv_session {
	const struct xlv_record_opts *o;
	struct xlv_record_result *result;
	struct xlv_undo		*undo;
	struct xlv_filesystems	*fss;
	const struct xlv_filesystem *fs[XLV_MAX_FILESYSTEMS];	/* those recorded */
	int			nr_fs;
	uint32_t		xfs_devs[XLV_MAX_FILESYSTEMS], block_devs[XLV_MAX_BLOCK_DEVS];
	int			nr_block_devs;
	const struct xlv_filesystem *fake;
	json_object		*irqs;
	struct xlv_kallsyms	*symbols;
	struct xlv_choices	*choices;
	const char		*probe[XLV_MAX_PROBES];
	int			nr_probes;
	long long		probes_missed;	/* before this run */
	struct xlv_event_name	*names;		/* for the file's header */
	int			nr_names;
	struct xlv_instance	in;
	enum xlv_backend	backend;
	const char		*backend_why;
	bool			parts;		/* FILE.head and FILE.cpuN are this run's */
	struct xlv_stream	*stream;
	struct xlv_tracecmd	tracecmd;
	struct xlv_workload	work;
	struct xlv_loss_watch	*watch;
	int64_t			told_lost;
	int			signal_fd;
	sigset_t		old_mask;
	int64_t			start_ns, end_ns;
	enum xlv_end		ended;
	int			signal;		/* that ended it */
};

/** xlv_tell - a line for the user, at once */
void xlv_tell(const struct xlv_session *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** xlv_session_choose - decide what to record and how; changes nothing */
int xlv_session_choose(struct xlv_session *r, struct xlv_error *err);

/** xlv_session_first_facts - write the metadata known before the workload runs */
int xlv_session_first_facts(const struct xlv_session *r, struct xlv_error *err);

/** xlv_session_last_facts - write the metadata known when it has ended */
void xlv_session_last_facts(const struct xlv_session *r);

#endif
