// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "datgen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define MAX_EVENTS	32
#define MAX_FIELDS	12
#define MAX_BUFFERS	4
#define MAX_CPUS	8
#define MAX_PAGES	65536
#define CHUNK_PAGES	10

struct bytes {
	uint8_t	*p;
	size_t	len, cap;
};

struct layout {
	int	offset, size;
	char	kind;
};

struct event {
	char		*system, *text;
	int		id, nr, size;
	struct layout	f[MAX_FIELDS];
};

struct cpu {
	struct bytes	data;		/* whole sub-buffers */
	uint8_t		*page;		/* the one being filled */
	uint32_t	used;		/* of its data part */
	uint64_t	page_ts, last_ts;
	bool		open;
	long		lost;		/* 0: none */
};

struct buffer {
	char		*name, *clock;
	struct cpu	cpu[MAX_CPUS];
};

struct option {
	int	id;
	void	*data;
	size_t	len;
};

struct datgen {
	struct datgen_opts	o;
	struct event		event[MAX_EVENTS];
	int			nr_events;
	char			*kallsyms, *cmdlines;
	struct option		option[16];
	int			nr_options;
	struct buffer		buffer[MAX_BUFFERS];
	int			nr_buffers;
	uint32_t		head;		/* bytes before a sub-buffer's data */
};

static size_t page_offset[MAX_CPUS][256], data_offset;

static void die(const char *what)
{
	fprintf(stderr, "datgen: %s\n", what);
	abort();
}

static void *check(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}

static void add(struct bytes *b, const void *data, size_t len)
{
	if (b->len + len > b->cap) {
		b->cap = (b->len + len) * 2 + 256;
		b->p = check(realloc(b->p, b->cap));
	}
	if (data)
		memcpy(b->p + b->len, data, len);
	else
		memset(b->p + b->len, 0, len);
	b->len += len;
}

static void put(const struct datgen *g, void *p, uint64_t v, int size)
{
	uint8_t *q = p;
	int i;

	for (i = 0; i < size; i++)
		q[g->o.big_endian ? size - 1 - i : i] = v >> 8 * i;
}

static void add_num(const struct datgen *g, struct bytes *b, uint64_t v, int size)
{
	uint8_t buf[8];

	put(g, buf, v, size);
	add(b, buf, size);
}

static void add_str(struct bytes *b, const char *s)
{
	add(b, s, strlen(s) + 1);
}

struct datgen *datgen_new(const struct datgen_opts *opts)
{
	struct datgen *g = check(calloc(1, sizeof(*g)));

	g->o = *opts;
	if (!g->o.subbuf_bytes)
		g->o.subbuf_bytes = g->o.page_bytes;
	g->head = 8 + g->o.long_bytes;
	g->kallsyms = strdup("");
	g->cmdlines = strdup("");
	datgen_instance(g, "", opts->clock);
	return g;
}

void datgen_instance(struct datgen *g, const char *name, const char *clock)
{
	struct buffer *b;
	int i;

	if (g->nr_buffers == MAX_BUFFERS)
		die("too many buffers");
	b = &g->buffer[g->nr_buffers++];
	b->name = strdup(name);
	b->clock = strdup(clock);
	for (i = 0; i < g->o.cpus; i++)
		b->cpu[i].page = check(calloc(1, g->o.subbuf_bytes));
}

void datgen_define(struct datgen *g, const char *system, const char *name, int id,
		   const struct datgen_field *fields, const char *print_fmt)
{
	static const char common[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
	struct event *e = &g->event[g->nr_events++];
	int off = 8, size, align;
	size_t n;
	FILE *f;

	if (g->nr_events > MAX_EVENTS)
		die("too many events");
	f = check(open_memstream(&e->text, &n));
	e->system = strdup(system);
	e->id = id;
	fprintf(f, "name: %s\nID: %d\nformat:\n%s", name, id, common);
	for (; fields->decl; fields++) {
		size = fields->size < 0 ? g->o.long_bytes : fields->size;
		align = fields->kind == 's' ? 1 : size ? size : 1;
		off = (off + align - 1) / align * align;
		e->f[e->nr++] = (struct layout){ off, size, fields->kind };
		fprintf(f, "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n", fields->decl, off,
			size, fields->is_signed);
		off += size;
	}
	e->size = off;
	fprintf(f, "\nprint fmt: %s\n", print_fmt);
	fclose(f);
}

void datgen_kallsyms(struct datgen *g, const char *text)
{
	free(g->kallsyms);
	g->kallsyms = strdup(text);
}

void datgen_cmdlines(struct datgen *g, const char *text)
{
	free(g->cmdlines);
	g->cmdlines = strdup(text);
}

void datgen_option(struct datgen *g, int id, const void *data, size_t len)
{
	struct option *o = &g->option[g->nr_options++];

	if (g->nr_options > 16)
		die("too many options");
	o->id = id;
	o->data = check(malloc(len + 1));
	memcpy(o->data, data, len);
	o->len = len;
}

static struct cpu *cpu_of(struct datgen *g, int cpu)
{
	return &g->buffer[g->nr_buffers - 1].cpu[cpu];
}

void datgen_flush(struct datgen *g, int n)
{
	struct cpu *c = cpu_of(g, n);
	uint64_t commit = c->used;

	if (!c->open)
		return;
	if (c->lost) {
		/* as the kernel does it: an int added to a long */
		commit += (uint64_t)(int64_t)INT32_MIN;
		if (c->lost > 0 && g->head + c->used + g->o.long_bytes <= g->o.subbuf_bytes) {
			commit += 1u << 30;
			put(g, c->page + g->head + c->used, c->lost, g->o.long_bytes);
		}
		c->lost = 0;
	}
	put(g, c->page, c->page_ts, 8);
	put(g, c->page + 8, commit, g->o.long_bytes);
	add(&c->data, c->page, g->o.subbuf_bytes);
	memset(c->page, 0, g->o.subbuf_bytes);
	c->open = false;
	c->used = 0;
}

static uint8_t *reserve(struct datgen *g, int n, uint32_t bytes, uint64_t ts)
{
	struct cpu *c = cpu_of(g, n);

	if (c->open && g->head + c->used + bytes > g->o.subbuf_bytes)
		datgen_flush(g, n);
	if (!c->open) {
		c->open = true;
		c->page_ts = c->last_ts = ts;
	}
	c->used += bytes;
	return c->page + g->head + c->used - bytes;
}

static uint32_t entry(const struct datgen *g, uint32_t type, uint32_t delta)
{
	return g->o.big_endian ? type << 27 | delta : delta << 5 | type;
}

static void add_record(struct datgen *g, int n, uint64_t ts, const uint8_t *data, uint32_t len)
{
	struct cpu *c = cpu_of(g, n);
	uint32_t padded = (len + 3) & ~3u, head;
	uint64_t delta;
	uint8_t *p;

	head = padded > 28 * 4 ? 8 : 4;
	p = reserve(g, n, head + padded + 8, ts);
	delta = ts - c->last_ts;
	if (delta >> 27) {
		put(g, p, entry(g, 30, delta & ((1u << 27) - 1)), 4);
		put(g, p + 4, delta >> 27, 4);
		p += 8;
		delta = 0;
	} else {
		c->used -= 8;
	}
	c->last_ts = ts;
	put(g, p, entry(g, head == 8 ? 0 : padded / 4, delta), 4);
	if (head == 8)
		put(g, p + 4, padded + 4, 4);
	memcpy(p + head, data, len);
}

void datgen_stamp(struct datgen *g, int n, uint64_t ts)
{
	struct cpu *c = cpu_of(g, n);
	uint8_t *p = reserve(g, n, 8, ts);

	put(g, p, entry(g, 31, ts & ((1u << 27) - 1)), 4);
	put(g, p + 4, ts >> 27, 4);
	c->last_ts = ts;
}

void datgen_discarded(struct datgen *g, int n, uint32_t bytes, uint32_t delta)
{
	struct cpu *c = cpu_of(g, n);
	uint8_t *p = reserve(g, n, bytes, c->last_ts);

	put(g, p, entry(g, 29, delta), 4);
	put(g, p + 4, bytes - 4, 4);
	memset(p + 8, 0xee, bytes - 8);
	c->last_ts += delta;
}

void datgen_lost(struct datgen *g, int n, long count)
{
	datgen_flush(g, n);
	cpu_of(g, n)->lost = count;
}

void datgen_emit(struct datgen *g, int cpu, uint64_t ts, int id, int pid, int flags,
		 const struct datgen_value *v)
{
	uint8_t rec[4096] = { 0 };
	struct event *e;
	struct layout *f;
	int i, len;
	size_t n;

	for (e = g->event; e < g->event + g->nr_events && e->id != id; e++)
		;
	if (e == g->event + g->nr_events)
		die("an event without a format");
	put(g, rec, id, 2);
	rec[2] = flags;
	put(g, rec + 4, pid, 4);
	len = e->size;
	for (i = 0; i < e->nr; i++) {
		f = &e->f[i];
		switch (f->kind) {
		case 'n':
			put(g, rec + f->offset, v[i].num, f->size);
			break;
		case 's':
			n = strlen(v[i].str);
			if (!f->size)	/* to the end */
				len = f->offset + n + 1;
			else if (n >= (size_t)f->size)
				n = f->size - 1;
			memcpy(rec + f->offset, v[i].str, n);
			break;
		case 'd':
			n = strlen(v[i].str) + 1;
			put(g, rec + f->offset, n << 16 | len, 4);
			memcpy(rec + len, v[i].str, n);
			len += n;
			break;
		}
	}
	add_record(g, cpu, ts, rec, len);
}

/* --- putting the file together --- */

static void header_info(struct datgen *g, struct bytes *b)
{
	char page[512], event[] = "# compressed entry header\n";
	int n;

	n = snprintf(page, sizeof(page),
		     "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		     "\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n"
		     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		     "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		     g->o.long_bytes, g->head, g->o.subbuf_bytes - g->head);
	add_str(b, "header_page");
	add_num(g, b, n, 8);
	add(b, page, n);
	add_str(b, "header_event");
	add_num(g, b, strlen(event), 8);
	add(b, event, strlen(event));
}

static int count_system(struct datgen *g, const char *system)
{
	int i, n = 0;

	for (i = 0; i < g->nr_events; i++)
		n += !strcmp(g->event[i].system, system);
	return n;
}

static void formats(struct datgen *g, struct bytes *b, const char *system)
{
	int i;

	add_num(g, b, count_system(g, system), 4);
	for (i = 0; i < g->nr_events; i++) {
		if (strcmp(g->event[i].system, system))
			continue;
		add_num(g, b, strlen(g->event[i].text), 8);
		add(b, g->event[i].text, strlen(g->event[i].text));
	}
}

static void systems(struct datgen *g, struct bytes *b)
{
	const char *done[MAX_EVENTS];
	int i, j, n = 0;

	for (i = 0; i < g->nr_events; i++) {
		for (j = 0; j < n && strcmp(done[j], g->event[i].system); j++)
			;
		if (j == n && strcmp(g->event[i].system, "ftrace"))
			done[n++] = g->event[i].system;
	}
	add_num(g, b, n, 4);
	for (i = 0; i < n; i++) {
		add_str(b, done[i]);
		formats(g, b, done[i]);
	}
}

static void sized(struct datgen *g, struct bytes *b, const char *text, int size)
{
	add_num(g, b, strlen(text), size);
	add(b, text, strlen(text));
}

static void flush_all(struct datgen *g)
{
	int i, cpu, nr = g->nr_buffers;

	for (i = 1; i <= nr; i++) {
		g->nr_buffers = i;
		for (cpu = 0; cpu < g->o.cpus; cpu++)
			datgen_flush(g, cpu);
	}
}

static void align_to(struct bytes *b, size_t n)
{
	if (b->len % n)
		add(b, NULL, n - b->len % n);
}

static void note_pages(struct datgen *g, const struct bytes *b, int cpu, size_t size)
{
	size_t i;

	for (i = 0; i < size / g->o.subbuf_bytes && i < 256; i++)
		page_offset[cpu][i] = b->len + i * g->o.subbuf_bytes;
}

static void start(struct datgen *g, struct bytes *b)
{
	add(b, "\x17\x08\x44tracing", 10);
	add_str(b, g->o.version == 6 ? "6" : "7");
	add_num(g, b, g->o.big_endian, 1);
	add_num(g, b, g->o.long_bytes, 1);
	add_num(g, b, g->o.page_bytes, 4);
}

static void v6_table(struct datgen *g, struct bytes *b, struct buffer *buf, size_t at)
{
	int i;

	add(b, "flyrecord", 10);
	for (i = 0; i < g->o.cpus; i++) {
		add_num(g, b, at, 8);
		add_num(g, b, buf->cpu[i].data.len, 8);
		at += buf->cpu[i].data.len;
	}
	sized(g, b, buf->clock, 8);
}

static size_t table_bytes(struct datgen *g, struct buffer *buf)
{
	return 10 + 16 * g->o.cpus + 8 + strlen(buf->clock);
}

static size_t round_up(size_t v, size_t n)
{
	return (v + n - 1) / n * n;
}

static void v6_data(struct datgen *g, struct bytes *b, struct buffer *buf, bool top)
{
	int i;

	align_to(b, g->o.page_bytes);
	if (top)
		data_offset = b->len;
	for (i = 0; i < g->o.cpus; i++) {
		if (top)
			note_pages(g, b, i, buf->cpu[i].data.len);
		add(b, buf->cpu[i].data.p, buf->cpu[i].data.len);
	}
}

static void finish_v6(struct datgen *g, struct bytes *b)
{
	size_t opts, at, data, pos[MAX_BUFFERS];
	int i, j;

	start(g, b);
	header_info(g, b);
	formats(g, b, "ftrace");
	systems(g, b);
	sized(g, b, g->kallsyms, 4);
	sized(g, b, "", 4);
	sized(g, b, g->cmdlines, 8);
	add_num(g, b, g->o.cpus, 4);

	opts = 10 + 6 + 2;
	for (i = 0; i < g->nr_options; i++)
		opts += 6 + g->option[i].len;
	for (i = 1; i < g->nr_buffers; i++)
		opts += 6 + 8 + strlen(g->buffer[i].name) + 1;
	/* where everything will be */
	at = b->len + opts + table_bytes(g, &g->buffer[0]);
	data = round_up(at, g->o.page_bytes);
	at = data;
	for (j = 0; j < g->o.cpus; j++)
		at += g->buffer[0].cpu[j].data.len;
	for (i = 1; i < g->nr_buffers; i++) {
		pos[i] = at;
		at = round_up(at + table_bytes(g, &g->buffer[i]), g->o.page_bytes);
		for (j = 0; j < g->o.cpus; j++)
			at += g->buffer[i].cpu[j].data.len;
	}

	add(b, "options  ", 10);
	add_num(g, b, 4, 2);	/* the clock follows the table */
	add_num(g, b, 0, 4);
	for (i = 0; i < g->nr_options; i++) {
		add_num(g, b, g->option[i].id, 2);
		add_num(g, b, g->option[i].len, 4);
		add(b, g->option[i].data, g->option[i].len);
	}
	for (i = 1; i < g->nr_buffers; i++) {
		add_num(g, b, 3, 2);
		add_num(g, b, 8 + strlen(g->buffer[i].name) + 1, 4);
		add_num(g, b, pos[i], 8);
		add_str(b, g->buffer[i].name);
	}
	add_num(g, b, 0, 2);
	v6_table(g, b, &g->buffer[0], data);
	v6_data(g, b, &g->buffer[0], true);
	for (i = 1; i < g->nr_buffers; i++) {
		v6_table(g, b, &g->buffer[i],
			 round_up(b->len + table_bytes(g, &g->buffer[i]), g->o.page_bytes));
		v6_data(g, b, &g->buffer[i], false);
	}
}

static void pack(struct datgen *g, const uint8_t *src, size_t len, struct bytes *out)
{
	size_t cap = len + len / 2 + 256, n;
	uint8_t *dst = check(malloc(cap));
	uLongf z = cap;

	if (!strcmp(g->o.codec, "zstd")) {
		n = ZSTD_compress(dst, cap, src, len, 3);
		if (ZSTD_isError(n))
			die("zstd");
	} else {
		if (compress(dst, &z, src, len) != Z_OK)
			die("zlib");
		n = z;
	}
	add_num(g, out, n, 4);
	add_num(g, out, len, 4);
	add(out, dst, n);
	free(dst);
}

static size_t section(struct datgen *g, struct bytes *b, int id, struct bytes *body)
{
	size_t at = b->len;
	struct bytes packed = { 0 };
	bool plain = !strcmp(g->o.codec, "none") || !id;

	if (!plain)
		pack(g, body->p ? body->p : (uint8_t *)"", body->len, &packed);
	add_num(g, b, id, 2);
	add_num(g, b, !plain, 2);
	add_num(g, b, 0, 4);
	add_num(g, b, plain ? body->len : packed.len, 8);
	add(b, plain ? body->p : packed.p, plain ? body->len : packed.len);
	free(packed.p);
	free(body->p);
	*body = (struct bytes){ 0 };
	return at;
}

static void option(struct datgen *g, struct bytes *b, int id, const void *data, size_t len)
{
	add_num(g, b, id, 2);
	add_num(g, b, len, 4);
	add(b, data, len);
}

static void option_offset(struct datgen *g, struct bytes *b, int id, size_t at)
{
	add_num(g, b, id, 2);
	add_num(g, b, 8, 4);
	add_num(g, b, at, 8);
}

static void v7_buffer(struct datgen *g, struct bytes *b, struct buffer *buf, bool top,
		      bool last)
{
	bool plain = !strcmp(g->o.codec, "none");
	size_t sec = b->len, at, n, page;
	struct bytes opt = { 0 }, tab = { 0 };
	struct cpu *c;
	int i;

	add_num(g, b, 3, 2);
	add_num(g, b, !plain, 2);
	add_num(g, b, 0, 4);
	add_num(g, b, 0, 8);
	for (i = 0; i < g->o.cpus; i++) {
		c = &buf->cpu[i];
		align_to(b, g->o.page_bytes);
		if (top && !i)
			data_offset = b->len;
		at = b->len;
		if (plain) {
			if (top)
				note_pages(g, b, i, c->data.len);
			add(b, c->data.p, c->data.len);
			n = c->data.len;
		} else {
			page = CHUNK_PAGES * g->o.subbuf_bytes;
			add_num(g, b, (c->data.len + page - 1) / page, 4);
			for (n = 0; n < c->data.len; n += page)
				pack(g, c->data.p + n, c->data.len - n < page ?
				     c->data.len - n : page, b);
			n = b->len - at - 4;	/* trace-cmd leaves out the number of chunks */
		}
		add_num(g, &tab, i, 4);
		add_num(g, &tab, at, 8);
		add_num(g, &tab, n, 8);
	}
	put(g, b->p + sec + 8, b->len - sec - 16, 8);

	add_num(g, &opt, 3, 2);
	add_num(g, &opt, 8 + strlen(buf->name) + 1 + strlen(buf->clock) + 1 + 8 + tab.len, 4);
	add_num(g, &opt, sec, 8);
	add_str(&opt, buf->name);
	add_str(&opt, buf->clock);
	add_num(g, &opt, g->o.subbuf_bytes, 4);
	add_num(g, &opt, g->o.cpus, 4);
	add(&opt, tab.p, tab.len);
	/* the next options come behind the next buffer: filled in by the caller */
	option_offset(g, &opt, 0, last ? 0 : UINT64_MAX);
	section(g, b, 0, &opt);
	free(tab.p);
}

static void finish_v7(struct datgen *g, struct bytes *b)
{
	size_t head, formats_at, ftrace, syms, cmds, opts_ptr, opts, link, next;
	struct bytes body = { 0 };
	int i;

	start(g, b);
	add_str(b, g->o.codec);
	add_str(b, strcmp(g->o.codec, "none") ? "1.0" : "");
	opts_ptr = b->len;
	add_num(g, b, 0, 8);

	header_info(g, &body);
	head = section(g, b, 16, &body);
	formats(g, &body, "ftrace");
	ftrace = section(g, b, 17, &body);
	systems(g, &body);
	formats_at = section(g, b, 18, &body);
	sized(g, &body, g->kallsyms, 4);
	syms = section(g, b, 19, &body);
	sized(g, &body, g->cmdlines, 8);
	cmds = section(g, b, 21, &body);

	option_offset(g, &body, 16, head);
	option_offset(g, &body, 17, ftrace);
	option_offset(g, &body, 18, formats_at);
	option_offset(g, &body, 19, syms);
	option_offset(g, &body, 21, cmds);
	for (i = 0; i < g->nr_options; i++)
		option(g, &body, g->option[i].id, g->option[i].data, g->option[i].len);
	option_offset(g, &body, 0, 0);
	opts = section(g, b, 0, &body);
	put(g, b->p + opts_ptr, opts, 8);
	link = b->len - 8;
	for (i = 0; i < g->nr_buffers; i++) {
		v7_buffer(g, b, &g->buffer[i], !i, i == g->nr_buffers - 1);
		/* its options are the last section: find where that starts */
		next = b->len - 16 -
		       (6 + 8 + strlen(g->buffer[i].name) + 1 + strlen(g->buffer[i].clock) + 1 +
			8 + 20 * g->o.cpus + 14);
		put(g, b->p + link, next, 8);
		link = b->len - 8;
	}
}

uint8_t *datgen_finish(struct datgen *g, size_t *len)
{
	struct bytes b = { 0 };
	int i, j;

	flush_all(g);
	if (g->o.version == 6)
		finish_v6(g, &b);
	else
		finish_v7(g, &b);
	for (i = 0; i < g->nr_events; i++) {
		free(g->event[i].system);
		free(g->event[i].text);
	}
	for (i = 0; i < g->nr_options; i++)
		free(g->option[i].data);
	for (i = 0; i < g->nr_buffers; i++) {
		free(g->buffer[i].name);
		free(g->buffer[i].clock);
		for (j = 0; j < g->o.cpus; j++) {
			free(g->buffer[i].cpu[j].page);
			free(g->buffer[i].cpu[j].data.p);
		}
	}
	free(g->kallsyms);
	free(g->cmdlines);
	free(g);
	*len = b.len;
	return b.p;
}

size_t datgen_page_offset(int cpu, int page)
{
	return page_offset[cpu][page];
}

size_t datgen_data_offset(void)
{
	return data_offset;
}

/* --- a small recording --- */

enum { SWITCH = 300, WAKING, FORCE, CLEAN, QUEUE, START, FSYNC, FSYNC_EXIT, PRINT = 5 };

void datgen_fill(struct datgen *g)
{
	static const struct datgen_field sw[] = {
		{ "char prev_comm[16]", 16, false, 's' }, { "pid_t prev_pid", 4, true, 'n' },
		{ "int prev_prio", 4, true, 'n' }, { "long prev_state", -1, true, 'n' },
		{ "char next_comm[16]", 16, false, 's' }, { "pid_t next_pid", 4, true, 'n' },
		{ "int next_prio", 4, true, 'n' }, { NULL, 0, false, 0 } };
	static const struct datgen_field waking[] = {
		{ "__data_loc char[] comm", 4, false, 'd' }, { "pid_t pid", 4, true, 'n' },
		{ "int prio", 4, true, 'n' }, { "int target_cpu", 4, true, 'n' },
		{ NULL, 0, false, 0 } };
	static const struct datgen_field force[] = {
		{ "dev_t dev", 4, false, 'n' }, { "xfs_lsn_t lsn", 8, true, 'n' },
		{ "unsigned long caller_ip", -1, false, 'n' }, { NULL, 0, false, 0 } };
	static const struct datgen_field iclog[] = {
		{ "dev_t dev", 4, false, 'n' }, { "uint32_t state", 4, false, 'n' },
		{ "int32_t refcount", 4, true, 'n' }, { "uint32_t offset", 4, false, 'n' },
		{ "uint32_t flags", 4, false, 'n' }, { "unsigned long long lsn", 8, false, 'n' },
		{ "unsigned long caller_ip", -1, false, 'n' }, { NULL, 0, false, 0 } };
	static const struct datgen_field work[] = {
		{ "void * work", -1, false, 'n' }, { "void * function", -1, false, 'n' },
		{ "__data_loc char[] workqueue", 4, false, 'd' }, { "int req_cpu", 4, true, 'n' },
		{ "int cpu", 4, true, 'n' }, { NULL, 0, false, 0 } };
	static const struct datgen_field enter[] = {
		{ "int __syscall_nr", 4, true, 'n' }, { "unsigned int fd", -1, false, 'n' },
		{ NULL, 0, false, 0 } };
	static const struct datgen_field leave[] = {
		{ "int __syscall_nr", 4, true, 'n' }, { "long ret", -1, true, 'n' },
		{ NULL, 0, false, 0 } };
	static const struct datgen_field print[] = {
		{ "unsigned long ip", -1, false, 'n' }, { "char buf[]", 0, false, 's' },
		{ NULL, 0, false, 0 } };
	uint64_t t = 1000000000;
	int i;

	datgen_define(g, "ftrace", "print", PRINT, print, "\"%ps: %s\", (void *)REC->ip, REC->buf");
	datgen_define(g, "sched", "sched_switch", SWITCH, sw,
		      "\"%s\", REC->prev_state & 0x7f ? __print_flags(REC->prev_state & 0x7f, "
		      "\"|\", { 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, \"T\" }, "
		      "{ 0x0008, \"t\" }, { 0x0010, \"X\" }, { 0x0020, \"Z\" }, "
		      "{ 0x0040, \"P\" }, { 0x0080, \"I\" }) : \"R\"");
	datgen_define(g, "sched", "sched_waking", WAKING, waking, "\"pid=%d\", REC->pid");
	datgen_define(g, "xfs", "xfs_log_force", FORCE, force, "\"lsn 0x%llx\", REC->lsn");
	datgen_define(g, "xfs", "xlog_iclog_clean", CLEAN, iclog,
		      "\"%s %s\", __print_symbolic(REC->state, { 0, \"XLOG_STATE_ACTIVE\" }, "
		      "{ 4, \"XLOG_STATE_CALLBACK\" }), __print_flags(REC->flags, \"|\", "
		      "{ (1u << 0), \"XLOG_ICL_NEED_FLUSH\" }, "
		      "{ (1u << 1), \"XLOG_ICL_NEED_FUA\" })");
	datgen_define(g, "workqueue", "workqueue_queue_work", QUEUE, work, "\"%p\", REC->work");
	datgen_define(g, "syscalls", "sys_enter_fsync", FSYNC, enter, "\"%d\", REC->fd");
	datgen_define(g, "syscalls", "sys_exit_fsync", FSYNC_EXIT, leave, "\"%d\", REC->ret");
	datgen_kallsyms(g, "c0100000 T xfs_file_fsync\nc0101000 t xlog_cil_push_work\t[xfs]\n"
			   "c0102000 t xlog_ioend_work\t[xfs]\n");
	datgen_cmdlines(g, "100 dd\n200 kworker/1:1H\n");

#define V(...)	((const struct datgen_value[]){ __VA_ARGS__ })
	for (i = 0; i < 10; i++) {
		datgen_emit(g, 0, t += 1000, FSYNC, 100, 0, V(NUM(74), NUM(3)));
		datgen_emit(g, 0, t += 1000, FORCE, 100, 0,
			    V(NUM(7 << 20 | 1), NUM(20 + i), NUM(0xc0100123)));
		datgen_emit(g, 0, t += 1000, QUEUE, 100, 0,
			    V(NUM(0xd0000000 + i), NUM(0xc0101000), STR("xfs-cil/sda"),
			      NUM(8192), NUM(1)));
		datgen_emit(g, 0, t += 1000, SWITCH, 100, 0,
			    V(STR("dd"), NUM(100), NUM(120), NUM(2), STR("swapper/0"),
			      NUM(0), NUM(120)));
		datgen_emit(g, 1, t += 1000, CLEAN, 200, 0x08,
			    V(NUM(7 << 20 | 1), NUM(4), NUM(0), NUM(864), NUM(3),
			      NUM(0x100000000ull + i), NUM(0xc0102010)));
		datgen_emit(g, 1, t += 1000, WAKING, 200, 0x10,
			    V(STR("dd"), NUM(100), NUM(120), NUM(0)));
		datgen_emit(g, 0, t += 1000, SWITCH, 0, 0,
			    V(STR("swapper/0"), NUM(0), NUM(120), NUM(i & 1 ? 0x100 : 0),
			      STR("dd"), NUM(100), NUM(120)));
		datgen_emit(g, 0, t += 1000, FSYNC_EXIT, 100, 0, V(NUM(74), NUM(0)));
	}
#undef V
}
