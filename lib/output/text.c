// SPDX-License-Identifier: GPL-2.0-or-later
/* The report for people. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"
#include "output/utf8.h"

#define WIDE		108	/* columns from which tables show more */
#define MAX_PLACEMENTS	8
#define MAX_OTHERS	6
#define MAX_CALLERS	6
#define MAX_WAKES	8

struct text {
	FILE	*f;
	int	width;
	bool	utf8, colour, ticks;
};

enum style { BOLD, DIM, RED, YELLOW, CYAN };

static void style(const struct text *t, enum style s)
{
	static const char *const codes[] = {
		"\033[1m", "\033[2m", "\033[1;31m", "\033[33m", "\033[36m",
	};

	if (t->colour)
		fputs(codes[s], t->f);
}

static void plain(const struct text *t)
{
	if (t->colour)
		fputs("\033[0m", t->f);
}

static void heading(const struct text *t, const char *name)
{
	fputc('\n', t->f);
	style(t, BOLD);
	fputs(name, t->f);
	plain(t);
}

/* Buffers for what stands in a cell; each call of a formatter takes its own. */
struct cell {
	char	s[32];
};

/* Three digits and a unit. Ticks of an unknown length have only a magnitude. */
static const char *ns(const struct text *t, struct cell *c, int64_t v)
{
	static const char *const units[2][5] = {
		{ "ns", "us", "ms", "s", "" }, { "", "k", "M", "G", "T" },
	};
	double d = (double)v;
	int u = 0;

	if (v == XLV_NONE) {
		strcpy(c->s, "n/a");
		return c->s;
	}
	while (u < (t->ticks ? 4 : 3) && fabs(d) >= 999.5) {
		d /= 1000;
		u++;
	}
	snprintf(c->s, sizeof(c->s), "%.*f%s", !u || fabs(d) >= 99.95 ? 0 : fabs(d) >= 9.995 ? 1 : 2,
		 d, units[t->ticks][u]);
	return c->s;
}

static const char *count(struct cell *c, int64_t v)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%" PRId64, v), out = 0;

	for (int i = 0; i < n && out < (int)sizeof(c->s) - 2; i++) {
		c->s[out++] = digits[i];
		if (digits[i] != '-' && i < n - 1 && (n - 1 - i) % 3 == 0)
			c->s[out++] = ',';
	}
	c->s[out] = '\0';
	return c->s;
}

static const char *percent(struct cell *c, double share)
{
	double p = share * 100;

	if (!isfinite(p))
		strcpy(c->s, "n/a");
	else
		snprintf(c->s, sizeof(c->s), "%.*f%%", fabs(p) >= 99.95 ? 0 : 1, p);
	return c->s;
}

static const char *ratio(struct cell *c, double v)
{
	if (isfinite(v))
		snprintf(c->s, sizeof(c->s), "%.2f", v);
	else
		strcpy(c->s, "n/a");
	return c->s;
}

/* Length of the word at @s; a number and its unit are one. */
static size_t word_length(const char *s)
{
	static const char *const units[] = { "%", "ns", "us", "ms", "s", "k ticks", "M ticks" };
	size_t len = strcspn(s, " \n");

	if (s[len] != ' ' || !strchr("0123456789", s[*s == '(']))
		return len;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const char *unit = s + len + 1;
		size_t n = strlen(units[i]);

		if (!strncmp(unit, units[i], n) && (!unit[n] || strchr(" \n,.;:)", unit[n])))
			return len + 1 + n + strcspn(unit + n, " \n");
	}
	return len;
}

/* Words of @s in lines of at most the width, the first after @first columns. */
static void wrap(const struct text *t, const char *s, int first, int indent)
{
	int at = first;
	bool begin = true;

	while (*s) {
		size_t len;
		char word[1024];
		int columns;

		s += strspn(s, " \n");
		len = word_length(s);
		if (!len)
			break;
		if (len >= sizeof(word))
			len = sizeof(word) - 1;
		memcpy(word, s, len);
		word[len] = '\0';
		s += len;
		columns = xlv_columns(word);
		if (!begin && at + 1 + columns > t->width) {
			fprintf(t->f, "\n%*s", indent, "");
			at = indent;
			begin = true;
		}
		if (!begin) {
			fputc(' ', t->f);
			at++;
		}
		fputs(word, t->f);
		at += columns;
		begin = false;
	}
	fputc('\n', t->f);
}

static void wrapf(const struct text *t, int indent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void wrapf(const struct text *t, int indent, const char *fmt, ...)
{
	char *s;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	fprintf(t->f, "%*s", indent, "");
	wrap(t, s, indent, indent);
	free(s);
}

/* A name cut and padded to @width columns. */
static void name_cell(const struct text *t, const char *name, int width)
{
	char shown[256];
	int columns = xlv_show(shown, sizeof(shown), name, t->utf8);
	size_t len = strlen(shown);

	while (columns > width && len) {
		do
			len--;
		while (len && (shown[len] & 0xc0) == 0x80);
		shown[len] = '\0';
		columns = xlv_columns(shown);
	}
	fprintf(t->f, "%s%*s", shown, width - columns, "");
}

static void bar(const struct text *t, double share, int width)
{
	static const char *const eighths[] = {
		"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589",
	};
	double cells = isfinite(share) && share > 0 ? share * width : 0;
	int full, part, used;

	if (cells > width)
		cells = width;
	if (!t->utf8) {
		full = (int)(cells + 0.5);
		for (int i = 0; i < full; i++)
			fputc('#', t->f);
		fprintf(t->f, "%*s", width - full, "");
		return;
	}
	full = (int)cells;
	part = (int)((cells - full) * 8 + 0.5);
	if (part == 8) {
		full++;
		part = 0;
	}
	style(t, CYAN);
	for (int i = 0; i < full; i++)
		fputs("\u2588", t->f);
	fputs(eighths[part], t->f);
	plain(t);
	used = full + !!part;
	fprintf(t->f, "%*s", width - used, "");
}

static void head(const struct text *t, const struct xlv_report *rep)
{
	const struct xlv_source *s = &rep->source;
	char file[1024], kernel[160], machine[80], clock[80], shown[1024], version[24] = "";
	struct cell a, b, c;
	const char *lost = s->lost_events ? count(&b, s->lost_events) :
			   s->lost_uncounted ? "an unknown number" : "none";
	double seconds = s->end_ns != XLV_NONE ? (double)(s->end_ns - s->start_ns) / 1e9 : 0;

	xlv_show(file, sizeof(file), s->file, t->utf8);
	xlv_show(kernel, sizeof(kernel), *s->kernel ? s->kernel : "unknown", t->utf8);
	xlv_show(machine, sizeof(machine), s->machine, t->utf8);
	xlv_show(clock, sizeof(clock), *s->clock ? s->clock : "unknown", t->utf8);
	if (s->version)
		snprintf(version, sizeof(version), " version %d", s->version);
	style(t, BOLD);
	fprintf(t->f, "%s\n", file);
	plain(t);
	wrapf(t, 2, "kernel %s%s%s, %d CPUs, clock %s, %s%s", kernel, *machine ? " " : "", machine,
	      s->cpus, clock, s->format, version);
	if (s->clock_ticks)
		wrapf(t, 2, "%s events, %s lost; times are in ticks of the clock, not in seconds",
		      count(&a, s->events), lost);
	else if (seconds > 0)
		wrapf(t, 2, "%s events in %.3f s, %s lost", count(&a, s->events), seconds, lost);
	else
		wrapf(t, 2, "%s events, %s lost", count(&a, s->events), lost);
	if (*s->buffer) {
		xlv_show(shown, sizeof(shown), s->buffer, t->utf8);
		wrapf(t, 2, "buffer %s", shown);
	}
	if (s->command && *s->command) {
		xlv_show(shown, sizeof(shown), s->command, t->utf8);
		wrapf(t, 2, "command: %s", shown);
	}
	if (s->event_set && s->unknown) {
		xlv_show(shown, sizeof(shown), s->unknown, t->utf8);
		xlv_show(clock, sizeof(clock), s->event_set, t->utf8);
		wrapf(t, 2, "event set %s, which leaves unknown: %s", clock, shown);
	} else if (s->event_set) {
		xlv_show(clock, sizeof(clock), s->event_set, t->utf8);
		wrapf(t, 2, "event set %s", clock);
	}
	if (rep->slack[0].n && rep->slack[0].p50 > 0)
		wrapf(t, 2, "boundaries of T1 to T3: %s (T1 to within %s%s%s, median)",
		      xlv_boundaries_name(s->boundaries), ns(t, &b, rep->slack[0].p50),
		      rep->slack[1].n ? ", T2 " : "",
		      rep->slack[1].n ? ns(t, &c, rep->slack[1].p50) : "");
	else
		wrapf(t, 2, "boundaries of T1 to T3: %s", xlv_boundaries_name(s->boundaries));
}

static void filter_line(const struct text *t, const struct xlv_filter *f)
{
	char comm[128];

	if (!f->pid && !f->comm && !f->dev && f->from_ns == XLV_NONE && f->to_ns == XLV_NONE)
		return;
	fputs("  only syncs", t->f);
	if (f->pid)
		fprintf(t->f, " of pid %d", f->pid);
	if (f->comm) {
		xlv_show(comm, sizeof(comm), f->comm, t->utf8);
		fprintf(t->f, " of tasks '%s'", comm);
	}
	if (f->dev)
		fprintf(t->f, " on %u:%u", f->dev >> 20, f->dev & 0xfffff);
	if (f->from_ns != XLV_NONE)
		fprintf(t->f, " from %.6f s", (double)f->from_ns / 1e9);
	if (f->to_ns != XLV_NONE)
		fprintf(t->f, " to %.6f s", (double)f->to_ns / 1e9);
	fputc('\n', t->f);
}

/* "200 syncs: 193 log-force, 7 flush-only; 3 of them partial (2 lost-events)" */
static void counts(const struct text *t, const struct xlv_report *rep)
{
	struct cell c;
	char *line = NULL;
	size_t size;
	FILE *f = open_memstream(&line, &size);
	const char *comma = "";

	if (!f)
		return;
	fprintf(f, "%s %s by %s %s", count(&c, rep->syncs), rep->syncs == 1 ? "sync" : "syncs",
		count(&(struct cell){ "" }, rep->tasks), rep->tasks == 1 ? "task" : "tasks");
	if (isfinite(rep->syncs_per_s) && !t->ticks)
		fprintf(f, ", %s a second", rep->syncs_per_s < 10 ? ratio(&c, rep->syncs_per_s) :
			count(&c, llround(rep->syncs_per_s)));
	fputs(": ", f);
	for (unsigned int k = 0; k < XLV_KIND_COUNT; k++) {
		if (!rep->by_kind[k])
			continue;
		fprintf(f, "%s%s %s", comma, count(&c, rep->by_kind[k]), xlv_kind_name(k));
		comma = ", ";
	}
	if (!rep->partial) {
		fputs("; all complete", f);
	} else {
		fprintf(f, "; %s complete, %s partial (", count(&c, rep->complete),
			count(&(struct cell){ "" }, rep->partial));
		comma = "";
		for (unsigned int i = 0; i < XLV_REASON_COUNT; i++) {
			if (!rep->by_reason[i])
				continue;
			fprintf(f, "%s%s %s", comma, count(&c, rep->by_reason[i]),
				xlv_reason_name(i));
			comma = ", ";
		}
		fputc(')', f);
	}
	if (!fclose(f)) {
		fputs("  ", t->f);
		wrap(t, line, 2, 2);
	}
	free(line);
}

/* A sentence a line; the first says the most. */
static void answer(const struct text *t, const struct xlv_report *rep)
{
	const char *s = rep->answer, *end;
	bool first = true;
	char *sentence;

	if (!s || !*s)
		return;
	fputc('\n', t->f);
	for (; *s; s = *end ? end + 1 : end) {
		end = strchrnul(s, '\n');
		sentence = strndup(s, (size_t)(end - s));
		if (!sentence)
			return;
		if (first)
			style(t, BOLD);
		wrap(t, sentence, 0, 0);
		plain(t);
		first = false;
		free(sentence);
	}
}

static void dist_head(const struct text *t, const char *name, int width)
{
	fputc('\n', t->f);
	style(t, BOLD);
	fprintf(t->f, "%-*s", width, name);
	plain(t);
	style(t, DIM);
	fprintf(t->f, "%7s%8s%8s%8s%8s%8s%8s%8s", "n", "min", "p50", "p90", "p95", "p99", "max",
		"mean");
	plain(t);
	fputc('\n', t->f);
}

static void dist_row(const struct text *t, const char *label, int width, const struct xlv_dist *d)
{
	struct cell c[8];

	fprintf(t->f, "  %-*s", width - 2, label);
	fprintf(t->f, "%7s%8s%8s%8s%8s%8s%8s%8s\n", count(&c[0], d->n), ns(t, &c[1], d->min),
		ns(t, &c[2], d->p50), ns(t, &c[3], d->p90), ns(t, &c[4], d->p95),
		ns(t, &c[5], d->p99), ns(t, &c[6], d->max), ns(t, &c[7], llround(d->mean)));
}

static int label_width(const struct text *t)
{
	int width = t->width - 7 - 7 * 8;

	return width < 16 ? 16 : width > 28 ? 28 : width;
}

static void intervals(const struct text *t, const struct xlv_report *rep)
{
	static const char *const labels[2][XLV_I_COUNT] = {
		{ "span", "T1 log force", "T2 CIL force", "T3 force sleep", "T4 its wake-up" },
		{ "span  the whole call", "T1  log force", "T2  CIL force within it",
		  "T3  sleep on the iclog", "T4  waking to running" },
	};
	int width = label_width(t), kinds = 0;
	const char *const *label = labels[width >= 26];

	dist_head(t, "Intervals", width);
	for (unsigned int i = 0; i < XLV_I_COUNT; i++) {
		if (rep->interval[i].n) {
			dist_row(t, label[i], width, &rep->interval[i]);
			continue;
		}
		fprintf(t->f, "  %-*s%7s  n/a%s%s\n", width - 2, label[i], "0",
			rep->why_none[i] ? ": " : "", rep->why_none[i] ? rep->why_none[i] : "");
	}
	for (unsigned int k = 0; k < XLV_KIND_COUNT; k++)
		kinds += rep->interval_kind[k][XLV_I_SPAN].n > 0;
	if (kinds < 2)
		return;
	dist_head(t, "Span by kind", width);
	for (unsigned int k = 0; k < XLV_KIND_COUNT; k++)
		if (rep->interval_kind[k][XLV_I_SPAN].n)
			dist_row(t, xlv_kind_name(k), width, &rep->interval_kind[k][XLV_I_SPAN]);
}

static void waits(const struct text *t, const struct xlv_report *rep)
{
	int width = label_width(t);
	struct cell a, b;
	char what[128];
	bool any = false;

	for (unsigned int q = 0; q < XLV_QUEUE_COUNT; q++)
		any = any || rep->wait[q].n;
	if (!any)
		return;
	dist_head(t, "Sleeps by queue", width);
	for (unsigned int q = 0; q < XLV_QUEUE_COUNT; q++)
		if (rep->wait[q].n)
			dist_row(t, xlv_queue_name(q), width, &rep->wait[q]);
	for (int32_t i = 0; i < rep->nr_others && i < MAX_OTHERS; i++) {
		const struct xlv_other_row *o = &rep->others[i];

		xlv_show(what, sizeof(what), o->what, t->utf8);
		fprintf(t->f, "    on %s: %s x, %s in all\n", what, count(&a, o->count),
			ns(t, &b, o->total_ns));
	}
}

static void stages(const struct text *t, const struct xlv_report *rep)
{
	bool wide = t->width >= WIDE;
	int bar_width = t->width - (18 + 7 + 2 + 7 + (wide ? 6 : 4) * 8);
	double most = 0;
	struct cell c[8];

	if (!rep->nr_stages)
		return;
	if (bar_width > 32)
		bar_width = 32;
	if (bar_width < 6)
		bar_width = 6;
	for (int32_t i = 0; i < rep->nr_stages; i++)
		if (rep->stages[i].share > most)
			most = rep->stages[i].share;
	fputc('\n', t->f);
	style(t, BOLD);
	fprintf(t->f, "%-18s", "Where time goes");
	plain(t);
	style(t, DIM);
	fprintf(t->f, "%7s  %*s%7s", "share", bar_width, "", "n");
	if (wide)
		fprintf(t->f, "%8s%8s%8s%8s%8s%8s", "p50", "p90", "p95", "p99", "max", "mean");
	else
		fprintf(t->f, "%8s%8s%8s%8s", "p50", "p95", "max", "mean");
	plain(t);
	fputc('\n', t->f);
	for (int32_t i = 0; i < rep->nr_stages; i++) {
		const struct xlv_stage_row *row = &rep->stages[i];
		const struct xlv_dist *d = &row->dist;

		fprintf(t->f, "  %-16s%7s  ", xlv_stage_name(row->stage),
			percent(&c[0], row->share));
		bar(t, most > 0 ? row->share / most : 0, bar_width);
		fprintf(t->f, "%7s%8s", count(&c[1], d->n), ns(t, &c[2], d->p50));
		if (wide)
			fprintf(t->f, "%8s", ns(t, &c[3], d->p90));
		fprintf(t->f, "%8s", ns(t, &c[4], d->p95));
		if (wide)
			fprintf(t->f, "%8s", ns(t, &c[5], d->p99));
		fprintf(t->f, "%8s%8s\n", ns(t, &c[6], d->max), ns(t, &c[7], llround(d->mean)));
		if (row->device_ns != XLV_NONE && row->device_ns)
			fprintf(t->f, "    %s of it in the cache flush before the write, %s in the "
				"write itself\n",
				percent(&c[0], row->flush_ns > 0 ? (double)row->flush_ns /
								   (double)d->sum : 0),
				percent(&c[1], (double)row->device_ns / (double)d->sum));
		if (row->in_order_ns != XLV_NONE && row->in_order_ns)
			fprintf(t->f, "    %s of it waiting for earlier iclogs\n",
				percent(&c[0], (double)row->in_order_ns / (double)d->sum));
	}
}

/* The parts of a row, the largest first, as many as fit. */
static void parts_cell(const struct text *t, const struct xlv_wake_row *row, int width)
{
	bool told[XLV_PART_COUNT] = { false };
	const char *comma = "";
	char part[64];
	struct cell c;

	for (unsigned int i = 0; i < XLV_PART_COUNT && row->total_ns > 0; i++) {
		unsigned int best = XLV_PART_COUNT;

		for (unsigned int p = 0; p < XLV_PART_COUNT; p++)
			if (!told[p] && row->parts_ns[p] > 0 &&
			    (best == XLV_PART_COUNT || row->parts_ns[p] > row->parts_ns[best]))
				best = p;
		if (best == XLV_PART_COUNT)
			return;
		told[best] = true;
		snprintf(part, sizeof(part), "%s%s %s", comma, xlv_part_name(best),
			 percent(&c, (double)row->parts_ns[best] / (double)row->total_ns));
		width -= (int)strlen(part);
		if (width < 0)
			return;
		fputs(part, t->f);
		comma = ", ";
	}
}

static int longer(const void *a, const void *b)
{
	const struct xlv_wake_row *x = *(const struct xlv_wake_row *const *)a;
	const struct xlv_wake_row *y = *(const struct xlv_wake_row *const *)b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The rows that take most, and 0.1 % at least, in pipeline order; the others are summed up. */
static void wakes(const struct text *t, const struct xlv_report *rep)
{
	const struct xlv_wake_row *by_total[XLV_STAGE_COUNT * (XLV_PART_COUNT + 1)];
	double all = (double)rep->interval[XLV_I_SPAN].sum;
	int64_t rest_ns = 0, rest = 0, least;
	struct cell c[4];

	if (!rep->nr_wakes)
		return;
	for (int32_t i = 0; i < rep->nr_wakes; i++)
		by_total[i] = &rep->wakes[i];
	qsort(by_total, (size_t)rep->nr_wakes, sizeof(by_total[0]), longer);
	least = by_total[rep->nr_wakes < MAX_WAKES ? rep->nr_wakes - 1 : MAX_WAKES - 1]->total_ns;
	fputc('\n', t->f);
	style(t, BOLD);
	fprintf(t->f, "%-28s", "Wake-ups by cause");
	plain(t);
	style(t, DIM);
	fprintf(t->f, "%7s%8s%8s%8s  %s\n", "n", "share", "mean", "remote", "made of");
	plain(t);
	for (int32_t i = 0; i < rep->nr_wakes; i++) {
		const struct xlv_wake_row *row = &rep->wakes[i];

		if (row->total_ns < least || (double)row->total_ns < 0.001 * all) {
			rest += row->count;
			rest_ns += row->total_ns;
			continue;
		}
		fprintf(t->f, "  %-13s%-13s%7s%8s%8s%8s  ", xlv_stage_name(row->stage),
			xlv_part_name(row->cause), count(&c[0], row->count),
			percent(&c[1], all > 0 ? (double)row->total_ns / all : NAN),
			ns(t, &c[2], row->total_ns / row->count),
			percent(&c[3], row->remote_share));
		parts_cell(t, row, t->width - 61);
		fputc('\n', t->f);
	}
	if (rest)
		fprintf(t->f, "  %-26s%7s%8s%8s\n", "all others", count(&c[0], rest),
			percent(&c[1], all > 0 ? (double)rest_ns / all : NAN),
			ns(t, &c[2], rest_ns / rest));
}

static void placements(const struct text *t, const struct xlv_report *rep)
{
	int64_t rest = 0;
	struct cell c[6];

	if (!rep->nr_placements)
		return;
	fputc('\n', t->f);
	style(t, BOLD);
	fprintf(t->f, "%-16s", "Placements");
	plain(t);
	style(t, DIM);
	fprintf(t->f, "%9s%8s%10s%9s%10s%10s\n", "n", "share", "span p50", "p95", "T1 p50",
		"T4 p50");
	plain(t);
	for (int32_t i = 0; i < rep->nr_placements; i++) {
		const struct xlv_placement_row *row = &rep->placements[i];

		if (i >= MAX_PLACEMENTS) {
			rest += row->count;
			continue;
		}
		fprintf(t->f, "  %-14s%9s%8s%10s%9s%10s%10s\n", row->placement,
			count(&c[0], row->count), percent(&c[1], row->share),
			ns(t, &c[2], row->span_p50), ns(t, &c[3], row->span_p95),
			ns(t, &c[4], row->T1_p50), ns(t, &c[5], row->T4_p50));
	}
	if (rest)
		fprintf(t->f, "  and %s syncs in %d other placements\n", count(&c[0], rest),
			rep->nr_placements - MAX_PLACEMENTS);
	style(t, DIM);
	wrapf(t, 2, "A letter a CPU: task before, CIL worker, iclog submitter, I/O completion, log "
	      "worker, task after; '-' unknown or none.");
	plain(t);
}

static void pipeline(const struct text *t, const struct xlv_report *rep)
{
	const struct xlv_pipeline *p = &rep->pipeline;
	struct cell c[5];
	bool comma = false;

	if (!rep->cil_pushes && !rep->iclog_writes)
		return;
	heading(t, "Pipeline");
	fputc('\n', t->f);
	if (rep->cil_pushes)
		wrapf(t, 2, "%s CIL pushes, %s syncs each; %s in flight on average, %d at most",
		      count(&c[0], rep->cil_pushes), ratio(&c[1], p->syncs_per_push),
		      ratio(&c[2], p->pushes_mean), p->pushes_max);
	if (rep->iclog_writes)
		wrapf(t, 2, "%s iclog writes, %s syncs each; %s in flight on average, %d at most; "
		      "submitted by the task %s times, by a worker %s",
		      count(&c[0], rep->iclog_writes), ratio(&c[1], p->syncs_per_iclog),
		      ratio(&c[2], p->iclogs_mean), p->iclogs_max,
		      count(&c[3], p->submitted_by_task), count(&c[4], p->submitted_by_worker));
	if (isfinite(p->flush_per_sync) || isfinite(p->fua_per_sync))
		wrapf(t, 2, "%s cache flushes and %s FUA writes a sync",
		      ratio(&c[0], p->flush_per_sync), ratio(&c[1], p->fua_per_sync));
	if (p->out_of_order)
		wrapf(t, 2, "%s log I/Os finished out of order; callbacks waited %s for earlier ones",
		      count(&c[0], p->out_of_order), ns(t, &c[1], p->in_order_wait_ns));
	if (!rep->run || !rep->run->nr_callers)
		return;
	fputs("  log forces by caller: ", t->f);
	for (size_t i = 0; i < rep->run->nr_callers && i < MAX_CALLERS; i++) {
		char name[80];

		xlv_show(name, sizeof(name), rep->run->callers[i].name, t->utf8);
		fprintf(t->f, "%s%s %s", comma ? ", " : "", name,
			count(&c[0], rep->run->callers[i].forces));
		comma = true;
	}
	fputc('\n', t->f);
}

static void findings(const struct text *t, const struct xlv_report *rep)
{
	struct cell c;

	if (!rep->nr_findings)
		return;
	heading(t, "Findings");
	fputc('\n', t->f);
	for (int32_t i = 0; i < rep->nr_findings; i++) {
		const struct xlv_finding *f = &rep->findings[i];
		bool warning = !strcmp(f->severity, "warning");

		style(t, warning ? RED : BOLD);
		fprintf(t->f, "  %s ", warning ? "!" : strcmp(f->severity, "info") ? "*" : "-");
		if (isfinite(f->share))
			fprintf(t->f, "%s ", percent(&c, f->share));
		fputs(f->title, t->f);
		plain(t);
		style(t, DIM);
		fprintf(t->f, " [%s]\n", f->id);
		plain(t);
		if (f->text && *f->text)
			wrapf(t, 4, "%s", f->text);
		if (f->advice && *f->advice) {
			fprintf(t->f, "    %s ", t->utf8 ? "\u2192" : ">");
			wrap(t, f->advice, 6, 6);
		}
	}
}

static int slower(const void *a, const void *b)
{
	const struct xlv_sync *x = *(const struct xlv_sync *const *)a;
	const struct xlv_sync *y = *(const struct xlv_sync *const *)b;

	if (x->span_ns != y->span_ns)
		return x->span_ns > y->span_ns ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* The stage that took most of a sync. */
static const char *longest_stage(const struct xlv_detail *d)
{
	int64_t sum[XLV_STAGE_COUNT] = { 0 };
	unsigned int best = 0;

	for (int32_t i = 0; i < d->nr_segments; i++)
		sum[d->segments[i].stage] += d->segments[i].ns;
	for (unsigned int i = 1; i < XLV_STAGE_COUNT; i++)
		if (sum[i] > sum[best])
			best = i;
	return d->nr_segments ? xlv_stage_name(best) : "";
}

static int slowest(const struct text *t, const struct xlv_report *rep, int n)
{
	const struct xlv_sync **list;
	struct xlv_detail d = { 0 };
	bool wide = t->width >= WIDE;
	struct cell c[5];
	int64_t found = 0, least_ns = INT64_MIN;
	int ret = 0;

	if (n <= 0 || !rep->complete || !rep->nr_selected)
		return 0;
	list = calloc((size_t)rep->nr_selected, sizeof(*list));
	if (!list)
		return -1;
	/* of many, only the slowest twentieth is worth sorting */
	if (n <= rep->complete / 20)
		least_ns = rep->interval[XLV_I_SPAN].p95;
	for (int64_t i = 0; i < rep->nr_selected; i++)
		if (!rep->selected[i]->reasons && rep->selected[i]->span_ns >= least_ns)
			list[found++] = rep->selected[i];
	qsort(list, (size_t)found, sizeof(*list), slower);
	fputc('\n', t->f);
	style(t, BOLD);
	fprintf(t->f, "%-15s", "Slowest syncs");
	plain(t);
	style(t, DIM);
	if (wide)
		fprintf(t->f, "  %-16s%8s  %-11s%12s", "task", "pid", "kind", "at s");
	else
		fprintf(t->f, "  %-11s", "task");
	fprintf(t->f, "%8s%7s%7s%7s%7s  %s\n", "span", "T1", "T2", "T3", "T4", "mostly");
	plain(t);
	for (int64_t i = 0; i < found && i < n && !ret; i++) {
		const struct xlv_sync *s = list[i];

		ret = xlv_sync_detail(rep->run, s, &d);
		if (ret)
			break;
		fprintf(t->f, "  --sync %-6d  ", s->id);
		name_cell(t, s->comm, wide ? 16 : 11);
		if (wide)
			fprintf(t->f, "%8d  %-11s%12.6f", s->pid, xlv_kind_name(s->kind),
				(double)(s->start_ns - rep->source.start_ns) / 1e9);
		fprintf(t->f, "%8s%7s%7s%7s%7s  %s\n", ns(t, &c[0], s->span_ns),
			ns(t, &c[1], s->T1_ns), ns(t, &c[2], s->T2_ns), ns(t, &c[3], s->T3_ns),
			ns(t, &c[4], s->T4_ns), longest_stage(&d));
	}
	style(t, DIM);
	fputs("  'xlogviz show FILE --sync ID' draws one.\n", t->f);
	plain(t);
	xlv_detail_free(&d);
	free(list);
	return ret;
}

static void warnings(const struct text *t, const struct xlv_report *rep)
{
	if (!rep->nr_warnings)
		return;
	heading(t, "Warnings");
	fputc('\n', t->f);
	for (int32_t i = 0; i < rep->nr_warnings; i++) {
		char shown[1200];

		xlv_show(shown, sizeof(shown), rep->warnings[i], t->utf8);
		style(t, YELLOW);
		fputs("  ! ", t->f);
		plain(t);
		wrap(t, shown, 4, 4);
	}
}

int xlv_text_report(FILE *out, const struct xlv_report *rep, const struct xlv_text_opts *opts)
{
	const struct text t = {
		.f = out,
		.width = opts->width ? opts->width : 80,
		.utf8 = opts->utf8,
		.colour = opts->colour,
		.ticks = rep->source.clock_ticks,
	};
	int ret;

	head(&t, rep);
	counts(&t, rep);
	filter_line(&t, &rep->filter);
	answer(&t, rep);
	intervals(&t, rep);
	waits(&t, rep);
	stages(&t, rep);
	wakes(&t, rep);
	placements(&t, rep);
	pipeline(&t, rep);
	findings(&t, rep);
	ret = slowest(&t, rep, opts->slowest);
	warnings(&t, rep);
	return ret;
}
