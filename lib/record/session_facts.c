// SPDX-License-Identifier: GPL-2.0-or-later
/* The metadata of a recording: see record/metadata.h. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "record/fake.h"
#include "record/machine.h"
#include "record/metadata.h"
#include "record/session.h"

static const char *const end_names[] = {
	[XLV_END_NONE] = "error",
	[XLV_END_WORKLOAD] = "workload",
	[XLV_END_DURATION] = "duration",
	[XLV_END_INTERRUPT] = "interrupt",
	[XLV_END_PROCESS] = "process",
	[XLV_END_ERROR] = "error",
};

static json_object *text_json(const char *s)
{
	return s ? json_object_new_string(s) : NULL;
}

static json_object *texts_json(const char *const *s, int nr)
{
	json_object *all = json_object_new_array();

	for (int i = 0; i < nr; i++)
		json_object_array_add(all, json_object_new_string(s[i]));
	return all;
}

static json_object *devs_json(const uint32_t *dev, int nr)
{
	json_object *all;
	char text[32];

	if (!nr)
		return NULL;
	all = json_object_new_array();
	for (int i = 0; i < nr; i++) {
		snprintf(text, sizeof(text), "%u:%u", dev[i] >> 20, dev[i] & ((1U << 20) - 1));
		json_object_array_add(all, json_object_new_string(text));
	}
	return all;
}

static json_object *command_json(char *const *command)
{
	int nr = 0;

	if (!command)
		return NULL;
	while (command[nr])
		nr++;
	return texts_json((const char *const *)command, nr);
}

static json_object *filesystems_json(const struct xlv_session *r)
{
	json_object *all = json_object_new_array();

	for (int i = 0; i < r->nr_fs; i++)
		json_object_array_add(all, xlv_filesystem_json(r->fs[i]));
	return all;
}

static json_object *fake_json(const struct xlv_session *r)
{
	json_object *o = json_object_new_object();
	bool available = false;
	char dev[32];

	for (int i = 0; i < r->fss->nr; i++)
		available |= xlv_fake_available(&r->fss->fs[i]);
	json_object_object_add(o, "on", json_object_new_boolean(r->fake != NULL));
	json_object_object_add(o, "available", json_object_new_boolean(available));
	if (r->fake) {
		snprintf(dev, sizeof(dev), "%u:%u", r->fake->major, r->fake->minor);
		json_object_object_add(o, "dev", json_object_new_string(dev));
	}
	return o;
}

int xlv_session_first_facts(const struct xlv_session *r, struct xlv_error *err)
{
	const struct xlv_record_opts *o = r->o;
	pid_t pid = r->work.pid ? r->work.pid : o->pid;
	struct utsname u = { 0 };
	int bad = 0;

	uname(&u);
#define PUT(key, value) (bad |= xlv_meta_write(r->in.dir, key, value))
	PUT("version", text_json(o->version));
	PUT("backend", text_json(r->result->backend));
	PUT("backend_why", text_json(r->backend_why));
	PUT("event_set", text_json(xlv_event_set_name(o->set)));
	PUT("unknown", texts_json(r->choices->unknown, r->choices->nr_unknown));
	PUT("block_devs", devs_json(r->block_devs, r->nr_block_devs));
	PUT("xfs_devs", devs_json(r->xfs_devs, o->nr_devs ? r->nr_fs : 0));
	PUT("command", command_json(o->command));
	PUT("workload_pid", pid ? json_object_new_int(pid) : NULL);
	PUT("duration_s", o->duration_s > 0 ? json_object_new_double(o->duration_s) : NULL);
	PUT("bind", text_json(o->bind));
	PUT("bind_workers", text_json(o->bind_workers));
	PUT("irq", json_object_get(r->irqs));
	PUT("workqueues", xlv_machine_workqueues());
	PUT("topology", xlv_machine_topology());
	PUT("cpus_online", xlv_machine_online());
	PUT("clock", text_json(XLV_TRACE_CLOCK));
	PUT("clocksource", xlv_machine_clocksource());
	PUT("kernel", text_json(u.release));
	PUT("governor", xlv_machine_governor());
	PUT("idle_states", xlv_machine_idle_states());
	PUT("filesystem", filesystems_json(r));
	PUT("fake_completion", fake_json(r));
	PUT("probes", texts_json(r->probe, r->nr_probes));
	PUT("buffer_kb", json_object_new_int64(r->in.buffer_kb));
	if (bad)
		return xlv_fail(err, "unable to write '%s/trace_marker': %s", r->in.dir,
				strerror(-bad));
	return 0;
}

void xlv_session_last_facts(const struct xlv_session *r)
{
	json_object *range = json_object_new_object();

	json_object_object_add(range, "start_ns", json_object_new_int64(r->start_ns));
	json_object_object_add(range, "end_ns", json_object_new_int64(r->end_ns));
	xlv_meta_write(r->in.dir, "workload_status",
		       r->work.pid && r->ended == XLV_END_WORKLOAD ?
		       xlv_workload_json(&r->work) : NULL);
	xlv_meta_write(r->in.dir, "ended", text_json(end_names[r->ended]));
	xlv_meta_write(r->in.dir, "range", range);
	xlv_meta_write(r->in.dir, "lost", xlv_loss_watch_json(r->watch));
	xlv_meta_write(r->in.dir, "probes_missed",
		       json_object_new_int64(r->nr_probes ?
					     xlv_probes_missed() - r->probes_missed : 0));
}
