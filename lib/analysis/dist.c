// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact nearest-rank distributions. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dist.h"

#define RADIX_BITS	11
#define RADIX		(1u << RADIX_BITS)
#define RADIX_WORTH	512		/* below this qsort() is as fast */

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts by the bits in which the values differ, the lowest first. */
static void radix_sort(int64_t *v, int64_t *scratch, size_t n, int64_t min, uint64_t range)
{
	int64_t *from = v, *to = scratch, *swap;
	size_t start[RADIX], sum, count;

	for (unsigned int shift = 0; shift < 64 && range >> shift; shift += RADIX_BITS) {
		memset(start, 0, sizeof(start));
		for (size_t i = 0; i < n; i++)
			start[((uint64_t)from[i] - (uint64_t)min) >> shift & (RADIX - 1)]++;
		sum = 0;
		for (size_t d = 0; d < RADIX; d++) {
			count = start[d];
			start[d] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			to[start[((uint64_t)from[i] - (uint64_t)min) >> shift & (RADIX - 1)]++] =
				from[i];
		swap = from;
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
}

void xlv_sort_ns(int64_t *v, size_t n)
{
	int64_t min, max, *scratch;
	bool sorted = true;

	if (n < 2)
		return;
	min = max = v[0];
	for (size_t i = 1; i < n; i++) {
		if (v[i] < v[i - 1])
			sorted = false;
		if (v[i] < min)
			min = v[i];
		if (v[i] > max)
			max = v[i];
	}
	if (sorted)
		return;
	scratch = n >= RADIX_WORTH && n <= SIZE_MAX / sizeof(*v) ? malloc(n * sizeof(*v)) : NULL;
	if (!scratch) {
		qsort(v, n, sizeof(*v), compare_ns);
		return;
	}
	radix_sort(v, scratch, n, min, (uint64_t)max - (uint64_t)min);
	free(scratch);
}

int64_t xlv_rank(int64_t n, double q)
{
	int64_t rank = (int64_t)ceill((long double)q * n - 1e-9L);

	return rank < 1 ? 1 : rank > n ? n : rank;
}

int64_t xlv_quantile(const int64_t *v, size_t n, double q)
{
	return v[xlv_rank((int64_t)n, q) - 1];
}

struct xlv_dist xlv_dist_make(int64_t *v, size_t n)
{
	struct xlv_dist d = { .n = (int64_t)n };
	__int128 sum = 0;

	if (!n)
		return d;
	xlv_sort_ns(v, n);
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	d.min = v[0];
	d.p50 = xlv_quantile(v, n, 0.50);
	d.p90 = xlv_quantile(v, n, 0.90);
	d.p95 = xlv_quantile(v, n, 0.95);
	d.p99 = xlv_quantile(v, n, 0.99);
	d.max = v[n - 1];
	d.sum = sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
	d.mean = (double)sum / (double)n;
	return d;
}
