// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_PATH(path, fmt)						\
	do {								\
		va_list ap_;						\
		va_start(ap_, fmt);					\
		vsnprintf(path, sizeof(path), fmt, ap_);		\
		va_end(ap_);						\
	} while (0)

static ssize_t read_path(char *buf, size_t size, const char *path)
{
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	buf[0] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len + 1 < size) {
		n = read(fd, buf + len, size - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		len = 0;
	while (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return n < 0 ? n : (ssize_t)len;
}

ssize_t xlv_sys_read(char *buf, size_t size, const char *path_fmt, ...)
{
	char path[PATH_MAX];

	FORMAT_PATH(path, path_fmt);
	return read_path(buf, size, path);
}

char *xlv_sys_slurp(const char *path, size_t *len)
{
	size_t size = 64 * 1024, n = 0;
	char *buf, *more;
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	buf = malloc(size);
	while (buf) {
		got = read(fd, buf + n, size - 1 - n);
		if (got < 0) {
			free(buf);
			buf = NULL;
			break;
		}
		if (!got)
			break;
		n += (size_t)got;
		if (n + 1 < size)
			continue;
		size *= 2;
		more = realloc(buf, size);
		if (!more)
			free(buf);
		buf = more;
	}
	close(fd);
	if (!buf)
		return NULL;
	buf[n] = '\0';
	if (len)
		*len = n;
	return buf;
}

long long xlv_sys_number(long long fallback, const char *path_fmt, ...)
{
	char path[PATH_MAX], text[64], *end;
	long long v;

	FORMAT_PATH(path, path_fmt);
	if (read_path(text, sizeof(text), path) <= 0)
		return fallback;
	v = strtoll(text, &end, 0);
	return end == text ? fallback : v;
}

static int write_path(const char *text, const char *path, int flags)
{
	size_t len = strlen(text);
	int fd, err = 0;
	ssize_t n;

	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	if (fd < 0)
		return -errno;
	n = write(fd, text, len);
	if (n < 0)
		err = -errno;
	else if ((size_t)n < len)
		err = -EIO;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

int xlv_sys_write(const char *text, const char *path_fmt, ...)
{
	char path[PATH_MAX];

	FORMAT_PATH(path, path_fmt);
	return write_path(text, path, O_TRUNC);
}

int xlv_sys_append(const char *text, const char *path_fmt, ...)
{
	char path[PATH_MAX];

	FORMAT_PATH(path, path_fmt);
	return write_path(text, path, O_APPEND);
}

bool xlv_sys_exists(const char *path_fmt, ...)
{
	char path[PATH_MAX];

	FORMAT_PATH(path, path_fmt);
	return !access(path, F_OK);
}

long long xlv_sys_start_time(pid_t pid)
{
	char stat[1024], state;
	long long start;
	const char *p;

	if (xlv_sys_read(stat, sizeof(stat), "/proc/%d/stat", (int)pid) <= 0)
		return -1;
	p = strrchr(stat, ')');		/* the name may hold anything */
	if (!p || sscanf(p + 1, " %c", &state) != 1 || state == 'Z' || state == 'X')
		return -1;
	if (sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
			  "%*d %*d %*d %*d %lld", &start) != 1)
		return -1;
	return start;
}

int xlv_sys_cpu_list(const char *list, unsigned char *cpus, int max)
{
	const char *p = list;
	int n = 0;

	memset(cpus, 0, (size_t)max);
	while (*p) {
		char *end;
		long first, last;

		first = last = strtol(p, &end, 10);
		if (end == p || first < 0)
			return -1;
		p = end;
		if (*p == '-') {
			last = strtol(p + 1, &end, 10);
			if (end == p + 1 || last < first)
				return -1;
			p = end;
		}
		if (last >= max)
			return -1;
		for (; first <= last; first++) {
			n += !cpus[first];
			cpus[first] = 1;
		}
		if (*p == ',')
			p++;
		else if (*p)
			return -1;
	}
	return n ? n : -1;
}
