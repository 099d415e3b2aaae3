/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of the machine decides how fast a wake-up is: which CPUs share a core, a
 * cache or a node, how deep they sleep and how they are clocked, and where
 * unbound workers may run.
 */
#ifndef XLV_RECORD_MACHINE_H
#define XLV_RECORD_MACHINE_H

#include <json.h>

/**
 * xlv_machine_topology - an array with an object for each CPU online
 *
 * { "cpu", "core", "llc", "node" }: core and llc are the lowest CPU that shares
 * the core and the last-level cache, so that equal numbers mean shared ones on
 * machines with several sockets too. -1 where the kernel doesn't tell.
 */
json_object *xlv_machine_topology(void);

/** xlv_machine_online - "0-3" */
json_object *xlv_machine_online(void);

/** xlv_machine_workqueues - { "unbound_cpumask", ... }: the masks as they are now */
json_object *xlv_machine_workqueues(void);

/** xlv_machine_governor - { "NAME": CPUs } or null where there is no cpufreq */
json_object *xlv_machine_governor(void);

/** xlv_machine_idle_states - [ { "name", "latency_us", "residency_us", "disabled" } ] of CPU 0 */
json_object *xlv_machine_idle_states(void);

/** xlv_machine_clocksource - "tsc" */
json_object *xlv_machine_clocksource(void);

/** xlv_machine_cpus - number of CPUs that can be online, 1 at least */
int xlv_machine_cpus(void);

#endif
