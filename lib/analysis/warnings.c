// SPDX-License-Identifier: GPL-2.0-or-later
/* What limits the trust in a report. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/warnings.h"
#include "analysis/words.h"

#define MAX_DAMAGE_TOLD	8

/* Groups of events, and what a report can't say without them. */
static const struct need {
	const char	*group;		/* as it is named to the user */
	const char	*loss;		/* completes "without them ..." */
	bool		main;		/* T1 to T4 depend on it */
	uint8_t		types[6];	/* one of them is enough; ends with 0 */
} needs[] = {
	{ "xfs:xfs_log_force", "there is no T1 and no T2", true,
	  { XLV_EV_XFS_LOG_FORCE, XLV_EV_FORCE_ENTER } },
	{ "sched:sched_switch", "there is no T3, no T4 and no sleep", true,
	  { XLV_EV_SCHED_SWITCH } },
	{ "sched:sched_waking", "there is no T4 and no cause of a wake-up", true,
	  { XLV_EV_SCHED_WAKING, XLV_EV_SCHED_WAKEUP } },
	{ "xfs:xlog_iclog_*", "sleeps on the log can't all be told apart", true,
	  { XLV_EV_ICLOG_WAIT_ON, XLV_EV_ICLOG_SYNC, XLV_EV_ICLOG_CLEAN, XLV_EV_ICLOG_SYNCING,
	    XLV_EV_PROBE_CLEAN_ENTER } },
	{ "workqueue:workqueue_queue_work", "the time until a worker starts is not known", false,
	  { XLV_EV_WQ_QUEUE } },
	{ "workqueue:workqueue_execute_start", "the workers' part is not known", false,
	  { XLV_EV_WQ_START } },
	{ "block:block_rq_issue, block:block_rq_complete",
	  "log I/O can't be split into waiting and device", false,
	  { XLV_EV_RQ_ISSUE, XLV_EV_BIO_QUEUE, XLV_EV_FAKE_IO } },
	{ "syscalls:sys_enter_fsync and the like",
	  "a span starts at xfs_file_fsync and its end is estimated", false,
	  { XLV_EV_SYS_ENTER } },
};

#define NR_NEEDS (sizeof(needs) / sizeof(needs[0]))

static bool recorded(const struct need *n, const struct xlv_trace_info *info)
{
	for (size_t i = 0; i < sizeof(n->types) && n->types[i]; i++)
		if (info->count[n->types[i]] > 0)
			return true;
	return false;
}

/* One line for each missing group: @format gets its name, and maybe the loss. */
static char *list_missing(const struct xlv_trace_info *info, bool main, const char *format,
			  const char *comma)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	const char *before = "";

	if (!f)
		return NULL;
	for (size_t i = 0; i < NR_NEEDS; i++) {
		if ((main && !needs[i].main) || recorded(&needs[i], info))
			continue;
		fputs(before, f);
		fprintf(f, format, needs[i].group, needs[i].loss);
		before = comma;
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

char *xlv_missing_events(const struct xlv_trace_info *info)
{
	return list_missing(info, true, "%s", ", ");
}

/* Whether a release is older than 5.14, which brought the iclog events. */
static bool no_iclog_events(const char *kernel)
{
	unsigned int major, minor;

	return sscanf(kernel, "%u.%u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 14));
}

static int warn_missing(struct xlv_report *rep)
{
	char *missing = list_missing(rep->run->info, false, "without %s %s", "; ");
	int ret = 0;

	if (!missing)
		return -1;
	if (*missing)
		ret = xlv_report_warn(rep, "events are missing: %s; 'xlogviz record%s' records what "
				      "the kernel offers", missing,
				      no_iclog_events(rep->source.kernel) ? " --probes kprobe" : "");
	free(missing);
	return ret;
}

static int warn_lost(struct xlv_report *rep)
{
	const struct xlv_trace_info *info = rep->run->info;
	int cpus = 0;
	char count[80];

	if (!info->lost_events && !info->lost_uncounted)
		return 0;
	for (int i = 0; i < info->nr_cpu; i++)
		cpus += info->cpu[i].lost_events || info->cpu[i].lost_uncounted;
	if (!info->lost_uncounted)
		snprintf(count, sizeof(count), "%lld events were lost", (long long)info->lost_events);
	else if (!info->lost_events)
		snprintf(count, sizeof(count), "events were lost at %lld places, not counted",
			 (long long)info->lost_uncounted);
	else
		snprintf(count, sizeof(count), "%lld events were lost, and more at %lld places",
			 (long long)info->lost_events, (long long)info->lost_uncounted);
	return xlv_report_warn(rep, "%s, on %d of %d CPUs: syncs that may have needed them are "
			       "partial; record with a larger --buffer-size", count, cpus,
			       info->nr_cpu);
}

static int warn_damage(struct xlv_report *rep)
{
	const struct xlv_trace_info *info = rep->run->info;

	for (int i = 0; i < info->nr_damage && i < MAX_DAMAGE_TOLD; i++)
		if (xlv_report_warn(rep, "the file is damaged: %s; what is intact is reported",
				    info->damage[i].what))
			return -1;
	if (info->nr_damage > MAX_DAMAGE_TOLD)
		return xlv_report_warn(rep, "the file is damaged in %d more places",
				       info->nr_damage - MAX_DAMAGE_TOLD);
	return 0;
}

/* Clocks that run apart on different CPUs. */
static bool drifts(const char *clock)
{
	return !strcmp(clock, "local") || !strcmp(clock, "perf") || !strcmp(clock, "uptime") ||
	       !strcmp(clock, "counter");
}

static int warn_clock(struct xlv_report *rep)
{
	const struct xlv_trace_info *info = rep->run->info;
	const char *clock = rep->source.clock;

	if (info->clock_ticks &&
	    xlv_report_warn(rep, "times are ticks of the clock '%s': the recording doesn't say how "
			    "long one lasts; record with the clock mono", clock))
		return -1;
	if (drifts(clock) &&
	    xlv_report_warn(rep, "the clock '%s' differs between CPUs: times from one CPU to another "
			    "are as wrong as it does; record with the clock mono", clock))
		return -1;
	if (info->backward &&
	    xlv_report_warn(rep, "the time of %lld events lies before that of the event they follow on "
			    "their CPU: take times near them with care",
			    (long long)info->backward))
		return -1;
	if (rep->run->negative_deltas &&
	    xlv_report_warn(rep, "%lld times from one CPU to another came out below zero: the CPUs' "
			    "clocks differ by at least that; record with the clock mono",
			    (long long)rep->run->negative_deltas))
		return -1;
	return 0;
}

static int warn_boundaries(struct xlv_report *rep)
{
	struct xlv_word T1, T2;

	if (rep->run->bounds != XLV_BOUNDS_TRACEPOINT || !rep->slack[0].n || !rep->slack[1].n)
		return 0;
	/* worth a word where it could change what a reader concludes */
	if ((double)rep->slack[0].p50 <= 0.05 * (double)rep->interval[XLV_I_T1].p50 &&
	    (double)rep->slack[1].p50 <= 0.05 * (double)rep->interval[XLV_I_T2].p50)
		return 0;
	return xlv_report_warn(rep, "the ends of T1 and T2 are only known to within %s and %s (median): "
			       "record with --probes kprobe for exact ones",
			       xlv_word_ns(&T1, rep->slack[0].p50),
			       xlv_word_ns(&T2, rep->slack[1].p50));
}

static int warn_fake(struct xlv_report *rep)
{
	if (!rep->fake_ios)
		return 0;
	return xlv_report_warn(rep, "%lld log writes were completed without I/O (fake completion): no "
			       "cache flush either, so this never equals a fast device; %d CPUs",
			       (long long)rep->fake_ios, rep->source.cpus);
}

static int warn_unseen(struct xlv_report *rep)
{
	int64_t hit = 0;

	for (int64_t i = 0; rep->run && i < rep->nr_selected; i++)
		hit += rep->selected[i]->T_why[3] &&
		       !strcmp(rep->selected[i]->T_why[3], XLV_WHY_NO_SWITCH);
	if (!hit)
		return 0;
	return xlv_report_warn(rep, "the switch from idle to a task is missing %lld times, mostly on "
			       "CPU %d: T3 and T4 of %lld syncs that woke up there are n/a, and idle "
			       "time that may have been a task's is booked as sched; if this kernel "
			       "never records it there, bind the work elsewhere (xlogviz record "
			       "--bind)", (long long)rep->run->unseen_switches, rep->run->unseen_cpu,
			       (long long)hit);
}

static int warn_partial(struct xlv_report *rep)
{
	char why[160] = "";
	size_t at = 0;

	if (!rep->partial)
		return 0;
	for (unsigned int bit = 0; bit < XLV_REASON_COUNT; bit++)
		if (rep->by_reason[bit])
			at += (size_t)snprintf(why + at, sizeof(why) - at, "%s%lld %s",
					       at ? ", " : "", (long long)rep->by_reason[bit],
					       xlv_reason_name(bit));
	return xlv_report_warn(rep, "%lld of %lld syncs are partial (%s): they are in no table",
			       (long long)rep->partial, (long long)rep->syncs, why);
}

int xlv_warnings_make(struct xlv_report *rep)
{
	return warn_damage(rep) || warn_lost(rep) || warn_partial(rep) || warn_unseen(rep) ||
	       warn_clock(rep) ||
	       warn_fake(rep) || warn_missing(rep) || warn_boundaries(rep) ? -1 : 0;
}
