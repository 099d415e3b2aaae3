// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events out of ftrace text: what trace-cmd report prints, or the kernel's own
 * trace and trace_pipe, with or without the columns of flags and TGID, also
 * quoted in a mail.
 *
 * A first look over the whole text tells which events are there and whether the
 * lines are in order of time; if not (several per-CPU files in one, lines quoted
 * twice), they are read through an index.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/backend.h"
#include "trace/container.h"
#include "trace/kernel.h"
#include "trace/metadata.h"
#include "trace/text_fields.h"
#include "trace/text_line.h"
#include "trace/text_words.h"

#define LINE_BYTES	4096
#define JOIN_MAX	4		/* lines that a mail program may break one into */
#define PROBE_LINES	20000		/* an event must come in the first so many */
#define COMMS_MAX	65536		/* a power of two */
#define NAMES_MAX	256		/* a power of two */
#define LOST_NONE	INT64_MIN

struct entry {
	int64_t		ts;
	int64_t		offset;
	int64_t		lost;		/* before it on its CPU, or LOST_NONE */
	int32_t		cpu;
};

struct text_cpu {
	int64_t		lost;		/* waits for the next event of this CPU */
	int64_t		last_ts;
	bool		any;
};

struct comm {
	int		pid;		/* -1: free */
	char		name[16];
};

struct cached_id {
	char			name[48];
	struct xlv_event_id	id;
	bool			set;
};

struct text {
	FILE			*f;
	int64_t			size;
	char			line[LINE_BYTES];	/* the event's, joined */
	char			ahead[LINE_BYTES];	/* read but not used yet */
	bool			have_ahead;
	int64_t			offset;			/* of .line */
	int64_t			ahead_offset;

	struct entry		*index;			/* NULL: lines are in order */
	size_t			nr_index, at;

	struct xlv_columns		now;
	bool			have_now;		/* .now is not delivered yet */
	int64_t			now_lost;

	struct text_cpu		*cpu;
	struct xlv_cpu_info	*cpu_info;
	int			nr_cpu;
	struct comm		*comm;
	int			nr_comm;
	struct cached_id	names[NAMES_MAX];
	struct xlv_buffer_info	buffer;
};

/* --- lines --- */

static bool read_line(struct text *x, char *buf, int64_t *offset)
{
	size_t n;
	int c;

	*offset = ftello(x->f);
	if (!fgets(buf, LINE_BYTES, x->f))
		return false;
	n = strlen(buf);
	if (n == LINE_BYTES - 1 && buf[n - 1] != '\n')
		while ((c = fgetc(x->f)) != EOF && c != '\n')
			;
	return true;
}

static bool next_raw(struct text *x, char *buf, int64_t *offset)
{
	if (!x->have_ahead)
		return read_line(x, buf, offset);
	x->have_ahead = false;
	memcpy(buf, x->ahead, LINE_BYTES);
	*offset = x->ahead_offset;
	return true;
}

/* Append lines that a mail program broke off. */
static void join(struct text *x)
{
	struct xlv_str more;
	size_t n;
	int i;

	for (i = 0; i < JOIN_MAX; i++) {
		if (!next_raw(x, x->ahead, &x->ahead_offset))
			return;
		x->have_ahead = true;
		more = xlv_text_unquote(x->ahead);
		if (!xlv_text_continues(more))
			return;
		x->have_ahead = false;
		n = strlen(x->line);
		while (n && (x->line[n - 1] == '\n' || x->line[n - 1] == '\r'))
			n--;
		snprintf(x->line + n, LINE_BYTES - n, " %.*s", (int)more.len, more.s);
	}
}

/* --- events by name --- */

/* The kernel itself prints syscalls as "sys_fsync(fd: 3)" and "sys_fsync -> 0x0". */
static bool syscall_name(struct xlv_str rest, struct xlv_event_id *id, struct xlv_str *fields)
{
	const char *p = rest.s, *end = rest.s + rest.len;
	char name[64];

	if (rest.len < 5 || memcmp(p, "sys_", 4))
		return false;
	while (p < end && *p != '(' && *p != ' ' && *p != ':')
		p++;
	if (p == end || *p == ':')
		return false;
	snprintf(name, sizeof(name), "sys_%s_%.*s", *p == '(' ? "enter" : "exit",
		 (int)(p - rest.s - 4), rest.s + 4);
	if (*p == ' ') {
		p = xlv_find(rest, "-> ");
		if (!p)
			return false;
		p += 2;
	}
	*id = xlv_kernel_lookup("syscalls", (struct xlv_str){ name, strlen(name) });
	*fields = xlv_span(p + 1, end);
	return true;
}

static struct xlv_event_id lookup(struct text *x, struct xlv_str name)
{
	struct cached_id *c;
	uint32_t h = 2166136261u;
	unsigned int i;

	for (i = 0; i < name.len; i++)
		h = (h ^ (uint8_t)name.s[i]) * 16777619u;
	c = &x->names[h % NAMES_MAX];
	if (c->set && xlv_str_eq(name, c->name))
		return c->id;
	if (name.len >= sizeof(c->name))
		return xlv_kernel_lookup(NULL, name);
	xlv_str_copy(c->name, sizeof(c->name), name);
	c->id = xlv_kernel_lookup(NULL, name);
	c->set = true;
	return c->id;
}

/* Which event a line tells of; its fields' text goes to @fields. */
static struct xlv_event_id event_of(struct text *x, struct xlv_str rest, struct xlv_str *fields,
				    bool *syscall)
{
	struct xlv_event_id id = { .type = XLV_EV_OTHER };
	const char *colon;
	struct xlv_str name;

	*syscall = syscall_name(rest, &id, fields);
	if (*syscall)
		return id;
	colon = memchr(rest.s, ':', rest.len);
	if (!colon)
		return id;
	name = xlv_trim(xlv_span(rest.s, colon));
	*fields = xlv_trim(xlv_span(colon + 1, rest.s + rest.len));
	if (xlv_str_eq(name, "tracing_mark_write")) {
		id.type = XLV_EV_MARK;
		return id;
	}
	id = lookup(x, name);
	/* "print: tracing_mark_write: TEXT" */
	if (id.type == XLV_EV_MARK) {
		colon = xlv_find(*fields, ": ");
		if (colon)
			*fields = xlv_span(colon + 2, fields->s + fields->len);
	}
	return id;
}

/* --- names of tasks --- */

static void remember_comm(struct text *x, int pid, struct xlv_str name)
{
	unsigned int i, n;

	if (!name.len || *name.s == '<' || x->nr_comm > COMMS_MAX / 2)
		return;
	for (n = 0, i = (unsigned int)pid * 2654435761u; n < COMMS_MAX; n++, i++) {
		i %= COMMS_MAX;
		if (x->comm[i].pid == pid)
			break;
		if (x->comm[i].pid < 0) {
			x->comm[i].pid = pid;
			x->nr_comm++;
			break;
		}
	}
	xlv_str_copy(x->comm[i].name, sizeof(x->comm[i].name), name);
}

static const char *text_comm(const struct xlv_trace *t, int pid)
{
	const struct text *x = t->state;
	unsigned int i, n;

	for (n = 0, i = (unsigned int)pid * 2654435761u; n < COMMS_MAX; n++, i++) {
		i %= COMMS_MAX;
		if (x->comm[i].pid == pid)
			return x->comm[i].name;
		if (x->comm[i].pid < 0)
			break;
	}
	return NULL;
}

/* --- the stream --- */

/* The next line of an event into .now; in file order. */
static bool advance(struct text *x)
{
	struct xlv_str line;
	int64_t count;
	int cpu;

	for (;;) {
		if (x->index) {
			if (x->at == x->nr_index)
				return false;
			x->have_ahead = false;
			if (fseeko(x->f, x->index[x->at].offset, SEEK_SET))
				return false;
		}
		if (!next_raw(x, x->line, &x->offset))
			return false;
		line = xlv_text_unquote(x->line);
		if (!x->index && xlv_text_lost(line, &cpu, &count)) {
			if (cpu < x->nr_cpu)
				x->cpu[cpu].lost = count;
			continue;
		}
		if (!xlv_text_columns(line, &x->now)) {
			if (x->index)
				x->at++;
			continue;
		}
		join(x);
		if (x->index)
			x->now_lost = x->index[x->at++].lost;
		/* a file that grows may bring CPUs that were not there */
		if (!xlv_text_columns(xlv_text_unquote(x->line), &x->now) ||
		    x->now.cpu >= x->nr_cpu)
			continue;
		if (!x->index) {
			x->now_lost = x->cpu[x->now.cpu].lost;
			x->cpu[x->now.cpu].lost = LOST_NONE;
		}
		return true;
	}
}

static void text_count(struct xlv_trace *t, struct text *x, const struct xlv_event *ev,
		       unsigned int type)
{
	struct xlv_cpu_info *ci = &x->cpu_info[ev->cpu];
	struct xlv_trace_info *info = &t->info;

	info->count[type]++;
	if (type == XLV_EV_LOST) {
		if (ev->lost.count >= 0) {
			info->lost_events += ev->lost.count;
			ci->lost_events += ev->lost.count;
		} else {
			info->lost_uncounted++;
			ci->lost_uncounted++;
		}
		return;
	}
	if (!info->events++)
		info->start_ns = info->end_ns = ev->ts_ns;
	else if (ev->ts_ns > info->end_ns)
		info->end_ns = ev->ts_ns;
	if (!ci->events++)
		ci->start_ns = ci->end_ns = ev->ts_ns;
	else if (ev->ts_ns > ci->end_ns)
		ci->end_ns = ev->ts_ns;
	if (x->cpu[ev->cpu].any && ev->ts_ns < x->cpu[ev->cpu].last_ts)
		info->backward++;
	x->cpu[ev->cpu].any = true;
	x->cpu[ev->cpu].last_ts = ev->ts_ns;
}

static struct xlv_str name_of(struct xlv_str rest)
{
	return xlv_span(rest.s, memchr(rest.s, ':', rest.len));
}

static void text_done(struct xlv_trace *t)
{
	if (t->counted || t->to_ns != INT64_MAX)
		return;
	t->counted = true;
	t->info.metadata = xlv_metadata_json(t->meta);
}

static int text_next(struct xlv_trace *t, struct xlv_event *ev)
{
	struct text *x = t->state;
	struct xlv_event_id id;
	struct xlv_str fields = { 0 };
	unsigned int type;
	bool syscall;

	if (!x->have_now && !advance(x)) {
		if (ferror(x->f)) {
			xlv_fail(&t->error, "unable to read '%s': %s", t->file, strerror(errno));
			return -1;
		}
		text_done(t);
		return 0;
	}
	x->have_now = true;
	if (x->now.ts > t->to_ns)
		return 0;
	ev->ts_ns = x->now.ts;
	ev->cpu = x->now.cpu;
	ev->id = 0;
	ev->probe = 0;
	if (x->now_lost != LOST_NONE) {
		ev->type = XLV_EV_LOST;
		ev->pid = 0;
		ev->ctx = 0;
		ev->lost.count = x->now_lost;
		x->now_lost = LOST_NONE;
		if (!t->counted)
			text_count(t, x, ev, XLV_EV_LOST);
		return 1;
	}
	x->have_now = false;
	ev->pid = x->now.pid;
	ev->ctx = xlv_text_context(x->now.flags);
	remember_comm(x, x->now.pid, x->now.comm);
	id = event_of(x, x->now.rest, &fields, &syscall);
	type = ev->type = id.type;
	ev->probe = id.probe;
	if (type != XLV_EV_OTHER &&
	    ((!t->want[type] && type != XLV_EV_MARK) ||
	     !xlv_text_fields(id, name_of(x->now.rest), fields, syscall, ev))) {
		ev->type = XLV_EV_OTHER;
		ev->probe = 0;
	}
	/* WORK_CPU_UNBOUND is the kernel's NR_CPUS, past any real one */
	if (ev->type == XLV_EV_WQ_QUEUE && ev->wq.req_cpu >= t->info.nr_cpus)
		ev->wq.req_cpu = -1;
	if (ev->type == XLV_EV_MARK) {
		if (!t->counted)
			xlv_metadata_add(t->meta, ev->mark.text);
		if (!t->want[XLV_EV_MARK])
			ev->type = XLV_EV_OTHER;
	}
	if (!t->counted)
		text_count(t, x, ev, type);
	return 1;
}

static void text_want(struct xlv_trace *t)
{
	(void)t;
}

static void clear_counts(struct xlv_trace *t)
{
	struct xlv_trace_info *info = &t->info;
	struct text *x = t->state;
	int i;

	memset(info->count, 0, sizeof(info->count));
	info->events = info->lost_events = info->lost_uncounted = info->backward = 0;
	info->start_ns = info->end_ns = -1;
	for (i = 0; i < x->nr_cpu; i++)
		x->cpu_info[i] = (struct xlv_cpu_info){ .cpu = i, .start_ns = -1, .end_ns = -1 };
}

static int text_rewind(struct xlv_trace *t, int64_t from_ns, struct xlv_error *err)
{
	struct text *x = t->state;
	int i;

	(void)from_ns;
	rewind(x->f);
	if (ferror(x->f))
		return xlv_fail(err, "unable to read '%s': %s", t->file, strerror(errno));
	x->have_ahead = x->have_now = false;
	x->at = 0;
	for (i = 0; i < x->nr_cpu; i++)
		x->cpu[i] = (struct text_cpu){ .lost = LOST_NONE };
	if (!t->counted)
		clear_counts(t);
	return 0;
}

static double text_progress(const struct xlv_trace *t)
{
	const struct text *x = t->state;

	if (x->index)
		return x->nr_index ? (double)x->at / x->nr_index : 1.0;
	return x->size ? (double)ftello(x->f) / x->size : 1.0;
}

/* --- opening --- */

static int grow_cpus(struct text *x, int cpu)
{
	void *p;
	int i;

	if (cpu < x->nr_cpu)
		return 0;
	p = realloc(x->cpu, (cpu + 1) * sizeof(*x->cpu));
	if (!p)
		return -1;
	x->cpu = p;
	for (i = x->nr_cpu; i <= cpu; i++)
		x->cpu[i] = (struct text_cpu){ .lost = LOST_NONE };
	x->nr_cpu = cpu + 1;
	return 0;
}

/* Look at every line once. Returns the number of events, -1 without memory. */
static int64_t scan(struct xlv_trace *t, struct text *x, bool *sorted, bool *ticks)
{
	int64_t n = 0, last = INT64_MIN, lines = 0, count;
	struct xlv_str line, fields;
	struct xlv_columns c;
	bool syscall;
	char *p;
	int cpu;

	*sorted = true;
	*ticks = false;
	while (read_line(x, x->line, &x->offset)) {
		if (!n && ++lines > PROBE_LINES)
			break;
		line = xlv_text_unquote(x->line);
		if (xlv_text_lost(line, &cpu, &count)) {
			t->info.has_format[XLV_EV_LOST] = true;
			if (grow_cpus(x, cpu))
				return -1;
			continue;
		}
		/* "#P:2" of the kernel's head, "cpus=4" of trace-cmd's */
		p = strstr(x->line, "#P:");
		if (!n && p && *line.s == '#')
			t->info.nr_cpus = atoi(p + 3);
		else if (!n && !strncmp(line.s, "cpus=", 5))
			t->info.nr_cpus = atoi(line.s + 5);
		if (!xlv_text_columns(line, &c))
			continue;
		if (grow_cpus(x, c.cpu))
			return -1;
		t->info.has_format[event_of(x, c.rest, &fields, &syscall).type] = true;
		if (c.ts < last)
			*sorted = false;
		last = c.ts;
		*ticks |= c.ticks;
		n++;
	}
	return n;
}

static int by_time(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The same line twice, the one perhaps cut short: a mail quotes from itself. */
static bool quoted_twice(struct text *x, const struct entry *a, const struct entry *b)
{
	struct xlv_str s, r;
	int64_t off;

	if (a->ts != b->ts || a->cpu != b->cpu)
		return false;
	if (fseeko(x->f, a->offset, SEEK_SET) || !read_line(x, x->line, &off) ||
	    fseeko(x->f, b->offset, SEEK_SET) || !read_line(x, x->ahead, &off))
		return false;
	s = xlv_text_unquote(x->line);
	r = xlv_text_unquote(x->ahead);
	s = xlv_trim(s);
	r = xlv_trim(r);
	return !memcmp(s.s, r.s, s.len < r.len ? s.len : r.len);
}

static int build_index(struct text *x, size_t nr)
{
	size_t i, kept;
	struct xlv_str line;
	struct xlv_columns c;
	int64_t count;
	int cpu;

	x->index = calloc(nr, sizeof(*x->index));
	if (!x->index)
		return -1;
	rewind(x->f);
	while (x->nr_index < nr && read_line(x, x->line, &x->offset)) {
		line = xlv_text_unquote(x->line);
		if (xlv_text_lost(line, &cpu, &count)) {
			x->cpu[cpu].lost = count;
			continue;
		}
		if (!xlv_text_columns(line, &c))
			continue;
		x->index[x->nr_index++] = (struct entry){ c.ts, x->offset, x->cpu[c.cpu].lost,
							  c.cpu };
		x->cpu[c.cpu].lost = LOST_NONE;
	}
	qsort(x->index, x->nr_index, sizeof(*x->index), by_time);
	for (i = 1, kept = 1; i < x->nr_index; i++)
		if (x->index[i].offset - x->index[kept - 1].offset < LINE_BYTES ||
		    !quoted_twice(x, &x->index[kept - 1], &x->index[i]))
			x->index[kept++] = x->index[i];
	x->nr_index = kept;
	return 0;
}

static void text_close(struct xlv_trace *t)
{
	struct text *x = t->state;

	if (!x)
		return;
	if (x->f)
		fclose(x->f);
	free(x->index);
	free(x->cpu);
	free(x->cpu_info);
	free(x->comm);
	free(x);
	t->state = NULL;
}

static const struct xlv_backend text_backend = {
	.next		= text_next,
	.want		= text_want,
	.rewind		= text_rewind,
	.progress	= text_progress,
	.comm		= text_comm,
	.close		= text_close,
};

int xlv_text_open(struct xlv_trace *t, const char *path, int fd, struct xlv_error *err)
{
	bool sorted, ticks;
	struct stat st;
	struct text *x;
	int64_t n;
	int i;

	x = calloc(1, sizeof(*x));
	t->ops = &text_backend;
	t->state = x;
	if (!x) {
		close(fd);
		goto nomem;
	}
	x->f = fdopen(fd, "r");
	if (!x->f) {
		close(fd);
		goto nomem;
	}
	x->size = fstat(fd, &st) ? 0 : st.st_size;
	x->comm = calloc(COMMS_MAX, sizeof(*x->comm));
	if (!x->comm)
		goto nomem;
	for (i = 0; i < COMMS_MAX; i++)
		x->comm[i].pid = -1;

	n = scan(t, x, &sorted, &ticks);
	if (n < 0)
		goto nomem;
	if (!n)
		return xlv_fail(err, "'%s' is neither a trace.dat file nor ftrace text; make one "
				"with 'xlogviz record' or 'trace-cmd record'", path);
	x->cpu_info = calloc(x->nr_cpu, sizeof(*x->cpu_info));
	if (!x->cpu_info || (!sorted && build_index(x, n)))
		goto nomem;
	if (t->info.nr_cpus < x->nr_cpu || (unsigned int)t->info.nr_cpus > XLV_CPUS_MAX)
		t->info.nr_cpus = x->nr_cpu;
	t->info.format = "text";
	t->info.clock_ticks = ticks;
	t->info.cpu = x->cpu_info;
	t->info.nr_cpu = x->nr_cpu;
	x->buffer = (struct xlv_buffer_info){ .name = "", .clock = "", .cpus = x->nr_cpu };
	for (i = XLV_EV_XFS_FILE_FSYNC; i <= XLV_EV_FAKE_IO; i++)
		x->buffer.has_xfs |= t->info.has_format[i];
	t->info.buffers = &x->buffer;
	t->info.nr_buffers = 1;
	clear_counts(t);
	return text_rewind(t, INT64_MIN, err);
nomem:
	return xlv_fail(err, "unable to read '%s': out of memory", path);
}
