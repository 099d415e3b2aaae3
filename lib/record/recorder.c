// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/binding.h"
#include "record/container.h"
#include "record/fake.h"
#include "record/filesystem.h"
#include "record/instance.h"
#include "record/machine.h"
#include "record/metadata.h"
#include "record/probes.h"
#include "record/stream.h"
#include "record/sysfile.h"
#include "record/tracecmd.h"
#include "record/tracefs.h"
#include "record/workload.h"

enum {
	MAX_BUFFER_KB	= 8192,
	MIN_BUFFER_KB	= 512,
	GRACE_MS	= 2000,		/* between an interrupt and the end */
	TICK_MS		= 1000,
};

static const char trace_clock[] = "mono";

/* What ended the recording, as in the metadata. */
static const char by_workload[] = "workload", by_duration[] = "duration";
static const char by_interrupt[] = "interrupt", by_process[] = "process", by_error[] = "error";

struct recorder {
	const struct xlv_record_opts *o;
	struct xlv_record_result *result;
	struct xlv_undo		*undo;
	struct xlv_filesystems	*fss;
	const struct xlv_filesystem *fs[XLV_MAX_FILESYSTEMS];	/* those recorded */
	int			nr_fs;
	uint32_t		xfs_devs[XLV_MAX_FILESYSTEMS], block_devs[XLV_MAX_BLOCK_DEVS];
	int			nr_block_devs;
	const struct xlv_filesystem *fake;
	json_object		*irqs;
	struct xlv_kallsyms	*symbols;
	struct xlv_choices	*choices;
	const char		*probe[XLV_MAX_PROBES];
	int			nr_probes;
	long long		probes_missed;	/* before this run */
	struct xlv_event_name	*names;		/* for the file's header */
	int			nr_names;
	struct xlv_instance	in;
	enum xlv_backend	backend;
	const char		*backend_why;
	bool			parts;		/* FILE.head and FILE.cpuN are this run's */
	struct xlv_stream	*stream;
	struct xlv_tracecmd	tracecmd;
	struct xlv_workload	work;
	struct xlv_loss_watch	*watch;
	int64_t			told_lost;
	int			signal_fd;
	sigset_t		old_mask;
	int64_t			start_ns, end_ns;
	const char		*ended;
	int			signal;		/* that ended it */
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);	/* what the trace clock "mono" counts */
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void tell(const struct recorder *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void tell(const struct recorder *r, const char *fmt, ...)
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

/* --- what to record, and how: nothing is changed yet --- */

static int choose_backend(struct recorder *r, struct xlv_error *err)
{
	bool filters = xlv_tracefs_function_filters();
	const char *version = NULL;

	if (r->o->backend != XLV_BACKEND_TRACEFS)
		version = xlv_tracecmd_version();
	r->backend = r->o->backend;
	r->backend_why = "asked for";
	if (r->backend == XLV_BACKEND_TRACECMD && !version)
		return xlv_fail(err, "unable to find 'trace-cmd': install it, or use --backend tracefs");
	if (r->backend == XLV_BACKEND_TRACECMD && !filters)
		return xlv_fail(err, "this kernel refuses '%s/set_ftrace_filter', and trace-cmd dies of "
				"that: use --backend tracefs", xlv_tracefs_dir(NULL));
	if (r->backend == XLV_BACKEND_AUTO) {
		r->backend = version && filters ? XLV_BACKEND_TRACECMD : XLV_BACKEND_TRACEFS;
		r->backend_why = !version ? "trace-cmd is not installed" :
				 !filters ? "this kernel refuses function-filter files, and trace-cmd "
					    "dies of that" : "trace-cmd works on this kernel";
	}
	r->result->backend = r->backend == XLV_BACKEND_TRACECMD ? "trace-cmd" : "tracefs";
	return 0;
}

static int choose_filesystems(struct recorder *r, struct xlv_error *err)
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
		tell(r, "no XFS filesystem is mounted: only what is mounted later can be recorded, "
		     "and block events of all devices");
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
			tell(r, "'%s' is on the filesystem that is recorded, which disturbs it: better "
			     "record to another one", r->o->file);
	}
	return 0;
}

static int choose_events(struct recorder *r, struct xlv_error *err)
{
	struct xlv_choose how = { .set = r->o->set };
	struct xlv_error hidden;

	r->symbols = xlv_kallsyms_read(&hidden);
	if (!r->symbols)
		tell(r, "%s; work items of all kinds are recorded, and callers have no names",
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
			return xlv_fail(err, "this kernel has no event '%s:%s', and without it nothing "
					"can be told about %s: %s", e->system, e->name, e->lost,
					!strcmp(e->system, "xfs") ? "load XFS with 'modprobe xfs'" :
					"it takes a kernel with CONFIG_EVENT_TRACING");
	}
	return 0;
}

static long choose_buffer(const struct recorder *r)
{
	long kb, cpus = xlv_machine_cpus();
	long long ram_kb;

	if (r->o->buffer_kb)
		return r->o->buffer_kb;
	ram_kb = (long long)sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / 1024);
	kb = (long)(ram_kb / 16 / cpus);	/* a sixteenth of the memory for all */
	return kb > MAX_BUFFER_KB ? MAX_BUFFER_KB : kb < MIN_BUFFER_KB ? MIN_BUFFER_KB : kb;
}

static int check_output(const struct recorder *r, struct xlv_error *err)
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

static int choose(struct recorder *r, struct xlv_error *err)
{
	if (geteuid())
		return xlv_fail(err, "tracing takes root: run 'sudo xlogviz record ...'");
	if (!xlv_tracefs_dir(err))
		return -1;
	if (!xlv_tracefs_event("sched", "sched_switch"))
		return xlv_fail(err, "tracefs at '%s' has no events: it takes a kernel with "
				"CONFIG_EVENT_TRACING", xlv_tracefs_dir(NULL));
	if (!xlv_tracefs_clock(trace_clock))
		return xlv_fail(err, "this kernel has no trace clock '%s' (4.1 and later have)",
				trace_clock);
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

/* --- set up: each change is noted for undoing first --- */

static int set_up_probes(struct recorder *r, struct xlv_error *err)
{
	bool patched = xlv_tracefs_event("xfs", "xlog_force_enter");
	struct xlv_error why;
	int nr;

	/* Each probe costs as much as several events: with `minimal` only when asked. */
	if (r->o->probes == XLV_PROBES_NONE ||
	    (r->o->probes == XLV_PROBES_AUTO && (patched || r->o->set == XLV_SET_MINIMAL)))
		return 0;
	nr = xlv_probes_create(r->undo, r->nr_fs == 1 ? r->xfs_devs[0] : 0, r->probe, &why);
	if (nr < 0 && r->o->probes == XLV_PROBES_KPROBE)
		return xlv_fail(err, "%s", why.text);
	r->nr_probes = nr < 0 ? 0 : nr;
	r->probes_missed = xlv_probes_missed();
	return 0;
}

static int set_up_binding(struct recorder *r, struct xlv_error *err)
{
	struct xlv_error why;

	if (r->o->bind_workers && xlv_bind_workers(r->undo, r->o->bind_workers, err))
		return -1;
	if (r->o->pid && r->o->bind && xlv_bind_process(r->undo, r->o->pid, r->o->bind, err))
		return -1;
	r->irqs = json_object_new_array();
	for (int i = 0; i < r->nr_fs; i++)
		if (xlv_bind_irqs(r->undo, r->fs[i], r->o->irq_cpu, r->irqs, &why) < 0)
			tell(r, "%s", why.text);
	return 0;
}

static struct xlv_header header_of(const struct recorder *r, bool stats)
{
	return (struct xlv_header){
		.instance = r->in.dir,
		.events = r->names,
		.nr_events = r->nr_names,
		.symbols = r->symbols,
		.extra_symbols = r->o->set == XLV_SET_FULL ? NULL : xlv_work_functions(),
		.version = r->o->version,
		.stats = stats,
	};
}

static int by_system(const void *a, const void *b)
{
	const struct xlv_event_name *x = a, *y = b;
	int c = strcmp(x->system, y->system);

	return c ? c : strcmp(x->name, y->name);
}

static int name_events(struct recorder *r, struct xlv_error *err)
{
	r->names = calloc((size_t)(r->choices->nr + r->nr_probes + 1), sizeof(*r->names));
	if (!r->names)
		return xlv_fail(err, "out of memory");
	for (int i = 0; i < r->choices->nr; i++)
		if (r->choices->event[i].available)
			r->names[r->nr_names++] = (struct xlv_event_name){
				r->choices->event[i].system, r->choices->event[i].name };
	for (int i = 0; i < r->nr_probes; i++)
		r->names[r->nr_names++] = (struct xlv_event_name){ XLV_PROBE_GROUP, r->probe[i] };
	qsort(r->names, (size_t)r->nr_names, sizeof(*r->names), by_system);
	return 0;
}

static int set_up_tracefs(struct recorder *r, struct xlv_error *err)
{
	struct xlv_header h;

	if (xlv_instance_create(&r->in, r->undo, trace_clock, err) ||
	    xlv_instance_enable(&r->in, r->choices, r->probe, r->nr_probes, err) ||
	    name_events(r, err))
		return -1;
	h = header_of(r, false);
	r->parts = true;
	if (xlv_container_head(r->o->file, &h, err))
		return -1;
	r->stream = xlv_stream_start(r->in.dir, r->o->file, r->in.buffer_kb, err);
	if (!r->stream)
		return -1;
	return xlv_instance_on(&r->in, true, err);
}

static int set_up_tracecmd(struct recorder *r, struct xlv_error *err)
{
	/* trace-cmd notes the clock that it finds, before it sets the one asked for */
	if (xlv_instance_create(&r->in, r->undo, trace_clock, err))
		return -1;
	return xlv_tracecmd_start(&r->tracecmd, &r->in, r->choices, r->probe, r->nr_probes,
				  trace_clock, r->o->file, r->undo, err);
}

static void tell_leftover(const char *line, void *arg)
{
	tell(arg, "removed what was left behind: %s", line);
}

static int set_up(struct recorder *r, struct xlv_error *err)
{
	xlv_undo_sweep(false, tell_leftover, r);
	r->undo = xlv_undo_open(err);
	if (!r->undo)
		return -1;
	if (r->o->command &&
	    xlv_workload_prepare(&r->work, r->o->command, r->o->bind, r->undo, err))
		return -1;
	if (set_up_probes(r, err) || set_up_binding(r, err))
		return -1;
	if (r->backend == XLV_BACKEND_TRACEFS ? set_up_tracefs(r, err) : set_up_tracecmd(r, err))
		return -1;
	if (r->fake) {
		if (xlv_fake_on(r->undo, r->fake, err))
			return -1;
		tell(r, "fake completion leaves holes in the log of '%s': afterwards remake the "
		     "filesystem, or zero its log with 'xfs_repair -L'", r->fake->mount);
	}
	r->watch = xlv_loss_watch_new();
	return r->watch ? 0 : xlv_fail(err, "out of memory");
}

/* --- metadata --- */

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

static json_object *filesystems_json(const struct recorder *r)
{
	json_object *all = json_object_new_array();

	for (int i = 0; i < r->nr_fs; i++)
		json_object_array_add(all, xlv_filesystem_json(r->fs[i]));
	return all;
}

static json_object *fake_json(const struct recorder *r)
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

static int write_first_metadata(const struct recorder *r, struct xlv_error *err)
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
	PUT("clock", text_json(trace_clock));
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

static void write_last_metadata(const struct recorder *r)
{
	json_object *range = json_object_new_object();

	json_object_object_add(range, "start_ns", json_object_new_int64(r->start_ns));
	json_object_object_add(range, "end_ns", json_object_new_int64(r->end_ns));
	xlv_meta_write(r->in.dir, "workload_status",
		       r->work.pid && r->ended == by_workload ? xlv_workload_json(&r->work) : NULL);
	xlv_meta_write(r->in.dir, "ended", text_json(r->ended));
	xlv_meta_write(r->in.dir, "range", range);
	xlv_meta_write(r->in.dir, "lost", xlv_loss_watch_json(r->watch));
	xlv_meta_write(r->in.dir, "probes_missed",
		       json_object_new_int64(r->nr_probes ?
					     xlv_probes_missed() - r->probes_missed : 0));
}

/* --- while it runs --- */

static void watch_losses(struct recorder *r)
{
	struct xlv_record_progress *p = &r->result->total;
	struct xlv_instance_stats stats;

	xlv_instance_watch(&r->in, r->watch, &stats);
	p->seconds = (double)(now_ns() - r->start_ns) / 1e9;
	p->events = stats.events;
	p->lost = stats.lost;
	p->bytes = r->stream ? xlv_stream_bytes(r->stream) : xlv_tracecmd_bytes(&r->tracecmd);
	if (stats.lost > r->told_lost) {
		double kb = (double)r->in.buffer_kb * stats.worst_ratio * 1.25;
		long mb = 1;

		while (mb * 1024.0 < kb && mb < 65536)
			mb *= 2;
		tell(r, "lost %lld events, most on CPU %d: use --buffer-size %ldM",
		     (long long)(stats.lost - r->told_lost), stats.worst_cpu, mb);
		r->told_lost = stats.lost;
	}
}

/* Returns whether the workload is over. */
static bool reap(struct recorder *r)
{
	return r->work.pid && waitpid(r->work.pid, &r->work.status, WNOHANG) == r->work.pid;
}

/*
 * A terminal sends Ctrl-C to the workload too; what kill sent came here alone and
 * is passed on. The second one doesn't wait any more.
 */
static void on_interrupt(struct recorder *r, int64_t *deadline_ns)
{
	struct signalfd_siginfo si;

	while (read(r->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			continue;
		if (r->work.pid && si.ssi_code != SI_KERNEL)
			kill(r->work.pid, (int)si.ssi_signo);
		r->ended = by_interrupt;
		r->signal = (int)si.ssi_signo;
		*deadline_ns = r->work.pid && *deadline_ns == INT64_MAX ?
			       now_ns() + GRACE_MS * 1000000LL : now_ns();
	}
}

static void wait_for_end(struct recorder *r)
{
	int64_t limit = r->o->duration_s > 0 ?
			r->start_ns + (int64_t)(r->o->duration_s * 1e9) : INT64_MAX;
	int64_t deadline = INT64_MAX, next_tick = r->start_ns + TICK_MS * 1000000LL;
	long long pid_start = r->o->pid ? xlv_sys_start_time(r->o->pid) : -1;

	for (;;) {
		struct pollfd p = { .fd = r->signal_fd, .events = POLLIN };
		int64_t now = now_ns(), until;

		if (reap(r)) {
			r->ended = by_workload;
			return;
		}
		if (now >= deadline)
			return;
		if (now >= limit) {
			r->ended = by_duration;
			return;
		}
		if (r->o->pid && xlv_sys_start_time(r->o->pid) != pid_start) {
			r->ended = by_process;
			return;
		}
		if (r->stream && xlv_stream_failed(r->stream)) {
			r->ended = by_error;
			return;
		}
		if (now >= next_tick) {
			watch_losses(r);
			if (r->o->progress)
				r->o->progress(&r->result->total, r->o->arg);
			next_tick = now + TICK_MS * 1000000LL;
		}
		until = next_tick < limit ? next_tick : limit;
		until = until < deadline ? until : deadline;
		if (r->o->pid && until > now + 100000000)
			until = now + 100000000;
		if (poll(&p, 1, (int)((until - now) / 1000000) + 1) > 0)
			on_interrupt(r, &deadline);
	}
}

/*
 * Where the recording ended first, for --duration or a full disk, the command is
 * waited for as any command in the foreground is; an interrupt it ignores leaves
 * it behind.
 */
static int finish_workload(struct recorder *r)
{
	int64_t deadline = r->ended == by_interrupt ? 0 : INT64_MAX;

	if (!r->work.pid)
		return -1;
	while (r->ended != by_workload && now_ns() < deadline) {
		struct pollfd p = { .fd = r->signal_fd, .events = POLLIN };

		if (reap(r))
			r->ended = by_workload;
		else if (poll(&p, 1, TICK_MS) > 0)
			on_interrupt(r, &deadline);
	}
	if (r->ended == by_workload)
		return xlv_workload_exit(&r->work);
	tell(r, "the command goes on without being recorded (process %d)", (int)r->work.pid);
	return 128 + r->signal;
}

/* --- the end --- */

static int stop_backend(struct recorder *r, struct xlv_error *err)
{
	struct xlv_error why;
	struct xlv_header h;
	int ret;

	if (r->backend == XLV_BACKEND_TRACECMD) {
		if (!r->tracecmd.pid)
			return 0;
		return xlv_tracecmd_stop(&r->tracecmd, r->o->file, err);
	}
	if (!r->stream)
		return 0;
	xlv_instance_on(&r->in, false, NULL);
	r->result->total.bytes = xlv_stream_bytes(r->stream);
	ret = xlv_stream_stop(r->stream, &why);
	r->stream = NULL;
	if (ret)
		return xlv_fail(err, "%.300s: free some space, then 'xlogviz record --recover %.200s' "
				"makes a recording of what was written", why.text, r->o->file);
	h = header_of(r, true);
	return xlv_container_head(r->o->file, &h, err);
}

static int run(struct recorder *r, struct xlv_error *err)
{
	struct xlv_error late;
	int ret, status = 0;

	if (write_first_metadata(r, err))
		return -1;
	r->start_ns = now_ns();
	if (r->o->command) {
		status = xlv_workload_go(&r->work, r->o->command[0], err);
		if (status) {
			r->result->workload_status = status;
			return -1;
		}
	}
	wait_for_end(r);
	r->end_ns = now_ns();
	if (r->ended == by_error)
		tell(r, "unable to write '%s.cpuN': %s: the recording ends here", r->o->file,
		     strerror(xlv_stream_failed(r->stream)));
	watch_losses(r);
	write_last_metadata(r);
	ret = stop_backend(r, err);
	if (xlv_undo_close(r->undo, &late) && !ret)
		ret = xlv_fail(err, "%s", late.text);
	r->undo = NULL;
	return ret;
}

static int assemble(struct recorder *r, struct xlv_error *err)
{
	struct xlv_assembled done;
	struct xlv_error why;
	struct stat st;

	if (r->backend == XLV_BACKEND_TRACEFS &&
	    xlv_container_assemble(r->o->file, r->o->file, &done, &why))
		return xlv_fail(err, "%.300s: 'xlogviz record --recover %.200s -o OTHER' makes a "
				"recording of the parts", why.text, r->o->file);
	if (!stat(r->o->file, &st))
		r->result->total.bytes = st.st_size;
	return 0;
}

static void catch_signals(struct recorder *r)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	r->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int xlv_record(const struct xlv_record_opts *opts, struct xlv_record_result *result,
	       struct xlv_error *err)
{
	struct recorder *r;
	bool streamed;
	int ret;

	*result = (struct xlv_record_result){ .workload_status = -1 };
	r = calloc(1, sizeof(*r));
	if (!r)
		return xlv_fail(err, "out of memory");
	r->o = opts;
	r->result = result;
	r->work.go_fd = r->work.exec_fd = -1;
	catch_signals(r);
	ret = choose(r, err);
	if (!ret)
		ret = set_up(r, err);
	streamed = !ret;
	if (!ret)
		ret = run(r, err);
	xlv_workload_abandon(&r->work);
	if (r->undo) {		/* it did not come to an orderly end */
		struct xlv_error ignored;

		stop_backend(r, &ignored);
		xlv_undo_close(r->undo, &ignored);
		if (r->parts)
			xlv_container_discard(opts->file);
		else if (streamed)
			unlink(opts->file);
	}
	if (!ret)
		ret = assemble(r, err);
	if (r->ended) {
		int status = finish_workload(r);

		if (!ret)
			result->workload_status = status;
	}
	close(r->signal_fd);
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	xlv_loss_watch_free(r->watch);
	xlv_choices_free(r->choices);
	xlv_kallsyms_free(r->symbols);
	json_object_put(r->irqs);
	free(r->names);
	free(r->fss);
	free(r);
	return ret;
}

int xlv_record_recover(const char *file, const char *out, char *said, size_t size,
		       struct xlv_error *err)
{
	struct xlv_assembled done;

	if (!xlv_container_leftovers(file)) {
		char temp[PATH_MAX];

		/* trace-cmd ends by itself when its recorder dies */
		snprintf(temp, sizeof(temp), "%s~", file);
		if (xlv_sys_exists("%s", temp)) {
			if (rename(temp, out))
				return xlv_fail(err, "unable to write '%s': %s", out,
						strerror(errno));
			snprintf(said, size, "trace-cmd had completed it");
			return 0;
		}
		return xlv_fail(err, "nothing to recover: no '%s.head'", file);
	}
	if (xlv_container_assemble(file, out, &done, err))
		return -1;
	snprintf(said, size, "%lld bytes of %d CPUs; missing are the last second before the recorder "
		 "died, the workload's exit status and the counts of lost events",
		 (long long)done.bytes, done.cpus);
	return 0;
}
