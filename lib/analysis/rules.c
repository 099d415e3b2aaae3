// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rules.h"
#include "analysis/words.h"

/* Words for sentences; each takes a buffer of its own in the caller's frame. */
#define NS(ns)		xlv_word_ns(&(struct xlv_word){ "" }, (ns))
#define SHARE(x)	xlv_word_share(&(struct xlv_word){ "" }, (x))
#define NAME(s)		xlv_word_name(&(struct xlv_word){ "" }, (s))

static double share_of(const struct xlv_facts *f, int64_t ns)
{
	return f->time_ns > 0 ? (double)ns / (double)f->time_ns : NAN;
}

static int64_t mean(int64_t ns, int64_t count)
{
	return count ? ns / count : XLV_NONE;
}

/* "once" or "17 times" */
#define TIMES(n)	times(&(struct xlv_word){ "" }, (n))

static const char *times(struct xlv_word *w, int64_t n)
{
	if (n == 1)
		return "once";
	snprintf(w->s, sizeof(w->s), "%lld times", (long long)n);
	return w->s;
}

/* --- evidence --- */

static void put_int(json_object *o, const char *key, int64_t v)
{
	json_object_object_add(o, key, v == XLV_NONE ? NULL : json_object_new_int64(v));
}

static void put_num(json_object *o, const char *key, double v)
{
	char s[32];

	if (!isfinite(v)) {
		json_object_object_add(o, key, NULL);
		return;
	}
	snprintf(s, sizeof(s), "%.6g", v);
	json_object_object_add(o, key, json_object_new_double_s(v, s));
}

static void put_name(json_object *o, const char *key, const char *name)
{
	json_object_object_add(o, key, json_object_new_string(NAME(name)));
}

static void put_matter(json_object *o, const struct xlv_matter *m)
{
	json_object *ids = json_object_new_array();

	put_int(o, "total_ns", m->ns);
	put_int(o, "count", m->count);
	put_int(o, "mean_ns", mean(m->ns, m->count));
	put_int(o, "syncs", m->syncs);
	for (int i = 0; i < XLV_EXAMPLES && m->example[i]; i++)
		json_object_array_add(ids, json_object_new_int(m->example[i]));
	json_object_object_add(o, "examples", ids);
}

static void put_parts(json_object *o, const int64_t *parts_ns)
{
	json_object *parts = json_object_new_object();

	for (unsigned int p = 0; p < XLV_PART_COUNT; p++)
		put_int(parts, xlv_part_name(p), parts_ns[p]);
	json_object_object_add(o, "parts_ns", parts);
}

static void put_names(json_object *o, const char *key, const struct xlv_facts *f,
		      const struct xlv_names *n)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < n->nr && i < 10; i++) {
		json_object *one = json_object_new_object();

		put_name(one, "name", n->v[i].name);
		put_int(one, "total_ns", n->v[i].ns);
		put_int(one, "count", n->v[i].count);
		put_num(one, "share", share_of(f, n->v[i].ns));
		json_object_array_add(list, one);
	}
	json_object_object_add(o, key, list);
}

/* --- wakes --- */

static const char *const who_is[XLV_WHO_COUNT] = {
	"the waiter", "the CIL worker", "the log worker"
};

/* Adds up one part of the wakes of waiters and workers. */
static struct xlv_matter part_of_all(const struct xlv_facts *f, enum xlv_part part)
{
	struct xlv_matter m = f->part[XLV_WHO_WAITER][part];

	for (int who = XLV_WHO_WAITER + 1; who < XLV_WHO_COUNT; who++) {
		const struct xlv_matter *w = &f->part[who][part];

		m.ns += w->ns;
		m.count += w->count;
		if (w->syncs > m.syncs)
			m.syncs = w->syncs;
		if (!m.example[0])
			memcpy(m.example, w->example, sizeof(m.example));
	}
	return m;
}

static void put_part(const struct xlv_facts *f, enum xlv_part part, const struct xlv_matter *m,
		     struct xlv_draft *d)
{
	put_matter(d->evidence, m);
	put_int(d->evidence, "waiter_ns", f->part[XLV_WHO_WAITER][part].ns);
	put_int(d->evidence, "cil_worker_ns", f->part[XLV_WHO_CIL_WORKER][part].ns);
	put_int(d->evidence, "log_worker_ns", f->part[XLV_WHO_LOG_WORKER][part].ns);
}

/* "waiters 8 %, the log worker 3 %": whose wakes a part belongs to */
static void say_whose(const struct xlv_facts *f, enum xlv_part part, FILE *to)
{
	static const char *const plural[] = { "waiters", "CIL workers", "log workers" };
	const char *sep = " (";

	for (int who = 0; who < XLV_WHO_COUNT; who++) {
		int64_t ns = f->part[who][part].ns;

		if (!ns)
			continue;
		fprintf(to, "%s%s %s", sep, plural[who], SHARE(share_of(f, ns)));
		sep = ", ";
	}
	if (*sep == ',')
		fputs(" of sync time)", to);
}

static bool judge_idle_exit(const struct xlv_facts *f, const struct xlv_rule *r,
			    struct xlv_draft *d)
{
	struct xlv_matter m = part_of_all(f, XLV_PART_IDLE_EXIT);
	json_object *states;
	int deepest = -1;

	(void)r;
	if (m.ns <= 0)
		return false;
	d->share = share_of(f, m.ns);
	fputs("Wake-ups wait for idle CPUs", d->title);
	fprintf(d->text, "%lld wake-ups found their CPU idle and waited %s on average until it ran "
		"them", (long long)m.count, NS(mean(m.ns, m.count)));
	say_whose(f, XLV_PART_IDLE_EXIT, d->text);
	fputs(".", d->text);
	states = json_object_new_object();
	for (int i = 0; i < 16; i++) {
		char key[16];

		if (!f->cstate_count[i])
			continue;
		deepest = i;
		snprintf(key, sizeof(key), i < 15 ? "%d" : "%d+", i);
		put_int(states, key, f->cstate_count[i]);
	}
	if (deepest > 0)
		fprintf(d->text, " The deepest idle state that was left is C-state index %d%s.", deepest,
			deepest == 15 ? " or deeper" : "");
	fputs("Keep the CPUs of this work out of deep idle: hold /dev/cpu_dma_latency at 0, or "
	      "disable the deeper states (cpupower idle-set -D). In a virtual machine poll before "
	      "halting: the haltpoll governor in the guest, or kvm's halt_poll_ns on the host. "
	      "Binding the task near its workers wakes fewer idle CPUs.", d->advice);
	put_part(f, XLV_PART_IDLE_EXIT, &m, d);
	json_object_object_add(d->evidence, "cstates", states);
	return true;
}

static bool judge_waker_busy(const struct xlv_facts *f, const struct xlv_rule *r,
			     struct xlv_draft *d)
{
	struct xlv_matter m = part_of_all(f, XLV_PART_WAKER_BUSY);

	(void)r;
	if (m.ns <= 0)
		return false;
	d->share = share_of(f, m.ns);
	fputs("Woken tasks wait behind their own waker", d->title);
	fprintf(d->text, "%lld wake-ups put the task on the CPU that still ran its waker, where it "
		"waited %s on average", (long long)m.count, NS(mean(m.ns, m.count)));
	say_whose(f, XLV_PART_WAKER_BUSY, d->text);
	fputs(".", d->text);
	fputs("The scheduler expects the waker to sleep at once, and often this is cheaper than a "
	      "move to another CPU. Where it is not, keep the task off the CPUs on which log I/O "
	      "completes (taskset, interrupt affinity), or give it a real-time priority (chrt -f 1) "
	      "so that it preempts its waker.", d->advice);
	put_part(f, XLV_PART_WAKER_BUSY, &m, d);
	return true;
}

static bool judge_irq(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	struct xlv_matter m = part_of_all(f, XLV_PART_IRQ);

	(void)r;
	if (m.ns <= 0)
		return false;
	d->share = share_of(f, m.ns);
	fputs("Interrupts delay woken tasks", d->title);
	fprintf(d->text, "Interrupts held the CPU of %lld woken tasks for %s on average",
		(long long)m.count, NS(mean(m.ns, m.count)));
	say_whose(f, XLV_PART_IRQ, d->text);
	fputs(".", d->text);
	fputs("See which interrupts these CPUs take (/proc/interrupts, /proc/softirqs) and move "
	      "those of other devices away (/proc/irq/N/smp_affinity); network receive work is the "
	      "usual one.", d->advice);
	put_part(f, XLV_PART_IRQ, &m, d);
	return true;
}

static const char *const behind_advice[XLV_WHO_COUNT] = {
	"Keep that task off the CPUs of the syncing task (taskset, cpusets), or raise the syncing "
	"task's priority over it (nice, chrt). A real-time task in the way holds the CPU until it "
	"sleeps or is throttled (kernel.sched_rt_runtime_us).",
	"The CIL push runs in an unbound kworker at nice 0, which competes with everything else. "
	"Leave it CPUs to itself (/sys/devices/virtual/workqueue/cpumask), keep busy tasks off "
	"them, and see whether the affinity scope of unbound work confines it "
	"(workqueue.default_affinity_scope, 6.5 and later).",
	"The log worker runs on the CPU that took the log I/O's completion, at nice -20: only "
	"real-time tasks, other high-priority workers and interrupts hold it up for long. Move "
	"those off that CPU, or the log device's interrupts to another (/proc/irq/N/smp_affinity).",
};

static bool judge_behind(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	const struct xlv_matter *m = &f->behind_all[r->arg];
	const struct xlv_names *n = &f->behind[r->arg];

	if (m->ns <= 0)
		return false;
	d->share = share_of(f, m->ns);
	if (n->nr)
		fprintf(d->title, "'%s' keeps %s from its CPU", NAME(n->v[0].name), who_is[r->arg]);
	else
		fprintf(d->title, "Other tasks keep %s from its CPU", who_is[r->arg]);
	if (n->nr) {
		const struct xlv_named *v = &n->v[0];

		fprintf(d->text, "'%s' held the CPU that %s had to run on %s, %s on average: %s of "
			"sync time", NAME(v->name), who_is[r->arg], TIMES(v->count),
			NS(mean(v->ns, v->count)), SHARE(share_of(f, v->ns)));
		for (int i = 1; i < n->nr && i < 3 && n->v[i].ns * 20 >= m->ns; i++)
			fprintf(d->text, "%s '%s' %s", i == 1 ? "; next come" : " and",
				NAME(n->v[i].name), SHARE(share_of(f, n->v[i].ns)));
		fputs(".", d->text);
		if (n->nr > 1)
			fprintf(d->text, " All %d tasks in its way together take %s.", n->nr, SHARE(d->share));
	} else {
		fprintf(d->text, "Other tasks held the CPU that %s had to run on %s, %s on average; the "
			"recording doesn't name them.", who_is[r->arg], TIMES(m->count),
			NS(mean(m->ns, m->count)));
	}
	fputs(behind_advice[r->arg], d->advice);
	put_matter(d->evidence, m);
	put_names(d->evidence, "tasks", f, n);
	return true;
}

/* What crossing costs by itself: the way to the other CPU, and waking that one up. */
static int64_t crossing_ns(const struct xlv_wake_sum *w)
{
	return w->parts_ns[XLV_PART_WAKEUP_IPI] + w->parts_ns[XLV_PART_IDLE_EXIT];
}

static bool judge_remote(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	const struct xlv_matter *far = &f->remote.all, *near = &f->local.all;
	int64_t far_mean = mean(crossing_ns(&f->remote), far->count);
	int64_t near_mean = mean(crossing_ns(&f->local), near->count);
	const char *sep = "; of them ";
	json_object *dist;

	(void)r;
	/* As quick as a wake-up at home: crossing isn't what costs. */
	if (crossing_ns(&f->remote) <= 0 || (near->count && far_mean <= near_mean))
		return false;
	d->share = share_of(f, crossing_ns(&f->remote));
	fputs("Wake-ups cross CPUs", d->title);
	fprintf(d->text, "%s of the wake-ups go to another CPU than the waker's and spend %s on average "
		"on the way there and on its leaving idle",
		SHARE((double)far->count / (double)(far->count + near->count)), NS(far_mean));
	if (near->count)
		fprintf(d->text, " (%s on the same CPU)", NS(near_mean));
	dist = json_object_new_object();
	for (unsigned int i = XLV_DIST_SAME_CORE; i < XLV_DIST_COUNT; i++) {
		static const char *const where[XLV_DIST_COUNT] = {
			[XLV_DIST_SAME_CORE] = "within a core",
			[XLV_DIST_SAME_LLC] = "within a last-level cache",
			[XLV_DIST_SAME_NODE] = "between last-level caches of a node",
			[XLV_DIST_OTHER_NODE] = "between nodes",
		};

		put_int(dist, xlv_distance_name(i), f->remote.distance[i]);
		if (!f->remote.distance[i] || !where[i])
			continue;
		fprintf(d->text, "%s%s %s", sep, SHARE((double)f->remote.distance[i] /
						       (double)far->count), where[i]);
		sep = ", ";
	}
	fputs(".", d->text);
	fputs("Each hop costs an interrupt between CPUs and cold caches. Bind the task, and steer the "
	      "log device's interrupts to the same last-level cache (/proc/irq/N/smp_affinity); "
	      "unbound workers stay near with workqueue.default_affinity_scope=cache (6.5 and "
	      "later).", d->advice);
	put_matter(d->evidence, far);
	put_int(d->evidence, "crossing_ns", crossing_ns(&f->remote));
	put_int(d->evidence, "crossing_mean_ns", far_mean);
	put_int(d->evidence, "local_count", near->count);
	put_int(d->evidence, "local_crossing_mean_ns", near_mean);
	put_parts(d->evidence, f->remote.parts_ns);
	json_object_object_add(d->evidence, "distances", dist);
	return true;
}

/* --- migration bounce --- */

/* As of 5.6 a task woken by a per-CPU kworker may stay on the kworker's CPU. */
static int kernel_keeps_tasks(const struct xlv_run *run)
{
	int major, minor;

	if (!run->info || !run->info->kernel ||
	    sscanf(run->info->kernel, "%d.%d", &major, &minor) != 2)
		return -1;
	return major > 5 || (major == 5 && minor >= 6);
}

static void advise_bounce(const struct xlv_run *run, FILE *to)
{
	int keeps = kernel_keeps_tasks(run);

	fputs("Bind the task to one CPU (taskset -c N): it then waits the few microseconds until the "
	      "worker sleeps, instead of paying for a move. ", to);
	if (keeps < 0)
		fputs("Since Linux 5.6 (52262ee567ad) the scheduler leaves such a task where it is, if "
		      "the waker is a bound kworker.", to);
	else if (keeps)
		fprintf(to, "Since Linux 5.6 (52262ee567ad) the scheduler leaves such a task where it is, "
			"if the waker is a bound kworker; %s should, so look for what turns that off: "
			"/sys/kernel/debug/sched/features, a patched or an extensible scheduler.",
			NAME(run->info->kernel));
	else
		fprintf(to, "%s lacks 52262ee567ad (Linux 5.6), which leaves such a task where it is if "
			"the waker is a bound kworker: update, or backport it.",
			NAME(run->info->kernel));
	fputs(" Completing log I/O on another CPU than the task's avoids the clash too "
	      "(/proc/irq/N/smp_affinity).", to);
}

static int64_t median(struct xlv_values v)
{
	struct xlv_dist dist = xlv_dist_make(v.v, v.nr);

	return v.nr ? dist.p50 : XLV_NONE;
}

static enum xlv_part largest_part(const int64_t *parts_ns)
{
	int best = 0;

	for (int p = 1; p < XLV_PART_COUNT; p++)
		if (parts_ns[p] > parts_ns[best])
			best = p;
	return best;
}

static void say_bounce_wakers(const struct xlv_facts *f, FILE *to)
{
	int64_t by_log = f->bounce_by[XLV_ROLE_LOG_WORKER];
	int64_t by_cil = f->bounce_by[XLV_ROLE_CIL_WORKER];
	int64_t writeback = f->bounce_writeback < f->bounce.all.count - by_log - by_cil ?
			    f->bounce_writeback : f->bounce.all.count - by_log - by_cil;
	int64_t rest = f->bounce.all.count - by_log - by_cil - writeback;
	const struct { const char *who; int64_t n; } by[] = {
		{ "the log worker", by_log }, { "the CIL worker", by_cil },
		{ "the worker that completes its data writeback", writeback },
		{ "another task", rest },
	};
	const char *sep = "";

	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++) {
		if (!by[i].n)
			continue;
		fprintf(to, "%s%s %s", sep, by[i].who, TIMES(by[i].n));
		sep = ", ";
	}
}

static void say_bounce(const struct xlv_facts *f, double per_sync, int64_t T4_moved,
		       int64_t T4_stayed, FILE *to)
{
	const struct xlv_matter *m = &f->bounce.all, *stay = &f->stay.all;
	enum xlv_part part = largest_part(f->bounce.parts_ns);

	if (per_sync > 1.9 && per_sync < 2.1)
		fputs("The task is moved to another CPU twice in every sync", to);
	else if (per_sync > 0.95 && per_sync < 1.1)
		fputs("The task is moved to another CPU once in every sync", to);
	else
		fprintf(to, "The task is moved to another CPU %.1f times a sync", per_sync);
	fputs(", because the worker that wakes it occupies the CPU that it slept on (", to);
	say_bounce_wakers(f, to);
	fprintf(to, "). Such a wake-up takes %s on average, %s of it %s", NS(mean(m->ns, m->count)),
		SHARE((double)f->bounce.parts_ns[part] / (double)m->ns), xlv_part_name(part));
	if (stay->count)
		fprintf(to, "; one that leaves it on its waker's CPU takes %s", NS(mean(stay->ns, stay->count)));
	fputs(".", to);
	if (T4_moved != XLV_NONE) {
		fprintf(to, " T4 is %s (p50) after such a move", NS(T4_moved));
		if (T4_stayed != XLV_NONE)
			fprintf(to, " and %s without", NS(T4_stayed));
		fputs(".", to);
	}
}

static bool judge_bounce(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	const struct xlv_matter *m = &f->bounce.all;
	double per_sync = f->nr ? (double)m->count / (double)f->nr : 0;
	int64_t T4_moved, T4_stayed;

	(void)r;
	/* Now and then is no pattern. */
	if (per_sync < 0.5 || m->ns <= 0)
		return false;
	T4_moved = median(f->bounce_T4);
	T4_stayed = median(f->stay_T4);
	d->share = share_of(f, m->ns);
	fputs("The task is bounced between CPUs by its own wakers", d->title);
	say_bounce(f, per_sync, T4_moved, T4_stayed, d->text);
	advise_bounce(f->run, d->advice);
	put_matter(d->evidence, m);
	put_num(d->evidence, "moves_per_sync", per_sync);
	put_int(d->evidence, "by_log_worker", f->bounce_by[XLV_ROLE_LOG_WORKER]);
	put_int(d->evidence, "by_cil_worker", f->bounce_by[XLV_ROLE_CIL_WORKER]);
	put_int(d->evidence, "before_log_force", f->bounce_writeback);
	put_int(d->evidence, "stayed", f->stay.all.count);
	put_int(d->evidence, "stayed_mean_ns", mean(f->stay.all.ns, f->stay.all.count));
	put_int(d->evidence, "T4_moved_p50_ns", T4_moved);
	put_int(d->evidence, "T4_stayed_p50_ns", T4_stayed);
	put_parts(d->evidence, f->bounce.parts_ns);
	return true;
}

static bool judge_worker_bound(const struct xlv_facts *f, const struct xlv_rule *r,
			       struct xlv_draft *d)
{
	const struct xlv_matter *m = &f->stage[XLV_STAGE_IOEND_QUEUE];

	(void)r;
	if (m->ns <= 0 || f->worker_known < 8 || f->run->info->nr_cpus < 2 ||
	    (double)f->worker_on_done_cpu < 0.95 * (double)f->worker_known)
		return false;
	d->share = share_of(f, m->ns);
	fputs("The log worker waits for the CPU that took the I/O's completion", d->title);
	fprintf(d->text, "The log worker ran on the CPU that took the log I/O's completion in %s of "
		"syncs, since it is bound to it, and took %s on average to start there.",
		SHARE((double)f->worker_on_done_cpu / (double)f->worker_known),
		NS(mean(m->ns, m->count)));
	if (f->done_cpus == 1)
		fputs(" All completions arrived on one CPU.", d->text);
	fputs("XFS hands completed log I/O to a per-CPU worker of the CPU on which the completion "
	      "arrives. Let it arrive where there is room: spread or move the log device's "
	      "interrupts (/proc/irq/N/smp_affinity), or complete on the submitter's CPU "
	      "(rq_affinity=2 in the device's queue directory).", d->advice);
	put_matter(d->evidence, m);
	put_int(d->evidence, "known", f->worker_known);
	put_int(d->evidence, "on_completion_cpu", f->worker_on_done_cpu);
	put_int(d->evidence, "completion_cpus", f->done_cpus);
	return true;
}

/* --- stages --- */

struct stage_words {
	enum xlv_stage	stage;
	const char	*title, *what, *advice;
};

static const struct stage_words stage_words[] = {
	{ XLV_STAGE_DATA_WRITEBACK, "Data writeback takes much of each sync",
	  "Writing the file's own data back before the log force",
	  "This time is spent before XFS forces its log. Write data back earlier (sync_file_range, "
	  "smaller vm.dirty_background_bytes), write less between syncs, overwrite preallocated and "
	  "written blocks instead of extending the file (no unwritten extents to convert), or use "
	  "direct I/O." },
	{ XLV_STAGE_CIL_QUEUE, "CIL pushes wait for a worker",
	  "Waiting until a worker took up the queued CIL push",
	  "The push runs in an unbound worker of xfs-cil. Before 5.15 one push at a time can run, "
	  "since then up to four; on 6.5 and later workqueue.default_affinity_scope decides how far "
	  "from the task the worker may be. See which part of its wake-up is largest." },
	{ XLV_STAGE_WRITE_WAIT, "Syncs wait for the previous iclog",
	  "Sleeping until the previous iclog was written (its ic_write_wait)",
	  "XFS holds the next log write back while the previous one is under way, to gather more "
	  "commits into it. It shows that syncs come faster than the log device completes writes: "
	  "sync less often or in groups, put the log on a faster device, or use larger log buffers "
	  "(logbsize=256k)." },
	{ XLV_STAGE_RUNNING, "The log force itself takes CPU time",
	  "The syncing task running in the log force, not waiting for anything,",
	  "This is XFS's log code and the locks in it. See where it runs or spins "
	  "(perf record -a -g during the load): contention for l_icloglock and the CIL's locks grows "
	  "with the CPUs that commit and complete log writes at once." },
	{ XLV_STAGE_CPU_SILENT, "CPUs went silent while they ran a task of the sync",
	  "Time on CPUs that ran a task of the path but showed neither an event nor a timer tick",
	  "That is not the task's own work: a host that took the virtual CPU away (compare steal in "
	  "/proc/stat, pin the virtual CPUs), firmware (the hwlat tracer tells), or code that ran "
	  "with interrupts off (the irqsoff tracer tells)." },
};

static bool judge_stage(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	const struct xlv_matter *m = &f->stage[r->arg];
	const struct stage_words *w = stage_words;

	while (w->stage != (enum xlv_stage)r->arg)
		w++;
	if (m->ns <= 0)
		return false;
	d->share = share_of(f, m->ns);
	fputs(w->title, d->title);
	fprintf(d->text, "%s takes %s of sync time: %s on average in %lld of %lld syncs.", w->what,
		SHARE(d->share), NS(mean(m->ns, m->syncs)), (long long)m->syncs, (long long)f->nr);
	fputs(w->advice, d->advice);
	put_matter(d->evidence, m);
	return true;
}

static bool judge_cil_queue(const struct xlv_facts *f, const struct xlv_rule *r,
			    struct xlv_draft *d)
{
	int64_t parts[XLV_PART_COUNT], sum = 0;
	enum xlv_part part;

	if (!judge_stage(f, r, d))
		return false;
	for (int p = 0; p < XLV_PART_COUNT; p++)
		sum += parts[p] = f->part[XLV_WHO_CIL_WORKER][p].ns;
	part = largest_part(parts);
	if (sum > 0)
		fprintf(d->text, " The largest part of it is %s (%s).", xlv_part_name(part),
			SHARE((double)parts[part] / (double)f->stage[r->arg].ns));
	put_parts(d->evidence, parts);
	return true;
}

static bool judge_silent(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	json_object *list;
	int shown = 0;

	if (!judge_stage(f, r, d))
		return false;
	list = json_object_new_array();
	for (size_t i = 0; i < f->run->nr_silences && shown < 5; i++) {
		const struct xlv_silence *s = &f->run->silences[i];
		json_object *one;

		if (!s->sync)
			continue;
		one = json_object_new_object();
		put_int(one, "cpu", s->cpu);
		put_name(one, "task", s->comm);
		put_int(one, "start_ns", s->start_ns);
		put_int(one, "ns", s->ns);
		put_int(one, "sync", s->sync);
		json_object_array_add(list, one);
		if (!shown++)
			fprintf(d->text, " For example CPU %d while it ran '%s': %s.", s->cpu, NAME(s->comm),
				NS(s->ns));
	}
	json_object_object_add(d->evidence, "silences", list);
	return true;
}

static bool judge_log_device(const struct xlv_facts *f, const struct xlv_rule *r,
			     struct xlv_draft *d)
{
	const struct xlv_matter *m = &f->log_device;

	(void)r;
	if (m->ns <= 0)
		return false;
	d->share = share_of(f, m->ns);
	fputs("Syncs wait for the log device", d->title);
	fprintf(d->text, "The device works on the log write for %s of sync time: %s on average in %lld "
		"of %lld syncs.", SHARE(d->share), NS(mean(m->ns, m->syncs)), (long long)m->syncs,
		(long long)f->nr);
	fputs("Only a faster log write or fewer of them shortens this: an external log on a device with "
	      "a non-volatile write cache (mkfs.xfs -l logdev=), fewer syncs for the same work, or "
	      "syncs that share log writes.", d->advice);
	put_matter(d->evidence, m);
	return true;
}

static bool judge_flush(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	const struct xlv_matter *log = &f->log_flush, *own = &f->stage[XLV_STAGE_DEVICE_FLUSH];
	int64_t ns = log->ns + own->ns;

	(void)r;
	if (ns <= 0)
		return false;
	d->share = share_of(f, ns);
	fputs("Syncs wait for the device to flush its cache", d->title);
	fprintf(d->text, "Flushing the device's write cache takes %s of sync time", SHARE(d->share));
	if (log->ns)
		fprintf(d->text, ", before the log write %s, %s each", TIMES(log->count),
			NS(mean(log->ns, log->count)));
	if (own->ns)
		fprintf(d->text, ", by the syncing task itself %s, %s each", TIMES(own->count),
			NS(mean(own->ns, own->count)));
	fputs(".", d->text);
	fputs("A device whose cache survives power loss needs no flush: see queue/write_cache of the "
	      "device, which should say 'write through' there. On others only fewer syncs, or more "
	      "syncs that share a log write, mean fewer flushes.", d->advice);
	put_matter(d->evidence, log->ns >= own->ns ? log : own);
	put_int(d->evidence, "total_ns", ns);
	put_int(d->evidence, "log_ns", log->ns);
	put_int(d->evidence, "own_ns", own->ns);
	return true;
}

static bool judge_in_order(const struct xlv_facts *f, const struct xlv_rule *r,
			   struct xlv_draft *d)
{
	const struct xlv_matter *m = &f->in_order;
	int64_t out_of_order = 0;

	(void)r;
	if (m->ns <= 0)
		return false;
	for (size_t i = 0; i < f->run->nr_iclogs; i++)
		out_of_order += f->run->iclogs[i].out_of_order;
	d->share = share_of(f, m->ns);
	fputs("Finished log writes wait for earlier ones", d->title);
	fprintf(d->text, "Iclogs whose write was done waited for an earlier one before their callbacks "
		"could run, %s on average, %s of sync time; %lld log writes finished out of order.",
		NS(mean(m->ns, m->count)), SHARE(d->share), (long long)out_of_order);
	fputs("XFS completes iclogs in log order. Look for what lets the device finish later writes "
	      "first: an I/O scheduler other than none, several paths, a striped volume below the "
	      "log, or completions on different CPUs.", d->advice);
	put_matter(d->evidence, m);
	put_int(d->evidence, "out_of_order", out_of_order);
	return true;
}

static bool judge_other_wait(const struct xlv_facts *f, const struct xlv_rule *r,
			     struct xlv_draft *d)
{
	const struct xlv_matter *m = &f->stage[XLV_STAGE_OTHER_WAIT];
	const struct xlv_names *n = &f->other_wait;

	(void)r;
	if (m->ns <= 0)
		return false;
	d->share = share_of(f, m->ns);
	fputs("Syncs sleep on something other than the log", d->title);
	fprintf(d->text, "Sleeps on something other than the log take %s of sync time, %s each on "
		"average", SHARE(d->share), NS(mean(m->ns, m->count)));
	for (int i = 0; i < n->nr && i < 3; i++)
		fprintf(d->text, "%s '%s' %s", i ? "," : ":", NAME(n->v[i].name),
			SHARE(share_of(f, n->v[i].ns)));
	fputs(n->nr ? "." : "; the recording doesn't show on what.", d->text);
	fputs("The usual ones are the inode's lock (another task writes the same file), page writeback "
	      "by someone else, and memory. Record with stacks of sched_switch to see the one at "
	      "hand.", d->advice);
	put_matter(d->evidence, m);
	put_names(d->evidence, "on", f, n);
	return true;
}

static bool judge_log_space(const struct xlv_facts *f, const struct xlv_rule *r,
			    struct xlv_draft *d)
{
	const struct xlv_throttle *space = &f->run->grant_wait, *cil = &f->run->cil_wait;

	(void)r;
	if (!space->count && !cil->count)
		return false;
	d->share = share_of(f, space->in_syncs_ns + cil->in_syncs_ns);
	fputs("The log is full or the CIL too large: committers are throttled", d->title);
	fprintf(d->text, "Transactions waited for log space %s (%s in all) and for the CIL's hard limit "
		"%s (%s in all); %s of it was in syncs.", TIMES(space->count), NS(space->total_ns),
		TIMES(cil->count), NS(cil->total_ns), NS(space->in_syncs_ns + cil->in_syncs_ns));
	fputs("The log is too small or written back too slowly for this load: make the filesystem with "
	      "a larger log (mkfs.xfs -l size=), and see that metadata writeback (xfsaild) isn't held "
	      "up by the device.", d->advice);
	put_int(d->evidence, "log_space_count", space->count);
	put_int(d->evidence, "log_space_ns", space->total_ns);
	put_int(d->evidence, "cil_count", cil->count);
	put_int(d->evidence, "cil_ns", cil->total_ns);
	put_int(d->evidence, "in_syncs_ns", space->in_syncs_ns + cil->in_syncs_ns);
	return true;
}

/* --- kinds of work --- */

static bool judge_flush_only(const struct xlv_facts *f, const struct xlv_rule *r,
			     struct xlv_draft *d)
{
	int64_t n = f->by_kind[XLV_KIND_FLUSH_ONLY], ns = f->kind_ns[XLV_KIND_FLUSH_ONLY];

	(void)r;
	if (!n)
		return false;
	d->share = share_of(f, ns);
	fputs("Syncs without a log force", d->title);
	fprintf(d->text, "%lld of %lld syncs had nothing in the log to wait for and only wrote data back "
		"and flushed the device's cache, %s on average.", (long long)n, (long long)f->nr,
		NS(mean(ns, n)));
	fputs("They overwrite blocks within the same timestamp tick, so that no metadata changed. "
	      "T1 to T4 don't apply to them: compare them apart from syncs that force the log.",
	      d->advice);
	put_int(d->evidence, "count", n);
	put_int(d->evidence, "of", f->nr);
	put_int(d->evidence, "total_ns", ns);
	return true;
}

static bool judge_group(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	int64_t forced = f->by_kind[XLV_KIND_LOG_FORCE] + f->by_kind[XLV_KIND_PIGGYBACK];
	int64_t wall = f->end_ns == XLV_NONE ? 0 : f->end_ns - f->begin_ns;
	double at_once = wall > 0 ? (double)f->time_ns / (double)wall : 0;
	double factor = f->iclogs ? (double)f->on_iclogs / (double)f->iclogs : NAN;

	(void)r;
	/* A lone task has nobody to share with. */
	if (at_once < 1.5 || !f->iclogs || !forced)
		return false;
	fputs(factor >= 1.2 ? "Syncs share log writes" : "Concurrent syncs hardly share log writes",
	      d->title);
	fprintf(d->text, "%.1f syncs run at once on average, and %.2f syncs share each log write.",
		at_once, factor);
	if (factor >= 1.2)
		fputs("Group commit works. More tasks that sync at once share more; the time of each then "
		      "includes waiting for the group.", d->advice);
	else
		fputs("Syncs that come while a log write is under way can share the next one. They do so "
		      "only when they overlap long enough; a device that completes at once leaves no "
		      "time for it.", d->advice);
	put_num(d->evidence, "syncs_at_once", at_once);
	put_num(d->evidence, "syncs_per_iclog", factor);
	put_int(d->evidence, "forced", forced);
	put_int(d->evidence, "iclogs", f->iclogs);
	return true;
}

static bool judge_fake(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	const struct xlv_run *run = f->run;

	(void)r;
	if (!run->fake_ios)
		return false;
	fputs("Log writes were completed without a device", d->title);
	fprintf(d->text, "%lld log writes were completed at once, without any I/O (fake completion), on a "
		"machine with %d CPUs. The figures hold no device time, no cache flush, and no "
		"completion interrupt; completion runs on the submitter's CPU, before the CIL push may "
		"even be over, so they are not what a fast device would give.",
		(long long)run->fake_ios, run->info->nr_cpus);
	fputs("Compare them with figures at the same CPU count only, stage by stage (xlogviz compare): "
	      "what the device took is partly replaced by CPUs that contend for the log. The log of "
	      "this filesystem can't be trusted any more: make it anew.", d->advice);
	put_int(d->evidence, "fake_ios", run->fake_ios);
	put_int(d->evidence, "log_bios", run->log_bios);
	put_int(d->evidence, "cpus", run->info->nr_cpus);
	return true;
}

/* --- how far to trust it --- */

static bool judge_lost(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	const struct xlv_trace_info *info = f->run->info;

	(void)r;
	if (!info->lost_events && !info->lost_uncounted)
		return false;
	fputs("Events were lost", d->title);
	fprintf(d->text, "%lld events", (long long)info->lost_events);
	if (info->lost_uncounted)
		fprintf(d->text, " and %s an unknown number", TIMES(info->lost_uncounted));
	fprintf(d->text, " were lost in recording; %lld of %lld syncs are partial for it and are left "
		"out of all figures.", (long long)f->partial_lost, (long long)f->selected);
	fputs("Record with larger buffers (trace-cmd record -b, xlogviz record --buffer-size), with "
	      "fewer events, or write the recording to a faster place.", d->advice);
	put_int(d->evidence, "lost_events", info->lost_events);
	put_int(d->evidence, "lost_uncounted", info->lost_uncounted);
	put_int(d->evidence, "partial_syncs", f->partial_lost);
	put_int(d->evidence, "syncs", f->selected);
	return true;
}

static bool judge_clock(const struct xlv_facts *f, const struct xlv_rule *r, struct xlv_draft *d)
{
	const struct xlv_trace_info *info = f->run->info;
	bool local = info->clock && !strcmp(info->clock, "local");

	(void)r;
	if (!local && !f->run->negative_deltas)
		return false;
	fputs("The clocks of the CPUs may differ", d->title);
	if (local)
		fputs("The recording uses the clock 'local', which may differ between CPUs", d->text);
	else
		fputs("The clocks of the CPUs differ", d->text);
	if (f->run->negative_deltas)
		fprintf(d->text, ": %lld times something on one CPU came out earlier than what caused it on "
			"another", (long long)f->run->negative_deltas);
	fputs(". Times across CPUs, T4 among them, are off by that much.", d->text);
	fputs("Record with the clock mono (trace-cmd record -C mono).", d->advice);
	put_name(d->evidence, "clock", info->clock);
	put_int(d->evidence, "negative_deltas", f->run->negative_deltas);
	return true;
}

static bool judge_unfinished(const struct xlv_facts *f, const struct xlv_rule *r,
			     struct xlv_draft *d)
{
	const struct xlv_run *run = f->run;
	const struct xlv_trace_info *info = run->info;
	bool holes = info->nr_damage || info->lost_events || info->lost_uncounted;
	int64_t waiters = 0, works = 0, oldest_ns = 0;
	json_object *list;

	(void)r;
	if (!run->nr_unfinished)
		return false;
	for (size_t i = 0; i < run->nr_unfinished; i++) {
		int64_t age_ns = run->info->end_ns - run->unfinished[i].since_ns;

		if (!strcmp(run->unfinished[i].what, "waiter"))
			waiters++;
		else
			works++;
		if (age_ns > oldest_ns)
			oldest_ns = age_ns;
	}
	/* No older than a sync can get here, or its end is among what is missing. */
	if (oldest_ns <= f->longest_ns || holes)
		d->severity = "note";
	fputs("Something never finished", d->title);
	fputs("When the recording ended", d->text);
	if (waiters)
		fprintf(d->text, " %lld task%s still slept in a sync and had not been woken",
			(long long)waiters, waiters == 1 ? "" : "s");
	if (works)
		fprintf(d->text, "%s %lld work item%s had not finished", waiters ? " and" : "",
			(long long)works, works == 1 ? "" : "s");
	fputs(":", d->text);
	list = json_object_new_array();
	for (size_t i = 0; i < run->nr_unfinished; i++) {
		const struct xlv_unfinished *u = &run->unfinished[i];
		json_object *one;

		if (i == 20)
			break;
		one = json_object_new_object();
		json_object_object_add(one, "what", json_object_new_string(u->what));
		put_int(one, "pid", u->pid < 0 ? XLV_NONE : u->pid);
		put_name(one, "comm", u->comm);
		put_name(one, "on", u->on);
		put_int(one, "since_ns", u->since_ns);
		put_int(one, "sync", u->sync ? u->sync : XLV_NONE);
		json_object_array_add(list, one);
		if (i >= 4)
			continue;
		if (u->pid < 0)
			fprintf(d->text, "%s %s, never started,", i ? ";" : "", NAME(u->on));
		else
			fprintf(d->text, "%s '%s' (%d) %s %s,", i ? ";" : "", NAME(u->comm), u->pid,
				strcmp(u->what, "waiter") ? "in" : "on",
				strcmp(u->on, "other") ? NAME(u->on) : "something other than the log");
		fprintf(d->text, " for %s", NS(run->info->end_ns - u->since_ns));
	}
	fprintf(d->text, "%s.", run->nr_unfinished > 4 ? "; and more" : "");
	if (holes)
		fputs(" Parts of the recording are missing, and their end may be among them.", d->text);
	else if (oldest_ns <= f->longest_ns)
		fprintf(d->text, " Other syncs took up to %s, so it may just have ended in the middle.",
			NS(f->longest_ns));
	fputs("Anything that lasts longer than any sync that finished is what a hang looks like. Start with the oldest: a waiter on 'force' needs its log I/O to "
	      "complete, one on 'commit' its CIL push; see the device, then the workers "
	      "(/proc/PID/stack, sysrq-w).", d->advice);
	put_int(d->evidence, "oldest_ns", oldest_ns);
	put_int(d->evidence, "longest_span_ns", f->longest_ns);
	put_int(d->evidence, "waiters", waiters);
	put_int(d->evidence, "works", works);
	json_object_object_add(d->evidence, "unfinished", list);
	return true;
}

const struct xlv_rule xlv_rules[] = {
	{ "unfinished", "warning",
	  "a waiter was never woken, or work never finished, before the recording ended",
	  judge_unfinished, 0 },
	{ "lost-events", "warning", "the recording lost events", judge_lost, 0 },
	{ "clock-skew", "warning",
	  "the clock is 'local', or an effect came before its cause on another CPU", judge_clock, 0 },
	{ "migration-bounce", "warning",
	  "at least every second sync is moved off the CPU that the task which wakes it occupies",
	  judge_bounce, 0 },
	{ "waiter-behind-task", "warning",
	  "another task held the CPU that the syncing task, woken or preempted, had to run on",
	  judge_behind, XLV_WHO_WAITER },
	{ "cil-worker-behind-task", "warning",
	  "another task held the CPU that the CIL worker had to run on",
	  judge_behind, XLV_WHO_CIL_WORKER },
	{ "log-worker-behind-task", "warning",
	  "another task held the CPU that the log worker had to run on",
	  judge_behind, XLV_WHO_LOG_WORKER },
	{ "cpu-silent", "warning",
	  "a CPU that ran a task on the path showed no event for more than two timer ticks",
	  judge_silent, XLV_STAGE_CPU_SILENT },
	{ "log-space", "warning", "transactions waited for log space or for the CIL's hard limit",
	  judge_log_space, 0 },
	{ "wake-idle-exit", "note", "woken tasks waited for their CPU to leave idle",
	  judge_idle_exit, 0 },
	{ "wake-behind-waker", "note", "woken tasks waited for their waker to leave their CPU",
	  judge_waker_busy, 0 },
	{ "wake-remote", "note", "wake-ups to another CPU take longer than those on the same one",
	  judge_remote, 0 },
	{ "wake-irq", "note", "interrupts held the CPU of woken tasks", judge_irq, 0 },
	{ "log-worker-bound", "note",
	  "the log worker nearly always runs on the CPU of the I/O completion and waits for it",
	  judge_worker_bound, 0 },
	{ "data-writeback", "note", "data writeback came before the log force",
	  judge_stage, XLV_STAGE_DATA_WRITEBACK },
	{ "log-device", "note", "the device worked on log writes that syncs waited for",
	  judge_log_device, 0 },
	{ "device-flush", "note", "the device flushed its cache while syncs waited", judge_flush, 0 },
	{ "cil-queue", "note", "queued CIL pushes waited for a worker",
	  judge_cil_queue, XLV_STAGE_CIL_QUEUE },
	{ "write-wait", "note", "syncs slept on the previous iclog",
	  judge_stage, XLV_STAGE_WRITE_WAIT },
	{ "in-order", "note", "callbacks of a finished log write waited for an earlier one",
	  judge_in_order, 0 },
	{ "log-force-cpu", "note", "the task ran in the log force without waiting",
	  judge_stage, XLV_STAGE_RUNNING },
	{ "other-wait", "note", "syncs slept on something other than the log", judge_other_wait, 0 },
	{ "fake-completion", "note", "log writes were completed without a device", judge_fake, 0 },
	{ "flush-only", "info", "syncs needed no log force", judge_flush_only, 0 },
	{ "group-commit", "info", "several syncs run at once", judge_group, 0 },
	{ NULL, NULL, NULL, NULL, 0 }
};
