// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the JSON report. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/input.h"
#include "output/json.h"

static void put_dev(struct xlv_jsonw *w, const char *key, uint32_t dev)
{
	char text[24];

	if (!dev) {
		xlv_jsonw_null(w, key);
		return;
	}
	snprintf(text, sizeof(text), "%u:%u", dev >> 20, dev & 0xfffff);
	xlv_jsonw_str(w, key, text);
}

/* Zero, a negative number or an empty name stands for what isn't known. */
static void put_positive(struct xlv_jsonw *w, const char *key, int64_t v)
{
	if (v > 0)
		xlv_jsonw_int(w, key, v);
	else
		xlv_jsonw_null(w, key);
}

static void put_cpu(struct xlv_jsonw *w, const char *key, int32_t cpu)
{
	if (cpu >= 0)
		xlv_jsonw_int(w, key, cpu);
	else
		xlv_jsonw_null(w, key);
}

static void put_name(struct xlv_jsonw *w, const char *key, const char *s)
{
	xlv_jsonw_str(w, key, s && *s ? s : NULL);
}

static void put_hist(struct xlv_jsonw *w, const struct xlv_hist *h)
{
	if (!h) {
		xlv_jsonw_null(w, "hist");
		return;
	}
	xlv_jsonw_object(w, "hist");
	xlv_jsonw_str(w, "scheme", XLV_HIST_SCHEME);
	xlv_jsonw_array(w, "buckets");
	for (size_t i = 0; i < h->nr_buckets; i++) {
		xlv_jsonw_array(w, NULL);
		xlv_jsonw_int(w, NULL, h->bucket[i].index);
		xlv_jsonw_int(w, NULL, h->bucket[i].count);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
	xlv_jsonw_end(w);
}

void xlv_json_dist(struct xlv_jsonw *w, const struct xlv_dist *d)
{
	bool none = !d->n;

	xlv_jsonw_int(w, "n", d->n);
	xlv_jsonw_ns(w, "min", none ? XLV_NONE : d->min);
	xlv_jsonw_ns(w, "p50", none ? XLV_NONE : d->p50);
	xlv_jsonw_ns(w, "p90", none ? XLV_NONE : d->p90);
	xlv_jsonw_ns(w, "p95", none ? XLV_NONE : d->p95);
	xlv_jsonw_ns(w, "p99", none ? XLV_NONE : d->p99);
	xlv_jsonw_ns(w, "max", none ? XLV_NONE : d->max);
	xlv_jsonw_ns(w, "mean", none ? XLV_NONE : llround(d->mean));
	xlv_jsonw_ns(w, "sum", none ? XLV_NONE : d->sum);
	put_hist(w, d->hist);
}

static void put_dist(struct xlv_jsonw *w, const char *key, const struct xlv_dist *d)
{
	xlv_jsonw_object(w, key);
	xlv_json_dist(w, d);
	xlv_jsonw_end(w);
}

static void put_intervals(struct xlv_jsonw *w, const struct xlv_dist *d)
{
	xlv_jsonw_object(w, "intervals");
	for (unsigned int i = 0; i < XLV_I_COUNT; i++)
		put_dist(w, xlv_interval_name(i), &d[i]);
	xlv_jsonw_end(w);
}

static void put_trace(struct xlv_jsonw *w, const struct xlv_report *rep)
{
	const struct xlv_source *s = &rep->source;

	xlv_jsonw_object(w, "trace");
	xlv_jsonw_str(w, "file", s->file);
	put_name(w, "format", s->format);
	put_positive(w, "version", s->version);
	put_name(w, "clock", s->clock);
	xlv_jsonw_str(w, "time_unit", s->clock_ticks ? "ticks" : "ns");
	put_name(w, "kernel", s->kernel);
	put_name(w, "machine", s->machine);
	put_positive(w, "cpus", s->cpus);
	xlv_jsonw_int(w, "events", s->events);
	xlv_jsonw_int(w, "lost_events", s->lost_events);
	xlv_jsonw_int(w, "lost_uncounted", s->lost_uncounted);
	xlv_jsonw_bool(w, "damaged", s->damaged);
	xlv_jsonw_ns(w, "start_ns", s->start_ns);
	xlv_jsonw_ns(w, "end_ns", s->end_ns);
	xlv_jsonw_str(w, "boundaries", xlv_boundaries_name(s->boundaries));
	xlv_jsonw_str(w, "buffer", s->buffer);
	xlv_jsonw_raw(w, "topology", s->topology);
	xlv_jsonw_bool(w, "fake_completion", s->fake_completion);
	xlv_jsonw_str(w, "command", s->command);
	xlv_jsonw_raw(w, "metadata", s->metadata);
	xlv_jsonw_end(w);
}

void xlv_json_filter(struct xlv_jsonw *w, const char *key, const struct xlv_filter *f)
{
	xlv_jsonw_object(w, key);
	put_positive(w, "pid", f->pid);
	xlv_jsonw_str(w, "comm", f->comm);
	put_dev(w, "dev", f->dev);
	xlv_jsonw_ns(w, "from_ns", f->from_ns);
	xlv_jsonw_ns(w, "to_ns", f->to_ns);
	xlv_jsonw_end(w);
}

static void put_counts(struct xlv_jsonw *w, const struct xlv_report *rep)
{
	xlv_jsonw_object(w, "counts");
	xlv_jsonw_int(w, "syncs", rep->syncs);
	xlv_jsonw_int(w, "complete", rep->complete);
	xlv_jsonw_int(w, "partial", rep->partial);
	xlv_jsonw_object(w, "reasons");
	for (unsigned int i = 0; i < XLV_REASON_COUNT; i++)
		xlv_jsonw_int(w, xlv_reason_name(i), rep->by_reason[i]);
	xlv_jsonw_end(w);
	xlv_jsonw_int(w, "tasks", rep->tasks);
	xlv_jsonw_int(w, "cil_pushes", rep->cil_pushes);
	xlv_jsonw_int(w, "iclog_writes", rep->iclog_writes);
	xlv_jsonw_int(w, "fake_ios", rep->fake_ios);
	xlv_jsonw_double(w, "syncs_per_iclog", rep->syncs_per_iclog);
	xlv_jsonw_ns(w, "time_ns", rep->time_ns);
	xlv_jsonw_double(w, "syncs_per_s", rep->syncs_per_s);
	xlv_jsonw_end(w);
}

static void put_kinds(struct xlv_jsonw *w, const struct xlv_report *rep)
{
	xlv_jsonw_object(w, "kinds");
	for (unsigned int k = 0; k < XLV_KIND_COUNT; k++) {
		xlv_jsonw_object(w, xlv_kind_name(k));
		xlv_jsonw_int(w, "count", rep->by_kind[k]);
		put_intervals(w, rep->interval_kind[k]);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

static void put_waits(struct xlv_jsonw *w, const struct xlv_report *rep)
{
	xlv_jsonw_array(w, "waits");
	for (unsigned int q = 0; q < XLV_QUEUE_COUNT; q++) {
		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "queue", xlv_queue_name(q));
		xlv_jsonw_int(w, "syncs", rep->wait_syncs[q]);
		xlv_json_dist(w, &rep->wait[q]);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
	xlv_jsonw_array(w, "other_waits");
	for (int32_t i = 0; i < rep->nr_others; i++) {
		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "what", rep->others[i].what);
		xlv_jsonw_int(w, "count", rep->others[i].count);
		xlv_jsonw_int(w, "total_ns", rep->others[i].total_ns);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

static void put_stages(struct xlv_jsonw *w, const struct xlv_report *rep)
{
	xlv_jsonw_array(w, "stages");
	for (int32_t i = 0; i < rep->nr_stages; i++) {
		const struct xlv_stage_row *row = &rep->stages[i];

		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "stage", xlv_stage_name(row->stage));
		xlv_jsonw_double(w, "share", row->share);
		xlv_jsonw_ns(w, "flush_ns", row->flush_ns);
		xlv_jsonw_ns(w, "device_ns", row->device_ns);
		xlv_jsonw_ns(w, "in_order_ns", row->in_order_ns);
		xlv_json_dist(w, &row->dist);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

/* Parts that are zero are left out: the rest still adds up. */
static void put_parts(struct xlv_jsonw *w, const int64_t parts_ns[XLV_PART_COUNT])
{
	xlv_jsonw_object(w, "parts_ns");
	for (unsigned int p = 0; p < XLV_PART_COUNT; p++)
		if (parts_ns[p])
			xlv_jsonw_int(w, xlv_part_name(p), parts_ns[p]);
	xlv_jsonw_end(w);
}

static void put_wakes(struct xlv_jsonw *w, const struct xlv_report *rep)
{
	xlv_jsonw_array(w, "wakes");
	for (int32_t i = 0; i < rep->nr_wakes; i++) {
		const struct xlv_wake_row *row = &rep->wakes[i];

		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "stage", xlv_stage_name(row->stage));
		xlv_jsonw_str(w, "cause", xlv_part_name(row->cause));
		xlv_jsonw_int(w, "count", row->count);
		xlv_jsonw_int(w, "total_ns", row->total_ns);
		xlv_jsonw_int(w, "remote", row->remote);
		xlv_jsonw_double(w, "remote_share", row->remote_share);
		put_parts(w, row->parts_ns);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

static void put_placements(struct xlv_jsonw *w, const struct xlv_report *rep)
{
	xlv_jsonw_array(w, "placements");
	for (int32_t i = 0; i < rep->nr_placements; i++) {
		const struct xlv_placement_row *row = &rep->placements[i];

		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "placement", row->placement);
		xlv_jsonw_int(w, "count", row->count);
		xlv_jsonw_double(w, "share", row->share);
		xlv_jsonw_ns(w, "T1_p50", row->T1_p50);
		xlv_jsonw_ns(w, "T4_p50", row->T4_p50);
		xlv_jsonw_ns(w, "span_p50", row->span_p50);
		xlv_jsonw_ns(w, "span_p95", row->span_p95);
		put_dist(w, "span", &row->span);
		put_dist(w, "T1", &row->T1);
		put_dist(w, "T4", &row->T4);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

static void put_pipeline(struct xlv_jsonw *w, const struct xlv_pipeline *p)
{
	xlv_jsonw_object(w, "pipeline");
	xlv_jsonw_double(w, "pushes_mean", p->pushes_mean);
	xlv_jsonw_int(w, "pushes_max", p->pushes_max);
	xlv_jsonw_double(w, "iclogs_mean", p->iclogs_mean);
	xlv_jsonw_int(w, "iclogs_max", p->iclogs_max);
	xlv_jsonw_int(w, "out_of_order", p->out_of_order);
	xlv_jsonw_int(w, "in_order_wait_ns", p->in_order_wait_ns);
	xlv_jsonw_double(w, "syncs_per_push", p->syncs_per_push);
	xlv_jsonw_double(w, "syncs_per_iclog", p->syncs_per_iclog);
	xlv_jsonw_double(w, "flush_per_sync", p->flush_per_sync);
	xlv_jsonw_double(w, "fua_per_sync", p->fua_per_sync);
	xlv_jsonw_int(w, "submitted_by_task", p->submitted_by_task);
	xlv_jsonw_int(w, "submitted_by_worker", p->submitted_by_worker);
	xlv_jsonw_end(w);
}

static void put_findings(struct xlv_jsonw *w, const struct xlv_report *rep)
{
	xlv_jsonw_array(w, "findings");
	for (int32_t i = 0; i < rep->nr_findings; i++) {
		const struct xlv_finding *f = &rep->findings[i];

		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "id", f->id);
		xlv_jsonw_str(w, "severity", f->severity);
		xlv_jsonw_double(w, "share", f->share);
		xlv_jsonw_str(w, "title", f->title);
		xlv_jsonw_str(w, "text", f->text);
		xlv_jsonw_str(w, "advice", f->advice);
		xlv_jsonw_raw(w, "evidence", f->evidence);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

/* The answer has a sentence a line. */
static void put_answer(struct xlv_jsonw *w, const char *answer)
{
	const char *end;

	xlv_jsonw_array(w, "answer");
	while (answer && *answer) {
		end = strchrnul(answer, '\n');
		if (end > answer)
			xlv_jsonw_strn(w, NULL, answer, (size_t)(end - answer));
		answer = *end ? end + 1 : end;
	}
	xlv_jsonw_end(w);
}

/* What belongs to the run and not to its syncs. */
static void put_run(struct xlv_jsonw *w, const struct xlv_run *run)
{
	xlv_jsonw_array(w, "forces");
	for (size_t i = 0; run && i < run->nr_callers; i++) {
		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "caller", run->callers[i].name);
		xlv_jsonw_int(w, "forces", run->callers[i].forces);
		xlv_jsonw_int(w, "in_syncs", run->callers[i].in_syncs);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
	xlv_jsonw_array(w, "unfinished");
	for (size_t i = 0; run && i < run->nr_unfinished; i++) {
		const struct xlv_unfinished *u = &run->unfinished[i];

		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "what", u->what);
		put_positive(w, "pid", u->pid);
		put_name(w, "comm", u->comm);
		put_name(w, "on", u->on);
		xlv_jsonw_ns(w, "since_ns", u->since_ns);
		put_positive(w, "sync", u->sync);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

static void put_reasons(struct xlv_jsonw *w, const struct xlv_sync *s)
{
	char missing[128];

	xlv_jsonw_array(w, "reasons");
	for (unsigned int bit = 0; bit < XLV_REASON_COUNT; bit++) {
		if (!(s->reasons & 1u << bit))
			continue;
		if (1u << bit == XLV_PARTIAL_MISSING) {
			snprintf(missing, sizeof(missing), "missing:%s",
				 s->missing ? s->missing : "?");
			xlv_jsonw_str(w, NULL, missing);
		} else {
			xlv_jsonw_str(w, NULL, xlv_reason_name(bit));
		}
	}
	xlv_jsonw_end(w);
}

/* Further facts of a wake-up are left out where there is nothing to say. */
static void put_wake_more(struct xlv_jsonw *w, const struct xlv_wake *k)
{
	if (k->waking_ns != XLV_NONE) {
		xlv_jsonw_str(w, "waker_role", xlv_role_name(k->waker_role));
		if (k->running_ns != XLV_NONE)
			xlv_jsonw_str(w, "distance", xlv_distance_name(k->distance));
	}
	if (k->other_pid) {
		xlv_jsonw_int(w, "other_pid", k->other_pid);
		put_name(w, "other_comm", k->other_comm);
		xlv_jsonw_int(w, "other_ns", k->other_ns);
	}
	if (k->cstate >= 0)
		xlv_jsonw_int(w, "cstate", k->cstate);
}

static void put_wake(struct xlv_jsonw *w, const struct xlv_wake *k)
{
	bool woken = k->waking_ns != XLV_NONE;

	if (woken)
		xlv_jsonw_int(w, "waker_pid", k->waker_pid);
	else
		xlv_jsonw_null(w, "waker_pid");
	put_name(w, "waker_comm", woken ? k->waker_comm : NULL);
	xlv_jsonw_str(w, "waker_context", woken ? xlv_context_name(k->waker_context) : NULL);
	put_cpu(w, "waker_cpu", woken ? k->waker_cpu : -1);
	put_cpu(w, "from_cpu", k->prev_cpu);
	put_cpu(w, "to_cpu", k->running_ns != XLV_NONE ? k->to_cpu : -1);
	put_wake_more(w, k);
}

static void put_sync_waits(struct xlv_jsonw *w, const struct xlv_detail *d)
{
	xlv_jsonw_array(w, "waits");
	for (int32_t i = 0; i < d->nr_waits; i++) {
		const struct xlv_wait *x = &d->waits[i];
		bool whole = x->wake.waking_ns != XLV_NONE && x->wake.running_ns != XLV_NONE;

		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "queue", xlv_queue_name(x->queue));
		if (x->what)
			xlv_jsonw_str(w, "what", x->what);
		xlv_jsonw_int(w, "start_ns", x->start_ns);
		xlv_jsonw_ns(w, "waking_ns", x->wake.waking_ns);
		xlv_jsonw_ns(w, "running_ns", x->wake.running_ns);
		put_wake(w, &x->wake);
		xlv_jsonw_str(w, "cause", whole ? xlv_part_name(x->wake.cause) : NULL);
		if (whole)
			put_parts(w, x->wake.parts_ns);
		else
			xlv_jsonw_null(w, "parts_ns");
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

static void put_sync_stages(struct xlv_jsonw *w, const struct xlv_detail *d)
{
	xlv_jsonw_array(w, "stages");
	for (int32_t i = 0; i < d->nr_segments; i++) {
		const struct xlv_segment *x = &d->segments[i];

		if (x->stage >= XLV_STAGE_COUNT)	/* not settled when the trace ended */
			continue;
		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "stage", xlv_stage_name(x->stage));
		xlv_jsonw_int(w, "start_ns", x->start_ns);
		xlv_jsonw_int(w, "ns", x->ns);
		put_cpu(w, "cpu", x->cpu);
		put_positive(w, "pid", x->pid);
		put_name(w, "comm", x->comm);
		if (x->what)
			xlv_jsonw_str(w, "what", x->what);
		if (x->wake >= 0)
			xlv_jsonw_int(w, "wake", x->wake);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

static void put_sync_wakes(struct xlv_jsonw *w, const struct xlv_detail *d)
{
	xlv_jsonw_array(w, "wakes");
	for (int32_t i = 0; i < d->nr_wakes; i++) {
		const struct xlv_path_wake *x = &d->wakes[i];

		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "stage", xlv_stage_name(x->stage));
		xlv_jsonw_str(w, "cause", xlv_part_name(x->cause));
		xlv_jsonw_int(w, "ns", x->ns);
		put_parts(w, x->parts_ns);
		xlv_jsonw_bool(w, "remote", x->wake.remote);
		xlv_jsonw_bool(w, "migrated", x->wake.migrated);
		xlv_jsonw_bool(w, "waker_on_prev", x->wake.waker_on_prev);
		put_wake(w, &x->wake);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
}

static void put_log_io(struct xlv_jsonw *w, const struct xlv_run *run, const struct xlv_sync *s)
{
	xlv_jsonw_object(w, "log_io");
	xlv_jsonw_ns(w, "flush_ns", s->io_flush_ns);
	xlv_jsonw_ns(w, "device_ns", s->io_device_ns);
	xlv_jsonw_ns(w, "in_order_ns", s->in_order_ns);
	xlv_jsonw_bool(w, "done_in_push", xlv_done_in_push(run, s));
	xlv_jsonw_end(w);
}

void xlv_json_sync(struct xlv_jsonw *w, const struct xlv_run *run, const struct xlv_sync *s,
		   const struct xlv_detail *d)
{
	bool forced = s->group_size > 0;

	xlv_jsonw_int(w, "id", s->id);
	xlv_jsonw_str(w, "kind", xlv_kind_name(s->kind));
	xlv_jsonw_int(w, "pid", s->pid);
	put_name(w, "comm", s->comm);
	xlv_jsonw_str(w, "syscall", s->syscall ? xlv_syscall_name(s->syscall) : NULL);
	put_name(w, "via", s->via);
	put_dev(w, "dev", s->dev);
	if (s->ino)
		xlv_jsonw_int(w, "ino", (int64_t)s->ino);
	else
		xlv_jsonw_null(w, "ino");
	xlv_jsonw_int(w, "start_ns", s->start_ns);
	xlv_jsonw_ns(w, "span_ns", s->span_ns);
	xlv_jsonw_ns(w, "T1_ns", s->T1_ns);
	xlv_jsonw_ns(w, "T2_ns", s->T2_ns);
	xlv_jsonw_ns(w, "T3_ns", s->T3_ns);
	xlv_jsonw_ns(w, "T4_ns", s->T4_ns);
	xlv_jsonw_ns(w, "T1_slack_ns", s->T1_slack_ns);
	xlv_jsonw_ns(w, "T2_slack_ns", s->T2_slack_ns);
	xlv_jsonw_object(w, "none_because");
	for (unsigned int i = 0; i < 4; i++)
		if (xlv_sync_interval(s, XLV_I_T1 + i) == XLV_NONE && s->T_why[i])
			xlv_jsonw_str(w, xlv_interval_name(XLV_I_T1 + i), s->T_why[i]);
	xlv_jsonw_end(w);
	xlv_jsonw_str(w, "status", s->reasons ? "partial" : "complete");
	put_reasons(w, s);
	put_name(w, "placement", s->placement);
	xlv_jsonw_array(w, "cpus");
	for (int i = 0; i < 6; i++)
		put_cpu(w, NULL, s->place_cpu[i]);
	xlv_jsonw_end(w);
	put_positive(w, "iclog_lsn", (int64_t)s->iclog_lsn);
	put_positive(w, "group_size", s->group_size);
	put_positive(w, "group_pos", forced ? s->group_pos : 0);
	xlv_jsonw_ns(w, "wake_order_ns", forced ? s->wake_order_ns : XLV_NONE);
	xlv_jsonw_int(w, "flushes", s->flushes);
	xlv_jsonw_bool(w, "submitter", s->submitter);
	put_sync_waits(w, d);
	put_sync_stages(w, d);
	put_sync_wakes(w, d);
	put_log_io(w, run, s);
}

static int put_syncs(struct xlv_jsonw *w, const struct xlv_report *rep)
{
	struct xlv_detail d = { 0 };
	int ret = 0;

	xlv_jsonw_array(w, "syncs");
	for (int64_t i = 0; i < rep->nr_selected && !ret; i++) {
		ret = xlv_sync_detail(rep->run, rep->selected[i], &d);
		if (ret)
			break;
		xlv_jsonw_object(w, NULL);
		xlv_json_sync(w, rep->run, rep->selected[i], &d);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
	xlv_detail_free(&d);
	return ret;
}

int xlv_json_report(FILE *out, const struct xlv_report *rep, const struct xlv_json_opts *opts)
{
	static const struct xlv_json_opts defaults;
	struct xlv_jsonw writer, *w = &writer;
	int ret = 0;

	if (!opts)
		opts = &defaults;
	xlv_jsonw_init(w, out, opts->one_line ? 0 : 2);
	xlv_jsonw_object(w, NULL);
	xlv_jsonw_str(w, "schema", XLV_REPORT_SCHEMA);
	xlv_jsonw_str(w, "generator", PACKAGE_STRING);
	put_trace(w, rep);
	xlv_json_filter(w, "filter", &rep->filter);
	xlv_jsonw_bool(w, "exact", rep->exact);
	put_counts(w, rep);
	put_answer(w, rep->answer);
	put_intervals(w, rep->interval);
	xlv_jsonw_object(w, "none_because");
	for (unsigned int i = 0; i < XLV_I_COUNT; i++)
		if (rep->why_none[i])
			xlv_jsonw_str(w, xlv_interval_name(i), rep->why_none[i]);
	xlv_jsonw_end(w);
	xlv_jsonw_object(w, "slack");
	put_dist(w, "T1", &rep->slack[0]);
	put_dist(w, "T2", &rep->slack[1]);
	xlv_jsonw_end(w);
	put_kinds(w, rep);
	put_waits(w, rep);
	put_stages(w, rep);
	put_wakes(w, rep);
	put_placements(w, rep);
	put_pipeline(w, &rep->pipeline);
	put_findings(w, rep);
	xlv_jsonw_array(w, "warnings");
	for (int32_t i = 0; i < rep->nr_warnings; i++)
		xlv_jsonw_str(w, NULL, rep->warnings[i]);
	xlv_jsonw_end(w);
	put_run(w, rep->run);
	if (!opts->no_syncs)
		ret = put_syncs(w, rep);
	xlv_jsonw_finish(w);
	return ret;
}
