// SPDX-License-Identifier: GPL-2.0-or-later
/* What a comparison says in words: how much, why, and how far to trust it. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "analysis/jsonr.h"
#include "analysis/words.h"

#define MAX_REASONS	6
#define MIN_SHARE	0.05	/* of all changes, for a reason to be given */

#define NS(ns)		xlv_word_ns(&(struct xlv_word){ "" }, ns)
#define SHARE(x)	xlv_word_share(&(struct xlv_word){ "" }, x)
#define NAME(s)		xlv_word_name(&(struct xlv_word){ "" }, s)

static const char *signed_ns(struct xlv_word *w, int64_t ns)
{
	struct xlv_word plain;

	snprintf(w->s, sizeof(w->s), "%s%s", ns > 0 ? "+" : "", xlv_word_ns(&plain, ns));
	return w->s;
}

#define SIGNED(ns)	signed_ns(&(struct xlv_word){ "" }, ns)

static double per(int64_t part, int64_t n)
{
	return n ? (double)part / (double)n : 0;
}

static int64_t mean(int64_t sum, int64_t n)
{
	return n ? xlv_mean_round(sum, n) : XLV_NONE;
}

/* --- the headline --- */

static void say_amount(FILE *to, const struct xlv_comparison *c, const struct xlv_account *a)
{
	int64_t diff = a->other_ns - a->base_ns;

	fprintf(to, "%s %s than in %s: %s instead of %s", NS(llabs(diff)),
		diff < 0 ? "less" : "more", NAME(c->base->name), NS(a->other_ns), NS(a->base_ns));
	if (a->base_ns > 0)
		fprintf(to, " (%+.0f %%)", 100.0 * (double)diff / (double)a->base_ns);
}

static void say_headline(FILE *to, const struct xlv_comparison *c)
{
	switch (c->verdict) {
	case XLV_VERDICT_UNKNOWN:
		if (!c->has_account) {
			fprintf(to, "There is no complete sync in %s to compare.",
				NAME(c->base->sums.n ? c->other->name : c->base->name));
			break;
		}
		fprintf(to, "In %s the mean sync takes ", NAME(c->other->name));
		say_amount(to, c, &c->account);
		fputs(". How sure that is can't be said: ", to);
		if (!c->base->has_rows || !c->other->has_rows)
			fputs("a merged report holds no single syncs.", to);
		else
			fprintf(to, "there are too few syncs (%lld and %lld; %d are needed).",
				(long long)c->base->sums.n, (long long)c->other->sums.n,
				XLV_BOOT_MIN_N);
		break;
	case XLV_VERDICT_NONE:
		fprintf(to, "No evidence of a difference between %s and %s: every interval "
			"includes zero.", NAME(c->base->name), NAME(c->other->name));
		break;
	case XLV_VERDICT_DIFFERENT:
		if (xlv_estimate_differs(&c->boot.est[XLV_I_SPAN][XLV_STAT_P50]))
			fprintf(to, "From %s to %s the typical sync and the mean sync change in "
				"opposite directions.", NAME(c->base->name), NAME(c->other->name));
		else
			fprintf(to, "No evidence that the typical or the mean sync takes longer in "
				"one of %s and %s than in the other, but other figures differ.",
				NAME(c->base->name), NAME(c->other->name));
		break;
	case XLV_VERDICT_SLOWER:
	case XLV_VERDICT_FASTER:
		fprintf(to, "In %s a typical sync takes ", NAME(c->other->name));
		say_amount(to, c, c->has_typical ? &c->typical : &c->account);
		fputs(".", to);
		break;
	}
}

/* --- reasons --- */

/* What a stage is, in a clause that begins "the time ...". */
static const char *const stage_is[XLV_STAGE_COUNT] = {
	[XLV_STAGE_WRITE]	   = "copying the data, before the sync itself",
	[XLV_STAGE_DATA_WRITEBACK] = "writing the data back, before the log force",
	[XLV_STAGE_CIL_QUEUE]	   = "the CIL push waits for its worker to run",
	[XLV_STAGE_CIL_PUSH]	   = "the CIL worker writes the changes into iclogs",
	[XLV_STAGE_CIL_WAKE]	   = "the task waits to run after the CIL worker woke it",
	[XLV_STAGE_WRITE_WAIT]	   = "asleep because the previous iclog is still being written",
	[XLV_STAGE_ICLOG_SUBMIT]   = "preparing and submitting the iclog",
	[XLV_STAGE_LOG_IO]	   = "the log write, from submission to the device's completion",
	[XLV_STAGE_IOEND_QUEUE]	   = "the log worker waits to run after the log write is done",
	[XLV_STAGE_CALLBACKS]	   = "the log worker's way to the waiter, earlier iclogs first",
	[XLV_STAGE_WAKE]	   = "the task waits to run after the log worker woke it (T4)",
	[XLV_STAGE_EXIT]	   = "from the log force back to user space",
	[XLV_STAGE_DEVICE_FLUSH]   = "the task itself flushes the device cache",
	[XLV_STAGE_OTHER_WAIT]	   = "asleep on something else than the log",
	[XLV_STAGE_RUNNING]	   = "the task is on a CPU in the log force, without an event that "
				     "says what it does (it spins on a lock, or its CPU was taken "
				     "away)",
	[XLV_STAGE_RUNNABLE]	   = "the task could run, but another had its CPU",
	[XLV_STAGE_CPU_SILENT]     = "the CPU was taken away by the host or had interrupts off",
};

static const char *const leaf_is[XLV_LEAF_COUNT] = {
	[XLV_PART_WAKEUP_IPI]	= "the wake-up's way to the other CPU",
	[XLV_PART_IDLE_EXIT]	= "the CPU leaving idle",
	[XLV_PART_WAKER_BUSY]	= "its waker still on the CPU",
	[XLV_PART_OTHER_TASK]	= "another task on the CPU",
	[XLV_PART_IRQ]		= "interrupts on the CPU",
	[XLV_PART_SCHED]	= "the switch itself",
	[XLV_LEAF_FLUSH]	= "the device's cache flush",
	[XLV_LEAF_DEVICE]	= "the device writing",
	[XLV_LEAF_IN_ORDER]	= "earlier iclogs to be completed first",
};

static int64_t stage_diff(const struct xlv_account *a, int stage)
{
	return a->row[stage].other_ns - a->row[stage].base_ns;
}

static int64_t leaf_diff(const struct xlv_account *a, int stage, int leaf)
{
	return a->row[stage].leaf_other_ns[leaf] - a->row[stage].leaf_base_ns[leaf];
}

/* Time of clashes per typical sync, OTHER's less BASE's; @queue: -1 for all sleeps. */
static int64_t clash_ns(const struct xlv_side_facts *f, int queue)
{
	return f->n ? xlv_mean_round(queue < 0 ? f->clash.ns : f->clash.queue_ns[queue], f->n) : 0;
}

static int64_t clash_diff(const struct xlv_comparison *c, int queue)
{
	return clash_ns(&c->other->facts, queue) - clash_ns(&c->base->facts, queue);
}

/* The stage that shows a sleep's wake-up. */
static int stage_of_queue(int queue)
{
	switch (queue) {
	case XLV_QUEUE_COMMIT:	return XLV_STAGE_CIL_WAKE;
	case XLV_QUEUE_WRITE:	return XLV_STAGE_WRITE_WAIT;
	case XLV_QUEUE_FORCE:	return XLV_STAGE_WAKE;
	default:		return XLV_STAGE_DATA_WRITEBACK;
	}
}

/* Whether clashes are a reason of their own, and no longer one of their stages. */
static bool clash_matters(const struct xlv_comparison *c)
{
	int64_t all = 0;

	for (int s = 0; s < XLV_STAGE_COUNT; s++)
		all += llabs(stage_diff(&c->typical, s));
	return llabs(clash_diff(c, -1)) > all * MIN_SHARE;
}

/* What clashes take of a stage of the typical sync. */
static int64_t clash_in_stage(const struct xlv_comparison *c, int stage,
			      const struct xlv_side_facts *f)
{
	int64_t ns = 0;

	for (int q = 0; q < XLV_QUEUE_COUNT; q++)
		if (stage_of_queue(q) == stage)
			ns += clash_ns(f, q);
	return clash_matters(c) ? ns : 0;
}

/* The parts that make most of a stage's change, in the same direction. */
static void say_leaves(FILE *to, const struct xlv_comparison *c, int stage)
{
	const struct xlv_account *a = &c->typical;
	int64_t diff = stage_diff(a, stage), d;
	const char *sep = "; above all ";

	for (int l = 0; l < XLV_LEAF_REST; l++) {
		d = leaf_diff(a, stage, l);
		if ((d < 0) != (diff < 0) || llabs(d) * 4 < llabs(diff))
			continue;
		fprintf(to, "%s%s (%s, %s)", sep, xlv_leaf_name(l), leaf_is[l], SIGNED(d));
		if (l == XLV_PART_OTHER_TASK) {
			const struct xlv_side_facts *f = d > 0 ? &c->other->facts : &c->base->facts;

			if (f->stage[stage].holder[0].ns)
				fprintf(to, ", most often %s",
					NAME(f->stage[stage].holder[0].comm));
		}
		sep = " and ";
	}
}

static void say_holder(FILE *to, const struct xlv_wake_facts *base,
		       const struct xlv_wake_facts *other, int64_t diff, const char *what)
{
	const struct xlv_wake_facts *f = diff > 0 ? other : base;

	if (f->holder[0].ns)
		fprintf(to, "; %s: %s", what, NAME(f->holder[0].comm));
}

/* Where log I/O ends: in an interrupt, or with the task that submits it. */
static void say_completion(FILE *to, const struct xlv_comparison *c)
{
	const struct xlv_wake_facts *b = &c->base->facts.stage[XLV_STAGE_IOEND_QUEUE];
	const struct xlv_wake_facts *o = &c->other->facts.stage[XLV_STAGE_IOEND_QUEUE];
	bool base_irq = per(b->by_irq, b->n) > 0.5, other_irq = per(o->by_irq, o->n) > 0.5;

	if (b->n && o->n && base_irq != other_irq)
		fprintf(to, "; in %s an interrupt queues it, in %s the task that submitted the "
			"iclog does, on its own CPU",
			NAME(base_irq ? c->base->name : c->other->name),
			NAME(base_irq ? c->other->name : c->base->name));
}

static void say_remote(FILE *to, const struct xlv_comparison *c, int stage)
{
	const struct xlv_wake_facts *b = &c->base->facts.stage[stage];
	const struct xlv_wake_facts *o = &c->other->facts.stage[stage];
	double from = per(b->remote, b->n), into = per(o->remote, o->n);

	if (b->n && o->n && fabs(into - from) >= 0.1)
		fprintf(to, "; %s of these wake-ups cross CPUs instead of %s", SHARE(into),
			SHARE(from));
}

static void say_stage(FILE *to, const struct xlv_comparison *c, int stage)
{
	const struct xlv_account_row *r = &c->typical.row[stage];
	const struct xlv_side_facts *b = &c->base->facts, *o = &c->other->facts;
	bool fake[2] = { xlv_side_is_fake(c->base), xlv_side_is_fake(c->other) };
	const struct xlv_side *without = fake[1] ? c->other : c->base;

	if (stage == XLV_STAGE_LOG_IO && fake[0] != fake[1]) {
		fprintf(to, "log-io: log writes complete at once in %s, without a device (fake "
			"completion), which took %s in %s", NAME(without->name),
			NS(fake[1] ? r->base_ns : r->other_ns),
			NAME(fake[1] ? c->base->name : c->other->name));
		say_leaves(to, c, stage);
		fputs(". The cache flush is skipped with it: this never equals a fast device.", to);
		return;
	}
	if (clash_in_stage(c, stage, o) != clash_in_stage(c, stage, b)) {
		fprintf(to, "%s besides, %s instead of %s: %s.", xlv_stage_name(stage),
			NS(r->other_ns - clash_in_stage(c, stage, o)),
			NS(r->base_ns - clash_in_stage(c, stage, b)), stage_is[stage]);
		return;
	}
	fprintf(to, "%s, %s instead of %s: %s", xlv_stage_name(stage), NS(r->other_ns),
		NS(r->base_ns), stage_is[stage]);
	say_leaves(to, c, stage);
	say_remote(to, c, stage);
	if (stage == XLV_STAGE_IOEND_QUEUE)
		say_completion(to, c);
	if (stage == XLV_STAGE_RUNNABLE)
		say_holder(to, &b->runnable, &o->runnable, stage_diff(&c->typical, stage),
			   "behind whom most");
	if (stage == XLV_STAGE_OTHER_WAIT)
		say_holder(to, &b->other_wait, &o->other_wait, stage_diff(&c->typical, stage),
			   "on what most");
	fputs(".", to);
}

/* --- the clash of a task with its waker --- */

static void say_times(FILE *to, double times)
{
	if (times < 0.02)
		fputs("never", to);
	else if (times > 0.95 && times < 1.05)
		fputs("once in every sync", to);
	else if (times > 1.95 && times < 2.05)
		fputs("twice in every sync", to);
	else
		fprintf(to, "%.2g times a sync", times);
}

static void say_wakers(FILE *to, const struct xlv_clash_facts *f, int64_t n)
{
	const struct { const char *who; int64_t n; } by[] = {
		{ "the log worker", f->by_log_worker }, { "the CIL worker", f->by_cil_worker },
		{ "the worker that completes data writeback", f->early },
		{ "other tasks", f->n - f->by_log_worker - f->by_cil_worker - f->early },
	};
	const char *sep = "";

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		if (per(by[i].n, n) < 0.05)
			continue;
		fprintf(to, "%s%s (", sep, by[i].who);
		say_times(to, per(by[i].n, n));
		fputs(")", to);
		sep = " and ";
	}
}

static void say_clash_side(FILE *to, const struct xlv_side *side)
{
	const struct xlv_clash_facts *f = &side->facts.clash;
	double moved = per(f->moved, f->n);

	fprintf(to, "In %s ", NAME(side->name));
	if (!f->n) {
		fputs("that doesn't happen.", to);
	} else if (moved > 0.5) {
		fputs("the scheduler moves the task to another CPU, ", to);
		say_times(to, per(f->moved, side->facts.n));
		fprintf(to, ", and such a wake-up takes %s on average.", NS(mean(f->ns, f->n)));
	} else {
		fputs("the task stays where it is", to);
		if (f->moved)
			fprintf(to, " (moved in %s of cases)", SHARE(moved));
		fprintf(to, " and runs once its waker leaves the CPU: %s on average.",
			NS(mean(f->ns, f->n)));
	}
}

/* 52262ee567ad: a task woken by a bound kworker on its own CPU stays there. */
static void say_remedy(FILE *to, const struct xlv_side *side)
{
	const char *kernel = side->input[0]->rep->source.kernel;
	int major, minor;

	fputs(" Binding the task to one CPU keeps it there", to);
	if (!kernel || sscanf(kernel, "%d.%d", &major, &minor) != 2 || major < 5 ||
	    (major == 5 && minor < 6))
		fputs("; so does the scheduler since Linux 5.6 (52262ee567ad), where the waker is "
		      "a bound kworker", to);
	else
		fprintf(to, "; the scheduler has done so since Linux 5.6 (52262ee567ad) where the "
			"waker is a bound kworker, but it didn't in this %s", NAME(kernel));
	fputs(".", to);
}

static void say_clash(FILE *to, const struct xlv_comparison *c, int stage)
{
	const struct xlv_clash_facts *b = &c->base->facts.clash, *o = &c->other->facts.clash;
	bool base_most = b->n * c->other->facts.n > o->n * c->base->facts.n;
	bool base_moves = per(b->moved, b->n) > per(o->moved, o->n);
	const struct xlv_side *most = base_most ? c->base : c->other;
	const struct xlv_side *moves = base_moves ? c->base : c->other;
	const struct xlv_estimate *T4 = &c->boot.est[XLV_I_T4][XLV_STAT_P50];

	(void)stage;
	fputs("The task is woken from the CPU that it sleeps on, by ", to);
	say_wakers(to, &most->facts.clash, most->facts.n);
	fputs(", so its waker occupies its CPU. ", to);
	say_clash_side(to, moves);
	fputs(" ", to);
	say_clash_side(to, base_moves ? c->other : c->base);
	if (most->facts.clash.by_log_worker && T4->n[0] && T4->n[1])
		fprintf(to, " T4 is %s instead of %s (p50).", NS(llround(T4->value[1])),
			NS(llround(T4->value[0])));
	if (per(moves->facts.clash.moved, moves->facts.n) > 0.5)
		say_remedy(to, moves);
}

/* --- putting them together --- */

static bool add_reason(struct xlv_comparison *c, int64_t ns, int stage,
		       void (*say)(FILE *to, const struct xlv_comparison *c, int stage))
{
	struct xlv_reason *grown;
	char *text = NULL;
	size_t size;
	FILE *f;

	grown = reallocarray(c->reasons, (size_t)c->nr_reasons + 1, sizeof(*grown));
	if (!grown)
		return false;
	c->reasons = grown;
	f = open_memstream(&text, &size);
	if (!f)
		return false;
	say(f, c, stage);
	if (fclose(f)) {
		free(text);
		return false;
	}
	grown[c->nr_reasons++] = (struct xlv_reason){ ns, stage, text };
	return true;
}

static int by_size(const void *va, const void *vb)
{
	const struct xlv_reason *a = va, *b = vb;

	if (llabs(a->ns) != llabs(b->ns))
		return llabs(a->ns) < llabs(b->ns) ? 1 : -1;
	return a->stage < b->stage ? -1 : a->stage > b->stage;
}

/* Whether a stage's own figures differ by more than chance. */
static bool is_evident(const struct xlv_comparison *c, int stage)
{
	return xlv_estimate_differs(&c->stages.est[stage][XLV_STAT_P50]) ||
	       xlv_estimate_differs(&c->stages.est[stage][XLV_STAT_MEAN]);
}

static bool is_clash_evident(const struct xlv_comparison *c)
{
	for (int q = 0; q < XLV_QUEUE_COUNT; q++)
		if (clash_diff(c, q) && is_evident(c, stage_of_queue(q)))
			return true;
	return false;
}

static bool make_reasons(struct xlv_comparison *c)
{
	int64_t left[XLV_STAGE_COUNT], all = 0;

	for (int s = 0; s < XLV_STAGE_COUNT; s++) {
		all += llabs(stage_diff(&c->typical, s));
		left[s] = stage_diff(&c->typical, s) - clash_in_stage(c, s, &c->other->facts) +
			  clash_in_stage(c, s, &c->base->facts);
	}
	if (clash_matters(c) && is_clash_evident(c) &&
	    !add_reason(c, clash_diff(c, -1), -1, say_clash))
		return false;
	for (int s = 0; s < XLV_STAGE_COUNT; s++)
		if (llabs(left[s]) > all * MIN_SHARE && is_evident(c, s) &&
		    !add_reason(c, left[s], s, say_stage))
			return false;
	if (c->nr_reasons)
		qsort(c->reasons, (size_t)c->nr_reasons, sizeof(*c->reasons), by_size);
	while (c->nr_reasons > MAX_REASONS)
		free(c->reasons[--c->nr_reasons].text);
	return true;
}

/* What the syncs that aren't typical add to the difference of the means. */
static bool make_tail(struct xlv_comparison *c)
{
	int64_t mean_diff = c->account.other_ns - c->account.base_ns;
	int64_t typical = c->typical.other_ns - c->typical.base_ns;
	int64_t extra = mean_diff - typical, d;
	const char *sep = ": ";
	size_t size;
	FILE *f;

	if (llabs(extra) * 4 < llabs(typical) || llabs(extra) * 50 < c->account.base_ns)
		return true;
	f = open_memstream(&c->tail, &size);
	if (!f)
		return false;
	fprintf(f, "The means differ by %s; %s of that is not in the typical syncs but in the "
		"slowest and the fastest ones", SIGNED(mean_diff), SIGNED(extra));
	for (int s = 0; s < XLV_STAGE_COUNT; s++) {
		d = stage_diff(&c->account, s) - stage_diff(&c->typical, s);
		if ((d < 0) != (extra < 0) || llabs(d) * 10 < llabs(extra))
			continue;
		fprintf(f, "%s%s in %s", sep, SIGNED(d), xlv_stage_name(s));
		sep = ", ";
	}
	if (!xlv_estimate_differs(&c->boot.est[XLV_I_SPAN][XLV_STAT_MEAN]))
		fputs(". A few long syncs make it: by its interval the difference of the means "
		      "could be chance", f);
	fputs(".", f);
	return !fclose(f);
}

/* --- warnings --- */

static bool warn(struct xlv_comparison *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool warn(struct xlv_comparison *c, const char *fmt, ...)
{
	char **grown, *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return false;
	grown = reallocarray(c->warnings, (size_t)c->nr_warnings + 1, sizeof(*grown));
	if (!grown) {
		free(text);
		return false;
	}
	c->warnings = grown;
	grown[c->nr_warnings++] = text;
	return true;
}

static const struct xlv_source *source(const struct xlv_side *side)
{
	return &side->input[0]->rep->source;
}

static bool differ(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static const char *known(const char *s)
{
	return s && *s ? s : "unknown";
}

static bool warn_setup(struct xlv_comparison *c)
{
	const struct xlv_source *b = source(c->base), *o = source(c->other);
	int cpus[2] = { xlv_side_cpus(c->base), xlv_side_cpus(c->other) };
	bool ok = true;

	if (differ(b->kernel, o->kernel))
		ok &= warn(c, "different kernels: %s and %s", NAME(known(b->kernel)),
			   NAME(known(o->kernel)));
	if (differ(b->machine, o->machine))
		ok &= warn(c, "different machines: %s and %s", NAME(known(b->machine)),
			   NAME(known(o->machine)));
	if (cpus[0] != cpus[1])
		ok &= warn(c, "different CPU counts: %d and %d", cpus[0], cpus[1]);
	if (b->clock_ticks || o->clock_ticks)
		ok &= warn(c, "the clock of %s counts ticks that could not be converted: its times "
			   "are no nanoseconds", NAME(b->clock_ticks ? c->base->name :
						      c->other->name));
	else if (differ(b->clock, o->clock))
		ok &= warn(c, "different trace clocks: %s and %s", NAME(known(b->clock)),
			   NAME(known(o->clock)));
	if (b->boundaries != o->boundaries)
		ok &= warn(c, "T1 to T3 end at different boundaries, %s and %s: compare with "
			   "--boundaries tracepoint", xlv_boundaries_name(b->boundaries),
			   xlv_boundaries_name(o->boundaries));
	if (b->command && o->command && strcmp(b->command, o->command))
		ok &= warn(c, "different workloads: '%s' and '%s'", NAME(b->command),
			   NAME(o->command));
	return ok;
}

static bool warn_fake(struct xlv_comparison *c)
{
	bool fake[2] = { xlv_side_is_fake(c->base), xlv_side_is_fake(c->other) };
	int cpus = xlv_side_cpus(fake[1] ? c->other : c->base);

	if (!fake[0] && !fake[1])
		return true;
	return warn(c, "%s ran with fake completion of log writes on %d CPUs: it skips the cache "
		    "flush and never equals a fast device", fake[0] && fake[1] ? "both" :
		    NAME(fake[1] ? c->other->name : c->base->name), cpus);
}

static int64_t lost(const struct xlv_side *side)
{
	int64_t n = 0;

	for (int i = 0; i < side->nr_inputs; i++) {
		const struct xlv_source *s = &side->input[i]->rep->source;

		n += s->lost_events + s->lost_uncounted + s->damaged;
	}
	return n;
}

static bool warn_losses(struct xlv_comparison *c, const struct xlv_side *side)
{
	bool ok = true;

	if (lost(side))
		ok &= warn(c, "%s lost events or is damaged: record it again with larger buffers",
			   NAME(side->name));
	if (side->partial * 20 > side->syncs)
		ok &= warn(c, "%s of the syncs in %s are partial and left out",
			   SHARE(per(side->partial, side->syncs)), NAME(side->name));
	if (side->not_tiled)
		ok &= warn(c, "%lld syncs of %s have stages that don't add up and are left out of "
			   "the accounting: please report it", (long long)side->not_tiled,
			   NAME(side->name));
	return ok;
}

/* The event set by the recorder's word; "" where it left none. */
static void event_set(const struct xlv_source *s, char *set, size_t size)
{
	struct xlv_jarena arena = { 0 };
	const struct xlv_jval *root, *v = NULL;
	const char *why;

	set[0] = '\0';
	if (!s->metadata)
		return;
	root = xlv_jparse(&arena, s->metadata, s->metadata + strlen(s->metadata), &why);
	v = xlv_jget(root, "event_set");
	if (v && v->type == XLV_J_STRING)
		snprintf(set, size, "%s", v->string);
	xlv_jarena_free(&arena);
}

static bool warn_event_sets(struct xlv_comparison *c)
{
	char set[2][32];

	event_set(source(c->base), set[0], sizeof(set[0]));
	event_set(source(c->other), set[1], sizeof(set[1]));
	if (!*set[0] || !*set[1] || !strcmp(set[0], set[1]))
		return true;
	return warn(c, "different event sets, %s and %s: recording itself costs a different "
		    "amount, and the smaller set explains less", NAME(set[0]), NAME(set[1]));
}

/* Events that one side has and the other has not: what they explain looks different. */
static bool warn_events(struct xlv_comparison *c)
{
	static const struct { unsigned int type; const char *loss; } groups[] = {
		{ XLV_EV_SCHED_WAKING, "wake-ups can't be split" },
		{ XLV_EV_RQ_COMPLETE, "device time isn't told from log-io" },
		{ XLV_EV_IRQ_ENTRY, "interrupts aren't told from tasks" },
		{ XLV_EV_CPU_IDLE, "idle states are unknown" },
		{ XLV_EV_SYS_ENTER, "a sync's span starts at xfs_file_fsync" },
	};
	const struct xlv_side *side[2] = { c->base, c->other };
	const struct xlv_trace_info *info[2];
	bool ok = true;

	for (int o = 0; o < 2; o++) {
		const struct xlv_run *run = side[o]->input[0]->rep->run;

		if (!run)
			return true;
		info[o] = run->info;
	}
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		bool b = info[0]->count[groups[i].type] > 0, o = info[1]->count[groups[i].type] > 0;

		if (b != o)
			ok &= warn(c, "different event sets: %s has no %s, so %s there",
				   NAME(b ? c->other->name : c->base->name),
				   xlv_event_name(groups[i].type), groups[i].loss);
	}
	return ok;
}

static bool warn_kinds(struct xlv_comparison *c)
{
	for (size_t i = 0; i < c->kinds.nr; i++) {
		const struct xlv_mix_row *g = &c->kinds.group[i];
		double b = per(g->base_n, c->kinds.base_n), o = per(g->other_n, c->kinds.other_n);

		if (fabs(b - o) >= 0.1)
			return warn(c, "another mix of syncs: %s are %s and %s of them, which "
				    "makes %s of the difference of the means", g->key,
				    SHARE(b), SHARE(o), SIGNED(c->kinds.mix_ns));
	}
	return true;
}

static bool make_warnings(struct xlv_comparison *c)
{
	bool ok = warn_setup(c) && warn_fake(c) && warn_event_sets(c) && warn_events(c) &&
		  warn_losses(c, c->base) && warn_losses(c, c->other) && warn_kinds(c);

	for (int p = 0; ok && p < 6; p++)
		if (c->masked[p] == '-') {
			static const char *const role[] = {
				"the task before", "CIL worker", "iclog submitter",
				"I/O completion", "log worker", "the task after",
			};

			ok = warn(c, "placements are compared without the CPU of the %s, which "
				  "only one recording knows", role[p]);
		}
	return ok;
}

int xlv_compare_words(struct xlv_comparison *c)
{
	bool explain = c->has_typical && c->verdict >= XLV_VERDICT_SLOWER;
	size_t size;
	FILE *f;

	f = open_memstream(&c->headline, &size);
	if (!f)
		return -1;
	say_headline(f, c);
	if (fclose(f))
		return -1;
	if (explain && (!make_reasons(c) || !make_tail(c)))
		return -1;
	return c->base->nr_inputs && c->other->nr_inputs && !make_warnings(c) ? -1 : 0;
}
