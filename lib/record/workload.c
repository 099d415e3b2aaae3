// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/binding.h"

enum { EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static int exec_status(int err)
{
	return err == ENOENT || err == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

static int cant_run(struct xlv_error *err, const char *command, int errnum)
{
	xlv_fail(err, "unable to run '%s': %s", command,
		 errnum == ENOENT ? "command not found" : strerror(errnum));
	return exec_status(errnum);
}

int xlv_workload_find(const char *command, struct xlv_error *err)
{
	const char *path = getenv("PATH");
	int best = ENOENT;

	if (!command[0])
		return cant_run(err, command, ENOENT);
	if (strchr(command, '/'))
		return access(command, X_OK) ? cant_run(err, command, errno) : 0;
	if (!path)
		path = "/bin:/usr/bin";
	while (*path) {
		size_t len = strcspn(path, ":");
		char file[PATH_MAX];
		struct stat st;

		snprintf(file, sizeof(file), "%.*s/%s", (int)len, len ? path : ".", command);
		if (!stat(file, &st) && S_ISREG(st.st_mode)) {
			if (!access(file, X_OK))
				return 0;
			best = errno;
		}
		path += len;
		path += *path == ':';
	}
	return cant_run(err, command, best);
}

static void become(char *const *command, const char *bind, int go, int told)
{
	sigset_t none;
	char byte;
	int err;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (bind && (err = -xlv_bind_self(bind)))
		goto fail;
	if (read(go, &byte, 1) != 1)	/* the recorder gave up or died */
		_exit(0);
	execvp(command[0], command);
	err = errno;
fail:
	if (write(told, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_NOT_RUN);
	_exit(exec_status(err));
}

int xlv_workload_prepare(struct xlv_workload *w, char *const *command, const char *bind,
			 struct xlv_undo *undo, struct xlv_error *err)
{
	int go[2], told[2];

	if (pipe2(go, O_CLOEXEC))
		return xlv_fail(err, "unable to open a pipe: %s", strerror(errno));
	if (pipe2(told, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return xlv_fail(err, "unable to open a pipe: %s", strerror(errno));
	}
	w->pid = fork();
	if (!w->pid) {
		xlv_undo_forked(undo);
		close(go[1]);
		close(told[0]);
		become(command, bind, go[0], told[1]);
	}
	close(go[0]);
	close(told[1]);
	w->go_fd = go[1];
	w->exec_fd = told[0];
	if (w->pid < 0) {
		w->pid = 0;
		close(go[1]);
		close(told[0]);
		return xlv_fail(err, "unable to start '%s': %s", command[0], strerror(errno));
	}
	return 0;
}

int xlv_workload_go(struct xlv_workload *w, const char *command, struct xlv_error *err)
{
	int errnum = 0;
	ssize_t n;

	if (write(w->go_fd, "x", 1) != 1)
		errnum = errno;
	close(w->go_fd);
	w->go_fd = -1;
	do {
		n = read(w->exec_fd, &errnum, sizeof(errnum));
	} while (n < 0 && errno == EINTR);
	close(w->exec_fd);
	w->exec_fd = -1;
	return errnum ? cant_run(err, command, errnum) : 0;
}

void xlv_workload_abandon(struct xlv_workload *w)
{
	if (w->pid <= 0 || w->go_fd < 0)
		return;
	close(w->go_fd);
	close(w->exec_fd);
	w->go_fd = w->exec_fd = -1;
	while (waitpid(w->pid, &w->status, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
}

int xlv_workload_exit(const struct xlv_workload *w)
{
	return WIFSIGNALED(w->status) ? 128 + WTERMSIG(w->status) : WEXITSTATUS(w->status);
}

json_object *xlv_workload_json(const struct xlv_workload *w)
{
	json_object *o = json_object_new_object();

	if (WIFSIGNALED(w->status))
		json_object_object_add(o, "signal", json_object_new_int(WTERMSIG(w->status)));
	else
		json_object_object_add(o, "exit", json_object_new_int(WEXITSTATUS(w->status)));
	return o;
}
