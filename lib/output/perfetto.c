// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/window.h"
#include "output/jsonw.h"
#include "output/perfetto.h"

/* Made-up process and thread ids, above any pid. */
enum {
	PROC_CPUS = 1000000001, PROC_TASKS, PROC_CIL, PROC_LOG, PROC_ICLOGS,
	TID_CPU = 1100000000, TID_CIL = 1200000000, TID_LOG = 1300000000, TID_LANE = 1400000000,
};

/* A thread track: slices on it don't overlap, or they get a further one. */
struct track {
	int32_t		proc, tid, lane_of;	/* lane_of: 0, or the tid it relieves */
	int64_t		busy_until_ns;
};

struct export {
	struct xlv_jsonw	w;
	const struct xlv_report	*rep;
	const struct xlv_run	*run;
	struct track		*tracks;
	size_t			nr_tracks, room;
	int32_t			lanes;
	int32_t			*sync_tid, *push_tid, *iclog_tid;	/* 0: not shown */
	int64_t			flows;
};

static void put_us(struct xlv_jsonw *w, const char *key, int64_t ns)
{
	uint64_t abs_ns = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	char s[32];

	snprintf(s, sizeof(s), "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", abs_ns / 1000,
		 abs_ns % 1000);
	xlv_jsonw_raw(w, key, s);
}

/* Begin an event; the caller adds to it and ends it. */
static void event(struct export *x, const char *ph, const char *name, const char *cat,
		  int32_t proc, int32_t tid, int64_t ts_ns)
{
	xlv_jsonw_object(&x->w, NULL);
	xlv_jsonw_str(&x->w, "ph", ph);
	xlv_jsonw_str(&x->w, "name", name);
	if (cat)
		xlv_jsonw_str(&x->w, "cat", cat);
	xlv_jsonw_int(&x->w, "pid", proc);
	xlv_jsonw_int(&x->w, "tid", tid);
	if (ts_ns != XLV_NONE)
		put_us(&x->w, "ts", ts_ns);
}

/* Begin a slice and its arguments; the caller ends both. */
static void slice(struct export *x, const char *name, const char *cat, int32_t proc, int32_t tid,
		  int64_t ts_ns, int64_t ns)
{
	event(x, "X", name, cat, proc, tid, ts_ns);
	put_us(&x->w, "dur", ns);
	xlv_jsonw_object(&x->w, "args");
}

static void end_slice(struct export *x)
{
	xlv_jsonw_end(&x->w);
	xlv_jsonw_end(&x->w);
}

static void metadata(struct export *x, const char *what, int32_t proc, int32_t tid,
		     const char *name, int32_t order)
{
	event(x, "M", what, NULL, proc, tid, XLV_NONE);
	xlv_jsonw_object(&x->w, "args");
	if (name)
		xlv_jsonw_str(&x->w, "name", name);
	else
		xlv_jsonw_int(&x->w, "sort_index", order);
	end_slice(x);
}

static void name_processes(struct export *x)
{
	static const char *const names[] = {
		"syncing tasks", "CIL workers", "iclogs", "log workers", "CPUs"
	};
	static const int32_t procs[] = { PROC_TASKS, PROC_CIL, PROC_ICLOGS, PROC_LOG, PROC_CPUS };

	for (int i = 0; i < 5; i++) {
		metadata(x, "process_name", procs[i], 0, names[i], 0);
		metadata(x, "process_sort_index", procs[i], 0, NULL, i);
	}
}

static void name_thread(struct export *x, int32_t proc, int32_t tid, const char *comm, int32_t pid)
{
	char name[64];

	if (proc == PROC_CPUS)
		snprintf(name, sizeof(name), "CPU %d", tid - TID_CPU);
	else
		snprintf(name, sizeof(name), "%.40s [%d]", comm && *comm ? comm : "?", pid);
	metadata(x, "thread_name", proc, tid, name, 0);
	metadata(x, "thread_sort_index", proc, tid, NULL, tid);
}

/*
 * The track on which [start, start + ns] finds room: the thread's own, or where
 * that is taken (only a damaged recording has a task in two places) another.
 * 0 without memory.
 */
static int32_t place(struct export *x, int32_t proc, int32_t tid, const char *comm, int32_t pid,
		     int64_t start_ns, int64_t ns)
{
	struct track *t;
	bool known = false;

	for (size_t i = 0; i < x->nr_tracks; i++) {
		t = &x->tracks[i];
		if (t->proc != proc || (t->tid != tid && t->lane_of != tid))
			continue;
		known = true;
		if (t->busy_until_ns <= start_ns) {
			t->busy_until_ns = start_ns + ns;
			return t->tid;
		}
	}
	if (x->nr_tracks == x->room) {
		t = reallocarray(x->tracks, x->room * 2 + 32, sizeof(*t));
		if (!t)
			return 0;
		x->tracks = t;
		x->room = x->room * 2 + 32;
	}
	t = &x->tracks[x->nr_tracks++];
	*t = (struct track){ .proc = proc, .tid = known ? TID_LANE + x->lanes++ : tid,
			     .lane_of = known ? tid : 0, .busy_until_ns = start_ns + ns };
	name_thread(x, proc, t->tid, comm, pid);
	return t->tid;
}

/* --- syncs and stages --- */

static void put_parts(struct xlv_jsonw *w, const int64_t parts_ns[XLV_PART_COUNT])
{
	xlv_jsonw_object(w, "parts_ns");
	for (int p = 0; p < XLV_PART_COUNT; p++)
		if (parts_ns[p])
			xlv_jsonw_int(w, xlv_part_name(p), parts_ns[p]);
	xlv_jsonw_end(w);
}

static void put_wake(struct xlv_jsonw *w, const struct xlv_path_wake *p)
{
	xlv_jsonw_str(w, "cause", xlv_part_name(p->cause));
	put_parts(w, p->parts_ns);
	if (p->wake.waking_ns == XLV_NONE)
		return;
	xlv_jsonw_str(w, "waker", p->wake.waker_comm);
	xlv_jsonw_str(w, "waker_context", xlv_context_name(p->wake.waker_context));
	xlv_jsonw_int(w, "waker_cpu", p->wake.waker_cpu);
	xlv_jsonw_int(w, "from_cpu", p->wake.prev_cpu);
	xlv_jsonw_int(w, "to_cpu", p->wake.to_cpu);
	if (p->wake.other_comm)
		xlv_jsonw_str(w, "behind", p->wake.other_comm);
}

static void put_stage(struct export *x, const struct xlv_segment *g,
		      const struct xlv_detail *d, int32_t tid)
{
	slice(x, xlv_stage_name(g->stage), "stage", PROC_TASKS, tid, g->start_ns, g->ns);
	xlv_jsonw_int(&x->w, "start_ns", g->start_ns);
	xlv_jsonw_int(&x->w, "ns", g->ns);
	xlv_jsonw_int(&x->w, "cpu", g->cpu);
	xlv_jsonw_int(&x->w, "task", g->pid);
	xlv_jsonw_str(&x->w, "comm", g->comm);
	if (g->what)
		xlv_jsonw_str(&x->w, "what", g->what);
	if (g->wake >= 0 && g->wake < d->nr_wakes)
		put_wake(&x->w, &d->wakes[g->wake]);
	end_slice(x);
}

static bool put_sync(struct export *x, const struct xlv_sync *s, const struct xlv_detail *d,
		     int32_t *tid)
{
	struct xlv_jsonw *w = &x->w;

	*tid = place(x, PROC_TASKS, s->pid, s->comm, s->pid, s->start_ns, s->span_ns);
	if (!*tid)
		return false;
	slice(x, s->syscall == XLV_SYS_NONE ? "sync" : xlv_syscall_name(s->syscall), "sync",
	      PROC_TASKS, *tid, s->start_ns, s->span_ns);
	xlv_jsonw_int(w, "id", s->id);
	xlv_jsonw_str(w, "kind", xlv_kind_name(s->kind));
	xlv_jsonw_str(w, "status", s->reasons ? "partial" : "complete");
	xlv_jsonw_int(w, "start_ns", s->start_ns);
	xlv_jsonw_int(w, "span_ns", s->span_ns);
	xlv_jsonw_ns(w, "T1_ns", s->T1_ns);
	xlv_jsonw_ns(w, "T2_ns", s->T2_ns);
	xlv_jsonw_ns(w, "T3_ns", s->T3_ns);
	xlv_jsonw_ns(w, "T4_ns", s->T4_ns);
	xlv_jsonw_str(w, "placement", s->placement);
	xlv_jsonw_int(w, "ino", (int64_t)s->ino);
	end_slice(x);
	for (int i = 0; i < d->nr_segments; i++)
		put_stage(x, &d->segments[i], d, *tid);
	return true;
}

/* --- workers --- */

static bool put_push(struct export *x, size_t i)
{
	const struct xlv_push *p = &x->run->pushes[i];
	int32_t tid;

	if (p->start_ns == XLV_NONE || p->end_ns == XLV_NONE || p->worker_pid < 0 ||
	    p->end_ns < p->start_ns)
		return true;
	tid = place(x, PROC_CIL, TID_CIL + p->worker_pid, p->worker_comm, p->worker_pid,
		    p->start_ns, p->end_ns - p->start_ns);
	if (!tid)
		return false;
	x->push_tid[i] = tid;
	slice(x, "CIL push", "cil", PROC_CIL, tid, p->start_ns, p->end_ns - p->start_ns);
	xlv_jsonw_ns(&x->w, "queued_ns", p->queued_ns);
	xlv_jsonw_int(&x->w, "start_ns", p->start_ns);
	xlv_jsonw_int(&x->w, "ns", p->end_ns - p->start_ns);
	xlv_jsonw_int(&x->w, "cpu", p->worker_cpu);
	xlv_jsonw_int(&x->w, "iclogs", p->iclogs);
	xlv_jsonw_int(&x->w, "syncs", p->syncs);
	end_slice(x);
	return true;
}

static void put_lsn(struct xlv_jsonw *w, uint64_t lsn)
{
	char s[32];

	snprintf(s, sizeof(s), "%" PRIu64 ":%" PRIu64, lsn >> 32, lsn & 0xffffffff);
	xlv_jsonw_str(w, "lsn", s);
}

static bool put_ioend(struct export *x, size_t i)
{
	const struct xlv_iclog *ic = &x->run->iclogs[i];
	int32_t tid;

	if (ic->ioend_start_ns == XLV_NONE || ic->ioend_end_ns == XLV_NONE ||
	    ic->worker_pid < 0 || ic->ioend_end_ns < ic->ioend_start_ns)
		return true;
	tid = place(x, PROC_LOG, TID_LOG + ic->worker_pid, ic->worker_comm, ic->worker_pid,
		    ic->ioend_start_ns, ic->ioend_end_ns - ic->ioend_start_ns);
	if (!tid)
		return false;
	x->iclog_tid[i] = tid;
	slice(x, "log I/O end", "log", PROC_LOG, tid, ic->ioend_start_ns,
	      ic->ioend_end_ns - ic->ioend_start_ns);
	put_lsn(&x->w, ic->lsn);
	xlv_jsonw_int(&x->w, "start_ns", ic->ioend_start_ns);
	xlv_jsonw_int(&x->w, "ns", ic->ioend_end_ns - ic->ioend_start_ns);
	xlv_jsonw_int(&x->w, "cpu", ic->worker_cpu);
	xlv_jsonw_int(&x->w, "syncs", ic->syncs);
	xlv_jsonw_ns(&x->w, "in_order_ns", ic->in_order_ns);
	end_slice(x);
	return true;
}

/* --- iclogs --- */

static void async(struct export *x, const char *name, size_t i, int64_t from_ns, int64_t to_ns,
		  bool with_args)
{
	const struct xlv_iclog *ic = &x->run->iclogs[i];
	char id[32];

	if (from_ns == XLV_NONE || to_ns == XLV_NONE || to_ns < from_ns)
		return;
	snprintf(id, sizeof(id), "0x%zx", i + 1);
	for (int end = 0; end < 2; end++) {
		event(x, end ? "e" : "b", name, "iclog", PROC_ICLOGS, PROC_ICLOGS,
		      end ? to_ns : from_ns);
		xlv_jsonw_str(&x->w, "id", id);
		if (!end) {
			xlv_jsonw_object(&x->w, "args");
			put_lsn(&x->w, ic->lsn);
			xlv_jsonw_int(&x->w, "start_ns", from_ns);
			xlv_jsonw_int(&x->w, "ns", to_ns - from_ns);
			if (with_args) {
				xlv_jsonw_int(&x->w, "bytes", ic->bytes);
				xlv_jsonw_bool(&x->w, "fake", ic->fake);
				xlv_jsonw_str(&x->w, "submitter", ic->submit_comm);
				xlv_jsonw_int(&x->w, "submit_cpu", ic->submit_cpu);
				xlv_jsonw_int(&x->w, "done_cpu", ic->done_cpu);
			}
			xlv_jsonw_end(&x->w);
		}
		xlv_jsonw_end(&x->w);
	}
}

static int64_t first_known(int64_t a, int64_t b, int64_t c)
{
	return a != XLV_NONE ? a : b != XLV_NONE ? b : c;
}

/* From the first space taken to the buffer's reuse, and the phases of that. */
static void put_iclog(struct export *x, size_t i)
{
	const struct xlv_iclog *ic = &x->run->iclogs[i];
	int64_t begin_ns = first_known(ic->first_ns, ic->syncing_ns, ic->write_ns);
	int64_t clean_ns = first_known(ic->activate_ns, ic->clean_ns, ic->ioend_end_ns);
	int64_t io_ns = first_known(ic->bio_ns, ic->write_ns, XLV_NONE);

	async(x, "iclog", i, begin_ns, clean_ns, true);
	async(x, "iclog filling", i, begin_ns, first_known(ic->syncing_ns, ic->write_ns, XLV_NONE),
	      false);
	async(x, "iclog I/O", i, io_ns, ic->done_ns, false);
	async(x, "iclog callbacks", i, first_known(ic->callbacks_start_ns, ic->ioend_start_ns,
						   XLV_NONE),
	      first_known(ic->callbacks_done_ns, ic->clean_ns, XLV_NONE), false);
}

/* --- flows --- */

struct point {
	int32_t	proc, tid;
	int64_t	ts_ns;
};

static int64_t last_wake_ns(const struct xlv_detail *d, unsigned int queue)
{
	for (int i = d->nr_waits - 1; i >= 0; i--)
		if (d->waits[i].queue == queue)
			return d->waits[i].wake.running_ns;
	return XLV_NONE;
}

static bool follows(const struct point *p, int n, int64_t ts_ns)
{
	return ts_ns != XLV_NONE && ts_ns >= p[n - 1].ts_ns;
}

/* Where a sync's pipeline passes, in order of time. */
static int pipeline(const struct export *x, const struct xlv_sync *s, const struct xlv_detail *d,
		    int32_t tid, struct point p[4])
{
	const struct xlv_run *run = x->run;
	int64_t forced_ns = last_wake_ns(d, XLV_QUEUE_FORCE);
	int64_t back_ns = forced_ns != XLV_NONE ? forced_ns : last_wake_ns(d, XLV_QUEUE_COMMIT);
	int n = 0;

	if (s->force_ns == XLV_NONE)
		return 0;
	p[n++] = (struct point){ PROC_TASKS, tid, s->force_ns };
	if (s->push >= 0 && x->push_tid[s->push] && follows(p, n, run->pushes[s->push].start_ns))
		p[n++] = (struct point){ PROC_CIL, x->push_tid[s->push],
					 run->pushes[s->push].start_ns };
	if (forced_ns != XLV_NONE && s->iclog >= 0 && x->iclog_tid[s->iclog] &&
	    follows(p, n, run->iclogs[s->iclog].ioend_start_ns))
		p[n++] = (struct point){ PROC_LOG, x->iclog_tid[s->iclog],
					 run->iclogs[s->iclog].ioend_start_ns };
	if (n > 1 && follows(p, n, back_ns) && back_ns < s->start_ns + s->span_ns)
		p[n++] = (struct point){ PROC_TASKS, tid, back_ns };
	return n;
}

static void put_flow(struct export *x, const struct xlv_sync *s, const struct xlv_detail *d,
		     int32_t tid)
{
	struct point p[4];
	int n = pipeline(x, s, d, tid, p);

	if (n < 2)
		return;
	x->flows++;
	for (int i = 0; i < n; i++) {
		event(x, i == 0 ? "s" : i == n - 1 ? "f" : "t", "pipeline", "sync", p[i].proc,
		      p[i].tid, p[i].ts_ns);
		xlv_jsonw_int(&x->w, "id", x->flows);
		if (i == n - 1)
			xlv_jsonw_str(&x->w, "bp", "e");
		xlv_jsonw_end(&x->w);
	}
}

/* --- CPUs --- */

static void put_piece(struct export *x, int32_t tid, const struct xlv_piece *p)
{
	const char *name = p->comm;

	if (p->work == XLV_WORK_IDLE || p->work == XLV_WORK_UNKNOWN || p->end_ns <= p->start_ns)
		return;
	if (p->context != XLV_FROM_TASK || !name || !*name)
		name = p->func ? p->func : xlv_work_name(p->work);
	slice(x, name, xlv_work_name(p->work), PROC_CPUS, tid, p->start_ns,
	      p->end_ns - p->start_ns);
	xlv_jsonw_int(&x->w, "pid", p->pid);
	if (p->func)
		xlv_jsonw_str(&x->w, "function", p->func);
	if (p->sync)
		xlv_jsonw_int(&x->w, "sync", p->sync);
	if (p->preempted)
		xlv_jsonw_bool(&x->w, "preempted", true);
	end_slice(x);
}

static int put_cpus(struct export *x, struct xlv_trace *t, struct xlv_error *err)
{
	const struct xlv_trace_info *info = xlv_trace_info(t);
	const struct xlv_filter *filter = &x->rep->filter;
	struct xlv_window_opts opts = {
		.from_ns = filter->from_ns == XLV_NONE ? info->start_ns : filter->from_ns,
		.to_ns = filter->to_ns == XLV_NONE ? info->end_ns : filter->to_ns,
		.want = XLV_WIN_CPUS,
	};
	struct xlv_window *win;

	if (info->start_ns < 0 || opts.to_ns <= opts.from_ns)
		return 0;
	win = xlv_window_read(t, x->run, &opts, err);
	if (!win)
		return -1;
	for (int i = 0; i < win->nr_cpus; i++) {
		int32_t tid = TID_CPU + win->cpus[i].cpu;

		name_thread(x, PROC_CPUS, tid, NULL, 0);
		for (int j = 0; j < win->cpus[i].nr_pieces; j++)
			put_piece(x, tid, &win->cpus[i].pieces[j]);
	}
	xlv_window_free(win);
	return 0;
}

static bool in_window(const struct xlv_filter *f, int64_t ts_ns)
{
	return ts_ns != XLV_NONE && (f->from_ns == XLV_NONE || ts_ns >= f->from_ns) &&
	       (f->to_ns == XLV_NONE || ts_ns <= f->to_ns);
}

static void put_head(struct export *x)
{
	const struct xlv_source *src = &x->rep->source;

	xlv_jsonw_object(&x->w, NULL);
	xlv_jsonw_str(&x->w, "displayTimeUnit", "ns");
	xlv_jsonw_object(&x->w, "otherData");
	xlv_jsonw_str(&x->w, "generator", PACKAGE_STRING);
	xlv_jsonw_str(&x->w, "file", src->file);
	xlv_jsonw_str(&x->w, "kernel", src->kernel);
	xlv_jsonw_str(&x->w, "clock", src->clock);
	xlv_jsonw_str(&x->w, "boundaries", xlv_boundaries_name(src->boundaries));
	xlv_jsonw_bool(&x->w, "fake_completion", src->fake_completion);
	xlv_jsonw_end(&x->w);
	xlv_jsonw_array(&x->w, "traceEvents");
	name_processes(x);
}

/* Workers and iclogs first: flows refer to their slices. */
static bool put_journal(struct export *x)
{
	const struct xlv_run *run = x->run;

	for (size_t i = 0; i < run->nr_pushes; i++)
		if (in_window(&x->rep->filter, run->pushes[i].start_ns) && !put_push(x, i))
			return false;
	for (size_t i = 0; i < run->nr_iclogs; i++) {
		if (in_window(&x->rep->filter, run->iclogs[i].ioend_start_ns) && !put_ioend(x, i))
			return false;
		if (in_window(&x->rep->filter, run->iclogs[i].write_ns))
			put_iclog(x, i);
	}
	return true;
}

static int put_syncs(struct export *x, bool flows)
{
	struct xlv_detail d = { 0 };
	int ret = 0;

	for (int64_t i = 0; i < x->rep->nr_selected && !ret; i++) {
		const struct xlv_sync *s = x->rep->selected[i];

		if (s->span_ns == XLV_NONE || s->span_ns < 0)
			continue;
		if (xlv_sync_detail(x->run, s, &d))
			ret = -1;
		else if (flows)
			put_flow(x, s, &d, x->sync_tid[i]);
		else if (!put_sync(x, s, &d, &x->sync_tid[i]))
			ret = -1;
	}
	xlv_detail_free(&d);
	return ret;
}

int xlv_perfetto_write(FILE *f, struct xlv_trace *t, const struct xlv_report *rep,
		       struct xlv_error *err)
{
	struct export x = { .rep = rep, .run = rep->run };
	int ret = -1;

	x.sync_tid = calloc(rep->nr_selected + 1, sizeof(*x.sync_tid));
	x.push_tid = calloc(rep->run->nr_pushes + 1, sizeof(*x.push_tid));
	x.iclog_tid = calloc(rep->run->nr_iclogs + 1, sizeof(*x.iclog_tid));
	if (!x.sync_tid || !x.push_tid || !x.iclog_tid)
		goto no_memory;
	xlv_jsonw_init(&x.w, f, 2);
	put_head(&x);
	if (put_syncs(&x, false) || !put_journal(&x))
		goto no_memory;
	if (put_cpus(&x, t, err))
		goto done;
	if (put_syncs(&x, true))
		goto no_memory;
	xlv_jsonw_finish(&x.w);
	ret = 0;
	goto done;
no_memory:
	xlv_fail(err, "out of memory");
done:
	free(x.sync_tid);
	free(x.push_tid);
	free(x.iclog_tid);
	free(x.tracks);
	return ret;
}
