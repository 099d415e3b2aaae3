// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/eventset.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/tracefs.h"

/*
 * FAR_WAKEUPS: sched_wakeup in a task's context follows its sched_waking within a
 * microsecond; what arrives by interrupt, or at an idle CPU, came from another
 * CPU and took its time.
 * IDLE_ENTRIES: a CPU's next event says that it left its idle state.
 * TICKS: the timers that stand for the tick where it has no vector of its own.
 */
enum filter { ALL, BY_XFS_DEV, BY_BLOCK_DEV, BY_FUNCTION, FAR_WAKEUPS, IDLE_ENTRIES, TICKS };

struct spec {
	const char	*system, *name;
	uint8_t		set;		/* the first that has it */
	uint8_t		need, filter;
	const char	*lost;
};

#define M XLV_SET_MINIMAL
#define N XLV_SET_NORMAL
#define F XLV_SET_FULL
#define VITAL XLV_NEED_VITAL
#define USEFUL XLV_NEED_USEFUL
#define EXTRA XLV_NEED_EXTRA

static const char no_sleeps[] = "sleeps and wake-ups: T3 and T4";
static const char no_stages[] = "the iclog's stages; T2 and T3 come from wake-ups alone";
static const char no_work[] = "when the CIL and log workers ran";
static const char no_names[] = "names and children of tasks that start while recording";
static const char no_span[] = "the ends of syncs; they come from the task's next event";
static const char no_space[] = "waits for log space";
static const char no_ipi[] = "how long a wake-up took to reach its CPU";
static const char no_moves[] = "when a task was moved between CPUs";
static const char no_device[] = "how log I/O splits into queueing, flush and device time";
static const char no_irq[] = "interrupt time within wake-ups, and the I/O completion's CPU";
static const char no_idle[] = "C-states and clock frequency of CPUs that woke up";
static const char no_tick[] = "CPUs that the host took away";
static const char no_osync[] = "the start of O_SYNC writes";
static const char no_detail[] = "details of the journal's states";
static const char only_patch[] = "exact boundaries: they come with the kernel patch";
static const char only_fake[] = "fake completions: they come with the kernel patch";

static const struct spec specs[] = {
	{ "sched", "sched_switch",		M, VITAL,  ALL, no_sleeps },
	{ "sched", "sched_waking",		M, VITAL,  ALL, no_sleeps },
	{ "sched", "sched_wakeup_new",		M, USEFUL, ALL, no_names },
	{ "sched", "sched_process_fork",	M, USEFUL, ALL, no_names },
	{ "sched", "sched_process_exec",	M, USEFUL, ALL, no_names },
	{ "sched", "sched_process_exit",	M, USEFUL, ALL, no_names },
	{ "task", "task_rename",		M, USEFUL, ALL, no_names },
	{ "sched", "sched_wakeup",		N, USEFUL, FAR_WAKEUPS, no_ipi },
	{ "sched", "sched_migrate_task",	N, USEFUL, ALL, no_moves },

	{ "xfs", "xfs_file_fsync",		M, VITAL,  BY_XFS_DEV, "which calls were syncs" },
	{ "xfs", "xfs_log_force",		M, VITAL,  BY_XFS_DEV, "log forces: T1 and T2" },
	{ "xfs", "xlog_iclog_force",		M, USEFUL, BY_XFS_DEV, no_stages },
	{ "xfs", "xlog_iclog_force_lsn",	M, USEFUL, BY_XFS_DEV, no_stages },
	{ "xfs", "xlog_iclog_wait_on",		M, USEFUL, BY_XFS_DEV, no_stages },
	{ "xfs", "xlog_iclog_switch",		M, USEFUL, BY_XFS_DEV, no_stages },
	{ "xfs", "xlog_iclog_syncing",		M, USEFUL, BY_XFS_DEV, no_stages },
	{ "xfs", "xlog_iclog_write",		M, USEFUL, BY_XFS_DEV, no_stages },
	{ "xfs", "xlog_iclog_sync_done",	M, USEFUL, BY_XFS_DEV, no_stages },
	{ "xfs", "xlog_iclog_clean",		M, USEFUL, BY_XFS_DEV, no_stages },
	{ "xfs", "xlog_iclog_get_space",	M, USEFUL, BY_XFS_DEV, no_stages },
	{ "xfs", "xfs_log_cil_wait",		M, USEFUL, BY_XFS_DEV, no_space },
	{ "xfs", "xfs_log_grant_sleep",		M, USEFUL, BY_XFS_DEV, no_space },
	{ "xfs", "xfs_log_grant_wake",		M, USEFUL, BY_XFS_DEV, no_space },
	{ "xfs", "xlog_iclog_release",		N, USEFUL, BY_XFS_DEV, no_detail },
	{ "xfs", "xlog_iclog_sync",		N, USEFUL, BY_XFS_DEV, no_detail },
	{ "xfs", "xlog_iclog_callback",		N, USEFUL, BY_XFS_DEV, no_detail },
	{ "xfs", "xlog_iclog_callbacks_start",	N, USEFUL, BY_XFS_DEV, no_detail },
	{ "xfs", "xlog_iclog_callbacks_done",	N, USEFUL, BY_XFS_DEV, no_detail },
	{ "xfs", "xlog_iclog_activate",		N, USEFUL, BY_XFS_DEV, no_detail },

	{ "xfs", "xlog_force_enter",		M, EXTRA, BY_XFS_DEV, only_patch },
	{ "xfs", "xlog_force_exit",		M, EXTRA, BY_XFS_DEV, only_patch },
	{ "xfs", "xlog_cil_force_enter",	M, EXTRA, BY_XFS_DEV, only_patch },
	{ "xfs", "xlog_cil_force_exit",		M, EXTRA, BY_XFS_DEV, only_patch },
	{ "xfs", "xlog_force_wait_enter",	M, EXTRA, BY_XFS_DEV, only_patch },
	{ "xfs", "xlog_force_wait_exit",	M, EXTRA, BY_XFS_DEV, only_patch },
	{ "xfs", "xlog_force_wake",		M, EXTRA, BY_XFS_DEV, only_patch },
	{ "xfs", "xlog_fake_io",		M, EXTRA, BY_XFS_DEV, only_fake },

	{ "workqueue", "workqueue_queue_work",	 M, USEFUL, BY_FUNCTION, no_work },
	{ "workqueue", "workqueue_execute_start", M, USEFUL, BY_FUNCTION, no_work },
	{ "workqueue", "workqueue_execute_end",	 M, USEFUL, BY_FUNCTION, no_work },
	{ "workqueue", "workqueue_activate_work", F, USEFUL, ALL, no_work },

	{ "syscalls", "sys_enter_fsync",	M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_exit_fsync",		M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_enter_fdatasync",	M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_exit_fdatasync",	M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_enter_msync",	M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_exit_msync",		M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_enter_sync",		M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_exit_sync",		M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_enter_syncfs",	M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_exit_syncfs",	M, USEFUL, ALL, no_span },
	{ "syscalls", "sys_enter_write",	N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_exit_write",		N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_enter_pwrite64",	N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_exit_pwrite64",	N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_enter_writev",	N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_exit_writev",	N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_enter_pwritev",	N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_exit_pwritev",	N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_enter_pwritev2",	N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_exit_pwritev2",	N, USEFUL, ALL, no_osync },
	{ "syscalls", "sys_enter_sync_file_range", F, USEFUL, ALL, no_span },
	{ "syscalls", "sys_exit_sync_file_range", F, USEFUL, ALL, no_span },
	{ "syscalls", "sys_enter_io_uring_enter", F, USEFUL, ALL, no_span },
	{ "syscalls", "sys_exit_io_uring_enter", F, USEFUL, ALL, no_span },
	{ "syscalls", "sys_enter_io_submit",	F, USEFUL, ALL, no_span },
	{ "syscalls", "sys_exit_io_submit",	F, USEFUL, ALL, no_span },
	{ "syscalls", "sys_enter_fallocate",	F, USEFUL, ALL, no_span },
	{ "syscalls", "sys_exit_fallocate",	F, USEFUL, ALL, no_span },

	{ "block", "block_bio_queue",		N, USEFUL, BY_BLOCK_DEV, no_device },
	{ "block", "block_bio_remap",		N, USEFUL, BY_BLOCK_DEV, no_device },
	{ "block", "block_bio_complete",	N, USEFUL, BY_BLOCK_DEV, no_device },
	{ "block", "block_split",		N, USEFUL, BY_BLOCK_DEV, no_device },
	{ "block", "block_bio_backmerge",	N, USEFUL, BY_BLOCK_DEV, no_device },
	{ "block", "block_bio_frontmerge",	N, USEFUL, BY_BLOCK_DEV, no_device },
	{ "block", "block_rq_issue",		N, USEFUL, BY_BLOCK_DEV, no_device },
	{ "block", "block_rq_requeue",		N, USEFUL, BY_BLOCK_DEV, no_device },
	{ "block", "block_rq_complete",		N, USEFUL, BY_BLOCK_DEV, no_device },
	{ "block", "block_rq_insert",		F, USEFUL, BY_BLOCK_DEV, no_device },

	{ "irq", "irq_handler_entry",		N, USEFUL, ALL, no_irq },
	{ "irq", "irq_handler_exit",		N, USEFUL, ALL, no_irq },
	{ "irq", "softirq_entry",		N, USEFUL, ALL, no_irq },
	{ "irq", "softirq_exit",		N, USEFUL, ALL, no_irq },
	{ "irq", "softirq_raise",		F, USEFUL, ALL, no_irq },
	{ "irq_vectors", "local_timer_entry",	N, EXTRA,  ALL, no_tick },
	{ "irq_vectors", "local_timer_exit",	N, EXTRA,  ALL, no_tick },
	{ "irq_vectors", "reschedule_entry",	F, EXTRA,  ALL, no_ipi },
	{ "irq_vectors", "reschedule_exit",	F, EXTRA,  ALL, no_ipi },
	{ "irq_vectors", "call_function_single_entry", F, EXTRA, ALL, no_ipi },
	{ "irq_vectors", "call_function_single_exit", F, EXTRA, ALL, no_ipi },
	{ "irq_vectors", "call_function_entry",	F, EXTRA,  ALL, no_ipi },
	{ "irq_vectors", "call_function_exit",	F, EXTRA,  ALL, no_ipi },
	{ "irq_vectors", "irq_work_entry",	F, EXTRA,  ALL, no_irq },
	{ "irq_vectors", "irq_work_exit",	F, EXTRA,  ALL, no_irq },
	{ "timer", "hrtimer_expire_entry",	N, USEFUL, TICKS, no_tick },
	{ "timer", "hrtimer_expire_exit",	F, USEFUL, ALL, no_tick },
	{ "ipi", "ipi_send_cpu",		F, EXTRA,  ALL, no_ipi },
	{ "power", "cpu_idle",			N, USEFUL, IDLE_ENTRIES, no_idle },
	{ "power", "cpu_frequency",		N, USEFUL, ALL, no_idle },
};

/* Work that a sync waits for, does itself, or is done in. */
static const char *const functions[] = {
	"xlog_cil_push_work",		/* xfs-cil; before 5.14 */
	"xlog_ioend_work",		/* xfs-log */
	"xfs_buf_ioend_work",		/* xfs-log, before 5.4 */
	"xfs_end_io",			/* data writeback's completion */
	"wq_barrier_func",		/* flushing a work item */
	"xfs_log_worker",		/* the periodic force */
	"iomap_dio_complete_work",	/* O_DSYNC direct I/O syncs here */
	"dio_aio_complete_work",
	"aio_fsync_work",
	NULL
};

const char *const *xlv_work_functions(void)
{
	return functions;
}

static const char *const set_names[] = { "minimal", "normal", "full" };

const char *xlv_event_set_name(enum xlv_event_set set)
{
	return set_names[set];
}

int xlv_event_set_parse(const char *name)
{
	for (int i = 0; i < XLV_SET_COUNT; i++)
		if (!strcmp(name, set_names[i]))
			return i;
	return -1;
}

/* "field == a || field == b"; empty when it would not fit: then nothing is filtered */
static void filter_numbers(struct xlv_event_choice *e, const char *field, const uint64_t *value,
			   int nr)
{
	size_t len = 0;

	for (int i = 0; i < nr && len < sizeof(e->filter); i++)
		len += (size_t)snprintf(e->filter + len, sizeof(e->filter) - len,
					"%s%s == 0x%" PRIx64, i ? " || " : "", field, value[i]);
	if (len >= sizeof(e->filter))
		e->filter[0] = '\0';
}

static void filter_devs(struct xlv_event_choice *e, const uint32_t *devs, int nr)
{
	uint64_t value[64];

	if (!devs || nr > 64)
		return;
	for (int i = 0; i < nr; i++)
		value[i] = devs[i];
	filter_numbers(e, "dev", value, nr);
}

static void filter_functions(struct xlv_event_choice *e, const struct xlv_kallsyms *symbols)
{
	uint64_t value[64];
	int nr = 0;

	/* 4.15's workqueue_execute_end has no function, so it can't be filtered */
	if (!symbols || !xlv_tracefs_field(e->system, e->name, "function"))
		return;
	for (const char *const *f = functions; *f; f++) {
		nr += xlv_kallsyms_find(symbols, *f, value + nr, 64 - nr);
		if (nr >= 64)
			return;
	}
	if (nr)
		filter_numbers(e, "function", value, nr);
}

/* Returns false where the tick is known otherwise. */
static bool filter_ticks(struct xlv_event_choice *e, const struct xlv_kallsyms *symbols)
{
	static const char *const ticks[] = { "tick_nohz_handler", "tick_sched_timer" };
	uint64_t value[4];
	int nr = 0;

	if (xlv_tracefs_event("irq_vectors", "local_timer_entry"))
		return false;
	for (int i = 0; symbols && i < 2; i++)
		if (xlv_kallsyms_find(symbols, ticks[i], value + nr, 1))
			nr++;
	if (nr)
		filter_numbers(e, "function", value, nr);
	return true;
}

/* Returns false where the event would tell nothing new. */
static bool choose(struct xlv_event_choice *e, const struct spec *s, const struct xlv_choose *how)
{
	memset(e, 0, sizeof(*e));
	snprintf(e->system, sizeof(e->system), "%s", s->system);
	snprintf(e->name, sizeof(e->name), "%s", s->name);
	e->need = s->need;
	e->lost = s->lost;
	e->available = xlv_tracefs_event(s->system, s->name);
	if (!e->available)
		return true;
	if (s->filter == BY_XFS_DEV)
		filter_devs(e, how->xfs_devs, how->nr_xfs_devs);
	else if (s->filter == BY_BLOCK_DEV)
		filter_devs(e, how->block_devs, how->nr_block_devs);
	else if (how->set == XLV_SET_FULL)
		return true;
	else if (s->filter == BY_FUNCTION)
		filter_functions(e, how->symbols);
	else if (s->filter == TICKS)
		return filter_ticks(e, how->symbols);
	else if (s->filter == FAR_WAKEUPS)
		snprintf(e->filter, sizeof(e->filter), "common_pid == 0 || common_flags & 0x8");
	else if (s->filter == IDLE_ENTRIES)
		snprintf(e->filter, sizeof(e->filter), "state != 0x%x", UINT32_MAX);
	return true;
}

/* A reason why something is unknown is told once. */
static void add_unknown(struct xlv_choices *c, const char *what)
{
	for (int i = 0; i < c->nr_unknown; i++)
		if (c->unknown[i] == what)
			return;
	if (c->nr_unknown < (int)(sizeof(c->unknown) / sizeof(c->unknown[0])))
		c->unknown[c->nr_unknown++] = what;
}

struct xlv_choices *xlv_choose_events(const struct xlv_choose *how, struct xlv_error *err)
{
	const int nr = (int)(sizeof(specs) / sizeof(specs[0]));
	struct xlv_choices *c;

	c = calloc(1, sizeof(*c));
	if (c)
		c->event = calloc((size_t)nr, sizeof(*c->event));
	if (!c || !c->event) {
		xlv_choices_free(c);
		xlv_fail(err, "out of memory");
		return NULL;
	}
	for (int i = 0; i < nr; i++) {
		struct xlv_event_choice *e = &c->event[c->nr];

		if (specs[i].set > (uint8_t)how->set) {
			if (specs[i].set == XLV_SET_NORMAL)
				add_unknown(c, specs[i].lost);
			continue;
		}
		if (!choose(e, &specs[i], how))
			continue;
		if (!e->available && e->need != XLV_NEED_EXTRA)
			add_unknown(c, e->lost);
		c->nr++;
	}
	return c;
}

void xlv_choices_free(struct xlv_choices *c)
{
	if (!c)
		return;
	free(c->event);
	free(c);
}
