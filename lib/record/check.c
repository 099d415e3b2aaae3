// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/binding.h"
#include "record/eventset.h"
#include "record/fake.h"
#include "record/filesystem.h"
#include "record/kallsyms.h"
#include "record/machine.h"
#include "record/probes.h"
#include "record/sysfile.h"
#include "record/tracecmd.h"
#include "record/tracefs.h"
#include "record/undo.h"

static const char *const state_names[] = { "ok", "info", "missing", "fatal" };

const char *xlv_check_state_name(enum xlv_check_state state)
{
	return state_names[state];
}

static struct xlv_check_item *add(struct xlv_check *c, enum xlv_check_state state, const char *id,
				  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* There is always an item to write to; it is dropped when there is no memory. */
static struct xlv_check_item *add(struct xlv_check *c, enum xlv_check_state state, const char *id,
				  const char *fmt, ...)
{
	static struct xlv_check_item lost;
	struct xlv_check_item *item;
	va_list ap;

	if (c->nr == c->room) {
		int room = c->room ? c->room * 2 : 64;

		item = realloc(c->item, (size_t)room * sizeof(*item));
		if (!item) {
			c->no_memory = true;
			return &lost;
		}
		c->item = item;
		c->room = room;
	}
	item = &c->item[c->nr++];
	memset(item, 0, sizeof(*item));
	item->state = state;
	snprintf(item->id, sizeof(item->id), "%s", id);
	va_start(ap, fmt);
	vsnprintf(item->text, sizeof(item->text), fmt, ap);
	va_end(ap);
	return item;
}

static void explain(struct xlv_check_item *item, const char *lost, const char *remedy)
{
	snprintf(item->lost, sizeof(item->lost), "%s", lost);
	snprintf(item->remedy, sizeof(item->remedy), "%s", remedy);
}

static void check_kernel(struct xlv_check *c)
{
	struct utsname u = { 0 };

	uname(&u);
	add(c, XLV_CHECK_INFO, "kernel", "%s %s on %s", u.sysname, u.release, u.machine);
	if (geteuid())
		explain(add(c, XLV_CHECK_FATAL, "root", "not root"), "every recording",
			"run it with sudo");
	else
		add(c, XLV_CHECK_OK, "root", "root");
}

/* Returns whether there is any use in looking further. */
static bool check_tracefs(struct xlv_check *c)
{
	struct xlv_error err;
	const char *dir = xlv_tracefs_dir(&err);

	if (!dir) {
		explain(add(c, XLV_CHECK_FATAL, "tracefs", "%s", err.text), "every recording", "");
		return false;
	}
	add(c, XLV_CHECK_OK, "tracefs", "tracefs at %s", dir);
	if (!xlv_tracefs_event("sched", "sched_switch")) {
		explain(add(c, XLV_CHECK_FATAL, "events", "no events in tracefs"),
			"every recording", "a kernel with CONFIG_EVENT_TRACING");
		return false;
	}
	return true;
}

static void check_clock(struct xlv_check *c)
{
	char clocks[512];

	xlv_sys_read(clocks, sizeof(clocks), "%s/trace_clock", xlv_tracefs_dir(NULL));
	if (xlv_tracefs_clock("mono"))
		add(c, XLV_CHECK_OK, "clock", "trace clock mono (of: %s)", clocks);
	else
		explain(add(c, XLV_CHECK_FATAL, "clock", "no trace clock mono (only: %s)", clocks),
			"times that can be compared between CPUs", "Linux 4.1 or later");
}

static void check_backends(struct xlv_check *c)
{
	const char *version = xlv_tracecmd_version();
	bool filters = xlv_tracefs_function_filters();

	if (version)
		add(c, XLV_CHECK_OK, "trace-cmd", "trace-cmd %s", version);
	else
		explain(add(c, XLV_CHECK_INFO, "trace-cmd", "trace-cmd is not installed"),
			"only the backend trace-cmd; tracefs records the same",
			"install the package trace-cmd");
	if (filters)
		add(c, XLV_CHECK_OK, "function-filter", "function-filter files can be opened");
	else
		explain(add(c, XLV_CHECK_INFO, "function-filter",
			    "the kernel refuses function-filter files"),
			"only the backend trace-cmd, which dies of that; tracefs records the same",
			"");
	add(c, XLV_CHECK_INFO, "backend", "backend %s",
	    version && filters ? "trace-cmd" : "tracefs");
}

static void check_event(struct xlv_check *c, const struct xlv_event_choice *e)
{
	struct xlv_check_item *item;
	char id[sizeof(item->id)];

	snprintf(id, sizeof(id), "event:%.16s:%.24s", e->system, e->name);
	if (e->available) {
		add(c, XLV_CHECK_OK, id, "event %s:%s", e->system, e->name);
		return;
	}
	if (e->need == XLV_NEED_EXTRA)
		return;		/* told in sum by check_patch() */
	item = add(c, e->need == XLV_NEED_VITAL ? XLV_CHECK_FATAL : XLV_CHECK_MISSING, id,
		   "no event %s:%s", e->system, e->name);
	explain(item, e->lost, !strcmp(e->system, "xfs") ?
		"load XFS with 'modprobe xfs'; xlog_iclog_* came with Linux 5.14" :
		!strcmp(e->system, "syscalls") ? "a kernel with CONFIG_FTRACE_SYSCALLS" : "");
}

static void check_events(struct xlv_check *c, const struct xlv_kallsyms *symbols)
{
	struct xlv_choose how = { .set = XLV_SET_NORMAL, .symbols = symbols };
	struct xlv_choices *choices = xlv_choose_events(&how, NULL);

	if (!choices) {
		c->no_memory = true;
		return;
	}
	for (int i = 0; i < choices->nr; i++)
		check_event(c, &choices->event[i]);
	xlv_choices_free(choices);
	if (xlv_tracefs_event("xfs", "xlog_iclog_sync") &&
	    !xlv_tracefs_field("xfs", "xlog_iclog_sync", "flags"))
		explain(add(c, XLV_CHECK_MISSING, "field:flags",
			    "no field 'flags' in xlog_iclog_*"),
			"which log writes flushed the device", "Linux 5.14 or later");
	if (!xlv_tracefs_field("workqueue", "workqueue_execute_end", "function"))
		explain(add(c, XLV_CHECK_MISSING, "field:function",
			    "no field 'function' in workqueue_execute_end"),
			"nothing; the ends of all work items are recorded", "Linux 5.2 or later");
}

static void check_boundaries(struct xlv_check *c, const struct xlv_filesystems *all)
{
	bool fake = false, spans = xlv_tracefs_event("xfs", "xlog_force_enter");
	struct xlv_error err;

	for (int i = 0; i < all->nr; i++)
		fake |= xlv_fake_available(&all->fs[i]);
	if (spans)
		add(c, XLV_CHECK_OK, "patch", "span events of the kernel patch");
	else
		explain(add(c, XLV_CHECK_INFO, "patch",
			    "no span events (kernel patch not applied)"),
			"exact ends of T1 to T3 without probes", "kernel-patch/ in the sources");
	if (xlv_probes_possible(&err))
		add(c, XLV_CHECK_OK, "kprobes", "kprobe events");
	else
		explain(add(c, spans ? XLV_CHECK_INFO : XLV_CHECK_MISSING, "kprobes", "%s",
			    err.text),
			"exact ends of T1 to T3; those from tracepoints are off by 1 or 2 us", "");
	if (fake)
		add(c, XLV_CHECK_OK, "fake_io", "fake completion (kernel patch)");
	else
		explain(add(c, XLV_CHECK_INFO, "fake_io", "no fake completion"),
			"only --fake-completion",
			all->nr ? "kernel-patch/ in the sources" :
				  "kernel-patch/ in the sources, and a mounted XFS");
}

static void check_symbols(struct xlv_check *c, const struct xlv_kallsyms *symbols,
			  const struct xlv_error *err)
{
	if (symbols)
		add(c, XLV_CHECK_OK, "kallsyms", "addresses of kernel functions");
	else
		explain(add(c, XLV_CHECK_MISSING, "kallsyms", "%s", err->text),
			"names of callers and of work; all work items are recorded", "");
}

static void check_cpus(struct xlv_check *c)
{
	json_object *cpus = xlv_machine_topology(), *states = xlv_machine_idle_states();
	json_object *governor = xlv_machine_governor();
	int nr = (int)json_object_array_length(cpus), cores = 0, caches = 0, nodes = 0;

	for (int i = 0; i < nr; i++) {
		json_object *o = json_object_array_get_idx(cpus, (size_t)i), *v;
		int cpu = json_object_get_int(json_object_object_get(o, "cpu"));
		int node = json_object_get_int(json_object_object_get(o, "node"));

		v = json_object_object_get(o, "core");
		cores += json_object_get_int(v) == cpu;
		v = json_object_object_get(o, "llc");
		caches += json_object_get_int(v) == cpu;
		nodes = node >= nodes ? node + 1 : nodes;
	}
	add(c, XLV_CHECK_INFO, "cpus", "%d CPUs online, %d cores, %d last-level caches, %d nodes",
	    nr, cores, caches, nodes);
	if (governor)
		add(c, XLV_CHECK_INFO, "governor", "cpufreq governors %s",
		    json_object_to_json_string_ext(governor, JSON_C_TO_STRING_PLAIN));
	else
		add(c, XLV_CHECK_INFO, "governor", "no cpufreq");
	add(c, XLV_CHECK_INFO, "idle", "%d idle states of CPU 0",
	    (int)json_object_array_length(states));
	json_object_put(cpus);
	json_object_put(states);
	json_object_put(governor);
}

static void check_workers(struct xlv_check *c)
{
	static const char mask[] = "/sys/devices/virtual/workqueue/cpumask";
	char text[512];

	if (xlv_sys_read(text, sizeof(text), "%s", mask) <= 0)
		explain(add(c, XLV_CHECK_MISSING, "xfs-cil", "no mask for unbound workers"),
			"--bind-workers", "Linux 4.4 or later");
	else
		add(c, access(mask, W_OK) ? XLV_CHECK_INFO : XLV_CHECK_OK, "xfs-cil",
		    "xfs-cil (CIL push) is unbound: CPU mask %s, %s", text,
		    access(mask, W_OK) ? "can't be set" :
					 "set by --bind-workers for all unbound work");
	add(c, XLV_CHECK_INFO, "xfs-log",
	    "xfs-log (log worker) runs where the I/O completes: no mask to set, see --irq-cpu");
}

static void check_filesystem(struct xlv_check *c, const struct xlv_filesystem *fs)
{
	json_object *irqs = json_object_new_array();
	char id[sizeof(c->item->id)], text[128] = "";

	snprintf(id, sizeof(id), "filesystem:%u:%u", fs->major, fs->minor);
	xlv_bind_irqs(NULL, fs, -1, irqs, NULL);
	if (fs->geometry)
		snprintf(text, sizeof(text), ", %s log of %u MiB",
			 fs->internal_log ? "internal" : "external",
			 (unsigned int)((uint64_t)fs->log_blocks * fs->block_bytes >> 20));
	add(c, XLV_CHECK_OK, id, "XFS %.180s at %.180s (%u:%u%s), %d interrupts", fs->source,
	    fs->mount, fs->major, fs->minor, text, (int)json_object_array_length(irqs));
	json_object_put(irqs);
}

static void check_leftovers(struct xlv_check *c)
{
	int left = xlv_undo_sweep(true, NULL, NULL);

	if (left)
		explain(add(c, XLV_CHECK_MISSING, "leftovers",
			    "%d things left by recorders that died", left),
			"they cost the machine time", "xlogviz check --clean");
}

struct xlv_check *xlv_check_run(void)
{
	struct xlv_filesystems *all = calloc(1, sizeof(*all));
	struct xlv_check *c = calloc(1, sizeof(*c));
	struct xlv_kallsyms *symbols;
	struct xlv_error err;

	if (!c || !all)
		goto fail;
	check_kernel(c);
	xlv_filesystems_read(all);
	if (check_tracefs(c)) {
		symbols = xlv_kallsyms_read(&err);
		check_clock(c);
		check_backends(c);
		check_symbols(c, symbols, &err);
		check_events(c, symbols);
		check_boundaries(c, all);
		check_leftovers(c);
		xlv_kallsyms_free(symbols);
	}
	check_cpus(c);
	check_workers(c);
	for (int i = 0; i < all->nr; i++)
		check_filesystem(c, &all->fs[i]);
	if (!all->nr)
		explain(add(c, XLV_CHECK_MISSING, "filesystem", "no XFS filesystem is mounted"),
			"anything to record", "mount one before recording");
	if (c->no_memory)
		goto fail;
	free(all);
	return c;

fail:
	free(all);
	xlv_check_free(c);
	return NULL;
}

void xlv_check_free(struct xlv_check *c)
{
	if (!c)
		return;
	free(c->item);
	free(c);
}

enum xlv_check_state xlv_check_worst(const struct xlv_check *c)
{
	enum xlv_check_state worst = XLV_CHECK_OK;

	for (int i = 0; i < c->nr; i++)
		if (c->item[i].state > worst)
			worst = c->item[i].state;
	return worst;
}

json_object *xlv_check_json(const struct xlv_check *c)
{
	json_object *top = json_object_new_object(), *items = json_object_new_array();
	struct xlv_filesystems *all = calloc(1, sizeof(*all));
	json_object *fs = json_object_new_array();

	json_object_object_add(top, "schema", json_object_new_string("xlogviz.check/1"));
	json_object_object_add(top, "can_record", json_object_new_boolean(
		xlv_check_worst(c) != XLV_CHECK_FATAL));
	for (int i = 0; i < c->nr; i++) {
		const struct xlv_check_item *item = &c->item[i];
		json_object *o = json_object_new_object();

		json_object_object_add(o, "id", json_object_new_string(item->id));
		json_object_object_add(o, "state",
				       json_object_new_string(state_names[item->state]));
		json_object_object_add(o, "text", json_object_new_string(item->text));
		json_object_object_add(o, "lost", item->lost[0] ?
				       json_object_new_string(item->lost) : NULL);
		json_object_object_add(o, "remedy", item->remedy[0] ?
				       json_object_new_string(item->remedy) : NULL);
		json_object_array_add(items, o);
	}
	json_object_object_add(top, "items", items);
	json_object_object_add(top, "topology", xlv_machine_topology());
	json_object_object_add(top, "workqueues", xlv_machine_workqueues());
	json_object_object_add(top, "governor", xlv_machine_governor());
	json_object_object_add(top, "idle_states", xlv_machine_idle_states());
	for (int i = 0; all && i < xlv_filesystems_read(all); i++)
		json_object_array_add(fs, xlv_filesystem_json(&all->fs[i]));
	json_object_object_add(top, "filesystem", fs);
	free(all);
	return top;
}
