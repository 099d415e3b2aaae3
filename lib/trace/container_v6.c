// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 6: page headers, formats, kernel symbols, printk formats, command
 * names, options and the table of CPU data, one after the other, then the data.
 */
#include "config.h"

#include "trace/container_load.h"

#include <stdlib.h>
#include <string.h>

void xlv_load_buffer_v6(struct xlv_load *l, const char *data, uint32_t size, uint64_t at)
{
	int n = l->nr_v6_buffers;

	if (size < 9 || n == XLV_LOAD_BUFFERS_MAX) {
		xlv_load_bad_option(l, OPT_BUFFER, at, size, "is no description of a buffer");
		return;
	}
	l->v6_buffers[n] = xlv_get64(data, xlv_load_swap(l->c));
	l->v6_names[n] = xlv_load_dup(data + 8, strnlen(data + 8, size - 8));
	if (l->v6_names[n])
		l->nr_v6_buffers++;
}

/* The CPU table: offset and size of each CPU's data. */
static int read_v6_table(struct xlv_load *l, struct xlv_cursor *cur, uint32_t cpus, char *name)
{
	struct xlv_container *c = l->c;
	struct xlv_cpu_data *d;
	struct xlv_buffer *b;
	const char *s;
	uint64_t size;
	uint32_t i;

	if (xlv_load_new_buffer(c, &b)) {
		free(name);
		return -1;
	}
	b->name = name;
	b->subbuf_bytes = xlv_load_subbuf_bytes(c, 0);
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
		xlv_load_set_avail(c, d);
	}
	b->nr_cpus = cpus;
	if (l->clock_follows) {
		size = xlv_cursor_u64(cur);
		s = size < XLV_LOAD_STRING_MAX ? xlv_cursor_take(cur, size) : NULL;
		if (s)
			xlv_load_clock(c, s, size);
	}
	b->clock = strdup(c->clock);
	if (!b->clock)
		goto fail;
	c->nr_buffers++;
	return 0;
fail:
	xlv_load_clear_buffer(b);
	return -1;
}

static void read_v6_instances(struct xlv_load *l, uint32_t cpus)
{
	struct xlv_container *c = l->c;
	struct xlv_cursor cur;
	const char *tag;
	int i;

	for (i = 0; i < l->nr_v6_buffers; i++) {
		xlv_cursor_file(&cur, c->fd, l->v6_buffers[i], c->size, xlv_load_swap(c));
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

int xlv_load_v6(struct xlv_load *l, struct xlv_cursor *cur)
{
	struct xlv_container *c = l->c;
	uint64_t size, at;
	unsigned int id;
	uint32_t cpus;
	const char *s;

	if (xlv_load_header_info(c, cur))
		return xlv_load_cut_in(l, cur, "page headers");
	if (xlv_load_formats(c, cur, "ftrace"))
		return xlv_load_cut_in(l, cur, "ftrace formats");
	if (xlv_load_systems(c, cur))
		return xlv_load_cut_in(l, cur, "event formats");
	if (xlv_load_kallsyms(c, cur))
		return xlv_load_cut_in(l, cur, "kernel symbols");
	if (xlv_load_printk(cur))
		return xlv_load_cut_in(l, cur, "printk formats");
	if (xlv_load_cmdlines(c, cur))
		return xlv_load_cut_in(l, cur, "command names");
	cpus = xlv_cursor_u32(cur);
	if (cur->bad || cpus > XLV_CPUS_MAX)
		return xlv_load_cut_in(l, cur, "CPU data");
	c->nr_cpus = cpus;

	s = xlv_cursor_take(cur, 10);
	if (s && !memcmp(s, "options  ", 10)) {
		while ((id = xlv_cursor_u16(cur)) != OPT_DONE && !cur->bad) {
			size = xlv_cursor_u32(cur);
			at = xlv_cursor_tell(cur);
			s = xlv_cursor_take(cur, size);
			if (s)
				xlv_load_option(l, id, s, size, at);
		}
		s = xlv_cursor_take(cur, 10);
	}
	if (!s)
		return xlv_load_cut_in(l, cur, "options");
	if (!memcmp(s, "latency  ", 10)) {
		xlv_damage_add(c->damage, XLV_DAMAGE_SECTION, -1, xlv_cursor_tell(cur), -1,
			       "the file holds text of a latency tracer, no events");
		return -1;
	}
	if (memcmp(s, "flyrecord", 10))
		return xlv_load_cut_in(l, cur, "options");
	if (read_v6_table(l, cur, cpus, strdup("")))
		return xlv_load_cut_in(l, cur, "CPU tables");
	read_v6_instances(l, cpus);
	return 0;
}
