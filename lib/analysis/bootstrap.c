// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/run.h"

#define NO_BIN		UINT16_MAX
#define OUTSIDE_PER_MILLE 10		/* replicates outside of some interval */
#define MAX_LOOK	50000		/* rows that the block length is taken from */

const char *xlv_stat_name(unsigned int stat)
{
	static const char *const names[] = { "p50", "p95", "mean" };

	return stat < XLV_STAT_COUNT ? names[stat] : "?";
}

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

/* The state is spread from the seed by splitmix64, as its authors advise. */
void xlv_rng_seed(struct xlv_rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		rng->s[i] = z ^ (z >> 31);
	}
}

uint64_t xlv_rng_next(struct xlv_rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t xlv_rng_below(struct xlv_rng *rng, uint64_t n)
{
	uint64_t x, limit = UINT64_MAX - UINT64_MAX % n;

	do
		x = xlv_rng_next(rng);
	while (x >= limit);
	return x % n;
}

/* One column of a side, prepared for counting. */
struct column {
	uint16_t	*bin;		/* of each row */
	int64_t		*bin_value;	/* ascending */
	uint32_t	nr_bins;
	double		*sum_before;	/* nr_rows + 1: of the rows before */
	uint32_t	*n_before;
	int64_t		n;
	double		value[XLV_STAT_COUNT];	/* of the recording itself, exact */
};

struct side {
	struct column	col[XLV_BOOT_COLS];
	size_t		block;
	uint32_t	*count;		/* room for the bins of one column */
};

struct keyed {
	int64_t	value;
	size_t	row;
};

static int by_value(const void *va, const void *vb)
{
	const struct keyed *a = va, *b = vb;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Sorted values with their rows; how many there are. */
static size_t sort_column(const struct xlv_series *s, int col, size_t from, size_t to,
			  struct keyed *k)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (s->value[i * s->nr_cols + col] != XLV_NONE)
			k[n++] = (struct keyed){ s->value[i * s->nr_cols + col], i };
	qsort(k, n, sizeof(*k), by_value);
	return n;
}

/*
 * Equal values share a bin; neighbours do too where there are more different
 * values than bins, and stand for the middle one of them.
 */
static void fill_bins(struct column *c, const struct keyed *k, size_t n)
{
	size_t per_bin = n / (NO_BIN - 1) + 1, first = 0;

	c->nr_bins = 0;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || (k[i].value != k[i - 1].value && i - first >= per_bin)) {
			first = i;
			c->nr_bins++;
		}
		c->bin[k[i].row] = c->nr_bins - 1;
		c->bin_value[c->nr_bins - 1] = k[first + (i - first) / 2].value;
	}
}

static int64_t rank_of(int stat, int64_t n)
{
	return stat == XLV_STAT_P50 ? (n + 1) / 2 : (95 * n + 99) / 100;
}

static bool prepare_column(struct column *c, const struct xlv_series *s, int col,
			   struct keyed *scratch)
{
	size_t n;

	c->bin = malloc((s->nr_rows + 1) * sizeof(*c->bin));
	c->bin_value = malloc((s->nr_rows + 1) * sizeof(*c->bin_value));
	c->sum_before = malloc((s->nr_rows + 1) * sizeof(*c->sum_before));
	c->n_before = malloc((s->nr_rows + 1) * sizeof(*c->n_before));
	if (!c->bin || !c->bin_value || !c->sum_before || !c->n_before)
		return false;
	memset(c->bin, 0xff, s->nr_rows * sizeof(*c->bin));
	n = sort_column(s, col, 0, s->nr_rows, scratch);
	fill_bins(c, scratch, n);
	c->n = n;
	for (int st = XLV_STAT_P50; st <= XLV_STAT_P95; st++)
		c->value[st] = n ? (double)scratch[rank_of(st, n) - 1].value : NAN;
	c->sum_before[0] = 0;
	c->n_before[0] = 0;
	for (size_t i = 0; i < s->nr_rows; i++) {
		int64_t v = s->value[i * s->nr_cols + col];

		c->sum_before[i + 1] = c->sum_before[i] + (v == XLV_NONE ? 0 : v);
		c->n_before[i + 1] = c->n_before[i] + (v != XLV_NONE);
	}
	c->value[XLV_STAT_MEAN] = n ? c->sum_before[s->nr_rows] / n : NAN;
	return true;
}

static void free_side(struct side *d)
{
	for (int c = 0; c < XLV_BOOT_COLS; c++) {
		free(d->col[c].bin);
		free(d->col[c].bin_value);
		free(d->col[c].sum_before);
		free(d->col[c].n_before);
	}
	free(d->count);
}

static bool prepare_side(struct side *d, const struct xlv_series *s)
{
	struct keyed *scratch = malloc((s->nr_rows + 1) * sizeof(*scratch));
	bool ok = scratch != NULL;

	d->count = malloc((size_t)NO_BIN * sizeof(*d->count));
	for (int c = 0; ok && c < s->nr_cols; c++)
		ok = prepare_column(&d->col[c], s, c, scratch);
	free(scratch);
	d->block = xlv_block_length(s);
	return ok && d->count;
}

/* The longest run of a series. */
static void longest_run(const struct xlv_series *s, size_t *from, size_t *rows)
{
	size_t start = 0;

	*from = 0;
	*rows = s->run_rows ? 0 : s->nr_rows;
	for (int r = 0; s->run_rows && r < s->nr_runs; r++) {
		if (s->run_rows[r] > *rows) {
			*from = start;
			*rows = s->run_rows[r];
		}
		start += s->run_rows[r];
	}
}

static double autocovariance(const double *x, size_t n, size_t lag)
{
	double sum = 0;

	for (size_t i = lag; i < n; i++)
		sum += x[i] * x[i - lag];
	return sum / n;
}

/*
 * Politis and White 2004, as corrected 2009, for blocks from a circle. It makes the
 * error of the variance smallest, not that of the level: the caller doubles it.
 */
static double optimal_block(const double *x, size_t n, double *cov, size_t max_lag)
{
	double bound = 2 * sqrt(log10((double)n) / n), g = 0, spectrum, t, flat;
	size_t quiet = 0, last = 0, window, needed = fmax(5, sqrt(log10((double)n)));

	for (size_t k = 0; k <= max_lag; k++)
		cov[k] = autocovariance(x, n, k);
	if (cov[0] <= 0)
		return 1;
	for (size_t k = 1; k <= max_lag && quiet < needed; k++) {
		quiet = fabs(cov[k] / cov[0]) < bound ? quiet + 1 : 0;
		if (!quiet)
			last = k;
	}
	window = 2 * (last ? last : 1);
	if (window > max_lag)
		window = max_lag;
	spectrum = cov[0];
	for (size_t k = 1; k <= window; k++) {
		t = (double)k / window;
		flat = t <= 0.5 ? 1 : 2 * (1 - t);
		g += 2 * flat * k * cov[k];
		spectrum += 2 * flat * cov[k];
	}
	if (spectrum <= 0)
		return 1;
	return cbrt(2 * g * g / (4.0 / 3 * spectrum * spectrum)) * cbrt((double)n);
}

/* Ranks of a column in row order, centred; equal values share one. How many. */
static size_t centred_ranks(const struct xlv_series *s, int col, size_t from, size_t rows,
			    struct keyed *k, double *x)
{
	size_t n = sort_column(s, col, from, from + rows, k), end, out = 0;

	for (size_t i = 0; i < rows; i++)
		x[i] = NAN;
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && k[end].value == k[i].value; end++)
			;
		for (size_t j = i; j < end; j++)
			x[k[j].row - from] = ((double)i + end - n) / 2;
	}
	for (size_t i = 0; i < rows; i++)
		if (!isnan(x[i]))
			x[out++] = x[i];
	return out;
}

size_t xlv_block_length(const struct xlv_series *s)
{
	size_t from, rows, n, max_lag;
	double best = 1, b, *x, *cov;
	struct keyed *k;

	longest_run(s, &from, &rows);
	if (rows > MAX_LOOK)
		rows = MAX_LOOK;
	if (rows < 16)
		return 1;
	max_lag = fmin(sqrt((double)rows) + 10, rows / 4);
	x = malloc(rows * sizeof(*x));
	k = malloc(rows * sizeof(*k));
	cov = malloc((max_lag + 1) * sizeof(*cov));
	for (int c = 0; x && k && cov && c < s->nr_cols; c++) {
		n = centred_ranks(s, c, from, rows, k, x);
		if (n < 16)
			continue;
		b = optimal_block(x, n, cov, fmin(max_lag, n / 4));
		if (b > best)
			best = b;
	}
	free(x);
	free(k);
	free(cov);
	return fmin(ceil(2 * best), rows / 4);
}


struct range {
	size_t	from, to;
};

static void column_stats(const struct side *d, int c, const struct range *range, size_t nr,
			 double out[XLV_STAT_COUNT])
{
	const struct column *col = &d->col[c];
	int64_t n = 0, seen = 0, half, most;
	double sum = 0;
	uint32_t b;

	for (size_t r = 0; r < nr; r++) {
		sum += col->sum_before[range[r].to] - col->sum_before[range[r].from];
		n += col->n_before[range[r].to] - col->n_before[range[r].from];
	}
	out[XLV_STAT_P50] = out[XLV_STAT_P95] = out[XLV_STAT_MEAN] = NAN;
	if (!n)
		return;
	memset(d->count, 0, col->nr_bins * sizeof(*d->count));
	for (size_t r = 0; r < nr; r++)
		for (size_t i = range[r].from; i < range[r].to; i++)
			if (col->bin[i] != NO_BIN)
				d->count[col->bin[i]]++;
	half = rank_of(XLV_STAT_P50, n);
	most = rank_of(XLV_STAT_P95, n);
	for (b = 0; seen < most; b++) {
		if (seen < half && seen + d->count[b] >= half)
			out[XLV_STAT_P50] = col->bin_value[b];
		seen += d->count[b];
	}
	out[XLV_STAT_P95] = col->bin_value[b - 1];
	out[XLV_STAT_MEAN] = sum / n;
}

/* Draw blocks from the run that starts at @start until it is as long as before. */
static size_t draw_run(struct xlv_rng *rng, size_t start, size_t rows, size_t block,
		       struct range *range)
{
	size_t nr = 0, at, len, head;

	if (block > rows)
		block = rows;
	for (size_t left = rows; left; left -= len) {
		at = xlv_rng_below(rng, rows);
		len = block < left ? block : left;
		head = rows - at < len ? rows - at : len;
		range[nr++] = (struct range){ start + at, start + at + head };
		if (len > head)
			range[nr++] = (struct range){ start, start + len - head };
	}
	return nr;
}

static size_t draw(struct xlv_rng *rng, const struct xlv_series *s, size_t block,
		   struct range *range)
{
	size_t nr = 0, start;
	int run;

	if (!s->run_rows || s->nr_runs < 2)
		return draw_run(rng, 0, s->nr_rows, block, range);
	for (int i = 0; i < s->nr_runs; i++) {
		run = xlv_rng_below(rng, s->nr_runs);
		start = 0;
		for (int r = 0; r < run; r++)
			start += s->run_rows[r];
		nr += draw_run(rng, start, s->run_rows[run], block, range + nr);
	}
	return nr;
}

/* Upper bound of the ranges that draw() makes. */
static size_t max_ranges(const struct xlv_series *s, size_t block)
{
	size_t longest = s->nr_rows;
	int runs = s->run_rows && s->nr_runs > 1 ? s->nr_runs : 1;

	for (int r = 0; runs > 1 && r < runs; r++)
		if (r == 0 || s->run_rows[r] > longest)
			longest = s->run_rows[r];
	return (longest / (block < 1 ? 1 : block) + 2) * 2 * runs;
}

/* Fill @diff, figure by figure, with OTHER - BASE of each replicate. */
static bool replicate(struct xlv_boot *boot, const struct xlv_series series[2],
		      const struct side side[2], uint64_t seed, double *diff)
{
	int figures = boot->nr_cols * XLV_STAT_COUNT;
	double stats[XLV_STAT_COUNT];
	struct range *range;
	struct xlv_rng rng;
	size_t nr;

	for (int o = 0; o < 2; o++) {
		range = malloc(max_ranges(&series[o], side[o].block) * sizeof(*range));
		if (!range)
			return false;
		xlv_rng_seed(&rng, seed + o);
		for (int r = 0; r < boot->replicates; r++) {
			nr = draw(&rng, &series[o], side[o].block, range);
			for (int f = 0; f < figures; f++) {
				double *at = &diff[(size_t)f * boot->replicates + r];

				if (f % XLV_STAT_COUNT == 0)
					column_stats(&side[o], f / XLV_STAT_COUNT, range, nr,
						     stats);
				*at = stats[f % XLV_STAT_COUNT] - (o ? *at : 0);
			}
		}
		free(range);
	}
	return true;
}

static int by_double(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return a < b ? -1 : a > b;
}

static int by_depth(const void *va, const void *vb)
{
	int a = *(const int *)va, b = *(const int *)vb;

	return a < b ? -1 : a > b;
}

/* How many of the sorted values are at or beyond @x, on the side with fewer. */
static int depth_of(const double *sorted, int n, double x)
{
	int lo = 0, hi = n, first, last;

	while (lo < hi) {
		int mid = (lo + hi) / 2;

		if (sorted[mid] < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	first = lo;
	for (last = first, hi = n; last < hi;) {
		int mid = (last + hi) / 2;

		if (sorted[mid] <= x)
			last = mid + 1;
		else
			hi = mid;
	}
	return last < n - first ? last : n - first;
}

/*
 * How much wider than the normal distribution's an interval from a few drawn
 * pieces has to be: Student's t over the normal, by its series in 1 / pieces, and
 * the bootstrap's missing degree of freedom.
 */
static double student(const struct xlv_series *s, size_t block)
{
	double pieces = s->run_rows && s->nr_runs > 1 ? s->nr_runs : (double)s->nr_rows / block;
	double df = fmax(1, pieces - 1);

	return (1.96 + 2.372 / df + 2.823 / (df * df)) / 1.96 * sqrt((df + 1) / df);
}

/* Widen all intervals to the level at which they hold together. */
static bool make_intervals(struct xlv_boot *boot, const struct xlv_series series[2],
			   double *diff)
{
	double factor = fmax(student(&series[0], boot->block[0]),
			     student(&series[1], boot->block[1]));
	int n = boot->replicates, level = 1;
	int *depth = malloc(n * sizeof(*depth));
	double *sorted = malloc(n * sizeof(*sorted));

	if (!depth || !sorted) {
		free(depth);
		free(sorted);
		return false;
	}
	for (int r = 0; r < n; r++)
		depth[r] = n;
	for (int pass = 0; pass < 2; pass++) {
		for (int f = 0; f < boot->nr_cols * XLV_STAT_COUNT; f++) {
			struct xlv_estimate *e = &boot->est[f / XLV_STAT_COUNT][f % XLV_STAT_COUNT];
			double *of = &diff[(size_t)f * n];

			if (!e->has_interval)
				continue;
			for (int r = 0; r < n; r++)
				if (isnan(of[r]))
					of[r] = e->value[1] - e->value[0];
			memcpy(sorted, of, n * sizeof(*sorted));
			qsort(sorted, n, sizeof(*sorted), by_double);
			for (int r = 0; !pass && r < n; r++) {
				int d = depth_of(sorted, n, of[r]);

				if (d < depth[r])
					depth[r] = d;
			}
			if (pass) {
				double d = e->value[1] - e->value[0];

				e->low = d - factor * fmax(0, d - sorted[level - 1]);
				e->high = d + factor * fmax(0, sorted[n - level] - d);
			}
		}
		if (!pass) {
			qsort(depth, n, sizeof(*depth), by_depth);
			level = depth[n * OUTSIDE_PER_MILLE / 1000];
			if (level > n / 2)
				level = n / 2;
		}
	}
	free(depth);
	free(sorted);
	return true;
}

static int replicates_for(size_t rows)
{
	if (rows <= 10000)
		return 2000;
	return fmax(400, 2e7 / rows);
}

bool xlv_boot_compare(struct xlv_boot *boot, const struct xlv_series series[2], uint64_t seed)
{
	struct side side[2] = { 0 };
	double *diff = NULL;
	bool ok = false;

	memset(boot, 0, sizeof(*boot));
	boot->nr_cols = series[0].nr_cols;
	boot->replicates = replicates_for(series[0].nr_rows > series[1].nr_rows ?
					  series[0].nr_rows : series[1].nr_rows);
	for (int o = 0; o < 2; o++) {
		if (!prepare_side(&side[o], &series[o]))
			goto done;
		boot->block[o] = side[o].block;
	}
	for (int c = 0; c < boot->nr_cols; c++) {
		for (int s = 0; s < XLV_STAT_COUNT; s++) {
			struct xlv_estimate *e = &boot->est[c][s];

			e->has_interval = true;
			for (int o = 0; o < 2; o++) {
				e->n[o] = side[o].col[c].n;
				e->value[o] = side[o].col[c].value[s];
				if (e->n[o] < XLV_BOOT_MIN_N)
					e->has_interval = false;
			}
		}
	}
	diff = malloc((size_t)boot->nr_cols * XLV_STAT_COUNT * boot->replicates * sizeof(*diff));
	if (!diff)
		goto done;
	ok = replicate(boot, series, side, seed, diff) && make_intervals(boot, series, diff);
done:
	free(diff);
	free_side(&side[0]);
	free_side(&side[1]);
	return ok;
}
