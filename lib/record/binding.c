// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/binding.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/machine.h"
#include "record/sysfile.h"

enum { MAX_CPUS = 8192 };

#define UNBOUND_MASK "/sys/devices/virtual/workqueue/cpumask"

int xlv_bind_check(const char *list, struct xlv_error *err)
{
	unsigned char want[MAX_CPUS], online[MAX_CPUS];
	char text[4096];

	if (xlv_sys_cpu_list(list, want, MAX_CPUS) < 0)
		return xlv_fail(err, "'%s' is not a list of CPUs such as 0-3,8", list);
	xlv_sys_read(text, sizeof(text), "/sys/devices/system/cpu/online");
	if (xlv_sys_cpu_list(text, online, MAX_CPUS) < 0)
		return 0;
	for (int i = 0; i < MAX_CPUS; i++)
		if (want[i] && !online[i])
			return xlv_fail(err, "CPU %d of '%s' is not online: online are %s", i, list,
					text);
	return 0;
}

static int set_affinity(pid_t tid, const char *list)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	unsigned char cpus[MAX_CPUS];
	cpu_set_t *set;
	int ret = 0;

	if (xlv_sys_cpu_list(list, cpus, MAX_CPUS) < 0)
		return -EINVAL;
	set = CPU_ALLOC(MAX_CPUS);
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	for (int i = 0; i < MAX_CPUS; i++)
		if (cpus[i])
			CPU_SET_S(i, size, set);
	if (sched_setaffinity(tid, size, set))
		ret = -errno;
	CPU_FREE(set);
	return ret;
}

int xlv_bind_self(const char *list)
{
	return set_affinity(0, list);
}

static int bind_thread(struct xlv_undo *undo, pid_t tid, const char *list, struct xlv_error *err)
{
	char status[4096], *p, old[1024];
	long long start = xlv_sys_start_time(tid);
	int ret;

	if (start < 0 || xlv_sys_read(status, sizeof(status), "/proc/%d/status", (int)tid) <= 0)
		return 0;		/* it has ended */
	p = strstr(status, "\nCpus_allowed_list:");
	if (!p || sscanf(p, "\nCpus_allowed_list: %1023s", old) != 1)
		return xlv_fail(err, "unable to read the CPUs of thread %d", (int)tid);
	if (xlv_undo_add(undo, err, "affinity %d %lld %s", (int)tid, start, old))
		return -1;
	ret = set_affinity(tid, list);
	if (ret && ret != -ESRCH)
		return xlv_fail(err, "unable to bind thread %d to CPUs '%s': %s", (int)tid, list,
				strerror(-ret));
	return 0;
}

int xlv_bind_process(struct xlv_undo *undo, pid_t pid, const char *list, struct xlv_error *err)
{
	struct dirent *d;
	char path[64];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return xlv_fail(err, "unable to find process %d", (int)pid);
	while (!ret && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			ret = bind_thread(undo, atoi(d->d_name), list, err);
	closedir(dir);
	return ret;
}

/* The mask in the kernel's own words: hexadecimal groups of 32 CPUs. */
static void print_mask(const char *list, char *mask, size_t size)
{
	unsigned char cpus[MAX_CPUS];
	int top = 0;
	size_t n = 0;

	mask[0] = '\0';
	if (xlv_sys_cpu_list(list, cpus, MAX_CPUS) < 0)
		return;
	for (int i = 0; i < MAX_CPUS; i++)
		if (cpus[i])
			top = i / 32;
	for (int g = top; g >= 0 && n < size; g--) {
		unsigned int bits = 0;

		for (int i = 0; i < 32; i++)
			bits |= (unsigned int)cpus[g * 32 + i] << i;
		n += (size_t)snprintf(mask + n, size - n, "%08x%s", bits, g ? "," : "");
	}
}

int xlv_bind_workers(struct xlv_undo *undo, const char *list, struct xlv_error *err)
{
	char mask[1536], old[1536];
	int ret;

	if (xlv_sys_read(old, sizeof(old), UNBOUND_MASK) <= 0)
		return xlv_fail(err, "unable to read '" UNBOUND_MASK "': this kernel has no mask "
				"for unbound workers (4.4 and later have)");
	print_mask(list, mask, sizeof(mask));
	if (xlv_undo_claim(undo, UNBOUND_MASK, old, err))
		return -1;
	ret = xlv_sys_write(mask, UNBOUND_MASK);
	if (ret)
		return xlv_fail(err, "unable to write '%s' to '" UNBOUND_MASK "': %s", mask,
				strerror(-ret));
	return 0;
}

/* "virtio1-req.0" from the line of an interrupt in /proc/interrupts */
static void irq_name(int irq, char *name, size_t size)
{
	char *text, *line, *save = NULL;

	name[0] = '\0';
	text = xlv_sys_slurp("/proc/interrupts", NULL);
	if (!text)
		return;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *last;
		int nr;

		if (sscanf(line, " %d:", &nr) != 1 || nr != irq)
			continue;
		last = strrchr(line, ' ');
		snprintf(name, size, "%s", last ? last + 1 : "");
	}
	free(text);
}

/* Of a disk's bus device: the folder msi_irqs that is nearest upwards. */
static DIR *open_irqs(unsigned int maj, unsigned int min)
{
	char path[PATH_MAX], real[PATH_MAX];
	DIR *dir = NULL;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", maj, min);
	if (!realpath(path, real))
		return NULL;
	while (!dir && strlen(real) > strlen("/sys/devices")) {
		if (snprintf(path, sizeof(path), "%s/msi_irqs", real) >= (int)sizeof(path))
			return NULL;
		dir = opendir(path);
		*strrchr(real, '/') = '\0';
	}
	return dir;
}

int xlv_bind_irqs(struct xlv_undo *undo, const struct xlv_filesystem *fs, int cpu,
		  json_object *report, struct xlv_error *err)
{
	int moved = 0, seen = 0, last = 0;
	struct dirent *d;
	DIR *dir;

	dir = open_irqs(fs->log_major, fs->log_minor);
	while (dir && (d = readdir(dir))) {
		char name[64], cpus[512], to[16], path[64];
		json_object *o;
		int irq = atoi(d->d_name), ret;

		if (irq <= 0 || xlv_sys_read(cpus, sizeof(cpus), "/proc/irq/%d/smp_affinity_list",
					     irq) <= 0)
			continue;
		seen++;
		irq_name(irq, name, sizeof(name));
		if (cpu >= 0) {
			snprintf(path, sizeof(path), "/proc/irq/%d/smp_affinity_list", irq);
			if (xlv_undo_claim(undo, path, cpus, err)) {
				closedir(dir);
				return -1;
			}
			snprintf(to, sizeof(to), "%d", cpu);
			ret = xlv_sys_write(to, "/proc/irq/%d/smp_affinity_list", irq);
			if (ret)
				last = ret;
			else
				moved++;
			xlv_sys_read(cpus, sizeof(cpus), "/proc/irq/%d/smp_affinity_list", irq);
		}
		o = json_object_new_object();
		json_object_object_add(o, "irq", json_object_new_int(irq));
		json_object_object_add(o, "name", json_object_new_string(name));
		json_object_object_add(o, "cpus", json_object_new_string(cpus));
		json_object_array_add(report, o);
	}
	if (dir)
		closedir(dir);
	if (cpu >= 0 && !seen)
		return xlv_fail(err, "the log's device %u:%u has no interrupts of its own",
				fs->log_major, fs->log_minor);
	if (cpu >= 0 && !moved)
		return xlv_fail(err, "the kernel manages the interrupts of the log's device %u:%u "
				"itself: %s", fs->log_major, fs->log_minor, strerror(-last));
	return moved;
}
