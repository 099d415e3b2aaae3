// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/words.h"
#include "output/show.h"
#include "output/show_rows.h"
#include "output/utf8.h"

#define NS(ns)		xlv_word_ns(&(struct xlv_word){ "" }, (ns))
#define SHARE(x)	xlv_word_share(&(struct xlv_word){ "" }, (x))

#define MIN_WIDTH	80
#define MAX_WIDTH	400
#define TIME_WIDTH	11	/* "12345.678  " */
#define MARKS_WIDTH	8	/* four marks */

enum glyph {
	G_EVENT, G_RUNNING, G_RUNNABLE, G_ASLEEP, G_LINE, G_LEFT, G_RIGHT,
	G_FROM, G_IN, G_TO, G_POINT, G_COUNT
};

static const char *const glyphs[2][G_COUNT] = {
	{ "*", "|", "!", ":", "-", "<", ">", ",", "|", "'", "-" },
	{ "●", "┃", "│", "┊", "─", "◀", "▶", "┬", "│", "┴", "─" },
};

enum { C_NONE, C_TASK, C_CIL, C_IO, C_LOG, C_DIM, C_BOLD };

static const char *const colours[] = {
	"", "\033[36m", "\033[33m", "\033[35m", "\033[32m", "\033[2m", "\033[1m"
};

/* One line of the screen; a cell holds one character, "" goes on from its left. */
struct canvas {
	char	cell[MAX_WIDTH][5];
	uint8_t	colour[MAX_WIDTH];
};

struct picture {
	FILE				*out;
	const struct xlv_show_opts	*opts;
	const struct xlv_run		*run;
	const struct xlv_sync		*sync;
	const struct xlv_detail		*d;
	const struct xlv_show_rows	*rows;
	const char *const		*glyph;
	int				width;
	int				marks_x;	/* where the marks of T1 begin */
	int				x[XLV_SHOW_COLS];
	bool				ms;		/* times in ms, not us */
};

static const char *fit(struct xlv_word *w, const struct picture *p, const char *s)
{
	xlv_show(w->s, sizeof(w->s), s, p->opts->utf8);
	return w->s;
}

#define FIT(s)	fit(&(struct xlv_word){ "" }, p, (s))

/* --- the line --- */

static void clear(struct canvas *c)
{
	for (int i = 0; i < MAX_WIDTH; i++) {
		strcpy(c->cell[i], " ");
		c->colour[i] = C_NONE;
	}
}

static void put(struct canvas *c, int x, const char *glyph, int colour)
{
	if (x < 0 || x >= MAX_WIDTH)
		return;
	snprintf(c->cell[x], sizeof(c->cell[x]), "%s", glyph);
	c->colour[x] = (uint8_t)colour;
}

/* Writes what fits before @end; returns the column behind it. */
static int put_text(struct canvas *c, int x, int end, const char *s, int colour)
{
	while (*s && x < end) {
		size_t n = xlv_utf8_length(s, strlen(s));
		char one[8] = "";
		int columns;

		if (!n || n >= sizeof(one))
			break;
		memcpy(one, s, n);
		columns = xlv_columns(one);
		if (x + columns > end)
			break;
		if (columns)
			put(c, x, one, colour);
		for (int i = 1; i < columns; i++)
			put(c, x + i, "", colour);
		x += columns;
		s += n;
	}
	return x;
}

static void print_line(const struct picture *p, const struct canvas *c)
{
	int last = p->width - 1, now = C_NONE;

	while (last >= 0 && !strcmp(c->cell[last], " "))
		last--;
	for (int i = 0; i <= last; i++) {
		if (p->opts->colour && c->colour[i] != now) {
			fprintf(p->out, "%s%s", now == C_NONE ? "" : "\033[0m", colours[c->colour[i]]);
			now = c->colour[i];
		}
		fputs(c->cell[i], p->out);
	}
	if (now != C_NONE)
		fputs("\033[0m", p->out);
	fputc('\n', p->out);
}

/* --- rows --- */

static void put_life(const struct picture *p, struct canvas *c, const struct xlv_show_row *r)
{
	static const enum glyph of[] = {
		[XLV_LIFE_ASLEEP] = G_ASLEEP, [XLV_LIFE_RUNNABLE] = G_RUNNABLE,
		[XLV_LIFE_RUNNING] = G_RUNNING,
	};

	for (int i = 0; i < XLV_SHOW_COLS; i++)
		if (r->life[i] != XLV_LIFE_NONE)
			put(c, p->x[i], p->glyph[of[r->life[i]]], C_TASK + i);
}

/*
 * The first and the last row within an interval carry its ends. Its times are
 * those of events, but an event that has no row can bound it.
 */
static void put_marks(const struct picture *p, struct canvas *c, int32_t at)
{
	const struct xlv_show_rows *rows = p->rows;

	for (int i = 0; i < 4; i++) {
		int64_t from = rows->T_from_ns[i], to = rows->T_to_ns[i], ts = rows->v[at].ts_ns;
		bool first, last;

		if (from == XLV_NONE || ts < from || ts > to)
			continue;
		first = !at || rows->v[at - 1].ts_ns < from;
		last = at == rows->nr - 1 || rows->v[at + 1].ts_ns > to;
		put(c, p->marks_x + 2 * i,
		    p->glyph[first && last ? G_POINT : first ? G_FROM : last ? G_TO : G_IN], C_BOLD);
	}
}

static void put_arrow(const struct picture *p, struct canvas *c, const struct xlv_show_row *r,
		      const char *text)
{
	int from = p->x[r->col], to = p->x[r->to], colour = C_TASK + r->col;

	if (to > from) {
		int x = put_text(c, from + 2, to - 1, text, colour);

		for (x++; x < to - 1; x++)
			put(c, x, p->glyph[G_LINE], colour);
		put(c, to - 1, p->glyph[G_RIGHT], colour);
	} else {
		int len = xlv_columns(text), start = from - 1 - len;

		if (start < to + 2)
			start = to + 2;
		put(c, to + 1, p->glyph[G_LEFT], colour);
		for (int x = to + 2; x < start - 1; x++)
			put(c, x, p->glyph[G_LINE], colour);
		put_text(c, start, from - 1, text, colour);
		if (start > to + 2)
			put(c, start - 1, " ", C_NONE);
	}
}

static void put_label(const struct picture *p, struct canvas *c, const struct xlv_show_row *r,
		      const char *text)
{
	int x = p->x[r->col], end = p->marks_x - 1, colour = C_TASK + r->col;
	int len = xlv_columns(text);
	struct xlv_word w;
	int at;

	/* the last column has its room on its left */
	if (r->col == XLV_SHOW_LOG && x + 2 + len > end) {
		at = x - 1 - len;
		put(c, at - 1, " ", C_NONE);
		put_text(c, at, x - 1, text, colour);
		put(c, x - 1, " ", C_NONE);
		return;
	}
	put(c, x + 1, " ", C_NONE);
	at = put_text(c, x + 2, end, text, colour);
	if (*r->detail) {
		fit(&w, p, r->detail);
		if (at + 2 + xlv_columns(w.s) <= end) {
			at = put_text(c, at, end, ", ", C_DIM);
			at = put_text(c, at, end, w.s, C_DIM);
		}
	}
	put(c, at, " ", C_NONE);
}

static void print_row(const struct picture *p, int32_t at)
{
	const struct xlv_show_row *r = &p->rows->v[at];
	double t = (double)(r->ts_ns - p->sync->start_ns) / 1000;
	char text[96], time[32];
	struct canvas c;

	clear(&c);
	snprintf(time, sizeof(time), "%*.3f", TIME_WIDTH - 2, p->ms ? t / 1000 : t);
	put_text(&c, 0, TIME_WIDTH - 1, time, C_DIM);
	put_life(p, &c, r);
	snprintf(text, sizeof(text), "%d %s", r->cpu, r->label);
	if (r->times > 1)
		snprintf(text, sizeof(text), "%d %s, %d times", r->cpu, r->label, r->times);
	if (r->to >= 0)
		put_arrow(p, &c, r, text);
	else
		put_label(p, &c, r, text);
	put(&c, p->x[r->col], p->glyph[G_EVENT], C_TASK + r->col);
	put_marks(p, &c, at);
	print_line(p, &c);
}

/* --- around them --- */

static void print_heading(const struct picture *p)
{
	static const char *const heading[XLV_SHOW_COLS] = {
		"fsync task", "CIL worker", "I/O completion", "log worker"
	};
	const struct xlv_sync *s = p->sync;
	struct canvas c;
	char text[128];

	clear(&c);
	put_text(&c, 0, TIME_WIDTH, p->ms ? "       ms" : "       us", C_DIM);
	for (int i = 0; i < XLV_SHOW_COLS; i++)
		put_text(&c, p->x[i], p->marks_x - 1, heading[i], C_TASK + i);
	put_text(&c, p->marks_x - 1, p->width, "T1 2 3 4", C_BOLD);
	print_line(p, &c);
	clear(&c);
	for (int i = 0; i < XLV_SHOW_COLS; i++) {
		int end = i + 1 < XLV_SHOW_COLS ? p->x[i + 1] - 1 : p->marks_x - 1;

		text[0] = '\0';
		if (i == XLV_SHOW_TASK)
			snprintf(text, sizeof(text), "%s", FIT(s->comm));
		else if (i == XLV_SHOW_IO && s->dev)
			snprintf(text, sizeof(text), "dev %u:%u", s->dev >> 20, s->dev & 0xfffff);
		else if (p->rows->worker[i] >= 0)
			snprintf(text, sizeof(text), "%s", FIT(p->rows->comm[i]));
		put_text(&c, p->x[i], end, text, C_DIM);
	}
	print_line(p, &c);
}

static void print_summary(const struct picture *p)
{
	const struct xlv_sync *s = p->sync;
	const int64_t T[4] = { s->T1_ns, s->T2_ns, s->T3_ns, s->T4_ns };

	fprintf(p->out, "sync %d: %s of %s (%d)", s->id,
		s->syscall != XLV_SYS_NONE ? xlv_syscall_name(s->syscall) : s->via ? s->via : "a sync",
		FIT(s->comm), s->pid);
	if (s->dev)
		fprintf(p->out, " on %u:%u", s->dev >> 20, s->dev & 0xfffff);
	if (s->ino)
		fprintf(p->out, ", inode %#llx", (unsigned long long)s->ino);
	fprintf(p->out, "\n%s, %s, from %lld.%09lld s", xlv_kind_name(s->kind),
		s->span_ns == XLV_NONE ? "never ended" : NS(s->span_ns),
		(long long)(s->start_ns / 1000000000), (long long)(s->start_ns % 1000000000));
	if (*s->placement)
		fprintf(p->out, ", CPUs %s", s->placement);
	if (s->group_size > 1)
		fprintf(p->out, ", woken %d. of %d", s->group_pos, s->group_size);
	fputs("\n", p->out);
	for (int i = 0; i < 4; i++)
		fprintf(p->out, "%sT%d %s", i ? ", " : "", i + 1, NS(T[i]));
	fprintf(p->out, " (%s boundaries)\n", xlv_boundaries_name(s->bounds));
	if (s->reasons)
		fprintf(p->out, "partial: its figures don't count\n");
	fprintf(p->out, "%s running  %s woken, not yet running  %s asleep; the number is the CPU\n\n",
		p->glyph[G_RUNNING], p->glyph[G_RUNNABLE], p->glyph[G_ASLEEP]);
}

/* A duration that isn't broken before its unit: print_wrapped() makes a space of the \n. */
static const char *tight(struct xlv_word *w, int64_t ns)
{
	char *space;

	xlv_word_ns(w, ns);
	space = strchr(w->s, ' ');
	if (space)
		*space = '\n';
	return w->s;
}

#define TIGHT(ns)	tight(&(struct xlv_word){ "" }, (ns))

/* Breaks lines at spaces; those after the first are indented. */
static void print_wrapped(const struct picture *p, const char *text)
{
	int at = 0;

	while (*text) {
		size_t len = strcspn(text, " ");
		struct xlv_word word;
		int columns;

		snprintf(word.s, sizeof(word.s), "%.*s", (int)len, text);
		for (char *c = word.s; *c; c++)
			if (*c == '\n')
				*c = ' ';
		columns = xlv_columns(word.s);
		if (at && at + 1 + columns > p->width) {
			fputs("\n    ", p->out);
			at = 4;
		} else if (at) {
			fputc(' ', p->out);
			at++;
		}
		fputs(word.s, p->out);
		at += columns;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', p->out);
}

/* How the sleep ended, and what the time from its wake-up was made of. */
static void print_wait(const struct picture *p, const struct xlv_wait *wait)
{
	const struct xlv_wake *w = &wait->wake;
	const char *sep = ": ";
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return;
	fprintf(to, "wake-up from %s", xlv_queue_name(wait->queue));
	if (wait->what)
		fprintf(to, " (%s)", FIT(wait->what));
	if (w->waker_context == XLV_FROM_HARDIRQ || w->waker_context == XLV_FROM_SOFTIRQ)
		fputs(" by an interrupt", to);
	else
		fprintf(to, " by %s", FIT(w->waker_comm));
	fprintf(to, " after %s", TIGHT(w->running_ns - w->waking_ns));
	for (unsigned int i = 0; i < XLV_PART_COUNT; i++) {
		if (!w->parts_ns[i])
			continue;
		fprintf(to, "%s%s %s", sep, xlv_part_name(i), TIGHT(w->parts_ns[i]));
		if (i == XLV_PART_OTHER_TASK && w->other_comm)
			fprintf(to, " (%s)", FIT(w->other_comm));
		sep = ", ";
	}
	if (w->migrated && w->waker_on_prev)
		fprintf(to, "; moved from CPU %d, where its waker ran, to %d", w->prev_cpu, w->to_cpu);
	else if (w->migrated)
		fprintf(to, "; moved from CPU %d to %d", w->prev_cpu, w->to_cpu);
	if (!fclose(to))
		print_wrapped(p, text);
	free(text);
}

/* Why each sleep ended when it did, and where all the time went. */
static void print_split(const struct picture *p)
{
	int64_t ns[XLV_STAGE_COUNT] = { 0 };
	bool any = false;

	fputc('\n', p->out);
	for (int32_t i = 0; i < p->d->nr_waits; i++) {
		const struct xlv_wake *w = &p->d->waits[i].wake;

		if (w->waking_ns != XLV_NONE && w->running_ns != XLV_NONE)
			print_wait(p, &p->d->waits[i]);
	}
	for (int32_t i = 0; i < p->d->nr_segments; i++) {
		if (p->d->segments[i].stage < XLV_STAGE_COUNT)
			ns[p->d->segments[i].stage] += p->d->segments[i].ns;
		any = true;
	}
	if (!any || p->sync->span_ns <= 0)
		return;
	fputc('\n', p->out);
	for (unsigned int i = 0; i < XLV_STAGE_COUNT; i++)
		if (ns[i])
			fprintf(p->out, "%-15s %10s %8s\n", xlv_stage_name(i), NS(ns[i]),
				SHARE((double)ns[i] / (double)p->sync->span_ns));
}

int xlv_show_print(FILE *out, struct xlv_trace *t, const struct xlv_run *run,
		   const struct xlv_sync *sync, const struct xlv_show_opts *opts,
		   struct xlv_error *err)
{
	static const struct xlv_show_opts plain = { 0 };
	struct xlv_show_rows rows = { 0 };
	struct xlv_detail d = { 0 };
	struct picture p = {
		.out = out, .opts = opts ? opts : &plain, .run = run, .sync = sync, .d = &d,
		.rows = &rows,
	};
	int column, ret = -1;

	if (xlv_sync_detail(run, sync, &d)) {
		xlv_fail(err, "no memory for sync %d", sync->id);
		goto out;
	}
	if (xlv_show_rows_read(&rows, t, run, sync, &d, err))
		goto out;
	p.glyph = glyphs[p.opts->utf8];
	p.width = p.opts->width < MIN_WIDTH ? MIN_WIDTH :
		  p.opts->width > MAX_WIDTH ? MAX_WIDTH : p.opts->width;
	p.marks_x = p.width - MARKS_WIDTH + 1;
	column = (p.marks_x - 1 - TIME_WIDTH) / XLV_SHOW_COLS;
	for (int i = 0; i < XLV_SHOW_COLS; i++)
		p.x[i] = TIME_WIDTH + i * column;
	p.ms = sync->span_ns >= 10000000;
	print_summary(&p);
	print_heading(&p);
	for (int32_t i = 0; i < rows.nr; i++)
		print_row(&p, i);
	if (rows.cut)
		fprintf(out, "... and %lld more events\n", (long long)rows.cut);
	print_split(&p);
	if (ferror(out))
		xlv_fail(err, "unable to write the diagram");
	else
		ret = 0;
out:
	xlv_show_rows_free(&rows);
	xlv_detail_free(&d);
	return ret;
}
