// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "analysis/findings.h"
#include "analysis/words.h"

#define NS(ns)		xlv_word_ns(&(struct xlv_word){ "" }, (ns))
#define SHARE(x)	xlv_word_share(&(struct xlv_word){ "" }, (x))
#define NAME(s)		xlv_word_name(&(struct xlv_word){ "" }, (s))

static const char *const stage_words[XLV_STAGE_COUNT] = {
	[XLV_STAGE_WRITE]		= "copying and allocating the data (write)",
	[XLV_STAGE_DATA_WRITEBACK]	= "data writeback",
	[XLV_STAGE_CIL_QUEUE]		= "waiting for a CIL worker (cil-queue)",
	[XLV_STAGE_CIL_PUSH]		= "the CIL push",
	[XLV_STAGE_CIL_WAKE]		= "waking up after the CIL push (cil-wake)",
	[XLV_STAGE_WRITE_WAIT]		= "waiting for the previous iclog (write-wait)",
	[XLV_STAGE_ICLOG_SUBMIT]	= "submitting the iclog",
	[XLV_STAGE_LOG_IO]		= "log I/O",
	[XLV_STAGE_IOEND_QUEUE]		= "waiting for the log worker (ioend-queue)",
	[XLV_STAGE_CALLBACKS]		= "the log worker's callbacks",
	[XLV_STAGE_WAKE]		= "waking up after the log write (wake)",
	[XLV_STAGE_EXIT]		= "returning from the call (exit)",
	[XLV_STAGE_DEVICE_FLUSH]	= "the task's own device flush",
	[XLV_STAGE_OTHER_WAIT]		= "sleeping on something other than the log (other-wait)",
	[XLV_STAGE_RUNNING]		= "the task running in the log force",
	[XLV_STAGE_RUNNABLE]		= "waiting for a CPU (runnable)",
	[XLV_STAGE_CPU_SILENT]		= "CPUs that went silent",
};

static const struct xlv_finding *finding(const struct xlv_report *rep, const char *id)
{
	for (int32_t i = 0; i < rep->nr_findings; i++)
		if (!strcmp(rep->findings[i].id, id))
			return &rep->findings[i];
	return NULL;
}

static const char *fraction(double share)
{
	static const struct { double from; const char *words; } table[] = {
		{ 0.90, "Nearly all" }, { 0.70, "Most" }, { 0.62, "Two thirds" },
		{ 0.55, "More than half" }, { 0.45, "Half" }, { 0.38, "Two fifths" },
		{ 0.30, "A third" }, { 0.22, "A quarter" }, { 0, "No more than a fifth" },
	};
	int i = 0;

	while (share < table[i].from)
		i++;
	return table[i].words;
}

static int by_share(const void *a, const void *b)
{
	const struct xlv_stage_row *x = *(const struct xlv_stage_row *const *)a;
	const struct xlv_stage_row *y = *(const struct xlv_stage_row *const *)b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (int)x->stage - (int)y->stage;
}

/* Where the time is: the largest stages. */
static void say_where(const struct xlv_report *rep, FILE *to)
{
	const struct xlv_stage_row *row[XLV_STAGE_COUNT];
	char first[32];

	for (int32_t i = 0; i < rep->nr_stages; i++)
		row[i] = &rep->stages[i];
	qsort(row, (size_t)rep->nr_stages, sizeof(*row), by_share);
	if (!rep->nr_stages) {
		fprintf(to, "A sync takes %s (p50), which the recording doesn't let one divide.\n",
			NS(rep->interval[XLV_I_SPAN].p50));
		return;
	}
	snprintf(first, sizeof(first), "%s", fraction(row[0]->share));
	if (rep->source.fake_completion || rep->fake_ios) {
		fprintf(to, "With log I/O completed without a device on %d CPUs, ", rep->source.cpus);
		first[0] = (char)tolower((unsigned char)first[0]);
	}
	fprintf(to, "%s of each sync's %s (p50) is %s (%s)", first, NS(rep->interval[XLV_I_SPAN].p50),
		stage_words[row[0]->stage], SHARE(row[0]->share));
	for (int32_t i = 1; i < rep->nr_stages && i < 3 && row[i]->share >= XLV_FINDING_SHARE; i++)
		fprintf(to, "%s %s (%s)", i == 1 ? "; next come" : " and", stage_words[row[i]->stage],
			SHARE(row[i]->share));
	fputs(".\n", to);
}

/* The wakes that end T3: how many there are, and the row with the most, in number or time. */
struct wakes {
	const struct xlv_wake_row	*usual, *costly;
	int64_t				count, total_ns;
};

static struct wakes wakes_of(const struct xlv_report *rep)
{
	struct wakes w = { 0 };

	for (int32_t i = 0; i < rep->nr_wakes; i++) {
		const struct xlv_wake_row *row = &rep->wakes[i];

		if (row->stage != XLV_STAGE_WAKE || row->cause >= XLV_PART_COUNT || !row->count)
			continue;
		w.count += row->count;
		w.total_ns += row->total_ns;
		if (!w.usual || row->count > w.usual->count)
			w.usual = row;
		if (!w.costly || row->total_ns > w.costly->total_ns)
			w.costly = row;
	}
	return w;
}

/* Name of the first task in the evidence of a finding about tasks in the way. */
static char *culprit(const struct xlv_finding *fi)
{
	json_object *o = fi && fi->evidence ? json_tokener_parse(fi->evidence) : NULL;
	json_object *tasks, *first, *name;
	char *copy = NULL;

	if (json_object_object_get_ex(o, "tasks", &tasks) &&
	    json_object_is_type(tasks, json_type_array) && json_object_array_length(tasks)) {
		first = json_object_array_get_idx(tasks, 0);
		if (json_object_object_get_ex(first, "name", &name))
			copy = strdup(json_object_get_string(name));
	}
	json_object_put(o);
	return copy;
}

/* Does the log worker move the tasks that it wakes? */
static bool log_worker_bounces(const struct xlv_report *rep)
{
	const struct xlv_finding *fi = finding(rep, "migration-bounce");
	json_object *o = fi && fi->evidence ? json_tokener_parse(fi->evidence) : NULL;
	json_object *n;
	bool yes = json_object_object_get_ex(o, "by_log_worker", &n) &&
		   2 * json_object_get_int64(n) >= rep->interval[XLV_I_T4].n;

	json_object_put(o);
	return yes;
}

static void say_cause(const struct xlv_report *rep, enum xlv_part part, FILE *to)
{
	char *name;

	switch (part) {
	case XLV_PART_WAKEUP_IPI:
		fputs("the wake-up has to reach another CPU first", to);
		break;
	case XLV_PART_IDLE_EXIT:
		fputs("the CPU that they are put on has to leave idle first", to);
		break;
	case XLV_PART_WAKER_BUSY:
		fputs("they are put on the CPU where the task that woke them, the log worker, still runs",
		      to);
		break;
	case XLV_PART_OTHER_TASK:
		name = culprit(finding(rep, "waiter-behind-task"));
		if (name)
			fprintf(to, "'%s' holds the CPU that they are put on", NAME(name));
		else
			fputs("another task holds the CPU that they are put on", to);
		free(name);
		break;
	case XLV_PART_IRQ:
		fputs("interrupts hold the CPU that they are put on", to);
		break;
	default:
		fputs("the scheduler takes that long to switch to them", to);
	}
}

/* "wakeup-ipi is 93 % of it", where the parts of the row's wakes are known */
static void say_part(const struct xlv_wake_row *row, FILE *to)
{
	int64_t part = row->parts_ns[row->cause];

	if (part > 0 && row->total_ns > 0)
		fprintf(to, " (%s is %s of it)", xlv_part_name(row->cause),
			SHARE((double)part / (double)row->total_ns));
	else
		fprintf(to, " (%s)", xlv_part_name(row->cause));
}

/* Why waiters resume when they do: T4, what makes it up as a rule, and what at worst. */
static void say_why(const struct xlv_report *rep, FILE *to)
{
	const struct xlv_dist *T4 = &rep->interval[XLV_I_T4];
	struct wakes w = wakes_of(rep);

	if (!T4->n) {
		fprintf(to, "No sync slept until its log write was done, so T3 and T4 don't apply%s%s%s.\n",
			rep->why_none[XLV_I_T4] ? " (" : "",
			rep->why_none[XLV_I_T4] ? rep->why_none[XLV_I_T4] : "",
			rep->why_none[XLV_I_T4] ? ")" : "");
		return;
	}
	fprintf(to, "Waiters resume %s after their wake-up (T4, p50)", NS(T4->p50));
	if (!w.usual) {
		fputs("; the recording doesn't show why.\n", to);
		return;
	}
	fputs(", because ", to);
	if (log_worker_bounces(rep))
		fputs("they are moved to another CPU: the log worker that wakes them occupies their own", to);
	else
		say_cause(rep, w.usual->cause, to);
	say_part(w.usual, to);
	if (w.costly != w.usual && 2 * w.costly->total_ns > w.total_ns) {
		fprintf(to, "; but %lld of %lld take %s on average, because ", (long long)w.costly->count,
			(long long)w.count, NS(w.costly->total_ns / w.costly->count));
		say_cause(rep, w.costly->cause, to);
		say_part(w.costly, to);
	}
	fputs(".\n", to);
}

/* The first sentence of a text: up to the full stop before a capital. */
static int first_sentence(const char *text)
{
	const char *end = text;

	while ((end = strstr(end, ". "))) {
		if (isupper((unsigned char)end[2]))
			return (int)(end - text);
		end++;
	}
	end = text + strlen(text);
	return (int)(end - text) - (end > text && end[-1] == '.');
}

/* What repeats the first two sentences, or is about the recording, not the work. */
static bool said_already(const struct xlv_report *rep, const struct xlv_finding *fi)
{
	static const struct { const char *id; enum xlv_stage stage; } stage_of[] = {
		{ "data-writeback", XLV_STAGE_DATA_WRITEBACK },
		{ "log-device", XLV_STAGE_LOG_IO },
		{ "cil-queue", XLV_STAGE_CIL_QUEUE },
		{ "write-wait", XLV_STAGE_WRITE_WAIT },
		{ "other-wait", XLV_STAGE_OTHER_WAIT },
		{ "log-force-cpu", XLV_STAGE_RUNNING },
	};
	double top = 0;

	if (!strcmp(fi->id, "fake-completion") || !strcmp(fi->id, "lost-events") ||
	    !strcmp(fi->id, "clock-skew"))
		return true;
	for (int32_t i = 0; i < rep->nr_stages; i++)
		if (rep->stages[i].share > top)
			top = rep->stages[i].share;
	for (size_t i = 0; i < sizeof(stage_of) / sizeof(*stage_of); i++) {
		if (strcmp(fi->id, stage_of[i].id))
			continue;
		for (int32_t j = 0; j < rep->nr_stages; j++)
			if (rep->stages[j].stage == stage_of[i].stage && rep->stages[j].share >= top)
				return true;
	}
	return false;
}

/* What stands out: the most important finding that isn't a matter of course. */
static void say_what_stands_out(const struct xlv_report *rep, FILE *to)
{
	for (int32_t i = 0; i < rep->nr_findings; i++) {
		const struct xlv_finding *fi = &rep->findings[i];

		if (said_already(rep, fi) || !strcmp(fi->severity, "info"))
			continue;
		fprintf(to, "%.*s (%s", first_sentence(fi->text), fi->text, fi->id);
		if (!isnan(fi->share))
			fprintf(to, ", %s of sync time", SHARE(fi->share));
		fputs(").\n", to);
		return;
	}
	fprintf(to, "Nothing else stands out: no other finding reaches %s of sync time.\n",
		SHARE(XLV_FINDING_SHARE));
}

char *xlv_answer_make(const struct xlv_report *rep)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	if (!rep->complete) {
		if (!rep->syncs)
			fputs("The recording shows no sync, so there is nothing to explain.\n", to);
		else
			fprintf(to, "None of the recording's %lld syncs is complete, so there are no "
				"figures.\n", (long long)rep->syncs);
		if (rep->nr_findings)
			say_what_stands_out(rep, to);
	} else {
		say_where(rep, to);
		say_why(rep, to);
		say_what_stands_out(rep, to);
	}
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}
