/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What timelines and pipeline views share: names, and the life of an iclog cut
 * into the states that are drawn.
 */
#ifndef XLV_OUTPUT_LANES_H
#define XLV_OUTPUT_LANES_H

#include "model/run.h"
#include "output/palette.h"

/* Moments of an iclog's life, in order. State i lasts from moment i to i + 1. */
enum xlv_life {
	XLV_LIFE_FIRST,		/* first space taken */
	XLV_LIFE_CLOSED,
	XLV_LIFE_WRITE,
	XLV_LIFE_DONE,
	XLV_LIFE_CALLBACKS,
	XLV_LIFE_CLEAN,
	XLV_LIFE_END,		/* active again */
	XLV_LIFE_COUNT
};

/**
 * xlv_iclog_life - the moments of an iclog
 * @end_ns:	stands for the last one where the recording doesn't tell
 *
 * A moment that isn't known is the next known one: its state takes no time.
 */
void xlv_iclog_life(const struct xlv_iclog *ic, int64_t end_ns, int64_t life[XLV_LIFE_COUNT]);

/** xlv_iclog_paint - the paint of a state */
int xlv_iclog_paint(const struct xlv_iclog *ic, enum xlv_life state);

/** xlv_iclog_label - what is written on it: LSN, "write", "callbacks"; may be "" */
void xlv_iclog_label(const struct xlv_iclog *ic, enum xlv_life state, char *buf, size_t size);

/** xlv_iclog_tip - several lines about an iclog in a state that lasted @ns */
void xlv_iclog_tip(const struct xlv_iclog *ic, enum xlv_life state, int64_t ns, char *buf,
		   size_t size);

/** xlv_task_name - a task's name that is fit to show; its pid where it has none */
const char *xlv_task_name(char *buf, size_t size, const char *comm, int32_t pid);

/** xlv_print - append to a string (printf format) */
void xlv_print(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
