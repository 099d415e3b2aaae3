/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events a recording has, and what the kernel filters out of them.
 *
 * Every event that the analysis uses costs the workload 0.1 to 0.4 us where it
 * fires, and a sync on fast storage takes 80 us with 50 events about it. So
 * there are three sets, each holding the one before it, and none has an event
 * that another one implies:
 *
 *	minimal		T1 to T4, sleeps, wakers, stages without the device
 *	normal		+ what a wake-up waited for, the device, O_SYNC writes
 *	full		+ everything the reader knows, hardly filtered
 *
 * A filter never hides what a report of that set would need: work items go by
 * function, block events by device, XFS events by filesystem if one was named,
 * wake-ups by whether they came from another CPU.
 */
#ifndef XLV_RECORD_EVENTSET_H
#define XLV_RECORD_EVENTSET_H

#include <stdbool.h>
#include <stdint.h>
#include <json.h>

#include "record/kallsyms.h"
#include "trace/error.h"

enum xlv_event_set { XLV_SET_MINIMAL, XLV_SET_NORMAL, XLV_SET_FULL, XLV_SET_COUNT };

const char *xlv_event_set_name(enum xlv_event_set set);

/** xlv_event_set_parse - the set of a name, or -1 */
int xlv_event_set_parse(const char *name);

enum xlv_need {
	XLV_NEED_VITAL,		/* no report without it */
	XLV_NEED_USEFUL,	/* the report lacks something without it */
	XLV_NEED_EXTRA,		/* only some kernels have it, or a patch brings it */
};

struct xlv_event_choice {
	char			system[32], name[64];
	char			filter[3072];	/* "": none */
	enum xlv_need		need;
	const char		*lost;		/* what a report lacks without it */
	bool			available;	/* this kernel has it */
};

struct xlv_choices {
	struct xlv_event_choice	*event;
	int			nr;
	/* What the choice leaves unknown, in words, for people and for metadata */
	const char		*unknown[16];
	int			nr_unknown;
};

struct xlv_choose {
	enum xlv_event_set	set;
	const uint32_t		*xfs_devs;	/* only these filesystems; NULL: all */
	int			nr_xfs_devs;
	const uint32_t		*block_devs;	/* only these devices; NULL: all */
	int			nr_block_devs;
	const struct xlv_kallsyms *symbols;	/* NULL: addresses are not known */
};

/**
 * xlv_choose_events - the events of a set on this kernel, with their filters
 *
 * Events that this kernel lacks are listed too, with .available false.
 */
struct xlv_choices *xlv_choose_events(const struct xlv_choose *how, struct xlv_error *err);
void xlv_choices_free(struct xlv_choices *c);

/** xlv_work_functions - names of the work functions that the analysis knows; ends with NULL */
const char *const *xlv_work_functions(void);

#endif
