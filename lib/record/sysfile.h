/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files of /proc, /sys and tracefs: read whole, written in one go.
 *
 * Paths are printf formats, since nearly all of them are put together. Nothing
 * here allocates but xlv_sys_slurp().
 */
#ifndef XLV_RECORD_SYSFILE_H
#define XLV_RECORD_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * xlv_sys_read - the text of a small file, without the newline at its end
 * @buf:	terminated in any case; what doesn't fit is cut
 *
 * Returns its length, or a negative errno with @buf empty.
 */
ssize_t xlv_sys_read(char *buf, size_t size, const char *path_fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** xlv_sys_slurp - the whole of a file, terminated; to be freed; NULL with errno set */
char *xlv_sys_slurp(const char *path, size_t *len);

/** xlv_sys_number - the number that a file holds, or @fallback */
long long xlv_sys_number(long long fallback, const char *path_fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** xlv_sys_write - write @text in one write(); 0 or a negative errno */
int xlv_sys_write(const char *text, const char *path_fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** xlv_sys_append - the same without truncating (kprobe_events drops all probes then) */
int xlv_sys_append(const char *text, const char *path_fmt, ...)
	__attribute__((format(printf, 2, 3)));

bool xlv_sys_exists(const char *path_fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * xlv_sys_start_time - when a process started, in clock ticks since boot
 *
 * With the pid it names a process for good: pids are used again. Returns -1
 * where there is no such process, or only its zombie.
 */
long long xlv_sys_start_time(pid_t pid);

/** xlv_sys_cpu_list - read "0-3,8" into a set; the number of CPUs, or -1 if it isn't one */
int xlv_sys_cpu_list(const char *list, unsigned char *cpus, int max);

#endif
