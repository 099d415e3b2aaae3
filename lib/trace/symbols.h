/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of kernel functions, from the kallsyms text in a recording.
 *
 * The text is often cut down to the functions someone thought of. So a work
 * item's function counts only where an address matches exactly; a caller, which
 * lies somewhere inside a function, takes the nearest symbol below it that is
 * no further away than a function is long.
 */
#ifndef XLV_TRACE_SYMBOLS_H
#define XLV_TRACE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct xlv_symbols;

/** xlv_symbols_parse - read kallsyms text; NULL where it holds no function */
struct xlv_symbols *xlv_symbols_parse(const char *text, size_t len);
void xlv_symbols_free(struct xlv_symbols *s);

/* The name, empty where there is none; lives as long as the table. */
struct xlv_str xlv_symbols_exact(const struct xlv_symbols *s, uint64_t addr);
struct xlv_str xlv_symbols_caller(const struct xlv_symbols *s, uint64_t addr);

#endif
