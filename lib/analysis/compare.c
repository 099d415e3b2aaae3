// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"

const char *xlv_leaf_name(unsigned int leaf)
{
	switch (leaf) {
	case XLV_LEAF_FLUSH:	return "flush";
	case XLV_LEAF_DEVICE:	return "device";
	case XLV_LEAF_IN_ORDER:	return "in-order";
	case XLV_LEAF_REST:	return "rest";
	default:		return xlv_part_name(leaf);
	}
}

const char *xlv_verdict_name(unsigned int verdict)
{
	static const char *const names[] = {
		"unknown", "no-evidence", "slower", "faster", "different"
	};

	return verdict < sizeof(names) / sizeof(names[0]) ? names[verdict] : "?";
}

/* --- facts about wake-ups --- */

static void add_holder(struct xlv_wake_facts *f, const char *comm, int64_t ns)
{
	struct xlv_holder *h = f->holder, *last = h + 7, swap;

	while (h < last && h->ns && strncmp(h->comm, comm, sizeof(h->comm) - 1))
		h++;
	if (!h->ns || strncmp(h->comm, comm, sizeof(h->comm) - 1)) {
		/* a newcomer takes the last place over, with the time already there */
		strncpy(h->comm, comm, sizeof(h->comm) - 1);
		h->comm[sizeof(h->comm) - 1] = '\0';
	}
	h->ns += ns;
	for (; h > f->holder && h->ns > h[-1].ns; h--) {
		swap = *h;
		*h = h[-1];
		h[-1] = swap;
	}
}

static bool woken_by_task(const struct xlv_wake *w)
{
	return w->waker_pid > 0 && (w->waker_context == XLV_FROM_TASK ||
				    w->waker_context == XLV_FROM_UNKNOWN);
}

static void add_wake(struct xlv_wake_facts *f, const struct xlv_path_wake *p)
{
	const struct xlv_wake *w = &p->wake;

	f->n++;
	f->ns += p->ns;
	f->remote += w->remote;
	f->by_irq += w->waker_context == XLV_FROM_HARDIRQ || w->waker_context == XLV_FROM_SOFTIRQ;
	if (w->other_comm && p->parts_ns[XLV_PART_OTHER_TASK] > 0)
		add_holder(f, w->other_comm, p->parts_ns[XLV_PART_OTHER_TASK]);
}

static void add_wait(struct xlv_side_facts *f, const struct xlv_sync *s,
		     const struct xlv_wait *wait)
{
	const struct xlv_wake *w = &wait->wake;
	struct xlv_clash_facts *c = &f->clash;
	int64_t ns;

	if (w->waking_ns == XLV_NONE || w->running_ns == XLV_NONE)
		return;
	ns = w->running_ns - w->waking_ns;
	f->moves += w->migrated;
	if (!w->waker_on_prev || !woken_by_task(w))
		return;
	c->n++;
	c->ns += ns;
	c->moved += w->migrated;
	c->by_log_worker += w->waker_role == XLV_ROLE_LOG_WORKER;
	c->by_cil_worker += w->waker_role == XLV_ROLE_CIL_WORKER;
	c->early += s->force_ns == XLV_NONE || wait->start_ns < s->force_ns;
	c->queue_ns[wait->queue] += ns;
}

static void add_facts(struct xlv_side_facts *f, const struct xlv_case *c)
{
	const struct xlv_detail *d = c->detail;

	f->n++;
	for (int i = 0; i < d->nr_waits; i++)
		add_wait(f, c->sync, &d->waits[i]);
	for (int i = 0; i < d->nr_wakes; i++)
		if (d->wakes[i].wake.waking_ns != XLV_NONE)
			add_wake(&f->stage[d->wakes[i].stage], &d->wakes[i]);
	for (int i = 0; i < d->nr_segments; i++) {
		const struct xlv_segment *g = &d->segments[i];

		if (g->what && g->stage == XLV_STAGE_RUNNABLE)
			add_holder(&f->runnable, g->what, g->ns);
		if (g->what && g->stage == XLV_STAGE_OTHER_WAIT)
			add_holder(&f->other_wait, g->what, g->ns);
	}
	f->done_in_push += c->done_in_push;
	f->grouped += c->sync->group_size > 1;
}

/* --- sides --- */

struct xlv_side *xlv_side_new(const char *name)
{
	struct xlv_side *side = calloc(1, sizeof(*side));

	if (!side)
		return NULL;
	side->name = strdup(name);
	side->has_rows = true;
	side->kB_per_s = NAN;
	if (!side->name) {
		free(side);
		return NULL;
	}
	return side;
}

void xlv_side_free(struct xlv_side *side)
{
	if (!side)
		return;
	free(side->name);
	free(side->input);
	free(side->row);
	free(side->run_rows);
	free(side);
}

static int take_sync(const struct xlv_case *c, void *arg)
{
	const struct xlv_sync *s = c->sync;
	struct xlv_side *side = arg;
	struct xlv_row *row;

	side->syncs++;
	if (s->reasons || s->span_ns == XLV_NONE) {
		side->partial++;
		return 0;
	}
	if (side->nr_rows == side->room) {
		row = reallocarray(side->row, side->room * 2 + 256, sizeof(*row));
		if (!row)
			return 1;
		side->row = row;
		side->room = side->room * 2 + 256;
	}
	row = &side->row[side->nr_rows++];
	row->start_ns = s->start_ns;
	for (int i = 0; i < XLV_I_COUNT; i++)
		row->value[i] = xlv_sync_interval(s, i);
	row->value[XLV_FIG_GAP] = XLV_NONE;
	memset(row->stage_ns, 0, sizeof(row->stage_ns));
	for (int i = 0; i < c->detail->nr_segments; i++)
		row->stage_ns[c->detail->segments[i].stage] += c->detail->segments[i].ns;
	memcpy(row->placement, s->placement, sizeof(row->placement));
	row->placement[sizeof(row->placement) - 1] = '\0';
	row->kind = s->kind;
	if (!xlv_sums_add(&side->sums, s, c->detail))
		side->not_tiled++;
	return 0;
}

static int by_start(const void *va, const void *vb)
{
	const struct xlv_row *a = va, *b = vb;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

/* Put a run's rows in order and note the time between them. */
static void finish_run(struct xlv_side *side, size_t first)
{
	struct xlv_row *row = side->row + first;
	size_t n = side->nr_rows - first;
	int64_t end_ns = INT64_MIN;

	if (!n)
		return;
	qsort(row, n, sizeof(*row), by_start);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n)
			row[i].value[XLV_FIG_GAP] = row[i + 1].start_ns - row[i].start_ns;
		if (row[i].start_ns + row[i].value[XLV_I_SPAN] > end_ns)
			end_ns = row[i].start_ns + row[i].value[XLV_I_SPAN];
	}
	side->time_ns += end_ns - row[0].start_ns;
}

/* What a merged report holds in place of syncs. */
static void add_report_sums(struct xlv_side *side, const struct xlv_report *rep)
{
	struct xlv_sums *s = &side->sums;

	side->syncs += rep->syncs;
	side->partial += rep->partial;
	if (rep->time_ns != XLV_NONE)
		side->time_ns += rep->time_ns;
	s->n += rep->interval[XLV_I_SPAN].n;
	s->span_ns += rep->interval[XLV_I_SPAN].sum;
	for (int i = 0; i < rep->nr_stages; i++) {
		const struct xlv_stage_row *r = &rep->stages[i];
		int64_t *leaf_ns = s->leaf_ns[r->stage];

		leaf_ns[XLV_LEAF_REST] += r->dist.sum;
		if (r->flush_ns != XLV_NONE) {
			leaf_ns[XLV_LEAF_FLUSH] += r->flush_ns;
			leaf_ns[XLV_LEAF_REST] -= r->flush_ns;
		}
		if (r->device_ns != XLV_NONE) {
			leaf_ns[XLV_LEAF_DEVICE] += r->device_ns;
			leaf_ns[XLV_LEAF_REST] -= r->device_ns;
		}
		if (r->in_order_ns != XLV_NONE) {
			leaf_ns[XLV_LEAF_IN_ORDER] += r->in_order_ns;
			leaf_ns[XLV_LEAF_REST] -= r->in_order_ns;
		}
	}
	for (int i = 0; i < rep->nr_wakes; i++)
		for (int p = 0; p < XLV_PART_COUNT; p++) {
			s->leaf_ns[rep->wakes[i].stage][p] += rep->wakes[i].parts_ns[p];
			s->leaf_ns[rep->wakes[i].stage][XLV_LEAF_REST] -=
				rep->wakes[i].parts_ns[p];
		}
}

int xlv_side_add(struct xlv_side *side, struct xlv_input *in, struct xlv_error *err)
{
	struct xlv_input **input;
	size_t *run_rows, first = side->nr_rows;
	int ret;

	input = reallocarray(side->input, side->nr_inputs + 1, sizeof(*input));
	if (!input)
		return xlv_fail(err, "out of memory");
	side->input = input;
	run_rows = reallocarray(side->run_rows, side->nr_inputs + 1, sizeof(*run_rows));
	if (!run_rows)
		return xlv_fail(err, "out of memory");
	side->run_rows = run_rows;
	side->fake_ios += in->rep->fake_ios;
	if (in->has_syncs) {
		ret = xlv_input_each(in, take_sync, side, err);
		if (ret)
			return ret > 0 ? xlv_fail(err, "out of memory") : -1;
		finish_run(side, first);
	} else {
		side->has_rows = false;
		add_report_sums(side, in->rep);
	}
	run_rows[side->nr_inputs] = side->nr_rows - first;
	input[side->nr_inputs++] = in;
	return 0;
}

static int take_typical(const struct xlv_case *c, void *arg)
{
	struct xlv_side *side = arg;
	const struct xlv_sync *s = c->sync;

	if (s->reasons || s->span_ns == XLV_NONE || s->span_ns < side->typical_low_ns ||
	    s->span_ns > side->typical_high_ns)
		return 0;
	if (xlv_sums_add(&side->typical, s, c->detail))
		add_facts(&side->facts, c);
	return 0;
}

int xlv_side_finish(struct xlv_side *side, struct xlv_error *err)
{
	int64_t *span;

	if (!side->has_rows || !side->nr_rows)
		return 0;
	span = malloc(side->nr_rows * sizeof(*span));
	if (!span)
		return xlv_fail(err, "out of memory");
	for (size_t i = 0; i < side->nr_rows; i++)
		span[i] = side->row[i].value[XLV_I_SPAN];
	xlv_sort_ns(span, side->nr_rows);
	side->typical_low_ns = xlv_quantile(span, side->nr_rows, 0.25);
	side->typical_high_ns = xlv_quantile(span, side->nr_rows, 0.75);
	free(span);
	for (int i = 0; i < side->nr_inputs; i++)
		if (xlv_input_each(side->input[i], take_typical, side, err))
			return -1;
	return 0;
}

double xlv_side_rate(const struct xlv_side *side)
{
	int64_t complete = side->syncs - side->partial;

	return side->time_ns > 0 && complete > 1 ? complete * 1e9 / side->time_ns : NAN;
}

int xlv_side_cpus(const struct xlv_side *side)
{
	int cpus = side->nr_inputs ? side->input[0]->rep->source.cpus : 0;

	for (int i = 1; i < side->nr_inputs; i++)
		if (side->input[i]->rep->source.cpus != cpus)
			return 0;
	return cpus;
}

bool xlv_side_is_fake(const struct xlv_side *side)
{
	for (int i = 0; i < side->nr_inputs; i++)
		if (side->input[i]->rep->source.fake_completion || side->input[i]->rep->fake_ios)
			return true;
	return false;
}

/* --- figures --- */

bool xlv_estimate_differs(const struct xlv_estimate *e)
{
	return e->has_interval && (e->low > 0 || e->high < 0);
}

static bool series_of(const struct xlv_side *side, bool stages, struct xlv_series *s)
{
	size_t cols = stages ? XLV_STAGE_COUNT : XLV_FIG_COUNT;
	int64_t *v = malloc((side->nr_rows + 1) * cols * sizeof(*v));

	if (!v)
		return false;
	for (size_t i = 0; i < side->nr_rows; i++)
		memcpy(v + i * cols, stages ? side->row[i].stage_ns : side->row[i].value,
		       cols * sizeof(*v));
	*s = (struct xlv_series){ .value = v, .nr_rows = side->nr_rows, .nr_cols = (int)cols,
				  .run_rows = side->run_rows, .nr_runs = side->nr_inputs };
	return true;
}

static bool bootstrap(const struct xlv_comparison *c, bool stages, uint64_t seed,
		      struct xlv_boot *boot)
{
	struct xlv_series s[2] = { { 0 } };
	bool ok;

	ok = series_of(c->base, stages, &s[0]) && series_of(c->other, stages, &s[1]) &&
	     xlv_boot_compare(boot, s, seed);
	free((void *)s[0].value);
	free((void *)s[1].value);
	return ok;
}

/* One figure of a side without syncs, from its histograms. */
static bool merged_dist(const struct xlv_side *side, int figure, struct xlv_dist *d)
{
	struct xlv_hist *h;
	bool ok = true;

	*d = (struct xlv_dist){ 0 };
	if (side->nr_inputs == 1) {
		*d = side->input[0]->rep->interval[figure];
		return true;
	}
	h = xlv_hist_new();
	for (int i = 0; h && ok && i < side->nr_inputs; i++) {
		const struct xlv_hist *from = side->input[i]->rep->interval[figure].hist;

		ok = !from || !xlv_hist_merge(h, from);
	}
	if (h && ok)
		*d = xlv_hist_dist(h);
	ok = ok && h;
	xlv_hist_free(h);
	return ok;
}

/* Figures without intervals: at least one side has no syncs. */
static bool estimate_merged(struct xlv_comparison *c)
{
	const struct xlv_side *side[2] = { c->base, c->other };
	struct xlv_dist d;

	c->boot.nr_cols = XLV_I_COUNT;
	for (int f = 0; f < XLV_I_COUNT; f++)
		for (int o = 0; o < 2; o++) {
			struct xlv_estimate *e = c->boot.est[f];

			if (!merged_dist(side[o], f, &d))
				return false;
			for (int s = 0; s < XLV_STAT_COUNT; s++) {
				e[s].n[o] = d.n;
				e[s].value[o] = !d.n ? NAN : s == XLV_STAT_P50 ? (double)d.p50 :
						s == XLV_STAT_P95 ? (double)d.p95 : d.mean;
			}
		}
	return true;
}

static bool estimate(struct xlv_comparison *c, uint64_t seed)
{
	if (!c->base->has_rows || !c->other->has_rows)
		return estimate_merged(c);
	if (!bootstrap(c, false, seed, &c->boot))
		return false;
	c->has_intervals = c->boot.est[XLV_I_SPAN][XLV_STAT_MEAN].has_interval;
	return true;
}

static int sign_of(const struct xlv_estimate *e)
{
	return !xlv_estimate_differs(e) ? 0 : e->low > 0 ? 1 : -1;
}

static enum xlv_verdict judge(const struct xlv_comparison *c)
{
	int median = sign_of(&c->boot.est[XLV_I_SPAN][XLV_STAT_P50]);
	int mean = sign_of(&c->boot.est[XLV_I_SPAN][XLV_STAT_MEAN]);

	if (!c->has_intervals)
		return XLV_VERDICT_UNKNOWN;
	if (median + mean)
		return median + mean > 0 ? XLV_VERDICT_SLOWER : XLV_VERDICT_FASTER;
	for (int f = 0; f < c->boot.nr_cols; f++)
		for (int s = 0; s < XLV_STAT_COUNT; s++)
			if (xlv_estimate_differs(&c->boot.est[f][s]))
				return XLV_VERDICT_DIFFERENT;
	return XLV_VERDICT_NONE;
}

/* --- groups --- */

/* Which roles a side never shows: it has no log I/O, say, or no events of it. */
static void never_seen(const struct xlv_side *side, bool never[6])
{
	for (int p = 0; p < 6; p++)
		never[p] = true;
	for (size_t i = 0; i < side->nr_rows; i++)
		for (int p = 0; p < 6 && side->row[i].placement[p]; p++)
			if (side->row[i].placement[p] != '-')
				never[p] = false;
	for (int i = 0; !side->has_rows && i < side->nr_inputs; i++)
		for (int j = 0; j < side->input[i]->rep->nr_placements; j++) {
			const char *s = side->input[i]->rep->placements[j].placement;

			for (int p = 0; p < 6 && s[p]; p++)
				if (s[p] != '-')
					never[p] = false;
		}
}

/* Leave masked roles out, then name the CPUs anew in order of appearance. */
static void mask_placement(const char *mask, const char *from, char to[8])
{
	char name[128] = { 0 }, next = 'A';
	int p;

	for (p = 0; p < 6 && from[p]; p++) {
		unsigned char c = from[p] & 127;

		if (mask[p] == '-' || c == '-') {
			to[p] = '-';
			continue;
		}
		if (!name[c])
			name[c] = next++;
		to[p] = name[c];
	}
	to[p] = '\0';
}

static bool group_side(struct xlv_comparison *c, const struct xlv_side *side, bool other)
{
	char place[8];

	for (size_t i = 0; i < side->nr_rows; i++) {
		mask_placement(c->masked, side->row[i].placement, place);
		if (!xlv_mix_add(&c->placements, place, 1, side->row[i].value[0], other) ||
		    !xlv_mix_add(&c->kinds, xlv_kind_name(side->row[i].kind), 1,
				    side->row[i].value[0], other))
			return false;
	}
	for (int i = 0; !side->has_rows && i < side->nr_inputs; i++) {
		const struct xlv_report *rep = side->input[i]->rep;

		if (side->input[i]->has_syncs)
			continue;
		for (int j = 0; j < rep->nr_placements; j++) {
			mask_placement(c->masked, rep->placements[j].placement, place);
			if (!xlv_mix_add(&c->placements, place, rep->placements[j].count,
					    rep->placements[j].span.sum, other))
				return false;
		}
		for (int k = 0; k < XLV_KIND_COUNT; k++) {
			const struct xlv_dist *d = &rep->interval_kind[k][XLV_I_SPAN];

			if (d->n && !xlv_mix_add(&c->kinds, xlv_kind_name(k), d->n, d->sum,
						    other))
				return false;
		}
	}
	return true;
}

static bool make_groups(struct xlv_comparison *c)
{
	bool never[2][6];

	never_seen(c->base, never[0]);
	never_seen(c->other, never[1]);
	for (int p = 0; p < 6; p++)
		c->masked[p] = never[0][p] != never[1][p] ? '-' : '+';
	return group_side(c, c->base, false) && group_side(c, c->other, true) &&
	       xlv_mix_account(&c->placements) && xlv_mix_account(&c->kinds);
}

/*
 * A merged report doesn't know how the wakes after data writeback were made up:
 * leave that unsplit on both sides.
 */
static struct xlv_sums unsplit(const struct xlv_sums *sums)
{
	struct xlv_sums s = *sums;

	for (int i = 0; i < XLV_STAGE_COUNT; i++) {
		if (i == XLV_STAGE_CIL_QUEUE || i == XLV_STAGE_CIL_WAKE ||
		    i == XLV_STAGE_WRITE_WAIT || i == XLV_STAGE_IOEND_QUEUE ||
		    i == XLV_STAGE_WAKE)
			continue;
		for (int p = 0; p < XLV_PART_COUNT; p++) {
			s.leaf_ns[i][XLV_LEAF_REST] += s.leaf_ns[i][p];
			s.leaf_ns[i][p] = 0;
		}
	}
	return s;
}

static void account(struct xlv_comparison *c)
{
	struct xlv_sums base = c->base->sums, other = c->other->sums;

	c->has_account = base.n && other.n;
	if (!c->base->has_rows || !c->other->has_rows) {
		base = unsplit(&base);
		other = unsplit(&other);
	}
	if (c->has_account)
		xlv_account_make(&c->account, &base, &other);
	c->has_typical = c->base->typical.n && c->other->typical.n;
	if (c->has_typical)
		xlv_account_make(&c->typical, &c->base->typical, &c->other->typical);
}

struct xlv_comparison *xlv_compare(const struct xlv_side *base, const struct xlv_side *other,
				   uint64_t seed, struct xlv_error *err)
{
	struct xlv_comparison *c = calloc(1, sizeof(*c));

	if (!c)
		goto no_memory;
	c->base = base;
	c->other = other;
	if (!estimate(c, seed))
		goto no_memory;
	c->verdict = judge(c);
	/* where nothing differs, no reasons are looked for */
	if (c->verdict >= XLV_VERDICT_SLOWER && !bootstrap(c, true, seed, &c->stages))
		goto no_memory;
	account(c);
	if (!make_groups(c) || xlv_compare_words(c))
		goto no_memory;
	return c;
no_memory:
	xlv_fail(err, "out of memory");
	xlv_comparison_free(c);
	return NULL;
}

void xlv_comparison_free(struct xlv_comparison *c)
{
	if (!c)
		return;
	xlv_mix_free(&c->placements);
	xlv_mix_free(&c->kinds);
	for (int i = 0; i < c->nr_reasons; i++)
		free(c->reasons[i].text);
	free(c->reasons);
	free(c->headline);
	free(c->tail);
	for (int i = 0; i < c->nr_warnings; i++)
		free(c->warnings[i]);
	free(c->warnings);
	free(c);
}
