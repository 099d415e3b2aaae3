// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/tracecmd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/machine.h"
#include "record/probes.h"
#include "record/sysfile.h"

static const char ready_word[] = "xlogviz-ready";
/* The word in two parts, since trace-cmd may show the command it was given. */
static const char wait_script[] = "echo xlogviz''-ready; exec cat >/dev/null";

enum { START_TIMEOUT_S = 30, SAID_BYTES = 4096 };

const char *xlv_tracecmd_version(void)
{
	static char version[64];
	char line[256];
	FILE *p;

	if (version[0])
		return version;
	p = popen("trace-cmd --version 2>/dev/null || trace-cmd 2>&1", "re");
	if (!p)
		return NULL;
	while (fgets(line, sizeof(line), p))
		if (!version[0])
			sscanf(line, "trace-cmd version %63s", version);
	pclose(p);
	return version[0] ? version : NULL;
}

struct args {
	char	**v;
	int	nr, room;
	char	*text;		/* of all event names */
	size_t	used, size;
};

static void add(struct args *a, const char *arg)
{
	if (a->nr + 1 < a->room)
		a->v[a->nr++] = (char *)arg;
	a->v[a->nr] = NULL;
}

static void add_event(struct args *a, const char *system, const char *name, const char *filter)
{
	int n = snprintf(a->text + a->used, a->size - a->used, "%s:%s", system, name);

	add(a, "-e");
	add(a, a->text + a->used);
	a->used += (size_t)n + 1;
	if (filter[0]) {
		add(a, "-f");
		add(a, filter);
	}
}

static int build_args(struct args *a, const struct xlv_tracecmd *t, const struct xlv_instance *in,
		      const struct xlv_choices *choices, const char *const *probes, int nr_probes,
		      const char *clock, const char *kb)
{
	a->room = 32 + 4 * (choices->nr + nr_probes);
	a->size = (size_t)(choices->nr + nr_probes) * 112;
	a->v = calloc((size_t)a->room, sizeof(*a->v));
	a->text = calloc(1, a->size);
	if (!a->v || !a->text)
		return -1;
	add(a, "trace-cmd");
	add(a, "record");
	add(a, "-q");
	add(a, "-o");
	add(a, t->file);
	add(a, "-B");
	add(a, in->name);
	add(a, "-C");
	add(a, clock);
	add(a, "-b");
	add(a, kb);
	for (int i = 0; i < choices->nr; i++)
		if (choices->event[i].available)
			add_event(a, choices->event[i].system, choices->event[i].name,
				  choices->event[i].filter);
	for (int i = 0; i < nr_probes; i++)
		add_event(a, XLV_PROBE_GROUP, probes[i], "");
	add(a, "sh");
	add(a, "-c");
	add(a, wait_script);
	return 0;
}

/* A session of its own keeps a terminal's Ctrl-C away from it. */
static void run(char **argv, int in, int out)
{
	sigset_t none;

	setsid();
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(127);
	execvp(argv[0], argv);
	dprintf(2, "%s\n", strerror(errno));
	_exit(127);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Reads what trace-cmd says until a word, its end, or the timeout. 0: the word came. */
static int wait_for(int fd, const char *word, char *said, size_t size, int timeout_s)
{
	double end = now_s() + timeout_s;
	size_t len = 0;

	said[0] = '\0';
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		double left = end - now_s();
		char drop[256];
		ssize_t n;

		if (left <= 0 || poll(&p, 1, (int)(left * 1000) + 1) == 0)
			return -1;
		if (len + 1 < size)
			n = read(fd, said + len, size - 1 - len);
		else
			n = read(fd, drop, sizeof(drop));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		if (len + 1 < size)
			len += (size_t)n;
		said[len] = '\0';
		if (word && strstr(said, word))
			return 0;
	}
}

/* The line of trace-cmd's talk that says what is wrong: the last one that isn't empty. */
static const char *complaint(char *said)
{
	const char *found = "it said nothing";
	char *line, *save = NULL;

	for (line = strtok_r(said, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t");
		if (line[0])
			found = line;
	}
	return found;
}

int xlv_tracecmd_start(struct xlv_tracecmd *t, const struct xlv_instance *in,
		       const struct xlv_choices *choices, const char *const *probes, int nr_probes,
		       const char *clock, const char *file, struct xlv_undo *undo,
		       struct xlv_error *err)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 };
	struct args a = { 0 };
	char said[SAID_BYTES], kb[32];

	snprintf(kb, sizeof(kb), "%ld", in->buffer_kb);
	if (snprintf(t->file, sizeof(t->file), "%s~", file) >= (int)sizeof(t->file))
		return xlv_fail(err, "the path '%s' is too long", file);
	if (build_args(&a, t, in, choices, probes, nr_probes, clock, kb)) {
		xlv_fail(err, "out of memory");
		goto fail;
	}
	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) {
		xlv_fail(err, "unable to open a pipe: %s", strerror(errno));
		goto fail;
	}
	t->pid = fork();
	if (!t->pid) {
		xlv_undo_forked(undo);
		close(to[1]);
		run(a.v, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	t->in_fd = to[1];
	t->out_fd = from[0];
	to[0] = to[1] = from[0] = from[1] = -1;
	if (t->pid < 0) {
		xlv_fail(err, "unable to start trace-cmd: %s", strerror(errno));
		goto fail;
	}
	if (xlv_undo_add(undo, err, "process %d %lld", (int)t->pid,
			 xlv_sys_start_time(t->pid)))
		goto fail;
	if (wait_for(t->out_fd, ready_word, said, sizeof(said), START_TIMEOUT_S)) {
		xlv_fail(err, "trace-cmd did not begin to record: %s", complaint(said));
		goto fail;
	}
	free(a.v);
	free(a.text);
	return 0;

fail:
	for (int i = 0; i < 2; i++) {
		if (to[i] >= 0)
			close(to[i]);
		if (from[i] >= 0)
			close(from[i]);
	}
	free(a.v);
	free(a.text);
	if (t->pid > 0) {
		xlv_tracecmd_stop(t, NULL, NULL);
		unlink(t->file);
	}
	return -1;
}

int64_t xlv_tracecmd_bytes(const struct xlv_tracecmd *t)
{
	char path[PATH_MAX + 16];
	int64_t sum = 0;
	struct stat st;

	for (int cpu = 0; cpu < xlv_machine_cpus(); cpu++) {
		snprintf(path, sizeof(path), "%s.cpu%d", t->file, cpu);
		if (!stat(path, &st))
			sum += st.st_size;
	}
	return sum;
}

int xlv_tracecmd_stop(struct xlv_tracecmd *t, const char *file, struct xlv_error *err)
{
	char said[SAID_BYTES];
	int status;

	close(t->in_fd);
	wait_for(t->out_fd, NULL, said, sizeof(said), 3600);
	close(t->out_fd);
	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	t->pid = 0;
	if (!file)
		return 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return xlv_fail(err, "trace-cmd failed to write '%s': %s", t->file,
				complaint(said));
	if (rename(t->file, file))
		return xlv_fail(err, "unable to write '%s': %s", file, strerror(errno));
	return 0;
}
