// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums up a run: counts, distributions, stages, wakes, placements. */
#include "config.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "analysis/facts.h"
#include "analysis/findings.h"
#include "analysis/pipeline.h"
#include "analysis/report.h"
#include "analysis/rules.h"
#include "analysis/origin.h"
#include "analysis/warnings.h"
#include "analysis/words.h"

#define MAX_OTHERS	64	/* kinds of other sleeps that are told apart */

struct series {
	int64_t	*v;
	size_t	n, room;
};

struct placement {
	char		name[8];
	int64_t		count;
	struct series	span, T1, T4;
};

/* What is collected in one pass over the syncs, before it becomes distributions. */
struct tally {
	struct series		interval[XLV_I_COUNT];
	struct series		kind[XLV_KIND_COUNT][XLV_I_COUNT];
	struct series		slack[2];
	struct series		wait[XLV_QUEUE_COUNT];
	struct series		stage[XLV_STAGE_COUNT];
	struct series		pids;
	struct xlv_wake_row	wake[XLV_STAGE_COUNT][XLV_PART_COUNT + 1];
	struct placement	*placement;
	size_t			nr_placements, last_placement;
	int64_t			flush_ns, device_ns, in_order_ns;
	bool			have_device, have_in_order;
	int64_t			why[XLV_I_COUNT];	/* votes for rep->why_none */
	bool			no_memory;
};

static void push(struct tally *t, struct series *s, int64_t v)
{
	int64_t *grown;
	size_t room;

	if (s->n == s->room) {
		room = s->room ? s->room * 2 : 64;
		grown = reallocarray(s->v, room, sizeof(*grown));
		if (!grown) {
			t->no_memory = true;
			return;
		}
		s->v = grown;
		s->room = room;
	}
	s->v[s->n++] = v;
}

static void push_known(struct tally *t, struct series *s, int64_t v)
{
	if (v != XLV_NONE)
		push(t, s, v);
}

/* Turns a series into its distribution with histogram and frees it. */
static void measure(struct tally *t, struct series *s, struct xlv_dist *out)
{
	*out = xlv_dist_make(s->v, s->n);
	if (s->n) {
		out->hist = xlv_hist_from_sorted(s->v, s->n);
		if (!out->hist)
			t->no_memory = true;
	}
	free(s->v);
	memset(s, 0, sizeof(*s));
}

static bool passes(const struct xlv_sync *s, const struct xlv_filter *f)
{
	if (f->pid && s->pid != f->pid)
		return false;
	if (f->comm && (!s->comm || fnmatch(f->comm, s->comm, 0)))
		return false;
	if (f->dev && s->dev != f->dev)
		return false;
	if (f->from_ns != XLV_NONE && s->start_ns < f->from_ns)
		return false;
	return f->to_ns == XLV_NONE || s->start_ns < f->to_ns;
}

static int select_syncs(struct xlv_report *rep)
{
	const struct xlv_run *run = rep->run;
	const struct xlv_sync **fit;
	size_t n = 0;

	rep->selected = calloc(run->nr_syncs ? run->nr_syncs : 1, sizeof(*rep->selected));
	if (!rep->selected)
		return -1;
	for (size_t i = 0; i < run->nr_syncs; i++)
		if (passes(&run->syncs[i], &rep->filter))
			rep->selected[n++] = &run->syncs[i];
	rep->nr_selected = (int64_t)n;
	fit = reallocarray(rep->selected, n ? n : 1, sizeof(*fit));
	if (fit)
		rep->selected = fit;
	return 0;
}

/* Counts what holds for partial syncs, too. */
static void count_sync(struct xlv_report *rep, struct tally *t, const struct xlv_sync *s)
{
	rep->syncs++;
	rep->by_kind[s->kind]++;
	push(t, &t->pids, s->pid);
	if (!s->reasons) {
		rep->complete++;
		return;
	}
	rep->partial++;
	for (int bit = 0; bit < XLV_REASON_COUNT; bit++)
		if (s->reasons & 1u << bit)
			rep->by_reason[bit]++;
}

static void tally_intervals(struct xlv_report *rep, struct tally *t, const struct xlv_sync *s)
{
	for (unsigned int i = 0; i < XLV_I_COUNT; i++) {
		int64_t ns = xlv_sync_interval(s, i);

		push_known(t, &t->interval[i], ns);
		push_known(t, &t->kind[s->kind][i], ns);
		if (ns == XLV_NONE && i && s->T_why[i - 1]) {
			/* the majority's reason, or one of the commonest */
			if (rep->why_none[i] && !strcmp(rep->why_none[i], s->T_why[i - 1]))
				t->why[i]++;
			else if (t->why[i]-- <= 0) {
				rep->why_none[i] = s->T_why[i - 1];
				t->why[i] = 1;
			}
		}
	}
	push_known(t, &t->slack[0], s->T1_slack_ns);
	push_known(t, &t->slack[1], s->T2_slack_ns);
}

static int add_other(struct xlv_report *rep, const char *what, int64_t ns)
{
	struct xlv_other_row *row;

	if (!what)
		what = "unknown";
	for (int32_t i = 0; i < rep->nr_others; i++) {
		row = &rep->others[i];
		if (!strcmp(row->what, what)) {
			row->count++;
			row->total_ns += ns;
			return 0;
		}
	}
	if (rep->nr_others == MAX_OTHERS)
		return add_other(rep, rep->others[MAX_OTHERS - 1].what, ns);
	row = reallocarray(rep->others, (size_t)rep->nr_others + 1, sizeof(*row));
	if (!row)
		return -1;
	rep->others = row;
	row += rep->nr_others;
	row->what = strdup(rep->nr_others == MAX_OTHERS - 1 ? "anything else" : what);
	if (!row->what)
		return -1;
	row->count = 1;
	row->total_ns = ns;
	rep->nr_others++;
	return 0;
}

static void tally_waits(struct xlv_report *rep, struct tally *t, const struct xlv_detail *d)
{
	bool seen[XLV_QUEUE_COUNT] = { false };

	for (int32_t i = 0; i < d->nr_waits; i++) {
		const struct xlv_wait *w = &d->waits[i];

		if (w->wake.running_ns == XLV_NONE)
			continue;
		push(t, &t->wait[w->queue], w->wake.running_ns - w->start_ns);
		if (!seen[w->queue])
			rep->wait_syncs[w->queue]++;
		seen[w->queue] = true;
		if (w->queue == XLV_QUEUE_OTHER &&
		    add_other(rep, w->what, w->wake.running_ns - w->start_ns))
			t->no_memory = true;
	}
}

/* What log-io and callbacks are made of. */
static void tally_inner(struct tally *t, const struct xlv_sync *s)
{
	if (s->io_device_ns != XLV_NONE) {
		t->device_ns += s->io_device_ns;
		t->have_device = true;
	}
	if (s->io_flush_ns != XLV_NONE)
		t->flush_ns += s->io_flush_ns;
	if (s->in_order_ns != XLV_NONE) {
		t->in_order_ns += s->in_order_ns;
		t->have_in_order = true;
	}
}

static void tally_stages(struct tally *t, const struct xlv_detail *d)
{
	int64_t ns[XLV_STAGE_COUNT] = { 0 };
	bool has[XLV_STAGE_COUNT] = { false };

	for (int32_t i = 0; i < d->nr_segments; i++) {
		const struct xlv_segment *seg = &d->segments[i];

		ns[seg->stage] += seg->ns;
		has[seg->stage] = true;
	}
	for (unsigned int i = 0; i < XLV_STAGE_COUNT; i++)
		if (has[i])
			push(t, &t->stage[i], ns[i]);
}

static void tally_wakes(struct tally *t, const struct xlv_detail *d)
{
	for (int32_t i = 0; i < d->nr_wakes; i++) {
		const struct xlv_path_wake *w = &d->wakes[i];
		struct xlv_wake_row *row = &t->wake[w->stage][w->cause];

		row->count++;
		row->total_ns += w->ns;
		row->remote += w->wake.remote;
		for (int p = 0; p < XLV_PART_COUNT; p++)
			row->parts_ns[p] += w->parts_ns[p];
	}
}

static struct placement *find_placement(struct tally *t, const char name[8])
{
	struct placement *p;

	if (t->nr_placements && !strcmp(t->placement[t->last_placement].name, name))
		return &t->placement[t->last_placement];
	for (size_t i = 0; i < t->nr_placements; i++) {
		if (!strcmp(t->placement[i].name, name)) {
			t->last_placement = i;
			return &t->placement[i];
		}
	}
	p = reallocarray(t->placement, t->nr_placements + 1, sizeof(*p));
	if (!p)
		return NULL;
	t->placement = p;
	t->last_placement = t->nr_placements++;
	p += t->last_placement;
	memset(p, 0, sizeof(*p));
	memcpy(p->name, name, sizeof(p->name));
	p->name[sizeof(p->name) - 1] = '\0';
	return p;
}

static void tally_placement(struct tally *t, const struct xlv_sync *s)
{
	struct placement *p;

	if (!s->placement[0])
		return;
	p = find_placement(t, s->placement);
	if (!p) {
		t->no_memory = true;
		return;
	}
	p->count++;
	push_known(t, &p->span, s->span_ns);
	push_known(t, &p->T1, s->T1_ns);
	push_known(t, &p->T4, s->T4_ns);
}

/* The one pass over the syncs' details, for the tables and for the findings. */
static int tally_syncs(struct xlv_report *rep, struct tally *t, struct xlv_facts *facts)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	struct xlv_detail d = { 0 };

	for (int64_t i = 0; i < rep->nr_selected && !t->no_memory; i++) {
		const struct xlv_sync *s = rep->selected[i];

		if (xlv_sync_detail(rep->run, s, &d) || xlv_facts_add(facts, s, &d)) {
			t->no_memory = true;
			break;
		}
		count_sync(rep, t, s);
		if (s->reasons || s->span_ns == XLV_NONE)
			continue;
		if (s->start_ns < first)
			first = s->start_ns;
		if (s->start_ns + s->span_ns > last)
			last = s->start_ns + s->span_ns;
		tally_intervals(rep, t, s);
		tally_placement(t, s);
		tally_waits(rep, t, &d);
		tally_stages(t, &d);
		tally_inner(t, s);
		tally_wakes(t, &d);
	}
	xlv_facts_end(facts);
	xlv_detail_free(&d);
	rep->time_ns = first <= last ? last - first : XLV_NONE;
	rep->syncs_per_s = rep->time_ns > 0 ? (double)rep->complete * 1e9 / (double)rep->time_ns
					    : NAN;
	return t->no_memory ? -1 : 0;
}

static void make_stages(struct xlv_report *rep, struct tally *t)
{
	double all = (double)rep->interval[XLV_I_SPAN].sum;

	for (unsigned int i = 0; i < XLV_STAGE_COUNT; i++) {
		struct xlv_stage_row *row = &rep->stages[rep->nr_stages];

		if (!t->stage[i].n)
			continue;
		row->stage = i;
		measure(t, &t->stage[i], &row->dist);
		row->share = all > 0 ? (double)row->dist.sum / all : NAN;
		row->flush_ns = row->device_ns = row->in_order_ns = XLV_NONE;
		if (i == XLV_STAGE_LOG_IO && t->have_device) {
			row->flush_ns = t->flush_ns;
			row->device_ns = t->device_ns;
		}
		if (i == XLV_STAGE_CALLBACKS && t->have_in_order)
			row->in_order_ns = t->in_order_ns;
		rep->nr_stages++;
	}
}

static int by_stage_then_total(const void *a, const void *b)
{
	const struct xlv_wake_row *x = a, *y = b;

	if (x->stage != y->stage)
		return x->stage < y->stage ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->cause < y->cause ? -1 : x->cause > y->cause;
}

static int make_wakes(struct xlv_report *rep, struct tally *t)
{
	rep->wakes = calloc(XLV_STAGE_COUNT * (XLV_PART_COUNT + 1), sizeof(*rep->wakes));
	if (!rep->wakes)
		return -1;
	for (unsigned int s = 0; s < XLV_STAGE_COUNT; s++)
		for (unsigned int c = 0; c <= XLV_PART_COUNT; c++) {
			struct xlv_wake_row *row = &t->wake[s][c];

			if (!row->count)
				continue;
			row->stage = s;
			row->cause = c;
			row->remote_share = (double)row->remote / (double)row->count;
			rep->wakes[rep->nr_wakes++] = *row;
		}
	qsort(rep->wakes, (size_t)rep->nr_wakes, sizeof(*rep->wakes), by_stage_then_total);
	return 0;
}

static int by_count(const void *a, const void *b)
{
	const struct xlv_placement_row *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->placement, y->placement);
}

static int make_placements(struct xlv_report *rep, struct tally *t)
{
	rep->placements = calloc(t->nr_placements ? t->nr_placements : 1,
				 sizeof(*rep->placements));
	if (!rep->placements)
		return -1;
	for (size_t i = 0; i < t->nr_placements; i++) {
		struct placement *p = &t->placement[i];
		struct xlv_placement_row *row = &rep->placements[rep->nr_placements++];

		memcpy(row->placement, p->name, sizeof(row->placement));
		row->count = p->count;
		row->share = (double)p->count / (double)rep->complete;
		measure(t, &p->span, &row->span);
		measure(t, &p->T1, &row->T1);
		measure(t, &p->T4, &row->T4);
		row->span_p50 = row->span.n ? row->span.p50 : XLV_NONE;
		row->span_p95 = row->span.n ? row->span.p95 : XLV_NONE;
		row->T1_p50 = row->T1.n ? row->T1.p50 : XLV_NONE;
		row->T4_p50 = row->T4.n ? row->T4.p50 : XLV_NONE;
	}
	qsort(rep->placements, (size_t)rep->nr_placements, sizeof(*rep->placements), by_count);
	return 0;
}

static int by_total(const void *a, const void *b)
{
	const struct xlv_other_row *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return strcmp(x->what, y->what);
}

static int64_t count_distinct(struct series *s)
{
	int64_t n = 0;

	xlv_sort_ns(s->v, s->n);
	for (size_t i = 0; i < s->n; i++)
		if (!i || s->v[i] != s->v[i - 1])
			n++;
	return n;
}

static int make_tables(struct xlv_report *rep, struct tally *t)
{
	rep->tasks = count_distinct(&t->pids);
	for (unsigned int i = 0; i < XLV_I_COUNT; i++) {
		measure(t, &t->interval[i], &rep->interval[i]);
		for (unsigned int k = 0; k < XLV_KIND_COUNT; k++)
			measure(t, &t->kind[k][i], &rep->interval_kind[k][i]);
	}
	for (unsigned int i = 0; i < 2; i++)
		measure(t, &t->slack[i], &rep->slack[i]);
	for (unsigned int i = 0; i < XLV_QUEUE_COUNT; i++)
		measure(t, &t->wait[i], &rep->wait[i]);
	make_stages(rep, t);
	if (rep->nr_others)
		qsort(rep->others, (size_t)rep->nr_others, sizeof(*rep->others), by_total);
	if (make_wakes(rep, t) || make_placements(rep, t))
		return -1;
	return t->no_memory ? -1 : 0;
}

static void tally_free(struct tally *t)
{
	for (unsigned int i = 0; i < XLV_I_COUNT; i++) {
		free(t->interval[i].v);
		for (unsigned int k = 0; k < XLV_KIND_COUNT; k++)
			free(t->kind[k][i].v);
	}
	free(t->slack[0].v);
	free(t->slack[1].v);
	for (unsigned int i = 0; i < XLV_QUEUE_COUNT; i++)
		free(t->wait[i].v);
	for (unsigned int i = 0; i < XLV_STAGE_COUNT; i++)
		free(t->stage[i].v);
	for (size_t i = 0; i < t->nr_placements; i++) {
		free(t->placement[i].span.v);
		free(t->placement[i].T1.v);
		free(t->placement[i].T4.v);
	}
	free(t->placement);
	free(t->pids.v);
	free(t);
}

static int count_journal(struct xlv_report *rep, struct xlv_error *err)
{
	const struct xlv_run *run = rep->run;
	const struct xlv_filter *f = &rep->filter;
	int64_t waited = 0;

	for (size_t i = 0; i < run->nr_iclogs; i++)
		waited += run->iclogs[i].syncs;
	rep->cil_pushes = (int64_t)run->nr_pushes;
	rep->iclog_writes = (int64_t)run->nr_iclogs;
	rep->fake_ios = run->fake_ios;
	rep->syncs_per_iclog = run->nr_iclogs ? (double)waited / (double)run->nr_iclogs : NAN;
	return xlv_pipeline_make(run, f->from_ns, f->to_ns, f->dev, rep->selected,
				 rep->nr_selected, &rep->pipeline) ?
		       xlv_fail(err, "out of memory for the pipeline") : 0;
}

static int take_filter(struct xlv_report *rep, const struct xlv_filter *filter)
{
	rep->filter = filter ? *filter : XLV_FILTER_ALL;
	if (!rep->filter.comm)
		return 0;
	rep->filter_comm = strdup(rep->filter.comm);
	rep->filter.comm = rep->filter_comm;
	return rep->filter_comm ? 0 : -1;
}

struct xlv_report *xlv_report_make(const struct xlv_run *run, const struct xlv_filter *filter,
				   bool all_findings, struct xlv_error *err)
{
	struct xlv_report *rep = calloc(1, sizeof(*rep));
	struct tally *t = calloc(1, sizeof(*t));
	struct xlv_facts facts = { 0 };

	if (!rep || !t || xlv_facts_begin(&facts, run))
		goto no_memory;
	rep->run = run;
	rep->exact = true;
	xlv_word_ticks(run->info->clock_ticks);
	if (take_filter(rep, filter) || xlv_origin_from_run(&rep->source, run) ||
	    select_syncs(rep) || tally_syncs(rep, t, &facts) || make_tables(rep, t))
		goto no_memory;
	if (count_journal(rep, err))
		goto fail;
	if (xlv_findings_judge(rep, &facts, all_findings))
		goto no_memory;
	rep->answer = xlv_answer_make(rep);
	if (!rep->answer || xlv_warnings_make(rep))
		goto no_memory;
	tally_free(t);
	xlv_facts_free(&facts);
	return rep;
no_memory:
	xlv_fail(err, "out of memory for the report");
fail:
	if (t)
		tally_free(t);
	xlv_facts_free(&facts);
	xlv_report_free(rep);
	return NULL;
}

static void free_hists(struct xlv_dist *d, size_t n)
{
	for (size_t i = 0; i < n; i++)
		xlv_hist_free(d[i].hist);
}

void xlv_report_free(struct xlv_report *rep)
{
	if (!rep)
		return;
	free_hists(rep->interval, XLV_I_COUNT);
	free_hists(rep->interval_kind[0], XLV_KIND_COUNT * XLV_I_COUNT);
	free_hists(rep->slack, 2);
	free_hists(rep->wait, XLV_QUEUE_COUNT);
	for (int32_t i = 0; i < rep->nr_stages; i++)
		free_hists(&rep->stages[i].dist, 1);
	for (int32_t i = 0; i < rep->nr_placements; i++) {
		free_hists(&rep->placements[i].span, 1);
		free_hists(&rep->placements[i].T1, 1);
		free_hists(&rep->placements[i].T4, 1);
	}
	for (int32_t i = 0; i < rep->nr_others; i++)
		free(rep->others[i].what);
	for (int32_t i = 0; i < rep->nr_warnings; i++)
		free(rep->warnings[i]);
	xlv_findings_free(rep);
	xlv_origin_free(&rep->source);
	free(rep->others);
	free(rep->warnings);
	free(rep->wakes);
	free(rep->placements);
	free(rep->selected);
	free(rep->answer);
	free(rep->filter_comm);
	free(rep);
}

int xlv_report_warn(struct xlv_report *rep, const char *fmt, ...)
{
	char **grown, *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -1;
	grown = reallocarray(rep->warnings, (size_t)rep->nr_warnings + 1, sizeof(*grown));
	if (!grown) {
		free(text);
		return -1;
	}
	rep->warnings = grown;
	grown[rep->nr_warnings++] = text;
	return 0;
}

bool xlv_report_losses(const struct xlv_report *rep)
{
	const struct xlv_source *s = &rep->source;

	return s->lost_events > 0 || s->lost_uncounted > 0 || s->damaged;
}

const char *xlv_interval_name(unsigned int interval)
{
	static const char *const names[] = { "span", "T1", "T2", "T3", "T4" };

	return interval < XLV_I_COUNT ? names[interval] : "?";
}

const char *xlv_reason_name(unsigned int bit)
{
	static const char *const names[] = { "lost-events", "trace-start", "trace-end", "missing" };

	return bit < XLV_REASON_COUNT ? names[bit] : "?";
}
