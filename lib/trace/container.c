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

#include "trace/container_load.h"

#define MAGIC		"\x17\x08\x44tracing"
#define MAGIC_BYTES	10

#define RAW_CPUS_MAX	4096
#define RAW_CPUS_GAP	64

bool xlv_container_is_dat(int fd)
{
	char magic[MAGIC_BYTES];

	return pread(fd, magic, sizeof(magic), 0) == MAGIC_BYTES &&
	       !memcmp(magic, MAGIC, MAGIC_BYTES);
}

static int read_codec(struct xlv_load *l, struct xlv_cursor *cur)
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

static int read_start(struct xlv_load *l, struct xlv_cursor *cur)
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
	cur->swap = xlv_load_swap(c);
	c->page_bytes = xlv_cursor_u32(cur);
	if (cur->bad)
		return xlv_fail(l->err, "'%s' ends within its first %" PRIu64 " bytes", c->path,
				c->size);
	if (c->page_bytes < 1024 || c->page_bytes > XLV_SUBBUF_MAX_BYTES)
		c->page_bytes = 4096;
	xlv_load_default_layout(c);
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

	if (xlv_load_new_buffer(c, &b))
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
		d = xlv_load_add_cpu(c, b, 0);
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
	b->subbuf_bytes = xlv_load_subbuf_bytes(c, 0);
	if (!b->name || !b->clock) {
		xlv_load_clear_buffer(b);
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

static int fail_empty(struct xlv_load *l)
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
	struct xlv_load *l = NULL;
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
	if ((c->version == 6 ? xlv_load_v6(l, &cur) : xlv_load_v7(l, &cur)) && !c->nr_buffers)
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
		xlv_load_clear_buffer(&c->buffer[i]);
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
