// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/recorder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/binding.h"
#include "record/fake.h"
#include "record/session.h"
#include "record/sysfile.h"
#include "record/tracefs.h"

enum {
	GRACE_MS	= 2000,		/* between an interrupt and the end */
	TICK_MS		= 1000,
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);	/* what the trace clock "mono" counts */
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* --- set up: each change is noted for undoing first --- */

static int set_up_probes(struct xlv_session *r, struct xlv_error *err)
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

static int set_up_binding(struct xlv_session *r, struct xlv_error *err)
{
	struct xlv_error why;

	if (r->o->bind_workers && xlv_bind_workers(r->undo, r->o->bind_workers, err))
		return -1;
	if (r->o->pid && r->o->bind && xlv_bind_process(r->undo, r->o->pid, r->o->bind, err))
		return -1;
	r->irqs = json_object_new_array();
	for (int i = 0; i < r->nr_fs; i++)
		if (xlv_bind_irqs(r->undo, r->fs[i], r->o->irq_cpu, r->irqs, &why) < 0)
			xlv_tell(r, "%s", why.text);
	return 0;
}

static struct xlv_header header_of(const struct xlv_session *r, bool stats)
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

static int name_events(struct xlv_session *r, struct xlv_error *err)
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

static int set_up_tracefs(struct xlv_session *r, struct xlv_error *err)
{
	struct xlv_header h;

	if (xlv_instance_create(&r->in, r->undo, XLV_TRACE_CLOCK, err) ||
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

static int set_up_tracecmd(struct xlv_session *r, struct xlv_error *err)
{
	/* trace-cmd notes the clock that it finds, before it sets the one asked for */
	if (xlv_instance_create(&r->in, r->undo, XLV_TRACE_CLOCK, err))
		return -1;
	return xlv_tracecmd_start(&r->tracecmd, &r->in, r->choices, r->probe, r->nr_probes,
				  XLV_TRACE_CLOCK, r->o->file, r->undo, err);
}

static void tell_leftover(const char *line, void *arg)
{
	xlv_tell(arg, "removed what was left behind: %s", line);
}

static int set_up(struct xlv_session *r, struct xlv_error *err)
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
		xlv_tell(r, "fake completion leaves holes in the log of '%s': afterwards remake "
		     "the filesystem, or zero its log with 'xfs_repair -L'", r->fake->mount);
	}
	r->watch = xlv_loss_watch_new();
	return r->watch ? 0 : xlv_fail(err, "out of memory");
}

/* --- while it runs --- */

static void watch_losses(struct xlv_session *r)
{
	struct xlv_record_progress *p = &r->result->total;
	struct xlv_instance_stats stats;

	xlv_instance_watch(&r->in, r->watch, &stats);
	p->seconds = (double)(now_ns() - r->start_ns) / 1e9;
	p->events = stats.events;
	p->lost = stats.lost;
	p->bytes = r->stream ? xlv_stream_bytes(r->stream) : xlv_tracecmd_bytes(&r->tracecmd);
	if (stats.lost > r->told_lost) {
		long mb = 1;

		while (mb * 1024 < stats.needed_kb && mb < 65536)
			mb *= 2;
		xlv_tell(r, "lost %lld events, most on CPU %d: use --buffer-size %ldM",
		     (long long)(stats.lost - r->told_lost), stats.worst_cpu, mb);
		r->told_lost = stats.lost;
	}
}

/* Returns whether the workload is over. */
static bool reap(struct xlv_session *r)
{
	return r->work.pid && waitpid(r->work.pid, &r->work.status, WNOHANG) == r->work.pid;
}

/*
 * A terminal sends Ctrl-C to the workload too; what kill sent came here alone and
 * is passed on. The second one doesn't wait any more.
 */
static void on_interrupt(struct xlv_session *r, int64_t *deadline_ns)
{
	struct signalfd_siginfo si;

	while (read(r->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			continue;
		if (r->work.pid && si.ssi_code != SI_KERNEL)
			kill(r->work.pid, (int)si.ssi_signo);
		r->ended = XLV_END_INTERRUPT;
		r->signal = (int)si.ssi_signo;
		*deadline_ns = r->work.pid && *deadline_ns == INT64_MAX ?
			       now_ns() + GRACE_MS * 1000000LL : now_ns();
	}
}

static void wait_for_end(struct xlv_session *r)
{
	int64_t limit = r->o->duration_s > 0 ?
			r->start_ns + (int64_t)(r->o->duration_s * 1e9) : INT64_MAX;
	int64_t deadline = INT64_MAX, next_tick = r->start_ns + TICK_MS * 1000000LL;
	long long pid_start = r->o->pid ? xlv_sys_start_time(r->o->pid) : -1;

	for (;;) {
		struct pollfd p = { .fd = r->signal_fd, .events = POLLIN };
		int64_t now = now_ns(), until;

		if (reap(r)) {
			r->ended = XLV_END_WORKLOAD;
			return;
		}
		if (now >= deadline)
			return;
		if (now >= limit) {
			r->ended = XLV_END_DURATION;
			return;
		}
		/* -1 from the start: it ended while the recording was set up */
		if (r->o->pid &&
		    (pid_start < 0 || xlv_sys_start_time(r->o->pid) != pid_start)) {
			r->ended = XLV_END_PROCESS;
			return;
		}
		if (r->stream && xlv_stream_failed(r->stream)) {
			r->ended = XLV_END_ERROR;
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
static int finish_workload(struct xlv_session *r)
{
	int64_t deadline = r->ended == XLV_END_INTERRUPT ? 0 : INT64_MAX;

	if (!r->work.pid)
		return -1;
	while (r->ended != XLV_END_WORKLOAD && now_ns() < deadline) {
		struct pollfd p = { .fd = r->signal_fd, .events = POLLIN };

		if (reap(r))
			r->ended = XLV_END_WORKLOAD;
		else if (poll(&p, 1, TICK_MS) > 0)
			on_interrupt(r, &deadline);
	}
	if (r->ended == XLV_END_WORKLOAD)
		return xlv_workload_exit(&r->work);
	xlv_tell(r, "the command goes on without being recorded (process %d)", (int)r->work.pid);
	return 128 + r->signal;
}

/* --- the end --- */

static int stop_backend(struct xlv_session *r, struct xlv_error *err)
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
		return xlv_fail(err, "%.300s: free some space, then 'xlogviz record --recover "
				"%.200s' makes a recording of what was written", why.text,
				r->o->file);
	h = header_of(r, true);
	return xlv_container_head(r->o->file, &h, err);
}

static int run(struct xlv_session *r, struct xlv_error *err)
{
	struct xlv_error late;
	int ret, status = 0;

	if (xlv_session_first_facts(r, err))
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
	if (r->ended == XLV_END_ERROR)
		xlv_tell(r, "unable to write '%s.cpuN': %s: the recording ends here", r->o->file,
		     strerror(xlv_stream_failed(r->stream)));
	watch_losses(r);
	xlv_session_last_facts(r);
	ret = stop_backend(r, err);
	if (xlv_undo_close(r->undo, &late) && !ret)
		ret = xlv_fail(err, "%s", late.text);
	r->undo = NULL;
	return ret;
}

static int assemble(struct xlv_session *r, struct xlv_error *err)
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

static void catch_signals(struct xlv_session *r)
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
	struct xlv_session *r;
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
	ret = xlv_session_choose(r, err);
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
	snprintf(said, size, "%lld bytes of %d CPUs; missing are the last second before the "
		 "recorder died, the workload's exit status and the counts of lost events",
		 (long long)done.bytes, done.cpus);
	return 0;
}
