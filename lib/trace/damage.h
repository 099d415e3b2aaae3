/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of what is missing from a recording.
 *
 * A file can be damaged in a million places: neighbours are merged, and from
 * XLV_DAMAGE_MAX entries on only the last one's count goes up.
 */
#ifndef XLV_TRACE_DAMAGE_H
#define XLV_TRACE_DAMAGE_H

#include "trace/reader.h"

#define XLV_DAMAGE_MAX	64

struct xlv_damage_list {
	struct xlv_damage	d[XLV_DAMAGE_MAX];
	int			nr;
	int64_t			dropped;
};

/**
 * xlv_damage_add - note that a part of the file can't be used
 * @l:		the list
 * @kind:	what sort
 * @cpu:	whose data, -1: not one CPU's
 * @offset:	where in the file
 * @missing:	bytes that are gone, -1: not known
 * @fmt:	what it is, printf format
 *
 * Pages of one CPU that follow each other become one entry.
 */
void xlv_damage_add(struct xlv_damage_list *l, enum xlv_damage_kind kind, int cpu,
		    int64_t offset, int64_t missing, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

#endif
