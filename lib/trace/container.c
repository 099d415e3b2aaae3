// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/container.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/bytes.h"
#include "trace/cursor.h"

#define MAGIC		"\x17\x08\x44tracing"
#define MAGIC_BYTES	10

#define STRING_MAX	4096
#define FORMATS_MAX	65536u
#define SECTIONS_MAX	4096
#define SECTION_HEADER	16
#define CHUNK_MAX_BYTES	(64u << 20)
#define RAW_CPUS_MAX	4096
#define RAW_CPUS_GAP	64

/* Option ids; in version 7 those from 16 on are section ids too. */
enum {
	OPT_DONE	= 0,
	OPT_DATE	= 1,
	OPT_BUFFER	= 3,
	OPT_TRACECLOCK	= 4,
	OPT_UNAME	= 5,
	OPT_OFFSET	= 7,
	OPT_CPUCOUNT	= 8,
	OPT_TSC2NSEC	= 14,
	SEC_STRINGS	= 15,
	SEC_HEADER_INFO	= 16,
	SEC_FTRACE	= 17,
	SEC_EVENTS	= 18,
	SEC_KALLSYMS	= 19,
	SEC_PRINTK	= 20,
	SEC_CMDLINES	= 21,
	SEC_LAST	= 32,
};

#define SECTION_PACKED	1

struct load {
	struct xlv_container	*c;
	struct xlv_error	*err;
	bool			done[SEC_LAST];
	bool			clock_follows;		/* v6: after the CPU table */
	uint64_t		v6_buffers[256];
	char			*v6_names[256];
	int			nr_v6_buffers;
	uint64_t		options_seen[SECTIONS_MAX];
	int			nr_options_seen;
};

static bool host_swap(const struct xlv_container *c)
{
	return c->big_endian != XLV_HOST_BIG;
}

bool xlv_container_is_dat(int fd)
{
	char magic[MAGIC_BYTES];

	return pread(fd, magic, sizeof(magic), 0) == MAGIC_BYTES &&
	       !memcmp(magic, MAGIC, MAGIC_BYTES);
}

static char *dup_text(const char *s, size_t len)
{
	char *p = malloc(len + 1);

	if (p) {
		if (len)
			memcpy(p, s, len);
		p[len] = '\0';
	}
	return p;
}

static void set_text(char **dst, const char *s, size_t len)
{
	char *p = dup_text(s, strnlen(s, len));

	if (p) {
		free(*dst);
		*dst = p;
	}
}

/* --- the sections that both versions have, only packed differently --- */

/*
 * "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;": the kernel's format
 * parser does it, given the lines as those of an event.
 */
static int parse_header_page(struct xlv_container *c, const char *text, size_t len)
{
	struct xlv_page_layout *l = &c->layout;
	struct xlv_field_info f;

	if (xlv_kernel_header_field(c->kernel, text, len, "commit", &f) ||
	    (f.size != 4 && f.size != 8) || f.offset < 8 || f.offset > 64)
		return -1;
	l->commit_offset = f.offset;
	l->commit_size = f.size;
	if (xlv_kernel_header_field(c->kernel, text, len, "data", &f) ||
	    f.offset < l->commit_offset + l->commit_size || f.offset > 256)
		return -1;
	l->data_offset = f.offset;
	if (f.size < 64 || f.size > XLV_SUBBUF_MAX_BYTES - f.offset)
		return -1;
	l->data_size = f.size;
	c->have_layout = true;
	return 0;
}

static void default_layout(struct xlv_container *c)
{
	uint32_t page = c->page_bytes >= 4096 && c->page_bytes <= XLV_SUBBUF_MAX_BYTES ?
			c->page_bytes : 4096;

	c->layout.commit_offset = 8;
	c->layout.commit_size = c->long_bytes;
	c->layout.data_offset = 8 + c->long_bytes;
	c->layout.data_size = page - c->layout.data_offset;
}

static int read_header_info(struct xlv_container *c, struct xlv_cursor *cur)
{
	const char *s;
	uint64_t size;

	s = xlv_cursor_take(cur, 12);
	if (!s || memcmp(s, "header_page", 12))
		return -1;
	size = xlv_cursor_u64(cur);
	s = xlv_cursor_take(cur, size);
	if (!s)
		return -1;
	if (parse_header_page(c, s, size))
		default_layout(c);
	s = xlv_cursor_take(cur, 13);
	if (!s || memcmp(s, "header_event", 13))
		return -1;
	size = xlv_cursor_u64(cur);
	return xlv_cursor_take(cur, size) ? 0 : -1;
}

static int read_formats(struct xlv_container *c, struct xlv_cursor *cur, const char *system)
{
	uint32_t count, i;
	const char *text;
	uint64_t size;

	count = xlv_cursor_u32(cur);
	if (cur->bad || count > FORMATS_MAX)
		return -1;
	for (i = 0; i < count; i++) {
		size = xlv_cursor_u64(cur);
		text = xlv_cursor_take(cur, size);
		if (!text)
			return -1;
		if (xlv_kernel_add_format(c->kernel, system, text, size))
			xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1,
				       xlv_cursor_tell(cur) - size, size,
				       "a format of system '%.32s' can't be read", system);
	}
	return 0;
}

static int read_systems(struct xlv_container *c, struct xlv_cursor *cur)
{
	char system[128];
	uint32_t count, i;
	const char *s;

	count = xlv_cursor_u32(cur);
	if (cur->bad || count > FORMATS_MAX)
		return -1;
	for (i = 0; i < count; i++) {
		s = xlv_cursor_string(cur, STRING_MAX);
		if (!s)
			return -1;
		snprintf(system, sizeof(system), "%s", s);
		if (read_formats(c, cur, system))
			return -1;
	}
	return 0;
}

static int read_kallsyms(struct xlv_container *c, struct xlv_cursor *cur)
{
	const char *text;
	uint32_t size;

	size = xlv_cursor_u32(cur);
	text = xlv_cursor_take(cur, size);
	if (!text)
		return -1;
	if (!c->symbols)
		c->symbols = xlv_symbols_parse(text, size);
	return 0;
}

static int read_printk(struct xlv_cursor *cur)
{
	uint32_t size = xlv_cursor_u32(cur);

	return xlv_cursor_take(cur, size) ? 0 : -1;
}

static int read_cmdlines(struct xlv_container *c, struct xlv_cursor *cur)
{
	const char *text;
	uint64_t size;

	size = xlv_cursor_u64(cur);
	text = xlv_cursor_take(cur, size);
	if (!text)
		return -1;
	free(c->cmdlines);
	c->cmdlines = dup_text(text, size);
	return 0;
}

/* "local global [mono] ..." as the kernel prints it, or just the name. */
static void set_clock(struct xlv_container *c, const char *s, size_t len)
{
	const char *open, *close;

	len = strnlen(s, len);
	open = memchr(s, '[', len);
	close = open ? memchr(open, ']', s + len - open) : NULL;
	if (close) {
		set_text(&c->clock, open + 1, close - open - 1);
		return;
	}
	while (len && (s[len - 1] == '\n' || s[len - 1] == ' '))
		len--;
	if (!memchr(s, ' ', len))
		set_text(&c->clock, s, len);
}

/* "Linux HOST RELEASE MACHINE"; the host may be "(none)" */
static void set_uname(struct xlv_container *c, const char *s, size_t len)
{
	char text[512], *word[4], *save = NULL, *w;
	int n = 0;

	snprintf(text, sizeof(text), "%.*s", (int)strnlen(s, len), s);
	for (w = strtok_r(text, " \n", &save); w && n < 4; w = strtok_r(NULL, " \n", &save))
		word[n++] = w;
	if (n == 4) {
		set_text(&c->release, word[2], strlen(word[2]));
		set_text(&c->machine, word[3], strlen(word[3]));
	}
}

static void bad_option(struct load *l, unsigned int id, uint64_t offset, uint32_t size,
		       const char *why)
{
	xlv_damage_add(l->c->damage, XLV_DAMAGE_SECTION, -1, offset, size,
		       "option %u of %u bytes %s; it was left out", id, size, why);
}

/* A terminated number in the text of an option. */
static int64_t option_number(const char *data, uint32_t size)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*s", (int)strnlen(data, size), data);
	return strtoll(text, NULL, 0);
}

static int buffer_grow(struct xlv_container *c, struct xlv_buffer **b)
{
	void *p;

	if (c->nr_buffers >= 1024)
		return -1;
	p = realloc(c->buffer, (c->nr_buffers + 1) * sizeof(*c->buffer));
	if (!p)
		return -1;
	c->buffer = p;
	*b = &c->buffer[c->nr_buffers];
	memset(*b, 0, sizeof(**b));
	return 0;
}

static void buffer_clear(struct xlv_buffer *b)
{
	free(b->name);
	free(b->clock);
	free(b->cpu);
	memset(b, 0, sizeof(*b));
}

/*
 * How much of what was promised the file holds. The size of compressed data does
 * not cover the number of chunks before it.
 */
static void set_avail(struct xlv_container *c, struct xlv_cpu_data *d)
{
	uint64_t left = d->offset < c->size ? c->size - d->offset : 0;

	d->avail = d->size < left ? d->size : left;
	if (d->packed && d->size)
		d->avail = left - d->avail < 4 ? left : d->avail + 4;
}

static uint32_t subbuf_bytes(const struct xlv_container *c, uint32_t said)
{
	uint32_t page = c->layout.data_offset + c->layout.data_size;

	/* version 7 says it for each buffer; a power of two, or it is damage */
	if (said >= 1024 && said <= XLV_SUBBUF_MAX_BYTES && !(said & (said - 1)))
		return said;
	return page;
}

static bool section_header(struct xlv_container *c, uint64_t offset, unsigned int *id,
			   unsigned int *flags, uint64_t *size)
{
	uint8_t h[SECTION_HEADER];
	bool swap = host_swap(c);

	if (offset > c->size || c->size - offset < sizeof(h) ||
	    pread(c->fd, h, sizeof(h), offset) != sizeof(h))
		return false;
	*id = xlv_get16(h, swap);
	*flags = xlv_get16(h + 2, swap);
	*size = xlv_get64(h + 8, swap);
	return true;
}

/*
 * offset, name, clock, page size, number of CPUs, then CPU, offset and size of
 * each.
 */
static void option_buffer_v7(struct load *l, const char *data, uint32_t size, uint64_t at)
{
	struct xlv_container *c = l->c;
	uint8_t seen[XLV_CPUS_MAX / 8] = { 0 };
	unsigned int id, flags, i, count;
	struct xlv_cursor cur;
	struct xlv_cpu_data *d;
	uint64_t section, len;
	struct xlv_buffer *b;
	const char *s;
	char *copy;

	copy = dup_text(data, size);
	if (!copy || buffer_grow(c, &b)) {
		free(copy);
		return;
	}
	xlv_cursor_memory(&cur, copy, size, host_swap(c));
	section = xlv_cursor_u64(&cur);
	s = xlv_cursor_string(&cur, STRING_MAX);
	b->name = s ? dup_text(s, strlen(s)) : NULL;
	s = xlv_cursor_string(&cur, STRING_MAX);
	b->clock = s ? dup_text(s, strlen(s)) : NULL;
	b->subbuf_bytes = xlv_cursor_u32(&cur);
	count = xlv_cursor_u32(&cur);
	if (!b->name || !b->clock || cur.bad || count > XLV_CPUS_MAX ||
	    count > xlv_cursor_left(&cur) / 20) {
		bad_option(l, OPT_BUFFER, at, size, "is no description of a buffer");
		goto fail;
	}
	if (!section_header(c, section, &id, &flags, &len) || id != OPT_BUFFER) {
		/* the data itself is reached through the table below */
		flags = c->codec_kind != XLV_CODEC_NONE ? SECTION_PACKED : 0;
		if (section < c->size)
			bad_option(l, OPT_BUFFER, at, size, "points to no buffer");
	}
	b->cpu = calloc(count ? count : 1, sizeof(*b->cpu));
	if (!b->cpu)
		goto fail;
	for (i = 0; i < count; i++) {
		d = &b->cpu[b->nr_cpus];
		d->cpu = (int)xlv_cursor_u32(&cur);
		d->offset = xlv_cursor_u64(&cur);
		d->size = xlv_cursor_u64(&cur);
		d->packed = flags & SECTION_PACKED;
		d->fd = c->fd;
		set_avail(c, d);
		if ((unsigned int)d->cpu >= XLV_CPUS_MAX ||
		    seen[d->cpu / 8] & 1 << d->cpu % 8) {
			xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1, at, d->avail,
				       "data of a CPU that can't be: number %d", d->cpu);
			continue;
		}
		seen[d->cpu / 8] |= 1 << d->cpu % 8;
		b->nr_cpus++;
	}
	b->subbuf_bytes = subbuf_bytes(c, b->subbuf_bytes);
	c->nr_buffers++;
	xlv_cursor_free(&cur);
	return;
fail:
	buffer_clear(b);
	xlv_cursor_free(&cur);
}

static void option_buffer_v6(struct load *l, const char *data, uint32_t size, uint64_t at)
{
	int n = l->nr_v6_buffers;

	if (size < 9 || n == 256) {
		bad_option(l, OPT_BUFFER, at, size, "is no description of a buffer");
		return;
	}
	l->v6_buffers[n] = xlv_get64(data, host_swap(l->c));
	l->v6_names[n] = dup_text(data + 8, strnlen(data + 8, size - 8));
	if (l->v6_names[n])
		l->nr_v6_buffers++;
}

static void read_option(struct load *l, unsigned int id, const char *data, uint32_t size,
			uint64_t at)
{
	struct xlv_container *c = l->c;
	bool swap = host_swap(c);
	uint32_t n;

	switch (id) {
	case OPT_DATE:
		c->ts_offset_ns += (int64_t)((uint64_t)option_number(data, size) * 1000);
		break;
	case OPT_OFFSET:
		c->ts_offset_ns += option_number(data, size);
		break;
	case OPT_TRACECLOCK:
		if (size)
			set_clock(c, data, size);
		else
			l->clock_follows = true;
		break;
	case OPT_UNAME:
		set_uname(c, data, size);
		break;
	case OPT_CPUCOUNT:
		n = size == 4 ? xlv_get32(data, swap) : 0;
		if (!n || n > XLV_CPUS_MAX)
			bad_option(l, id, at, size, "is no number of CPUs");
		else
			c->nr_cpus = n;
		break;
	case OPT_TSC2NSEC:
		if (size < 16 || xlv_get32(data + 4, swap) > 63) {
			bad_option(l, id, at, size, "is no conversion of the clock");
			break;
		}
		c->tsc_mult = xlv_get32(data, swap);
		c->tsc_shift = xlv_get32(data + 4, swap);
		c->tsc_offset = xlv_get64(data + 8, swap);
		break;
	case OPT_BUFFER:
		if (c->version == 6)
			option_buffer_v6(l, data, size, at);
		else
			option_buffer_v7(l, data, size, at);
		break;
	}
}

/* --- version 6: one thing after the other --- */

/* The CPU table: offset and size of each CPU's data. */
static int read_v6_table(struct load *l, struct xlv_cursor *cur, uint32_t cpus, char *name)
{
	struct xlv_container *c = l->c;
	struct xlv_cpu_data *d;
	struct xlv_buffer *b;
	const char *s;
	uint64_t size;
	uint32_t i;

	if (buffer_grow(c, &b))
		return -1;
	b->name = name;
	b->subbuf_bytes = subbuf_bytes(c, 0);
	b->cpu = calloc(cpus ? cpus : 1, sizeof(*b->cpu));
	if (!b->name || !b->cpu)
		goto fail;
	for (i = 0; i < cpus; i++) {
		d = &b->cpu[i];
		d->cpu = i;
		d->fd = c->fd;
		d->offset = xlv_cursor_u64(cur);
		d->size = xlv_cursor_u64(cur);
		if (cur->bad)
			goto fail;
		set_avail(c, d);
	}
	b->nr_cpus = cpus;
	if (l->clock_follows) {
		size = xlv_cursor_u64(cur);
		s = size < STRING_MAX ? xlv_cursor_take(cur, size) : NULL;
		if (s)
			set_clock(c, s, size);
	}
	b->clock = strdup(c->clock);
	if (!b->clock)
		goto fail;
	c->nr_buffers++;
	return 0;
fail:
	buffer_clear(b);
	return -1;
}

static void read_v6_instances(struct load *l, uint32_t cpus)
{
	struct xlv_container *c = l->c;
	struct xlv_cursor cur;
	const char *tag;
	int i;

	for (i = 0; i < l->nr_v6_buffers; i++) {
		xlv_cursor_file(&cur, c->fd, l->v6_buffers[i], c->size, host_swap(c));
		tag = xlv_cursor_take(&cur, 10);
		if (!tag || memcmp(tag, "flyrecord", 10)) {
			xlv_damage_add(c->damage, tag ? XLV_DAMAGE_SECTION : XLV_DAMAGE_CUT, -1,
				       l->v6_buffers[i], -1, "buffer '%.32s' is not where the "
				       "file says", l->v6_names[i]);
			free(l->v6_names[i]);
		} else if (read_v6_table(l, &cur, cpus, l->v6_names[i])) {
			xlv_damage_add(c->damage, XLV_DAMAGE_CUT, -1, l->v6_buffers[i], -1,
				       "the CPU table of a buffer is cut short");
		}
		l->v6_names[i] = NULL;
		xlv_cursor_free(&cur);
	}
}

static int cut_in(struct load *l, struct xlv_cursor *cur, const char *what)
{
	bool eof = xlv_cursor_left(cur) < 64 || cur->bad;

	xlv_damage_add(l->c->damage, eof ? XLV_DAMAGE_CUT : XLV_DAMAGE_SECTION, -1,
		       xlv_cursor_tell(cur), -1, "the %s %s", what,
		       eof ? "end early" : "make no sense");
	return -1;
}

static int read_v6(struct load *l, struct xlv_cursor *cur)
{
	struct xlv_container *c = l->c;
	uint64_t size, at;
	unsigned int id;
	uint32_t cpus;
	const char *s;

	if (read_header_info(c, cur))
		return cut_in(l, cur, "page headers");
	if (read_formats(c, cur, "ftrace"))
		return cut_in(l, cur, "ftrace formats");
	if (read_systems(c, cur))
		return cut_in(l, cur, "event formats");
	if (read_kallsyms(c, cur))
		return cut_in(l, cur, "kernel symbols");
	if (read_printk(cur))
		return cut_in(l, cur, "printk formats");
	if (read_cmdlines(c, cur))
		return cut_in(l, cur, "command names");
	cpus = xlv_cursor_u32(cur);
	if (cur->bad || cpus > XLV_CPUS_MAX)
		return cut_in(l, cur, "CPU data");
	c->nr_cpus = cpus;

	s = xlv_cursor_take(cur, 10);
	if (s && !memcmp(s, "options  ", 10)) {
		while ((id = xlv_cursor_u16(cur)) != OPT_DONE && !cur->bad) {
			size = xlv_cursor_u32(cur);
			at = xlv_cursor_tell(cur);
			s = xlv_cursor_take(cur, size);
			if (s)
				read_option(l, id, s, size, at);
		}
		s = xlv_cursor_take(cur, 10);
	}
	if (!s)
		return cut_in(l, cur, "options");
	if (!memcmp(s, "latency  ", 10)) {
		xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1, xlv_cursor_tell(cur), -1,
			       "the file holds text of a latency tracer, no events");
		return -1;
	}
	if (memcmp(s, "flyrecord", 10))
		return cut_in(l, cur, "options");
	if (read_v6_table(l, cur, cpus, strdup("")))
		return cut_in(l, cur, "CPU tables");
	read_v6_instances(l, cpus);
	return 0;
}

/* --- version 7: sections --- */

static const char *const section_names[SEC_LAST] = {
	[OPT_DONE]		= "options",
	[OPT_BUFFER]		= "CPU data",
	[SEC_STRINGS]		= "strings",
	[SEC_HEADER_INFO]	= "page headers",
	[SEC_FTRACE]		= "ftrace formats",
	[SEC_EVENTS]		= "event formats",
	[SEC_KALLSYMS]		= "kernel symbols",
	[SEC_PRINTK]		= "printk formats",
	[SEC_CMDLINES]		= "command names",
};

/* Have a section's bytes in @cur, decompressed. */
static int section_open(struct load *l, uint64_t offset, unsigned int want, struct xlv_cursor *cur)
{
	struct xlv_container *c = l->c;
	unsigned int id, flags;
	uint32_t packed, plain;
	const void *src;
	uint64_t size;
	void *dst;

	if (!section_header(c, offset, &id, &flags, &size)) {
		xlv_damage_add(c->damage, XLV_DAMAGE_CUT, -1, c->size, -1,
			       "the %s should be at %" PRIu64 ", past the file's end",
			       section_names[want], offset);
		return -1;
	}
	if (id != want) {
		xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1, offset, -1,
			       "the %s are not where the file says", section_names[want]);
		return -1;
	}
	offset += SECTION_HEADER;
	if (size > c->size - offset) {
		xlv_damage_add(c->damage, XLV_DAMAGE_CUT, -1, c->size,
			       size - (c->size - offset) > INT64_MAX ? -1 :
			       (int64_t)(size - (c->size - offset)),
			       "the %s are cut short", section_names[want]);
		size = c->size - offset;
	}
	xlv_cursor_file(cur, c->fd, offset, offset + size, host_swap(c));
	/* a recorder that was killed leaves its last section without a size */
	if (!(flags & SECTION_PACKED) || !size)
		return 0;

	packed = xlv_cursor_u32(cur);
	plain = xlv_cursor_u32(cur);
	src = xlv_cursor_take(cur, packed);
	if (!src || plain > XLV_CURSOR_MAX || c->codec_kind == XLV_CODEC_NONE)
		goto fail;
	dst = malloc(plain ? plain : 1);
	if (!dst)
		goto fail;
	if (xlv_codec_unpack(c->codec, dst, plain, src, packed)) {
		free(dst);
		goto fail;
	}
	xlv_cursor_free(cur);
	xlv_cursor_memory(cur, dst, plain, host_swap(c));
	return 0;
fail:
	xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1, offset, size,
		       "the %s can't be decompressed", section_names[want]);
	xlv_cursor_free(cur);
	return -1;
}

static int read_section(struct load *l, unsigned int id, uint64_t offset)
{
	struct xlv_container *c = l->c;
	struct xlv_cursor cur;
	int ret = 0;

	if (id < SEC_HEADER_INFO || id > SEC_CMDLINES || id == SEC_PRINTK || l->done[id])
		return 0;
	if (section_open(l, offset, id, &cur))
		return -1;
	switch (id) {
	case SEC_HEADER_INFO:
		ret = read_header_info(c, &cur);
		break;
	case SEC_FTRACE:
		ret = read_formats(c, &cur, "ftrace");
		break;
	case SEC_EVENTS:
		ret = read_systems(c, &cur);
		break;
	case SEC_KALLSYMS:
		ret = xlv_cursor_left(&cur) ? read_kallsyms(c, &cur) : 0;
		break;
	case SEC_CMDLINES:
		ret = read_cmdlines(c, &cur);
		break;
	}
	if (ret)
		xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1, offset, -1,
			       "the %s end early or make no sense", section_names[id]);
	l->done[id] = true;
	xlv_cursor_free(&cur);
	return ret;
}

/* Returns where the next options are, 0 for no more, UINT64_MAX if that is lost. */
static uint64_t read_options_v7(struct load *l, uint64_t offset)
{
	struct xlv_container *c = l->c;
	uint64_t next = UINT64_MAX, at;
	struct xlv_cursor cur;
	unsigned int id;
	uint32_t size;
	const char *s;
	int i;

	for (i = 0; i < l->nr_options_seen; i++)
		if (l->options_seen[i] == offset)
			return UINT64_MAX;
	if (i == SECTIONS_MAX)
		return UINT64_MAX;
	if (section_open(l, offset, OPT_DONE, &cur))
		return UINT64_MAX;
	l->options_seen[l->nr_options_seen++] = offset;

	while (xlv_cursor_left(&cur) >= 6) {
		id = xlv_cursor_u16(&cur);
		size = xlv_cursor_u32(&cur);
		at = offset + SECTION_HEADER + cur.pos;
		s = xlv_cursor_take(&cur, size);
		if (!s)
			break;
		if (id == OPT_DONE) {
			if (size >= 8)
				next = xlv_get64(s, host_swap(c));
			break;
		}
		if (id >= SEC_HEADER_INFO && id <= SEC_CMDLINES && size == 8)
			read_section(l, id, xlv_get64(s, host_swap(c)));
		else
			read_option(l, id, s, size, at);
	}
	xlv_cursor_free(&cur);
	return next;
}

/* Is there a buffer whose data lies in this section? */
static bool section_known(const struct xlv_container *c, uint64_t start, uint64_t end)
{
	int i, j;

	for (i = 0; i < c->nr_buffers; i++)
		for (j = 0; j < c->buffer[i].nr_cpus; j++)
			if (c->buffer[i].cpu[j].offset >= start &&
			    c->buffer[i].cpu[j].offset < end)
				return true;
	return false;
}

static struct xlv_cpu_data *recovered_cpu(struct xlv_container *c, struct xlv_buffer *b,
					  uint64_t offset)
{
	struct xlv_cpu_data *d;
	void *p;

	if ((unsigned int)b->nr_cpus == XLV_CPUS_MAX)
		return NULL;
	p = realloc(b->cpu, (b->nr_cpus + 1) * sizeof(*b->cpu));
	if (!p)
		return NULL;
	b->cpu = p;
	d = &b->cpu[b->nr_cpus];
	memset(d, 0, sizeof(*d));
	d->cpu = b->nr_cpus++;
	d->fd = c->fd;
	d->offset = offset;
	return d;
}

/*
 * Pages one after the other, CPU after CPU. Each CPU's start with the oldest:
 * where time jumps back, the next CPU begins.
 */
static void recover_plain(struct xlv_container *c, struct xlv_buffer *b, uint64_t start,
			  uint64_t end)
{
	const struct xlv_page_layout *l = &c->layout;
	struct xlv_cpu_data *d = NULL;
	bool swap = host_swap(c);
	uint64_t ts, last = 0, commit, at;
	uint8_t h[128];
	size_t n = l->commit_offset + l->commit_size;

	for (at = start; at < end && end - at > n; at += b->subbuf_bytes) {
		if (pread(c->fd, h, n, at) != (ssize_t)n)
			break;
		ts = xlv_get64(h, swap);
		commit = xlv_get(h + l->commit_offset, l->commit_size, swap) & 0xfffff;
		if (!ts && !commit)
			continue;
		if (!d || (ts && ts < last)) {
			d = recovered_cpu(c, b, at);
			if (!d)
				return;
		}
		last = ts;
		d->size = (end - at < b->subbuf_bytes ? end : at + b->subbuf_bytes) - d->offset;
		d->avail = d->size;
	}
}

/* Each CPU: the number of chunks, then each with its two sizes before it. */
static void recover_packed(struct xlv_container *c, struct xlv_buffer *b, uint64_t start,
			   uint64_t end)
{
	uint32_t count, packed, plain, i, page = c->page_bytes;
	bool swap = host_swap(c);
	struct xlv_cpu_data *d;
	uint64_t at = start;
	uint8_t h[8];

	while (at < end && end - at > 12) {
		if (pread(c->fd, h, 4, at) != 4)
			break;
		count = xlv_get32(h, swap);
		d = recovered_cpu(c, b, at);
		if (!d)
			return;
		d->packed = true;
		d->open_ended = !count;
		at += 4;
		for (i = 0; (i < count || !count) && end - at > 8; i++) {
			if (pread(c->fd, h, 8, at) != 8)
				break;
			packed = xlv_get32(h, swap);
			plain = xlv_get32(h + 4, swap);
			if (!packed || !plain || packed > CHUNK_MAX_BYTES ||
			    plain > CHUNK_MAX_BYTES)
				break;
			at += 8;
			at = packed > end - at ? end : at + packed;
		}
		d->size = at - d->offset;
		set_avail(c, d);
		if (!i) {
			b->nr_cpus--;
			break;
		}
		at = (at + page - 1) / page * page;
	}
}

/* A buffer whose description is gone: find its CPUs by looking at its data. */
static void recover_buffer(struct load *l, uint64_t section, unsigned int flags, uint64_t size)
{
	struct xlv_container *c = l->c;
	uint64_t start, end;
	struct xlv_buffer *b;
	uint32_t page = c->page_bytes;
	int cpu;

	if (page < 1024 || page > XLV_SUBBUF_MAX_BYTES || (page & (page - 1)))
		page = 4096;
	start = (section + SECTION_HEADER + page - 1) / page * page;
	end = size && size <= c->size - section - SECTION_HEADER ?
	      section + SECTION_HEADER + size : c->size;
	if (start >= end || buffer_grow(c, &b))
		return;
	b->name = strdup("");
	b->clock = strdup(c->clock);
	b->subbuf_bytes = subbuf_bytes(c, 0);
	if (!b->name || !b->clock) {
		buffer_clear(b);
		return;
	}
	if (flags & SECTION_PACKED)
		recover_packed(c, b, start, end);
	else
		recover_plain(c, b, start, end);
	if (!b->nr_cpus) {
		buffer_clear(b);
		return;
	}
	c->nr_buffers++;
	xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1, section, -1,
		       "the description of a buffer is missing: its data was found by "
		       "searching, CPU numbers are assumed");
	xlv_damage_add(c->damage, XLV_DAMAGE_CUT, b->nr_cpus - 1, c->size, -1,
		       "the data of CPU %d may end early", b->nr_cpus - 1);
	for (cpu = b->nr_cpus; cpu < c->nr_cpus; cpu++)
		xlv_damage_add(c->damage, XLV_DAMAGE_CUT, cpu, c->size, -1,
			       "the data of CPU %d is missing", cpu);
}

/* Visit the sections one after the other, as they were written. */
static void walk_sections(struct load *l, uint64_t offset, bool buffers)
{
	struct xlv_container *c = l->c;
	unsigned int id, flags;
	uint64_t size;
	int i;

	for (i = 0; i < SECTIONS_MAX; i++) {
		if (!section_header(c, offset, &id, &flags, &size) || id >= SEC_LAST)
			return;
		if (!buffers) {
			if (id == OPT_DONE && size)
				read_options_v7(l, offset);
			else
				read_section(l, id, offset);
		} else if (id == OPT_BUFFER &&
			   !section_known(c, offset, size ? offset + SECTION_HEADER + size :
					  c->size)) {
			recover_buffer(l, offset, flags, size);
		}
		/* the size is filled in last: none means the recorder died here */
		if (!size && id != SEC_KALLSYMS)
			return;
		if (size > c->size - offset - SECTION_HEADER)
			return;
		offset += SECTION_HEADER + size;
	}
}

static int read_v7(struct load *l, struct xlv_cursor *cur)
{
	struct xlv_container *c = l->c;
	uint64_t next, first, start;
	bool lost;
	int i;

	next = first = xlv_cursor_u64(cur);
	start = xlv_cursor_tell(cur);
	if (cur->bad)
		return cut_in(l, cur, "headers");

	for (i = 0; next && next != UINT64_MAX && i < SECTIONS_MAX; i++)
		next = read_options_v7(l, next);

	lost = !first || next || !l->done[SEC_HEADER_INFO] || !l->done[SEC_EVENTS];
	if (lost || !c->nr_buffers) {
		walk_sections(l, start, false);
		walk_sections(l, start, true);
	}
	return c->nr_buffers ? 0 : -1;
}

/* --- opening --- */

static int read_codec(struct load *l, struct xlv_cursor *cur)
{
	struct xlv_container *c = l->c;
	const char *name;

	name = xlv_cursor_string(cur, 64);
	if (!name)
		return xlv_fail(l->err, "'%s' ends within its first %" PRIu64 " bytes", c->path,
				c->size);
	if (!strcmp(name, "none"))
		c->codec_kind = XLV_CODEC_NONE;
	else if (!strcmp(name, "zlib"))
		c->codec_kind = XLV_CODEC_ZLIB;
	else if (!strcmp(name, "zstd"))
		c->codec_kind = XLV_CODEC_ZSTD;
	else
		return xlv_fail(l->err, "'%s' is compressed with '%s': convert it with "
				"'trace-cmd convert --compression zstd'", c->path, name);
	xlv_cursor_string(cur, 64);
	c->codec = xlv_codec_new(c->codec_kind);
	return c->codec ? 0 : xlv_fail(l->err, "unable to read '%s': out of memory", c->path);
}

static int read_start(struct load *l, struct xlv_cursor *cur)
{
	struct xlv_container *c = l->c;
	const uint8_t *p;
	const char *s;

	p = xlv_cursor_take(cur, MAGIC_BYTES);
	if (!p || memcmp(p, MAGIC, MAGIC_BYTES))
		return xlv_fail(l->err, "'%s' is not a trace.dat file: it starts with other bytes",
				c->path);
	s = xlv_cursor_string(cur, 16);
	c->version = s ? atoi(s) : 0;
	if (c->version != 6 && c->version != 7)
		return xlv_fail(l->err, "'%s' has version '%.8s' of the trace.dat format; only 6 "
				"and 7 can be read", c->path, s ? s : "");
	p = xlv_cursor_take(cur, 2);
	if (!p || p[0] > 1 || (p[1] != 4 && p[1] != 8))
		return xlv_fail(l->err, "'%s' is damaged at byte 12: no byte order or word size",
				c->path);
	c->big_endian = p[0];
	c->long_bytes = p[1];
	cur->swap = host_swap(c);
	c->page_bytes = xlv_cursor_u32(cur);
	if (cur->bad)
		return xlv_fail(l->err, "'%s' ends within its first %" PRIu64 " bytes", c->path,
				c->size);
	if (c->page_bytes < 1024 || c->page_bytes > XLV_SUBBUF_MAX_BYTES)
		c->page_bytes = 4096;
	default_layout(c);
	return 0;
}

/* "FILE.cpuN" beside "FILE": what a recorder had before it was killed. */
static void find_raw(struct xlv_container *c)
{
	struct xlv_cpu_data *d;
	struct xlv_buffer *b;
	int cpu, gap = 0, fd;
	struct stat st;
	char *name;
	void *p;

	if (buffer_grow(c, &b))
		return;
	for (cpu = 0; cpu < RAW_CPUS_MAX && gap < RAW_CPUS_GAP; cpu++) {
		if (asprintf(&name, "%s.cpu%d", c->path, cpu) < 0)
			break;
		fd = open(name, O_RDONLY | O_CLOEXEC);
		free(name);
		if (fd < 0) {
			gap++;
			continue;
		}
		gap = 0;
		if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
			close(fd);
			continue;
		}
		p = realloc(c->raw_fd, (c->nr_raw_fd + 1) * sizeof(*c->raw_fd));
		if (!p) {
			close(fd);
			break;
		}
		c->raw_fd = p;
		c->raw_fd[c->nr_raw_fd++] = fd;
		d = recovered_cpu(c, b, 0);
		if (!d)
			break;
		d->cpu = cpu;
		d->fd = fd;
		d->size = d->avail = st.st_size;
	}
	if (!b->nr_cpus) {
		if (!c->damage->nr)
			xlv_damage_add(c->damage, XLV_DAMAGE_CUT, -1, c->size, -1,
				       "the recorder did not finish this file");
		return;
	}
	b->name = strdup("");
	b->clock = strdup(c->clock);
	b->subbuf_bytes = subbuf_bytes(c, 0);
	if (!b->name || !b->clock) {
		buffer_clear(b);
		return;
	}
	c->nr_buffers++;
	c->format = "raw";
	xlv_damage_add(c->damage, XLV_DAMAGE_CUT, -1, c->size, -1,
		       "the recorder was killed: events come from the files '.cpuN' beside it");
}

void xlv_container_note_cuts(struct xlv_container *c, struct xlv_buffer *b)
{
	struct xlv_cpu_data *d;
	uint64_t gone, room = c->size;

	for (d = b->cpu; d < b->cpu + b->nr_cpus; d++) {
		gone = d->size > d->avail ? d->size - d->avail : 0;
		if (gone)
			xlv_damage_add(c->damage, XLV_DAMAGE_CUT, d->cpu,
				       d->avail ? d->offset + d->avail : c->size,
				       gone > INT64_MAX ? -1 : (int64_t)gone,
				       "the data of CPU %d %s", d->cpu,
				       d->avail ? "is cut short" : "is missing");
		if (d->fd != c->fd)
			continue;
		if (d->avail > room) {
			xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, d->cpu, d->offset, d->avail,
				       "the data of CPU %d lies over that of others", d->cpu);
			d->avail = 0;
		}
		room -= d->avail;
	}
}

static int fail_empty(struct load *l)
{
	struct xlv_container *c = l->c;
	const struct xlv_damage *d;

	if (!c->damage->nr)
		return xlv_fail(l->err, "'%s' holds no CPU's data", c->path);
	d = &c->damage->d[c->damage->nr - 1];
	return xlv_fail(l->err, "'%s' can't be read: %s (at byte %" PRId64 " of %" PRIu64 "); "
			"record again, or look for '%s.cpuN' files", c->path, d->what,
			d->offset_bytes, c->size, c->path);
}

struct xlv_container *xlv_container_open(const char *path, int fd, struct xlv_damage_list *damage,
					 struct xlv_error *err)
{
	struct load *l = NULL;
	struct xlv_cursor cur = { .fd = -1 };
	struct xlv_container *c;
	struct stat st;
	int i;

	c = calloc(1, sizeof(*c));
	if (!c) {
		close(fd);
		goto nomem;
	}
	c->fd = fd;
	c->damage = damage;
	c->format = "trace.dat";
	c->path = strdup(path);
	c->release = strdup("");
	c->machine = strdup("");
	c->clock = strdup("");
	l = calloc(1, sizeof(*l));
	if (!c->path || !c->release || !c->machine || !c->clock || !l)
		goto nomem;
	l->c = c;
	l->err = err;
	if (fstat(fd, &st)) {
		xlv_fail(err, "unable to read '%s': %s", path, strerror(errno));
		goto fail;
	}
	c->size = st.st_size;

	xlv_cursor_file(&cur, fd, 0, c->size, false);
	if (read_start(l, &cur))
		goto fail;
	c->kernel = xlv_kernel_new(c->big_endian, c->long_bytes);
	if (!c->kernel)
		goto nomem;
	if (c->version == 7 && read_codec(l, &cur))
		goto fail;
	if ((c->version == 6 ? read_v6(l, &cur) : read_v7(l, &cur)) && !c->nr_buffers)
		find_raw(c);
	if (!c->nr_buffers || !xlv_kernel_nr_formats(c->kernel)) {
		fail_empty(l);
		goto fail;
	}
	xlv_cursor_free(&cur);
	free(l);
	return c;
nomem:
	xlv_fail(err, "unable to read '%s': out of memory", path);
fail:
	if (l)
		for (i = 0; i < l->nr_v6_buffers; i++)
			free(l->v6_names[i]);
	xlv_cursor_free(&cur);
	free(l);
	xlv_container_close(c);
	return NULL;
}

void xlv_container_close(struct xlv_container *c)
{
	int i;

	if (!c)
		return;
	for (i = 0; i < c->nr_buffers; i++)
		buffer_clear(&c->buffer[i]);
	for (i = 0; i < c->nr_raw_fd; i++)
		close(c->raw_fd[i]);
	free(c->buffer);
	free(c->raw_fd);
	xlv_kernel_free(c->kernel);
	xlv_symbols_free(c->symbols);
	xlv_codec_free(c->codec);
	free(c->cmdlines);
	free(c->release);
	free(c->machine);
	free(c->clock);
	free(c->path);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}
