// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "analysis/merge.h"

/* What is said of one recording in the list of what was merged. */
struct entry {
	char	*file, *json;
};

struct xlv_merge {
	struct xlv_report	*rep;
	struct xlv_wake_row	wake[XLV_STAGE_COUNT][XLV_PART_COUNT + 1];
	struct xlv_stage_row	stage[XLV_STAGE_COUNT];
	bool			has_stage[XLV_STAGE_COUNT];
	int64_t			reports;
	bool			mixed_kernels, mixed_cpus, mixed_clocks, mixed_bounds;
	bool			mixed_machines, mixed_filters;
	int64_t			fake;		/* reports with fake completion */
	struct entry		*entry;
	size_t			nr_entries, room;
};

struct xlv_merge *xlv_merge_new(void)
{
	struct xlv_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->rep = calloc(1, sizeof(*m->rep));
	if (!m->rep) {
		free(m);
		return NULL;
	}
	m->rep->filter = XLV_FILTER_ALL;
	m->rep->time_ns = XLV_NONE;
	return m;
}

void xlv_merge_free(struct xlv_merge *m)
{
	if (!m)
		return;
	for (int i = 0; i < XLV_STAGE_COUNT; i++)
		xlv_hist_free(m->stage[i].dist.hist);
	for (size_t i = 0; i < m->nr_entries; i++) {
		free(m->entry[i].file);
		free(m->entry[i].json);
	}
	free(m->entry);
	xlv_report_free(m->rep);
	free(m);
}

/* --- adding --- */

static int64_t sum_of(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == XLV_NONE || b == XLV_NONE)
		return a == XLV_NONE ? b : a;
	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN + 1 : INT64_MAX;
	return sum;
}

static void add_to(int64_t *to, int64_t v)
{
	*to = sum_of(*to, v);
}

static int add_dist(struct xlv_dist *to, const struct xlv_dist *from, struct xlv_error *err)
{
	if (!from->n)
		return 0;
	if (!from->hist)
		return xlv_fail(err, "a report without histograms can't be merged: write it anew "
				"with 'xlogviz report --json'");
	if (!to->hist)
		to->hist = xlv_hist_new();
	if (!to->hist || xlv_hist_merge(to->hist, from->hist))
		return xlv_fail(err, "out of memory, or more syncs than can be counted");
	return 0;
}

static int add_dists(struct xlv_dist *to, const struct xlv_dist *from, size_t n,
		     struct xlv_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (add_dist(&to[i], &from[i], err))
			return -1;
	return 0;
}

static void add_counts(struct xlv_report *to, const struct xlv_report *from)
{
	add_to(&to->syncs, from->syncs);
	add_to(&to->complete, from->complete);
	add_to(&to->partial, from->partial);
	for (int i = 0; i < XLV_KIND_COUNT; i++)
		add_to(&to->by_kind[i], from->by_kind[i]);
	for (int i = 0; i < XLV_REASON_COUNT; i++)
		add_to(&to->by_reason[i], from->by_reason[i]);
	for (int i = 0; i < XLV_QUEUE_COUNT; i++)
		add_to(&to->wait_syncs[i], from->wait_syncs[i]);
	add_to(&to->tasks, from->tasks);
	add_to(&to->cil_pushes, from->cil_pushes);
	add_to(&to->iclog_writes, from->iclog_writes);
	add_to(&to->fake_ios, from->fake_ios);
	to->time_ns = sum_of(to->time_ns, from->time_ns);
}

static int add_stages(struct xlv_merge *m, const struct xlv_report *from, struct xlv_error *err)
{
	for (int32_t i = 0; i < from->nr_stages; i++) {
		const struct xlv_stage_row *f = &from->stages[i];
		struct xlv_stage_row *to = &m->stage[f->stage];

		if (!m->has_stage[f->stage]) {
			to->stage = f->stage;
			to->flush_ns = to->device_ns = to->in_order_ns = XLV_NONE;
			m->has_stage[f->stage] = true;
		}
		to->flush_ns = sum_of(to->flush_ns, f->flush_ns);
		to->device_ns = sum_of(to->device_ns, f->device_ns);
		to->in_order_ns = sum_of(to->in_order_ns, f->in_order_ns);
		if (add_dist(&to->dist, &f->dist, err))
			return -1;
	}
	return 0;
}

static void add_wakes(struct xlv_merge *m, const struct xlv_report *from)
{
	for (int32_t i = 0; i < from->nr_wakes; i++) {
		const struct xlv_wake_row *f = &from->wakes[i];
		struct xlv_wake_row *to = &m->wake[f->stage][f->cause];

		to->stage = f->stage;
		to->cause = f->cause;
		add_to(&to->count, f->count);
		add_to(&to->total_ns, f->total_ns);
		add_to(&to->remote, f->remote);
		for (int p = 0; p < XLV_PART_COUNT; p++)
			add_to(&to->parts_ns[p], f->parts_ns[p]);
	}
}

static struct xlv_placement_row *placement(struct xlv_report *rep, const char *name)
{
	struct xlv_placement_row *grown;

	for (int32_t i = 0; i < rep->nr_placements; i++)
		if (!strcmp(rep->placements[i].placement, name))
			return &rep->placements[i];
	grown = reallocarray(rep->placements, (size_t)rep->nr_placements + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	rep->placements = grown;
	grown = &grown[rep->nr_placements++];
	memset(grown, 0, sizeof(*grown));
	memcpy(grown->placement, name, strnlen(name, sizeof(grown->placement) - 1));
	return grown;
}

static int add_placements(struct xlv_report *to, const struct xlv_report *from,
			  struct xlv_error *err)
{
	for (int32_t i = 0; i < from->nr_placements; i++) {
		const struct xlv_placement_row *f = &from->placements[i];
		struct xlv_placement_row *row = placement(to, f->placement);

		if (!row)
			return xlv_fail(err, "out of memory");
		add_to(&row->count, f->count);
		if (add_dist(&row->span, &f->span, err) || add_dist(&row->T1, &f->T1, err) ||
		    add_dist(&row->T4, &f->T4, err))
			return -1;
	}
	return 0;
}

static int add_others(struct xlv_report *to, const struct xlv_report *from, struct xlv_error *err)
{
	struct xlv_other_row *grown;
	int32_t at;

	for (int32_t i = 0; i < from->nr_others; i++) {
		for (at = 0; at < to->nr_others; at++)
			if (!strcmp(to->others[at].what, from->others[i].what))
				break;
		if (at == to->nr_others) {
			grown = reallocarray(to->others, (size_t)at + 1, sizeof(*grown));
			if (!grown)
				return xlv_fail(err, "out of memory");
			to->others = grown;
			grown[at] = (struct xlv_other_row){ strdup(from->others[i].what), 0, 0 };
			if (!grown[at].what)
				return xlv_fail(err, "out of memory");
			to->nr_others++;
		}
		add_to(&to->others[at].count, from->others[i].count);
		add_to(&to->others[at].total_ns, from->others[i].total_ns);
	}
	return 0;
}

static void add_pipeline(struct xlv_pipeline *to, const struct xlv_pipeline *from)
{
	if (from->pushes_max > to->pushes_max)
		to->pushes_max = from->pushes_max;
	if (from->iclogs_max > to->iclogs_max)
		to->iclogs_max = from->iclogs_max;
	add_to(&to->out_of_order, from->out_of_order);
	add_to(&to->in_order_wait_ns, from->in_order_wait_ns);
	add_to(&to->submitted_by_task, from->submitted_by_task);
	add_to(&to->submitted_by_worker, from->submitted_by_worker);
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* Keep a fact that all have, else "" for unknown. */
static bool keep_same(char **to, const char *from, bool first, bool *mixed)
{
	if (!first && *to && !strcmp(*to, or_empty(from)))
		return true;
	if (!first) {
		*mixed = true;
		from = "";
	}
	free(*to);
	*to = strdup(or_empty(from));
	return *to != NULL;
}

static bool same_filter(const struct xlv_filter *a, const struct xlv_filter *b)
{
	return a->pid == b->pid && a->dev == b->dev && a->from_ns == b->from_ns &&
	       a->to_ns == b->to_ns && !strcmp(or_empty(a->comm), or_empty(b->comm));
}

static bool merge_filter(struct xlv_merge *m, const struct xlv_report *from, bool first)
{
	struct xlv_report *to = m->rep;

	if (!first && same_filter(&to->filter, &from->filter))
		return true;
	free(to->filter_comm);
	to->filter_comm = NULL;
	to->filter = first ? from->filter : XLV_FILTER_ALL;
	to->filter.comm = NULL;
	m->mixed_filters |= !first;
	if (first && from->filter.comm) {
		to->filter_comm = strdup(from->filter.comm);
		to->filter.comm = to->filter_comm;
		return to->filter_comm != NULL;
	}
	return true;
}

/* A merged report remembers by these what its parts didn't agree on. */
static void recall_mixture(struct xlv_merge *m, const struct xlv_report *from, bool merged)
{
	const struct xlv_source *s = &from->source;

	if (!merged)
		return;
	m->mixed_kernels |= !*or_empty(s->kernel);
	m->mixed_clocks |= !*or_empty(s->clock);
	m->mixed_machines |= !*or_empty(s->machine);
	m->mixed_cpus |= !s->cpus;
	m->mixed_bounds |= s->boundaries == XLV_BOUNDS_NONE;
}

static bool add_source(struct xlv_merge *m, const struct xlv_report *from, bool merged)
{
	const struct xlv_source *f = &from->source;
	struct xlv_source *to = &m->rep->source;
	bool first = !m->reports, unused = false;

	recall_mixture(m, from, merged);
	if (!keep_same(&to->format, f->format, first, &unused) ||
	    !keep_same(&to->clock, f->clock, first, &m->mixed_clocks) ||
	    !keep_same(&to->kernel, f->kernel, first, &m->mixed_kernels) ||
	    !keep_same(&to->machine, f->machine, first, &m->mixed_machines) ||
	    !keep_same(&to->buffer, f->buffer, first, &unused) ||
	    !keep_same(&to->command, f->command, first, &unused) ||
	    !merge_filter(m, from, first))
		return false;
	m->mixed_cpus |= !first && to->cpus != f->cpus;
	to->cpus = first || to->cpus == f->cpus ? f->cpus : 0;
	m->mixed_bounds |= !first && to->boundaries != f->boundaries;
	to->boundaries = first || to->boundaries == f->boundaries ? f->boundaries :
								    XLV_BOUNDS_NONE;
	to->start_ns = to->end_ns = XLV_NONE;
	to->clock_ticks |= f->clock_ticks;
	to->damaged |= f->damaged;
	to->fake_completion |= f->fake_completion;
	add_to(&to->events, f->events);
	add_to(&to->lost_events, f->lost_events);
	add_to(&to->lost_uncounted, f->lost_uncounted);
	return true;
}

/* --- the list of what was merged --- */

static bool add_entry(struct xlv_merge *m, struct json_object *o)
{
	struct json_object *file = NULL;
	struct entry *e;

	if (m->nr_entries == m->room) {
		e = reallocarray(m->entry, m->room * 2 + 64, sizeof(*e));
		if (!e)
			return false;
		m->entry = e;
		m->room = m->room * 2 + 64;
	}
	json_object_object_get_ex(o, "file", &file);
	e = &m->entry[m->nr_entries++];
	e->file = strdup(or_empty(json_object_get_string(file)));
	e->json = strdup(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	return e->file && e->json;
}

static struct json_object *string_or_null(const char *s)
{
	return s && *s ? json_object_new_string(s) : NULL;
}

static bool add_recording(struct xlv_merge *m, const struct xlv_report *rep)
{
	const struct xlv_source *s = &rep->source;
	struct json_object *o = json_object_new_object();
	bool ok;

	if (!o)
		return false;
	json_object_object_add(o, "file", string_or_null(s->file));
	json_object_object_add(o, "kernel", string_or_null(s->kernel));
	json_object_object_add(o, "cpus", s->cpus ? json_object_new_int(s->cpus) : NULL);
	json_object_object_add(o, "clock", string_or_null(s->clock));
	json_object_object_add(o, "boundaries",
			       json_object_new_string(xlv_boundaries_name(s->boundaries)));
	json_object_object_add(o, "fake_completion", json_object_new_boolean(s->fake_completion));
	json_object_object_add(o, "syncs", json_object_new_int64(rep->syncs));
	json_object_object_add(o, "lost_events",
			       json_object_new_int64(s->lost_events + s->lost_uncounted));
	json_object_object_add(o, "command", string_or_null(s->command));
	ok = add_entry(m, o);
	json_object_put(o);
	return ok;
}

/* The list in a merged report's metadata, or NULL. *@root is to be put. */
static struct json_object *merged_list(const struct xlv_report *rep, struct json_object **root)
{
	struct json_object *list = NULL;

	*root = rep->source.metadata ? json_tokener_parse(rep->source.metadata) : NULL;
	if (json_object_is_type(*root, json_type_object))
		json_object_object_get_ex(*root, "merged", &list);
	return json_object_is_type(list, json_type_array) ? list : NULL;
}

static bool is_fake(struct json_object *o)
{
	struct json_object *fake = NULL;

	json_object_object_get_ex(o, "fake_completion", &fake);
	return json_object_get_boolean(fake);
}

/* Remember the recordings of a report; *@merged: it was a merged one. */
static bool add_entries(struct xlv_merge *m, const struct xlv_report *rep, bool *merged)
{
	struct json_object *root, *list = merged_list(rep, &root);
	bool ok = true;

	*merged = list != NULL;
	if (!list) {
		ok = add_recording(m, rep);
		m->fake += rep->source.fake_completion;
	}
	for (size_t i = 0; ok && list && i < json_object_array_length(list); i++) {
		ok = add_entry(m, json_object_array_get_idx(list, i));
		m->fake += is_fake(json_object_array_get_idx(list, i));
	}
	json_object_put(root);
	return ok;
}

int xlv_merge_add(struct xlv_merge *m, const struct xlv_report *from, struct xlv_error *err)
{
	struct xlv_report *to = m->rep;
	bool merged;

	for (int i = 0; i < XLV_I_COUNT; i++)
		if (from->why_none[i] && !to->why_none[i])
			to->why_none[i] = "not in the reports that were merged";
	if (!add_entries(m, from, &merged) || !add_source(m, from, merged))
		return xlv_fail(err, "out of memory");
	to->exact = !m->reports && from->exact;
	m->reports++;
	add_counts(to, from);
	add_wakes(m, from);
	add_pipeline(&to->pipeline, &from->pipeline);
	if (add_dists(to->interval, from->interval, XLV_I_COUNT, err) ||
	    add_dists(to->interval_kind[0], from->interval_kind[0], XLV_KIND_COUNT * XLV_I_COUNT,
		      err) ||
	    add_dists(to->slack, from->slack, 2, err) ||
	    add_dists(to->wait, from->wait, XLV_QUEUE_COUNT, err) ||
	    add_stages(m, from, err) || add_placements(to, from, err) || add_others(to, from, err))
		return -1;
	return 0;
}

/* --- finishing --- */

static void settle(struct xlv_dist *d, size_t n)
{
	struct xlv_hist *h;

	for (size_t i = 0; i < n; i++) {
		h = d[i].hist;
		if (!h)
			continue;
		d[i] = xlv_hist_dist(h);
		d[i].hist = h;
	}
}

static int by_count(const void *va, const void *vb)
{
	const struct xlv_placement_row *a = va, *b = vb;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->placement, b->placement);
}

static int by_total(const void *va, const void *vb)
{
	const struct xlv_other_row *a = va, *b = vb;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return strcmp(a->what, b->what);
}

static int by_stage_then_time(const void *va, const void *vb)
{
	const struct xlv_wake_row *a = va, *b = vb;

	if (a->stage != b->stage)
		return a->stage < b->stage ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return a->cause < b->cause ? -1 : a->cause > b->cause;
}

static int by_file(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;
	int c = strcmp(a->file, b->file);

	return c ? c : strcmp(a->json, b->json);
}

static double share_of(int64_t part, int64_t all)
{
	return all ? (double)part / (double)all : NAN;
}

static void settle_stages(struct xlv_merge *m)
{
	struct xlv_report *rep = m->rep;

	for (int i = 0; i < XLV_STAGE_COUNT; i++) {
		struct xlv_stage_row *row = &m->stage[i];

		if (!m->has_stage[i])
			continue;
		settle(&row->dist, 1);
		row->share = share_of(row->dist.sum, rep->interval[XLV_I_SPAN].sum);
		rep->stages[rep->nr_stages++] = *row;
		row->dist.hist = NULL;		/* the report's now */
	}
}

static bool settle_wakes(struct xlv_merge *m)
{
	struct xlv_report *rep = m->rep;

	rep->wakes = calloc(XLV_STAGE_COUNT * (XLV_PART_COUNT + 1), sizeof(*rep->wakes));
	if (!rep->wakes)
		return false;
	for (int s = 0; s < XLV_STAGE_COUNT; s++)
		for (int c = 0; c <= XLV_PART_COUNT; c++)
			if (m->wake[s][c].count) {
				m->wake[s][c].remote_share = share_of(m->wake[s][c].remote,
								      m->wake[s][c].count);
				rep->wakes[rep->nr_wakes++] = m->wake[s][c];
			}
	qsort(rep->wakes, rep->nr_wakes, sizeof(*rep->wakes), by_stage_then_time);
	return true;
}

static int64_t known(const struct xlv_dist *d, int64_t v)
{
	return d->n ? v : XLV_NONE;
}

static void settle_placements(struct xlv_report *rep)
{
	int64_t all = 0;

	for (int32_t i = 0; i < rep->nr_placements; i++)
		all += rep->placements[i].count;
	for (int32_t i = 0; i < rep->nr_placements; i++) {
		struct xlv_placement_row *row = &rep->placements[i];

		settle(&row->span, 1);
		settle(&row->T1, 1);
		settle(&row->T4, 1);
		row->share = share_of(row->count, all);
		row->T1_p50 = known(&row->T1, row->T1.p50);
		row->T4_p50 = known(&row->T4, row->T4.p50);
		row->span_p50 = known(&row->span, row->span.p50);
		row->span_p95 = known(&row->span, row->span.p95);
	}
	if (rep->nr_placements)
		qsort(rep->placements, rep->nr_placements, sizeof(*rep->placements), by_count);
}

static int settle_warnings(struct xlv_merge *m)
{
	struct xlv_report *rep = m->rep;
	const struct xlv_source *s = &rep->source;
	int64_t n = (int64_t)m->nr_entries;
	int ret = 0;

	if (m->mixed_kernels)
		ret |= xlv_report_warn(rep, "the recordings are of different kernels: merge those "
				       "of one kernel to learn about it");
	if (m->mixed_cpus || m->mixed_machines)
		ret |= xlv_report_warn(rep, "the recordings are of machines that differ in CPU "
				       "count or kind");
	if (m->mixed_bounds)
		ret |= xlv_report_warn(rep, "T1 to T3 were taken from different boundaries: their "
				       "distributions mix definitions (use --boundaries)");
	if (m->mixed_clocks)
		ret |= xlv_report_warn(rep, "the recordings were made with different trace clocks");
	if (m->mixed_filters)
		ret |= xlv_report_warn(rep, "the reports were made with different filters");
	if (m->fake && m->fake < n)
		ret |= xlv_report_warn(rep, "%lld of %lld recordings ran with fake completion of "
				       "log I/O: merge them apart", (long long)m->fake,
				       (long long)n);
	if (s->lost_events || s->lost_uncounted)
		ret |= xlv_report_warn(rep, "events were lost in some of the recordings: record "
				       "those again with larger buffers");
	return ret;
}

/* Name and list the recordings. */
static bool settle_entries(struct xlv_merge *m)
{
	struct xlv_source *s = &m->rep->source;
	size_t size;
	FILE *f;

	qsort(m->entry, m->nr_entries, sizeof(*m->entry), by_file);
	if (m->nr_entries == 1 ? !(s->file = strdup(m->entry[0].file)) :
	    asprintf(&s->file, "%zu recordings", m->nr_entries) < 0)
		return false;
	f = open_memstream(&s->metadata, &size);
	if (!f)
		return false;
	fputs("{\"merged\":[", f);
	for (size_t i = 0; i < m->nr_entries; i++)
		fprintf(f, "%s%s", i ? "," : "", m->entry[i].json);
	fputs("]}", f);
	return !fclose(f);
}

struct xlv_report *xlv_merge_finish(struct xlv_merge *m, struct xlv_error *err)
{
	struct xlv_report *rep = m->rep;

	settle(rep->interval, XLV_I_COUNT);
	settle(rep->interval_kind[0], XLV_KIND_COUNT * XLV_I_COUNT);
	settle(rep->slack, 2);
	settle(rep->wait, XLV_QUEUE_COUNT);
	settle_stages(m);
	settle_placements(rep);
	if (rep->nr_others)
		qsort(rep->others, rep->nr_others, sizeof(*rep->others), by_total);
	for (int i = 0; i < XLV_I_COUNT; i++)
		if (rep->interval[i].n)
			rep->why_none[i] = NULL;
	rep->syncs_per_iclog = NAN;
	rep->syncs_per_s = rep->time_ns > 0 ? rep->complete * 1e9 / rep->time_ns : NAN;
	rep->pipeline.pushes_mean = rep->pipeline.iclogs_mean = NAN;
	rep->pipeline.syncs_per_push = rep->pipeline.syncs_per_iclog = NAN;
	rep->pipeline.flush_per_sync = rep->pipeline.fua_per_sync = NAN;
	if (!settle_wakes(m) || !settle_entries(m) || settle_warnings(m))
		goto no_memory;
	rep->answer = xlv_answer_make(rep);
	if (!rep->answer)
		goto no_memory;
	m->rep = NULL;
	return rep;
no_memory:
	xlv_fail(err, "out of memory");
	return NULL;
}
