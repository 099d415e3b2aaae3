// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/words.h"
#include "output/show_rows.h"

#define MAX_ROWS	2000
#define MAX_PARTS	16	/* pushes and iclogs of one sync */
#define MAX_DATA	64	/* data I/Os in flight that are followed */

#define NS(ns)	xlv_word_ns(&(struct xlv_word){ "" }, (ns))

/* A worker's piece of work for this sync: a push or the completion of an iclog. */
struct job {
	int32_t		pid;
	int64_t		queued_ns, start_ns, end_ns;
	bool		over;		/* it has left the CPU since its end */
};

struct collector {
	struct xlv_show_rows	*rows;
	const struct xlv_run	*run;
	const struct xlv_sync	*sync;
	const struct xlv_detail	*d;
	int64_t			from_ns, to_ns;
	const struct xlv_iclog	*iclog[MAX_PARTS];
	struct job		push[MAX_PARTS], ioend[MAX_PARTS];
	int			nr_iclogs, nr_pushes;
	uint8_t			life[XLV_SHOW_COLS];
	int32_t			in_flight;
	struct { uint32_t dev; uint64_t sector; bool data; } data[MAX_DATA];
	int			nr_data;
	int64_t			last_wait_on_ns;
	bool			failed;
};

/* --- what belongs to the sync --- */

static void want_iclog(struct collector *c, int32_t at)
{
	const struct xlv_iclog *ic;

	if (at < 0 || (size_t)at >= c->run->nr_iclogs || c->nr_iclogs == MAX_PARTS)
		return;
	ic = &c->run->iclogs[at];
	for (int i = 0; i < c->nr_iclogs; i++)
		if (c->iclog[i] == ic)
			return;
	c->ioend[c->nr_iclogs] = (struct job){
		.pid = ic->worker_pid, .queued_ns = ic->ioend_queued_ns,
		.start_ns = ic->ioend_start_ns, .end_ns = ic->ioend_end_ns,
	};
	c->iclog[c->nr_iclogs++] = ic;
}

static void want_push(struct collector *c, int32_t at)
{
	const struct xlv_push *p;

	if (at < 0 || (size_t)at >= c->run->nr_pushes || c->nr_pushes == MAX_PARTS)
		return;
	p = &c->run->pushes[at];
	for (int i = 0; i < c->nr_pushes; i++)
		if (c->push[i].queued_ns == p->queued_ns && c->push[i].pid == p->worker_pid)
			return;
	c->push[c->nr_pushes++] = (struct job){
		.pid = p->worker_pid, .queued_ns = p->queued_ns, .start_ns = p->start_ns,
		.end_ns = p->end_ns,
	};
}

static void earlier(int64_t *t, int64_t ns)
{
	if (ns != XLV_NONE && ns < *t)
		*t = ns;
}

static void want_all(struct collector *c)
{
	const struct xlv_sync *s = c->sync;

	want_push(c, s->push);
	want_iclog(c, s->iclog);
	for (int32_t i = 0; i < c->d->nr_waits; i++) {
		want_push(c, c->d->waits[i].push);
		want_iclog(c, c->d->waits[i].iclog);
	}
	c->from_ns = s->start_ns;
	for (int i = 0; i < c->nr_pushes; i++)
		earlier(&c->from_ns, c->push[i].queued_ns);
	for (int i = 0; i < c->nr_iclogs; i++)
		earlier(&c->from_ns, c->iclog[i]->write_ns);
	c->to_ns = s->span_ns != XLV_NONE ? s->start_ns + s->span_ns : c->run->info->end_ns;
}

/* The job that @pid does or was woken for at @ts_ns, or NULL. */
static struct job *job_of(struct job *jobs, int nr, int32_t pid, int64_t ts_ns)
{
	for (int i = 0; i < nr; i++) {
		struct job *j = &jobs[i];
		int64_t from = j->queued_ns != XLV_NONE ? j->queued_ns : j->start_ns;

		if (j->pid == pid && pid > 0 && !j->over && from != XLV_NONE && ts_ns >= from)
			return j;
	}
	return NULL;
}

static int col_of_pid(struct collector *c, int32_t pid, int64_t ts_ns)
{
	if (pid == c->sync->pid)
		return XLV_SHOW_TASK;
	if (job_of(c->push, c->nr_pushes, pid, ts_ns))
		return XLV_SHOW_CIL;
	if (job_of(c->ioend, c->nr_iclogs, pid, ts_ns))
		return XLV_SHOW_LOG;
	return -1;
}

/* An interrupt is not the task that it interrupted. */
static int col_of(struct collector *c, const struct xlv_event *ev)
{
	return ev->ctx & XLV_CTX_IRQ ? XLV_SHOW_IO : col_of_pid(c, ev->pid, ev->ts_ns);
}

static const struct xlv_iclog *iclog_of(const struct collector *c, uint32_t dev, uint64_t lsn)
{
	for (int i = 0; i < c->nr_iclogs; i++)
		if (c->iclog[i]->lsn == lsn && lsn && (!dev || c->iclog[i]->dev == dev))
			return c->iclog[i];
	return NULL;
}

/* --- rows --- */

static __attribute__((format(printf, 5, 6)))
struct xlv_show_row *row(struct collector *c, const struct xlv_event *ev, int col,
			 const char *label, const char *detail, ...)
{
	struct xlv_show_rows *rows = c->rows;
	struct xlv_show_row *last = rows->nr ? &rows->v[rows->nr - 1] : NULL;
	struct xlv_show_row r = {
		.ts_ns = ev->ts_ns, .col = (int8_t)col, .to = -1, .cpu = ev->cpu, .times = 1,
	};
	va_list ap;

	if (c->failed || (col != XLV_SHOW_CIL && col != XLV_SHOW_LOG &&
			  col != XLV_SHOW_IO && ev->ts_ns < c->sync->start_ns))
		return NULL;
	snprintf(r.label, sizeof(r.label), "%s", label);
	va_start(ap, detail);
	vsnprintf(r.detail, sizeof(r.detail), detail, ap);
	va_end(ap);
	memcpy(r.life, c->life, sizeof(r.life));
	if (last && last->col == col && last->to < 0 && last->cpu == r.cpu &&
	    !strcmp(last->label, r.label) && !strcmp(last->detail, r.detail)) {
		last->times++;
		return last;
	}
	if (rows->nr == MAX_ROWS) {
		rows->cut++;
		return NULL;
	}
	if (rows->nr == rows->max) {
		int32_t max = rows->max ? rows->max * 2 : 64;
		struct xlv_show_row *v = realloc(rows->v, (size_t)max * sizeof(*v));

		if (!v) {
			c->failed = true;
			return NULL;
		}
		rows->v = v;
		rows->max = max;
	}
	rows->v[rows->nr] = r;
	return &rows->v[rows->nr++];
}

/* Like row(), as an arrow to another column. */
static void arrow(struct collector *c, const struct xlv_event *ev, int col, int to,
		  const char *label)
{
	struct xlv_show_row *r = row(c, ev, col, label, "%s", "");

	if (r && col != to)
		r->to = (int8_t)to;
}

static void live(struct collector *c, int col, enum xlv_show_life life)
{
	if (col >= 0)
		c->life[col] = (uint8_t)life;
}

static void name_column(struct collector *c, int col, int32_t pid, struct xlv_str comm)
{
	if (col < 0 || c->rows->worker[col] >= 0)
		return;
	c->rows->worker[col] = pid;
	xlv_str_copy(c->rows->comm[col], sizeof(c->rows->comm[col]), comm);
}

/* --- events --- */

static void on_waking(struct collector *c, const struct xlv_event *ev)
{
	int to = col_of_pid(c, ev->wake.pid, ev->ts_ns), from = col_of(c, ev);
	char by[64] = "?";

	if (to < 0)
		return;
	/* a worker that runs already needs no wake-up of ours */
	if (to != XLV_SHOW_TASK && c->life[to] == XLV_LIFE_RUNNING)
		return;
	name_column(c, to, ev->wake.pid, ev->wake.comm);
	live(c, to, XLV_LIFE_RUNNABLE);
	if (from >= 0 && from != to) {
		arrow(c, ev, from, to, "wake");
		return;
	}
	for (int32_t i = 0; i < c->d->nr_waits; i++)
		if (c->d->waits[i].wake.waking_ns == ev->ts_ns && c->d->waits[i].wake.waker_comm)
			snprintf(by, sizeof(by), "%s", c->d->waits[i].wake.waker_comm);
	if (!strcmp(by, "?"))
		row(c, ev, to, "woken", "by pid %d", ev->pid);
	else
		row(c, ev, to, "woken", "by %s (%d)", by, ev->pid);
}

static const struct xlv_wait *wait_at(const struct collector *c, int64_t ts_ns, bool start)
{
	for (int32_t i = 0; i < c->d->nr_waits; i++) {
		const struct xlv_wait *w = &c->d->waits[i];

		if ((start ? w->start_ns : w->wake.running_ns) == ts_ns)
			return w;
	}
	return NULL;
}

static void on_task_off(struct collector *c, const struct xlv_event *ev)
{
	const struct xlv_wait *w = wait_at(c, ev->ts_ns, true);
	char next[64];

	xlv_str_copy(next, sizeof(next), ev->sw.next_comm);
	if (ev->sw.prev_state == XLV_TASK_RUNNABLE) {
		live(c, XLV_SHOW_TASK, XLV_LIFE_RUNNABLE);
		row(c, ev, XLV_SHOW_TASK, "preempted", "by %s", next);
		return;
	}
	live(c, XLV_SHOW_TASK, XLV_LIFE_ASLEEP);
	if (!w)
		row(c, ev, XLV_SHOW_TASK, "sleeps", "%s", "");
	else
		row(c, ev, XLV_SHOW_TASK, "sleeps", "on %s%s%s%s", xlv_queue_name(w->queue),
		    w->what ? " (" : "", w->what ? w->what : "", w->what ? ")" : "");
}

static void on_task_on(struct collector *c, const struct xlv_event *ev)
{
	const struct xlv_wait *w = wait_at(c, ev->ts_ns, false);
	const struct xlv_wake *k = w ? &w->wake : NULL;

	live(c, XLV_SHOW_TASK, XLV_LIFE_RUNNING);
	if (!k || k->waking_ns == XLV_NONE)
		row(c, ev, XLV_SHOW_TASK, "runs", "%s", "");
	else if (k->cause == XLV_PART_OTHER_TASK && k->other_comm)
		row(c, ev, XLV_SHOW_TASK, "runs", "%s after its wake-up, behind %s",
		    NS(k->running_ns - k->waking_ns), k->other_comm);
	else
		row(c, ev, XLV_SHOW_TASK, "runs", "%s after its wake-up: %s",
		    NS(k->running_ns - k->waking_ns), xlv_part_name(k->cause));
}

static void on_worker_off(struct collector *c, const struct xlv_event *ev, int col)
{
	struct job *j = col == XLV_SHOW_CIL ?
			job_of(c->push, c->nr_pushes, ev->sw.prev_pid, ev->ts_ns) :
			job_of(c->ioend, c->nr_iclogs, ev->sw.prev_pid, ev->ts_ns);
	char next[64];

	xlv_str_copy(next, sizeof(next), ev->sw.next_comm);
	if (j && j->end_ns != XLV_NONE && ev->ts_ns >= j->end_ns) {
		j->over = true;
		live(c, col, XLV_LIFE_NONE);
		row(c, ev, col, "off", "next %s", next);
	} else if (ev->sw.prev_state == XLV_TASK_RUNNABLE) {
		live(c, col, XLV_LIFE_RUNNABLE);
		row(c, ev, col, "preempted", "by %s", next);
	} else if (c->life[col] == XLV_LIFE_RUNNING) {
		live(c, col, XLV_LIFE_ASLEEP);
		row(c, ev, col, "sleeps", "%s", "");
	}
}

static void on_switch(struct collector *c, const struct xlv_event *ev)
{
	int off = col_of_pid(c, ev->sw.prev_pid, ev->ts_ns);
	int on = col_of_pid(c, ev->sw.next_pid, ev->ts_ns);

	if (off == XLV_SHOW_TASK)
		on_task_off(c, ev);
	else if (off >= 0)
		on_worker_off(c, ev, off);
	if (on == XLV_SHOW_TASK) {
		on_task_on(c, ev);
	} else if (on >= 0) {
		name_column(c, on, ev->sw.next_pid, ev->sw.next_comm);
		live(c, on, XLV_LIFE_RUNNING);
		row(c, ev, on, "runs", "%s", "");
	}
}

static void on_work(struct collector *c, const struct xlv_event *ev)
{
	static const char *const word[2][3] = {
		{ "queue", "push starts", "push ends" }, { "queue", "starts", "ends" },
	};
	int phase = ev->type - XLV_EV_WQ_QUEUE - (ev->type > XLV_EV_WQ_QUEUE);
	int from = col_of(c, ev);

	for (int k = 0; k < 2; k++) {
		int nr = k ? c->nr_iclogs : c->nr_pushes, col = k ? XLV_SHOW_LOG : XLV_SHOW_CIL;
		const struct job *jobs = k ? c->ioend : c->push;

		for (int i = 0; i < nr; i++) {
			const struct job *j = &jobs[i];
			int64_t at = phase == 0 ? j->queued_ns : phase == 1 ? j->start_ns : j->end_ns;

			if (at != ev->ts_ns || (phase && j->pid != ev->pid))
				continue;
			if (phase == 0 && from < 0) {
				row(c, ev, col, "queued", "by pid %d", ev->pid);
			} else if (phase == 0) {
				arrow(c, ev, from, col, word[k][0]);
			} else {
				if (phase == 1)
					live(c, col, XLV_LIFE_RUNNING);
				row(c, ev, col, word[k][phase], "%s", "");
			}
			return;
		}
	}
}

static void on_iclog(struct collector *c, const struct xlv_event *ev)
{
	static const char *const word[] = {
		[XLV_EV_ICLOG_ACTIVATE] = "iclog active", [XLV_EV_ICLOG_CALLBACK] = "callback",
		[XLV_EV_ICLOG_CB_START] = "callbacks", [XLV_EV_ICLOG_CB_DONE] = "callbacks done",
		[XLV_EV_ICLOG_CLEAN] = "iclog clean", [XLV_EV_ICLOG_FORCE] = "forces iclog",
		[XLV_EV_ICLOG_FORCE_LSN] = "forces iclog", [XLV_EV_ICLOG_GET_SPACE] = "takes space",
		[XLV_EV_ICLOG_RELEASE] = "releases iclog", [XLV_EV_ICLOG_SWITCH] = "closes iclog",
		[XLV_EV_ICLOG_SYNC] = "syncs iclog", [XLV_EV_ICLOG_SYNCING] = "iclog syncing",
		[XLV_EV_ICLOG_SYNC_DONE] = "write done", [XLV_EV_ICLOG_WAIT_ON] = "waits on iclog",
		[XLV_EV_ICLOG_WANT_SYNC] = "wants sync", [XLV_EV_ICLOG_WRITE] = "writes iclog",
	};
	bool ours = iclog_of(c, ev->iclog.dev, ev->iclog.lsn);
	int col = col_of(c, ev);

	if (ev->iclog.dev != c->sync->dev && c->sync->dev)
		return;
	if (ev->type == XLV_EV_ICLOG_WAIT_ON && col == XLV_SHOW_TASK)
		c->last_wait_on_ns = ev->ts_ns;
	if (col >= 0)
		row(c, ev, col, word[ev->type], "%s%s%#llx",
		    ev->type == XLV_EV_ICLOG_WRITE && ev->iclog.flags & XLV_ICL_NEED_FLUSH ? "flush " : "",
		    ev->type == XLV_EV_ICLOG_WRITE && ev->iclog.flags & XLV_ICL_NEED_FUA ? "FUA " : "",
		    (unsigned long long)ev->iclog.lsn);
	else if (ours && ev->ts_ns >= c->sync->start_ns)
		/* someone else did it: another task that forces, or a background push */
		row(c, ev, XLV_SHOW_CIL, word[ev->type], "by pid %d", ev->pid);
}

static void in_flight(struct collector *c, int by)
{
	c->in_flight += by;
	if (c->in_flight < 0)
		c->in_flight = 0;
	live(c, XLV_SHOW_IO, c->in_flight ? XLV_LIFE_RUNNING : XLV_LIFE_NONE);
}

static bool is_flush(const struct xlv_event *ev)
{
	return ev->block.rw & XLV_RW_FLUSH ||
	       (ev->block.rw & XLV_RW_PREFLUSH && !ev->block.nr_sector);
}

static void on_bio_queue(struct collector *c, const struct xlv_event *ev)
{
	int from = col_of(c, ev);
	bool data;

	for (int i = 0; i < c->nr_iclogs; i++) {
		if (c->iclog[i]->bio_ns != ev->ts_ns)
			continue;
		in_flight(c, 1);
		if (from < 0)
			row(c, ev, XLV_SHOW_IO, "log write", "queued by pid %d", ev->pid);
		else
			arrow(c, ev, from, XLV_SHOW_IO, "log write");
		return;
	}
	if (from != XLV_SHOW_TASK)
		return;
	if (is_flush(ev)) {
		arrow(c, ev, from, XLV_SHOW_IO, "cache flush");
		return;
	}
	if (!(ev->block.rw & XLV_RW_WRITE))
		return;
	/* without iclog events a write within the log force may be the log's */
	data = c->sync->force_ns == XLV_NONE || ev->ts_ns < c->sync->force_ns;
	if (c->nr_data < MAX_DATA) {
		c->data[c->nr_data].data = data;
		c->data[c->nr_data].dev = ev->block.dev;
		c->data[c->nr_data++].sector = ev->block.sector;
		in_flight(c, 1);
	}
	arrow(c, ev, from, XLV_SHOW_IO, data ? "data write" : "write");
}

static void on_block(struct collector *c, const struct xlv_event *ev)
{
	bool done = ev->type == XLV_EV_RQ_COMPLETE || ev->type == XLV_EV_BIO_COMPLETE, data;

	for (int i = 0; i < c->nr_iclogs; i++) {
		const struct xlv_iclog *ic = c->iclog[i];

		if (!done && ic->issue_ns == ev->ts_ns) {
			row(c, ev, XLV_SHOW_IO, "to the device", "%s", "");
			return;
		}
		if (!done && ic->flush_issue_ns == ev->ts_ns) {
			row(c, ev, XLV_SHOW_IO, "flush starts", "%s", "");
			return;
		}
		if (done && ic->flush_done_ns == ev->ts_ns) {
			row(c, ev, XLV_SHOW_IO, "flush done", "%s", "");
			return;
		}
		if (done && ic->done_ns == ev->ts_ns) {
			in_flight(c, -1);
			row(c, ev, XLV_SHOW_IO, "log write done", "%s", "");
			return;
		}
	}
	for (int i = 0; i < c->nr_data; i++) {
		if (c->data[i].dev != ev->block.dev || c->data[i].sector != ev->block.sector)
			continue;
		data = c->data[i].data;
		if (done) {
			c->data[i] = c->data[--c->nr_data];
			in_flight(c, -1);
			row(c, ev, XLV_SHOW_IO, data ? "data done" : "write done", "%s", "");
		} else {
			row(c, ev, XLV_SHOW_IO, data ? "data to the device" : "to the device", "%s", "");
		}
		return;
	}
}

static void on_own(struct collector *c, const struct xlv_event *ev)
{
	static const char *const span[] = {
		"enters log force", "leaves log force", "enters CIL force", "leaves CIL force",
		"enters wait", "leaves wait",
	};
	int64_t end_ns = c->sync->span_ns == XLV_NONE ? XLV_NONE :
			 c->sync->start_ns + c->sync->span_ns;

	if (ev->pid != c->sync->pid || ev->ctx & XLV_CTX_IRQ)
		return;
	switch (ev->type) {
	case XLV_EV_SYS_ENTER:
		row(c, ev, XLV_SHOW_TASK, xlv_syscall_name(ev->sys.nr), "begins");
		break;
	case XLV_EV_SYS_EXIT:
		row(c, ev, XLV_SHOW_TASK, xlv_syscall_name(ev->sys.nr), "%s %lld",
		    ev->ts_ns == end_ns ? "returns" : "returned", (long long)ev->sys.ret);
		break;
	case XLV_EV_XFS_FILE_FSYNC:
		row(c, ev, XLV_SHOW_TASK, "xfs_file_fsync", "inode %#llx",
		    (unsigned long long)ev->xfs.ino);
		break;
	case XLV_EV_XFS_LOG_FORCE:
		row(c, ev, XLV_SHOW_TASK, ev->xfs.caller == XLV_FN_FORCE_SEQ ? "CIL force" : "log force",
		    "sequence %#llx", (unsigned long long)ev->xfs.seq);
		break;
	case XLV_EV_XFS_CIL_WAIT:
		row(c, ev, XLV_SHOW_TASK, "CIL too large", "waits for its hard limit");
		break;
	case XLV_EV_XFS_GRANT_SLEEP:
		row(c, ev, XLV_SHOW_TASK, "log full", "waits for log space");
		break;
	case XLV_EV_FORCE_WAIT_ENTER:
		c->last_wait_on_ns = ev->ts_ns;
		/* fall through */
	case XLV_EV_FORCE_ENTER:
	case XLV_EV_FORCE_EXIT:
	case XLV_EV_CIL_FORCE_ENTER:
	case XLV_EV_CIL_FORCE_EXIT:
	case XLV_EV_FORCE_WAIT_EXIT:
		row(c, ev, XLV_SHOW_TASK, span[ev->type - XLV_EV_FORCE_ENTER], "%s", "");
		break;
	}
}

static void on_event(struct collector *c, const struct xlv_event *ev)
{
	int col;

	switch (ev->type) {
	case XLV_EV_SCHED_SWITCH:
		on_switch(c, ev);
		break;
	case XLV_EV_SCHED_WAKING:
		on_waking(c, ev);
		break;
	case XLV_EV_SCHED_MIGRATE:
		col = col_of_pid(c, ev->migrate.pid, ev->ts_ns);
		if (col >= 0)
			row(c, ev, col, "moved", "to CPU %d", ev->migrate.dest_cpu);
		break;
	case XLV_EV_WQ_QUEUE:
	case XLV_EV_WQ_START:
	case XLV_EV_WQ_END:
		on_work(c, ev);
		break;
	case XLV_EV_BIO_QUEUE:
		on_bio_queue(c, ev);
		break;
	case XLV_EV_RQ_ISSUE:
	case XLV_EV_RQ_COMPLETE:
	case XLV_EV_BIO_COMPLETE:
		on_block(c, ev);
		break;
	case XLV_EV_FAKE_IO:
		col = col_of(c, ev);
		if (iclog_of(c, ev->span.dev, ev->span.key))
			row(c, ev, col < 0 ? XLV_SHOW_IO : col, "faked I/O", "completed without a device");
		break;
	default:
		if (ev->type >= XLV_EV_ICLOG_ACTIVATE && ev->type <= XLV_EV_ICLOG_WRITE)
			on_iclog(c, ev);
		else
			on_own(c, ev);
	}
}

/* --- T1 to T4 --- */

static void set_T(struct xlv_show_rows *rows, int i, int64_t from_ns, int64_t to_ns, int64_t T_ns)
{
	rows->T_from_ns[i] = rows->T_to_ns[i] = XLV_NONE;
	if (T_ns == XLV_NONE || (from_ns == XLV_NONE && to_ns == XLV_NONE))
		return;
	rows->T_from_ns[i] = from_ns != XLV_NONE ? from_ns : to_ns - T_ns;
	rows->T_to_ns[i] = rows->T_from_ns[i] + T_ns;
}

static void mark_intervals(struct collector *c)
{
	const struct xlv_sync *s = c->sync;
	int64_t running = XLV_NONE;

	for (int32_t i = 0; i < c->d->nr_waits; i++)
		if (c->d->waits[i].queue == XLV_QUEUE_FORCE)
			running = c->d->waits[i].wake.running_ns;
	set_T(c->rows, 0, s->force.enter_ns, XLV_NONE, s->T1_ns);
	set_T(c->rows, 1, s->cil_force.enter_ns, XLV_NONE, s->T2_ns);
	/* with probes or the patch T3 ends behind the switch: it starts at the last wait */
	set_T(c->rows, 2, c->last_wait_on_ns, running, s->T3_ns);
	set_T(c->rows, 3, XLV_NONE, running, s->T4_ns);
}

int xlv_show_rows_read(struct xlv_show_rows *rows, struct xlv_trace *t,
		       const struct xlv_run *run, const struct xlv_sync *sync,
		       const struct xlv_detail *d, struct xlv_error *err)
{
	struct collector c = {
		.rows = rows, .run = run, .sync = sync, .d = d, .last_wait_on_ns = XLV_NONE,
	};
	struct xlv_event ev;
	bool begun = false;
	int ret;

	memset(rows, 0, sizeof(*rows));
	for (int i = 0; i < XLV_SHOW_COLS; i++)
		rows->worker[i] = -1;
	want_all(&c);
	if (xlv_trace_rewind(t, c.from_ns, c.to_ns, err))
		return -1;
	while ((ret = xlv_trace_next(t, &ev)) > 0 && ev.ts_ns <= c.to_ns) {
		if (ev.ts_ns < c.from_ns)
			continue;
		if (!begun && ev.ts_ns >= sync->start_ns) {
			begun = true;
			live(&c, XLV_SHOW_TASK, XLV_LIFE_RUNNING);
		}
		on_event(&c, &ev);
	}
	if (ret < 0)
		return xlv_fail(err, "%s", xlv_trace_error(t));
	if (c.failed)
		return xlv_fail(err, "no memory for the diagram's rows");
	mark_intervals(&c);
	return 0;
}

void xlv_show_rows_free(struct xlv_show_rows *rows)
{
	free(rows->v);
	memset(rows, 0, sizeof(*rows));
}
