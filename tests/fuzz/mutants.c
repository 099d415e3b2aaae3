// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damages recordings in many ways and reads each: no crash, no hang, no
 * allocation without measure.
 *
 *	mutants [-n NUMBER] [-s SEED] [-o DIR] [-x XLOGVIZ] FILE...
 *
 * The same seed gives the same mutants. NUMBER is for all files together. A
 * mutant that fails is kept in DIR (here, if not given). With -x, a report of
 * each is made as well. Reading is done in a child, so that one failure doesn't
 * hide the next.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exercise.h"

#define HANG_SECONDS	10

struct file {
	const char	*name;
	uint8_t		*data;
	size_t		len;
};

static struct file *files;
static const char *xlogviz;
static uint64_t rng_state;

/* libtraceevent loses memory on formats that make no sense. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent\nleak:libfontconfig\n";
}

static uint64_t rng(void)
{
	uint64_t z = rng_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static size_t below(size_t n)
{
	return n ? rng() % n : 0;
}

/* Places near the ends, where the headers and options are, come more often. */
static size_t place(size_t len)
{
	switch (rng() % 4) {
	case 0:
		return below(len < 4096 ? len : 4096);
	case 1:
		return below(len < 65536 ? len : 65536);
	case 2:
		return len - 1 - below(len < 8192 ? len : 8192);
	}
	return below(len);
}

static void put(uint8_t *p, size_t room, uint64_t v, size_t size)
{
	memcpy(p, &v, size < room ? size : room);
}

static uint64_t odd_number(void)
{
	static const uint64_t odd[] = {
		0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		0xfffffff0, 0x100000000, 0x7fffffffffffffff, 0xffffffffffffffff,
	};
	uint64_t v = odd[below(sizeof(odd) / sizeof(odd[0]))];

	return rng() % 3 ? v : rng() >> below(60);
}

static const char *mutate(uint8_t *data, size_t *len)
{
	size_t at, n, i;

	if (!*len)
		return "empty";
	switch (rng() % 8) {
	case 0:
		*len = below(*len);
		return "cut";
	case 1:
		*len = place(*len);
		return "cut near an end";
	case 2:
		for (n = 1 + below(32); n; n--) {
			at = below(*len);
			data[at] ^= 1 << below(8);
		}
		return "bits flipped";
	case 3:
		for (n = 1 + below(8); n; n--) {
			at = place(*len);
			data[at] ^= 1 << below(8);
		}
		return "bits flipped near an end";
	case 4:		/* the second word of what may be a sub-buffer */
		for (n = 1 + below(8); n; n--) {
			at = below(*len) / 4096 * 4096 + 8;
			if (at < *len)
				put(data + at, *len - at, odd_number(), 8);
		}
		return "bad commits";
	case 5:
		for (n = 1 + below(4); n; n--) {
			at = place(*len);
			put(data + at, *len - at, odd_number(), rng() % 2 ? 4 : 8);
		}
		return "bad counts";
	case 6:
		at = place(*len);
		n = 1 + below(8192);
		n = n < *len - at ? n : *len - at;
		i = below(*len - n + 1);
		memmove(data + at, data + i, n);
		return "a part copied over another";
	}
	at = place(*len);
	n = 1 + below(8192);
	memset(data + at, rng() % 2 ? 0 : 0xff, n < *len - at ? n : *len - at);
	return "a part wiped";
}

static uint8_t *read_file(const char *name, size_t *len)
{
	struct stat st;
	uint8_t *p;
	FILE *f;

	f = fopen(name, "rb");
	if (!f || fstat(fileno(f), &st)) {
		fprintf(stderr, "mutants: unable to open '%s': %s\n", name, strerror(errno));
		exit(2);
	}
	*len = st.st_size;
	p = malloc(*len + 1);
	if (!p || fread(p, 1, *len, f) != *len) {
		fprintf(stderr, "mutants: unable to read '%s'\n", name);
		exit(2);
	}
	fclose(f);
	return p;
}

static void write_file(const char *name, const uint8_t *data, size_t len)
{
	FILE *f = fopen(name, "wb");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		fprintf(stderr, "mutants: unable to write '%s'\n", name);
}

/* A report may tell of damage or refuse the file, and nothing else. */
static void report(const char *path)
{
	int status, code;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(2);
		alarm(HANG_SECONDS);
		execl(xlogviz, "xlogviz", "report", "--json", "-", path, (char *)NULL);
		_exit(2);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		_exit(2);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		raise(SIGALRM);
	code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (code != 0 && code != 1 && code != 3) {
		fprintf(stderr, "mutants: the report ended with status %d, signal %d\n", code,
			WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		abort();
	}
}

/* The child: reads mutants @from to @to, telling in *@at which one it is at. */
static void run(int nr_files, uint64_t seed, int from, int to, int *at)
{
	uint8_t *buf = NULL;
	struct file *f;
	char path[64];
	size_t len;
	int i, fd;

	fd = memfd_create("mutant", 0);
	if (fd < 0)
		_exit(2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (i = from; i < to; i++) {
		*at = i;
		f = &files[i % nr_files];
		buf = realloc(buf, f->len + 1);
		if (!buf)
			_exit(2);
		memcpy(buf, f->data, f->len);
		len = f->len;
		rng_state = seed * 1000003 + i;
		mutate(buf, &len);
		if (ftruncate(fd, 0) || pwrite(fd, buf, len, 0) != (ssize_t)len)
			_exit(2);
		alarm(HANG_SECONDS);
		if (exercise(path) >= 0)
			exercise_run(path);
		alarm(0);
		if (xlogviz)
			report(path);
	}
	free(buf);
	exit(0);	/* where leaks are looked for */
}

static void keep(struct file *f, uint64_t seed, int i, const char *dir, const char *why)
{
	uint8_t *buf = malloc(f->len + 1);
	const char *how, *base;
	size_t len = f->len;
	char name[4096];

	if (!buf)
		return;
	memcpy(buf, f->data, f->len);
	rng_state = seed * 1000003 + i;
	how = mutate(buf, &len);
	base = strrchr(f->name, '/');
	snprintf(name, sizeof(name), "%s/mutant-%d-%s", dir, i, base ? base + 1 : f->name);
	write_file(name, buf, len);
	printf("FAILED mutant %d of '%s' (%s): %s; kept as '%s'\n", i, f->name, how, why, name);
	free(buf);
}

static int usage(void)
{
	fprintf(stderr, "usage: mutants [-n NUMBER] [-s SEED] [-o DIR] [-x XLOGVIZ] FILE...\n");
	return 2;
}

int main(int argc, char **argv)
{
	int opt, n = 2000, i, status, failed = 0, nr_files, *at;
	const char *dir = ".";
	uint64_t seed = 1;
	char why[64];
	pid_t pid;

	while ((opt = getopt(argc, argv, "n:s:o:x:")) != -1) {
		switch (opt) {
		case 'n':
			n = atoi(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'o':
			dir = optarg;
			break;
		case 'x':
			xlogviz = optarg;
			break;
		default:
			return usage();
		}
	}
	nr_files = argc - optind;
	if (nr_files < 1) {
		return usage();
	}
	files = calloc(nr_files, sizeof(*files));
	at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!files || at == MAP_FAILED)
		return 2;
	for (i = 0; i < nr_files; i++) {
		files[i].name = argv[optind + i];
		files[i].data = read_file(files[i].name, &files[i].len);
	}

	for (i = 0; i < n; i = *at + 1) {
		*at = i;
		fflush(stdout);
		pid = fork();
		if (!pid)
			run(nr_files, seed, i, n, at);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 2;
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			break;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
			snprintf(why, sizeof(why), "no end after %d s", HANG_SECONDS);
		else if (WIFSIGNALED(status))
			snprintf(why, sizeof(why), "signal %d", WTERMSIG(status));
		else
			snprintf(why, sizeof(why), "status %d", WEXITSTATUS(status));
		keep(&files[*at % nr_files], seed, *at, dir, why);
		failed++;
	}
	printf("%d passed, %d failed\n", n - failed, failed);
	return failed ? 1 : 0;
}
