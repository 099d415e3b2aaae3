/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that differs between kernels: names of events and fields, meanings of
 * states and flags, names of functions.
 *
 * A recording's event formats go in; out comes a decoder for each event id
 * that the model knows. Decoders hold field offsets, so that decoding an event
 * is a few loads. The text reader uses the name tables directly.
 */
#ifndef XLV_TRACE_KERNEL_H
#define XLV_TRACE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/symbols.h"

struct xlv_kernel;

struct xlv_field_info {
	uint32_t	offset, size;
};

/* The common part of every record. */
struct xlv_common {
	uint16_t	type_offset, flags_offset, pid_offset;
	uint16_t	bytes;		/* a record has at least these */
};

#define XLV_FIELDS_MAX	10

struct xlv_field {
	uint64_t	mask;		/* of a number: what is left of eight bytes after .shift */
	uint16_t	offset;
	uint16_t	size;
	uint8_t		shift;
	uint8_t		kind;		/* private to kernel.c */
};

/* Behind a record there are this many bytes that can be read, whatever they hold. */
#define XLV_RECORD_SLACK	8

/* What turns one event id's records into events. */
struct xlv_decoder {
	void		(*decode)(struct xlv_kernel *k, const struct xlv_decoder *d,
				  const uint8_t *rec, uint32_t len, struct xlv_event *ev);
	uint32_t	min_bytes;	/* shorter records can't be decoded */
	uint8_t		type;		/* enum xlv_event_type */
	uint8_t		nr;		/* syscall; 1: the local timer's vector */
	uint8_t		probe;
	uint8_t		need_flush, need_fua;	/* bits of an iclog's flags */
	uint8_t		iclog_state[8];
	char		name[28];	/* of an interrupt vector */
	struct xlv_field f[XLV_FIELDS_MAX];
};

struct xlv_kernel *xlv_kernel_new(bool big_endian, int long_bytes);
void xlv_kernel_free(struct xlv_kernel *k);

/**
 * xlv_kernel_add_format - learn an event's format
 *
 * Returns -1 where a format that is needed makes no sense. Formats of events
 * that the model doesn't know are counted and left alone.
 */
int xlv_kernel_add_format(struct xlv_kernel *k, const char *system, const char *text,
			  size_t len);
int xlv_kernel_nr_formats(const struct xlv_kernel *k);

/** xlv_kernel_header_field - a field's place in the text of header_page */
int xlv_kernel_header_field(struct xlv_kernel *k, const char *text, size_t len,
			    const char *name, struct xlv_field_info *f);

/** xlv_kernel_set_symbols - the names of functions; @s must outlive @k */
void xlv_kernel_set_symbols(struct xlv_kernel *k, const struct xlv_symbols *s);

/** xlv_kernel_set_cpus - how many CPUs the machine has */
void xlv_kernel_set_cpus(struct xlv_kernel *k, int nr_cpus);

const struct xlv_common *xlv_kernel_common(const struct xlv_kernel *k);

/** xlv_kernel_decoder - of an event id; NULL: not one of ours */
const struct xlv_decoder *xlv_kernel_decoder(const struct xlv_kernel *k, unsigned int id);

/** xlv_kernel_ctx - XLV_CTX_* of an event's common_flags */
uint8_t xlv_kernel_ctx(uint8_t common_flags);

/* --- by name, for text --- */

struct xlv_event_id {
	uint8_t		type;		/* XLV_EV_OTHER: not one of ours */
	uint8_t		nr;		/* enum xlv_syscall; 1: the local timer's vector */
	uint8_t		probe;
};

/** xlv_kernel_lookup - an event by name; @system may be NULL for any */
struct xlv_event_id xlv_kernel_lookup(const char *system, struct xlv_str name);

/** xlv_kernel_func - a function by name; suffixes of the compiler don't matter */
uint8_t xlv_kernel_func(struct xlv_str name);

/** xlv_kernel_rwbs - XLV_RW_* of a block event's letters */
uint32_t xlv_kernel_rwbs(struct xlv_str rwbs, uint32_t nr_sector);

/** xlv_kernel_task_state - of its letters, "D", "R+", "D|N" */
uint8_t xlv_kernel_task_state(struct xlv_str letters);

/** xlv_kernel_iclog_state - of its name, "XLOG_STATE_ACTIVE" */
uint8_t xlv_kernel_iclog_state(struct xlv_str name);

/** xlv_kernel_iclog_flags - of their names, "XLOG_ICL_NEED_FLUSH|XLOG_ICL_NEED_FUA" */
uint8_t xlv_kernel_iclog_flags(struct xlv_str names);

/** xlv_kernel_clock_ticks - does this trace clock count something else than ns? */
bool xlv_kernel_clock_ticks(const char *clock);

#endif
