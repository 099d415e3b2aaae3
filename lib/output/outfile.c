// SPDX-License-Identifier: GPL-2.0-or-later
/* Result files that are either whole or not there. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/outfile.h"

struct xlv_outfile {
	FILE	*f;
	char	*path;		/* as given, for messages */
	char	*target;	/* with links followed; NULL: written straight */
	char	*temp;		/* NULL: written straight */
	int	slot;		/* in unfinished[]; -1 */
};

/* Names for xlv_outfile_unlink_all(); a slot is taken by storing its name. */
#define MAX_UNFINISHED	64
static _Atomic(char *) unfinished[MAX_UNFINISHED];

static int remember(char *temp)
{
	for (int i = 0; i < MAX_UNFINISHED; i++) {
		char *expected = NULL;

		if (atomic_compare_exchange_strong(&unfinished[i], &expected, temp))
			return i;
	}
	return -1;
}

void xlv_outfile_unlink_all(void)
{
	for (int i = 0; i < MAX_UNFINISHED; i++) {
		char *temp = atomic_load(&unfinished[i]);

		if (temp)
			unlink(temp);
	}
}

static void release(struct xlv_outfile *o)
{
	if (o->slot >= 0)
		atomic_store(&unfinished[o->slot], NULL);
	free(o->path);
	free(o->target);
	free(o->temp);
	free(o);
}

/* The file that @path leads to, so that a link stays a link. */
static char *follow(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

static int open_temp(struct xlv_outfile *o, mode_t mode)
{
	const char *slash = strrchr(o->target, '/');
	int dir = slash ? (int)(slash - o->target) + 1 : 0;
	int fd;

	if (asprintf(&o->temp, "%.*s.xlogviz-XXXXXX", dir, o->target) < 0) {
		o->temp = NULL;
		return -1;
	}
	fd = mkstemp(o->temp);
	if (fd < 0) {
		free(o->temp);
		o->temp = NULL;
		return -1;
	}
	o->slot = remember(o->temp);
	if (fchmod(fd, mode))
		goto fail;
	o->f = fdopen(fd, "w");
	if (o->f)
		return 0;
fail:
	close(fd);
	unlink(o->temp);
	return -1;
}

struct xlv_outfile *xlv_outfile_open(const char *path, struct xlv_error *err)
{
	struct xlv_outfile *o = calloc(1, sizeof(*o));
	struct stat st;
	mode_t mask;

	if (!o)
		goto fail;
	o->slot = -1;
	o->path = strdup(path);
	if (!o->path)
		goto fail;
	if (!strcmp(path, "-")) {
		o->f = stdout;
		return o;
	}
	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode)) {
			errno = EISDIR;
			goto fail;
		}
		if (!S_ISREG(st.st_mode)) {
			o->f = fopen(path, "w");
			if (!o->f)
				goto fail;
			return o;
		}
		st.st_mode &= 0777;
	} else {
		mask = umask(0);
		umask(mask);
		st.st_mode = 0666 & ~mask;
	}
	o->target = follow(path);
	if (!o->target || open_temp(o, st.st_mode))
		goto fail;
	return o;
fail:
	xlv_fail(err, "unable to write '%s': %s", path, strerror(errno));
	if (o)
		release(o);
	return NULL;
}

FILE *xlv_outfile_stream(struct xlv_outfile *o)
{
	return o->f;
}

int xlv_outfile_commit(struct xlv_outfile *o, struct xlv_error *err)
{
	bool failed = ferror(o->f);
	int ret = 0;

	errno = failed ? EIO : 0;
	if (o->f == stdout) {
		if (fflush(o->f))
			failed = true;
	} else if (fclose(o->f)) {
		failed = true;
	}
	if (o->temp && !failed && rename(o->temp, o->target))
		failed = true;
	if (failed) {
		ret = xlv_fail(err, "unable to write '%s': %s",
			       o->f == stdout ? "standard output" : o->path, strerror(errno));
		if (o->temp)
			unlink(o->temp);
	}
	release(o);
	return ret;
}

void xlv_outfile_abort(struct xlv_outfile *o)
{
	if (!o)
		return;
	if (o->f && o->f != stdout)
		fclose(o->f);
	if (o->temp)
		unlink(o->temp);
	release(o);
}
