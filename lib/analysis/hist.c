// SPDX-License-Identifier: GPL-2.0-or-later
/* Mergeable log-linear histograms. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hist.h"

#define SUB_BITS	7
#define SUB		(1 << SUB_BITS)

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

int32_t xlv_hist_index(int64_t v)
{
	uint64_t a = magnitude(v);
	int32_t e = 0, index;

	if (a >= SUB)
		e = 63 - __builtin_clzll(a) - SUB_BITS;
	index = SUB * e + (int32_t)(a >> e);
	return v < 0 ? -index : index;
}

int32_t xlv_hist_max_index(void)
{
	return xlv_hist_index(INT64_MAX);
}

void xlv_hist_bounds(int32_t index, int64_t *low, int64_t *high)
{
	uint32_t i = index < 0 ? -(uint32_t)index : (uint32_t)index;
	uint32_t e = i < 2 * SUB ? 0 : i / SUB - 1;
	uint64_t lo = (uint64_t)(i - SUB * e) << e;
	uint64_t hi = lo + (((uint64_t)1 << e) - 1);

	if (lo > INT64_MAX) {		/* INT64_MIN's own */
		*low = *high = INT64_MIN;
	} else if (index < 0) {
		*low = -(int64_t)hi;
		*high = -(int64_t)lo;
	} else {
		*low = (int64_t)lo;
		*high = (int64_t)hi;
	}
}

struct xlv_hist *xlv_hist_new(void)
{
	return calloc(1, sizeof(struct xlv_hist));
}

void xlv_hist_free(struct xlv_hist *h)
{
	if (!h)
		return;
	free(h->bucket);
	free(h);
}

static int reserve(struct xlv_hist *h, size_t room)
{
	struct xlv_hist_bucket *b;

	if (room <= h->room)
		return 0;
	room = room < 16 ? 16 : room + room / 2;
	b = reallocarray(h->bucket, room, sizeof(*b));
	if (!b)
		return -1;
	h->bucket = b;
	h->room = room;
	return 0;
}

static int64_t add_held(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static int64_t mul_held(int64_t a, int64_t b)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
	return product;
}

static void widen(struct xlv_hist *h, int64_t min, int64_t max)
{
	if (!h->n || min < h->min)
		h->min = min;
	if (!h->n || max > h->max)
		h->max = max;
}

int xlv_hist_add(struct xlv_hist *h, int64_t v, int64_t count)
{
	int32_t index = xlv_hist_index(v);
	size_t low = 0, high = h->nr_buckets, mid;
	int64_t n;

	if (count <= 0 || __builtin_add_overflow(h->n, count, &n))
		return -1;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (h->bucket[mid].index < index)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == h->nr_buckets || h->bucket[low].index != index) {
		if (reserve(h, h->nr_buckets + 1))
			return -1;
		memmove(&h->bucket[low + 1], &h->bucket[low],
			(h->nr_buckets - low) * sizeof(*h->bucket));
		h->bucket[low] = (struct xlv_hist_bucket){ .index = index };
		h->nr_buckets++;
	}
	h->bucket[low].count += count;
	widen(h, v, v);
	h->sum = add_held(h->sum, mul_held(v, count));
	h->n = n;
	return 0;
}

int xlv_hist_append(struct xlv_hist *h, int32_t index, int64_t count)
{
	int32_t max = xlv_hist_max_index() + 1;		/* INT64_MIN has one more */
	int64_t n;

	if (count <= 0 || index > max || index < -max)
		return -1;
	if (h->nr_buckets && h->bucket[h->nr_buckets - 1].index >= index)
		return -1;
	if (__builtin_add_overflow(h->n, count, &n) || reserve(h, h->nr_buckets + 1))
		return -1;
	h->bucket[h->nr_buckets++] = (struct xlv_hist_bucket){ index, count };
	h->n = n;
	return 0;
}

int xlv_hist_valid(const struct xlv_hist *h)
{
	int64_t n = 0;

	for (size_t i = 0; i < h->nr_buckets; i++)
		if (__builtin_add_overflow(n, h->bucket[i].count, &n))
			return 0;
	if (n != h->n)
		return 0;
	return !n || (h->min <= h->max && xlv_hist_index(h->min) == h->bucket[0].index &&
		      xlv_hist_index(h->max) == h->bucket[h->nr_buckets - 1].index);
}

struct xlv_hist *xlv_hist_from_sorted(const int64_t *v, size_t n)
{
	struct xlv_hist *h = xlv_hist_new();
	int64_t low, high;
	size_t i = 0, start;
	__int128 sum = 0;

	if (!h || !n)
		return h;
	h->min = v[0];
	h->max = v[n - 1];
	while (i < n) {
		int32_t index = xlv_hist_index(v[i]);

		xlv_hist_bounds(index, &low, &high);
		for (start = i; i < n && v[i] <= high; i++)
			sum += v[i];
		if (xlv_hist_append(h, index, (int64_t)(i - start))) {
			xlv_hist_free(h);
			return NULL;
		}
	}
	h->sum = sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
	return h;
}

struct xlv_hist *xlv_hist_copy(const struct xlv_hist *h)
{
	struct xlv_hist *copy = xlv_hist_new();

	if (copy && xlv_hist_merge(copy, h)) {
		xlv_hist_free(copy);
		return NULL;
	}
	return copy;
}

int xlv_hist_merge(struct xlv_hist *to, const struct xlv_hist *from)
{
	struct xlv_hist merged = { 0 };
	size_t i = 0, j = 0;
	int64_t n;

	if (!from->n)
		return 0;
	if (__builtin_add_overflow(to->n, from->n, &n) ||
	    reserve(&merged, to->nr_buckets + from->nr_buckets))
		return -1;
	while (i < to->nr_buckets || j < from->nr_buckets) {
		struct xlv_hist_bucket *b = &merged.bucket[merged.nr_buckets++];

		if (j == from->nr_buckets ||
		    (i < to->nr_buckets && to->bucket[i].index < from->bucket[j].index)) {
			*b = to->bucket[i++];
		} else if (i == to->nr_buckets || from->bucket[j].index < to->bucket[i].index) {
			*b = from->bucket[j++];
		} else {
			*b = to->bucket[i++];
			b->count += from->bucket[j++].count;
		}
	}
	free(to->bucket);
	to->bucket = merged.bucket;
	to->nr_buckets = merged.nr_buckets;
	to->room = merged.room;
	widen(to, from->min, from->max);
	to->sum = add_held(to->sum, from->sum);
	to->n = n;
	return 0;
}

int64_t xlv_hist_quantile(const struct xlv_hist *h, double q)
{
	int64_t rank = xlv_rank(h->n, q), seen = 0, low, high, v;
	size_t i = 0;

	if (rank == h->n)
		return h->max;
	if (rank == 1)
		return h->min;
	while (i < h->nr_buckets - 1 && seen + h->bucket[i].count < rank)
		seen += h->bucket[i++].count;
	xlv_hist_bounds(h->bucket[i].index, &low, &high);
	v = low + (high - low) / 2;
	return v < h->min ? h->min : v > h->max ? h->max : v;
}

struct xlv_dist xlv_hist_dist(const struct xlv_hist *h)
{
	struct xlv_dist d = { .n = h->n };

	if (!h->n)
		return d;
	d.min = h->min;
	d.p50 = xlv_hist_quantile(h, 0.50);
	d.p90 = xlv_hist_quantile(h, 0.90);
	d.p95 = xlv_hist_quantile(h, 0.95);
	d.p99 = xlv_hist_quantile(h, 0.99);
	d.max = h->max;
	d.sum = h->sum;
	d.mean = (double)h->sum / (double)h->n;
	return d;
}
