// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/instance.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/machine.h"
#include "record/probes.h"
#include "record/sysfile.h"
#include "record/tracefs.h"

static int name_instance(struct xlv_instance *in, struct xlv_undo *undo, struct xlv_error *err)
{
	const char *dir = xlv_tracefs_dir(err);

	if (!dir)
		return -1;
	snprintf(in->name, sizeof(in->name), "xlogviz-%s", xlv_undo_id(undo));
	if (snprintf(in->dir, sizeof(in->dir), "%s/instances/%s", dir, in->name) >=
	    (int)sizeof(in->dir))
		return xlv_fail(err, "the path '%s' is too long", dir);
	return xlv_undo_add(undo, err, "instance %s", in->name);
}

/*
 * With record-cmd on, the kernel notes both tasks' names at each switch, though
 * the switch event holds them. Turning it off reaches into every event that is
 * enabled at that moment, so it is done only where nobody else has any.
 */
static void drop_name_recording(const struct xlv_instance *in)
{
	if (!xlv_tracefs_in_use())
		xlv_sys_write("norecord-cmd", "%s/trace_options", in->dir);
}

int xlv_instance_create(struct xlv_instance *in, struct xlv_undo *undo, const char *clock,
			struct xlv_error *err)
{
	char text[32];
	int ret;

	if (name_instance(in, undo, err))
		return -1;
	if (mkdir(in->dir, 0700))
		return xlv_fail(err, "unable to make the tracing instance '%s': %s", in->dir,
				strerror(errno));
	ret = xlv_sys_write("0", "%s/tracing_on", in->dir);
	if (!ret)
		ret = xlv_sys_write(clock, "%s/trace_clock", in->dir);
	if (ret)
		return xlv_fail(err, "unable to set the trace clock to '%s': %s", clock,
				strerror(-ret));
	drop_name_recording(in);
	snprintf(text, sizeof(text), "%ld", in->buffer_kb);
	ret = xlv_sys_write(text, "%s/buffer_size_kb", in->dir);
	if (ret)
		return xlv_fail(err, "unable to get a buffer of %ld kB for each CPU: %s: use a "
				"smaller --buffer-size", in->buffer_kb, strerror(-ret));
	return 0;
}

static int enable(const struct xlv_instance *in, const char *system, const char *name,
		  const char *filter)
{
	int ret;

	if (filter[0]) {
		ret = xlv_sys_write(filter, "%s/events/%s/%s/filter", in->dir, system, name);
		if (ret)
			return ret;
	}
	return xlv_sys_write("1", "%s/events/%s/%s/enable", in->dir, system, name);
}

int xlv_instance_enable(const struct xlv_instance *in, struct xlv_choices *choices,
			const char *const *probes, int nr_probes, struct xlv_error *err)
{
	for (int i = 0; i < choices->nr; i++) {
		struct xlv_event_choice *e = &choices->event[i];
		int ret;

		if (!e->available)
			continue;
		ret = enable(in, e->system, e->name, e->filter);
		if (ret && e->filter[0]) {	/* more than needed beats less */
			e->filter[0] = '\0';
			ret = enable(in, e->system, e->name, "");
		}
		if (!ret)
			continue;
		if (e->need == XLV_NEED_VITAL)
			return xlv_fail(err, "unable to enable the event '%s:%s': %s", e->system,
					e->name, strerror(-ret));
		e->available = false;
	}
	for (int i = 0; i < nr_probes; i++) {
		int ret = enable(in, XLV_PROBE_GROUP, probes[i], "");

		if (ret)
			return xlv_fail(err, "unable to enable the probe '%s': %s: use "
					"--probes none", probes[i], strerror(-ret));
	}
	return 0;
}

int xlv_instance_on(const struct xlv_instance *in, bool on, struct xlv_error *err)
{
	int ret = xlv_sys_write(on ? "1" : "0", "%s/tracing_on", in->dir);

	return ret ? xlv_fail(err, "unable to write '%s/tracing_on': %s", in->dir, strerror(-ret)) :
		     0;
}

/* The largest events that are recorded often: switches, iclog states. */
enum { EVENT_BYTES = 72 };

struct counters {
	int64_t		seen, lost;
};

struct xlv_loss_watch {
	int		nr;
	struct counters	cpu[];
};

struct xlv_loss_watch *xlv_loss_watch_new(void)
{
	int nr = xlv_machine_cpus();
	struct xlv_loss_watch *w;

	w = calloc(1, sizeof(*w) + (size_t)nr * sizeof(w->cpu[0]));
	if (w)
		w->nr = nr;
	return w;
}

void xlv_loss_watch_free(struct xlv_loss_watch *w)
{
	free(w);
}

static int64_t counter(const char *stats, const char *name)
{
	const char *p = strstr(stats, name);

	/* "overrun" is also the end of "commit overrun" */
	while (p && p != stats && p[-1] != '\n')
		p = strstr(p + 1, name);
	return p ? strtoll(p + strlen(name), NULL, 10) : 0;
}

void xlv_instance_watch(const struct xlv_instance *in, struct xlv_loss_watch *w,
			struct xlv_instance_stats *stats)
{
	int64_t worst = 0;

	*stats = (struct xlv_instance_stats){ .worst_cpu = -1 };
	for (int cpu = 0; cpu < w->nr; cpu++) {
		struct counters now, *was = &w->cpu[cpu];
		char text[1024];

		if (xlv_sys_read(text, sizeof(text), "%s/per_cpu/cpu%d/stats", in->dir, cpu) <= 0)
			continue;
		now.seen = counter(text, "entries: ") + counter(text, "read events: ");
		now.lost = counter(text, "overrun: ") + counter(text, "dropped events: ");
		stats->events += now.seen;
		stats->lost += now.lost;
		if (now.lost - was->lost > worst) {
			worst = now.lost - was->lost;
			stats->worst_cpu = cpu;
			stats->needed_kb = in->buffer_kb + (long)(worst * EVENT_BYTES / 1024);
		}
		*was = now;
	}
}

json_object *xlv_loss_watch_json(const struct xlv_loss_watch *w)
{
	json_object *all = json_object_new_array();

	for (int cpu = 0; cpu < w->nr; cpu++) {
		json_object *o;

		if (!w->cpu[cpu].lost)
			continue;
		o = json_object_new_object();
		json_object_object_add(o, "cpu", json_object_new_int(cpu));
		json_object_object_add(o, "events", json_object_new_int64(w->cpu[cpu].lost));
		json_object_array_add(all, o);
	}
	return all;
}
