// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of a trace.dat that both versions have, and the list of buffers. */
#include "config.h"

#include "trace/container_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMATS_MAX	65536u

char *xlv_load_dup(const char *s, size_t len)
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
	char *p = xlv_load_dup(s, strnlen(s, len));

	if (p) {
		free(*dst);
		*dst = p;
	}
}

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

void xlv_load_default_layout(struct xlv_container *c)
{
	uint32_t page = c->page_bytes >= 4096 && c->page_bytes <= XLV_SUBBUF_MAX_BYTES ?
			c->page_bytes : 4096;

	c->layout.commit_offset = 8;
	c->layout.commit_size = c->long_bytes;
	c->layout.data_offset = 8 + c->long_bytes;
	c->layout.data_size = page - c->layout.data_offset;
}

int xlv_load_header_info(struct xlv_container *c, struct xlv_cursor *cur)
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
		xlv_load_default_layout(c);
	s = xlv_cursor_take(cur, 13);
	if (!s || memcmp(s, "header_event", 13))
		return -1;
	size = xlv_cursor_u64(cur);
	return xlv_cursor_take(cur, size) ? 0 : -1;
}

int xlv_load_formats(struct xlv_container *c, struct xlv_cursor *cur, const char *system)
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

int xlv_load_systems(struct xlv_container *c, struct xlv_cursor *cur)
{
	char system[128];
	uint32_t count, i;
	const char *s;

	count = xlv_cursor_u32(cur);
	if (cur->bad || count > FORMATS_MAX)
		return -1;
	for (i = 0; i < count; i++) {
		s = xlv_cursor_string(cur, XLV_LOAD_STRING_MAX);
		if (!s)
			return -1;
		snprintf(system, sizeof(system), "%s", s);
		if (xlv_load_formats(c, cur, system))
			return -1;
	}
	return 0;
}

int xlv_load_kallsyms(struct xlv_container *c, struct xlv_cursor *cur)
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

int xlv_load_printk(struct xlv_cursor *cur)
{
	uint32_t size = xlv_cursor_u32(cur);

	return xlv_cursor_take(cur, size) ? 0 : -1;
}

int xlv_load_cmdlines(struct xlv_container *c, struct xlv_cursor *cur)
{
	const char *text;
	uint64_t size;

	size = xlv_cursor_u64(cur);
	text = xlv_cursor_take(cur, size);
	if (!text)
		return -1;
	free(c->cmdlines);
	c->cmdlines = xlv_load_dup(text, size);
	return 0;
}

/* "local global [mono] ..." as the kernel prints it, or just the name. */
void xlv_load_clock(struct xlv_container *c, const char *s, size_t len)
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

void xlv_load_bad_option(struct xlv_load *l, unsigned int id, uint64_t offset, uint32_t size,
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

int xlv_load_new_buffer(struct xlv_container *c, struct xlv_buffer **b)
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

void xlv_load_clear_buffer(struct xlv_buffer *b)
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
void xlv_load_set_avail(struct xlv_container *c, struct xlv_cpu_data *d)
{
	uint64_t left = d->offset < c->size ? c->size - d->offset : 0;

	d->avail = d->size < left ? d->size : left;
	if (d->packed && d->size)
		d->avail = left - d->avail < 4 ? left : d->avail + 4;
}

uint32_t xlv_load_subbuf_bytes(const struct xlv_container *c, uint32_t said)
{
	uint32_t page = c->layout.data_offset + c->layout.data_size;

	/* version 7 says it for each buffer; a power of two, or it is damage */
	if (said >= 1024 && said <= XLV_SUBBUF_MAX_BYTES && !(said & (said - 1)))
		return said;
	return page;
}

void xlv_load_option(struct xlv_load *l, unsigned int id, const char *data, uint32_t size,
		     uint64_t at)
{
	struct xlv_container *c = l->c;
	bool swap = xlv_load_swap(c);
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
			xlv_load_clock(c, data, size);
		else
			l->clock_follows = true;
		break;
	case OPT_UNAME:
		set_uname(c, data, size);
		break;
	case OPT_CPUCOUNT:
		n = size == 4 ? xlv_get32(data, swap) : 0;
		if (!n || n > XLV_CPUS_MAX)
			xlv_load_bad_option(l, id, at, size, "is no number of CPUs");
		else
			c->nr_cpus = n;
		break;
	case OPT_TSC2NSEC:
		if (size < 16 || xlv_get32(data + 4, swap) > 63) {
			xlv_load_bad_option(l, id, at, size, "is no conversion of the clock");
			break;
		}
		c->tsc_mult = xlv_get32(data, swap);
		c->tsc_shift = xlv_get32(data + 4, swap);
		c->tsc_offset = xlv_get64(data + 8, swap);
		break;
	case OPT_BUFFER:
		if (c->version == 6)
			xlv_load_buffer_v6(l, data, size, at);
		else
			xlv_load_buffer_v7(l, data, size, at);
		break;
	}
}

struct xlv_cpu_data *xlv_load_add_cpu(struct xlv_container *c, struct xlv_buffer *b,
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

int xlv_load_cut_in(struct xlv_load *l, struct xlv_cursor *cur, const char *what)
{
	bool eof = xlv_cursor_left(cur) < 64 || cur->bad;

	xlv_damage_add(l->c->damage, eof ? XLV_DAMAGE_CUT : XLV_DAMAGE_SECTION, -1,
		       xlv_cursor_tell(cur), -1, "the %s %s", what,
		       eof ? "end early" : "make no sense");
	return -1;
}
