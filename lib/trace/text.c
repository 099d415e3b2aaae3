// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events out of ftrace text: what trace-cmd report prints, or the kernel's own
 * trace and trace_pipe, with or without the columns of flags and TGID, also
 * quoted in a mail.
 *
 *	           dd-106   (    106) [003] d..2.     1.565001: xfs_log_force: dev ...
 *	           comm-pid (tgid)    [cpu] flags     time      event          fields
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

#define LINE_BYTES	4096
#define JOIN_MAX	4		/* lines that a mail program may break one into */
#define PROBE_LINES	20000		/* an event must come in the first so many */
#define COMMS_MAX	65536		/* a power of two */
#define NAMES_MAX	256		/* a power of two */
#define LOST_NONE	INT64_MIN

/* The columns of one line. */
struct columns {
	int64_t		ts;
	bool		ticks;		/* the time is a plain number */
	int		cpu, pid;
	struct xlv_str	comm;
	struct xlv_str	flags;		/* empty: no such column */
	struct xlv_str	rest;		/* from the event's name on */
};

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

	struct columns		now;
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

/* --- small words --- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct xlv_str span(const char *from, const char *to)
{
	return (struct xlv_str){ .s = from, .len = to > from ? to - from : 0 };
}

static struct xlv_str trim(struct xlv_str s)
{
	while (s.len && (*s.s == ' ' || *s.s == '\t')) {
		s.s++;
		s.len--;
	}
	while (s.len && strchr(" \t\r\n\\", s.s[s.len - 1]))
		s.len--;
	return s;
}

static const char *find(struct xlv_str s, const char *what)
{
	return s.len ? memmem(s.s, s.len, what, strlen(what)) : NULL;
}

static const char *find_last(struct xlv_str s, const char *what)
{
	const char *p = NULL, *q;
	struct xlv_str r = s;

	while ((q = find(r, what))) {
		p = q;
		r = span(q + 1, s.s + s.len);
	}
	return p;
}

/* A number at the start of @s: 0x and minus signs count; @base for bare digits. */
static bool parse_number(struct xlv_str s, int base, uint64_t *v)
{
	char buf[32], *end;

	s = trim(s);
	xlv_str_copy(buf, sizeof(buf), s);
	if (!is_digit(buf[0]) && buf[0] != '-' &&
	    !(base == 16 && (buf[0] | 0x20) >= 'a' && (buf[0] | 0x20) <= 'f'))
		return false;
	if (buf[0] == '0' && (buf[1] | 0x20) == 'x')
		base = 16;
	*v = strtoull(buf, &end, base);
	return end != buf;
}

/* What follows "KEY" (with its "=" or blank) at the start of a word. */
static struct xlv_str after(struct xlv_str s, const char *key)
{
	struct xlv_str r = s;
	const char *p;

	while ((p = find(r, key))) {
		if (p == s.s || p[-1] == ' ' || p[-1] == '\t' || p[-1] == '(')
			return span(p + strlen(key), s.s + s.len);
		r = span(p + 1, s.s + s.len);
	}
	return (struct xlv_str){ 0 };
}

static uint64_t number_after(struct xlv_str s, const char *key)
{
	uint64_t v = 0;

	parse_number(after(s, key), 10, &v);
	return v;
}

static struct xlv_str word_after(struct xlv_str s, const char *key)
{
	struct xlv_str r = after(s, key);
	const char *p = r.s;

	while (p && p < r.s + r.len && *p != ' ' && *p != '\t')
		p++;
	return span(r.s, p);
}

/* From after @key to before @next: names may hold blanks. */
static struct xlv_str between(struct xlv_str s, const char *key, const char *next)
{
	struct xlv_str r = after(s, key);
	const char *p = find(r, next);

	return p ? span(r.s, p) : r;
}

/* "7:0" after "dev " as the kernel's number */
static uint32_t dev_after(struct xlv_str s, const char *key, char sep)
{
	struct xlv_str r = *key ? after(s, key) : s;
	uint64_t major, minor;
	const char *p;

	p = r.len ? memchr(r.s, sep, r.len) : NULL;
	if (!p || !parse_number(r, 10, &major) ||
	    !parse_number(span(p + 1, r.s + r.len), 10, &minor))
		return 0;
	return (uint32_t)(major << 20 | (minor & 0xfffff));
}

/* "xfs_file_fsync+0x174/0x1f0 [xfs]" without what follows the name */
static struct xlv_str function_name(struct xlv_str s)
{
	const char *p = s.s;

	while (p && p < s.s + s.len && *p != '+' && *p != ' ' && *p != '/' && *p != '\t')
		p++;
	s = span(s.s, p);
	/* an address, where the kernel had no name */
	if (s.len > 1 && s.s[0] == '0' && s.s[1] == 'x')
		s.len = 0;
	return s;
}

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

/* The mark of a quoted mail: any number of '>' and blanks. */
static struct xlv_str unquote(const char *line)
{
	struct xlv_str s = { .s = line, .len = strlen(line) };
	struct xlv_str r = s;

	while (r.len && (*r.s == '>' || *r.s == ' ')) {
		r.s++;
		r.len--;
		if (r.s[-1] == '>')
			s = r;
	}
	return trim(s);
}

static bool is_flags(struct xlv_str s)
{
	unsigned int i;

	if (s.len < 4 || s.len > 6)
		return false;
	for (i = 0; i < s.len; i++)
		if (!strchr(".dDbXNnpBlLzZhHsS#*@$!+0123456789abcdef", s.s[i]))
			return false;
	return true;
}

/* "1.565001:" or "243839745122:" */
static bool parse_time(struct xlv_str s, int64_t *ts, bool *ticks, const char **rest)
{
	const char *p = s.s, *end = s.s + s.len;
	uint64_t sec = 0, ns = 0;
	int digits = 0;

	if (p == end || !is_digit(*p))
		return false;
	for (; p < end && is_digit(*p); p++) {
		if (sec > UINT64_MAX / 20)
			return false;
		sec = sec * 10 + (*p - '0');
	}
	*ticks = true;
	if (p < end && *p == '.') {
		*ticks = false;
		for (p++; p < end && is_digit(*p); p++, digits++)
			if (digits < 9)
				ns = ns * 10 + (*p - '0');
		if (!digits)
			return false;
		for (; digits < 9; digits++)
			ns *= 10;
		if (sec > INT64_MAX / 1000000000 - 1)
			return false;
		ns += sec * 1000000000;
	} else {
		ns = sec;
	}
	if (p == end || *p != ':' || ns > INT64_MAX)
		return false;
	*ts = ns;
	*rest = p + 1;
	return true;
}

/* What stands before "[cpu]": "comm-pid" and perhaps "(tgid)". */
static bool parse_task(struct xlv_str s, struct columns *c)
{
	const char *p, *end;
	uint64_t pid;

	s = trim(s);
	if (s.len && s.s[s.len - 1] == ')') {
		p = memrchr(s.s, '(', s.len);
		if (!p)
			return false;
		s = trim(span(s.s, p));
	}
	end = s.s + s.len;
	for (p = end; p > s.s && is_digit(p[-1]); p--)
		;
	if (p == end || p == s.s || p[-1] != '-' || end - p > 10)
		return false;
	if (!parse_number(span(p, end), 10, &pid) || pid > INT32_MAX)
		return false;
	c->pid = pid;
	c->comm = trim(span(s.s, p - 1));
	/* "buffer:    comm" where a report mixes several buffers */
	p = find_last(c->comm, "  ");
	if (p)
		c->comm = trim(span(p, c->comm.s + c->comm.len));
	return true;
}

/* The columns of a line of an event; false for any other line. */
static bool parse_columns(struct xlv_str line, struct columns *c)
{
	const char *open, *close, *p, *end = line.s + line.len, *rest;
	struct xlv_str r = line, word;
	uint64_t cpu;

	if (!line.len || *line.s == '#')
		return false;
	/* a name may hold brackets: take the first that makes sense of the line */
	for (; (open = r.len ? memchr(r.s, '[', r.len) : NULL); r = span(open + 1, end)) {
		for (p = open + 1; p < end && is_digit(*p); p++)
			;
		close = p;
		if (close == open + 1 || close - open > 6 || close == end || *close != ']')
			continue;
		if (!parse_task(span(line.s, open), c))
			continue;
		parse_number(span(open + 1, close), 10, &cpu);
		if (cpu >= XLV_CPUS_MAX)
			continue;
		c->cpu = cpu;
		word = trim(span(close + 1, end));
		c->flags = (struct xlv_str){ 0 };
		if (!parse_time(word, &c->ts, &c->ticks, &rest)) {
			for (p = word.s; p < end && *p != ' '; p++)
				;
			c->flags = span(word.s, p);
			if (!is_flags(c->flags) ||
			    !parse_time(trim(span(p, end)), &c->ts, &c->ticks, &rest))
				continue;
		}
		c->rest = trim(span(rest, end));
		if (c->rest.len)
			return true;
	}
	return false;
}

/* "CPU:1 [LOST 123 EVENTS]", "CPU:0 [21989 EVENTS DROPPED]" */
static bool parse_lost(struct xlv_str line, int *cpu, int64_t *count)
{
	uint64_t v, n;

	if (line.len < 8 || memcmp(line.s, "CPU:", 4) || !find(line, "EVENTS") ||
	    !parse_number(span(line.s + 4, line.s + line.len), 10, &v) || v >= XLV_CPUS_MAX)
		return false;
	*cpu = v;
	*count = -1;
	if (find(line, "[LOST ") && parse_number(after(line, "[LOST "), 10, &n))
		*count = n;
	else if (find(line, "[") && parse_number(after(line, "["), 10, &n))
		*count = n;
	if (*count < -1 || *count > INT32_MAX)
		*count = -1;
	return true;
}

/* A line that can only be the rest of the one before it. */
static bool is_continuation(struct xlv_str line)
{
	struct columns c;
	int64_t n;
	int cpu;

	if (!line.len || *line.s == '#' || find(line, "=> ") || !memcmp(line.s, "--", 2))
		return false;
	return !parse_lost(line, &cpu, &n) && !parse_columns(line, &c);
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
		more = unquote(x->ahead);
		if (!is_continuation(more))
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
		p = find(rest, "-> ");
		if (!p)
			return false;
		p += 2;
	}
	*id = xlv_kernel_lookup("syscalls", (struct xlv_str){ name, strlen(name) });
	*fields = span(p + 1, end);
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
	name = trim(span(rest.s, colon));
	*fields = trim(span(colon + 1, rest.s + rest.len));
	if (xlv_str_eq(name, "tracing_mark_write")) {
		id.type = XLV_EV_MARK;
		return id;
	}
	id = lookup(x, name);
	/* "print: tracing_mark_write: TEXT" */
	if (id.type == XLV_EV_MARK) {
		colon = find(*fields, ": ");
		if (colon)
			*fields = span(colon + 2, fields->s + fields->len);
	}
	return id;
}

static uint8_t context(struct xlv_str flags)
{
	uint8_t ctx = 0;

	if (!flags.len)
		return XLV_CTX_UNKNOWN;
	if (strchr("NnpBbLl", flags.s[1]))
		ctx |= XLV_CTX_NEED_RESCHED;
	switch (flags.s[2]) {
	case 'Z':
		return ctx | XLV_CTX_NMI | XLV_CTX_HARDIRQ;
	case 'z':
		return ctx | XLV_CTX_NMI;
	case 'H':
		return ctx | XLV_CTX_HARDIRQ | XLV_CTX_SOFTIRQ;
	case 'h':
		return ctx | XLV_CTX_HARDIRQ;
	case 's':
	case 'S':
		return ctx | XLV_CTX_SOFTIRQ;
	}
	return ctx;
}

/* --- fields --- */

/* "comm:pid [prio] ..." as libtraceevent's plugin prints a task */
static bool plugin_task(struct xlv_str s, struct xlv_str *comm, int32_t *pid, int32_t *prio)
{
	const char *open, *colon;
	uint64_t v;

	open = find_last(s, " [");
	if (!open)
		return false;
	if (parse_number(span(open + 2, s.s + s.len), 10, &v))
		*prio = v;
	colon = memrchr(s.s, ':', open - s.s);
	if (!colon || !parse_number(span(colon + 1, open), 10, &v))
		return false;
	*pid = v;
	*comm = trim(span(s.s, colon));
	return true;
}

/* Letters, or the plain number; the highest bit stands for preempted. */
static uint8_t task_state(struct xlv_str s)
{
	uint64_t v;

	s = trim(s);
	if (s.len && is_digit(s.s[0]) && parse_number(s, 10, &v)) {
		if (!v || v > 0xff)
			return XLV_TASK_RUNNABLE;
		return v & 1 ? XLV_TASK_SLEEP : v & 2 ? XLV_TASK_BLOCKED :
		       v & 0x0c ? XLV_TASK_STOPPED : v & 0x30 ? XLV_TASK_DEAD :
		       v & 0x40 ? XLV_TASK_STOPPED : XLV_TASK_IDLE;
	}
	/* the plugin's letter for the idle bit of newer kernels */
	if (xlv_str_eq(s, "W"))
		return XLV_TASK_IDLE;
	return xlv_kernel_task_state(s);
}

static bool fields_switch(struct xlv_str s, struct xlv_event *ev)
{
	const char *arrow = find(s, " ==> ");
	struct xlv_str left, right, state;
	const char *p;

	if (find(s, "prev_comm=")) {
		ev->sw.prev_comm = between(s, "prev_comm=", " prev_pid=");
		ev->sw.prev_pid = number_after(s, "prev_pid=");
		ev->sw.prev_prio = number_after(s, "prev_prio=");
		ev->sw.prev_state = task_state(word_after(s, "prev_state="));
		ev->sw.next_comm = between(s, "next_comm=", " next_pid=");
		ev->sw.next_pid = number_after(s, "next_pid=");
		ev->sw.next_prio = number_after(s, "next_prio=");
		return find(s, "next_pid=");
	}
	if (!arrow)
		return false;
	left = span(s.s, arrow);
	right = span(arrow + 5, s.s + s.len);
	p = memrchr(left.s, ' ', left.len);
	if (!p)
		return false;
	state = span(p + 1, left.s + left.len);
	ev->sw.prev_state = task_state(state);
	return plugin_task(span(left.s, p), &ev->sw.prev_comm, &ev->sw.prev_pid,
			   &ev->sw.prev_prio) &&
	       plugin_task(right, &ev->sw.next_comm, &ev->sw.next_pid, &ev->sw.next_prio);
}

static bool fields_wake(struct xlv_str s, struct xlv_event *ev)
{
	const char *p;

	if (find(s, "comm=") && find(s, "pid=")) {
		ev->wake.comm = between(s, "comm=", " pid=");
		ev->wake.pid = number_after(s, "pid=");
		ev->wake.prio = number_after(s, "prio=");
		ev->wake.target_cpu = number_after(s, "target_cpu=");
		return true;
	}
	p = find(s, "CPU:");
	if (!p)
		return false;
	ev->wake.target_cpu = number_after(span(p, s.s + s.len), "CPU:");
	p = find(s, "success=") ? find(s, "success=") : p;
	return plugin_task(trim(span(s.s, p)), &ev->wake.comm, &ev->wake.pid, &ev->wake.prio);
}

/* A work item's address: the first number, after "work struct" with '=' or ' '. */
static bool fields_wq(struct xlv_str s, struct xlv_event *ev)
{
	const char *p = find(s, "work struct");
	struct xlv_str name, addr;
	uint64_t v;

	if (!p)
		return false;
	addr = span(p + strlen("work struct") + 1, s.s + s.len);
	if (!parse_number(addr, 16, &ev->wq.work))
		return false;
	name = word_after(s, find(s, "function=") ? "function=" : "function ");
	ev->wq.func_name = function_name(name);
	ev->wq.func = xlv_kernel_func(ev->wq.func_name);
	ev->wq.wq_name = word_after(s, "workqueue=");
	/* kernels before 6.1 or so print its address */
	if (ev->wq.wq_name.len >= 8 && parse_number(ev->wq.wq_name, 16, &v) &&
	    strspn(ev->wq.wq_name.s, "0123456789abcdefx") >= ev->wq.wq_name.len)
		ev->wq.wq_name.len = 0;
	ev->wq.req_cpu = find(s, "req_cpu=") ? (int32_t)number_after(s, "req_cpu=") : -1;
	ev->wq.cpu = find(s, " cpu=") ? (int32_t)number_after(s, "cpu=") : -1;
	return true;
}

/* "254,0 WSM [BYTES (CMD)] SECTOR + N ..." */
static bool fields_block(struct xlv_str s, struct xlv_event *ev)
{
	const char *plus, *p, *open;
	struct xlv_str left;
	uint64_t v;

	memset(&ev->block, 0, sizeof(ev->block));
	ev->block.dev = dev_after(s, "", ',');
	p = memchr(s.s, ' ', s.len);
	if (!ev->block.dev || !p)
		return false;
	left = trim(span(p, s.s + s.len));
	for (p = left.s; p < left.s + left.len && *p != ' '; p++)
		;
	ev->block.rwbs = span(left.s, p);

	plus = find(s, ev->type == XLV_EV_BIO_SPLIT ? " / " : " + ");
	if (!plus)
		return false;
	p = memrchr(s.s, ' ', plus - s.s);
	if (!p || !parse_number(span(p + 1, plus), 10, &ev->block.sector) ||
	    !parse_number(span(plus + 3, s.s + s.len), 10, &v))
		return false;
	if (ev->type == XLV_EV_BIO_SPLIT)
		ev->block.old_sector = v;
	else
		ev->block.nr_sector = v;
	p = find(s, "<- (");
	if (p) {
		left = span(p + 4, s.s + s.len);
		ev->block.old_dev = dev_after(left, "", ',');
		p = memchr(left.s, ')', left.len);
		if (p)
			parse_number(span(p + 1, left.s + left.len), 10, &ev->block.old_sector);
	}
	open = memrchr(s.s, '[', s.len);
	if (open && (ev->type == XLV_EV_BIO_COMPLETE || ev->type == XLV_EV_RQ_COMPLETE ||
		     ev->type == XLV_EV_RQ_REQUEUE) &&
	    parse_number(span(open + 1, s.s + s.len), 10, &v))
		ev->block.error = (int32_t)v;
	ev->block.rw = xlv_kernel_rwbs(ev->block.rwbs, ev->type == XLV_EV_BIO_SPLIT ? 1 :
							ev->block.nr_sector);
	return true;
}

static bool fields_irq(struct xlv_str s, struct xlv_str event, uint8_t timer,
		       struct xlv_event *ev)
{
	memset(&ev->irq, 0, sizeof(ev->irq));
	ev->irq.nr = -1;
	switch (ev->type) {
	case XLV_EV_IRQ_ENTRY:
	case XLV_EV_IRQ_EXIT:
		ev->irq.nr = number_after(s, "irq=");
		ev->irq.name = trim(after(s, "name="));
		return find(s, "irq=");
	case XLV_EV_VECTOR_ENTRY:
	case XLV_EV_VECTOR_EXIT:
		if (find(s, "vector="))
			ev->irq.nr = number_after(s, "vector=");
		ev->irq.timer = timer;
		ev->irq.name = event;
		ev->irq.name.len -= ev->type == XLV_EV_VECTOR_ENTRY ? 6 : 5;
		return true;
	case XLV_EV_HRTIMER_ENTRY:
	case XLV_EV_HRTIMER_EXIT:
		ev->irq.name = function_name(word_after(s, "function="));
		ev->irq.timer = xlv_str_eq(ev->irq.name, "tick_sched_timer") ||
				xlv_str_eq(ev->irq.name, "tick_nohz_handler");
		return true;
	}
	ev->irq.nr = number_after(s, "vec=");
	return find(s, "vec=");
}

static bool fields_xfs(struct xlv_str s, struct xlv_event *ev)
{
	memset(&ev->xfs, 0, sizeof(ev->xfs));
	ev->xfs.dev = dev_after(s, "dev ", ':');
	ev->xfs.ino = number_after(s, "ino ");
	if (ev->type == XLV_EV_XFS_LOG_FORCE)
		ev->xfs.seq = number_after(s, "lsn ");
	ev->xfs.caller_name = function_name(after(s, "caller "));
	ev->xfs.caller = xlv_kernel_func(ev->xfs.caller_name);
	return ev->xfs.dev;
}

static bool fields_iclog(struct xlv_str s, struct xlv_event *ev)
{
	struct xlv_str flags;

	memset(&ev->iclog, 0, sizeof(ev->iclog));
	ev->iclog.dev = dev_after(s, "dev ", ':');
	ev->iclog.state = xlv_kernel_iclog_state(word_after(s, "state "));
	ev->iclog.refcount = number_after(s, "refcnt ");
	ev->iclog.offset = number_after(s, "offset ");
	ev->iclog.lsn = number_after(s, "lsn ");
	ev->iclog.caller_name = function_name(after(s, "caller "));
	flags = between(s, "flags ", "caller");
	ev->iclog.flags = find(s, "flags") ? xlv_kernel_iclog_flags(flags) :
					     XLV_ICL_FLAGS_UNKNOWN;
	return ev->iclog.dev && find(s, "lsn ");
}

/* "dev 254:0 key 0x15 val 1", or "(func+0x0/0x10) dev=0x.. key=0x.. val=1" */
static bool fields_span(struct xlv_str s, struct xlv_event *ev)
{
	memset(&ev->span, 0, sizeof(ev->span));
	if (find(s, "key=") || find(s, "dev=") || find(s, "val=")) {
		ev->span.dev = number_after(s, "dev=");
		ev->span.key = number_after(s, "key=");
		ev->span.val = number_after(s, "val=");
	} else {
		ev->span.dev = dev_after(s, "dev ", ':');
		ev->span.key = number_after(s, "key ");
		ev->span.val = (int64_t)number_after(s, "val ");
	}
	return true;
}

/* trace-cmd: "fd: 0x00000003, ..." or "... fd=3"; the kernel: "fd: 3)" in hex */
static bool fields_sys(struct xlv_str s, bool kernel, uint8_t nr, struct xlv_event *ev)
{
	struct xlv_str arg = { 0 };
	const char *p;
	uint64_t v = 0;

	ev->sys.nr = nr;
	ev->sys.arg = ev->sys.ret = 0;
	if (ev->type == XLV_EV_SYS_EXIT) {
		if (parse_number(s, 16, &v))
			ev->sys.ret = (int64_t)v;
		return true;
	}
	p = find(s, "__syscall_nr=");
	if (p) {
		p = memchr(p, ' ', s.s + s.len - p);
		p = p ? memchr(p, '=', s.s + s.len - p) : NULL;
	} else {
		p = find(s, ": ");
	}
	if (p)
		arg = span(p + 1, s.s + s.len);
	if (parse_number(arg, kernel ? 16 : 10, &v))
		ev->sys.arg = (int64_t)v;
	return true;
}

static bool fields_task(struct xlv_str s, struct xlv_event *ev)
{
	struct xlv_str file;
	const char *slash;

	switch (ev->type) {
	case XLV_EV_SCHED_FORK:
		ev->task.comm = between(s, "child_comm=", " child_pid=");
		ev->task.pid = number_after(s, "child_pid=");
		return find(s, "child_pid=");
	case XLV_EV_SCHED_EXEC:
		file = between(s, "filename=", " pid=");
		slash = file.len ? memrchr(file.s, '/', file.len) : NULL;
		if (slash)
			file = span(slash + 1, file.s + file.len);
		if (file.len > 15)
			file.len = 15;
		ev->task.comm = file;
		break;
	case XLV_EV_TASK_RENAME:
		ev->task.comm = between(s, "newcomm=", " oom_score_adj=");
		break;
	default:
		ev->task.comm = between(s, "comm=", " pid=");
		break;
	}
	ev->task.pid = find(s, "pid=") ? (int32_t)number_after(s, "pid=") : ev->pid;
	return true;
}

/* Fill the event's fields; false where the text doesn't hold what it must. */
static bool fill_fields(struct xlv_event_id id, struct xlv_str event, struct xlv_str s,
			bool syscall, struct xlv_event *ev)
{
	switch (ev->type) {
	case XLV_EV_SCHED_SWITCH:
		return fields_switch(s, ev);
	case XLV_EV_SCHED_WAKING ... XLV_EV_SCHED_WAKEUP_NEW:
		return fields_wake(s, ev);
	case XLV_EV_SCHED_MIGRATE:
		ev->migrate.comm = between(s, "comm=", " pid=");
		ev->migrate.pid = number_after(s, "pid=");
		ev->migrate.orig_cpu = number_after(s, "orig_cpu=");
		ev->migrate.dest_cpu = number_after(s, "dest_cpu=");
		return find(s, "dest_cpu=");
	case XLV_EV_SCHED_FORK ... XLV_EV_TASK_RENAME:
		return fields_task(s, ev);
	case XLV_EV_WQ_QUEUE ... XLV_EV_WQ_END:
		return fields_wq(s, ev);
	case XLV_EV_BIO_QUEUE ... XLV_EV_RQ_COMPLETE:
		return fields_block(s, ev);
	case XLV_EV_IRQ_ENTRY ... XLV_EV_HRTIMER_EXIT:
		return fields_irq(s, event, id.nr, ev);
	case XLV_EV_IPI_SEND:
		ev->ipi.target_cpu = number_after(s, "cpu=");
		return find(s, "cpu=");
	case XLV_EV_CPU_IDLE:
	case XLV_EV_CPU_FREQUENCY:
		ev->power.state = number_after(s, "state=");
		if (ev->power.state == UINT32_MAX)
			ev->power.state = -1;
		ev->power.cpu = number_after(s, "cpu_id=");
		return find(s, "cpu_id=");
	case XLV_EV_XFS_FILE_FSYNC ... XLV_EV_XFS_GRANT_WAKE:
		return fields_xfs(s, ev);
	case XLV_EV_ICLOG_ACTIVATE ... XLV_EV_ICLOG_WRITE:
		return fields_iclog(s, ev);
	case XLV_EV_FORCE_ENTER ... XLV_EV_PROBE_CLEAN_ENTER:
		return fields_span(s, ev);
	case XLV_EV_SYS_ENTER:
	case XLV_EV_SYS_EXIT:
		return fields_sys(s, syscall, id.nr, ev);
	case XLV_EV_MARK:
		ev->mark.text = s;
		return true;
	}
	return false;
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
		line = unquote(x->line);
		if (!x->index && parse_lost(line, &cpu, &count)) {
			if (cpu < x->nr_cpu)
				x->cpu[cpu].lost = count;
			continue;
		}
		if (!parse_columns(line, &x->now)) {
			if (x->index)
				x->at++;
			continue;
		}
		join(x);
		if (!parse_columns(unquote(x->line), &x->now) || x->now.cpu >= x->nr_cpu)
			continue;
		if (x->index) {
			x->now_lost = x->index[x->at++].lost;
		} else {
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
	ev->ctx = context(x->now.flags);
	remember_comm(x, x->now.pid, x->now.comm);
	id = event_of(x, x->now.rest, &fields, &syscall);
	type = ev->type = id.type;
	ev->probe = id.probe;
	if (type != XLV_EV_OTHER &&
	    ((!t->want[type] && type != XLV_EV_MARK) ||
	     !fill_fields(id, span(x->now.rest.s, memchr(x->now.rest.s, ':', x->now.rest.len)),
			  fields, syscall, ev))) {
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
	struct columns c;
	bool syscall;
	char *p;
	int cpu;

	*sorted = true;
	*ticks = false;
	while (read_line(x, x->line, &x->offset)) {
		if (!n && ++lines > PROBE_LINES)
			break;
		line = unquote(x->line);
		if (parse_lost(line, &cpu, &count)) {
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
		if (!parse_columns(line, &c))
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
	s = unquote(x->line);
	r = unquote(x->ahead);
	s = trim(s);
	r = trim(r);
	return !memcmp(s.s, r.s, s.len < r.len ? s.len : r.len);
}

static int build_index(struct text *x, size_t nr)
{
	size_t i, kept;
	struct xlv_str line;
	struct columns c;
	int64_t count;
	int cpu;

	x->index = calloc(nr, sizeof(*x->index));
	if (!x->index)
		return -1;
	rewind(x->f);
	while (x->nr_index < nr && read_line(x, x->line, &x->offset)) {
		line = unquote(x->line);
		if (parse_lost(line, &cpu, &count)) {
			x->cpu[cpu].lost = count;
			continue;
		}
		if (!parse_columns(line, &c))
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
