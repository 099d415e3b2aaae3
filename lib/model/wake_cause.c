// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "model/wake_cause.h"

/* How many holders of the CPU are told apart when the longest is looked for. */
#define HOLDERS	16

struct holder {
	int32_t		pid;
	const char	*comm;
	int64_t		ns;
};

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * Interrupt time of @c within [a, b). @at is where to look first, going back; it
 * is left for the next call, whose b is this one's a.
 */
static int64_t irq_within(const struct xlv_cpu *c, int64_t a, int64_t b, uint64_t *at)
{
	uint64_t oldest = c->nr_irqs > XLV_IRQ_STAYS ? c->nr_irqs - XLV_IRQ_STAYS : 0;
	int64_t ns = 0;

	if (c->irq_depth && c->irq_start_ns < b)
		ns += b - max64(a, c->irq_start_ns);
	for (; *at > oldest; --*at) {
		const struct xlv_irq_stay *q = &c->irqs[(*at - 1) % XLV_IRQ_STAYS];

		if (q->end_ns <= a)
			break;
		if (q->start_ns < b)
			ns += min64(b, q->end_ns) - max64(a, q->start_ns);
		if (q->start_ns < a)
			break;		/* it reaches into what comes before */
	}
	return ns;
}

static int held(struct holder *h, int nr, const struct xlv_stay *stay, int64_t ns)
{
	int i;

	if (ns <= 0)
		return nr;
	for (i = 0; i < nr; i++)
		if (h[i].pid == stay->pid)
			break;
	if (i == HOLDERS)
		return nr;
	if (i == nr)
		h[nr++] = (struct holder){ .pid = stay->pid, .comm = stay->comm };
	h[i].ns += ns;
	return nr;
}

void xlv_wake_parts(const struct xlv_sched *s, struct xlv_wake *w, int32_t cpu, int64_t from_ns,
		    int64_t to_ns, int64_t parts[XLV_PART_COUNT])
{
	struct holder holders[HOLDERS];
	const struct xlv_cpu *c;
	uint64_t oldest, irq_at;
	int64_t at = from_ns, end = to_ns, left = to_ns - from_ns;
	int64_t sure_ns = to_ns;	/* of the stay looked at: it surely lasted until then */
	int nr = 0;

	memset(parts, 0, XLV_PART_COUNT * sizeof(*parts));
	if (cpu < 0 || cpu >= s->nr_cpus || !s->cpu[cpu].stays || left <= 0)
		goto rest;
	c = &s->cpu[cpu];
	w->freq_khz = c->freq_khz;
	if (w->waking_ns != XLV_NONE)
		at = min64(max64(at, w->waking_ns), to_ns);
	if (w->waking_ns != XLV_NONE && w->wakeup_ns != XLV_NONE && w->wakeup_ns > at) {
		int64_t woken = min64(w->wakeup_ns, to_ns);

		parts[XLV_PART_WAKEUP_IPI] = woken - at;
		at = woken;
	}
	/* backwards over the CPU's stays: each ends where the next began */
	irq_at = c->nr_irqs;
	oldest = c->nr_stays > XLV_STAYS ? c->nr_stays - XLV_STAYS : 0;
	for (uint64_t i = c->nr_stays; i-- > oldest && end > at; ) {
		const struct xlv_stay *stay = &c->stays[i % XLV_STAYS];
		int64_t a = max64(stay->start_ns, at), irq, ns;

		if (stay->start_ns >= end) {
			sure_ns = stay->earliest_ns;
			continue;
		}
		if (!stay->pid && sure_ns < end) {
			/*
			 * The switch from idle to a task is missing. From the last sign of
			 * idle on, the time is either's. (Between tasks it is some task's.)
			 */
			sure_ns = max64(sure_ns, a);
			irq = irq_within(c, sure_ns, end, &irq_at);
			parts[XLV_PART_IRQ] += irq;
			parts[XLV_PART_SCHED] += end - sure_ns - irq;
			end = sure_ns;
		}
		irq = irq_within(c, a, end, &irq_at);
		ns = end - a - irq;
		parts[XLV_PART_IRQ] += irq;
		if (!ns) {
			;
		} else if (!stay->pid) {
			parts[XLV_PART_IDLE_EXIT] += ns;
			w->cstate = c->cstate;
		} else if (stay->pid == w->pid && w->waking_ns != XLV_NONE) {
			parts[XLV_PART_SCHED] += ns;
		} else if (stay->pid == w->waker_pid &&
			   (w->waker_context == XLV_FROM_TASK ||
			    w->waker_context == XLV_FROM_UNKNOWN ||
			    !strncmp(stay->comm, "ksoftirqd/", 10))) {
			parts[XLV_PART_WAKER_BUSY] += ns;
		} else {
			parts[XLV_PART_OTHER_TASK] += ns;
			nr = held(holders, nr, stay, ns);
		}
		end = a;
		sure_ns = stay->earliest_ns;
	}
rest:
	for (int i = 0; i < XLV_PART_COUNT; i++)
		left -= parts[i];
	parts[XLV_PART_SCHED] += left;
	w->other_pid = 0;
	w->other_comm = NULL;
	w->other_ns = 0;
	for (int i = 0; i < nr; i++)
		if (holders[i].ns > w->other_ns) {
			w->other_pid = holders[i].pid;
			w->other_comm = holders[i].comm;
			w->other_ns = holders[i].ns;
		}
}

const char *xlv_wake_holder(const struct xlv_sched *s, int32_t pid, int32_t cpu, int64_t from_ns,
			    int64_t to_ns)
{
	struct xlv_wake w = {
		.waking_ns = from_ns, .wakeup_ns = XLV_NONE, .pid = pid, .waker_pid = -1,
	};
	int64_t parts[XLV_PART_COUNT];

	xlv_wake_parts(s, &w, cpu, from_ns, to_ns, parts);
	return w.other_comm;
}

uint8_t xlv_wake_cause(const int64_t parts[XLV_PART_COUNT])
{
	uint8_t best = XLV_PART_UNKNOWN;
	int64_t most = 0;

	for (int i = 0; i < XLV_PART_COUNT; i++)
		if (parts[i] > most) {
			most = parts[i];
			best = i;
		}
	return best;
}
