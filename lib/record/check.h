/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this kernel and machine can record: each thing a recording can have, is
 * it there, what a report lacks without it, and how to get it.
 *
 * Only looks; changes nothing.
 */
#ifndef XLV_RECORD_CHECK_H
#define XLV_RECORD_CHECK_H

#include <stdbool.h>
#include <json.h>

enum xlv_check_state {
	XLV_CHECK_OK,
	XLV_CHECK_INFO,		/* a fact, neither good nor bad */
	XLV_CHECK_MISSING,	/* recordings lack something without it */
	XLV_CHECK_FATAL,	/* nothing can be recorded without it */
};

struct xlv_check_item {
	enum xlv_check_state	state;
	char			id[48];		/* "tracefs", "event:xfs:xfs_log_force" */
	char			text[512];	/* what was looked at and seen */
	char			lost[256];	/* what is lost without it; "" where nothing is */
	char			remedy[256];	/* how to get it; "" where there is no way */
};

struct xlv_check {
	struct xlv_check_item	*item;
	int			nr, room;
	bool			no_memory;
};

/** xlv_check_run - look at everything; to be freed with xlv_check_free() */
struct xlv_check *xlv_check_run(void);
void xlv_check_free(struct xlv_check *c);

/** xlv_check_worst - the worst state of all items */
enum xlv_check_state xlv_check_worst(const struct xlv_check *c);

/** xlv_check_state_name - "ok", "info", "missing", "fatal" */
const char *xlv_check_state_name(enum xlv_check_state state);

/** xlv_check_json - { "schema": "xlogviz.check/1", "items": [ ... ], "topology": [ ... ], ... } */
json_object *xlv_check_json(const struct xlv_check *c);

#endif
