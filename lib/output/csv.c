// SPDX-License-Identifier: GPL-2.0-or-later
/* One sync a row. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/csv.h"
#include "output/utf8.h"

void xlv_csv_header(FILE *out)
{
	fputs("id,kind,pid,comm,syscall,via,dev,ino,start_ns,span_ns,T1_ns,T2_ns,T3_ns,T4_ns,"
	      "T1_slack_ns,T2_slack_ns,status,reasons,placement,iclog_lsn,group_size,group_pos,"
	      "wake_order_ns,flushes", out);
	for (unsigned int q = 0; q < XLV_QUEUE_COUNT; q++)
		fprintf(out, ",wait_%s_ns", xlv_queue_name(q));
	for (unsigned int s = 0; s < XLV_STAGE_COUNT; s++)
		fprintf(out, ",stage_%s_ns", xlv_stage_name(s));
	for (unsigned int p = 0; p < XLV_PART_COUNT; p++)
		fprintf(out, ",wakes_%s_ns", xlv_part_name(p));
	fputs(",file\n", out);
}

static void put_ns(FILE *out, int64_t ns)
{
	if (ns == XLV_NONE)
		putc_unlocked(',', out);
	else
		fprintf(out, ",%lld", (long long)ns);
}

static void put_positive(FILE *out, int64_t v)
{
	put_ns(out, v > 0 ? v : XLV_NONE);
}

static void put_name(FILE *out, const char *name)
{
	char text[4 * 256 + 1];
	const char *s = text;

	putc_unlocked(',', out);
	if (!name || !*name)
		return;
	xlv_show(text, sizeof(text), name, true);
	if (strchr("=+-@", *s))
		fprintf(out, "\\x%02x", (unsigned char)*s++);
	if (!strpbrk(s, ",\"")) {
		fputs(s, out);
		return;
	}
	putc_unlocked('"', out);
	for (; *s; s++) {
		if (*s == '"')
			putc_unlocked('"', out);
		putc_unlocked(*s, out);
	}
	putc_unlocked('"', out);
}

static void put_reasons(FILE *out, const struct xlv_sync *s)
{
	const char *space = "";

	putc_unlocked(',', out);
	for (unsigned int bit = 0; bit < XLV_REASON_COUNT; bit++) {
		if (!(s->reasons & 1u << bit))
			continue;
		fprintf(out, "%s%s", space, xlv_reason_name(bit));
		if (1u << bit == XLV_PARTIAL_MISSING)
			fprintf(out, ":%s", s->missing ? s->missing : "?");
		space = " ";
	}
}

/* Sums by queue, stage and part; a stage that a sync doesn't have is empty. */
static void put_sums(FILE *out, const struct xlv_detail *d)
{
	int64_t queue[XLV_QUEUE_COUNT], stage[XLV_STAGE_COUNT], part[XLV_PART_COUNT] = { 0 };

	for (unsigned int i = 0; i < XLV_QUEUE_COUNT; i++)
		queue[i] = XLV_NONE;
	for (unsigned int i = 0; i < XLV_STAGE_COUNT; i++)
		stage[i] = XLV_NONE;
	for (int32_t i = 0; i < d->nr_waits; i++) {
		const struct xlv_wait *x = &d->waits[i];

		if (x->wake.running_ns == XLV_NONE)
			continue;
		if (queue[x->queue] == XLV_NONE)
			queue[x->queue] = 0;
		queue[x->queue] += x->wake.running_ns - x->start_ns;
	}
	for (int32_t i = 0; i < d->nr_segments; i++) {
		const struct xlv_segment *x = &d->segments[i];

		if (x->stage >= XLV_STAGE_COUNT)	/* not settled when the trace ended */
			continue;
		if (stage[x->stage] == XLV_NONE)
			stage[x->stage] = 0;
		stage[x->stage] += x->ns;
	}
	for (int32_t i = 0; i < d->nr_wakes; i++)
		for (unsigned int p = 0; p < XLV_PART_COUNT; p++)
			part[p] += d->wakes[i].parts_ns[p];
	for (unsigned int i = 0; i < XLV_QUEUE_COUNT; i++)
		put_ns(out, queue[i]);
	for (unsigned int i = 0; i < XLV_STAGE_COUNT; i++)
		put_ns(out, stage[i]);
	for (unsigned int i = 0; i < XLV_PART_COUNT; i++)
		put_ns(out, d->nr_wakes ? part[i] : XLV_NONE);
}

int xlv_csv_syncs(FILE *out, const struct xlv_report *rep)
{
	struct xlv_detail d = { 0 };
	int ret = 0;

	for (int64_t i = 0; i < rep->nr_selected; i++) {
		const struct xlv_sync *s = rep->selected[i];

		ret = xlv_sync_detail(rep->run, s, &d);
		if (ret)
			break;
		fprintf(out, "%d,%s,%d", s->id, xlv_kind_name(s->kind), s->pid);
		put_name(out, s->comm);
		put_name(out, s->syscall ? xlv_syscall_name(s->syscall) : NULL);
		put_name(out, s->via);
		if (s->dev)
			fprintf(out, ",%u:%u", s->dev >> 20, s->dev & 0xfffff);
		else
			putc_unlocked(',', out);
		put_positive(out, (int64_t)s->ino);
		put_ns(out, s->start_ns);
		for (unsigned int j = 0; j < XLV_I_COUNT; j++)
			put_ns(out, xlv_sync_interval(s, j));
		put_ns(out, s->T1_slack_ns);
		put_ns(out, s->T2_slack_ns);
		put_name(out, s->reasons ? "partial" : "complete");
		put_reasons(out, s);
		put_name(out, s->placement);
		put_positive(out, (int64_t)s->iclog_lsn);
		put_positive(out, s->group_size);
		put_positive(out, s->group_size > 0 ? s->group_pos : 0);
		put_ns(out, s->group_size > 0 ? s->wake_order_ns : XLV_NONE);
		fprintf(out, ",%d", s->flushes);
		put_sums(out, &d);
		put_name(out, rep->source.file);
		putc_unlocked('\n', out);
	}
	xlv_detail_free(&d);
	return ret;
}
