/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording: a trace.dat file (versions 6 and 7), what a killed
 * recorder left of one, or ftrace text.
 *
 *	t = xlv_trace_open(path, &opts, &err);
 *	while ((n = xlv_trace_next(t, &ev)) > 0)
 *		...
 *	info = xlv_trace_info(t);	(complete only after the last event)
 *	xlv_trace_close(t);
 *
 * Events come merged over all CPUs in time order; events of one CPU keep their
 * order, equal times go by CPU number. Damage is not an error: what is intact
 * is delivered, and xlv_trace_info() lists what is missing. A second pass over
 * the same file, or over a part of it, starts with xlv_trace_rewind().
 */
#ifndef XLV_TRACE_READER_H
#define XLV_TRACE_READER_H

#include <stddef.h>

#include "trace/error.h"
#include "trace/event.h"

struct xlv_trace;

struct xlv_trace_opts {
	/*
	 * NULL: the one that holds XFS events, and with it those of the same clock
	 * for the types of event that it lacks
	 */
	const char	*buffer;
};

enum xlv_damage_kind {
	XLV_DAMAGE_CUT,		/* the file ends before what its headers promise */
	XLV_DAMAGE_PAGE,	/* a sub-buffer that can't be right was skipped */
	XLV_DAMAGE_SECTION,	/* a section that can't be read was skipped */
};

struct xlv_damage {
	enum xlv_damage_kind	kind;
	int			cpu;		/* -1: not of one CPU */
	int64_t			offset_bytes;	/* where in the file */
	int64_t			missing_bytes;	/* -1: not known */
	char			what[160];
};

struct xlv_cpu_info {
	int		cpu;
	int64_t		events;
	int64_t		start_ns, end_ns;	/* of its events; -1: none */
	int64_t		lost_events;		/* where counted */
	int64_t		lost_uncounted;		/* losses without a count, also by damage */
};

struct xlv_buffer_info {
	const char	*name;		/* "" is the top buffer */
	const char	*clock;
	int		cpus;
	bool		has_xfs;
};

struct xlv_trace_info {
	const char	*file;
	const char	*format;	/* "trace.dat", "text", "raw" */
	int		version;	/* 6, 7; 0 for text */
	const char	*compression;	/* "none", "zlib", "zstd" */
	const char	*clock;		/* "mono", "local", "x86-tsc" ...; "" unknown */
	bool		clock_ticks;	/* times could not be converted to ns */
	const char	*kernel;	/* release, "6.1.0-31-cloud-amd64"; "" unknown */
	const char	*machine;	/* "x86_64"; "" unknown */
	int		long_bytes, page_bytes, subbuf_bytes;
	bool		big_endian;
	int		nr_cpus;	/* of the recorded machine, as far as known */
	const struct xlv_buffer_info *buffers;
	int		nr_buffers, buffer;	/* all, and the index of the chosen */

	/* which typed events the file can hold (their formats are there) and does */
	bool		has_format[XLV_EV_COUNT];
	int64_t		count[XLV_EV_COUNT];

	/* complete after a whole pass */
	int64_t		events;			/* delivered, without LOST */
	int64_t		start_ns, end_ns;	/* first and last event; -1: none */
	int64_t		lost_events, lost_uncounted;
	int64_t		backward;		/* events that went back in time on a CPU */
	const struct xlv_cpu_info *cpu;
	int		nr_cpu;
	const struct xlv_damage *damage;
	int		nr_damage;

	/*
	 * What `xlogviz record` said of the run: one JSON object, or NULL. It is
	 * carried by trace_marker events "xlogviz-meta KEY I/N TEXT": the TEXTs of
	 * a KEY, I = 1 to N, make the JSON value of that key. Last one wins.
	 */
	const char	*metadata;
};

/**
 * xlv_trace_open - open a recording
 * @path:	file name; "-" is standard input (copied to a temporary file)
 * @opts:	NULL for the defaults
 * @err:	what went wrong
 *
 * Returns NULL where nothing usable can be read.
 */
struct xlv_trace *xlv_trace_open(const char *path, const struct xlv_trace_opts *opts,
				 struct xlv_error *err);
void xlv_trace_close(struct xlv_trace *t);

/**
 * xlv_trace_want - choose which types are decoded
 * @t:		the trace
 * @want:	one flag a type; NULL: all (the default)
 *
 * Other types are still delivered, as XLV_EV_OTHER with the common part set:
 * an event of a task says that it runs, whatever the event is.
 */
void xlv_trace_want(struct xlv_trace *t, const bool want[XLV_EV_COUNT]);

/**
 * xlv_trace_next - the next event
 *
 * Returns 1 and fills @ev, 0 at the end, -1 on a read error (xlv_trace_error()).
 */
int xlv_trace_next(struct xlv_trace *t, struct xlv_event *ev);

/**
 * xlv_trace_rewind - start again
 * @from_ns:	sub-buffers that end before this may be skipped; INT64_MIN: none
 * @to_ns:	stop after this; INT64_MAX: at the end
 *
 * Counts in xlv_trace_info() keep those of the first whole pass.
 */
int xlv_trace_rewind(struct xlv_trace *t, int64_t from_ns, int64_t to_ns, struct xlv_error *err);

/** xlv_trace_info - facts about the recording; lives as long as @t */
const struct xlv_trace_info *xlv_trace_info(const struct xlv_trace *t);

/** xlv_trace_error - why xlv_trace_next() returned -1 */
const char *xlv_trace_error(const struct xlv_trace *t);

/** xlv_trace_comm - the name the file's own list gives a pid, or NULL */
const char *xlv_trace_comm(const struct xlv_trace *t, int pid);

/** xlv_trace_progress - how much of the data has been read, 0.0 to 1.0 */
double xlv_trace_progress(const struct xlv_trace *t);

/**
 * xlv_str_copy - copy an event's string into a terminated buffer
 *
 * Cuts to @size - 1 bytes. Bytes are copied as they are: whoever prints them
 * escapes them.
 */
void xlv_str_copy(char *dst, size_t size, struct xlv_str s);
bool xlv_str_eq(struct xlv_str s, const char *text);

#endif
