// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory of a window, and what a task is to the journal at a moment. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "model/window_state.h"

#define MAX_TASKS	(1 << 20)

void *xlv_win_alloc(struct xlv_win *st, size_t n)
{
	struct xlv_arena *arena = &((struct xlv_win_owner *)st->win)->arena;
	void *p;

	n = (n + 15) & ~(size_t)15;
	p = xlv_arena_room(arena, n);
	if (p)
		xlv_arena_take(arena, n);
	else
		st->oom = true;
	return p;
}

/* Makes room for one more element. */
bool xlv_win_grow(struct xlv_win *st, void *array, size_t *size, size_t used, size_t elem)
{
	void **a = array, *p = xlv_grow(*a, used, size, elem);

	if (!p) {
		st->oom = true;
		return false;
	}
	*a = p;
	return true;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

int32_t xlv_win_map_get(const struct xlv_win_map *m, uint64_t key)
{
	if (!m->size)
		return -1;
	for (size_t i = mix(key) & (m->size - 1);; i = (i + 1) & (m->size - 1)) {
		if (m->slots[i].value < 0)
			return -1;
		if (m->slots[i].key == key)
			return m->slots[i].value;
	}
}

bool xlv_win_map_put(struct xlv_win *st, struct xlv_win_map *m, uint64_t key, int32_t value)
{
	size_t i;

	if (m->used * 2 >= m->size) {
		size_t size = m->size ? m->size * 2 : 256;
		struct xlv_win_map bigger = { calloc(size, sizeof(*bigger.slots)), size, 0 };

		if (!bigger.slots) {
			st->oom = true;
			return false;
		}
		for (i = 0; i < size; i++)
			bigger.slots[i].value = -1;
		for (i = 0; i < m->size; i++)
			if (m->slots[i].value >= 0)
				xlv_win_map_put(st, &bigger, m->slots[i].key, m->slots[i].value);
		free(m->slots);
		*m = bigger;
	}
	for (i = mix(key) & (m->size - 1); m->slots[i].value >= 0; i = (i + 1) & (m->size - 1))
		if (m->slots[i].key == key) {
			m->slots[i].value = value;
			return true;
		}
	m->slots[i].key = key;
	m->slots[i].value = value;
	m->used++;
	return true;
}

const char *xlv_win_intern(struct xlv_win *st, struct xlv_str text)
{
	struct xlv_win_owner *w = (struct xlv_win_owner *)st->win;
	const char *s;

	if (!text.len)
		return "";
	s = xlv_intern(w->strings, text);
	if (s)
		return s;
	st->oom = true;
	return "";
}

static const char *intern(struct xlv_win *st, const char *s)
{
	return xlv_win_intern(st, (struct xlv_str){ s, (uint32_t)strlen(s) });
}

static int32_t sync_slice(const struct xlv_win *st, int32_t pid, int32_t *nr)
{
	int32_t lo = 0, hi = st->nr_sync_of, first;

	while (lo < hi) {
		int32_t mid = lo + (hi - lo) / 2;

		if (st->run->syncs[st->sync_of[mid]].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (first = lo; lo < st->nr_sync_of && st->run->syncs[st->sync_of[lo]].pid == pid; lo++)
		;
	*nr = lo - first;
	return first;
}

struct xlv_win_task *xlv_win_task(struct xlv_win *st, int32_t pid)
{
	int32_t i = xlv_win_map_get(&st->task_map, (uint32_t)pid);
	const char *comm;
	struct xlv_win_task *t;

	if (i >= 0)
		return &st->tasks[i];
	if (st->nr_tasks >= MAX_TASKS ||
	    !xlv_win_grow(st, &st->tasks, &st->tasks_size, st->nr_tasks, sizeof(*st->tasks)) ||
	    !xlv_win_map_put(st, &st->task_map, (uint32_t)pid, st->nr_tasks))
		return NULL;
	t = &st->tasks[st->nr_tasks++];
	memset(t, 0, sizeof(*t));
	t->pid = pid;
	comm = pid > 0 ? xlv_trace_comm(st->trace, pid) : NULL;
	t->comm = comm ? intern(st, comm) : "";
	t->on_cpu = t->last_cpu = -1;
	t->handover = t->arrow = t->last_arrow = -1;
	t->lane = -1;
	t->sync_first = sync_slice(st, pid, &t->nr_syncs);
	return t;
}

int64_t xlv_win_sync_end_ns(const struct xlv_sync *s)
{
	return s->span_ns == XLV_NONE ? INT64_MAX : s->start_ns + s->span_ns;
}

/* The sync that a task is in. Asked with times that only grow. */
const struct xlv_sync *xlv_win_sync(const struct xlv_win *st, struct xlv_win_task *t, int64_t ts_ns)
{
	while (t->sync_cursor < t->nr_syncs) {
		const struct xlv_sync *s =
			&st->run->syncs[st->sync_of[t->sync_first + t->sync_cursor]];

		if (s->start_ns > ts_ns)
			return NULL;
		if (xlv_win_sync_end_ns(s) > ts_ns)
			return s;
		t->sync_cursor++;
	}
	return NULL;
}

enum xlv_work xlv_win_work(const struct xlv_win *st, struct xlv_win_task *t, int64_t ts_ns)
{
	if (!t->pid)
		return XLV_WORK_IDLE;
	if (t->func == XLV_FN_CIL_PUSH)
		return XLV_WORK_CIL_WORKER;
	if (t->func == XLV_FN_IOEND)
		return XLV_WORK_LOG_WORKER;
	if (xlv_win_sync(st, t, ts_ns))
		return XLV_WORK_FSYNC;
	return t->nr_syncs && !t->func_name ? XLV_WORK_SYNCER : XLV_WORK_OTHER;
}
