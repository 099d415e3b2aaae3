// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/compare.h"
#include "output/utf8.h"

#define MAX_GROUPS	8

struct text {
	FILE	*f;
	int	width;
	bool	utf8, colour;
};

struct cell {
	char	s[64];
};

#define CELL	(&(struct cell){ "" })

static void bold(const struct text *t, const char *s)
{
	fprintf(t->f, "%s%s%s", t->colour ? "\033[1m" : "", s, t->colour ? "\033[0m" : "");
}

static const char *name(const struct text *t, struct cell *c, const char *s)
{
	xlv_show(c->s, 40, s, t->utf8);
	return c->s;
}

/* Three digits and a unit; @sign: with a plus. */
static const char *ns(struct cell *c, double v, bool sign)
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	double d = v;
	int u = 0;

	if (!isfinite(v)) {
		strcpy(c->s, "n/a");
		return c->s;
	}
	while (u < 3 && fabs(d) >= 999.5) {
		d /= 1000;
		u++;
	}
	snprintf(c->s, sizeof(c->s), sign ? "%+.*f%s" : "%.*f%s",
		 !u || fabs(d) >= 99.95 ? 0 : fabs(d) >= 9.995 ? 1 : 2, d, unit[u]);
	return c->s;
}

static const char *grouped(struct cell *c, int64_t v, bool sign)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), sign ? "%+" PRId64 : "%" PRId64, v), out = 0;

	for (int i = 0; i < n; i++) {
		c->s[out++] = digits[i];
		if (digits[i] >= '0' && i < n - 1 && (n - 1 - i) % 3 == 0)
			c->s[out++] = ',';
	}
	c->s[out] = '\0';
	return c->s;
}

static const char *per_second(struct cell *c, double v)
{
	struct cell d;

	if (!isfinite(v))
		strcpy(c->s, "n/a");
	else if (v < 100)
		snprintf(c->s, sizeof(c->s), "%.1f", v);
	else
		snprintf(c->s, sizeof(c->s), "%.30s", grouped(&d, llround(v), false));
	return c->s;
}

static const char *ratio(struct cell *c, double a, double b)
{
	if (isfinite(a) && isfinite(b) && a != 0)
		snprintf(c->s, sizeof(c->s), "%.2f", b / a);
	else
		strcpy(c->s, "n/a");
	return c->s;
}

/* The words of @s from column @at on, further lines indented. */
static void wrap(const struct text *t, const char *s, int at, int indent)
{
	bool begin = true;
	char word[512];
	size_t len;
	int columns;

	while (*(s += strspn(s, " \n"))) {
		len = strcspn(s, " \n");
		snprintf(word, sizeof(word), "%.*s", (int)len, s);
		s += len;
		columns = xlv_columns(word);
		if (!begin && at + 1 + columns > t->width) {
			fprintf(t->f, "\n%*s", indent, "");
			at = indent;
			begin = true;
		}
		at += fprintf(t->f, "%s", begin ? "" : " ") + columns;
		fputs(word, t->f);
		begin = false;
	}
	fputc('\n', t->f);
}

static void put_side(const struct text *t, const struct xlv_side *side, const char *label)
{
	const struct xlv_source *s = &side->input[0]->rep->source;
	int cpus = xlv_side_cpus(side);
	char line[512];
	size_t at;

	fprintf(t->f, "%-6s", label);
	bold(t, name(t, CELL, side->name));
	at = (size_t)snprintf(line, sizeof(line), "%s syncs", grouped(CELL, side->syncs, false));
	if (side->partial)
		at += (size_t)snprintf(line + at, sizeof(line) - at, " (%s partial)",
				       grouped(CELL, side->partial, false));
	if (side->nr_inputs > 1)
		at += (size_t)snprintf(line + at, sizeof(line) - at, " in %d recordings",
				       side->nr_inputs);
	at += (size_t)snprintf(line + at, sizeof(line) - at, ", %s a second",
			       per_second(CELL, xlv_side_rate(side)));
	if (isfinite(side->kB_per_s))
		at += (size_t)snprintf(line + at, sizeof(line) - at,
				       ", %s kB/s by the workload itself",
				       per_second(CELL, side->kB_per_s));
	at += (size_t)snprintf(line + at, sizeof(line) - at, "; kernel %s",
			       s->kernel && *s->kernel ? name(t, CELL, s->kernel) : "unknown");
	if (cpus)
		at += (size_t)snprintf(line + at, sizeof(line) - at, ", %d CPUs", cpus);
	snprintf(line + at, sizeof(line) - at, "%s",
		 xlv_side_is_fake(side) ? ", fake completion" : "");
	fputs("\n      ", t->f);
	wrap(t, line, 6, 6);
}

static void put_answer(const struct text *t, const struct xlv_comparison *c)
{
	struct cell d;
	int at;

	fputc('\n', t->f);
	wrap(t, c->headline, 0, 0);
	if (c->nr_reasons)
		fputc('\n', t->f);
	for (int i = 0; i < c->nr_reasons; i++) {
		at = fprintf(t->f, "  %9s  ", ns(&d, (double)c->reasons[i].ns, true));
		wrap(t, c->reasons[i].text, at, 13);
	}
	if (c->tail) {
		fputc('\n', t->f);
		wrap(t, c->tail, 0, 0);
	}
}

static void put_interval(const struct text *t, const struct xlv_estimate *e)
{
	if (!e->has_interval)
		fprintf(t->f, "n/a");
	else
		fprintf(t->f, "%s to %s%s", ns(CELL, e->low, true), ns(CELL, e->high, true),
			xlv_estimate_differs(e) ? "" : "  no evidence");
	fputc('\n', t->f);
}

static void put_rate(const struct text *t, const struct xlv_comparison *c)
{
	double b = xlv_side_rate(c->base), o = xlv_side_rate(c->other);
	const struct xlv_estimate *gap = &c->boot.est[XLV_FIG_GAP][XLV_STAT_MEAN];
	struct cell change;

	if (isfinite(b) && isfinite(o))
		snprintf(change.s, sizeof(change.s), "%+.1f%%", (o / b - 1) * 100);
	else
		strcpy(change.s, "n/a");
	fprintf(t->f, "  %-11s %9s %9s %10s %6s  %s\n", "syncs/s", per_second(CELL, b),
		per_second(CELL, o), change.s, ratio(CELL, b, o), !gap->has_interval ? "n/a" :
		xlv_estimate_differs(gap) ? "differs" : "no evidence");
	if (!isfinite(c->base->kB_per_s) || !isfinite(c->other->kB_per_s))
		return;
	b = c->base->kB_per_s;
	o = c->other->kB_per_s;
	snprintf(change.s, sizeof(change.s), "%+.1f%%", (o / b - 1) * 100);
	fprintf(t->f, "  %-11s %9s %9s %10s %6s  by the workload itself\n", "kB/s",
		per_second(CELL, b), per_second(CELL, o), change.s, ratio(CELL, b, o));
}

static void put_figures(const struct text *t, const struct xlv_comparison *c)
{
	fputc('\n', t->f);
	bold(t, "Figures");
	fprintf(t->f, "%16s %9s %10s %6s  %s\n", "base", "other", "difference", "ratio",
		c->has_intervals ? "95% interval, for all at once" : "95% interval");
	put_rate(t, c);
	for (int f = 0; f < XLV_I_COUNT; f++)
		for (int s = 0; s < XLV_STAT_COUNT; s++) {
			const struct xlv_estimate *e = &c->boot.est[f][s];

			fprintf(t->f, "  %-6s%-5s %9s %9s %10s %6s  ",
				s ? "" : xlv_interval_name(f), xlv_stat_name(s),
				ns(CELL, e->value[0], false),
				ns(CELL, e->value[1], false),
				ns(CELL, e->value[1] - e->value[0], true),
				ratio(CELL, e->value[0], e->value[1]));
			put_interval(t, e);
		}
}

static void put_account_row(const struct text *t, const char *indent, const char *what,
			    int64_t base_ns, int64_t other_ns, bool has_typical, int64_t typical_ns)
{
	fprintf(t->f, "%s%-*s %13s %13s %14s", indent, (int)(20 - strlen(indent)), what,
		grouped(CELL, base_ns, false), grouped(CELL, other_ns, false),
		grouped(CELL, other_ns - base_ns, true));
	if (has_typical)
		fprintf(t->f, " %14s", grouped(CELL, typical_ns, true));
	fputc('\n', t->f);
}

static int64_t row_diff(const struct xlv_account_row *r)
{
	return r->other_ns - r->base_ns;
}

static void put_stage(const struct text *t, const struct xlv_comparison *c, int stage)
{
	const struct xlv_account_row *r = &c->account.row[stage], *y = &c->typical.row[stage];
	int leaves = 0;

	for (int l = 0; l < XLV_LEAF_COUNT; l++)
		leaves += r->leaf_base_ns[l] || r->leaf_other_ns[l] || y->leaf_base_ns[l] ||
			  y->leaf_other_ns[l];
	if (!leaves && !r->base_ns && !r->other_ns)
		return;
	put_account_row(t, "  ", xlv_stage_name(stage), r->base_ns, r->other_ns, c->has_typical,
			row_diff(y));
	if (leaves < 2)
		return;
	for (int l = 0; l < XLV_LEAF_COUNT; l++)
		if (r->leaf_base_ns[l] || r->leaf_other_ns[l] || y->leaf_base_ns[l] ||
		    y->leaf_other_ns[l])
			put_account_row(t, "    ", xlv_leaf_name(l), r->leaf_base_ns[l],
					r->leaf_other_ns[l], c->has_typical,
					y->leaf_other_ns[l] - y->leaf_base_ns[l]);
}

static void put_account(const struct text *t, const struct xlv_comparison *c)
{
	if (!c->has_account)
		return;
	fputc('\n', t->f);
	bold(t, "Accounting");
	fprintf(t->f, " of the mean sync, in ns; every column adds up\n");
	fprintf(t->f, "%-20s %13s %13s %14s%s\n", "", "base", "other", "difference",
		c->has_typical ? "     of typical" : "");
	for (int i = 0; i < XLV_STAGE_COUNT; i++)
		put_stage(t, c, i);
	put_account_row(t, "  ", "sync", c->account.base_ns, c->account.other_ns, c->has_typical,
			c->typical.other_ns - c->typical.base_ns);
	if (c->has_typical)
		fprintf(t->f, "  typical: the middle half by span, %s and %s syncs\n",
			grouped(CELL, c->base->typical.n, false),
			grouped(CELL, c->other->typical.n, false));
}

static double mean_ns(int64_t sum, int64_t n)
{
	return n ? (double)sum / (double)n : NAN;
}

static void put_groups(const struct text *t, const char *title, const struct xlv_mix *g)
{
	if (!g->base_n || !g->other_n)
		return;
	fputc('\n', t->f);
	bold(t, title);
	fprintf(t->f, ": of %s ns, %s are from another mix, %s from another speed\n",
		grouped(CELL, g->other_ns - g->base_ns, true), grouped(CELL, g->mix_ns, true),
		grouped(CELL, g->rate_ns, true));
	fprintf(t->f, "  %-10s %9s %9s %11s %11s %12s %12s\n", "", "base n", "other n", "base mean",
		"other mean", "mix", "speed");
	for (size_t i = 0; i < g->nr && i < MAX_GROUPS; i++) {
		const struct xlv_mix_row *p = &g->group[i];

		fprintf(t->f, "  %-10s %9s %9s %11s %11s %12s %12s\n", p->key,
			grouped(CELL, p->base_n, false), grouped(CELL, p->other_n, false),
			ns(CELL, mean_ns(p->base_sum_ns, p->base_n), false),
			ns(CELL, mean_ns(p->other_sum_ns, p->other_n), false),
			grouped(CELL, p->mix_ns, true), grouped(CELL, p->rate_ns, true));
	}
	if (g->nr > MAX_GROUPS)
		fprintf(t->f, "  and %zu more\n", g->nr - MAX_GROUPS);
}

static void put_warnings(const struct text *t, const struct xlv_comparison *c)
{
	if (!c->nr_warnings)
		return;
	fputc('\n', t->f);
	bold(t, "Not quite fair");
	fputc('\n', t->f);
	for (int i = 0; i < c->nr_warnings; i++) {
		fputs("  ! ", t->f);
		wrap(t, c->warnings[i], 4, 4);
	}
}

void xlv_compare_text(FILE *out, const struct xlv_compared *all,
		      const struct xlv_compare_text_opts *opts)
{
	struct text t = { out, opts->width ? opts->width : 80, opts->utf8, opts->colour };

	if (t.width > 100)
		t.width = 100;
	for (int i = 1; i < all->nr; i++) {
		const struct xlv_comparison *c = all->with[i - 1];

		if (i > 1)
			fputs("\n\n", out);
		put_side(&t, c->base, "base");
		put_side(&t, c->other, "other");
		put_answer(&t, c);
		put_warnings(&t, c);
		put_figures(&t, c);
		put_account(&t, c);
		put_groups(&t, "Placements", &c->placements);
		if (c->kinds.nr > 1)
			put_groups(&t, "Kinds", &c->kinds);
	}
}

/* --- the experiment's tables --- */

static const char *const rows[] = { "free to move", "bound" };
static const char *const cells[2][2] = { { "base", "fc" }, { "base-bound", "fc-bound" } };

static const struct xlv_side *side_of(const struct xlv_compared *all, const char *cell)
{
	for (int i = 0; i < all->nr; i++)
		if (!strcmp(all->side[i]->name, cell))
			return all->side[i];
	return NULL;
}

/* The workload's own throughput where it gave one, else syncs per second. */
static double throughput(const struct xlv_side *side, bool kB)
{
	return !side ? NAN : kB ? side->kB_per_s : xlv_side_rate(side);
}

static int by_value(const void *va, const void *vb)
{
	int64_t a = *(const int64_t *)va, b = *(const int64_t *)vb;

	return a < b ? -1 : a > b;
}

static double mean_of(const struct xlv_side *side, int figure, bool median)
{
	int64_t *v, n = 0;
	double sum = 0, result = NAN;

	v = side ? malloc((side->nr_rows + 1) * sizeof(*v)) : NULL;
	if (!v)
		return NAN;
	for (size_t i = 0; i < side->nr_rows; i++)
		if (side->row[i].value[figure] != XLV_NONE) {
			v[n++] = side->row[i].value[figure];
			sum += (double)side->row[i].value[figure];
		}
	if (n && median) {
		qsort(v, (size_t)n, sizeof(*v), by_value);
		result = (double)v[(n - 1) / 2];
	} else if (n) {
		result = sum / (double)n;
	}
	free(v);
	return result;
}

static void four(char *to, size_t size, const struct xlv_side *side, bool median)
{
	struct cell v;
	size_t at = 0;

	for (int i = XLV_I_T1; i <= XLV_I_T4 && at < size; i++) {
		double x = mean_of(side, i, median);

		at += (size_t)snprintf(to + at, size - at, "%s%s", i == XLV_I_T1 ? "" : " / ",
				       isfinite(x) ? grouped(&v, llround(x), false) : "n/a");
	}
}

/* T1 to T4 of each cell, in a column as wide as it has to be. */
static void put_four(FILE *out, const struct xlv_compared *all)
{
	char text[4][2][160];
	int width = 0, len;

	for (int r = 0; r < 4; r++)
		for (int fc = 0; fc < 2; fc++) {
			four(text[r][fc], sizeof(text[r][fc]), side_of(all, cells[r / 2][fc]),
			     r % 2);
			len = (int)strlen(text[r][0]);
			width = len > width ? len : width;
		}
	fprintf(out, "\n%-24s  %-*s  %s\n", "T1 / T2 / T3 / T4 (ns)", width, "base",
		"fake completion");
	for (int r = 0; r < 4; r++)
		fprintf(out, "  %-12s  %-8s  %-*s  %s\n", rows[r / 2], r % 2 ? "median" : "mean",
			width, text[r][0], text[r][1]);
}

void xlv_compare_tables(FILE *out, const struct xlv_compared *all)
{
	bool kB = false;

	for (int i = 0; i < all->nr; i++)
		kB |= isfinite(all->side[i]->kB_per_s);
	fprintf(out, "%-36s  %14s  %16s\n", kB ? "Throughput (kB/s, as the workload says)" :
		"Throughput (syncs/s)", "base", "fake completion");
	for (int r = 0; r < 2; r++)
		fprintf(out, "  %-37s  %11s  %16s\n", rows[r],
			per_second(CELL, throughput(side_of(all, cells[r][0]), kB)),
			per_second(CELL, throughput(side_of(all, cells[r][1]), kB)));
	put_four(out, all);
}
