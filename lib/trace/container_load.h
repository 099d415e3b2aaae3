/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the readers of both versions of a trace.dat's container share: the
 * sections' contents, the options, and the list of buffers.
 *
 *	container.c		opens a file and picks the version
 *	container_parts.c	reads what both versions have
 *	container_v6.c		one part after the other
 *	container_v7.c		sections, options that point to them, and finding
 *				both where those are lost
 */
#ifndef XLV_TRACE_CONTAINER_LOAD_H
#define XLV_TRACE_CONTAINER_LOAD_H

#include "trace/bytes.h"
#include "trace/container.h"
#include "trace/cursor.h"

#define XLV_LOAD_STRING_MAX	4096
#define XLV_LOAD_SECTIONS_MAX	4096
#define XLV_LOAD_BUFFERS_MAX	256

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

struct xlv_load {
	struct xlv_container	*c;
	struct xlv_error	*err;
	bool			done[SEC_LAST];
	bool			clock_follows;		/* v6: after the CPU table */
	uint64_t		v6_buffers[XLV_LOAD_BUFFERS_MAX];
	char			*v6_names[XLV_LOAD_BUFFERS_MAX];
	int			nr_v6_buffers;
	uint64_t		options_seen[XLV_LOAD_SECTIONS_MAX];
	int			nr_options_seen;
};

/* Do numbers in the file have the other byte order than here? */
static inline bool xlv_load_swap(const struct xlv_container *c)
{
	return c->big_endian != XLV_HOST_BIG;
}

char *xlv_load_dup(const char *s, size_t len);

/* The parts, from where the cursor is; -1 where they make no sense or end early. */
int xlv_load_header_info(struct xlv_container *c, struct xlv_cursor *cur);
int xlv_load_formats(struct xlv_container *c, struct xlv_cursor *cur, const char *system);
int xlv_load_systems(struct xlv_container *c, struct xlv_cursor *cur);
int xlv_load_kallsyms(struct xlv_container *c, struct xlv_cursor *cur);
int xlv_load_printk(struct xlv_cursor *cur);
int xlv_load_cmdlines(struct xlv_container *c, struct xlv_cursor *cur);

/* Where the file tells no layout of a sub-buffer that makes sense. */
void xlv_load_default_layout(struct xlv_container *c);
/* "local global [mono] ..." as the kernel prints it, or just the name. */
void xlv_load_clock(struct xlv_container *c, const char *s, size_t len);

void xlv_load_option(struct xlv_load *l, unsigned int id, const char *data, uint32_t size,
		     uint64_t at);
void xlv_load_bad_option(struct xlv_load *l, unsigned int id, uint64_t offset, uint32_t size,
			 const char *why);
void xlv_load_buffer_v6(struct xlv_load *l, const char *data, uint32_t size, uint64_t at);
void xlv_load_buffer_v7(struct xlv_load *l, const char *data, uint32_t size, uint64_t at);

/* A place for a new buffer; it counts once .nr_buffers goes up. */
int xlv_load_new_buffer(struct xlv_container *c, struct xlv_buffer **b);
void xlv_load_clear_buffer(struct xlv_buffer *b);
/* A CPU of which only the place is known; NULL where there is no room. */
struct xlv_cpu_data *xlv_load_add_cpu(struct xlv_container *c, struct xlv_buffer *b,
				      uint64_t offset);
/* How much of what was promised the file holds. */
void xlv_load_set_avail(struct xlv_container *c, struct xlv_cpu_data *d);
/* The size of a buffer's sub-buffers, where the file says @said. */
uint32_t xlv_load_subbuf_bytes(const struct xlv_container *c, uint32_t said);

/* Note what part of the file ends early or makes no sense; returns -1. */
int xlv_load_cut_in(struct xlv_load *l, struct xlv_cursor *cur, const char *what);

/* Everything from behind the first bytes on; -1 where no CPU's data was found. */
int xlv_load_v6(struct xlv_load *l, struct xlv_cursor *cur);
int xlv_load_v7(struct xlv_load *l, struct xlv_cursor *cur);

#endif
