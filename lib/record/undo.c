// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/undo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/sysfile.h"
#include "record/tracefs.h"

#define RUN_DIR		"/run/xlogviz"
#define INSTANCE_PREFIX	"xlogviz-"
#define PROBE_GROUP	"xlogviz"
#define MAX_CPUS	8192

struct xlv_undo {
	int		list_fd, pipe_fd;
	pid_t		guardian;
	char		id[48];
	char		path[96];
};

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static int complain(const char *what, const char *subject, int err)
{
	fprintf(stderr, "xlogviz: unable to %s '%s': %s\n", what, subject, strerror(err));
	return -1;
}

/*
 * The readers of a dying recorder hold the instance until their files are
 * closed, which can come after the end of the guardian's pipe.
 */
static int remove_instance(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/instances/%s", xlv_tracefs_dir(NULL), name);
	if (!xlv_sys_exists("%s", path))
		return 0;
	xlv_sys_write("0", "%s/tracing_on", path);
	for (int tries = 0; tries < 500; tries++) {
		xlv_sys_write("0", "%s/events/enable", path);
		if (!rmdir(path) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		pause_ms(10);
	}
	return complain("remove the tracing instance", path, errno);
}

static int remove_probe(const char *name)
{
	char text[160];
	int err;

	snprintf(text, sizeof(text), "-:%s\n", name);
	err = xlv_sys_append(text, "%s/kprobe_events", xlv_tracefs_dir(NULL));
	/* EBUSY: another recorder has it enabled and will remove it */
	if (err && err != -ENOENT && err != -EBUSY)
		return complain("remove the probe", name, -err);
	return 0;
}

static int restore_file(char *args)
{
	char *value = strchr(args, ' '), now[2048];
	int err;

	if (!value)
		return -1;
	*value++ = '\0';
	if (xlv_sys_read(now, sizeof(now), "%s", args) >= 0 && !strcmp(now, value))
		return 0;
	err = xlv_sys_write(value, "%s", args);
	/* a filesystem that was unmounted took its files with it */
	return err && err != -ENOENT ? complain("restore", args, -err) : 0;
}

static int restore_affinity(char *args)
{
	unsigned char cpus[MAX_CPUS];
	char list[1024];
	long long start;
	cpu_set_t *set;
	size_t size;
	int tid;

	if (sscanf(args, "%d %lld %1023s", &tid, &start, list) != 3)
		return -1;
	if (xlv_sys_start_time(tid) != start || xlv_sys_cpu_list(list, cpus, MAX_CPUS) < 0)
		return 0;
	set = CPU_ALLOC(MAX_CPUS);
	if (!set)
		return complain("restore the CPUs of", args, ENOMEM);
	size = CPU_ALLOC_SIZE(MAX_CPUS);
	CPU_ZERO_S(size, set);
	for (int i = 0; i < MAX_CPUS; i++)
		if (cpus[i])
			CPU_SET_S(i, size, set);
	if (sched_setaffinity(tid, size, set) && errno != ESRCH) {
		CPU_FREE(set);
		return complain("restore the CPUs of", args, errno);
	}
	CPU_FREE(set);
	return 0;
}

static int end_process(const char *args)
{
	long long start;
	int pid;

	if (sscanf(args, "%d %lld", &pid, &start) != 2)
		return -1;
	if (xlv_sys_start_time(pid) != start)
		return 0;
	for (int i = 0; i < 2000; i++) {
		if (i == 1000)
			kill(pid, SIGTERM);
		pause_ms(10);
		if (xlv_sys_start_time(pid) != start)
			return 0;
	}
	kill(pid, SIGKILL);
	return 0;
}

static int apply_entry(char *entry, bool died)
{
	char *args = strchr(entry, ' ');

	if (!args)
		return 0;
	*args++ = '\0';
	if (!strcmp(entry, "instance"))
		return remove_instance(args);
	if (!strcmp(entry, "probe"))
		return remove_probe(args);
	if (!strcmp(entry, "write"))
		return restore_file(args);
	if (!strcmp(entry, "affinity"))
		return restore_affinity(args);
	if (!strcmp(entry, "process"))
		return end_process(args);
	if (!strcmp(entry, "note") && died)
		fprintf(stderr, "xlogviz: %s\n", args);
	return 0;
}

/* Takes back everything on a list, last entry first, and removes the list. */
static int apply_list(const char *path, bool died)
{
	char *text, *p;
	size_t len;
	int ret = 0;

	text = xlv_sys_slurp(path, &len);
	if (!text)
		return errno == ENOENT ? 0 : complain("read", path, errno);
	while (len) {
		if (text[len - 1] == '\n')
			text[--len] = '\0';
		p = memrchr(text, '\n', len);
		p = p ? p + 1 : text;
		if (apply_entry(p, died))
			ret = -1;
		len = (size_t)(p - text);
	}
	free(text);
	unlink(path);
	return ret;
}

static void close_all_but(int keep)
{
	long max = sysconf(_SC_OPEN_MAX);
	struct dirent *d;
	DIR *dir;

	dir = opendir("/proc/self/fd");
	if (!dir) {
		for (int fd = 3; fd < max && fd < 65536; fd++)
			if (fd != keep)
				close(fd);
		return;
	}
	while ((d = readdir(dir))) {
		int fd = atoi(d->d_name);

		if (fd > 2 && fd != keep && fd != dirfd(dir))
			close(fd);
	}
	closedir(dir);
}

static void guard(int pipe_fd, const char *path)
{
	sigset_t all;
	char byte;
	bool said = false;

	setsid();
	prctl(PR_SET_NAME, "xlogviz-guard");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	close(0);
	close(1);
	close_all_but(pipe_fd);
	while (read(pipe_fd, &byte, 1) == 1)
		said = true;
	_exit(apply_list(path, !said) ? 1 : 0);
}

struct xlv_undo *xlv_undo_open(struct xlv_error *err)
{
	struct xlv_undo *undo;
	int fds[2] = { -1, -1 };

	undo = calloc(1, sizeof(*undo));
	if (!undo) {
		xlv_fail(err, "out of memory");
		return NULL;
	}
	snprintf(undo->id, sizeof(undo->id), "%d-%lld", (int)getpid(),
		 xlv_sys_start_time(getpid()));
	snprintf(undo->path, sizeof(undo->path), RUN_DIR "/%s.undo", undo->id);
	if (mkdir(RUN_DIR, 0700) && errno != EEXIST) {
		xlv_fail(err, "unable to make the folder '" RUN_DIR "': %s", strerror(errno));
		goto fail;
	}
	undo->list_fd = open(undo->path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (undo->list_fd < 0) {
		xlv_fail(err, "unable to write '%s': %s", undo->path, strerror(errno));
		goto fail;
	}
	if (pipe2(fds, O_CLOEXEC)) {
		xlv_fail(err, "unable to start the guardian: %s", strerror(errno));
		goto fail_list;
	}
	undo->guardian = fork();
	if (undo->guardian < 0) {
		xlv_fail(err, "unable to start the guardian: %s", strerror(errno));
		goto fail_pipe;
	}
	if (!undo->guardian) {
		char path[sizeof(undo->path)];

		memcpy(path, undo->path, sizeof(path));
		guard(fds[0], path);
	}
	close(fds[0]);
	undo->pipe_fd = fds[1];
	if (xlv_undo_add(undo, err, "guardian %d %lld", (int)undo->guardian,
			 xlv_sys_start_time(undo->guardian))) {
		xlv_undo_close(undo, NULL);
		return NULL;
	}
	return undo;

fail_pipe:
	close(fds[0]);
	close(fds[1]);
fail_list:
	close(undo->list_fd);
	unlink(undo->path);
fail:
	free(undo);
	return NULL;
}

int xlv_undo_add(struct xlv_undo *undo, struct xlv_error *err, const char *fmt, ...)
{
	char line[2048];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof(line) - 1 || strchr(line, '\n'))
		return xlv_fail(err, "unable to note how to undo '%.60s': bad or too long", line);
	line[n++] = '\n';
	if (write(undo->list_fd, line, (size_t)n) != n)
		return xlv_fail(err, "unable to write '%s': %s", undo->path, strerror(errno));
	return 0;
}

void xlv_undo_forked(struct xlv_undo *undo)
{
	close(undo->pipe_fd);
	close(undo->list_fd);
}

int xlv_undo_close(struct xlv_undo *undo, struct xlv_error *err)
{
	int status = 0, ret = 0;

	if (!undo)
		return 0;
	if (write(undo->pipe_fd, "x", 1) != 1)	/* alive: an orderly end */
		ret = -1;
	close(undo->pipe_fd);
	while (waitpid(undo->guardian, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		ret = -1;
	if (ret && xlv_sys_exists("%s", undo->path))	/* the guardian was killed */
		ret = apply_list(undo->path, false);
	close(undo->list_fd);
	free(undo);
	return ret ? xlv_fail(err, "not everything was put back as it was: see above") : 0;
}

const char *xlv_undo_id(const struct xlv_undo *undo)
{
	return undo->id;
}

static bool id_alive(const char *id)
{
	long long start;
	int pid;

	return sscanf(id, "%d-%lld", &pid, &start) == 2 && xlv_sys_start_time(pid) == start;
}

/* Whether a list's recorder, or the guardian that works for it, is still there. */
static bool list_in_use(const char *id)
{
	char text[128];
	long long start;
	int pid;

	if (id_alive(id))
		return true;
	if (xlv_sys_read(text, sizeof(text), RUN_DIR "/%s.undo", id) <= 0)
		return false;
	return sscanf(text, "guardian %d %lld", &pid, &start) == 2 &&
	       xlv_sys_start_time(pid) == start;
}

static bool list_has(const char *id, const char *entry)
{
	char path[sizeof(RUN_DIR) + 80], *text, *p;
	bool found = false;

	snprintf(path, sizeof(path), RUN_DIR "/%s.undo", id);
	text = xlv_sys_slurp(path, NULL);
	for (p = text; p && !found && (p = strstr(p, entry)); p++)
		found = p == text || p[-1] == '\n';
	free(text);
	return found;
}

/* "PID-START.undo" without its end; false: it is none */
static bool list_id(const char *name, char *id, size_t size)
{
	const char *dot = strstr(name, ".undo");

	if (!dot || dot[5] || (size_t)(dot - name) >= size)
		return false;
	memcpy(id, name, (size_t)(dot - name));
	id[dot - name] = '\0';
	return true;
}

int xlv_undo_claim(struct xlv_undo *undo, const char *path, const char *value,
		   struct xlv_error *err)
{
	char entry[PATH_MAX + 8], id[64];
	struct dirent *d;
	bool taken = false;
	DIR *dir;

	snprintf(entry, sizeof(entry), "write %s ", path);
	dir = opendir(RUN_DIR);
	while (dir && !taken && (d = readdir(dir)))
		taken = list_id(d->d_name, id, sizeof(id)) && strcmp(id, undo->id) &&
			list_in_use(id) && list_has(id, entry);
	if (dir)
		closedir(dir);
	if (taken)
		return xlv_fail(err, "another recorder (process %d) has changed '%s': wait until it "
				"ends", atoi(id), path);
	return xlv_undo_add(undo, err, "%s%s", entry, value);
}

struct sweep {
	bool	dry;
	void	(*tell)(const char *line, void *arg);
	void	*arg;
	int	found, failed, live;
};

static void found(struct sweep *s, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	s->found++;
	if (s->tell)
		s->tell(line, s->arg);
}

static void sweep_lists(struct sweep *s)
{
	struct dirent *d;
	DIR *dir;

	dir = opendir(RUN_DIR);
	if (!dir)
		return;
	while ((d = readdir(dir))) {
		char id[64], path[sizeof(RUN_DIR) + 80];

		if (!list_id(d->d_name, id, sizeof(id)))
			continue;
		if (list_in_use(id)) {
			s->live++;
			continue;
		}
		found(s, "what the recorder with process id %d left", atoi(id));
		snprintf(path, sizeof(path), RUN_DIR "/%s.undo", id);
		if (!s->dry && apply_list(path, false))
			s->failed++;
	}
	closedir(dir);
}

static void sweep_instances(struct sweep *s)
{
	char path[PATH_MAX];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", xlv_tracefs_dir(NULL));
	dir = opendir(path);
	if (!dir)
		return;
	while ((d = readdir(dir))) {
		const char *id = d->d_name + strlen(INSTANCE_PREFIX);
		long long start;
		int pid;

		if (strncmp(d->d_name, INSTANCE_PREFIX, strlen(INSTANCE_PREFIX)) ||
		    sscanf(id, "%d-%lld", &pid, &start) != 2 || list_in_use(id))
			continue;
		found(s, "tracing instance '%s'", d->d_name);
		if (!s->dry && remove_instance(d->d_name))
			s->failed++;
	}
	closedir(dir);
}

static void sweep_probes(struct sweep *s)
{
	char *text, *line, *save = NULL, path[PATH_MAX];

	if (s->live)		/* they may be a live recorder's */
		return;
	snprintf(path, sizeof(path), "%s/kprobe_events", xlv_tracefs_dir(NULL));
	text = xlv_sys_slurp(path, NULL);
	if (!text)
		return;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char name[128];

		if (sscanf(line, "%*[^:]:%127s", name) != 1 ||
		    strncmp(name, PROBE_GROUP "/", strlen(PROBE_GROUP "/")))
			continue;
		found(s, "probe '%s'", name);
		if (!s->dry && remove_probe(name))
			s->failed++;
	}
	free(text);
}

int xlv_undo_sweep(bool dry, void (*tell)(const char *line, void *arg), void *arg)
{
	struct sweep s = { .dry = dry, .tell = tell, .arg = arg };

	if (!xlv_tracefs_dir(NULL))
		return 0;
	sweep_lists(&s);
	sweep_instances(&s);
	sweep_probes(&s);
	return s.failed ? -1 : s.found;
}
