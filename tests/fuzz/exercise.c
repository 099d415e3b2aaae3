// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reader.h"

static volatile unsigned int sink;

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "exercise: %s\n", what);
	abort();
}

/* Every byte of a string that an event points to must be readable. */
static void touch(struct xlv_str s)
{
	unsigned int i, sum = 0;

	for (i = 0; i < s.len; i++)
		sum += (unsigned char)s.s[i];
	sink += sum;
}

static void touch_event(const struct xlv_event *ev)
{
	must(ev->type < XLV_EV_COUNT, "an event has no type");
	must(ev->cpu >= 0, "an event has no CPU");
	switch (ev->type) {
	case XLV_EV_SCHED_SWITCH:
		touch(ev->sw.prev_comm);
		touch(ev->sw.next_comm);
		must(ev->sw.prev_state <= XLV_TASK_UNKNOWN, "a state is none");
		break;
	case XLV_EV_SCHED_WAKING ... XLV_EV_SCHED_WAKEUP_NEW:
		touch(ev->wake.comm);
		break;
	case XLV_EV_SCHED_MIGRATE:
		touch(ev->migrate.comm);
		break;
	case XLV_EV_SCHED_FORK ... XLV_EV_TASK_RENAME:
		touch(ev->task.comm);
		break;
	case XLV_EV_WQ_QUEUE ... XLV_EV_WQ_END:
		touch(ev->wq.func_name);
		touch(ev->wq.wq_name);
		must(ev->wq.func <= XLV_FN_OTHER, "a function is none");
		break;
	case XLV_EV_BIO_QUEUE ... XLV_EV_RQ_COMPLETE:
		touch(ev->block.rwbs);
		break;
	case XLV_EV_IRQ_ENTRY ... XLV_EV_HRTIMER_EXIT:
		touch(ev->irq.name);
		break;
	case XLV_EV_XFS_FILE_FSYNC ... XLV_EV_XFS_GRANT_WAKE:
		touch(ev->xfs.caller_name);
		break;
	case XLV_EV_ICLOG_ACTIVATE ... XLV_EV_ICLOG_WRITE:
		touch(ev->iclog.caller_name);
		must(ev->iclog.state <= XLV_ICLOG_UNKNOWN, "an iclog's state is none");
		break;
	case XLV_EV_SYS_ENTER:
	case XLV_EV_SYS_EXIT:
		must(ev->sys.nr < XLV_SYS_COUNT, "a syscall is none");
		break;
	case XLV_EV_MARK:
		touch(ev->mark.text);
		break;
	}
}

long exercise(const char *path)
{
	const struct xlv_trace_info *info;
	struct xlv_trace *t;
	struct xlv_error err = { .text = "" };
	struct xlv_event ev;
	long n = 0, lost = 0, again = 0;
	int64_t middle;
	int i, ret;

	t = xlv_trace_open(path, NULL, &err);
	if (!t) {
		must(err.text[0] != '\0', "a failure without a word");
		return -1;
	}
	while ((ret = xlv_trace_next(t, &ev)) > 0) {
		touch_event(&ev);
		if (ev.type == XLV_EV_LOST)
			lost++;
		else
			n++;
	}
	must(xlv_trace_next(t, &ev) <= 0, "there is more after the end");
	info = xlv_trace_info(t);
	must(ret < 0 || info->events == n, "events are counted wrongly");
	must(info->nr_cpu >= 0 && info->buffer < info->nr_buffers, "the facts make no sense");
	for (i = 0; i < info->nr_damage; i++)
		must(memchr(info->damage[i].what, 0, sizeof(info->damage[i].what)) &&
		     info->damage[i].what[0], "damage without a word");
	if (info->metadata)
		sink += strlen(info->metadata);
	for (i = 0; i < 100; i++)
		if (xlv_trace_comm(t, i))
			sink += strlen(xlv_trace_comm(t, i));

	middle = info->start_ns / 2 + info->end_ns / 2;
	if (ret == 0 && !xlv_trace_rewind(t, middle, INT64_MAX, &err)) {
		while (xlv_trace_next(t, &ev) > 0)
			if (ev.type != XLV_EV_LOST) {
				touch_event(&ev);
				again++;
			}
		must(again <= n, "a part is more than the whole");
	}
	xlv_trace_close(t);
	return n;
}
