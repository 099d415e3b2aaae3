// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/accounting.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool add(int64_t *to, int64_t v)
{
	return !__builtin_add_overflow(*to, v, to);
}

/* Move time from a stage's rest to one of its leaves. */
static bool move(int64_t leaf_ns[XLV_LEAF_COUNT], unsigned int leaf, int64_t ns)
{
	if (ns == XLV_NONE)
		return true;
	return add(&leaf_ns[leaf], ns) &&
	       !__builtin_sub_overflow(leaf_ns[XLV_LEAF_REST], ns, &leaf_ns[XLV_LEAF_REST]);
}

static bool add_wake(struct xlv_sums *s, const struct xlv_path_wake *w)
{
	for (int p = 0; p < XLV_PART_COUNT; p++)
		if (!move(s->leaf_ns[w->stage], p, w->parts_ns[p]))
			return false;
	return true;
}

/*
 * A sleep on something that is none of the log's lies within one segment (data
 * writeback, say): split the wake that ended it out of that.
 */
static bool add_other_wake(struct xlv_sums *s, const struct xlv_detail *d, const struct xlv_wait *w)
{
	int64_t from_ns = w->wake.waking_ns, to_ns = w->wake.running_ns;

	if (w->queue != XLV_QUEUE_OTHER || from_ns == XLV_NONE || to_ns == XLV_NONE)
		return true;
	for (int i = 0; i < d->nr_segments; i++) {
		const struct xlv_segment *g = &d->segments[i];

		if (g->wake >= 0 || from_ns < g->start_ns || to_ns > g->start_ns + g->ns)
			continue;
		for (int p = 0; p < XLV_PART_COUNT; p++)
			if (!move(s->leaf_ns[g->stage], p, w->wake.parts_ns[p]))
				return false;
		return true;
	}
	return true;
}

bool xlv_sums_add(struct xlv_sums *sums, const struct xlv_sync *sync,
		  const struct xlv_detail *detail)
{
	struct xlv_sums s = *sums;
	int64_t tiled = 0;

	for (int i = 0; i < detail->nr_segments; i++) {
		const struct xlv_segment *g = &detail->segments[i];

		if (!add(&tiled, g->ns) || !add(&s.leaf_ns[g->stage][XLV_LEAF_REST], g->ns))
			return false;
	}
	for (int i = 0; i < detail->nr_wakes; i++)
		if (!add_wake(&s, &detail->wakes[i]))
			return false;
	for (int i = 0; i < detail->nr_waits; i++)
		if (!add_other_wake(&s, detail, &detail->waits[i]))
			return false;
	if (!move(s.leaf_ns[XLV_STAGE_LOG_IO], XLV_LEAF_FLUSH, sync->io_flush_ns) ||
	    !move(s.leaf_ns[XLV_STAGE_LOG_IO], XLV_LEAF_DEVICE, sync->io_device_ns) ||
	    !move(s.leaf_ns[XLV_STAGE_CALLBACKS], XLV_LEAF_IN_ORDER, sync->in_order_ns))
		return false;
	if (tiled != sync->span_ns || !add(&s.span_ns, sync->span_ns))
		return false;
	s.n++;
	*sums = s;
	return true;
}

int64_t xlv_mean_round(int64_t sum, int64_t n)
{
	int64_t q = sum / n, r = sum % n;

	assert(n > 0);
	if (r >= n - r && r > 0)
		q++;
	if (-r >= n + r && r < 0)
		q--;
	return q;
}

static int64_t floor_div(int64_t sum, int64_t n)
{
	return sum / n - (sum % n < 0);
}

/* Which part is owed most; parts that got their extra nanosecond are owed none. */
static size_t most_owed(const int64_t *sums, const int64_t *out, size_t k, int64_t n)
{
	int64_t owed, most = -1;
	size_t at = 0;

	for (size_t i = 0; i < k; i++) {
		owed = out[i] == floor_div(sums[i], n) ? sums[i] - out[i] * n : -1;
		if (owed > most) {
			most = owed;
			at = i;
		}
	}
	return at;
}

void xlv_apportion(const int64_t *sums, int64_t *out, size_t k, int64_t n, int64_t total)
{
	int64_t left = total;

	assert(n > 0);
	for (size_t i = 0; i < k; i++) {
		out[i] = floor_div(sums[i], n);
		left -= out[i];
	}
	assert(left >= 0 && (uint64_t)left <= k);
	for (; left > 0; left--)
		out[most_owed(sums, out, k, n)]++;
}

static int64_t share_out(const struct xlv_sums *s, int64_t stage_ns[XLV_STAGE_COUNT],
			 int64_t leaf_ns[XLV_STAGE_COUNT][XLV_LEAF_COUNT])
{
	int64_t stage_sum[XLV_STAGE_COUNT] = { 0 };
	int64_t mean = xlv_mean_round(s->span_ns, s->n);

	for (int i = 0; i < XLV_STAGE_COUNT; i++)
		for (int l = 0; l < XLV_LEAF_COUNT; l++)
			stage_sum[i] += s->leaf_ns[i][l];
	xlv_apportion(stage_sum, stage_ns, XLV_STAGE_COUNT, s->n, mean);
	for (int i = 0; i < XLV_STAGE_COUNT; i++)
		xlv_apportion(s->leaf_ns[i], leaf_ns[i], XLV_LEAF_COUNT, s->n, stage_ns[i]);
	return mean;
}

void xlv_account_make(struct xlv_account *acc, const struct xlv_sums *base,
		      const struct xlv_sums *other)
{
	int64_t stage_ns[2][XLV_STAGE_COUNT], leaf_ns[2][XLV_STAGE_COUNT][XLV_LEAF_COUNT];

	acc->base_ns = share_out(base, stage_ns[0], leaf_ns[0]);
	acc->other_ns = share_out(other, stage_ns[1], leaf_ns[1]);
	for (int i = 0; i < XLV_STAGE_COUNT; i++) {
		acc->row[i].base_ns = stage_ns[0][i];
		acc->row[i].other_ns = stage_ns[1][i];
		memcpy(acc->row[i].leaf_base_ns, leaf_ns[0][i], sizeof(leaf_ns[0][i]));
		memcpy(acc->row[i].leaf_other_ns, leaf_ns[1][i], sizeof(leaf_ns[1][i]));
	}
}

static struct xlv_mix_row *find_group(struct xlv_mix *g, const char *key)
{
	struct xlv_mix_row *grown;

	for (size_t i = 0; i < g->nr; i++)
		if (!strncmp(g->group[i].key, key, sizeof(g->group[i].key) - 1))
			return &g->group[i];
	if (g->nr == g->room) {
		grown = reallocarray(g->group, g->room * 2 + 8, sizeof(*grown));
		if (!grown)
			return NULL;
		g->group = grown;
		g->room = g->room * 2 + 8;
	}
	g->group[g->nr] = (struct xlv_mix_row){ 0 };
	strncpy(g->group[g->nr].key, key, sizeof(g->group[g->nr].key) - 1);
	return &g->group[g->nr++];
}

bool xlv_mix_add(struct xlv_mix *g, const char *key, int64_t n, int64_t sum_ns, bool other)
{
	struct xlv_mix_row *p = find_group(g, key);

	if (!p || !add(other ? &g->other_sum_ns : &g->base_sum_ns, sum_ns) ||
	    !add(other ? &g->other_n : &g->base_n, n))
		return false;
	*(other ? &p->other_sum_ns : &p->base_sum_ns) += sum_ns;
	*(other ? &p->other_n : &p->base_n) += n;
	return true;
}

/* (w + w') / 2 * (m' - m) */
static int64_t rate_of(const struct xlv_mix *g, const struct xlv_mix_row *p)
{
	long double w, m;

	if (!p->base_n || !p->other_n)
		return 0;
	w = ((long double)p->base_n / g->base_n + (long double)p->other_n / g->other_n) / 2;
	m = (long double)p->other_sum_ns / p->other_n - (long double)p->base_sum_ns / p->base_n;
	return llroundl(w * m);
}

static int64_t weight(const struct xlv_mix_row *p)
{
	return llabs(p->mix_ns) + llabs(p->rate_ns);
}

static int by_weight(const void *va, const void *vb)
{
	const struct xlv_mix_row *a = va, *b = vb;

	if (weight(a) != weight(b))
		return weight(a) < weight(b) ? 1 : -1;
	return strcmp(a->key, b->key);
}

/* Share one recording's mean, and the reference, out among the groups. */
static void share_groups(const struct xlv_mix *g, bool other, int64_t ref_ns,
			 int64_t *sums, int64_t *mean_ns, int64_t *ref_part_ns)
{
	int64_t n = other ? g->other_n : g->base_n;

	for (size_t i = 0; i < g->nr; i++)
		sums[i] = other ? g->group[i].other_sum_ns : g->group[i].base_sum_ns;
	xlv_apportion(sums, mean_ns, g->nr, n, other ? g->other_ns : g->base_ns);
	for (size_t i = 0; i < g->nr; i++)
		sums[i] = ref_ns * (other ? g->group[i].other_n : g->group[i].base_n);
	xlv_apportion(sums, ref_part_ns, g->nr, n, ref_ns);
}

/* The mean of both means; 0 where that is too large to be multiplied. */
static int64_t reference(const struct xlv_mix *g)
{
	int64_t ref = g->base_ns / 2 + g->other_ns / 2, product;

	if (__builtin_mul_overflow(ref, g->base_n, &product) ||
	    __builtin_mul_overflow(ref, g->other_n, &product))
		return 0;
	return ref;
}

bool xlv_mix_account(struct xlv_mix *g)
{
	int64_t *mem, *mean_ns[2], *ref_ns[2];

	g->mix_ns = g->rate_ns = 0;
	if (!g->base_n || !g->other_n)
		return true;
	mem = calloc(g->nr * 5, sizeof(*mem));
	if (!mem)
		return false;
	g->base_ns = xlv_mean_round(g->base_sum_ns, g->base_n);
	g->other_ns = xlv_mean_round(g->other_sum_ns, g->other_n);
	for (int o = 0; o < 2; o++) {
		mean_ns[o] = mem + g->nr * (1 + o);
		ref_ns[o] = mem + g->nr * (3 + o);
		share_groups(g, o, reference(g), mem, mean_ns[o], ref_ns[o]);
	}
	for (size_t i = 0; i < g->nr; i++) {
		struct xlv_mix_row *p = &g->group[i];

		p->rate_ns = rate_of(g, p);
		p->mix_ns = mean_ns[1][i] - mean_ns[0][i] - p->rate_ns
			    - (ref_ns[1][i] - ref_ns[0][i]);
		g->rate_ns += p->rate_ns;
		g->mix_ns += p->mix_ns;
	}
	free(mem);
	qsort(g->group, g->nr, sizeof(*g->group), by_weight);
	return true;
}

void xlv_mix_free(struct xlv_mix *g)
{
	free(g->group);
	*g = (struct xlv_mix){ 0 };
}
