// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/backend.h"
#include "trace/container.h"
#include "trace/metadata.h"

/* A pipe can't be read twice: keep what comes through it. */
static int copy_pipe(int in, const char *path, struct xlv_error *err)
{
	char buf[64 << 10];
	ssize_t n, done, w;
	FILE *tmp;
	int fd;

	tmp = tmpfile();
	fd = tmp ? dup(fileno(tmp)) : -1;
	if (tmp)
		fclose(tmp);
	if (fd < 0)
		return xlv_fail(err, "unable to make a temporary file for '%s': %s", path,
				strerror(errno));
	while ((n = read(in, buf, sizeof(buf)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto fail;
		for (done = 0; done < n; done += w) {
			w = write(fd, buf + done, n - done);
			if (w < 0)
				goto fail;
		}
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
fail:
	xlv_fail(err, "unable to copy '%s' to a temporary file: %s", path, strerror(errno));
	close(fd);
	return -1;
}

/* Files that people take for recordings. */
static int other_format(int fd, const char *path, struct xlv_error *err)
{
	static const struct {
		const char	*magic;
		unsigned int	len;
		const char	*what, *how;
	} others[] = {
		{ "\x28\xb5\x2f\xfd", 4, "compressed by zstd", "unpack it with 'zstd -d'" },
		{ "\x1f\x8b", 2, "compressed by gzip", "unpack it with 'gunzip'" },
		{ "\xfd" "7zXZ", 5, "compressed by xz", "unpack it with 'unxz'" },
		{ "BZh", 3, "compressed by bzip2", "unpack it with 'bunzip2'" },
		{ "PK\3\4", 4, "a zip archive", "unpack it with 'unzip'" },
		{ "PERFILE2", 8, "a perf.data file", "record with 'xlogviz record' instead" },
	};
	char head[8];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	unsigned int i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (n >= (ssize_t)others[i].len && !memcmp(head, others[i].magic, others[i].len))
			return xlv_fail(err, "'%s' is %s: %s", path, others[i].what,
					others[i].how);
	return 0;
}

static int open_file(const char *path, struct xlv_error *err)
{
	struct stat st;
	int fd, copy;

	if (!strcmp(path, "-"))
		return copy_pipe(STDIN_FILENO, "standard input", err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return xlv_fail(err, "unable to open '%s': %s", path, strerror(errno));
	if (fstat(fd, &st)) {
		xlv_fail(err, "unable to open '%s': %s", path, strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		xlv_fail(err, "unable to read '%s': it is a directory", path);
	} else if (!S_ISREG(st.st_mode)) {
		copy = copy_pipe(fd, path, err);
		close(fd);
		return copy;
	} else if (!st.st_size) {
		xlv_fail(err, "unable to read '%s': it is empty", path);
	} else {
		return fd;
	}
	close(fd);
	return -1;
}

/*
 * "trace.dat.cpu3" is raw data of one CPU, of which the headers lie in
 * "trace.dat". Returns that name, NULL for any other.
 */
static char *raw_parent(const char *path)
{
	const char *dot = strrchr(path, '.');
	const char *p;

	if (!dot || strncmp(dot, ".cpu", 4) || !dot[4])
		return NULL;
	for (p = dot + 4; *p; p++)
		if (!isdigit((unsigned char)*p))
			return NULL;
	return strndup(path, dot - path);
}

static int open_parent(const char *path, const char *parent, struct xlv_error *err)
{
	int fd = open(parent, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && xlv_container_is_dat(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return xlv_fail(err, "'%s' is raw data of one CPU: its headers should be in '%s', which "
			"is %s", path, parent, fd < 0 ? "missing" : "no trace.dat file");
}

struct xlv_trace *xlv_trace_open(const char *path, const struct xlv_trace_opts *opts,
				 struct xlv_error *err)
{
	struct xlv_trace *t;
	char *parent;
	int fd, i;

	t = calloc(1, sizeof(*t));
	if (!t) {
		xlv_fail(err, "unable to open '%s': out of memory", path);
		return NULL;
	}
	fd = open_file(path, err);
	if (fd < 0)
		goto fail;
	t->file = strdup(!strcmp(path, "-") ? "standard input" : path);
	t->meta = xlv_metadata_new();
	if (!t->file || !t->meta) {
		close(fd);
		xlv_fail(err, "unable to open '%s': out of memory", path);
		goto fail;
	}
	for (i = 0; i < XLV_EV_COUNT; i++)
		t->want[i] = true;
	t->to_ns = INT64_MAX;
	t->info.start_ns = t->info.end_ns = -1;
	t->info.clock = t->info.kernel = t->info.machine = "";
	t->info.compression = "none";

	parent = xlv_container_is_dat(fd) ? NULL : raw_parent(path);
	if (parent) {
		close(fd);
		fd = open_parent(path, parent, err);
		free(t->file);
		t->file = parent;
		if (fd < 0)
			goto fail;
	}
	t->info.file = t->file;
	t->info.damage = t->damage.d;
	if (other_format(fd, t->file, err)) {
		close(fd);
		goto fail;
	}
	if (xlv_container_is_dat(fd) ? xlv_dat_open(t, t->file, fd, opts, err) :
				       xlv_text_open(t, t->file, fd, err))
		goto fail;
	t->info.nr_damage = t->damage.nr;
	return t;
fail:
	xlv_trace_close(t);
	return NULL;
}

void xlv_trace_close(struct xlv_trace *t)
{
	if (!t)
		return;
	if (t->ops)
		t->ops->close(t);
	xlv_metadata_free(t->meta);
	free(t->file);
	free(t);
}

void xlv_trace_want(struct xlv_trace *t, const bool want[XLV_EV_COUNT])
{
	int i;

	for (i = 0; i < XLV_EV_COUNT; i++)
		t->want[i] = want ? want[i] : true;
	t->ops->want(t);
}

int xlv_trace_next(struct xlv_trace *t, struct xlv_event *ev)
{
	return t->ops->next(t, ev);
}

int xlv_trace_rewind(struct xlv_trace *t, int64_t from_ns, int64_t to_ns, struct xlv_error *err)
{
	t->to_ns = to_ns;
	return t->ops->rewind(t, from_ns, err);
}

const struct xlv_trace_info *xlv_trace_info(const struct xlv_trace *t)
{
	return &t->info;
}

const char *xlv_trace_error(const struct xlv_trace *t)
{
	return t->error.text;
}

const char *xlv_trace_comm(const struct xlv_trace *t, int pid)
{
	return t->ops->comm(t, pid);
}

double xlv_trace_progress(const struct xlv_trace *t)
{
	return t->ops->progress(t);
}
