// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/jsonr.h"
#include "analysis/load.h"

#define SCHEMA		"xlogviz.report/1"
#define MAX_MEMBERS	64

struct xlv_json_file {
	char		*path;
	char		*text;
	size_t		len;
	bool		mapped;
	const char	*at;
	int		docs;
};

struct member {
	const char	*key, *key_end;		/* without the quotes */
	const char	*from, *to;		/* of the value */
};

struct xlv_json_doc {
	char		*path;
	struct member	member[MAX_MEMBERS];
	int		nr_members;
	const char	*syncs, *end;		/* NULL: none */
};

/* --- the text --- */

int xlv_json_sniff(const char *path, struct xlv_error *err)
{
	ssize_t n, at = 0;
	char head[64];
	int fd;

	if (!strcmp(path, "-"))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return xlv_fail(err, "unable to open '%s': %s", path, strerror(errno));
	n = read(fd, head, sizeof(head));
	if (n < 0)
		xlv_fail(err, "unable to read '%s': %s", path, strerror(errno));
	close(fd);
	if (n < 0)
		return -1;
	while (at < n && strchr(" \t\r\n", head[at]))
		at++;
	return at < n && head[at] == '{';
}

static int slurp(struct xlv_json_file *f, int fd, struct xlv_error *err)
{
	size_t room = 0;
	char *more;
	ssize_t n;

	do {
		if (f->len == room) {
			room = room * 2 + (1 << 20);
			more = realloc(f->text, room);
			if (!more)
				return xlv_fail(err, "out of memory to read '%s'", f->path);
			f->text = more;
		}
		n = read(fd, f->text + f->len, room - f->len);
		if (n < 0)
			return xlv_fail(err, "unable to read '%s': %s", f->path, strerror(errno));
		f->len += n;
	} while (n);
	return 0;
}

struct xlv_json_file *xlv_json_open(const char *path, struct xlv_error *err)
{
	struct xlv_json_file *f = calloc(1, sizeof(*f));
	struct stat st;
	void *map;
	int fd;

	if (!f || !(f->path = strdup(path))) {
		xlv_fail(err, "out of memory");
		free(f);
		return NULL;
	}
	fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (fd < 0 || fstat(fd, &st)) {
		xlv_fail(err, "unable to open '%s': %s", path, strerror(errno));
		goto fail;
	}
	map = S_ISREG(st.st_mode) && st.st_size ?
	      mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (map != MAP_FAILED) {
		f->text = map;
		f->len = st.st_size;
		f->mapped = true;
	} else if (slurp(f, fd, err)) {
		goto fail;
	}
	if (fd != STDIN_FILENO)
		close(fd);
	f->at = f->text;
	return f;
fail:
	if (fd > STDIN_FILENO)
		close(fd);
	xlv_json_close(f);
	return NULL;
}

void xlv_json_close(struct xlv_json_file *f)
{
	if (!f)
		return;
	if (f->mapped)
		munmap(f->text, f->len);
	else
		free(f->text);
	free(f->path);
	free(f);
}

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* Past the string that starts at @p, or NULL. */
static const char *skip_string(const char *p, const char *end)
{
	const char *quote, *back;

	for (p++; p < end; p = quote + 1) {
		quote = memchr(p, '"', end - p);
		if (!quote)
			return NULL;
		for (back = quote; back > p && back[-1] == '\\'; back--)
			;
		if ((quote - back) % 2 == 0)
			return quote + 1;
	}
	return NULL;
}

/* Past the value that starts at @p, or NULL. What is inside is not checked. */
static const char *skip_value(const char *p, const char *end)
{
	int depth = 0;

	while (p && p < end) {
		switch (*p) {
		case '"':
			p = skip_string(p, end);
			break;
		case '{':
		case '[':
			depth++;
			p++;
			break;
		case '}':
		case ']':
			depth--;
			p++;
			break;
		default:
			if (depth) {
				p++;
				continue;
			}
			while (p < end && !strchr(",}] \n\t\r", *p))
				p++;
		}
		if (!depth)
			return p;
	}
	return NULL;
}

static bool starts(const char *p, const char *end, const char *with)
{
	size_t len = strlen(with);

	return (size_t)(end - p) >= len && !memcmp(p, with, len);
}

/*
 * The end of a report as this tool writes them, whose last member is the list of
 * syncs: of the line, or the line that starts with the closing brace. NULL for a
 * report in another form. Strings hold no line breaks in JSON.
 */
static const char *own_end(const char *begin, const char *p, const char *end)
{
	const char *line;

	if (starts(begin, end, "{\"schema\":\"" SCHEMA "\"")) {
		line = memchr(p, '\n', end - p);
		line = line ? line : end;
		return line[-1] == '}' ? line : NULL;
	}
	if (!starts(begin, end, "{\n \"schema\":\"" SCHEMA "\"") &&
	    !starts(begin, end, "{\n \"schema\": \"" SCHEMA "\""))
		return NULL;
	while ((line = memchr(p, '\n', end - p))) {
		p = line + 1;
		if (p < end && *p == '}')
			return p + 1;
	}
	return NULL;
}

static bool is_key(const struct member *m, const char *key)
{
	return (size_t)(m->key_end - m->key) == strlen(key) &&
	       !memcmp(m->key, key, m->key_end - m->key);
}

/* The next member of the object; NULL where the text isn't JSON. */
static const char *take_member(struct xlv_json_doc *doc, const char *begin, const char *p,
			       const char *end)
{
	struct member m;

	if (*p != '"')
		return NULL;
	m.key = p + 1;
	p = skip_string(p, end);
	if (!p)
		return NULL;
	m.key_end = p - 1;
	p = skip_space(p, end);
	if (p == end || *p != ':')
		return NULL;
	m.from = skip_space(p + 1, end);
	if (is_key(&m, "syncs")) {
		doc->syncs = m.from;
		doc->end = own_end(begin, m.from, end);
		if (doc->end)
			return doc->end - 1;	/* at the closing brace */
	}
	m.to = p = skip_value(m.from, end);
	if (doc->syncs == m.from)
		doc->end = p;
	if (p && doc->nr_members < MAX_MEMBERS)
		doc->member[doc->nr_members++] = m;
	return p;
}

static const char *index_members(struct xlv_json_doc *doc, const char *begin, const char *end)
{
	const char *p = skip_space(begin + 1, end);

	while (p && p < end && *p != '}') {
		p = take_member(doc, begin, p, end);
		if (!p)
			return NULL;
		p = skip_space(p, end);
		if (p < end && *p == ',')
			p = skip_space(p + 1, end);
		else if (p < end && *p != '}')
			return NULL;
	}
	return p && p < end ? p + 1 : NULL;
}

static const struct member *find(const struct xlv_json_doc *doc, const char *key)
{
	for (int i = 0; i < doc->nr_members; i++)
		if (is_key(&doc->member[i], key))
			return &doc->member[i];
	return NULL;
}

static bool has_our_schema(const struct xlv_json_doc *doc)
{
	const struct member *m = find(doc, "schema");
	struct xlv_jarena arena = { 0 };
	const struct xlv_jval *v;
	const char *why;
	bool ours;

	v = m ? xlv_jparse(&arena, m->from, m->to, &why) : NULL;
	ours = v && v->type == XLV_J_STRING && !strcmp(v->string, SCHEMA);
	xlv_jarena_free(&arena);
	return ours;
}

int xlv_json_next(struct xlv_json_file *f, struct xlv_json_doc **out, struct xlv_error *err)
{
	const char *end = f->text + f->len, *p = skip_space(f->at, end);
	struct xlv_json_doc *doc;

	if (p == end) {
		if (!f->docs)
			return xlv_fail(err, "'%s' is empty: expected a report by 'xlogviz report "
					"--json'", f->path);
		return 0;
	}
	doc = calloc(1, sizeof(*doc));
	if (!doc)
		return xlv_fail(err, "out of memory");
	f->docs++;
	if (f->docs == 1 ? !(doc->path = strdup(f->path)) :
	    asprintf(&doc->path, "%s:%d", f->path, f->docs) < 0) {
		doc->path = NULL;
		xlv_json_free(doc);
		return xlv_fail(err, "out of memory");
	}
	f->at = *p == '{' ? index_members(doc, p, end) : NULL;
	if (!f->at)
		xlv_fail(err, "'%s' is cut short or not JSON, in the report that starts at byte "
			 "%td", doc->path, p - f->text);
	else if (!has_our_schema(doc))
		xlv_fail(err, "'%s' is JSON, but not a report (\"schema\":\"%s\"): write one with "
			 "'xlogviz report --json OUT FILE'", doc->path, SCHEMA);
	else {
		*out = doc;
		return 1;
	}
	xlv_json_free(doc);
	return -1;
}

void xlv_json_free(struct xlv_json_doc *doc)
{
	if (doc)
		free(doc->path);
	free(doc);
}

const char *xlv_json_path(const struct xlv_json_doc *doc)
{
	return doc->path;
}

bool xlv_json_has_syncs(const struct xlv_json_doc *doc)
{
	return doc->syncs != NULL;
}

/* --- values --- */

/* What is being read, and the first thing that was wrong with it. */
struct reader {
	const struct xlv_json_doc	*doc;
	struct xlv_error		*err;
	struct xlv_jarena		arena;
	char				where[48];	/* "sync 12", "intervals" */
	bool				failed;
};

static void fault(struct reader *r, const char *what, const char *key)
{
	if (!r->failed)
		xlv_fail(r->err, "'%s' can't be read as a report: in %s, '%s' %s", r->doc->path,
			 r->where, key, what);
	r->failed = true;
}

static int64_t get_ns(struct reader *r, const struct xlv_jval *o, const char *key)
{
	const struct xlv_jval *v = xlv_jget(o, key);

	if (!v)
		return XLV_NONE;
	if (v->type != XLV_J_INT) {
		fault(r, "is not a whole number", key);
		return XLV_NONE;
	}
	return v->integer;
}

/* A count: 0 where it is null or absent. */
static int64_t get_int(struct reader *r, const struct xlv_jval *o, const char *key)
{
	int64_t v = get_ns(r, o, key);

	return v == XLV_NONE ? 0 : v;
}

static int32_t get_int32(struct reader *r, const struct xlv_jval *o, const char *key, int32_t none)
{
	int64_t v = get_ns(r, o, key);

	if (v == XLV_NONE)
		return none;
	if (v < INT32_MIN || v > INT32_MAX) {
		fault(r, "is out of range", key);
		return none;
	}
	return (int32_t)v;
}

static int64_t get_count(struct reader *r, const struct xlv_jval *o, const char *key)
{
	int64_t v = get_int(r, o, key);

	if (v < 0)
		fault(r, "is negative", key);
	return v < 0 ? 0 : v;
}

static double get_double(const struct xlv_jval *o, const char *key)
{
	const struct xlv_jval *v = xlv_jget(o, key);

	return !v ? NAN : v->type == XLV_J_INT ? (double)v->integer :
	       v->type == XLV_J_DOUBLE ? v->number : NAN;
}

static bool get_bool(const struct xlv_jval *o, const char *key)
{
	const struct xlv_jval *v = xlv_jget(o, key);

	return v && v->type == XLV_J_BOOL && v->boolean;
}

static const char *get_str(const struct xlv_jval *o, const char *key)
{
	const struct xlv_jval *v = xlv_jget(o, key);

	return v && v->type == XLV_J_STRING ? v->string : NULL;
}

static char *dup_str(struct reader *r, const char *s)
{
	char *copy = s ? strdup(s) : NULL;

	if (s && !copy) {
		xlv_fail(r->err, "out of memory");
		r->failed = true;
	}
	return copy;
}

/* The number of a name as @name gives it. */
static unsigned int get_enum(struct reader *r, const struct xlv_jval *o, const char *key,
			     const char *(*name)(unsigned int), unsigned int count,
			     unsigned int none)
{
	const char *s = get_str(o, key);

	if (!s)
		return none;
	for (unsigned int i = 0; i < count; i++)
		if (!strcmp(name(i), s))
			return i;
	fault(r, "has a value that this version doesn't know", key);
	return none;
}

static size_t list_length(struct reader *r, const struct xlv_jval *list, const char *key)
{
	if (!list)
		return 0;
	if (list->type != XLV_J_ARRAY) {
		fault(r, "is not a list", key);
		return 0;
	}
	return list->n;
}

/* The first item of a list; the others follow. */
static const struct xlv_jval *items(struct reader *r, const struct xlv_jval *list, const char *key)
{
	return list_length(r, list, key) ? list->first : NULL;
}

static const struct xlv_jval *parse(struct reader *r, const char *from, const char *to)
{
	const struct xlv_jval *o;
	const char *why;

	xlv_jarena_reset(&r->arena);
	o = xlv_jparse(&r->arena, from, to, &why);
	if (!o && !r->failed) {
		xlv_fail(r->err, "'%s' is not JSON in %s, %s", r->doc->path, r->where, why);
		r->failed = true;
	}
	return o;
}

/* --- all but the syncs --- */

static bool is_bucket(const struct xlv_jval *b)
{
	return b->type == XLV_J_ARRAY && b->n == 2 && b->first->type == XLV_J_INT &&
	       b->first->next->type == XLV_J_INT;
}

static struct xlv_hist *read_hist(struct reader *r, const struct xlv_jval *o,
				  const struct xlv_dist *d)
{
	const struct xlv_jval *b = items(r, xlv_jget(o, "buckets"), "buckets");
	const char *scheme = get_str(o, "scheme");
	struct xlv_hist *h;

	if (!o || !d->n)
		return NULL;
	if (!scheme || strcmp(scheme, XLV_HIST_SCHEME)) {
		fault(r, "is not " XLV_HIST_SCHEME, "scheme");
		return NULL;
	}
	h = xlv_hist_new();
	for (; h && b; b = b->next)
		if (!is_bucket(b) || b->first->integer != (int32_t)b->first->integer ||
		    xlv_hist_append(h, (int32_t)b->first->integer, b->first->next->integer)) {
			fault(r, "has a bucket that can't be", "hist");
			break;
		}
	if (!h)
		return NULL;
	h->min = d->min;
	h->max = d->max;
	h->sum = d->sum;
	if (!r->failed && (h->n != d->n || !xlv_hist_valid(h)))
		fault(r, "doesn't agree with n, min and max", "hist");
	return h;
}

static void read_dist(struct reader *r, const struct xlv_jval *o, struct xlv_dist *d)
{
	d->n = get_count(r, o, "n");
	if (!d->n)
		return;
	d->min = get_int(r, o, "min");
	d->p50 = get_int(r, o, "p50");
	d->p90 = get_int(r, o, "p90");
	d->p95 = get_int(r, o, "p95");
	d->p99 = get_int(r, o, "p99");
	d->max = get_int(r, o, "max");
	d->sum = get_int(r, o, "sum");
	d->mean = (double)d->sum / d->n;
	d->hist = read_hist(r, xlv_jget(o, "hist"), d);
}

static void read_intervals(struct reader *r, const struct xlv_jval *o, struct xlv_dist *d)
{
	for (int i = 0; i < XLV_I_COUNT; i++)
		read_dist(r, xlv_jget(o, xlv_interval_name(i)), &d[i]);
}

static char *dup_json(struct reader *r, const struct xlv_jval *o)
{
	char *text;

	if (!o || (o->type != XLV_J_OBJECT && o->type != XLV_J_ARRAY))
		return NULL;
	text = strndup(o->text.from, (size_t)(o->text.to - o->text.from));
	if (!text) {
		xlv_fail(r->err, "out of memory");
		r->failed = true;
	}
	return text;
}

static char *dup_known(struct reader *r, const char *s)
{
	return dup_str(r, s ? s : "");
}

static void read_trace(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	struct xlv_source *s = &rep->source;
	const char *unit = get_str(o, "time_unit");

	s->file = dup_known(r, get_str(o, "file"));
	s->format = dup_known(r, get_str(o, "format"));
	s->version = get_int32(r, o, "version", 0);
	s->clock = dup_known(r, get_str(o, "clock"));
	s->clock_ticks = unit && strcmp(unit, "ns");
	s->kernel = dup_known(r, get_str(o, "kernel"));
	s->machine = dup_known(r, get_str(o, "machine"));
	s->cpus = get_int32(r, o, "cpus", 0);
	s->events = get_count(r, o, "events");
	s->lost_events = get_count(r, o, "lost_events");
	s->lost_uncounted = get_count(r, o, "lost_uncounted");
	s->damaged = get_bool(o, "damaged");
	s->start_ns = get_ns(r, o, "start_ns");
	s->end_ns = get_ns(r, o, "end_ns");
	s->boundaries = get_enum(r, o, "boundaries", xlv_boundaries_name, XLV_BOUNDS_AUTO,
				 XLV_BOUNDS_NONE);
	s->buffer = dup_known(r, get_str(o, "buffer"));
	s->topology = dup_json(r, xlv_jget(o, "topology"));
	s->fake_completion = get_bool(o, "fake_completion");
	s->command = dup_str(r, get_str(o, "command"));
	s->metadata = dup_json(r, xlv_jget(o, "metadata"));
}

static uint32_t get_dev(struct reader *r, const struct xlv_jval *o, const char *key)
{
	const char *s = get_str(o, key);
	unsigned int major, minor;

	if (!s)
		return 0;
	if (sscanf(s, "%4u:%7u", &major, &minor) != 2 || major > 0xfff || minor > 0xfffff) {
		fault(r, "is not MAJOR:MINOR", key);
		return 0;
	}
	return major << 20 | minor;
}

static void read_filter(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	rep->filter.pid = get_int32(r, o, "pid", 0);
	rep->filter_comm = dup_str(r, get_str(o, "comm"));
	rep->filter.comm = rep->filter_comm;
	rep->filter.dev = get_dev(r, o, "dev");
	rep->filter.from_ns = get_ns(r, o, "from_ns");
	rep->filter.to_ns = get_ns(r, o, "to_ns");
}

static void read_counts(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	const struct xlv_jval *reasons = xlv_jget(o, "reasons");

	rep->syncs = get_count(r, o, "syncs");
	rep->complete = get_count(r, o, "complete");
	rep->partial = get_count(r, o, "partial");
	for (int i = 0; i < XLV_REASON_COUNT; i++)
		rep->by_reason[i] = get_count(r, reasons, xlv_reason_name(i));
	rep->tasks = get_count(r, o, "tasks");
	rep->cil_pushes = get_count(r, o, "cil_pushes");
	rep->iclog_writes = get_count(r, o, "iclog_writes");
	rep->fake_ios = get_count(r, o, "fake_ios");
	rep->syncs_per_iclog = get_double(o, "syncs_per_iclog");
	rep->time_ns = get_ns(r, o, "time_ns");
	rep->syncs_per_s = get_double(o, "syncs_per_s");
}

static void read_all_intervals(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	read_intervals(r, o, rep->interval);
}

static void read_slack(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	read_dist(r, xlv_jget(o, "T1"), &rep->slack[0]);
	read_dist(r, xlv_jget(o, "T2"), &rep->slack[1]);
}

static void read_kinds(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	for (int k = 0; k < XLV_KIND_COUNT; k++) {
		const struct xlv_jval *kind = xlv_jget(o, xlv_kind_name(k));

		rep->by_kind[k] = get_count(r, kind, "count");
		read_intervals(r, xlv_jget(kind, "intervals"), rep->interval_kind[k]);
	}
}

static void read_waits(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	for (const struct xlv_jval *row = items(r, o, "waits"); row; row = row->next) {
		unsigned int q = get_enum(r, row, "queue", xlv_queue_name, XLV_QUEUE_COUNT,
					  XLV_QUEUE_OTHER);

		if (rep->wait[q].n) {
			fault(r, "is there twice", xlv_queue_name(q));
			return;
		}
		rep->wait_syncs[q] = get_count(r, row, "syncs");
		read_dist(r, row, &rep->wait[q]);
	}
}

static void *rows(struct reader *r, size_t n, size_t size)
{
	void *mem = calloc(n + 1, size);

	if (!mem) {
		xlv_fail(r->err, "out of memory");
		r->failed = true;
	}
	return mem;
}

static void read_others(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	size_t n = list_length(r, o, "other_waits");

	rep->others = rows(r, n, sizeof(*rep->others));
	for (const struct xlv_jval *row = n ? o->first : NULL; rep->others && row;
	     row = row->next) {
		struct xlv_other_row *to = &rep->others[rep->nr_others++];

		to->what = dup_known(r, get_str(row, "what"));
		to->count = get_count(r, row, "count");
		to->total_ns = get_int(r, row, "total_ns");
	}
}

static void read_stages(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	const struct xlv_jval *from = items(r, o, "stages");

	if (from && o->n > XLV_STAGE_COUNT) {
		fault(r, "has too many rows", "stages");
		return;
	}
	for (; from; from = from->next) {
		struct xlv_stage_row *row = &rep->stages[rep->nr_stages++];

		row->stage = get_enum(r, from, "stage", xlv_stage_name, XLV_STAGE_COUNT,
				      XLV_STAGE_RUNNING);
		row->share = get_double(from, "share");
		row->flush_ns = get_ns(r, from, "flush_ns");
		row->device_ns = get_ns(r, from, "device_ns");
		row->in_order_ns = get_ns(r, from, "in_order_ns");
		read_dist(r, from, &row->dist);
	}
}

static void read_parts(struct reader *r, const struct xlv_jval *o, int64_t parts_ns[XLV_PART_COUNT])
{
	int known = 0;

	for (int p = 0; p < XLV_PART_COUNT; p++) {
		parts_ns[p] = get_int(r, o, xlv_part_name(p));
		known += xlv_jget(o, xlv_part_name(p)) != NULL;
	}
	if (o && o->type == XLV_J_OBJECT && known != (int)o->n)
		fault(r, "has a part that this version doesn't know", "parts_ns");
}

static void read_wakes(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	size_t n = list_length(r, o, "wakes");

	if (n > XLV_STAGE_COUNT * (XLV_PART_COUNT + 1)) {
		fault(r, "has too many rows", "wakes");
		return;
	}
	rep->wakes = rows(r, n, sizeof(*rep->wakes));
	for (const struct xlv_jval *from = n ? o->first : NULL; rep->wakes && from;
	     from = from->next) {
		struct xlv_wake_row *row = &rep->wakes[rep->nr_wakes++];

		row->stage = get_enum(r, from, "stage", xlv_stage_name, XLV_STAGE_COUNT,
				      XLV_STAGE_WAKE);
		row->cause = get_enum(r, from, "cause", xlv_part_name, XLV_PART_COUNT + 1,
				      XLV_PART_UNKNOWN);
		row->count = get_count(r, from, "count");
		row->total_ns = get_int(r, from, "total_ns");
		row->remote = get_count(r, from, "remote");
		row->remote_share = get_double(from, "remote_share");
		read_parts(r, xlv_jget(from, "parts_ns"), row->parts_ns);
	}
}

static void copy_placement(struct reader *r, char to[8], const char *from)
{
	if (!from)
		from = "";
	if (strlen(from) > 6)
		fault(r, "is too long", "placement");
	else
		strcpy(to, from);
}

static void read_placements(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	size_t n = list_length(r, o, "placements");

	rep->placements = rows(r, n, sizeof(*rep->placements));
	for (const struct xlv_jval *from = n ? o->first : NULL; rep->placements && from;
	     from = from->next) {
		struct xlv_placement_row *row = &rep->placements[rep->nr_placements++];

		copy_placement(r, row->placement, get_str(from, "placement"));
		row->count = get_count(r, from, "count");
		row->share = get_double(from, "share");
		row->T1_p50 = get_ns(r, from, "T1_p50");
		row->T4_p50 = get_ns(r, from, "T4_p50");
		row->span_p50 = get_ns(r, from, "span_p50");
		row->span_p95 = get_ns(r, from, "span_p95");
		read_dist(r, xlv_jget(from, "span"), &row->span);
		read_dist(r, xlv_jget(from, "T1"), &row->T1);
		read_dist(r, xlv_jget(from, "T4"), &row->T4);
	}
}

static void read_pipeline(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	struct xlv_pipeline *p = &rep->pipeline;

	p->pushes_mean = get_double(o, "pushes_mean");
	p->pushes_max = get_int32(r, o, "pushes_max", 0);
	p->iclogs_mean = get_double(o, "iclogs_mean");
	p->iclogs_max = get_int32(r, o, "iclogs_max", 0);
	p->out_of_order = get_count(r, o, "out_of_order");
	p->in_order_wait_ns = get_int(r, o, "in_order_wait_ns");
	p->syncs_per_push = get_double(o, "syncs_per_push");
	p->syncs_per_iclog = get_double(o, "syncs_per_iclog");
	p->flush_per_sync = get_double(o, "flush_per_sync");
	p->fua_per_sync = get_double(o, "fua_per_sync");
	p->submitted_by_task = get_count(r, o, "submitted_by_task");
	p->submitted_by_worker = get_count(r, o, "submitted_by_worker");
}

static void read_warnings(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep)
{
	for (const struct xlv_jval *v = items(r, o, "warnings"); v; v = v->next) {
		if (v->type == XLV_J_STRING && xlv_report_warn(rep, "%s", v->string)) {
			xlv_fail(r->err, "out of memory");
			r->failed = true;
		}
	}
}

static const struct part {
	const char	*key;
	bool		needed;
	void		(*read)(struct reader *r, const struct xlv_jval *o, struct xlv_report *rep);
} parts[] = {
	{ "trace",		true,	read_trace },
	{ "filter",		false,	read_filter },
	{ "counts",		true,	read_counts },
	{ "intervals",		true,	read_all_intervals },
	{ "slack",		false,	read_slack },
	{ "kinds",		false,	read_kinds },
	{ "waits",		false,	read_waits },
	{ "other_waits",	false,	read_others },
	{ "stages",		true,	read_stages },
	{ "wakes",		true,	read_wakes },
	{ "placements",		true,	read_placements },
	{ "pipeline",		false,	read_pipeline },
	{ "warnings",		false,	read_warnings },
};

static void read_part(struct reader *r, const struct part *part, struct xlv_report *rep)
{
	const struct member *m = find(r->doc, part->key);
	const struct xlv_jval *o;

	snprintf(r->where, sizeof(r->where), "\"%s\"", part->key);
	if (!m) {
		if (part->needed) {
			xlv_fail(r->err, "'%s' can't be read as a report: it has no \"%s\"",
				 r->doc->path, part->key);
			r->failed = true;
		}
		return;
	}
	o = parse(r, m->from, m->to);
	if (o)
		part->read(r, o, rep);
}

struct xlv_report *xlv_json_report_of(const struct xlv_json_doc *doc, struct xlv_error *err)
{
	struct xlv_report *rep = calloc(1, sizeof(*rep));
	struct reader r = { .doc = doc, .err = err };
	const struct member *exact = find(doc, "exact");

	if (!rep) {
		xlv_fail(err, "out of memory");
		r.failed = true;
	}
	if (rep) {
		rep->filter = XLV_FILTER_ALL;
		rep->time_ns = XLV_NONE;
		rep->exact = !exact || *exact->from == 't';
		rep->syncs_per_s = rep->syncs_per_iclog = NAN;
	}
	for (size_t i = 0; !r.failed && i < sizeof(parts) / sizeof(parts[0]); i++)
		read_part(&r, &parts[i], rep);
	xlv_jarena_free(&r.arena);
	if (!r.failed)
		return rep;
	xlv_report_free(rep);
	return NULL;
}

/* --- the syncs --- */

struct scratch {
	struct xlv_wait		*waits;
	struct xlv_segment	*segments;
	struct xlv_path_wake	*wakes;
	size_t			room[3];
};

static bool reserve(struct reader *r, void *array, size_t *room, size_t n, size_t size)
{
	void **at = array, *grown;

	if (n <= *room)
		return true;
	grown = reallocarray(*at, n * 2, size);
	if (!grown) {
		xlv_fail(r->err, "out of memory");
		r->failed = true;
		return false;
	}
	*at = grown;
	*room = n * 2;
	return true;
}

static void read_wake(struct reader *r, const struct xlv_jval *o, struct xlv_wake *w)
{
	w->waking_ns = get_ns(r, o, "waking_ns");
	w->running_ns = get_ns(r, o, "running_ns");
	w->wakeup_ns = XLV_NONE;
	w->waker_pid = get_int32(r, o, "waker_pid", 0);
	w->waker_comm = get_str(o, "waker_comm");
	w->waker_context = get_enum(r, o, "waker_context", xlv_context_name, XLV_FROM_UNKNOWN + 1,
				    XLV_FROM_UNKNOWN);
	w->waker_role = get_enum(r, o, "waker_role", xlv_role_name, XLV_ROLE_COUNT,
				 XLV_ROLE_OTHER);
	w->waker_cpu = get_int32(r, o, "waker_cpu", -1);
	w->prev_cpu = get_int32(r, o, "from_cpu", -1);
	w->to_cpu = get_int32(r, o, "to_cpu", -1);
	w->distance = get_enum(r, o, "distance", xlv_distance_name, XLV_DIST_COUNT,
			       XLV_DIST_UNKNOWN);
	w->other_pid = get_int32(r, o, "other_pid", 0);
	w->other_comm = get_str(o, "other_comm");
	w->other_ns = get_int(r, o, "other_ns");
	w->cstate = get_int32(r, o, "cstate", -1);
	w->cause = get_enum(r, o, "cause", xlv_part_name, XLV_PART_COUNT + 1, XLV_PART_UNKNOWN);
	w->remote = w->waker_cpu >= 0 && w->to_cpu >= 0 && w->waker_cpu != w->to_cpu;
	w->migrated = w->prev_cpu >= 0 && w->to_cpu >= 0 && w->prev_cpu != w->to_cpu;
	w->waker_on_prev = w->prev_cpu >= 0 && w->waker_cpu == w->prev_cpu;
	read_parts(r, xlv_jget(o, "parts_ns"), w->parts_ns);
}

static void read_sync_waits(struct reader *r, const struct xlv_jval *list, struct scratch *s,
			    struct xlv_detail *d)
{
	size_t n = list_length(r, list, "waits"), i = 0;

	if (!reserve(r, &s->waits, &s->room[0], n, sizeof(*s->waits)))
		return;
	d->waits = s->waits;
	d->nr_waits = (int32_t)n;
	for (const struct xlv_jval *o = n ? list->first : NULL; o; o = o->next) {
		struct xlv_wait *w = &s->waits[i++];

		memset(w, 0, sizeof(*w));
		w->queue = get_enum(r, o, "queue", xlv_queue_name, XLV_QUEUE_COUNT,
				    XLV_QUEUE_OTHER);
		w->start_ns = get_int(r, o, "start_ns");
		w->what = get_str(o, "what");
		w->push = w->iclog = -1;
		read_wake(r, o, &w->wake);
	}
}

static void read_sync_stages(struct reader *r, const struct xlv_jval *list, struct scratch *s,
			     struct xlv_detail *d)
{
	size_t n = list_length(r, list, "stages"), i = 0;

	if (!reserve(r, &s->segments, &s->room[1], n, sizeof(*s->segments)))
		return;
	d->segments = s->segments;
	d->nr_segments = (int32_t)n;
	for (const struct xlv_jval *o = n ? list->first : NULL; o; o = o->next) {
		struct xlv_segment *g = &s->segments[i++];

		memset(g, 0, sizeof(*g));
		g->stage = get_enum(r, o, "stage", xlv_stage_name, XLV_STAGE_COUNT,
				    XLV_STAGE_RUNNING);
		g->start_ns = get_int(r, o, "start_ns");
		g->ns = get_int(r, o, "ns");
		g->cpu = get_int32(r, o, "cpu", -1);
		g->pid = get_int32(r, o, "pid", 0);
		g->comm = get_str(o, "comm");
		g->what = get_str(o, "what");
		g->wake = get_int32(r, o, "wake", -1);
	}
}

static void read_sync_wakes(struct reader *r, const struct xlv_jval *list, struct scratch *s,
			    struct xlv_detail *d)
{
	size_t n = list_length(r, list, "wakes"), i = 0;

	if (!reserve(r, &s->wakes, &s->room[2], n, sizeof(*s->wakes)))
		return;
	d->wakes = s->wakes;
	d->nr_wakes = (int32_t)n;
	for (const struct xlv_jval *o = n ? list->first : NULL; o; o = o->next) {
		struct xlv_path_wake *p = &s->wakes[i++];

		memset(p, 0, sizeof(*p));
		p->stage = get_enum(r, o, "stage", xlv_stage_name, XLV_STAGE_COUNT,
				    XLV_STAGE_WAKE);
		p->ns = get_int(r, o, "ns");
		read_wake(r, o, &p->wake);
		p->cause = p->wake.cause;
		memcpy(p->parts_ns, p->wake.parts_ns, sizeof(p->parts_ns));
		/* times of wakes on the path are not written, but whether there was one */
		p->wake.waking_ns = xlv_jget(o, "waker_pid") ? 0 : XLV_NONE;
		p->wake.migrated = get_bool(o, "migrated");
		p->wake.waker_on_prev = get_bool(o, "waker_on_prev");
		p->wake.remote = get_bool(o, "remote");
	}
}

static void read_sync(struct reader *r, const struct xlv_jval *o, struct xlv_sync *s)
{
	const struct xlv_jval *reason, *cpu;

	memset(s, 0, sizeof(*s));
	s->id = get_int32(r, o, "id", 0);
	snprintf(r->where, sizeof(r->where), "sync %d", s->id);
	s->kind = get_enum(r, o, "kind", xlv_kind_name, XLV_KIND_COUNT, XLV_KIND_LOG_FORCE);
	s->pid = get_int32(r, o, "pid", 0);
	s->comm = get_str(o, "comm");
	s->syscall = get_enum(r, o, "syscall", xlv_syscall_name, XLV_SYS_COUNT, XLV_SYS_NONE);
	s->dev = get_dev(r, o, "dev");
	s->ino = (uint64_t)get_int(r, o, "ino");
	s->start_ns = get_int(r, o, "start_ns");
	s->span_ns = get_ns(r, o, "span_ns");
	s->T1_ns = get_ns(r, o, "T1_ns");
	s->T2_ns = get_ns(r, o, "T2_ns");
	s->T3_ns = get_ns(r, o, "T3_ns");
	s->T4_ns = get_ns(r, o, "T4_ns");
	s->T1_slack_ns = get_ns(r, o, "T1_slack_ns");
	s->T2_slack_ns = get_ns(r, o, "T2_slack_ns");
	/* when the force began isn't written; that there was none is known by the kind */
	s->fsync_ns = s->force_ns = XLV_NONE;
	for (reason = items(r, xlv_jget(o, "reasons"), "reasons"); reason; reason = reason->next)
		for (int bit = 0; reason->type == XLV_J_STRING && bit < XLV_REASON_COUNT; bit++)
			if (!strncmp(reason->string, xlv_reason_name(bit),
				     strlen(xlv_reason_name(bit))))
				s->reasons |= 1u << bit;
	copy_placement(r, s->placement, get_str(o, "placement"));
	cpu = items(r, xlv_jget(o, "cpus"), "cpus");
	for (int i = 0; i < 6; i++, cpu = cpu ? cpu->next : NULL)
		s->place_cpu[i] = cpu && cpu->type == XLV_J_INT ? (int32_t)cpu->integer : -1;
	s->iclog_lsn = (uint64_t)get_int(r, o, "iclog_lsn");
	s->push = s->iclog = -1;
	s->group_size = get_int32(r, o, "group_size", 0);
	s->group_pos = get_int32(r, o, "group_pos", 0);
	s->wake_order_ns = get_ns(r, o, "wake_order_ns");
	s->flushes = get_int32(r, o, "flushes", 0);
	s->submitter = get_bool(o, "submitter");
}

/* Which sleeps came before the log force: those that data writeback's stage covers. */
static int64_t force_start(const struct xlv_sync *s, const struct xlv_detail *d)
{
	int64_t at = XLV_NONE;

	for (int i = 0; i < d->nr_segments; i++) {
		const struct xlv_segment *g = &d->segments[i];

		if (g->stage == XLV_STAGE_WRITE || g->stage == XLV_STAGE_DATA_WRITEBACK)
			at = g->start_ns + g->ns;
	}
	return s->kind == XLV_KIND_FLUSH_ONLY ? XLV_NONE : at == XLV_NONE ? s->start_ns : at;
}

static int one_sync(struct reader *r, const struct xlv_jval *o, struct scratch *scratch,
		    int (*fn)(const struct xlv_case *c, void *arg), void *arg)
{
	struct xlv_detail d = { 0 };
	struct xlv_sync s;
	struct xlv_case c = { .sync = &s, .detail = &d };
	const struct xlv_jval *io = xlv_jget(o, "log_io");

	read_sync(r, o, &s);
	read_sync_waits(r, xlv_jget(o, "waits"), scratch, &d);
	read_sync_stages(r, xlv_jget(o, "stages"), scratch, &d);
	read_sync_wakes(r, xlv_jget(o, "wakes"), scratch, &d);
	if (r->failed)
		return -1;
	s.force_ns = force_start(&s, &d);
	s.io_flush_ns = get_ns(r, io, "flush_ns");
	s.io_device_ns = get_ns(r, io, "device_ns");
	s.in_order_ns = get_ns(r, io, "in_order_ns");
	c.done_in_push = get_bool(io, "done_in_push");
	return r->failed ? -1 : fn(&c, arg);
}

int xlv_json_syncs(const struct xlv_json_doc *doc,
		   int (*fn)(const struct xlv_case *c, void *arg), void *arg,
		   struct xlv_error *err)
{
	struct reader r = { .doc = doc, .err = err };
	const char *end = doc->end, *p = doc->syncs, *to;
	struct scratch scratch = { 0 };
	const struct xlv_jval *o;
	int ret = 0;

	strcpy(r.where, "\"syncs\"");
	if (!p || *p != '[') {
		ret = xlv_fail(err, "'%s' holds no list of syncs", doc->path);
		goto done;
	}
	p = skip_space(p + 1, end);
	while (!ret && p < end && *p != ']') {
		to = skip_value(p, end);
		o = to ? parse(&r, p, to) : NULL;
		if (!o) {
			if (!r.failed)
				xlv_fail(err, "'%s' is cut short in its list of syncs", doc->path);
			ret = -1;
			break;
		}
		ret = one_sync(&r, o, &scratch, fn, arg);
		p = skip_space(to, end);
		if (p < end && *p == ',')
			p = skip_space(p + 1, end);
	}
	if (!ret && p >= end)
		ret = xlv_fail(err, "'%s' is cut short in its list of syncs", doc->path);
done:
	free(scratch.waits);
	free(scratch.segments);
	free(scratch.wakes);
	xlv_jarena_free(&r.arena);
	return ret;
}
