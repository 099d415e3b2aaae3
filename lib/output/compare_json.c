// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <math.h>
#include <string.h>

#include "output/compare.h"
#include "output/jsonw.h"

static void put_positive(struct xlv_jsonw *w, const char *key, int64_t v)
{
	if (v > 0)
		xlv_jsonw_int(w, key, v);
	else
		xlv_jsonw_null(w, key);
}

static void put_name(struct xlv_jsonw *w, const char *key, const char *s)
{
	xlv_jsonw_str(w, key, s && *s ? s : NULL);
}

static void put_rounded(struct xlv_jsonw *w, const char *key, double v)
{
	if (isfinite(v) && fabs(v) < 9e18)
		xlv_jsonw_int(w, key, llround(v));
	else
		xlv_jsonw_null(w, key);
}

static void put_side(struct xlv_jsonw *w, const struct xlv_side *side)
{
	const struct xlv_source *s = &side->input[0]->rep->source;

	xlv_jsonw_object(w, NULL);
	xlv_jsonw_str(w, "name", side->name);
	xlv_jsonw_array(w, "files");
	for (int i = 0; i < side->nr_inputs; i++)
		xlv_jsonw_str(w, NULL, side->input[i]->path);
	xlv_jsonw_end(w);
	put_name(w, "kernel", s->kernel);
	put_name(w, "machine", s->machine);
	put_positive(w, "cpus", xlv_side_cpus(side));
	put_name(w, "clock", s->clock);
	xlv_jsonw_str(w, "boundaries", xlv_boundaries_name(s->boundaries));
	xlv_jsonw_bool(w, "fake_completion", xlv_side_is_fake(side));
	xlv_jsonw_str(w, "command", s->command);
	xlv_jsonw_bool(w, "has_syncs", side->has_rows);
	xlv_jsonw_int(w, "syncs", side->syncs);
	xlv_jsonw_int(w, "complete", side->syncs - side->partial);
	xlv_jsonw_int(w, "partial", side->partial);
	xlv_jsonw_int(w, "time_ns", side->time_ns);
	xlv_jsonw_double(w, "syncs_per_s", xlv_side_rate(side));
	xlv_jsonw_double(w, "workload_kB_per_s", side->kB_per_s);
	xlv_jsonw_end(w);
}

static void put_figure(struct xlv_jsonw *w, const char *interval, int stat,
		       const struct xlv_estimate *e)
{
	xlv_jsonw_object(w, NULL);
	xlv_jsonw_str(w, "interval", interval);
	xlv_jsonw_str(w, "statistic", xlv_stat_name(stat));
	xlv_jsonw_int(w, "base_n", e->n[0]);
	xlv_jsonw_int(w, "other_n", e->n[1]);
	put_rounded(w, "base_ns", e->value[0]);
	put_rounded(w, "other_ns", e->value[1]);
	put_rounded(w, "difference_ns", round(e->value[1]) - round(e->value[0]));
	xlv_jsonw_double(w, "ratio", e->value[0] != 0 ? e->value[1] / e->value[0] : NAN);
	put_rounded(w, "low_ns", e->has_interval ? floor(e->low) : NAN);
	put_rounded(w, "high_ns", e->has_interval ? ceil(e->high) : NAN);
	if (e->has_interval)
		xlv_jsonw_bool(w, "evidence", xlv_estimate_differs(e));
	else
		xlv_jsonw_null(w, "evidence");
	xlv_jsonw_end(w);
}

static void put_figures(struct xlv_jsonw *w, const struct xlv_boot *boot)
{
	xlv_jsonw_array(w, "figures");
	for (int f = 0; f < boot->nr_cols; f++)
		for (int s = 0; s < XLV_STAT_COUNT; s++)
			put_figure(w, f == XLV_FIG_GAP ? "gap" : xlv_interval_name(f), s,
				   &boot->est[f][s]);
	xlv_jsonw_end(w);
}

static void put_row(struct xlv_jsonw *w, int64_t base_ns, int64_t other_ns)
{
	xlv_jsonw_int(w, "base_ns", base_ns);
	xlv_jsonw_int(w, "other_ns", other_ns);
	xlv_jsonw_int(w, "difference_ns", other_ns - base_ns);
}

static void put_account_stage(struct xlv_jsonw *w, int stage, const struct xlv_account_row *r)
{
	xlv_jsonw_object(w, NULL);
	xlv_jsonw_str(w, "stage", xlv_stage_name(stage));
	put_row(w, r->base_ns, r->other_ns);
	xlv_jsonw_array(w, "parts");
	for (int l = 0; l < XLV_LEAF_COUNT; l++) {
		if (!r->leaf_base_ns[l] && !r->leaf_other_ns[l])
			continue;
		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "part", xlv_leaf_name(l));
		put_row(w, r->leaf_base_ns[l], r->leaf_other_ns[l]);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
	xlv_jsonw_end(w);
}

static bool is_empty(const struct xlv_account_row *r)
{
	for (int l = 0; l < XLV_LEAF_COUNT; l++)
		if (r->leaf_base_ns[l] || r->leaf_other_ns[l])
			return false;
	return !r->base_ns && !r->other_ns;
}

static void put_account(struct xlv_jsonw *w, const char *key, bool has,
			const struct xlv_account *a, int64_t base_n, int64_t other_n)
{
	if (!has) {
		xlv_jsonw_null(w, key);
		return;
	}
	xlv_jsonw_object(w, key);
	xlv_jsonw_int(w, "base_n", base_n);
	xlv_jsonw_int(w, "other_n", other_n);
	put_row(w, a->base_ns, a->other_ns);
	xlv_jsonw_array(w, "stages");
	for (int i = 0; i < XLV_STAGE_COUNT; i++)
		if (!is_empty(&a->row[i]))
			put_account_stage(w, i, &a->row[i]);
	xlv_jsonw_end(w);
	xlv_jsonw_end(w);
}

static void put_groups(struct xlv_jsonw *w, const char *key, const struct xlv_mix *g)
{
	if (!g->base_n || !g->other_n) {
		xlv_jsonw_null(w, key);
		return;
	}
	xlv_jsonw_object(w, key);
	xlv_jsonw_int(w, "difference_ns", g->other_ns - g->base_ns);
	xlv_jsonw_int(w, "mix_ns", g->mix_ns);
	xlv_jsonw_int(w, "rate_ns", g->rate_ns);
	xlv_jsonw_array(w, "groups");
	for (size_t i = 0; i < g->nr; i++) {
		const struct xlv_mix_row *p = &g->group[i];

		xlv_jsonw_object(w, NULL);
		xlv_jsonw_str(w, "group", p->key);
		xlv_jsonw_int(w, "base_n", p->base_n);
		xlv_jsonw_int(w, "other_n", p->other_n);
		xlv_jsonw_ns(w, "base_mean_ns", p->base_n ?
						xlv_mean_round(p->base_sum_ns, p->base_n) :
						XLV_NONE);
		xlv_jsonw_ns(w, "other_mean_ns", p->other_n ?
						 xlv_mean_round(p->other_sum_ns, p->other_n) :
						 XLV_NONE);
		xlv_jsonw_int(w, "mix_ns", p->mix_ns);
		xlv_jsonw_int(w, "rate_ns", p->rate_ns);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
	xlv_jsonw_end(w);
}

static void put_answer(struct xlv_jsonw *w, const struct xlv_comparison *c)
{
	xlv_jsonw_object(w, "answer");
	xlv_jsonw_str(w, "headline", c->headline);
	xlv_jsonw_array(w, "reasons");
	for (int i = 0; i < c->nr_reasons; i++) {
		xlv_jsonw_object(w, NULL);
		xlv_jsonw_int(w, "ns", c->reasons[i].ns);
		xlv_jsonw_str(w, "stage", c->reasons[i].stage < 0 ? NULL :
					  xlv_stage_name(c->reasons[i].stage));
		xlv_jsonw_str(w, "text", c->reasons[i].text);
		xlv_jsonw_end(w);
	}
	xlv_jsonw_end(w);
	xlv_jsonw_str(w, "tail", c->tail);
	xlv_jsonw_end(w);
}

static void put_comparison(struct xlv_jsonw *w, const struct xlv_comparison *c, int other)
{
	xlv_jsonw_object(w, NULL);
	xlv_jsonw_int(w, "base", 0);
	xlv_jsonw_int(w, "other", other);
	xlv_jsonw_str(w, "verdict", xlv_verdict_name(c->verdict));
	put_answer(w, c);
	put_figures(w, &c->boot);
	put_positive(w, "replicates", c->boot.replicates);
	put_account(w, "accounting", c->has_account, &c->account, c->base->sums.n,
		    c->other->sums.n);
	put_account(w, "typical", c->has_typical, &c->typical, c->base->typical.n,
		    c->other->typical.n);
	put_groups(w, "placements", &c->placements);
	put_groups(w, "kinds", &c->kinds);
	xlv_jsonw_array(w, "warnings");
	for (int i = 0; i < c->nr_warnings; i++)
		xlv_jsonw_str(w, NULL, c->warnings[i]);
	xlv_jsonw_end(w);
	xlv_jsonw_end(w);
}

void xlv_compare_json(FILE *out, const struct xlv_compared *all)
{
	struct xlv_jsonw writer, *w = &writer;

	xlv_jsonw_init(w, out, 4);
	xlv_jsonw_object(w, NULL);
	xlv_jsonw_str(w, "schema", XLV_COMPARE_SCHEMA);
	xlv_jsonw_str(w, "generator", PACKAGE_STRING);
	xlv_jsonw_int(w, "seed", (int64_t)all->seed);
	xlv_jsonw_array(w, "recordings");
	for (int i = 0; i < all->nr; i++)
		put_side(w, all->side[i]);
	xlv_jsonw_end(w);
	xlv_jsonw_array(w, "comparisons");
	for (int i = 1; i < all->nr; i++)
		put_comparison(w, all->with[i - 1], i);
	xlv_jsonw_finish(w);
}
