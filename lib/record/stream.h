/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams the raw pages of a tracefs instance to files, one for each CPU.
 *
 * A thread for every 16 CPUs looks at their buffers ten times a second, more
 * often when they fill quickly, and moves full pages to FILE.cpuN without
 * copying them through user space. Nothing is woken by single events, so the
 * workload is disturbed as little as can be. Once a second, pages that are not
 * full are taken too: a recorder that dies loses the last second at most.
 */
#ifndef XLV_RECORD_STREAM_H
#define XLV_RECORD_STREAM_H

#include <stdint.h>

#include "trace/error.h"

struct xlv_stream;

/**
 * xlv_stream_start - begin to stream
 * @instance:	folder of the instance
 * @file:	".cpuN" is put behind it
 * @buffer_kb:	size of a CPU's buffer
 */
struct xlv_stream *xlv_stream_start(const char *instance, const char *file, long buffer_kb,
				    struct xlv_error *err);

/** xlv_stream_bytes - how much was written so far */
int64_t xlv_stream_bytes(const struct xlv_stream *s);

/** xlv_stream_failed - 0, or the errno that ended the writing (ENOSPC) */
int xlv_stream_failed(const struct xlv_stream *s);

/**
 * xlv_stream_stop - write what is left and end
 *
 * To be called when tracing is off. Frees @s. Returns 0, or -1 where not all
 * could be written.
 */
int xlv_stream_stop(struct xlv_stream *s, struct xlv_error *err);

#endif
