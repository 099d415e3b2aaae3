// SPDX-License-Identifier: GPL-2.0-or-later
/* One pass over a trace, and what can only be said at its end. */
#include "config.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/syncs.h"
#include "model/ticks.h"

struct build {
	struct xlv_run		*run;
	struct xlv_strpool	*pool;
	struct xlv_arena	*arena;
	struct xlv_sched	sched;
	struct xlv_journal	journal;
	struct xlv_syncs	syncs;
	struct xlv_ticks	ticks;
};

/* The run that callers see is the head of what has to be freed with it. */
struct whole {
	struct xlv_run		run;
	struct xlv_strpool	*pool;
	struct xlv_arena	arena;		/* the syncs' details */
};

static void on_out(void *arg, struct xlv_task *t, int64_t ns, bool preempted,
		   const struct xlv_task *next)
{
	struct build *b = arg;

	if (!preempted && t->sleep_why)
		t->throttled_ns = ns;
	xlv_journal_out(t, ns, preempted, next);
	xlv_syncs_out(&b->syncs, t, ns, preempted, next);
}

/* A sleep on log space or on the CIL's limit is over. */
static void throttled(struct build *b, struct xlv_task *t, int64_t ns)
{
	struct xlv_throttle *to = t->sleep_why == XLV_EV_XFS_GRANT_SLEEP ?
				  &b->run->grant_wait : &b->run->cil_wait;

	to->total_ns += ns - t->throttled_ns;
	if (t->sync && t->sync->is_sync)
		to->in_syncs_ns += ns - t->throttled_ns;
	t->throttled_ns = XLV_NONE;
}

static void on_in(void *arg, struct xlv_task *t, int64_t ns, bool implied)
{
	struct build *b = arg;

	if (t->throttled_ns != XLV_NONE)
		throttled(b, t, ns);
	xlv_journal_in(&b->journal, t, ns);
	xlv_syncs_in(&b->syncs, t, ns, implied);
	if (t->is == XLV_IS_ASLEEP)
		t->sleep_why = 0;
}

static void on_woken(void *arg, struct xlv_task *t, struct xlv_task *waker)
{
	xlv_syncs_woken(&((struct build *)arg)->syncs, t, waker);
}

static void on_woken_late(void *arg, struct xlv_task *t, struct xlv_task *waker)
{
	xlv_syncs_woken_late(&((struct build *)arg)->syncs, t, waker);
}

static void on_hole(void *arg, int cpu, const struct xlv_task *t, int64_t from_ns, int64_t to_ns)
{
	xlv_ticks_hole(&((struct build *)arg)->ticks, cpu, t->pid, t->comm, from_ns, to_ns);
}

/* Throttles are anybody's sleeps, so they are counted here and not by sync. */
static void throttle(struct build *b, const struct xlv_event *ev)
{
	if (ev->type == XLV_EV_XFS_GRANT_SLEEP)
		b->run->grant_wait.count++;
	else if (ev->type == XLV_EV_XFS_CIL_WAIT)
		b->run->cil_wait.count++;
}

static void seen_dev(struct xlv_run *run, uint32_t dev)
{
	for (int i = 0; i < run->nr_devs; i++)
		if (run->devs[i] == dev)
			return;
	if (dev && run->nr_devs < (int)(sizeof(run->devs) / sizeof(*run->devs)))
		run->devs[run->nr_devs++] = dev;
}

/* Who has to look at an event, besides the scheduler. */
enum { FOR_TICKS = 1, FOR_JOURNAL = 2, FOR_SYNCS = 4, FOR_RUN = 8 };

/* FOR_SYNCS: also where the task is in no sync. In one, every event of it counts. */
static const uint8_t feeds[XLV_EV_COUNT] = {
	[XLV_EV_IRQ_ENTRY ... XLV_EV_VECTOR_EXIT]	= FOR_TICKS,
	[XLV_EV_WQ_QUEUE]				= FOR_JOURNAL,
	[XLV_EV_WQ_START]				= FOR_JOURNAL | FOR_SYNCS,
	[XLV_EV_WQ_END]					= FOR_JOURNAL,
	[XLV_EV_BIO_QUEUE ... XLV_EV_RQ_COMPLETE]	= FOR_JOURNAL,
	[XLV_EV_XFS_FILE_FSYNC]				= FOR_JOURNAL | FOR_SYNCS | FOR_RUN,
	[XLV_EV_XFS_LOG_FORCE]				= FOR_SYNCS | FOR_RUN,
	[XLV_EV_XFS_CIL_WAIT]				= FOR_SYNCS | FOR_RUN,
	[XLV_EV_XFS_GRANT_SLEEP]			= FOR_SYNCS | FOR_RUN,
	[XLV_EV_ICLOG_ACTIVATE ... XLV_EV_ICLOG_WRITE]	= FOR_JOURNAL,
	[XLV_EV_FAKE_IO]				= FOR_JOURNAL,
	[XLV_EV_SYS_ENTER]				= FOR_JOURNAL | FOR_SYNCS,
	[XLV_EV_SYS_EXIT]				= FOR_JOURNAL | FOR_SYNCS,
};

static int feed(struct build *b, const struct xlv_event *ev)
{
	unsigned int to = feeds[ev->type];
	struct xlv_task *cur;
	bool irq;

	if (ev->type == XLV_EV_LOST) {
		int64_t from = ev->cpu >= 0 && ev->cpu < b->sched.nr_cpus ?
			       b->sched.cpu[ev->cpu].last_ns : XLV_NONE;

		xlv_syncs_lost(&b->syncs, ev->cpu, from, ev->ts_ns);
	}
	cur = xlv_sched_event(&b->sched, ev);
	if (!cur)
		return -1;
	if (ev->type == XLV_EV_LOST)
		return 0;
	/* half of all events are of tasks that don't sync, and nobody else's business */
	if (!to && !cur->sync)
		return b->syncs.failed ? -1 : 0;
	irq = xlv_sched_in_irq(&b->sched, ev);
	if (to & FOR_TICKS)
		xlv_ticks_event(&b->ticks, ev);
	if (to & FOR_JOURNAL)
		xlv_journal_event(&b->journal, ev, cur, irq);
	if (!irq && (cur->sync || to & FOR_SYNCS))
		xlv_syncs_event(&b->syncs, ev, cur);
	if (to & FOR_RUN) {
		seen_dev(b->run, ev->xfs.dev);
		throttle(b, ev);
	}
	return b->journal.failed || b->syncs.failed ? -1 : 0;
}

/* ---- what can only be said at the end ---- */

static int by_start(const void *a, const void *b)
{
	const struct xlv_sync *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/*
 * Syncs come in order of their end. Those of a few tasks are soon put in order of
 * their start by insertion; where that takes long, there is qsort().
 */
static void sort_syncs(struct xlv_sync *v, size_t nr)
{
	size_t left = 16 * nr, k;
	struct xlv_sync s;

	for (size_t i = 1; i < nr; i++) {
		for (k = i; k && by_start(&v[i], &v[k - 1]) < 0; k--)
			if (!left--) {
				qsort(v, nr, sizeof(*v), by_start);
				return;
			}
		if (k == i)
			continue;
		s = v[i];
		memmove(&v[k + 1], &v[k], (i - k) * sizeof(*v));
		v[k] = s;
	}
}

static void place(const struct xlv_run *run, struct xlv_sync *s)
{
	int32_t letters[6];
	int n = 0;

	if (s->kind == XLV_KIND_FLUSH_ONLY)
		return;
	if (s->push >= 0 && (size_t)s->push < run->nr_pushes)
		s->place_cpu[1] = run->pushes[s->push].worker_cpu;
	if (s->iclog >= 0 && (size_t)s->iclog < run->nr_iclogs) {
		s->place_cpu[2] = run->iclogs[s->iclog].submit_cpu;
		s->place_cpu[3] = run->iclogs[s->iclog].done_cpu;
		s->place_cpu[4] = run->iclogs[s->iclog].worker_cpu;
	}
	for (int i = 0; i < 6; i++) {
		int k = 0;

		s->placement[i] = '-';
		if (s->place_cpu[i] < 0)
			continue;
		while (k < n && letters[k] != s->place_cpu[i])
			k++;
		if (k == n)
			letters[n++] = s->place_cpu[i];
		s->placement[i] = 'A' + k;
	}
}

static void finish_syncs(struct xlv_run *run)
{
	sort_syncs(run->syncs, run->nr_syncs);
	for (size_t i = 0; i < run->nr_syncs; i++) {
		struct xlv_sync *s = &run->syncs[i];

		s->id = i + 1;
		if (s->iclog >= 0 && s->group_pos)
			s->group_size = run->iclogs[s->iclog].syncs;
		place(run, s);
		if (s->bounds > run->bounds && s->bounds < XLV_BOUNDS_AUTO)
			run->bounds = s->bounds;
	}
}

static void count_unseen(struct build *b)
{
	int64_t most = 0;

	b->run->unseen_cpu = -1;
	for (int32_t i = 0; i < b->sched.nr_cpus; i++) {
		b->run->unseen_switches += b->sched.cpu[i].unseen_switches;
		if (b->sched.cpu[i].unseen_switches > most) {
			most = b->sched.cpu[i].unseen_switches;
			b->run->unseen_cpu = i;
		}
	}
}

static const char *sleeps_on(const struct xlv_sync_build *b)
{
	const struct xlv_detail *d = &b->d;

	if (!b->in_force)
		return "other";
	if (d->nr_waits && b->wait_on_ns[d->nr_waits - 1] != XLV_NONE)
		return "force";
	return b->f.first_iclog_ns == XLV_NONE ? "commit" : "write or other";
}

static int add_unfinished(struct xlv_run *run, const struct xlv_unfinished *u)
{
	struct xlv_unfinished *more;

	if (run->nr_unfinished == 10000)
		return 0;
	more = realloc(run->unfinished, (run->nr_unfinished + 1) * sizeof(*more));
	if (!more)
		return -1;
	run->unfinished = more;
	run->unfinished[run->nr_unfinished++] = *u;
	return 0;
}

static int find_unfinished(struct build *b)
{
	for (struct xlv_sync_build *s = b->syncs.open; s; s = s->next) {
		struct xlv_unfinished u = {
			.what = "waiter", .pid = s->task->pid, .comm = s->task->comm,
		};

		if (!s->is_sync || !s->asleep || s->task->is != XLV_IS_ASLEEP)
			continue;
		u.on = sleeps_on(s);
		u.since_ns = s->d.waits[s->d.nr_waits - 1].start_ns;
		if (add_unfinished(b->run, &u))
			return -1;
	}
	for (size_t i = 0; i < b->journal.nr_slots; i++)
		for (const struct xlv_work *w = b->journal.slot[i]; w; w = w->next) {
			struct xlv_unfinished u = {
				.what = "work", .pid = w->started ? w->worker_pid : -1,
				.since_ns = w->started ? w->start_ns : w->queued_ns,
				.on = w->func == XLV_FN_CIL_PUSH ? "xlog_cil_push_work" :
				      "xlog_ioend_work",
			};

			if (w->started) {
				struct xlv_task *t = xlv_sched_task(&b->sched, w->worker_pid);

				u.comm = t ? t->comm : NULL;
			}
			if (add_unfinished(b->run, &u))
				return -1;
		}
	return 0;
}

/* A waiter's sync gets its id only when all are in order. */
static void name_unfinished(struct xlv_run *run)
{
	for (size_t i = 0; i < run->nr_unfinished; i++) {
		struct xlv_unfinished *u = &run->unfinished[i];

		for (size_t k = run->nr_syncs; k-- > 0 && !u->sync; )
			if (run->syncs[k].pid == u->pid && !strcmp(u->what, "waiter") &&
			    run->syncs[k].reasons & XLV_PARTIAL_END)
				u->sync = run->syncs[k].id;
	}
}

static int32_t json_i32(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) &&
	       json_object_is_type(v, json_type_int) ? json_object_get_int(v) : -1;
}

/* The recorder's list of CPUs: [{"cpu": 0, "core": 0, "llc": 0, "node": 0}, ...] */
static int read_topology(struct xlv_run *run)
{
	struct json_object *meta, *cpus = NULL;
	struct xlv_topology *t = &run->topology;
	int ret = -1;
	size_t nr;

	if (!run->info->metadata)
		return 0;
	meta = json_tokener_parse(run->info->metadata);
	if (!json_object_object_get_ex(meta, "topology", &cpus) ||
	    !json_object_is_type(cpus, json_type_array)) {
		ret = 0;
		goto out;
	}
	nr = json_object_array_length(cpus);
	if (nr > 65536)
		nr = 65536;
	for (size_t i = 0; i < nr; i++) {
		int32_t cpu = json_i32(json_object_array_get_idx(cpus, i), "cpu");

		if (cpu >= t->nr && cpu < 65536)
			t->nr = cpu + 1;
	}
	t->core = malloc((t->nr + 1) * sizeof(*t->core));
	t->llc = malloc((t->nr + 1) * sizeof(*t->llc));
	t->node = malloc((t->nr + 1) * sizeof(*t->node));
	if (!t->core || !t->llc || !t->node)
		goto out;
	for (int32_t i = 0; i < t->nr; i++)
		t->core[i] = t->llc[i] = t->node[i] = -1;
	for (size_t i = 0; i < nr; i++) {
		struct json_object *o = json_object_array_get_idx(cpus, i);
		int32_t cpu = json_i32(o, "cpu");

		if (cpu < 0 || cpu >= t->nr)
			continue;
		t->core[cpu] = json_i32(o, "core");
		t->llc[cpu] = json_i32(o, "llc");
		t->node[cpu] = json_i32(o, "node");
	}
	ret = 0;
out:
	json_object_put(meta);
	return ret;
}

static int bounds_found(struct xlv_run *run, enum xlv_boundaries asked, struct xlv_error *err)
{
	const struct xlv_trace_info *info = run->info;
	bool xfs = info->count[XLV_EV_XFS_LOG_FORCE] || info->count[XLV_EV_XFS_FILE_FSYNC];

	run->bounds_have[XLV_BOUNDS_TRACEPOINT] = xfs;
	if (asked == XLV_BOUNDS_AUTO || asked == XLV_BOUNDS_TRACEPOINT) {
		if (run->bounds == XLV_BOUNDS_NONE && xfs)
			run->bounds = XLV_BOUNDS_TRACEPOINT;
		return 0;
	}
	if (!run->bounds_have[asked])
		return xlv_fail(err, "'%s' holds no %s boundaries: leave --boundaries out, or record with %s",
				info->file, xlv_boundaries_name(asked),
				asked == XLV_BOUNDS_KPROBE ? "'xlogviz record --probes kprobe'" :
				"a kernel that has the span tracepoints patch");
	run->bounds = asked;
	return 0;
}

static int build_all(struct build *b, struct xlv_trace *t, const struct xlv_run_opts *opts,
		     struct xlv_error *err)
{
	struct xlv_run *run = b->run;
	struct xlv_event ev;
	int64_t n = 0;
	int r;

	while ((r = xlv_trace_next(t, &ev)) > 0) {
		if (ev.type >= XLV_EV_FORCE_ENTER && ev.type <= XLV_EV_FORCE_WAIT_EXIT)
			run->bounds_have[ev.probe ? XLV_BOUNDS_KPROBE : XLV_BOUNDS_PATCHED] = true;
		if (feed(b, &ev))
			return xlv_fail(err, "out of memory while reading '%s'", run->info->file);
		if (!(++n & 0x3ffff) && opts->progress)
			opts->progress(xlv_trace_progress(t), opts->arg);
	}
	if (r < 0)
		return xlv_fail(err, "%s", xlv_trace_error(t));
	if (find_unfinished(b))
		return xlv_fail(err, "out of memory");
	xlv_syncs_finish(&b->syncs);
	if (b->syncs.failed)
		return xlv_fail(err, "out of memory");
	finish_syncs(run);
	count_unseen(b);
	name_unfinished(run);
	if (xlv_ticks_finish(&b->ticks, run, b->arena) || read_topology(run))
		return xlv_fail(err, "out of memory");
	return bounds_found(run, opts->bounds, err);
}

struct xlv_run *xlv_run_build(struct xlv_trace *t, const struct xlv_run_opts *opts,
			      struct xlv_error *err)
{
	static const struct xlv_run_opts defaults = { .bounds = XLV_BOUNDS_AUTO };
	struct whole *w = calloc(1, sizeof(*w));
	struct build b = { 0 };
	struct xlv_sched_hooks hooks = {
		.arg = &b, .out = on_out, .in = on_in, .woken = on_woken,
		.woken_late = on_woken_late, .hole = on_hole,
	};
	bool ok = false;

	if (!opts)
		opts = &defaults;
	if (!w || !(w->pool = xlv_strpool_new())) {
		free(w);
		xlv_fail(err, "out of memory");
		return NULL;
	}
	b.run = &w->run;
	b.pool = w->pool;
	b.arena = &w->arena;
	b.run->info = xlv_trace_info(t);
	b.run->tick_ns = XLV_NONE;
	if (xlv_sched_init(&b.sched, b.pool, &hooks, b.run->info) ||
	    xlv_journal_init(&b.journal, b.run, &b.sched) ||
	    xlv_syncs_init(&b.syncs, b.run, &b.sched, &b.journal, b.arena, opts->bounds))
		xlv_fail(err, "out of memory");
	else
		ok = !build_all(&b, t, opts, err);
	xlv_syncs_free(&b.syncs);
	xlv_journal_free(&b.journal);
	xlv_sched_free(&b.sched);
	xlv_ticks_free(&b.ticks);
	if (!ok) {
		xlv_run_free(b.run);
		return NULL;
	}
	return b.run;
}

void xlv_run_free(struct xlv_run *run)
{
	struct whole *w = (struct whole *)run;

	if (!run)
		return;
	free(run->syncs);
	free(run->pushes);
	free(run->iclogs);
	free(run->callers);
	free(run->silences);
	free(run->unfinished);
	free(run->topology.core);
	free(run->topology.llc);
	free(run->topology.node);
	xlv_strpool_free(w->pool);
	xlv_arena_free(&w->arena);
	free(w);
}
