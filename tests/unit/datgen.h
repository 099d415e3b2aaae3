/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes recordings of machines that are not at hand, and broken ones: any byte
 * order, word size, sub-buffer size, version and compression.
 *
 *	g = datgen_new(&opts);
 *	datgen_define(g, "sched", "sched_waking", 100, fields, print_fmt);
 *	datgen_emit(g, cpu, ts, 100, pid, flags, values);
 *	image = datgen_finish(g, &len);
 *
 * Written after the description of the format, independent of the reader.
 */
#ifndef XLV_TESTS_DATGEN_H
#define XLV_TESTS_DATGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct datgen_opts {
	int		version;		/* 6 or 7 */
	bool		big_endian;
	int		long_bytes;		/* 4 or 8 */
	uint32_t	page_bytes;		/* of the machine */
	uint32_t	subbuf_bytes;		/* 0: a page */
	const char	*codec;			/* "none", "zlib", "zstd" */
	const char	*clock;
	int		cpus;
};

struct datgen_field {
	const char	*decl;		/* "char comm[16]", "int pid"; NULL ends the list */
	int		size;		/* -1: the machine's long */
	bool		is_signed;
	char		kind;		/* 'n' number, 's' fixed string, 'd' __data_loc string */
};

struct datgen_value {
	uint64_t	num;
	const char	*str;
};

#define NUM(x)	{ .num = (x), .str = NULL }
#define STR(x)	{ .num = 0, .str = (x) }

struct datgen;

struct datgen *datgen_new(const struct datgen_opts *opts);
void datgen_define(struct datgen *g, const char *system, const char *name, int id,
		   const struct datgen_field *fields, const char *print_fmt);
void datgen_kallsyms(struct datgen *g, const char *text);
void datgen_cmdlines(struct datgen *g, const char *text);
void datgen_option(struct datgen *g, int id, const void *data, size_t len);
/* Another buffer: what is emitted from here on goes there. */
void datgen_instance(struct datgen *g, const char *name, const char *clock);

void datgen_emit(struct datgen *g, int cpu, uint64_t ts, int id, int pid, int flags,
		 const struct datgen_value *values);
/* The next sub-buffer of @cpu says that @count events were lost; -1: it can't tell. */
void datgen_lost(struct datgen *g, int cpu, long count);
/* Ring buffer entries that are no events. */
void datgen_stamp(struct datgen *g, int cpu, uint64_t ts);
void datgen_discarded(struct datgen *g, int cpu, uint32_t bytes, uint32_t delta);
/* End the current sub-buffer of @cpu here. */
void datgen_flush(struct datgen *g, int cpu);

/* The image, which the caller frees; the generator is gone after that. */
uint8_t *datgen_finish(struct datgen *g, size_t *len);

/* Where in the last image sub-buffer @page of @cpu starts (uncompressed only). */
size_t datgen_page_offset(int cpu, int page);
/* Where in the last image the CPU data starts. */
size_t datgen_data_offset(void);

/*
 * A small recording with some of everything: ten log forces by pid 100 on CPU 0,
 * woken from CPU 1. DATGEN_EVENTS events, from 1 s on, one a microsecond.
 */
#define DATGEN_EVENTS	80
void datgen_fill(struct datgen *g);

#endif
