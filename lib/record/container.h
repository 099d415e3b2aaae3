/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace.dat, version 6, from raw per-CPU pages.
 *
 * `trace-cmd restore` could do that, but it takes the clock of the machine's top
 * buffer for that of the recording, needs trace-cmd on the machine, and puts
 * 7 MB of formats and symbols in each file. Here only those go in that the
 * recorded events use.
 *
 *	FILE.head	all that stands before the data; written before recording
 *	FILE.cpuN	the data; see record/stream.h
 *	FILE		the recording; appears when it is complete
 */
#ifndef XLV_RECORD_CONTAINER_H
#define XLV_RECORD_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/kallsyms.h"
#include "trace/error.h"

/* An event whose format goes into the file. */
struct xlv_event_name {
	const char	*system, *name;
};

struct xlv_header {
	const char			*instance;	/* folder of the tracefs instance */
	const struct xlv_event_name	*events;	/* grouped by system */
	int				nr_events;
	struct xlv_kallsyms		*symbols;	/* NULL: none */
	const char *const		*extra_symbols;	/* see xlv_kallsyms_print() */
	const char			*version;	/* "xlogviz 0.1.0" */
	bool				stats;		/* with the buffers' statistics */
};

/** xlv_container_head - write FILE.head, or bring it up to date in one step */
int xlv_container_head(const char *file, const struct xlv_header *h, struct xlv_error *err);

struct xlv_assembled {
	int64_t		bytes;		/* of data */
	int		cpus;		/* with data */
	int64_t		cut_bytes;	/* at the ends of parts: less than a page */
};

/**
 * xlv_container_assemble - make the recording from FILE.head and FILE.cpuN
 * @file:	what the parts are named after
 * @out:	the recording; may be the same
 *
 * The recording appears under its name when it is complete, and only then are
 * the parts removed.
 */
int xlv_container_assemble(const char *file, const char *out, struct xlv_assembled *done,
			   struct xlv_error *err);

/** xlv_container_leftovers - whether FILE.head is there */
bool xlv_container_leftovers(const char *file);

/** xlv_container_discard - remove FILE.head and FILE.cpuN */
void xlv_container_discard(const char *file);

#endif
