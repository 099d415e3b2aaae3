// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/journal.h"
#include "model/memory.h"
#include "model/wake_cause.h"

int xlv_journal_init(struct xlv_journal *j, struct xlv_run *run, struct xlv_sched *sched)
{
	memset(j, 0, sizeof(*j));
	j->run = run;
	j->sched = sched;
	j->nr_slots = 256;
	j->slot = calloc(j->nr_slots, sizeof(*j->slot));
	j->no_iclog_events = !run->info->has_format[XLV_EV_ICLOG_WRITE];
	for (int i = 0; i < XLV_LIVE_PUSHES; i++) {
		j->push[i].idx = -1;
		j->push[i].ended = true;
	}
	for (int i = 0; i < XLV_LIVE_ICLOGS; i++)
		j->iclog[i].idx = -1;
	return j->slot ? 0 : -1;
}

void xlv_journal_free(struct xlv_journal *j)
{
	for (size_t i = 0; i < j->nr_slots; i++)
		for (struct xlv_work *w = j->slot[i], *next; w; w = next) {
			next = w->next;
			free(w);
		}
	free(j->slot);
}

struct xlv_push *xlv_journal_push_rec(struct xlv_journal *j, int32_t live)
{
	return live < 0 || j->push[live].idx < 0 ? NULL : &j->run->pushes[j->push[live].idx];
}

/* A live log write carries its record until it is written, then the run has it. */
struct xlv_iclog *xlv_journal_iclog_rec(struct xlv_journal *j, int32_t live)
{
	if (live < 0)
		return NULL;
	return j->iclog[live].idx < 0 ? &j->iclog[live].rec : &j->run->iclogs[j->iclog[live].idx];
}

/* ---- work items ---- */

static struct xlv_work **work_slot(struct xlv_journal *j, uint64_t addr)
{
	struct xlv_work **at = &j->slot[(addr >> 4 ^ addr >> 12) & (j->nr_slots - 1)];

	while (*at && (*at)->addr != addr)
		at = &(*at)->next;
	return at;
}

static struct xlv_work *work_make(struct xlv_journal *j, uint64_t addr, uint8_t func)
{
	struct xlv_work **at = work_slot(j, addr), *w = *at, *next;

	if (!w) {
		w = malloc(sizeof(*w));
		if (!w) {
			j->failed = true;
			return NULL;
		}
		w->next = NULL;
		*at = w;
		j->nr_works++;
	}
	next = w->next;
	*w = (struct xlv_work){
		.next = next, .addr = addr, .func = func, .queued_ns = XLV_NONE,
		.start_ns = XLV_NONE, .io_done_ns = XLV_NONE, .queuer_pid = -1, .queuer_cpu = -1,
		.queuer_context = XLV_FROM_UNKNOWN, .push = -1, .iclog = -1, .worker_pid = -1,
	};
	return w;
}

static void work_drop(struct xlv_journal *j, uint64_t addr)
{
	struct xlv_work **at = work_slot(j, addr), *w = *at;

	if (!w)
		return;
	*at = w->next;
	free(w);
	j->nr_works--;
}

/* ---- records ---- */

static int32_t push_new(struct xlv_journal *j)
{
	struct xlv_run *run = j->run;
	int32_t live = j->next_push++ % XLV_LIVE_PUSHES;
	void *more = xlv_grow(run->pushes, run->nr_pushes, &j->cap_pushes, sizeof(*run->pushes));

	if (!more || run->nr_pushes >= INT32_MAX) {
		j->failed = true;
		return -1;
	}
	run->pushes = more;
	run->pushes[run->nr_pushes] = (struct xlv_push){
		.queued_ns = XLV_NONE, .start_ns = XLV_NONE, .end_ns = XLV_NONE,
		.queuer_pid = -1, .queuer_cpu = -1, .worker_pid = -1, .worker_cpu = -1,
	};
	/* at most four pushes run at once on a filesystem: an old slot is free by now */
	for (int i = 0; i < XLV_LIVE_PUSHES && !j->push[live].ended; i++)
		live = j->next_push++ % XLV_LIVE_PUSHES;
	j->push[live].idx = run->nr_pushes++;
	j->push[live].ended = false;
	j->push[live].log.nr = 0;
	return live;
}

static void iclog_clear(struct xlv_live_iclog *l, uint32_t dev, uint64_t lsn)
{
	struct xlv_iclog *r = &l->rec;

	memset(l, 0, sizeof(*l));
	l->used = true;
	l->idx = -1;
	l->first_wake_ns = l->data_done_ns = XLV_NONE;
	r->dev = dev;
	r->lsn = lsn;
	r->first_ns = r->switch_ns = r->syncing_ns = r->write_ns = r->bio_ns = r->issue_ns =
		r->flush_issue_ns = r->flush_done_ns = r->done_ns = r->ioend_queued_ns =
		r->ioend_start_ns = r->ioend_end_ns = r->sync_done_ns = r->callbacks_start_ns =
		r->callbacks_done_ns = r->clean_ns = r->activate_ns = XLV_NONE;
	r->submit_pid = r->submit_cpu = r->done_cpu = r->worker_pid = r->worker_cpu = -1;
	r->done_context = XLV_FROM_UNKNOWN;
}

static bool in_flight(const struct xlv_live_iclog *l)
{
	return l->used && l->idx >= 0 && !l->clean;
}

static void landed(struct xlv_journal *j, int32_t live)
{
	for (int i = 0; i < j->nr_flying; i++)
		if (j->flying[i] == live) {
			j->flying[i] = j->flying[--j->nr_flying];
			return;
		}
}

static int32_t iclog_new(struct xlv_journal *j, uint32_t dev, uint64_t lsn)
{
	int32_t live = j->next_iclog++ % XLV_LIVE_ICLOGS;

	for (int i = 0; i < XLV_LIVE_ICLOGS && in_flight(&j->iclog[live]); i++)
		live = j->next_iclog++ % XLV_LIVE_ICLOGS;
	landed(j, live);	/* with that many in flight, the oldest never came clean */
	iclog_clear(&j->iclog[live], dev, lsn);
	j->lsn_of[live] = lsn;
	for (int i = 0; i < 8; i++)
		if (j->last_first_dev[i] == dev && j->last_first_ns[i]) {
			j->iclog[live].rec.first_ns = j->last_first_ns[i];
			j->last_first_ns[i] = 0;
		}
	return live;
}

/* The log write is under way: from now on its record is the run's. */
static void iclog_commit(struct xlv_journal *j, int32_t live)
{
	struct xlv_run *run = j->run;
	void *more;

	if (j->iclog[live].idx >= 0)
		return;
	more = xlv_grow(run->iclogs, run->nr_iclogs, &j->cap_iclogs, sizeof(*run->iclogs));
	if (!more || run->nr_iclogs >= INT32_MAX) {
		j->failed = true;
		return;
	}
	run->iclogs = more;
	run->iclogs[run->nr_iclogs] = j->iclog[live].rec;
	j->iclog[live].idx = run->nr_iclogs++;
	j->flying[j->nr_flying++] = live;
}

int32_t xlv_journal_iclog(const struct xlv_journal *j, uint32_t dev, uint64_t lsn)
{
	/* newest first: an LSN that comes again means the later one */
	for (uint32_t i = 1; i <= XLV_LIVE_ICLOGS; i++) {
		int32_t at = (j->next_iclog - i) % XLV_LIVE_ICLOGS;
		const struct xlv_live_iclog *l = &j->iclog[at];

		if (j->lsn_of[at] == lsn && l->used && l->rec.dev == dev)
			return at;
	}
	return -1;
}

int32_t xlv_journal_last_push(const struct xlv_journal *j, uint32_t dev)
{
	int64_t latest = XLV_NONE;
	int32_t best = -1;

	for (int i = 0; i < XLV_LIVE_PUSHES; i++) {
		const struct xlv_push *p;

		if (j->push[i].idx < 0 || !j->push[i].ended)
			continue;
		p = &j->run->pushes[j->push[i].idx];
		if ((!dev || !p->dev || p->dev == dev) && p->end_ns > latest) {
			latest = p->end_ns;
			best = i;
		}
	}
	return best;
}

/* ---- workers ---- */

static void fare(struct xlv_worklog *log, int64_t ns, uint8_t how, int32_t cpu, const char *what)
{
	if (log->nr == XLV_FARES)
		return;
	log->fare[log->nr++] = (struct xlv_fare){
		.start_ns = ns, .how = how, .cpu = cpu, .what = what,
	};
}

void xlv_journal_out(struct xlv_task *t, int64_t ns, bool preempted, const struct xlv_task *next)
{
	const char *what;

	if (!t->work || !t->log)
		return;
	if (preempted)
		what = next ? next->comm : NULL;
	else
		what = t->iclog_wait ? "an earlier iclog" : "a sleep in the worker";
	fare(t->log, ns, preempted ? XLV_FARES_RUNNABLE : XLV_FARES_BLOCKED, t->cpu, what);
}

void xlv_journal_in(struct xlv_journal *j, struct xlv_task *t, int64_t ns)
{
	struct xlv_worklog *log = t->log;
	const char *holder;

	if (!t->work || !log)
		return;
	/* who took the CPU may have left at once; whoever held it longest is named */
	if (log->nr && log->fare[log->nr - 1].how == XLV_FARES_RUNNABLE) {
		holder = xlv_wake_holder(j->sched, t->pid, t->cpu, log->fare[log->nr - 1].start_ns, ns);
		if (holder)
			log->fare[log->nr - 1].what = holder;
	}
	fare(log, ns, XLV_FARES_RUNNING, t->cpu, NULL);
}

static void log_begin(const struct xlv_sched *s, struct xlv_worklog *log,
		      const struct xlv_task *t, int64_t queued_ns, int64_t ns)
{
	log->pid = t->pid;
	log->comm = t->comm;
	log->wake = t->wake;
	log->woken = t->wake.waking_ns != XLV_NONE && t->wake.running_ns != XLV_NONE &&
		     queued_ns != XLV_NONE && t->wake.waking_ns >= queued_ns;
	log->wake.pid = t->pid;
	log->wake.comm = t->comm;
	if (log->woken) {
		xlv_wake_parts(s, &log->wake, t->cpu, log->wake.waking_ns, log->wake.running_ns,
			       log->wake.parts_ns);
		log->wake.cause = xlv_wake_cause(log->wake.parts_ns);
	} else {
		log->wake.waking_ns = log->wake.wakeup_ns = XLV_NONE;
		log->wake.cause = XLV_PART_UNKNOWN;
	}
	log->nr = 0;
	fare(log, ns, XLV_FARES_RUNNING, t->cpu, NULL);
}

static bool begins(struct xlv_str s, const char *with)
{
	size_t n = strlen(with);

	return s.len >= n && !memcmp(s.s, with, n);
}

uint8_t xlv_journal_func(struct xlv_journal *j, const struct xlv_event *ev)
{
	const struct xlv_work *w;

	if (ev->wq.func != XLV_FN_UNKNOWN)
		return ev->wq.func;
	/* a recording without kernel symbols: the queue's name tells, then the item */
	if (begins(ev->wq.wq_name, "xfs-cil/"))
		return XLV_FN_CIL_PUSH;
	if (begins(ev->wq.wq_name, "xfs-log/"))
		return XLV_FN_IOEND;
	w = ev->type == XLV_EV_WQ_QUEUE ? NULL : *work_slot(j, ev->wq.work);
	return w ? w->func : XLV_FN_UNKNOWN;
}

static void work_queue(struct xlv_journal *j, const struct xlv_event *ev, struct xlv_task *cur,
		       bool irq)
{
	struct xlv_cpu *c = &j->sched->cpu[ev->cpu];
	uint8_t func = xlv_journal_func(j, ev);
	struct xlv_work *w;
	struct xlv_push *p;

	if (func != XLV_FN_CIL_PUSH && func != XLV_FN_IOEND &&
	    !(func == XLV_FN_IOEND_BUF && c->block_done_iclog >= 0))
		return;
	w = work_make(j, ev->wq.work, func);
	if (!w)
		return;
	w->queued = true;
	w->queued_ns = ev->ts_ns;
	w->queuer_pid = cur->pid;
	w->queuer_cpu = ev->cpu;
	w->queuer_context = !irq ? XLV_FROM_TASK :
			    ev->ctx & XLV_CTX_SOFTIRQ ? XLV_FROM_SOFTIRQ : XLV_FROM_HARDIRQ;
	if (func == XLV_FN_CIL_PUSH) {
		w->push = push_new(j);
		p = xlv_journal_push_rec(j, w->push);
		if (!p)
			return;
		p->work = ev->wq.work;
		p->queued_ns = ev->ts_ns;
		p->queuer_pid = cur->pid;
		p->queuer_cpu = ev->cpu;
		return;
	}
	w->io_done_ns = c->block_done_ns;
	w->iclog = c->block_done_iclog;
	c->block_done_ns = XLV_NONE;
	c->block_done_iclog = -1;
}

static void work_start(struct xlv_journal *j, const struct xlv_event *ev, struct xlv_task *t)
{
	struct xlv_work *w;
	struct xlv_push *p;
	struct xlv_iclog *r;

	t->func = xlv_journal_func(j, ev);
	t->func_name = ev->wq.func_name.len ? xlv_intern(j->sched->pool, ev->wq.func_name) : "?";
	t->work_start_ns = ev->ts_ns;
	t->iclog_phase = 0;
	t->iclog_wait = false;
	t->live_push = t->live_iclog = -1;
	t->log = NULL;
	t->work = NULL;
	w = *work_slot(j, ev->wq.work);
	if (t->func != XLV_FN_CIL_PUSH && t->func != XLV_FN_IOEND &&
	    !(t->func == XLV_FN_IOEND_BUF && w))
		return;
	if (!w || w->started)
		w = work_make(j, ev->wq.work, t->func);
	if (!w)
		return;
	w->started = true;
	w->start_ns = ev->ts_ns;
	w->worker_pid = t->pid;
	t->work = w;
	if (w->func == XLV_FN_CIL_PUSH) {
		if (w->push < 0)
			w->push = push_new(j);
		p = xlv_journal_push_rec(j, w->push);
		if (!p)
			return;
		p->work = w->addr;
		p->start_ns = ev->ts_ns;
		p->worker_pid = t->pid;
		p->worker_cpu = ev->cpu;
		p->worker_comm = t->comm;
		t->live_push = w->push;
		t->log = &j->push[w->push].log;
	} else {
		if (!t->own_log)
			t->own_log = malloc(sizeof(*t->own_log));
		if (!t->own_log) {
			j->failed = true;
			return;
		}
		t->log = t->own_log;
		if (j->no_iclog_events && w->iclog >= 0) {
			t->live_iclog = w->iclog;
			r = xlv_journal_iclog_rec(j, w->iclog);
			r->ioend_queued_ns = w->queued_ns;
			r->ioend_start_ns = ev->ts_ns;
			r->done_ns = w->io_done_ns != XLV_NONE ? w->io_done_ns : w->queued_ns;
			r->done_cpu = w->queuer_cpu;
			r->done_context = w->queuer_context;
			r->worker_pid = t->pid;
			r->worker_cpu = ev->cpu;
			r->worker_comm = t->comm;
		}
	}
	log_begin(j->sched, t->log, t, w->queued_ns, ev->ts_ns);
	if (t->live_iclog >= 0) {
		j->iclog[t->live_iclog].wake = t->log->wake;
		j->iclog[t->live_iclog].worker_woken = t->log->woken;
	}
}

static void push_end(struct xlv_journal *j, struct xlv_task *t, int64_t ns)
{
	struct xlv_push *p = xlv_journal_push_rec(j, t->live_push);
	const struct xlv_worklog *log;

	if (!p)
		return;
	p->end_ns = ns;
	j->push[t->live_push].ended = true;
	log = &j->push[t->live_push].log;
	for (int i = 0; i < log->nr; i++) {
		int64_t d = (i + 1 < log->nr ? log->fare[i + 1].start_ns : ns) -
			    log->fare[i].start_ns;

		if (log->fare[i].how == XLV_FARES_RUNNABLE)
			p->runnable_ns += d;
		else if (log->fare[i].how == XLV_FARES_BLOCKED)
			p->blocked_ns += d;
		else
			p->running_ns += d;
	}
}

static void work_end(struct xlv_journal *j, const struct xlv_event *ev, struct xlv_task *t)
{
	struct xlv_iclog *r;

	if (t->func == XLV_FN_CIL_PUSH && t->work)
		push_end(j, t, ev->ts_ns);
	else if (t->live_iclog >= 0 && (r = xlv_journal_iclog_rec(j, t->live_iclog)))
		r->ioend_end_ns = ev->ts_ns;
	if (t->live_iclog >= 0 && j->no_iclog_events) {
		j->iclog[t->live_iclog].clean = true;
		landed(j, t->live_iclog);
	}
	work_drop(j, ev->wq.work);
	t->last_func = t->func;
	t->func = XLV_FN_UNKNOWN;
	t->func_name = NULL;
	t->work = NULL;
}

/* ---- iclogs ---- */

static void sync_done(struct xlv_journal *j, int32_t live, struct xlv_task *t,
		      const struct xlv_event *ev)
{
	struct xlv_live_iclog *l = &j->iclog[live];
	struct xlv_iclog *r = xlv_journal_iclog_rec(j, live);

	l->done = true;
	r->sync_done_ns = ev->ts_ns;
	r->worker_pid = t->pid;
	r->worker_cpu = ev->cpu;
	r->worker_comm = t->comm;
	if (t->work) {
		r->ioend_start_ns = t->work->start_ns;
		r->ioend_queued_ns = t->work->queued_ns;
		r->done_cpu = t->work->queuer_cpu;
		r->done_context = t->work->queuer_context;
		if (r->fake || t->work->io_done_ns == XLV_NONE)
			r->done_ns = t->work->queued_ns;
		else
			r->done_ns = t->work->io_done_ns;
	}
	if (t->log) {
		l->wake = t->log->wake;
		l->worker_woken = t->log->woken;
	}
	for (int i = 0; i < j->nr_flying; i++) {
		const struct xlv_live_iclog *o = &j->iclog[j->flying[i]];

		if (!o->done && o->rec.dev == r->dev && o->rec.lsn < r->lsn)
			r->out_of_order = true;
	}
}

static void iclog_event(struct xlv_journal *j, const struct xlv_event *ev, struct xlv_task *t)
{
	int32_t live;
	struct xlv_iclog *r;
	struct xlv_push *p = NULL;

	t->iclog_wait = ev->type == XLV_EV_ICLOG_WAIT_ON;
	t->writing = -1;
	if (t->work && t->func == XLV_FN_CIL_PUSH)
		p = xlv_journal_push_rec(j, t->live_push);
	if (p)
		p->dev = ev->iclog.dev;
	if (ev->type == XLV_EV_ICLOG_GET_SPACE && !ev->iclog.offset) {
		int at = ev->iclog.dev & 7;

		j->last_first_dev[at] = ev->iclog.dev;
		j->last_first_ns[at] = ev->ts_ns;
	}
	if (!ev->iclog.lsn)
		return;
	live = xlv_journal_iclog(j, ev->iclog.dev, ev->iclog.lsn);
	if (live >= 0 && j->iclog[live].done && ev->type == XLV_EV_ICLOG_SYNCING)
		live = -1;
	if (live < 0) {
		/* late events of one that the trace did not see being written say nothing */
		if (ev->type != XLV_EV_ICLOG_RELEASE && ev->type != XLV_EV_ICLOG_SWITCH &&
		    ev->type != XLV_EV_ICLOG_SYNCING && ev->type != XLV_EV_ICLOG_SYNC &&
		    ev->type != XLV_EV_ICLOG_WRITE && ev->type != XLV_EV_ICLOG_GET_SPACE &&
		    ev->type != XLV_EV_ICLOG_SYNC_DONE && ev->type != XLV_EV_ICLOG_WAIT_ON)
			return;
		live = iclog_new(j, ev->iclog.dev, ev->iclog.lsn);
	}
	r = xlv_journal_iclog_rec(j, live);
	if (p) {
		if (!p->first_lsn)
			p->first_lsn = ev->iclog.lsn;
		if (p->last_lsn != ev->iclog.lsn)
			p->iclogs++;
		p->last_lsn = ev->iclog.lsn;
	}
	if (t->log && t->work && t->log->nr &&
	    t->log->fare[t->log->nr - 1].how == XLV_FARES_SUBMITTING &&
	    ev->type != XLV_EV_ICLOG_SYNC && ev->type != XLV_EV_ICLOG_WRITE)
		fare(t->log, ev->ts_ns, XLV_FARES_RUNNING, ev->cpu, NULL);

	switch (ev->type) {
	case XLV_EV_ICLOG_SWITCH:
		r->switch_ns = ev->ts_ns;
		break;
	case XLV_EV_ICLOG_SYNCING:
		r->syncing_ns = ev->ts_ns;
		if (t->log && t->work)
			fare(t->log, ev->ts_ns, XLV_FARES_SUBMITTING, ev->cpu, NULL);
		break;
	case XLV_EV_ICLOG_WRITE:	/* xlog_write_iclog() */
		r->write_ns = ev->ts_ns;
		r->flags = ev->iclog.flags;
		r->submit_pid = t->pid;
		r->submit_cpu = ev->cpu;
		r->submit_comm = t->comm;
		r->submit_role = p ? XLV_ROLE_CIL_WORKER :
				 t->sync ? XLV_ROLE_FSYNC : XLV_ROLE_OTHER;
		iclog_commit(j, live);
		t->writing = live;
		break;
	case XLV_EV_ICLOG_SYNC_DONE:	/* xlog_state_done_syncing() */
		t->iclog_phase = ev->type;
		t->live_iclog = live;
		sync_done(j, live, t, ev);
		break;
	case XLV_EV_ICLOG_CB_START:
		r->callbacks_start_ns = ev->ts_ns;
		if (r->out_of_order && r->sync_done_ns != XLV_NONE)
			r->in_order_ns = ev->ts_ns - r->sync_done_ns;
		t->iclog_phase = ev->type;
		break;
	case XLV_EV_ICLOG_CB_DONE:
		r->callbacks_done_ns = ev->ts_ns;
		break;
	case XLV_EV_ICLOG_CLEAN:	/* then wakes ic_force_wait */
		r->clean_ns = ev->ts_ns;
		j->iclog[live].clean = true;
		landed(j, live);
		t->iclog_phase = ev->type;
		t->live_iclog = live;
		break;
	case XLV_EV_ICLOG_ACTIVATE:
		r->activate_ns = ev->ts_ns;
		break;
	}
}

static void fake_io(struct xlv_journal *j, const struct xlv_event *ev, struct xlv_task *t)
{
	int32_t live = t->writing;
	struct xlv_iclog *r;

	j->run->fake_ios++;
	if (live < 0)
		live = xlv_journal_iclog(j, ev->span.dev, ev->span.key);
	t->writing = -1;
	r = xlv_journal_iclog_rec(j, live);
	if (!r)
		return;
	r->fake = true;
	r->bytes = ev->span.val;
}

/* ---- log I/O ---- */

static struct xlv_live_iclog *bio_owner(struct xlv_journal *j, uint32_t dev, uint64_t sector,
					uint32_t nr, int32_t *live)
{
	for (int i = 0; i < j->nr_flying; i++) {
		struct xlv_live_iclog *l = &j->iclog[j->flying[i]];

		if (l->done)
			continue;
		for (int k = 0; k < l->nr_bios; k++)
			if (l->bio[k].dev == dev && sector <= l->bio[k].sector &&
			    l->bio[k].sector - sector < (nr ? nr : 1)) {
				*live = j->flying[i];
				return l;
			}
	}
	return NULL;
}

/* The oldest log write of @dev whose data isn't out yet: a flush is for it. */
static struct xlv_iclog *flushing(struct xlv_journal *j, uint32_t dev)
{
	struct xlv_iclog *best = NULL;

	for (int i = 0; i < j->nr_flying; i++) {
		struct xlv_live_iclog *l = &j->iclog[j->flying[i]];
		struct xlv_iclog *r = xlv_journal_iclog_rec(j, j->flying[i]);

		if (l->done || r->issue_ns != XLV_NONE)
			continue;
		for (int k = 0; k < l->nr_bios; k++)
			if (l->bio[k].dev == dev && (!best || r->bio_ns < best->bio_ns))
				best = r;
	}
	return best;
}

static void bio_add(struct xlv_live_iclog *l, uint32_t dev, uint64_t sector, uint32_t nr)
{
	if (l->nr_bios < 8)
		l->bio[l->nr_bios++] = (struct xlv_log_bio){ dev, sector, nr };
}

/* Without xlog_iclog_* a log write shows as a metadata write of whoever may do one. */
static int32_t guess_log_write(struct xlv_journal *j, const struct xlv_event *ev,
			       struct xlv_task *t)
{
	bool pushing = t->work && t->func == XLV_FN_CIL_PUSH;
	struct xlv_iclog *r;
	int32_t live;

	if (!j->no_iclog_events || (ev->block.rw & (XLV_RW_META | XLV_RW_WRITE | XLV_RW_SYNC)) !=
				   (XLV_RW_META | XLV_RW_WRITE | XLV_RW_SYNC) ||
	    (!pushing && !t->sync))
		return -1;
	live = iclog_new(j, ev->block.dev, 0);
	r = &j->iclog[live].rec;
	r->flags = (ev->block.rw & XLV_RW_PREFLUSH ? XLV_ICL_NEED_FLUSH : 0) |
		   (ev->block.rw & XLV_RW_FUA ? XLV_ICL_NEED_FUA : 0);
	r->submit_pid = t->pid;
	r->submit_cpu = ev->cpu;
	r->submit_comm = t->comm;
	r->submit_role = pushing ? XLV_ROLE_CIL_WORKER : XLV_ROLE_FSYNC;
	iclog_commit(j, live);
	return live;
}

static void block_event(struct xlv_journal *j, const struct xlv_event *ev, struct xlv_task *t,
			bool irq)
{
	struct xlv_cpu *c = &j->sched->cpu[ev->cpu];
	struct xlv_live_iclog *l;
	struct xlv_iclog *r;
	int32_t live = -1;

	switch (ev->type) {
	case XLV_EV_BIO_QUEUE:
		if (irq || !(ev->block.rw & XLV_RW_WRITE))
			return;
		live = t->writing >= 0 ? t->writing : guess_log_write(j, ev, t);
		if (live < 0 || (t->writing >= 0 && !(ev->block.rw & XLV_RW_META)))
			return;
		r = xlv_journal_iclog_rec(j, live);
		if (r->bio_ns == XLV_NONE) {
			r->bio_ns = ev->ts_ns;
			r->sector = ev->block.sector;
		}
		r->bytes += ev->block.nr_sector * 512;
		bio_add(&j->iclog[live], ev->block.dev, ev->block.sector, ev->block.nr_sector);
		j->run->log_bios++;
		return;
	case XLV_EV_BIO_REMAP:
		l = bio_owner(j, ev->block.old_dev, ev->block.old_sector, 1, &live);
		if (l)
			bio_add(l, ev->block.dev, ev->block.sector, ev->block.nr_sector);
		return;
	case XLV_EV_BIO_SPLIT:
		l = bio_owner(j, ev->block.dev, ev->block.sector, 1, &live);
		if (l)
			bio_add(l, ev->block.dev, ev->block.old_sector, 0);
		return;
	case XLV_EV_RQ_ISSUE:
		if (!ev->block.nr_sector && ev->block.rw & (XLV_RW_FLUSH | XLV_RW_PREFLUSH)) {
			r = flushing(j, ev->block.dev);
			if (r && r->flush_issue_ns == XLV_NONE)
				r->flush_issue_ns = ev->ts_ns;
			return;
		}
		if (bio_owner(j, ev->block.dev, ev->block.sector, ev->block.nr_sector, &live)) {
			r = xlv_journal_iclog_rec(j, live);
			if (r->issue_ns == XLV_NONE)
				r->issue_ns = ev->ts_ns;
		}
		return;
	case XLV_EV_RQ_COMPLETE:
	case XLV_EV_BIO_COMPLETE:
		c->block_done_ns = ev->ts_ns;
		if (!ev->block.nr_sector) {
			r = flushing(j, ev->block.dev);
			if (r && r->flush_issue_ns != XLV_NONE && r->flush_done_ns == XLV_NONE)
				r->flush_done_ns = ev->ts_ns;
			return;
		}
		l = bio_owner(j, ev->block.dev, ev->block.sector, ev->block.nr_sector, &live);
		c->block_done_iclog = l ? live : -1;
		if (l)
			l->data_done_ns = ev->ts_ns;
		return;
	}
}

void xlv_journal_event(struct xlv_journal *j, const struct xlv_event *ev, struct xlv_task *cur,
		       bool irq)
{
	switch (ev->type) {
	case XLV_EV_WQ_QUEUE:
		if (ev->cpu >= 0 && ev->cpu < j->sched->nr_cpus)
			work_queue(j, ev, cur, irq);
		return;
	case XLV_EV_WQ_START:
		if (!irq)
			work_start(j, ev, cur);
		return;
	case XLV_EV_WQ_END:
		if (!irq)
			work_end(j, ev, cur);
		return;
	case XLV_EV_BIO_QUEUE:
	case XLV_EV_BIO_REMAP:
	case XLV_EV_BIO_SPLIT:
	case XLV_EV_RQ_ISSUE:
	case XLV_EV_RQ_COMPLETE:
	case XLV_EV_BIO_COMPLETE:
		if (ev->cpu >= 0 && ev->cpu < j->sched->nr_cpus)
			block_event(j, ev, cur, irq);
		return;
	case XLV_EV_FAKE_IO:
		fake_io(j, ev, cur);
		return;
	case XLV_EV_SYS_ENTER:
	case XLV_EV_SYS_EXIT:
	case XLV_EV_XFS_FILE_FSYNC:
		cur->writing = -1;
		return;
	}
	if (ev->type >= XLV_EV_ICLOG_ACTIVATE && ev->type <= XLV_EV_ICLOG_WRITE && !irq)
		iclog_event(j, ev, cur);
}
