// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events out of a trace.dat: walks the sub-buffers of every CPU and merges them.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/backend.h"
#include "trace/bytes.h"
#include "trace/container.h"
#include "trace/metadata.h"
#include "trace/source.h"

/* All windows together; one CPU's share is a multiple of its sub-buffers. */
#define WINDOWS_BYTES	(8u << 20)
#define WINDOW_MAX	(64u << 10)	/* stays in the cache while it is walked */

/* A step of time between sub-buffers that asks for a second look. */
#define LEAP_NS		1000000000ull

/*
 * No clock of the kernel is past this (CLOCK_TAI will be in 2043), and differences
 * of such times can be added up without care.
 */
#define TIME_MAX_NS	(1ll << 61)

/* One place to come back to for each so many bytes. */
#define INDEX_BYTES	(1u << 20)

/* What is called now and then, kept out of the loop over all events. */
#define SELDOM	__attribute__((noinline))

/* Types of ring buffer entries beyond the data lengths 0 to 28. */
enum { ENTRY_PADDING = 29, ENTRY_TIME_EXTEND = 30, ENTRY_TIME_STAMP = 31 };

#define DELTA_BITS	27
#define STAMP_BITS	59
#define MISSED_EVENTS	(1u << 31)
#define MISSED_STORED	(1u << 30)
#define COMMIT_MASK	((1u << 27) - 1)

struct index_entry {
	struct xlv_source_mark	mark;
	uint64_t		ts;		/* nothing before the mark is later */
};

struct stream {
	const uint8_t		*p, *end;	/* what is left of the sub-buffer */
	uint64_t		ts;		/* raw, of .rec */
	const uint8_t		*rec;
	uint32_t		len;
	int			cpu;
	bool			have_lost;
	int64_t			lost;
	uint64_t		page_ts;
	uint64_t		last_ts;	/* the latest so far */
	int64_t			nr;		/* delivered so far */
	int64_t			start_ns;	/* of the first of them */
	struct xlv_source	src;
	struct xlv_cpu_info	*info;
	const struct xlv_buffer	*buffer;
	const uint8_t		*leave;		/* ids to leave out; NULL: none */

	struct xlv_source_mark	next_mark;
	struct index_entry	*index;
	int			nr_index, cap_index;
};

struct node {
	uint64_t	ts;
	struct stream	*s;
};

/* All that is needed to deliver events of one id, in one place. */
struct kind {
	const struct xlv_decoder *dec;		/* NULL: not wanted or not ours */
	void			(*decode)(struct xlv_kernel *k, const struct xlv_decoder *d,
					  const uint8_t *rec, uint32_t len, struct xlv_event *ev);
	int64_t			count;
	uint32_t		min_bytes;
	uint8_t			type;		/* enum xlv_event_type, wanted or not */
	uint8_t			probe;
};

struct comm {
	int		pid;
	uint32_t	name;		/* offset in the container's .cmdlines */
};

struct dat {
	struct xlv_container	*c;
	struct xlv_buffer	*buffer;	/* the one that was chosen */
	uint8_t			**leave;	/* of each buffer that joins it: see join() */
	struct stream		*stream;
	int			nr_streams;
	struct node		*heap;
	int			nr_heap;
	bool			started, stale;	/* stale: the top was delivered */

	bool			swap, big;
	struct xlv_common	common;
	struct kind		*kind;		/* by id */
	unsigned int		nr_kinds;	/* no decoder has an id from here on */
	uint8_t			ctx[256];
	uint64_t		total_bytes;
	int			damage_at_open;

	struct comm		*comm;
	int			nr_comm;
	struct xlv_buffer_info	*buffers;
	struct xlv_cpu_info	*cpu_info;
	int			nr_cpu_info;
};

/* Events that are gone with a damaged part are lost like any others. */
static void lose(struct stream *s)
{
	s->have_lost = true;
	s->lost = -1;
}

static SELDOM void note_page(struct xlv_trace *t, struct stream *s, int64_t missing,
			     const char *what)
{
	struct dat *d = t->state;

	lose(s);
	if (!s->src.quiet)
		xlv_damage_add(d->c->damage, XLV_DAMAGE_PAGE, s->cpu,
			       xlv_source_offset(&s->src), missing, "CPU %d: %s", s->cpu, what);
}

/*
 * Go past this sub-buffer; every now and then remember where it lies, if one can
 * start there (in compressed data: where it is the first of a chunk).
 */
static void skip_page(struct stream *s, uint64_t ts)
{
	struct index_entry *e;
	int cap;
	void *p;

	if (!s->src.quiet && s->src.pos == s->next_mark.pos &&
	    (!s->nr_index ||
	     s->src.pos - s->index[s->nr_index - 1].mark.pos >= INDEX_BYTES)) {
		if (s->nr_index == s->cap_index) {
			cap = s->cap_index ? 2 * s->cap_index : 16;
			p = realloc(s->index, cap * sizeof(*s->index));
			if (p) {
				s->index = p;
				s->cap_index = cap;
			}
		}
		if (s->nr_index < s->cap_index) {
			e = &s->index[s->nr_index++];
			e->mark = s->next_mark;
			e->ts = ts;
		}
	}
	xlv_source_skip(&s->src);
	if (s->src.pos > s->next_mark.pos)
		xlv_source_mark(&s->src, &s->next_mark);
}

/* The time of the sub-buffer after the next one. */
static bool time_after(struct dat *d, struct stream *s, uint64_t *ts)
{
	const uint8_t *page;
	size_t len;

	page = xlv_source_peek(&s->src, 1, &len);
	if (!page || len < d->c->layout.data_offset)
		return false;
	*ts = xlv_get64(page, d->swap);
	return *ts != 0;
}

/*
 * A sub-buffer whose time is far off while its neighbours agree with each other
 * would push everything else out of order.
 */
static bool time_is_wrong(struct dat *d, struct stream *s, uint64_t ts)
{
	uint64_t after;

	if (!s->nr)
		return time_after(d, s, &after) && ts > after && ts - after > LEAP_NS;
	if (ts >= s->last_ts ? ts - s->last_ts <= LEAP_NS : s->last_ts - ts <= LEAP_NS)
		return false;
	if (!time_after(d, s, &after) || after < s->last_ts)
		return false;
	return ts < s->last_ts || (ts > after && ts - after > LEAP_NS);
}

/* Go to the next sub-buffer with anything in it. */
static SELDOM bool load_page(struct xlv_trace *t, struct stream *s)
{
	const struct dat *d = t->state;
	const struct xlv_page_layout *l = &d->c->layout;
	uint32_t size, high, room = s->src.subbuf_bytes - l->data_offset;
	const uint8_t *page;
	uint64_t ts, commit;
	size_t len;

	for (;; xlv_source_skip(&s->src)) {
		page = xlv_source_peek(&s->src, 0, &len);
		if (s->src.hole)
			lose(s);
		s->src.hole = false;
		if (!page)
			return false;
		if (len <= l->data_offset) {
			if (s->src.d->avail >= s->src.d->size)
				note_page(t, s, len, "a sub-buffer is cut short");
			continue;
		}
		ts = xlv_get64(page, d->swap);
		commit = xlv_get(page + l->commit_offset, l->commit_size, d->swap);
		if (!commit)
			continue;
		size = commit & COMMIT_MASK;
		/* the kernel adds the mark as an int: on 64 bits the sign spreads */
		high = commit & MISSED_EVENTS ? UINT32_MAX : 0;
		if (size > room || (commit >> 32 && commit >> 32 != high) ||
		    (commit & UINT32_MAX & ~(COMMIT_MASK | MISSED_EVENTS | MISSED_STORED))) {
			note_page(t, s, len, "a sub-buffer claims more than it can hold");
			continue;
		}
		if (time_is_wrong((struct dat *)d, s, ts)) {
			note_page(t, s, len, "a sub-buffer's time can't be right");
			continue;
		}
		page = xlv_source_peek(&s->src, 0, &len);
		if (commit & MISSED_EVENTS) {
			s->have_lost = true;
			if (s->lost >= 0 && (commit & MISSED_STORED) &&
			    l->data_offset + size + l->commit_size <= len)
				s->lost += xlv_get(page + l->data_offset + size, l->commit_size,
						   d->swap) & INT32_MAX;
			else
				s->lost = -1;
		}
		if (size > len - l->data_offset) {
			if (s->src.d->avail >= s->src.d->size)
				note_page(t, s, size - (len - l->data_offset),
					  "a sub-buffer is cut short");
			size = len - l->data_offset;
		}
		if (!size)
			continue;
		s->p = page + l->data_offset;
		s->end = s->p + size;
		s->ts = s->page_ts = ts;
		skip_page(s, ts);
		return true;
	}
}

/* 59 bits of an absolute time; the rest is that of the sub-buffer. */
static uint64_t full_stamp(uint64_t page_ts, uint64_t stamp)
{
	uint64_t ts = stamp | (page_ts & ~((1ull << STAMP_BITS) - 1));

	return ts < page_ts && page_ts >> STAMP_BITS ? ts + (1ull << STAMP_BITS) : ts;
}

static bool has_id(const uint8_t *ids, uint16_t id)
{
	return ids[id >> 3] >> (id & 7) & 1;
}

/* The next record of a CPU into .rec, .len and .ts. */
static bool stream_next(struct xlv_trace *t, struct stream *s)
{
	const struct dat *d = t->state;
	const bool swap = d->swap, big = d->big;
	uint32_t h, type, delta, n;
	const uint8_t *p;
	size_t left;

	for (;;) {
		p = s->p;
		left = s->end - p;
		if (left < 4) {
			if (!load_page(t, s))
				return false;
			continue;
		}
		h = xlv_get32(p, swap);
		type = big ? h >> DELTA_BITS : h & 31;
		delta = big ? h & ((1u << DELTA_BITS) - 1) : h >> 5;
		if (type - 1 < 28) {
			n = type * 4;
			if (n > left - 4)
				goto bad;
			s->rec = p + 4;
			s->len = n;
			s->p = p + 4 + n;
			s->ts += delta;
			goto record;
		}
		if (type == ENTRY_PADDING && !delta) {
			s->p = s->end;
			continue;
		}
		if (left < 8)
			goto bad;
		n = xlv_get32(p + 4, swap);
		switch (type) {
		case 0:
			if (n < 4 || n > left - 4)
				goto bad;
			s->rec = p + 8;
			s->len = n - 4;
			n = (n + 3) & ~3u;
			s->p = n > left - 4 ? s->end : p + 4 + n;
			s->ts += delta;
			goto record;
		case ENTRY_PADDING:
			if (n > left - 4)
				goto bad;
			s->p = p + 4 + n;
			s->ts += delta;
			break;
		case ENTRY_TIME_EXTEND:
			s->p = p + 8;
			s->ts += ((uint64_t)n << DELTA_BITS) + delta;
			break;
		case ENTRY_TIME_STAMP:
			s->p = p + 8;
			s->ts = full_stamp(s->page_ts, ((uint64_t)n << DELTA_BITS) + delta);
			break;
		}
		continue;
record:
		if (s->len < d->common.bytes)
			goto bad;
		if (s->leave && has_id(s->leave, xlv_get16(s->rec + d->common.type_offset, swap)))
			continue;
		return true;
bad:
		note_page(t, s, left, "a sub-buffer's records make no sense");
		s->p = s->end;
	}
}

/* --- merging --- */

static inline bool before(const struct node *a, const struct node *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->s < b->s);	/* sorted by CPU */
}

static void sift_down(struct dat *d, int i)
{
	struct node *h = d->heap, n = h[i];
	int child;

	while ((child = 2 * i + 1) < d->nr_heap) {
		if (child + 1 < d->nr_heap && before(&h[child + 1], &h[child]))
			child++;
		if (!before(&h[child], &n))
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = n;
}

static SELDOM void heap_start(struct xlv_trace *t)
{
	struct dat *d = t->state;
	struct stream *s;
	int i;

	d->nr_heap = 0;
	for (s = d->stream; s < d->stream + d->nr_streams; s++)
		if (stream_next(t, s))
			d->heap[d->nr_heap++] = (struct node){ s->ts, s };
		else
			xlv_source_free(&s->src);
	for (i = d->nr_heap / 2 - 1; i >= 0; i--)
		sift_down(d, i);
	d->started = true;
	d->stale = false;
	t->info.nr_damage = t->damage.nr;
}

static void heap_step(struct xlv_trace *t)
{
	struct dat *d = t->state;
	struct stream *s = d->heap[0].s;

	if (stream_next(t, s)) {
		d->heap[0].ts = s->ts;
	} else {
		xlv_source_free(&s->src);
		d->heap[0] = d->heap[--d->nr_heap];
	}
	if (d->nr_heap > 1)
		sift_down(d, 0);
	d->stale = false;
}

static int64_t time_ns(const struct xlv_container *c, uint64_t ts)
{
	if (c->tsc_mult)
		ts = (uint64_t)((unsigned __int128)ts * c->tsc_mult >> c->tsc_shift);
	return (int64_t)(ts + (uint64_t)c->ts_offset_ns);
}

/* Add @nr events to a count of events and the time that they span. */
static void add_up(int64_t *events, int64_t *start_ns, int64_t *end_ns, int64_t nr,
		   int64_t from_ns, int64_t to_ns)
{
	if (!nr)
		return;
	if (!*events || from_ns < *start_ns)
		*start_ns = from_ns;
	if (!*events || to_ns > *end_ns)
		*end_ns = to_ns;
	*events += nr;
}

static SELDOM void pass_done(struct xlv_trace *t)
{
	struct dat *d = t->state;
	struct xlv_trace_info *info = &t->info;
	const char *clock;
	struct stream *s;
	int64_t end_ns;
	unsigned int id;
	int i;

	t->info.nr_damage = t->damage.nr;
	if (t->counted || t->to_ns != INT64_MAX)
		return;
	for (id = 0; id <= d->nr_kinds; id++)
		t->info.count[d->kind[id].type] += d->kind[id].count;
	for (s = d->stream; s < d->stream + d->nr_streams; s++) {
		end_ns = time_ns(d->c, s->last_ts);
		add_up(&info->events, &info->start_ns, &info->end_ns, s->nr, s->start_ns, end_ns);
		add_up(&s->info->events, &s->info->start_ns, &s->info->end_ns, s->nr,
		       s->start_ns, end_ns);
	}
	t->counted = true;
	t->info.metadata = xlv_metadata_json(t->meta);
	/* trace-cmd writes "local" for an instance's buffer, whatever its clock is */
	clock = xlv_metadata_text(t->meta, "clock");
	if (clock && (!*t->info.clock || !strcmp(t->info.clock, "local")))
		t->info.clock = clock;
	for (i = XLV_EV_XFS_FILE_FSYNC; i <= XLV_EV_FAKE_IO; i++)
		if (t->info.count[i])
			break;
	d->buffers[t->info.buffer].has_xfs = i <= XLV_EV_FAKE_IO;
}

static SELDOM void deliver_lost(struct xlv_trace *t, struct stream *s, struct xlv_event *ev)
{
	struct xlv_trace_info *info = &t->info;

	ev->type = XLV_EV_LOST;
	ev->id = 0;
	ev->ctx = 0;
	ev->probe = 0;
	ev->pid = 0;
	ev->lost.count = s->lost;
	s->have_lost = false;
	if (!t->counted) {
		info->count[XLV_EV_LOST]++;
		if (s->lost >= 0) {
			info->lost_events += s->lost;
			s->info->lost_events += s->lost;
		} else {
			info->lost_uncounted++;
			s->info->lost_uncounted++;
		}
	}
	s->lost = 0;
}

static int dat_next(struct xlv_trace *t, struct xlv_event *ev)
{
	struct dat *d = t->state;
	const uint8_t *rec;
	struct kind *k;
	struct stream *s;
	int64_t ts_ns;

	if (!d->stale && !d->started)
		heap_start(t);
	do {
		if (d->stale)
			heap_step(t);
		if (!d->nr_heap) {
			pass_done(t);
			return 0;
		}
		s = d->heap[0].s;
		ts_ns = time_ns(d->c, s->ts);
		d->stale = ts_ns < -TIME_MAX_NS || ts_ns > TIME_MAX_NS;
		if (d->stale) {
			note_page(t, s, s->end - s->p, "a sub-buffer's times can't be right");
			s->p = s->end;
		}
	} while (d->stale);
	if (ts_ns > t->to_ns)
		return 0;
	ev->ts_ns = ts_ns;
	ev->cpu = s->cpu;
	if (s->have_lost) {
		deliver_lost(t, s, ev);
		return 1;
	}

	rec = s->rec;
	ev->id = xlv_get16(rec + d->common.type_offset, d->swap);
	ev->pid = xlv_get32(rec + d->common.pid_offset, d->swap);
	ev->ctx = d->ctx[rec[d->common.flags_offset]];
	k = &d->kind[ev->id < d->nr_kinds ? ev->id : d->nr_kinds];
	if (k->dec && s->len >= k->min_bytes) {
		ev->type = k->type;
		ev->probe = k->probe;
		k->decode(d->c->kernel, k->dec, rec, s->len, ev);
	} else {
		ev->type = XLV_EV_OTHER;
		ev->probe = 0;
	}
	k->count++;
	if (!s->nr++)
		s->start_ns = ts_ns;
	if (s->ts >= s->last_ts)
		s->last_ts = s->ts;
	else if (!t->counted)
		t->info.backward++;
	if (ev->type == XLV_EV_MARK) {
		if (!t->counted)
			xlv_metadata_add(t->meta, ev->mark.text);
		if (!t->want[XLV_EV_MARK])
			ev->type = XLV_EV_OTHER;
	}
	d->stale = true;
	return 1;
}

static void dat_want(struct xlv_trace *t)
{
	struct dat *d = t->state;
	struct kind *k;
	unsigned int id;

	for (id = 0; id < d->nr_kinds; id++) {
		k = &d->kind[id];
		k->dec = xlv_kernel_decoder(d->c->kernel, id);
		if (!t->want[k->type] && k->type != XLV_EV_MARK)
			k->dec = NULL;
		if (!k->dec)
			continue;
		k->decode = k->dec->decode;
		k->min_bytes = k->dec->min_bytes;
		k->probe = k->dec->probe;
	}
}

static size_t window_bytes(const struct xlv_buffer *b)
{
	size_t n = WINDOWS_BYTES / (b->nr_cpus ? b->nr_cpus : 1);

	if (n > WINDOW_MAX)
		n = WINDOW_MAX;
	return n / b->subbuf_bytes * b->subbuf_bytes;
}

static void clear_counts(struct xlv_trace *t)
{
	struct dat *d = t->state;
	struct xlv_trace_info *info = &t->info;
	unsigned int id;
	int i;

	memset(info->count, 0, sizeof(info->count));
	for (id = 0; id <= d->nr_kinds; id++)
		d->kind[id].count = 0;
	info->events = info->lost_events = info->lost_uncounted = info->backward = 0;
	info->start_ns = info->end_ns = -1;
	for (i = 0; i < d->nr_cpu_info; i++)
		d->cpu_info[i] = (struct xlv_cpu_info){ .cpu = d->cpu_info[i].cpu, .start_ns = -1,
							.end_ns = -1 };
}

static int dat_rewind(struct xlv_trace *t, int64_t from_ns, struct xlv_error *err)
{
	struct dat *d = t->state;
	const struct index_entry *e;
	struct stream *s;
	int i;

	(void)err;
	if (!t->counted) {
		clear_counts(t);
		t->damage.nr = d->damage_at_open;
		t->damage.dropped = 0;
	}
	for (s = d->stream; s < d->stream + d->nr_streams; s++) {
		e = NULL;
		if (t->counted && from_ns != INT64_MIN)
			for (i = 0; i < s->nr_index; i++)
				if (time_ns(d->c, s->index[i].ts) <= from_ns)
					e = &s->index[i];
		if (e) {
			xlv_source_seek(&s->src, &e->mark);
		} else {
			xlv_source_free(&s->src);
			xlv_source_init(&s->src, d->c, s->src.d, s->buffer->subbuf_bytes,
					window_bytes(s->buffer));
		}
		/* what is missing has been told */
		s->src.quiet = t->counted;
		s->p = s->end = NULL;
		s->have_lost = false;
		s->lost = s->nr = 0;
		s->last_ts = 0;
		memset(&s->next_mark, 0, sizeof(s->next_mark));
		if (!t->counted)
			s->nr_index = 0;
	}
	d->started = d->stale = false;
	return 0;
}

static double dat_progress(const struct xlv_trace *t)
{
	const struct dat *d = t->state;
	uint64_t done = 0;
	int i;

	for (i = 0; i < d->nr_streams; i++)
		done += xlv_source_done(&d->stream[i].src);
	return d->total_bytes ? (double)done / d->total_bytes : 1.0;
}

/* --- names of tasks --- */

static int by_pid(const void *a, const void *b)
{
	const struct comm *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* "PID NAME" lines; cut apart in place */
static void parse_cmdlines(struct dat *d)
{
	char *text = d->c->cmdlines, *p, *nl, *end;
	int cap = 0;
	void *q;
	long pid;

	for (p = text; p && *p; p = nl) {
		nl = strchrnul(p, '\n');
		if (*nl)
			*nl++ = '\0';
		pid = strtol(p, &end, 10);
		if (end == p || *end != ' ' || !end[1] || pid < 0 || pid > INT32_MAX)
			continue;
		if (d->nr_comm == cap) {
			cap = cap ? 2 * cap : 64;
			q = realloc(d->comm, cap * sizeof(*d->comm));
			if (!q)
				break;
			d->comm = q;
		}
		d->comm[d->nr_comm++] = (struct comm){ pid, end + 1 - text };
	}
	if (d->nr_comm)
		qsort(d->comm, d->nr_comm, sizeof(*d->comm), by_pid);
}

static const char *dat_comm(const struct xlv_trace *t, int pid)
{
	const struct dat *d = t->state;
	struct comm key = { .pid = pid }, *c;

	c = d->nr_comm ? bsearch(&key, d->comm, d->nr_comm, sizeof(*d->comm), by_pid) : NULL;
	return c ? d->c->cmdlines + c->name : NULL;
}

/* --- choosing a buffer --- */

static bool is_xfs(unsigned int type)
{
	return type >= XLV_EV_XFS_FILE_FSYNC && type <= XLV_EV_FAKE_IO;
}

/* What a buffer holds: its event ids, how many events are of use, how many XFS's. */
static uint8_t *scan_buffer(struct xlv_trace *t, struct xlv_buffer *b, int64_t *xfs,
			    int64_t *useful)
{
	struct dat *d = t->state;
	uint8_t *ids = calloc(1, 65536 / 8);
	unsigned int type;
	struct stream s;
	uint16_t id;
	int i;

	*xfs = *useful = 0;
	for (i = 0; ids && i < b->nr_cpus; i++) {
		memset(&s, 0, sizeof(s));
		s.cpu = b->cpu[i].cpu;
		xlv_source_init(&s.src, d->c, &b->cpu[i], b->subbuf_bytes, 64 << 10);
		s.src.quiet = true;
		while (stream_next(t, &s)) {
			id = xlv_get16(s.rec + d->common.type_offset, d->swap);
			type = id < d->nr_kinds ? d->kind[id].type : XLV_EV_OTHER;
			*useful += type != XLV_EV_OTHER;
			*xfs += is_xfs(type);
			ids[id >> 3] |= 1 << (id & 7);
		}
		xlv_source_free(&s.src);
	}
	return ids;
}

static void list_buffers(const struct xlv_container *c, char *text, size_t size)
{
	size_t n = 0;
	int i;

	text[0] = '\0';
	for (i = 0; i < c->nr_buffers && n < size; i++)
		n += snprintf(text + n, size - n, "%s'%.40s'", i ? ", " : "", c->buffer[i].name);
}

static const char *clock_of(const struct xlv_container *c, const struct xlv_buffer *b)
{
	return b->clock[0] ? b->clock : c->clock;
}

/*
 * People record the scheduler into one buffer and XFS into another. Buffers of
 * the same clock join the chosen one with the events that are in none before
 * them, so that nothing is told twice.
 */
static int join(struct xlv_trace *t, uint8_t **ids)
{
	const struct xlv_container *c = ((struct dat *)t->state)->c;
	struct dat *d = t->state;
	uint8_t seen[65536 / 8];
	int i, n;

	d->leave = calloc(c->nr_buffers, sizeof(*d->leave));
	if (!d->leave)
		return -1;
	memcpy(seen, ids[d->buffer - c->buffer], sizeof(seen));
	for (i = 0; i < c->nr_buffers; i++) {
		if (&c->buffer[i] == d->buffer ||
		    strcmp(clock_of(c, &c->buffer[i]), clock_of(c, d->buffer)))
			continue;
		d->leave[i] = malloc(sizeof(seen));
		if (!d->leave[i])
			return -1;
		memcpy(d->leave[i], seen, sizeof(seen));
		for (n = 0; n < (int)sizeof(seen); n++)
			seen[n] |= ids[i][n];
	}
	return 0;
}

static int choose_buffer(struct xlv_trace *t, const char *name, struct xlv_error *err)
{
	int64_t xfs, useful, best_xfs = -1, best_useful = -1;
	struct dat *d = t->state;
	struct xlv_container *c = d->c;
	bool xfs_format = false;
	uint8_t **ids = NULL;
	char names[300];
	int i, best = 0, ret = -1;

	d->buffers = calloc(c->nr_buffers, sizeof(*d->buffers));
	ids = calloc(c->nr_buffers, sizeof(*ids));
	if (!d->buffers || !ids)
		goto nomem;
	for (i = XLV_EV_XFS_FILE_FSYNC; i <= XLV_EV_FAKE_IO; i++)
		xfs_format |= t->info.has_format[i];
	for (i = 0; i < c->nr_buffers; i++) {
		d->buffers[i].name = c->buffer[i].name;
		d->buffers[i].clock = c->buffer[i].clock;
		d->buffers[i].cpus = c->buffer[i].nr_cpus;
		d->buffers[i].has_xfs = xfs_format;
		if (c->nr_buffers == 1)
			break;
		ids[i] = scan_buffer(t, &c->buffer[i], &xfs, &useful);
		if (!ids[i])
			goto nomem;
		d->buffers[i].has_xfs = xfs > 0;
		if (xfs > 0 ? best_xfs <= 0 || useful > best_useful :
			      best_xfs <= 0 && useful > best_useful) {
			best = i;
			best_xfs = xfs;
			best_useful = useful;
		}
	}
	if (name) {
		for (best = 0; best < c->nr_buffers; best++)
			if (!strcmp(c->buffer[best].name, name))
				break;
		if (best == c->nr_buffers) {
			list_buffers(c, names, sizeof(names));
			xlv_fail(err, "'%s' has no buffer '%s'; it has %s", c->path, name, names);
			goto out;
		}
	}
	t->info.buffers = d->buffers;
	t->info.nr_buffers = c->nr_buffers;
	t->info.buffer = best;
	d->buffer = &c->buffer[best];
	if (!name && c->nr_buffers > 1 && join(t, ids))
		goto nomem;
	ret = 0;
	goto out;
nomem:
	xlv_fail(err, "unable to read '%s': out of memory", c->path);
out:
	for (i = 0; ids && i < c->nr_buffers; i++)
		free(ids[i]);
	free(ids);
	return ret;
}

/* --- opening --- */

static int by_cpu(const void *a, const void *b)
{
	const struct stream *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static bool taken(const struct dat *d, int buffer)
{
	return &d->c->buffer[buffer] == d->buffer || (d->leave && d->leave[buffer]);
}

static int start_streams(struct xlv_trace *t)
{
	struct dat *d = t->state;
	struct xlv_container *c = d->c;
	struct stream *s;
	int i, k, n = 0;

	for (i = 0; i < c->nr_buffers; i++)
		n += taken(d, i) ? c->buffer[i].nr_cpus : 0;
	d->stream = calloc(n + 1, sizeof(*d->stream));
	d->heap = calloc(n + 1, sizeof(*d->heap));
	d->cpu_info = calloc(n + 1, sizeof(*d->cpu_info));
	if (!d->stream || !d->heap || !d->cpu_info)
		return -1;
	for (i = 0; i < c->nr_buffers; i++) {
		struct xlv_buffer *b = &c->buffer[i];

		if (!taken(d, i))
			continue;
		xlv_container_note_cuts(c, b);
		for (k = 0; k < b->nr_cpus; k++) {
			s = &d->stream[d->nr_streams++];
			s->cpu = b->cpu[k].cpu;
			s->buffer = b;
			s->leave = b == d->buffer ? NULL : d->leave[i];
			xlv_source_init(&s->src, c, &b->cpu[k], b->subbuf_bytes, window_bytes(b));
			d->total_bytes += b->cpu[k].avail;
		}
	}
	qsort(d->stream, d->nr_streams, sizeof(*d->stream), by_cpu);
	for (s = d->stream; s < d->stream + d->nr_streams; s++) {
		if (s == d->stream || s->cpu != s[-1].cpu)
			d->cpu_info[d->nr_cpu_info++].cpu = s->cpu;
		s->info = &d->cpu_info[d->nr_cpu_info - 1];
	}
	t->info.cpu = d->cpu_info;
	t->info.nr_cpu = d->nr_cpu_info;
	clear_counts(t);
	return 0;
}

static void fill_info(struct xlv_trace *t)
{
	static const char *const codecs[] = { "none", "zlib", "zstd" };
	struct xlv_trace_info *info = &t->info;
	struct dat *d = t->state;
	struct xlv_container *c = d->c;
	int i;

	info->format = c->format;
	info->version = c->version;
	info->compression = codecs[c->codec_kind];
	info->clock = clock_of(c, d->buffer);
	info->clock_ticks = xlv_kernel_clock_ticks(info->clock) && !c->tsc_mult;
	info->kernel = c->release;
	info->machine = c->machine;
	info->long_bytes = c->layout.commit_size;
	info->page_bytes = c->page_bytes;
	info->subbuf_bytes = d->buffer->subbuf_bytes;
	info->big_endian = c->big_endian;
	info->nr_cpus = c->nr_cpus;
	for (i = 0; i < d->buffer->nr_cpus; i++)
		if (d->buffer->cpu[i].cpu >= info->nr_cpus)
			info->nr_cpus = d->buffer->cpu[i].cpu + 1;
	xlv_kernel_set_cpus(c->kernel, info->nr_cpus);
}

static void dat_close(struct xlv_trace *t)
{
	struct dat *d = t->state;
	int i;

	if (!d)
		return;
	for (i = 0; i < d->nr_streams; i++) {
		xlv_source_free(&d->stream[i].src);
		free(d->stream[i].index);
	}
	free(d->stream);
	free(d->heap);
	free(d->cpu_info);
	for (i = 0; d->leave && i < d->c->nr_buffers; i++)
		free(d->leave[i]);
	free(d->leave);
	free(d->buffers);
	free(d->comm);
	free(d->kind);
	xlv_container_close(d->c);
	free(d);
	t->state = NULL;
}

static const struct xlv_backend dat_backend = {
	.next		= dat_next,
	.want		= dat_want,
	.rewind		= dat_rewind,
	.progress	= dat_progress,
	.comm		= dat_comm,
	.close		= dat_close,
};

int xlv_dat_open(struct xlv_trace *t, const char *path, int fd,
		 const struct xlv_trace_opts *opts, struct xlv_error *err)
{
	const struct xlv_decoder *dec;
	unsigned int id;
	struct dat *d;

	d = calloc(1, sizeof(*d));
	t->ops = &dat_backend;
	t->state = d;
	if (!d) {
		close(fd);
		goto nomem;
	}
	d->c = xlv_container_open(path, fd, &t->damage, err);
	if (!d->c)
		return -1;
	d->big = d->c->big_endian;
	d->swap = d->big != XLV_HOST_BIG;
	d->common = *xlv_kernel_common(d->c->kernel);
	for (id = 0; id < 256; id++)
		d->ctx[id] = xlv_kernel_ctx(id);
	for (id = 0; id < 65536; id++)
		if (xlv_kernel_decoder(d->c->kernel, id))
			d->nr_kinds = id + 1;
	d->kind = calloc(d->nr_kinds + 1, sizeof(*d->kind));	/* and one for all others */
	if (!d->kind)
		goto nomem;
	for (id = 0; id < d->nr_kinds; id++) {
		dec = xlv_kernel_decoder(d->c->kernel, id);
		if (!dec)
			continue;
		d->kind[id].type = dec->type;
		t->info.has_format[dec->type] = true;
	}
	xlv_kernel_set_symbols(d->c->kernel, d->c->symbols);
	parse_cmdlines(d);
	if (choose_buffer(t, opts ? opts->buffer : NULL, err))
		return -1;
	if (start_streams(t))
		goto nomem;
	dat_want(t);
	fill_info(t);
	d->damage_at_open = t->damage.nr;
	return 0;
nomem:
	return xlv_fail(err, "unable to read '%s': out of memory", path);
}
