// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/probes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/sysfile.h"
#include "record/tracefs.h"

struct probe {
	const char	*event;
	const char	*function[3];	/* newest kernels first */
	bool		ret;
	int		key, val;	/* numbers of arguments; 0: none */
	bool		old_only;	/* only where there are no xlog_iclog_* events */
};

/*
 * As many tasks can be inside a function at once as its return probe has room
 * for; each waits there for its turn.
 */
enum { RETURN_ROOM = 1024 };

static const struct probe probes[] = {
	{ "force_enter",     { "xfs_log_force_seq", "xfs_log_force_lsn" }, false, 2, 3, false },
	{ "force_exit",      { "xfs_log_force_seq", "xfs_log_force_lsn" }, true, 0, 0, false },
	{ "cil_force_enter", { "xlog_cil_force_seq", "xlog_cil_force_lsn" }, false, 2, 0, false },
	{ "cil_force_exit",  { "xlog_cil_force_seq", "xlog_cil_force_lsn" }, true, 0, 0, false },
	{ "wait_enter",      { "xlog_wait_on_iclog" }, false, 1, 0, false },
	{ "wait_exit",       { "xlog_wait_on_iclog" }, true, 0, 0, false },
	{ "push_enter",      { "xlog_cil_push_work", "xlog_cil_push" }, false, 1, 0, true },
	{ "push_exit",       { "xlog_cil_push_work", "xlog_cil_push" }, true, 0, 0, true },
	{ "sync_enter",      { "xlog_sync" }, false, 2, 0, true },
	{ "ioend_enter",     { "xlog_ioend_work", "xlog_iodone" }, false, 1, 0, true },
	{ "clean_enter",     { "xlog_state_clean_iclog", "xlog_state_do_callback" }, false, 1, 0,
			     true },
};

static const int nr_probes = (int)(sizeof(probes) / sizeof(probes[0]));

#if defined(__x86_64__)
static const char *const registers[] = { "", "%di", "%si", "%dx" };
#elif defined(__aarch64__)
static const char *const registers[] = { "", "%x0", "%x1", "%x2" };
#elif defined(__s390x__)
static const char *const registers[] = { "", "%r2", "%r3", "%r4" };
#else
static const char *const registers[] = { "", "$arg1", "$arg2", "$arg3" };
#endif
static const char *const arguments[] = { "", "$arg1", "$arg2", "$arg3" };

static int define(const struct probe *p, const char *function, const char *const *arg,
		  uint32_t dev)
{
	char text[512], room[16] = "";
	int n;

	if (p->ret)
		snprintf(room, sizeof(room), "%d", RETURN_ROOM);
	n = snprintf(text, sizeof(text), "%c%s:" XLV_PROBE_GROUP "/%s %s", p->ret ? 'r' : 'p', room,
		     p->event, function);
	if (dev)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " dev=\\%u:u32", dev);
	if (p->key)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " key=%s:u64", arg[p->key]);
	if (p->ret)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " val=$retval:s32");
	else if (p->val)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " val=%s:s32", arg[p->val]);
	snprintf(text + n, sizeof(text) - (size_t)n, "\n");
	return xlv_sys_append(text, "%s/kprobe_events", xlv_tracefs_dir(NULL));
}

/* Older kernels know neither constants nor arguments by number. */
static int create(const struct probe *p, uint32_t dev)
{
	int ret = -ENOENT;

	for (int f = 0; f < 3 && p->function[f] && ret; f++) {
		const char *const *last_arg = arguments;

		ret = define(p, p->function[f], arguments, dev);
		if (ret == -EINVAL) {
			last_arg = registers;
			ret = define(p, p->function[f], registers, dev);
		}
		if (ret == -EINVAL && dev) {
			ret = define(p, p->function[f], arguments, 0);
			if (ret == -EINVAL)
				ret = define(p, p->function[f], last_arg, 0);
		}
	}
	return ret;
}

bool xlv_probes_possible(struct xlv_error *err)
{
	char text[16];

	if (!xlv_tracefs_kprobes()) {
		xlv_fail(err, "this kernel has no kprobe events (CONFIG_KPROBE_EVENTS)");
		return false;
	}
	if (xlv_sys_read(text, sizeof(text), "/sys/kernel/debug/kprobes/enabled") > 0 &&
	    text[0] == '0') {
		xlv_fail(err, "kprobes are switched off: run 'echo 1 > "
			 "/sys/kernel/debug/kprobes/enabled'");
		return false;
	}
	return true;
}

int xlv_probes_create(struct xlv_undo *undo, uint32_t dev, const char *name[XLV_MAX_PROBES],
		      struct xlv_error *err)
{
	bool old = !xlv_tracefs_event("xfs", "xlog_iclog_sync");
	int nr = 0;

	if (!xlv_probes_possible(err))
		return -1;
	for (int i = 0; i < nr_probes; i++) {
		const struct probe *p = &probes[i];
		int ret;

		if (p->old_only && !old)
			continue;
		if (xlv_undo_add(undo, err, "probe " XLV_PROBE_GROUP "/%s", p->event))
			return -1;
		if (xlv_tracefs_event(XLV_PROBE_GROUP, p->event))
			ret = 0;	/* of another recorder */
		else
			ret = create(p, dev);
		if (!ret)
			name[nr++] = p->event;
		else if (!i)
			return xlv_fail(err, "unable to probe '%s': %s", p->function[0],
					strerror(-ret));
	}
	return nr;
}

long long xlv_probes_missed(void)
{
	char path[PATH_MAX], *text, *line, *save = NULL;
	long long sum = 0;

	snprintf(path, sizeof(path), "%s/kprobe_profile", xlv_tracefs_dir(NULL));
	text = xlv_sys_slurp(path, NULL);
	if (!text)
		return 0;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		long long hits, missed;
		char event[128];

		if (sscanf(line, "%127s %lld %lld", event, &hits, &missed) != 3)
			continue;
		for (int i = 0; i < nr_probes; i++)
			if (!strcmp(event, probes[i].event))
				sum += missed;
	}
	free(text);
	return sum;
}
