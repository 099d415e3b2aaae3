// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 7: sections that options point to. The options come last, so that a
 * file whose end is gone has all but them: then sections are found by walking
 * from one to the next, and CPUs by looking at the data.
 */
#include "config.h"

#include "trace/container_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTION_HEADER	16
#define SECTION_PACKED	1
#define CHUNK_MAX_BYTES	(64u << 20)

static bool section_header(struct xlv_container *c, uint64_t offset, unsigned int *id,
			   unsigned int *flags, uint64_t *size)
{
	uint8_t h[SECTION_HEADER];
	bool swap = xlv_load_swap(c);

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
void xlv_load_buffer_v7(struct xlv_load *l, const char *data, uint32_t size, uint64_t at)
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

	copy = xlv_load_dup(data, size);
	if (!copy || xlv_load_new_buffer(c, &b)) {
		free(copy);
		return;
	}
	xlv_cursor_memory(&cur, copy, size, xlv_load_swap(c));
	section = xlv_cursor_u64(&cur);
	s = xlv_cursor_string(&cur, XLV_LOAD_STRING_MAX);
	b->name = s ? xlv_load_dup(s, strlen(s)) : NULL;
	s = xlv_cursor_string(&cur, XLV_LOAD_STRING_MAX);
	b->clock = s ? xlv_load_dup(s, strlen(s)) : NULL;
	b->subbuf_bytes = xlv_cursor_u32(&cur);
	count = xlv_cursor_u32(&cur);
	if (!b->name || !b->clock || cur.bad || count > XLV_CPUS_MAX ||
	    count > xlv_cursor_left(&cur) / 20) {
		xlv_load_bad_option(l, OPT_BUFFER, at, size, "is no description of a buffer");
		goto fail;
	}
	if (!section_header(c, section, &id, &flags, &len) || id != OPT_BUFFER) {
		/* the data itself is reached through the table below */
		flags = c->codec_kind != XLV_CODEC_NONE ? SECTION_PACKED : 0;
		if (section < c->size)
			xlv_load_bad_option(l, OPT_BUFFER, at, size, "points to no buffer");
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
		xlv_load_set_avail(c, d);
		if ((unsigned int)d->cpu >= XLV_CPUS_MAX ||
		    seen[d->cpu / 8] & 1 << d->cpu % 8) {
			xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1, at, d->avail,
				       "data of a CPU that can't be: number %d", d->cpu);
			continue;
		}
		seen[d->cpu / 8] |= 1 << d->cpu % 8;
		b->nr_cpus++;
	}
	b->subbuf_bytes = xlv_load_subbuf_bytes(c, b->subbuf_bytes);
	c->nr_buffers++;
	xlv_cursor_free(&cur);
	return;
fail:
	xlv_load_clear_buffer(b);
	xlv_cursor_free(&cur);
}

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
static int section_open(struct xlv_load *l, uint64_t offset, unsigned int want,
			struct xlv_cursor *cur)
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
	xlv_cursor_file(cur, c->fd, offset, offset + size, xlv_load_swap(c));
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
	xlv_cursor_memory(cur, dst, plain, xlv_load_swap(c));
	return 0;
fail:
	xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1, offset, size,
		       "the %s can't be decompressed", section_names[want]);
	xlv_cursor_free(cur);
	return -1;
}

static int read_section(struct xlv_load *l, unsigned int id, uint64_t offset)
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
		ret = xlv_load_header_info(c, &cur);
		break;
	case SEC_FTRACE:
		ret = xlv_load_formats(c, &cur, "ftrace");
		break;
	case SEC_EVENTS:
		ret = xlv_load_systems(c, &cur);
		break;
	case SEC_KALLSYMS:
		ret = xlv_cursor_left(&cur) ? xlv_load_kallsyms(c, &cur) : 0;
		break;
	case SEC_CMDLINES:
		ret = xlv_load_cmdlines(c, &cur);
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
static uint64_t read_options_v7(struct xlv_load *l, uint64_t offset)
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
	if (i == XLV_LOAD_SECTIONS_MAX)
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
				next = xlv_get64(s, xlv_load_swap(c));
			break;
		}
		if (id >= SEC_HEADER_INFO && id <= SEC_CMDLINES && size == 8)
			read_section(l, id, xlv_get64(s, xlv_load_swap(c)));
		else
			xlv_load_option(l, id, s, size, at);
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

/*
 * Pages one after the other, CPU after CPU. Each CPU's start with the oldest:
 * where time jumps back, the next CPU begins.
 */
static void recover_plain(struct xlv_container *c, struct xlv_buffer *b, uint64_t start,
			  uint64_t end)
{
	const struct xlv_page_layout *l = &c->layout;
	struct xlv_cpu_data *d = NULL;
	bool swap = xlv_load_swap(c);
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
			d = xlv_load_add_cpu(c, b, at);
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
	bool swap = xlv_load_swap(c);
	struct xlv_cpu_data *d;
	uint64_t at = start;
	uint8_t h[8];

	while (at < end && end - at > 12) {
		if (pread(c->fd, h, 4, at) != 4)
			break;
		count = xlv_get32(h, swap);
		d = xlv_load_add_cpu(c, b, at);
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
		xlv_load_set_avail(c, d);
		if (!i) {
			b->nr_cpus--;
			break;
		}
		at = (at + page - 1) / page * page;
	}
}

/* A buffer whose description is gone: find its CPUs by looking at its data. */
static void recover_buffer(struct xlv_load *l, uint64_t section, unsigned int flags, uint64_t size)
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
	if (start >= end || xlv_load_new_buffer(c, &b))
		return;
	b->name = strdup("");
	b->clock = strdup(c->clock);
	b->subbuf_bytes = xlv_load_subbuf_bytes(c, 0);
	if (!b->name || !b->clock) {
		xlv_load_clear_buffer(b);
		return;
	}
	if (flags & SECTION_PACKED)
		recover_packed(c, b, start, end);
	else
		recover_plain(c, b, start, end);
	if (!b->nr_cpus) {
		xlv_load_clear_buffer(b);
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
static void walk_sections(struct xlv_load *l, uint64_t offset, bool buffers)
{
	struct xlv_container *c = l->c;
	unsigned int id, flags;
	uint64_t size;
	int i;

	for (i = 0; i < XLV_LOAD_SECTIONS_MAX; i++) {
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

int xlv_load_v7(struct xlv_load *l, struct xlv_cursor *cur)
{
	struct xlv_container *c = l->c;
	uint64_t next, first, start;
	bool lost;
	int i;

	next = first = xlv_cursor_u64(cur);
	start = xlv_cursor_tell(cur);
	if (cur->bad)
		return xlv_load_cut_in(l, cur, "headers");

	for (i = 0; next && next != UINT64_MAX && i < XLV_LOAD_SECTIONS_MAX; i++)
		next = read_options_v7(l, next);

	lost = !first || next || !l->done[SEC_HEADER_INFO] || !l->done[SEC_EVENTS];
	if (lost || !c->nr_buffers) {
		walk_sections(l, start, false);
		walk_sections(l, start, true);
	}
	return c->nr_buffers ? 0 : -1;
}
