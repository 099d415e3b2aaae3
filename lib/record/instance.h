/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracefs instance that a recording is made in: buffers, clock, events and
 * filters of its own, so that nobody else's tracing is touched.
 */
#ifndef XLV_RECORD_INSTANCE_H
#define XLV_RECORD_INSTANCE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <json.h>

#include "record/eventset.h"
#include "record/undo.h"
#include "trace/error.h"

struct xlv_instance {
	char	name[64];		/* xlogviz-PID-START */
	char	dir[PATH_MAX];
	long	buffer_kb;		/* of each CPU */
};

/** xlv_instance_create - make it, switched off, with its clock and buffers */
int xlv_instance_create(struct xlv_instance *in, struct xlv_undo *undo, const char *clock,
			struct xlv_error *err);

/** xlv_instance_enable - set filters and enable events; those that fail become unavailable */
int xlv_instance_enable(const struct xlv_instance *in, struct xlv_choices *choices,
			const char *const *probes, int nr_probes, struct xlv_error *err);

int xlv_instance_on(const struct xlv_instance *in, bool on, struct xlv_error *err);

struct xlv_instance_stats {
	int64_t		events;		/* recorded, read or not */
	int64_t		lost;
	int		worst_cpu;	/* that lost most; -1: none lost any */
	long		needed_kb;	/* buffer that would surely have held all; 0: none lost */
};

struct xlv_loss_watch;

/** xlv_loss_watch_new - remembers the counters of each CPU from call to call */
struct xlv_loss_watch *xlv_loss_watch_new(void);
void xlv_loss_watch_free(struct xlv_loss_watch *w);

/** xlv_instance_watch - read the counters of all CPUs */
void xlv_instance_watch(const struct xlv_instance *in, struct xlv_loss_watch *w,
			struct xlv_instance_stats *stats);

/** xlv_loss_watch_json - [ { "cpu", "events" } ] of the CPUs that lost some */
json_object *xlv_loss_watch_json(const struct xlv_loss_watch *w);

#endif
