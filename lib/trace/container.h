/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The container of a recording: where in the file what lies.
 *
 * Opening one reads everything but the events: the machine's facts, the event
 * formats (handed to trace/kernel.h), kallsyms, command names, and for every
 * buffer where each CPU's data is. Every offset, size and count from the file
 * is checked against the file before use. What is wrong but can be done without
 * goes to the damage list; where the options of a version 7 file are gone, its
 * sections are found by walking them.
 */
#ifndef XLV_TRACE_CONTAINER_H
#define XLV_TRACE_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/codec.h"
#include "trace/damage.h"
#include "trace/error.h"
#include "trace/kernel.h"
#include "trace/symbols.h"

/* Sub-buffers larger than this exist on no machine. */
#define XLV_SUBBUF_MAX_BYTES	(4u << 20)
#define XLV_CPUS_MAX		65536u

/* One CPU's data in one buffer. */
struct xlv_cpu_data {
	int		cpu;
	int		fd;
	uint64_t	offset;
	uint64_t	size;		/* as promised */
	uint64_t	avail;		/* of it, what the file holds */
	bool		packed;		/* compressed chunks */
	bool		open_ended;	/* the number of chunks is not known */
};

struct xlv_buffer {
	char			*name;		/* "" is the top buffer */
	char			*clock;
	uint32_t		subbuf_bytes;
	int			nr_cpus;
	struct xlv_cpu_data	*cpu;
};

/* Where the parts of a sub-buffer lie, from the file's header_page. */
struct xlv_page_layout {
	uint16_t	commit_offset, commit_size;
	uint16_t	data_offset;
	uint32_t	data_size;
};

struct xlv_container {
	char			*path;
	int			fd;
	uint64_t		size;
	const char		*format;	/* "trace.dat" or "raw" */
	int			version;
	bool			big_endian;
	int			long_bytes;
	uint32_t		page_bytes;
	enum xlv_codec_kind	codec_kind;
	struct xlv_codec	*codec;
	bool			have_layout;
	struct xlv_page_layout	layout;

	struct xlv_kernel	*kernel;
	struct xlv_symbols	*symbols;
	char			*cmdlines;	/* "PID NAME\n" text, terminated */
	char			*release, *machine;
	char			*clock;		/* of the file; "" unknown */
	int64_t			ts_offset_ns;
	uint32_t		tsc_mult, tsc_shift;
	uint64_t		tsc_offset;
	int			nr_cpus;

	struct xlv_buffer	*buffer;
	int			nr_buffers;

	int			*raw_fd;	/* of .cpuN leftovers */
	int			nr_raw_fd;

	uint64_t		window_bytes;	/* that sources hold */

	struct xlv_damage_list	*damage;
};

/**
 * xlv_container_open - read a recording's headers
 * @path:	its name, for messages and for finding .cpuN files beside it
 * @fd:		the open file; the container closes it, also on failure
 * @damage:	where to note what is missing
 *
 * Returns NULL where there is nothing that could be read on.
 */
struct xlv_container *xlv_container_open(const char *path, int fd, struct xlv_damage_list *damage,
					 struct xlv_error *err);
void xlv_container_close(struct xlv_container *c);

/**
 * xlv_container_note_cuts - what the headers promise and the file doesn't hold
 *
 * Also leaves out CPUs whose data would lie over that of others.
 */
void xlv_container_note_cuts(struct xlv_container *c, struct xlv_buffer *b);

/** xlv_container_is_dat - does the file start like a trace.dat? */
bool xlv_container_is_dat(int fd);

#endif
