// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/sysfile.h"

static char tracing_dir[PATH_MAX];

static bool find_mount(void)
{
	struct mntent *m;
	bool found = false;
	FILE *f;

	f = setmntent("/proc/self/mounts", "re");
	if (!f)
		return false;
	while (!found && (m = getmntent(f))) {
		if (!strcmp(m->mnt_type, "tracefs")) {
			snprintf(tracing_dir, sizeof(tracing_dir), "%s", m->mnt_dir);
			found = true;
		}
	}
	endmntent(f);
	return found;
}

const char *xlv_tracefs_dir(struct xlv_error *err)
{
	if (!tracing_dir[0] && !find_mount()) {
		xlv_fail(err, "unable to find tracefs: no mount of it: run "
			 "'mount -t tracefs nodev /sys/kernel/tracing'");
		return NULL;
	}
	if (access(tracing_dir, R_OK | X_OK)) {
		xlv_fail(err, "unable to read tracefs at '%s': %s: run as root", tracing_dir,
			 strerror(errno));
		return NULL;
	}
	return tracing_dir;
}

bool xlv_tracefs_event(const char *system, const char *name)
{
	return xlv_sys_exists("%s/events/%s/%s/format", tracing_dir, system, name);
}

bool xlv_tracefs_field(const char *system, const char *name, const char *field)
{
	char format[16384], *line, *save = NULL;
	size_t len = strlen(field);

	if (xlv_sys_read(format, sizeof(format), "%s/events/%s/%s/format", tracing_dir, system,
			 name) <= 0)
		return false;
	for (line = strtok_r(format, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *semi = strchr(line, ';');

		if (!strstr(line, "field:") || !semi)
			continue;
		*semi = '\0';
		if (strchr(line, '['))
			*strrchr(line, '[') = '\0';
		if (strlen(line) > len && !strcmp(line + strlen(line) - len, field) &&
		    line[strlen(line) - len - 1] == ' ')
			return true;
	}
	return false;
}

bool xlv_tracefs_clock(const char *name)
{
	char clocks[512], *word, *save = NULL;

	if (xlv_sys_read(clocks, sizeof(clocks), "%s/trace_clock", tracing_dir) <= 0)
		return false;
	for (word = strtok_r(clocks, " []\n", &save); word; word = strtok_r(NULL, " []\n", &save))
		if (!strcmp(word, name))
			return true;
	return false;
}

bool xlv_tracefs_function_filters(void)
{
	char path[PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "%s/set_ftrace_filter", tracing_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool xlv_tracefs_kprobes(void)
{
	return xlv_sys_exists("%s/kprobe_events", tracing_dir);
}

static bool array_in_use(const char *dir)
{
	char text[4096];

	if (xlv_sys_read(text, sizeof(text), "%s/set_event", dir) != 0)
		return true;
	if (xlv_sys_read(text, sizeof(text), "%s/current_tracer", dir) > 0 && strcmp(text, "nop"))
		return true;
	return false;
}

bool xlv_tracefs_in_use(void)
{
	char path[PATH_MAX + 300];
	struct dirent *d;
	bool used;
	DIR *dir;

	if (array_in_use(tracing_dir))
		return true;
	snprintf(path, sizeof(path), "%s/instances", tracing_dir);
	dir = opendir(path);
	if (!dir)
		return false;
	for (used = false; !used && (d = readdir(dir));) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/instances/%s", tracing_dir, d->d_name);
		used = array_in_use(path);
	}
	closedir(dir);
	return used;
}
