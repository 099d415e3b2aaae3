/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known while a window is read: one state a CPU (the task, interrupts on
 * top of it) and one a task (where it is, which work item it runs). For
 * lib/model/window*.c alone.
 */
#ifndef XLV_MODEL_WINDOW_STATE_H
#define XLV_MODEL_WINDOW_STATE_H

#include "model/memory.h"
#include "model/strpool.h"
#include "model/window.h"

#define XLV_WIN_OPEN_BIOS	4096
#define XLV_WIN_IRQ_DEPTH	8

struct xlv_win_map_slot {
	uint64_t	key;
	int32_t		value;	/* -1: free */
};

struct xlv_win_map {
	struct xlv_win_map_slot	*slots;
	size_t			size, used;
};

struct xlv_win_task {
	int32_t		pid;
	const char	*comm;
	int32_t		on_cpu;		/* -1: not on one */
	int32_t		last_cpu;
	uint8_t		func;		/* enum xlv_func of the work item it runs */
	const char	*func_name;	/* NULL: none */
	int32_t		handover;	/* of that item, index in works; -1 */
	int32_t		arrow;		/* wake-up that is under way, index in wakes; -1 */
	int32_t		last_arrow;	/* the last one that put it on a CPU; -1 */
	int32_t		sync_first, nr_syncs, sync_cursor;	/* in .sync_of */
	int32_t		lane;		/* index in win->tasks; -1 */
};

struct xlv_win_irq {
	uint8_t		context;	/* XLV_FROM_HARDIRQ or _SOFTIRQ */
	bool		io_done;
	const char	*name;
};

struct xlv_win_open {
	struct xlv_piece	p;
	bool			started;
};

struct xlv_win_cpu {
	int32_t			cpu;
	int32_t			pid;		/* -1: not known yet */
	struct xlv_win_irq	irq[XLV_WIN_IRQ_DEPTH];
	int32_t			depth;
	int64_t			last_ns;	/* of its events; XLV_NONE */
	struct xlv_win_open	open;
	struct xlv_cpu_lane	lane;
	size_t			size;		/* of lane.pieces */
	bool			dense;		/* the last piece takes more short ones */
	int64_t			longest_ns;	/* in the last piece */
};

struct xlv_win_lane {		/* parallel to win->tasks */
	struct xlv_task_piece	open;
	struct xlv_detail	detail;		/* of the sync it was in last */
	int32_t			detail_of;	/* that sync's id */
	bool			started;
	size_t			size;
	bool			dense;
	int64_t			longest_ns;
};

struct xlv_win {
	struct xlv_window	*win;
	struct xlv_trace	*trace;
	const struct xlv_run	*run;
	unsigned int		want;
	int32_t			max;
	bool			has_waking, has_bio_complete;
	bool			oom;

	struct xlv_win_task	*tasks;
	int32_t			nr_tasks;
	size_t			tasks_size;
	struct xlv_win_map	task_map;	/* pid to tasks */
	int32_t			*sync_of;	/* indexes of syncs by pid, start */
	int32_t			nr_sync_of;

	struct xlv_win_cpu	**cpus;		/* by number */
	int32_t			nr_cpus;
	struct xlv_win_lane	*lanes;

	struct xlv_win_map	work_map;	/* work item to works: queued, not started */
	size_t			bios_size, wakes_size, works_size, gaps_size;
	int32_t			open_bios[XLV_WIN_OPEN_BIOS];
	int32_t			nr_open_bios;

};

/* The window as the caller sees it, with what must be freed. */
struct xlv_win_owner {
	struct xlv_window	win;
	struct xlv_arena	arena;
	struct xlv_strpool	*strings;
};

/* ---- window_state.c: memory, tasks ---- */

/** xlv_win_alloc - memory that lives as long as the window; NULL sets .oom */
void *xlv_win_alloc(struct xlv_win *st, size_t n);

/** xlv_win_grow - make room for one more element in the array that @array points to */
bool xlv_win_grow(struct xlv_win *st, void *array, size_t *size, size_t used, size_t elem);

/** xlv_win_map_get - the value of a key, or -1 */
int32_t xlv_win_map_get(const struct xlv_win_map *m, uint64_t key);
bool xlv_win_map_put(struct xlv_win *st, struct xlv_win_map *m, uint64_t key, int32_t value);

/** xlv_win_intern - the window's copy of a string; never NULL */
const char *xlv_win_intern(struct xlv_win *st, struct xlv_str text);

/** xlv_win_task - the task of a pid; NULL where there are too many. Earlier ones may move. */
struct xlv_win_task *xlv_win_task(struct xlv_win *st, int32_t pid);

/** xlv_win_sync_end_ns - the end of a sync; INT64_MAX: it never ended */
int64_t xlv_win_sync_end_ns(const struct xlv_sync *s);

/** xlv_win_sync - the sync that a task is in; asked with times that only grow */
const struct xlv_sync *xlv_win_sync(const struct xlv_win *st, struct xlv_win_task *t,
				    int64_t ts_ns);

/** xlv_win_work - what a task does for the journal at a moment */
enum xlv_work xlv_win_work(const struct xlv_win *st, struct xlv_win_task *t, int64_t ts_ns);

/* ---- window_lanes.c: what CPUs ran, where tasks were ---- */

/** xlv_win_cpu - the state of a CPU, made when first asked for; NULL: no such number */
struct xlv_win_cpu *xlv_win_cpu(struct xlv_win *st, int32_t nr);

/** xlv_win_cpu_update - close the CPU's piece if what it does has changed */
void xlv_win_cpu_update(struct xlv_win *st, struct xlv_win_cpu *c, int64_t ts_ns, bool preempted);

/* Add a piece that is over, cut to the window and merged where it is short. */
void xlv_win_cpu_add(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_piece *piece);
void xlv_win_lane_add(struct xlv_win *st, int32_t lane, const struct xlv_task_piece *piece);

/** xlv_win_lane_new - give a task a lane; -1: no memory */
int xlv_win_lane_new(struct xlv_win *st, size_t *size, int32_t pid);

/** xlv_win_lane_set - end what a task did and begin @next, whose start is set here */
void xlv_win_lane_set(struct xlv_win *st, struct xlv_win_task *t, int64_t ts_ns,
		      struct xlv_task_piece next);
void xlv_win_lane_running(struct xlv_win *st, struct xlv_win_task *t, int32_t cpu, int64_t ts_ns);
void xlv_win_lane_woken(struct xlv_win *st, struct xlv_win_task *t, int64_t ts_ns);

/* ---- window_io.c: bios ---- */

void xlv_win_on_block(struct xlv_win *st, struct xlv_win_cpu *c, const struct xlv_event *ev);

/** xlv_win_match_iclogs - say which bios are iclog writes */
void xlv_win_match_iclogs(struct xlv_win *st);

/* The context of an event, enum xlv_context. */
static inline uint8_t xlv_win_context(const struct xlv_event *ev)
{
	if (ev->ctx & XLV_CTX_UNKNOWN)
		return XLV_FROM_UNKNOWN;
	if (ev->ctx & (XLV_CTX_HARDIRQ | XLV_CTX_NMI))
		return XLV_FROM_HARDIRQ;
	return ev->ctx & XLV_CTX_SOFTIRQ ? XLV_FROM_SOFTIRQ : XLV_FROM_TASK;
}

#endif
