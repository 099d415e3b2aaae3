/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recorder tells the report about the run.
 *
 * It travels inside the trace, as trace_marker events
 *
 *	xlogviz-meta KEY I/N TEXT
 *
 * of at most 1000 bytes each: the TEXTs of a KEY, I = 1 to N, put together are
 * the JSON value of that key. So it survives every tool that copies a trace, and
 * a recorder that dies. Most is written before the workload starts, the rest
 * when it has ended; where a key comes twice, the last one counts.
 *
 * Before the workload:
 *	version		"xlogviz 0.1.0"
 *	backend		"tracefs" or "trace-cmd"
 *	backend_why	why that one was picked
 *	event_set	"minimal", "normal" or "full"
 *	unknown		[ "..." ] what the events recorded leave unknown, in words
 *	block_devs	[ "MAJ:MIN" ] the only devices whose block events are there; null: all
 *	xfs_devs	[ "MAJ:MIN" ] the only filesystems whose events are there; null: all
 *	command		[ "fio", "--name=x" ]; null where none was run
 *	workload_pid	process id of the command, or of --pid; null
 *	duration_s	what --duration said; null
 *	bind		"0-1": CPUs the workload was bound to; null: free to move
 *	bind_workers	"0": unbound workqueues bound to; null: as they were
 *	irq		[ { "irq", "name", "cpus" } ] interrupts of the log devices, as recorded
 *	workqueues	{ "unbound_cpumask", ... } masks while recording
 *	topology	[ { "cpu", "core", "llc", "node" } ] one for each CPU online; core and
 *			llc are the lowest CPU that shares it; -1 unknown
 *	cpus_online	"0-3"
 *	clock		"mono"
 *	clocksource	"tsc"
 *	kernel		"6.1.0-31-cloud-amd64"
 *	governor	{ "performance": 4 } CPUs by cpufreq governor; null: no cpufreq
 *	idle_states	[ { "name", "latency_us", "residency_us", "disabled" } ]
 *	filesystem	[ { "dev", "mount", "source", "options", "block_bytes", ..., "log":
 *			{ "internal", "dev", "bytes", "sector", ... }, "log_queue": { ... } } ]
 *	fake_completion	{ "on": false, "available": false }; with "dev" where it is on
 *	probes		[ "force_enter", ... ] kprobe events in group xlogviz
 *	buffer_kb	size of each CPU's buffer
 *
 * After it:
 *	workload_status	{ "exit": 0 } or { "signal": 9 }; null where none was run
 *	ended		"workload", "duration", "interrupt" or "process": what ended it
 *	range		{ "start_ns", "end_ns" } of the run, in the trace's clock
 *	lost		[ { "cpu", "events" } ] CPUs whose buffer overran
 *	probes_missed	calls that a return probe had no room for; 0 is good
 */
#ifndef XLV_RECORD_METADATA_H
#define XLV_RECORD_METADATA_H

#include <json.h>

/**
 * xlv_meta_write - put one key into the trace
 * @instance:	folder of the tracefs instance that records
 * @value:	taken over and freed; NULL is JSON's null
 *
 * Returns 0 or a negative errno.
 */
int xlv_meta_write(const char *instance, const char *key, json_object *value);

#endif
