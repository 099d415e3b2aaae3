// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/machine.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/sysfile.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define WQ_DIR "/sys/devices/virtual/workqueue"

enum { MAX_CPUS = 8192 };

static json_object *text_or_null(const char *text)
{
	return text[0] ? json_object_new_string(text) : NULL;
}

int xlv_machine_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	return n < 1 ? 1 : n > MAX_CPUS ? MAX_CPUS : (int)n;
}

/* Lists start with their lowest CPU. */
static int first_of_list(const char *text)
{
	return text[0] >= '0' && text[0] <= '9' ? atoi(text) : -1;
}

static int core_of(int cpu)
{
	char text[256];

	if (xlv_sys_read(text, sizeof(text), CPU_DIR "/cpu%d/topology/core_cpus_list", cpu) <= 0)
		xlv_sys_read(text, sizeof(text), CPU_DIR "/cpu%d/topology/thread_siblings_list",
			     cpu);
	return first_of_list(text);
}

static int llc_of(int cpu)
{
	long long level, highest = -1;
	int llc = -1;
	char text[256];

	for (int i = 0; i < 16; i++) {
		level = xlv_sys_number(-1, CPU_DIR "/cpu%d/cache/index%d/level", cpu, i);
		if (level < 0)
			break;
		if (level <= highest ||
		    xlv_sys_read(text, sizeof(text), CPU_DIR "/cpu%d/cache/index%d/shared_cpu_list",
				 cpu, i) <= 0)
			continue;
		highest = level;
		llc = first_of_list(text);
	}
	return llc;
}

static int node_of(int cpu)
{
	char path[64];
	struct dirent *d;
	int node = -1;
	DIR *dir;

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d", cpu);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (node < 0 && (d = readdir(dir)))
		if (!strncmp(d->d_name, "node", 4) && d->d_name[4])
			node = atoi(d->d_name + 4);
	closedir(dir);
	return node;
}

json_object *xlv_machine_topology(void)
{
	json_object *all = json_object_new_array();
	unsigned char online[MAX_CPUS];
	char text[4096];

	xlv_sys_read(text, sizeof(text), CPU_DIR "/online");
	if (xlv_sys_cpu_list(text, online, MAX_CPUS) < 0)
		return all;
	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		json_object *o;

		if (!online[cpu])
			continue;
		o = json_object_new_object();
		json_object_object_add(o, "cpu", json_object_new_int(cpu));
		json_object_object_add(o, "core", json_object_new_int(core_of(cpu)));
		json_object_object_add(o, "llc", json_object_new_int(llc_of(cpu)));
		json_object_object_add(o, "node", json_object_new_int(node_of(cpu)));
		json_object_array_add(all, o);
	}
	return all;
}

json_object *xlv_machine_online(void)
{
	char text[4096];

	xlv_sys_read(text, sizeof(text), CPU_DIR "/online");
	return text_or_null(text);
}

json_object *xlv_machine_workqueues(void)
{
	json_object *o = json_object_new_object();
	struct dirent *d;
	char text[1024];
	DIR *dir;

	if (xlv_sys_read(text, sizeof(text), WQ_DIR "/cpumask") > 0)
		json_object_object_add(o, "unbound_cpumask", json_object_new_string(text));
	if (xlv_sys_read(text, sizeof(text), "/sys/module/workqueue/parameters/"
			 "default_affinity_scope") > 0)
		json_object_object_add(o, "default_affinity_scope", json_object_new_string(text));
	dir = opendir(WQ_DIR);
	while (dir && (d = readdir(dir)))
		if (!strncmp(d->d_name, "xfs-", 4) &&
		    xlv_sys_read(text, sizeof(text), WQ_DIR "/%s/cpumask", d->d_name) > 0)
			json_object_object_add(o, d->d_name, json_object_new_string(text));
	if (dir)
		closedir(dir);
	return o;
}

json_object *xlv_machine_governor(void)
{
	json_object *o = NULL, *n;
	char text[64];

	for (int cpu = 0; cpu < xlv_machine_cpus(); cpu++) {
		if (xlv_sys_read(text, sizeof(text), CPU_DIR "/cpu%d/cpufreq/scaling_governor",
				 cpu) <= 0)
			continue;
		if (!o)
			o = json_object_new_object();
		n = json_object_object_get(o, text);
		json_object_object_add(o, text, json_object_new_int(1 + json_object_get_int(n)));
	}
	return o;
}

json_object *xlv_machine_idle_states(void)
{
	json_object *all = json_object_new_array();
	char text[64];

	for (int i = 0; i < 16; i++) {
		json_object *o;

		if (xlv_sys_read(text, sizeof(text), CPU_DIR "/cpu0/cpuidle/state%d/name", i) <= 0)
			break;
		o = json_object_new_object();
		json_object_object_add(o, "name", json_object_new_string(text));
		json_object_object_add(o, "latency_us", json_object_new_int64(
			xlv_sys_number(-1, CPU_DIR "/cpu0/cpuidle/state%d/latency", i)));
		json_object_object_add(o, "residency_us", json_object_new_int64(
			xlv_sys_number(-1, CPU_DIR "/cpu0/cpuidle/state%d/residency", i)));
		json_object_object_add(o, "disabled", json_object_new_boolean(
			xlv_sys_number(0, CPU_DIR "/cpu0/cpuidle/state%d/disable", i) != 0));
		json_object_array_add(all, o);
	}
	return all;
}

json_object *xlv_machine_clocksource(void)
{
	char text[64];

	xlv_sys_read(text, sizeof(text),
		     "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	return text_or_null(text);
}
