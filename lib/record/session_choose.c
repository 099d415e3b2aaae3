// SPDX-License-Identifier: GPL-2.0-or-later
/* What to record, and how: all that can be wrong with that is found here. */
#include "config.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/binding.h"
#include "record/fake.h"
#include "record/machine.h"
#include "record/session.h"
#include "record/sysfile.h"
#include "record/tracefs.h"

enum { MAX_BUFFER_KB = 8192, MIN_BUFFER_KB = 512 };

void xlv_tell(const struct xlv_session *r, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	if (!r->o->tell)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	r->o->tell(line, r->o->arg);
}

static int choose_backend(struct xlv_session *r, struct xlv_error *err)
{
	bool filters = xlv_tracefs_function_filters();
	const char *version = NULL;

	if (r->o->backend != XLV_BACKEND_TRACEFS)
		version = xlv_tracecmd_version();
	r->backend = r->o->backend;
	r->backend_why = "asked for";
	if (r->backend == XLV_BACKEND_TRACECMD && !version)
		return xlv_fail(err, "unable to find 'trace-cmd': install it, or use --backend "
				"tracefs");
	if (r->backend == XLV_BACKEND_TRACECMD && !filters)
		return xlv_fail(err, "this kernel refuses '%s/set_ftrace_filter', and trace-cmd "
				"dies of that: use --backend tracefs", xlv_tracefs_dir(NULL));
	if (r->backend == XLV_BACKEND_AUTO) {
		r->backend = version && filters ? XLV_BACKEND_TRACECMD : XLV_BACKEND_TRACEFS;
		if (!version)
			r->backend_why = "trace-cmd is not installed";
		else if (!filters)
			r->backend_why = "this kernel refuses function-filter files, and trace-cmd "
					 "dies of that";
		else
			r->backend_why = "trace-cmd works on this kernel";
	}
	r->result->backend = r->backend == XLV_BACKEND_TRACECMD ? "trace-cmd" : "tracefs";
	return 0;
}

static int choose_filesystems(struct xlv_session *r, struct xlv_error *err)
{
	struct xlv_error not_xfs;

	r->fss = calloc(1, sizeof(*r->fss));
	if (!r->fss)
		return xlv_fail(err, "out of memory");
	xlv_filesystems_read(r->fss);
	for (int i = 0; i < r->o->nr_devs && r->nr_fs < XLV_MAX_FILESYSTEMS; i++) {
		r->fs[r->nr_fs] = xlv_filesystems_find(r->fss, r->o->devs[i], err);
		if (!r->fs[r->nr_fs++])
			return -1;
	}
	for (int i = 0; !r->o->nr_devs && i < r->fss->nr; i++)
		r->fs[r->nr_fs++] = &r->fss->fs[i];
	for (int i = 0; i < r->nr_fs; i++) {
		r->xfs_devs[i] = xlv_kernel_dev(r->fs[i]->major, r->fs[i]->minor);
		r->nr_block_devs = xlv_block_devs(r->fs[i], r->block_devs, r->nr_block_devs);
	}
	if (!r->nr_fs)
		xlv_tell(r, "no XFS filesystem is mounted: only what is mounted later can be "
		     "recorded, and block events of all devices");
	if (r->o->fake_completion) {
		r->fake = xlv_fake_find(r->fss, r->o->scratch, err);
		if (!r->fake)
			return -1;
	}
	for (int i = 0; i < r->nr_fs; i++) {
		char dir[PATH_MAX], *slash;

		snprintf(dir, sizeof(dir), "%s", r->o->file);
		slash = strrchr(dir, '/');
		if (slash)
			slash[slash == dir] = '\0';
		if (xlv_filesystems_find(r->fss, slash ? dir : ".", &not_xfs) == r->fs[i])
			xlv_tell(r, "'%s' is on the filesystem that is recorded, which disturbs "
			     "it: better record to another one", r->o->file);
	}
	return 0;
}

static int choose_events(struct xlv_session *r, struct xlv_error *err)
{
	struct xlv_choose how = { .set = r->o->set };
	struct xlv_error hidden;

	r->symbols = xlv_kallsyms_read(&hidden);
	if (!r->symbols)
		xlv_tell(r, "%s; work items of all kinds are recorded, and callers have no names",
		     hidden.text);
	how.symbols = r->symbols;
	if (r->o->nr_devs) {
		how.xfs_devs = r->xfs_devs;
		how.nr_xfs_devs = r->nr_fs;
	}
	if (r->nr_fs && r->nr_block_devs < XLV_MAX_BLOCK_DEVS && r->o->set != XLV_SET_FULL) {
		how.block_devs = r->block_devs;
		how.nr_block_devs = r->nr_block_devs;
	} else {
		r->nr_block_devs = 0;
	}
	r->choices = xlv_choose_events(&how, err);
	if (!r->choices)
		return -1;
	for (int i = 0; i < r->choices->nr; i++) {
		const struct xlv_event_choice *e = &r->choices->event[i];

		if (!e->available && e->need == XLV_NEED_VITAL)
			return xlv_fail(err, "this kernel has no event '%s:%s', and without it "
					"nothing can be told about %s: %s", e->system, e->name,
					e->lost,
					!strcmp(e->system, "xfs") ? "load XFS with 'modprobe xfs'" :
					"it takes a kernel with CONFIG_EVENT_TRACING");
	}
	return 0;
}

static long choose_buffer(const struct xlv_session *r)
{
	long kb, cpus = xlv_machine_cpus();
	long long ram_kb;

	if (r->o->buffer_kb)
		return r->o->buffer_kb;
	ram_kb = (long long)sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / 1024);
	kb = (long)(ram_kb / 16 / cpus);	/* a sixteenth of the memory for all */
	return kb > MAX_BUFFER_KB ? MAX_BUFFER_KB : kb < MIN_BUFFER_KB ? MIN_BUFFER_KB : kb;
}

static int check_output(const struct xlv_session *r, struct xlv_error *err)
{
	struct stat st;

	if (strlen(r->o->file) > PATH_MAX - 32)
		return xlv_fail(err, "the path '%s' is too long", r->o->file);
	if (!stat(r->o->file, &st) && !S_ISREG(st.st_mode))
		return xlv_fail(err, "unable to write '%s': not a plain file", r->o->file);
	if (xlv_container_leftovers(r->o->file) ||
	    (r->backend == XLV_BACKEND_TRACECMD && xlv_sys_exists("%s~", r->o->file)))
		return xlv_fail(err, "a recorder that was killed left parts of '%s': run 'xlogviz "
				"record --recover %s', or remove '%s%s'", r->o->file, r->o->file,
				r->o->file, r->backend == XLV_BACKEND_TRACECMD ? "~" : ".head");
	return 0;
}

int xlv_session_choose(struct xlv_session *r, struct xlv_error *err)
{
	if (geteuid())
		return xlv_fail(err, "tracing takes root: run 'sudo xlogviz record ...'");
	if (!xlv_tracefs_dir(err))
		return -1;
	if (!xlv_tracefs_event("sched", "sched_switch"))
		return xlv_fail(err, "tracefs at '%s' has no events: it takes a kernel with "
				"CONFIG_EVENT_TRACING", xlv_tracefs_dir(NULL));
	if (!xlv_tracefs_clock(XLV_TRACE_CLOCK))
		return xlv_fail(err, "this kernel has no trace clock '%s' (4.1 and later have)",
				XLV_TRACE_CLOCK);
	if (r->o->command) {
		int status = xlv_workload_find(r->o->command[0], err);

		if (status) {
			r->result->workload_status = status;
			return -1;
		}
	}
	if (r->o->pid && xlv_sys_start_time(r->o->pid) < 0)
		return xlv_fail(err, "unable to find process %d", (int)r->o->pid);
	if ((r->o->bind && xlv_bind_check(r->o->bind, err)) ||
	    (r->o->bind_workers && xlv_bind_check(r->o->bind_workers, err)))
		return -1;
	if (choose_backend(r, err) || check_output(r, err) || choose_filesystems(r, err) ||
	    choose_events(r, err))
		return -1;
	r->in.buffer_kb = choose_buffer(r);
	return 0;
}
