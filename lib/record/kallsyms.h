/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of kernel functions, from /proc/kallsyms.
 *
 * Filters compare work functions by address, and a recording carries the names
 * of the functions that its events can point to.
 */
#ifndef XLV_RECORD_KALLSYMS_H
#define XLV_RECORD_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/error.h"

struct xlv_kallsyms;

/**
 * xlv_kallsyms_read - read all function symbols
 *
 * Returns NULL where addresses are hidden (kernel.kptr_restrict) or unreadable.
 */
struct xlv_kallsyms *xlv_kallsyms_read(struct xlv_error *err);
void xlv_kallsyms_free(struct xlv_kallsyms *s);

/**
 * xlv_kallsyms_find - addresses of all functions of a name
 *
 * Returns how many there are, and the first @max of them.
 */
int xlv_kallsyms_find(const struct xlv_kallsyms *s, const char *name, uint64_t *addr, int max);

/**
 * xlv_kallsyms_print - write symbols in the format of /proc/kallsyms
 * @extra:	names, ended by NULL, to have besides those of XFS; NULL: all symbols
 *
 * Each one is followed by its neighbour in memory, where its own code ends.
 */
void xlv_kallsyms_print(struct xlv_kallsyms *s, const char *const *extra, FILE *to);

#endif
