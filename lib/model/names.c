// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of the model's enums as they stand in reports. */
#include "config.h"

#include "model/run.h"

#define NAME(names, i) ((i) < sizeof(names) / sizeof(*(names)) && (names)[i] ? (names)[i] : "unknown")

const char *xlv_kind_name(unsigned int kind)
{
	static const char *const names[] = {
		[XLV_KIND_LOG_FORCE] = "log-force", [XLV_KIND_FLUSH_ONLY] = "flush-only",
		[XLV_KIND_PIGGYBACK] = "piggyback", [XLV_KIND_NO_WAIT] = "no-wait",
	};
	return NAME(names, kind);
}

const char *xlv_queue_name(unsigned int queue)
{
	static const char *const names[] = {
		[XLV_QUEUE_COMMIT] = "commit", [XLV_QUEUE_WRITE] = "write",
		[XLV_QUEUE_FORCE] = "force", [XLV_QUEUE_OTHER] = "other",
	};
	return NAME(names, queue);
}

const char *xlv_stage_name(unsigned int stage)
{
	static const char *const names[] = {
		[XLV_STAGE_WRITE] = "write", [XLV_STAGE_DATA_WRITEBACK] = "data-writeback",
		[XLV_STAGE_CIL_QUEUE] = "cil-queue", [XLV_STAGE_CIL_PUSH] = "cil-push",
		[XLV_STAGE_CIL_WAKE] = "cil-wake", [XLV_STAGE_WRITE_WAIT] = "write-wait",
		[XLV_STAGE_ICLOG_SUBMIT] = "iclog-submit", [XLV_STAGE_LOG_IO] = "log-io",
		[XLV_STAGE_IOEND_QUEUE] = "ioend-queue", [XLV_STAGE_CALLBACKS] = "callbacks",
		[XLV_STAGE_WAKE] = "wake", [XLV_STAGE_EXIT] = "exit",
		[XLV_STAGE_DEVICE_FLUSH] = "device-flush", [XLV_STAGE_OTHER_WAIT] = "other-wait",
		[XLV_STAGE_RUNNING] = "running", [XLV_STAGE_RUNNABLE] = "runnable",
		[XLV_STAGE_CPU_SILENT] = "cpu-silent",
	};
	return NAME(names, stage);
}

const char *xlv_part_name(unsigned int part)
{
	static const char *const names[] = {
		[XLV_PART_WAKEUP_IPI] = "wakeup-ipi", [XLV_PART_IDLE_EXIT] = "idle-exit",
		[XLV_PART_WAKER_BUSY] = "waker-busy", [XLV_PART_OTHER_TASK] = "other-task",
		[XLV_PART_IRQ] = "irq", [XLV_PART_SCHED] = "sched",
	};
	return NAME(names, part);
}

const char *xlv_context_name(unsigned int context)
{
	static const char *const names[] = {
		[XLV_FROM_TASK] = "task", [XLV_FROM_SOFTIRQ] = "softirq",
		[XLV_FROM_HARDIRQ] = "hardirq",
	};
	return NAME(names, context);
}

const char *xlv_role_name(unsigned int role)
{
	static const char *const names[] = {
		[XLV_ROLE_OTHER] = "other", [XLV_ROLE_FSYNC] = "fsync task",
		[XLV_ROLE_CIL_WORKER] = "CIL worker", [XLV_ROLE_LOG_WORKER] = "log worker",
		[XLV_ROLE_IO_DONE] = "I/O completion",
	};
	return NAME(names, role);
}

const char *xlv_distance_name(unsigned int distance)
{
	static const char *const names[] = {
		[XLV_DIST_SAME_CPU] = "same CPU", [XLV_DIST_SAME_CORE] = "same core",
		[XLV_DIST_SAME_LLC] = "same last-level cache", [XLV_DIST_SAME_NODE] = "same node",
		[XLV_DIST_OTHER_NODE] = "other node",
	};
	return NAME(names, distance);
}

const char *xlv_boundaries_name(unsigned int bounds)
{
	static const char *const names[] = {
		[XLV_BOUNDS_NONE] = "none", [XLV_BOUNDS_TRACEPOINT] = "tracepoint",
		[XLV_BOUNDS_KPROBE] = "kprobe", [XLV_BOUNDS_PATCHED] = "patched",
		[XLV_BOUNDS_AUTO] = "auto",
	};
	return NAME(names, bounds);
}
