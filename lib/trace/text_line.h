/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a line of ftrace text, whatever tool printed it:
 *
 *	           dd-106   (    106) [003] d..2.     1.565001: xfs_log_force: dev ...
 *	           comm-pid (tgid)    [cpu] flags     time      event          fields
 */
#ifndef XLV_TRACE_TEXT_LINE_H
#define XLV_TRACE_TEXT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

/* The columns of one line. */
struct xlv_columns {
	int64_t		ts;
	bool		ticks;		/* the time is a plain number */
	int		cpu, pid;
	struct xlv_str	comm;
	struct xlv_str	flags;		/* empty: no such column */
	struct xlv_str	rest;		/* from the event's name on */
};

/** xlv_text_unquote - a line without the marks of a quoted mail and blanks around it */
struct xlv_str xlv_text_unquote(const char *line);

/** xlv_text_columns - the columns of an event's line; false for any other line */
bool xlv_text_columns(struct xlv_str line, struct xlv_columns *c);

/**
 * xlv_text_lost - a line that tells of lost events
 * @count:	how many, -1: not told
 */
bool xlv_text_lost(struct xlv_str line, int *cpu, int64_t *count);

/** xlv_text_continues - can this line only be the rest of the one before it? */
bool xlv_text_continues(struct xlv_str line);

/** xlv_text_context - XLV_CTX_* of the column of flags */
uint8_t xlv_text_context(struct xlv_str flags);

#endif
