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
static int copy_stdin(struct xlv_error *err)
{
	char buf[64 << 10];
	ssize_t n, done, w;
	FILE *tmp;
	int fd;

	tmp = tmpfile();
	if (!tmp) {
		xlv_fail(err, "unable to make a temporary file for standard input: %s",
			 strerror(errno));
		return -1;
	}
	fd = dup(fileno(tmp));
	fclose(tmp);
	if (fd < 0) {
		xlv_fail(err, "unable to copy standard input: %s", strerror(errno));
		return -1;
	}
	while ((n = read(STDIN_FILENO, buf, sizeof(buf)))) {
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
	xlv_fail(err, "unable to copy standard input to a temporary file: %s", strerror(errno));
	close(fd);
	return -1;
}

static int open_file(const char *path, struct xlv_error *err)
{
	struct stat st;
	int fd;

	if (!strcmp(path, "-"))
		return copy_stdin(err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return xlv_fail(err, "unable to open '%s': %s", path, strerror(errno));
	if (fstat(fd, &st)) {
		xlv_fail(err, "unable to open '%s': %s", path, strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		xlv_fail(err, "unable to read '%s': it is a directory", path);
	} else if (!S_ISREG(st.st_mode)) {
		xlv_fail(err, "unable to read '%s': it is no file; give it on standard input "
			 "and use '-'", path);
	} else if (!st.st_size) {
		xlv_fail(err, "unable to read '%s': it is empty", path);
	} else {
		return fd;
	}
	close(fd);
	return -1;
}

/*
 * "trace.dat.cpu3": raw data of one CPU, of which the headers lie in
 * "trace.dat". Returns the name of that, if it is there.
 */
static char *raw_parent(const char *path)
{
	const char *dot = strrchr(path, '.');
	const char *p;
	char *name;
	int fd;

	if (!dot || strncmp(dot, ".cpu", 4) || !dot[4])
		return NULL;
	for (p = dot + 4; *p; p++)
		if (!isdigit((unsigned char)*p))
			return NULL;
	name = strndup(path, dot - path);
	fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || !xlv_container_is_dat(fd)) {
		free(name);
		name = NULL;
	}
	if (fd >= 0)
		close(fd);
	return name;
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
		free(t->file);
		t->file = parent;
		fd = open_file(parent, err);
		if (fd < 0)
			goto fail;
	}
	t->info.file = t->file;
	t->info.damage = t->damage.d;
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
