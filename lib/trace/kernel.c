// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/kernel.h"

#include <event-parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/bytes.h"
#include "trace/reader.h"

#define FORMAT_MAX_BYTES	(256u << 10)
#define LINE_MAX_BYTES		512
#define NAME_MAX_BYTES		128
#define FIELDS_PER_EVENT_MAX	512
#define STATE_BITS		11
#define PARSED_MAX		8192	/* formats of ours; a kernel has some 800 */
#define NAME_CACHE		512	/* a power of two */

enum { FIELD_NONE, FIELD_NUMBER, FIELD_SIGNED, FIELD_CHARS, FIELD_DATA_LOC, FIELD_REL_LOC,
       FIELD_REST };

struct cached_name {
	uint64_t	addr;
	struct xlv_str	name;
	uint8_t		func;
	uint8_t		kind;		/* 0: empty, 1: exact, 2: caller */
};

struct xlv_kernel {
	bool			swap;
	struct tep_handle	*tep;
	const struct xlv_symbols *symbols;
	int			nr_formats, nr_parsed, nr_cpus;
	bool			have_common;
	struct xlv_common	common;
	uint8_t			state_map[1 << STATE_BITS];
	uint32_t		state_known;	/* bits that have a letter */
	struct cached_name	cache[NAME_CACHE];
	struct xlv_decoder	*dec;
	int			nr_dec;
	uint16_t		by_id[65536];	/* index + 1 */
};

/* --- names --- */

static bool has_prefix(struct xlv_str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.len >= n && !memcmp(s.s, prefix, n);
}

static bool has_suffix(struct xlv_str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.len >= n && !memcmp(s.s + s.len - n, suffix, n);
}

static bool same(struct xlv_str s, const char *text)
{
	size_t n = strlen(text);

	return s.len == n && !memcmp(s.s, text, n);
}

uint8_t xlv_kernel_func(struct xlv_str name)
{
	static const struct {
		const char	*name;
		uint8_t		func;
	} funcs[] = {
		{ "xlog_cil_push_work",		XLV_FN_CIL_PUSH },	/* 5.9 on */
		{ "xlog_cil_push",		XLV_FN_CIL_PUSH },	/* inlined before */
		{ "xlog_ioend_work",		XLV_FN_IOEND },		/* 5.4 on */
		{ "xfs_buf_ioend_work",		XLV_FN_IOEND_BUF },
		{ "xfs_end_io",			XLV_FN_XFS_END_IO },
		{ "wq_barrier_func",		XLV_FN_WQ_BARRIER },
		{ "xfs_log_worker",		XLV_FN_LOG_WORKER },
		{ "iomap_dio_complete_work",	XLV_FN_DIO_COMPLETE },
		{ "dio_aio_complete_work",	XLV_FN_DIO_COMPLETE },
		{ "aio_fsync_work",		XLV_FN_AIO_FSYNC },
		{ "loop_workfn",		XLV_FN_LOOP },
		{ "loop_rootcg_workfn",		XLV_FN_LOOP },
		{ "xfs_file_fsync",		XLV_FN_FILE_FSYNC },
		{ "xfs_fsync_flush_log",	XLV_FN_FILE_FSYNC },
		{ "xfs_dir_fsync",		XLV_FN_FILE_FSYNC },
		{ "xfs_log_force_seq",		XLV_FN_FORCE_SEQ },
		{ "xfs_log_force_lsn",		XLV_FN_FORCE_SEQ },	/* before 5.14 */
		{ "xfs_log_force_inode",	XLV_FN_OTHER },
		{ "xfs_log_force",		XLV_FN_LOG_FORCE },
		{ "_xfs_log_force",		XLV_FN_LOG_FORCE },	/* before 4.17 */
		{ "_xfs_log_force_lsn",		XLV_FN_FORCE_SEQ },
		{ "xlog_cil_force",		XLV_FN_LOG_FORCE },
		{ "xfs_fs_sync_fs",		XLV_FN_SYNC_FS },
		{ "xfs_quiesce_attr",		XLV_FN_SYNC_FS },
		{ "xfs_log_quiesce",		XLV_FN_SYNC_FS },
		{ "xfs_log_clean",		XLV_FN_SYNC_FS },
		{ "xfs_log_unmount",		XLV_FN_SYNC_FS },
		{ "xfs_fs_freeze",		XLV_FN_SYNC_FS },
		{ "xfsaild",			XLV_FN_AIL },
		{ "xfsaild_push",		XLV_FN_AIL },
		/* a return probe hides the caller */
		{ "arch_rethook_trampoline",	XLV_FN_UNKNOWN },
		{ "__kretprobe_trampoline",	XLV_FN_UNKNOWN },	/* before 5.18 */
		{ "kretprobe_trampoline",	XLV_FN_UNKNOWN },	/* before 5.15 */
	};
	const char *dot;
	unsigned int i;

	if (!name.len)
		return XLV_FN_UNKNOWN;
	/* xfs_file_fsync.part.0, .isra.0, .constprop.0, .cold, .llvm.123 */
	dot = memchr(name.s, '.', name.len);
	if (dot && dot != name.s)
		name.len = dot - name.s;
	for (i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++)
		if (same(name, funcs[i].name))
			return funcs[i].func;
	return XLV_FN_OTHER;
}

static uint8_t syscall_nr(struct xlv_str name)
{
	unsigned int i;

	for (i = XLV_SYS_FSYNC; i < XLV_SYS_OTHER; i++)
		if (same(name, xlv_syscall_name(i)))
			return i;
	if (same(name, "sync_file_range2"))
		return XLV_SYS_SYNC_FILE_RANGE;
	return XLV_SYS_OTHER;
}

/* The events with a name of their own; patterns and probes are in the lookup. */
static const struct {
	const char	*system, *name;
	uint8_t		type;
} event_names[] = {
#define XLV_ENTRY(type, system, name)	{ system, name, XLV_EV_##type },
	XLV_EVENTS(XLV_ENTRY)
#undef XLV_ENTRY
};

static const struct {
	const char	*name;
	uint8_t		type;
} probe_names[] = {
	{ "force_enter",	XLV_EV_FORCE_ENTER },
	{ "force_exit",		XLV_EV_FORCE_EXIT },
	{ "cil_force_enter",	XLV_EV_CIL_FORCE_ENTER },
	{ "cil_force_exit",	XLV_EV_CIL_FORCE_EXIT },
	{ "wait_enter",		XLV_EV_FORCE_WAIT_ENTER },
	{ "wait_exit",		XLV_EV_FORCE_WAIT_EXIT },
	{ "push_enter",		XLV_EV_PROBE_PUSH_ENTER },
	{ "push_exit",		XLV_EV_PROBE_PUSH_EXIT },
	{ "sync_enter",		XLV_EV_PROBE_SYNC_ENTER },
	{ "ioend_enter",	XLV_EV_PROBE_IOEND_ENTER },
	{ "clean_enter",	XLV_EV_PROBE_CLEAN_ENTER },
};

/* Without a system, as in text, only these count as vectors. */
static bool vector_name(struct xlv_str stem)
{
	static const char *const vectors[] = {
		"local_timer", "reschedule", "call_function", "call_function_single",
		"irq_work", "x86_platform_ipi", "spurious_apic", "error_apic",
		"threshold_apic", "deferred_error_apic", "thermal_apic",
	};
	unsigned int i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		if (same(stem, vectors[i]))
			return true;
	return false;
}

struct xlv_event_id xlv_kernel_lookup(const char *system, struct xlv_str name)
{
	struct xlv_event_id id = { .type = XLV_EV_OTHER };
	bool any = !system;
	struct xlv_str stem;
	unsigned int i;

	if ((any || !strcmp(system, "syscalls")) && has_prefix(name, "sys_enter_")) {
		id.type = XLV_EV_SYS_ENTER;
		id.nr = syscall_nr((struct xlv_str){ name.s + 10, name.len - 10 });
		return id;
	}
	if ((any || !strcmp(system, "syscalls")) && has_prefix(name, "sys_exit_")) {
		id.type = XLV_EV_SYS_EXIT;
		id.nr = syscall_nr((struct xlv_str){ name.s + 9, name.len - 9 });
		return id;
	}
	if (any || !strcmp(system, "irq_vectors")) {
		stem = name;
		if (has_suffix(name, "_entry")) {
			id.type = XLV_EV_VECTOR_ENTRY;
			stem.len -= 6;
		} else if (has_suffix(name, "_exit")) {
			id.type = XLV_EV_VECTOR_EXIT;
			stem.len -= 5;
		}
		if (id.type && (!any || vector_name(stem))) {
			id.nr = same(stem, "local_timer");
			return id;
		}
		id.type = XLV_EV_OTHER;
	}
	if (any || !strcmp(system, "xlogviz"))
		for (i = 0; i < sizeof(probe_names) / sizeof(probe_names[0]); i++)
			if (same(name, probe_names[i].name)) {
				id.type = probe_names[i].type;
				id.probe = 1;
				return id;
			}
	for (i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++)
		if ((any || !strcmp(system, event_names[i].system)) &&
		    same(name, event_names[i].name)) {
			id.type = event_names[i].type;
			return id;
		}
	return id;
}

uint8_t xlv_kernel_ctx(uint8_t flags)
{
	uint8_t ctx = 0;

	if (flags & 0x08)
		ctx |= XLV_CTX_HARDIRQ;
	if (flags & 0x10)
		ctx |= XLV_CTX_SOFTIRQ;
	if (flags & 0x40)
		ctx |= XLV_CTX_NMI;
	if (flags & 0x04)
		ctx |= XLV_CTX_NEED_RESCHED;
	return ctx;
}

bool xlv_kernel_clock_ticks(const char *clock)
{
	static const char *const ticks[] = { "counter", "uptime", "x86-tsc", "ppc-tb", "itc" };
	unsigned int i;

	for (i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++)
		if (!strcmp(clock, ticks[i]))
			return true;
	return false;
}

/* [F]OP[F][A][S][M]: an F before the operation is a flush, after it FUA. */
uint32_t xlv_kernel_rwbs(struct xlv_str rwbs, uint32_t nr_sector)
{
	enum { OP = 1 << 30 };		/* the operation was told */
	static const uint32_t means[128] = {
		['W'] = OP | XLV_RW_WRITE, ['R'] = OP | XLV_RW_READ, ['D'] = OP | XLV_RW_DISCARD,
		['N'] = OP, ['A'] = XLV_RW_AHEAD, ['S'] = XLV_RW_SYNC, ['M'] = XLV_RW_META,
	};
	uint32_t rw = 0;
	unsigned int i;

	for (i = 0; i < rwbs.len; i++) {
		unsigned char c = rwbs.s[i];

		if (c != 'F')
			rw |= c < 128 ? means[c] : 0;
		else if (rw & OP)
			rw |= XLV_RW_FUA;
		else if (rw & XLV_RW_PREFLUSH)
			rw |= OP | XLV_RW_FLUSH;
		else
			rw |= XLV_RW_PREFLUSH;
	}
	/* a lone F is a flush; so is a write of nothing with one before it */
	if ((rw & XLV_RW_PREFLUSH) && (!(rw & OP) || !nr_sector))
		rw |= XLV_RW_FLUSH;
	return rw & ~OP;
}

uint8_t xlv_kernel_task_state(struct xlv_str s)
{
	bool noload = false;
	uint8_t state = XLV_TASK_UNKNOWN;
	unsigned int i;

	for (i = 0; i < s.len; i++) {
		switch (s.s[i]) {
		case '+':
			return XLV_TASK_RUNNABLE;
		case 'D':
			return memchr(s.s, 'N', s.len) ? XLV_TASK_IDLE : XLV_TASK_BLOCKED;
		case 'R':
			state = XLV_TASK_RUNNABLE;
			break;
		case 'S':
			state = XLV_TASK_SLEEP;
			break;
		case 'I':
			state = XLV_TASK_IDLE;
			break;
		case 'T':
		case 't':
		case 'P':
			state = XLV_TASK_STOPPED;
			break;
		case 'X':
		case 'Z':
		case 'x':
			state = XLV_TASK_DEAD;
			break;
		case 'N':
			noload = true;
			break;
		}
	}
	return state == XLV_TASK_UNKNOWN && noload ? XLV_TASK_IDLE : state;
}

uint8_t xlv_kernel_iclog_state(struct xlv_str name)
{
	static const char *const states[] = {
		[XLV_ICLOG_ACTIVE]	= "XLOG_STATE_ACTIVE",
		[XLV_ICLOG_WANT_SYNC]	= "XLOG_STATE_WANT_SYNC",
		[XLV_ICLOG_SYNCING]	= "XLOG_STATE_SYNCING",
		[XLV_ICLOG_DONE_SYNC]	= "XLOG_STATE_DONE_SYNC",
		[XLV_ICLOG_CALLBACK]	= "XLOG_STATE_CALLBACK",
		[XLV_ICLOG_DIRTY]	= "XLOG_STATE_DIRTY",
	};
	unsigned int i;

	for (i = 0; i < XLV_ICLOG_UNKNOWN; i++)
		if (same(name, states[i]))
			return i;
	return XLV_ICLOG_UNKNOWN;
}

uint8_t xlv_kernel_iclog_flags(struct xlv_str names)
{
	uint8_t flags = 0;

	if (!names.len)
		return 0;
	if (memmem(names.s, names.len, "NEED_FLUSH", 10))
		flags |= XLV_ICL_NEED_FLUSH;
	if (memmem(names.s, names.len, "NEED_FUA", 8))
		flags |= XLV_ICL_NEED_FUA;
	return flags;
}

/* --- reading fields --- */

/* Any size in the same way: no branch that is hard to foresee; 0 for an absent field. */
static inline uint64_t num(const struct xlv_kernel *k, const struct xlv_field *f,
			   const uint8_t *rec)
{
	return xlv_get64(rec + f->offset, k->swap) >> f->shift & f->mask;
}

static inline int64_t snum(const struct xlv_kernel *k, const struct xlv_field *f,
			   const uint8_t *rec)
{
	uint64_t sign = f->mask ^ f->mask >> 1;

	return (int64_t)((num(k, f, rec) ^ sign) - sign);
}

static struct xlv_str dynamic(const struct xlv_kernel *k, const struct xlv_field *f,
			      const uint8_t *rec, uint32_t len)
{
	uint32_t loc = xlv_get32(rec + f->offset, k->swap);
	uint32_t off = loc & 0xffff, n = loc >> 16;
	struct xlv_str s;

	if (f->kind == FIELD_REL_LOC)
		off += f->offset + f->size;
	if (off > len)
		return (struct xlv_str){ 0 };
	if (n > len - off)
		n = len - off;
	s.s = (const char *)rec + off;
	s.len = strnlen(s.s, n);
	return s;
}

static inline struct xlv_str str(const struct xlv_kernel *k, const struct xlv_field *f,
				 const uint8_t *rec, uint32_t len)
{
	const char *s = (const char *)rec + f->offset;

	switch (f->kind) {
	case FIELD_CHARS:
		return (struct xlv_str){ .s = s, .len = strnlen(s, f->size) };
	case FIELD_DATA_LOC:
	case FIELD_REL_LOC:
		return dynamic(k, f, rec, len);
	case FIELD_REST:
		return (struct xlv_str){ .s = s, .len = strnlen(s, len - f->offset) };
	}
	return (struct xlv_str){ 0 };
}

static const struct cached_name *name_of(struct xlv_kernel *k, uint64_t addr, bool exact)
{
	struct cached_name *c = &k->cache[(addr * 0x9e3779b97f4a7c15ull >> 40) % NAME_CACHE];
	uint8_t kind = exact ? 1 : 2;

	if (c->addr == addr && c->kind == kind)
		return c;
	c->addr = addr;
	c->kind = kind;
	c->name = exact ? xlv_symbols_exact(k->symbols, addr) :
			  xlv_symbols_caller(k->symbols, addr);
	c->func = xlv_kernel_func(c->name);
	return c;
}

/* --- the decoders: fields in the order of the shapes below --- */

static void decode_switch(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			  uint32_t len, struct xlv_event *ev)
{
	uint64_t state;

	ev->sw.prev_comm = str(k, &d->f[0], r, len);
	ev->sw.prev_pid = num(k, &d->f[1], r);
	ev->sw.prev_prio = num(k, &d->f[2], r);
	state = num(k, &d->f[3], r);
	ev->sw.next_comm = str(k, &d->f[4], r, len);
	ev->sw.next_pid = num(k, &d->f[5], r);
	ev->sw.next_prio = num(k, &d->f[6], r);
	/* bits without a letter mark a preempted task, printed as '+' */
	if (!state || (state & ~(uint64_t)k->state_known))
		ev->sw.prev_state = XLV_TASK_RUNNABLE;
	else
		ev->sw.prev_state = k->state_map[state];
}

static void decode_wake(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			uint32_t len, struct xlv_event *ev)
{
	ev->wake.comm = str(k, &d->f[0], r, len);
	ev->wake.pid = num(k, &d->f[1], r);
	ev->wake.prio = num(k, &d->f[2], r);
	ev->wake.target_cpu = num(k, &d->f[3], r);
}

static void decode_migrate(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			   uint32_t len, struct xlv_event *ev)
{
	ev->migrate.comm = str(k, &d->f[0], r, len);
	ev->migrate.pid = num(k, &d->f[1], r);
	ev->migrate.orig_cpu = num(k, &d->f[2], r);
	ev->migrate.dest_cpu = num(k, &d->f[3], r);
}

static void decode_task(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			uint32_t len, struct xlv_event *ev)
{
	ev->task.comm = str(k, &d->f[0], r, len);
	ev->task.pid = d->f[1].kind ? (int32_t)num(k, &d->f[1], r) : ev->pid;
}

/* exec tells the file: the task's name is its last part, cut to 15 bytes */
static void decode_exec(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			uint32_t len, struct xlv_event *ev)
{
	struct xlv_str s = str(k, &d->f[0], r, len);
	const char *slash = s.len ? memrchr(s.s, '/', s.len) : NULL;

	if (slash) {
		s.len -= slash + 1 - s.s;
		s.s = slash + 1;
	}
	if (s.len > 15)
		s.len = 15;
	ev->task.comm = s;
	ev->task.pid = num(k, &d->f[1], r);
}

/* WORK_CPU_UNBOUND is the kernel's NR_CPUS, past any real one */
static int32_t wq_cpu(const struct xlv_kernel *k, const struct xlv_field *f, const uint8_t *r)
{
	uint64_t cpu = f->kind ? num(k, f, r) : UINT64_MAX;

	return cpu < (uint64_t)k->nr_cpus ? (int32_t)cpu : -1;
}

static void decode_wq(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
		      uint32_t len, struct xlv_event *ev)
{
	const struct cached_name *c;

	ev->wq.work = num(k, &d->f[0], r);
	if (d->f[1].kind) {
		c = name_of(k, num(k, &d->f[1], r), true);
		ev->wq.func_name = c->name;
		ev->wq.func = c->func;
	} else {
		ev->wq.func_name = (struct xlv_str){ 0 };
		ev->wq.func = XLV_FN_UNKNOWN;
	}
	ev->wq.wq_name = str(k, &d->f[2], r, len);	/* a pointer before 5.12 or so: empty */
	ev->wq.req_cpu = wq_cpu(k, &d->f[3], r);
	ev->wq.cpu = wq_cpu(k, &d->f[4], r);
}

static void decode_block(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			 uint32_t len, struct xlv_event *ev)
{
	ev->block.dev = num(k, &d->f[0], r);
	ev->block.sector = num(k, &d->f[1], r);
	ev->block.nr_sector = num(k, &d->f[2], r);
	ev->block.rwbs = str(k, &d->f[3], r, len);
	ev->block.error = (int32_t)snum(k, &d->f[4], r);
	ev->block.old_dev = num(k, &d->f[5], r);
	ev->block.old_sector = num(k, &d->f[6], r);
	/* a split tells no length */
	ev->block.rw = xlv_kernel_rwbs(ev->block.rwbs,
				       d->f[2].kind ? ev->block.nr_sector : 1);
}

static void decode_irq(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
		       uint32_t len, struct xlv_event *ev)
{
	ev->irq.nr = d->f[0].kind ? (int32_t)num(k, &d->f[0], r) : -1;
	ev->irq.name = str(k, &d->f[1], r, len);
	ev->irq.timer = d->nr;
	if (d->name[0])
		ev->irq.name = (struct xlv_str){ .s = d->name, .len = strlen(d->name) };
}

static void decode_hrtimer(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			   uint32_t len, struct xlv_event *ev)
{
	(void)len;
	ev->irq.nr = -1;
	ev->irq.name = (struct xlv_str){ 0 };
	if (d->f[0].kind)
		ev->irq.name = name_of(k, num(k, &d->f[0], r), true)->name;
	ev->irq.timer = same(ev->irq.name, "tick_sched_timer") ||	/* before 6.9 */
			same(ev->irq.name, "tick_nohz_handler");
}

static void decode_ipi(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
		       uint32_t len, struct xlv_event *ev)
{
	(void)len;
	ev->ipi.target_cpu = num(k, &d->f[0], r);
}

static void decode_power(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			 uint32_t len, struct xlv_event *ev)
{
	(void)len;
	ev->power.state = num(k, &d->f[0], r);
	if (ev->power.state == UINT32_MAX)
		ev->power.state = -1;
	ev->power.cpu = num(k, &d->f[1], r);
}

static void decode_xfs(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
		       uint32_t len, struct xlv_event *ev)
{
	const struct cached_name *c;

	(void)len;
	ev->xfs.dev = num(k, &d->f[0], r);
	ev->xfs.ino = num(k, &d->f[1], r);
	ev->xfs.seq = num(k, &d->f[2], r);
	ev->xfs.caller_name = (struct xlv_str){ 0 };
	ev->xfs.caller = XLV_FN_UNKNOWN;
	if (d->f[3].kind) {
		c = name_of(k, num(k, &d->f[3], r), false);
		ev->xfs.caller_name = c->name;
		ev->xfs.caller = c->func;
	}
}

static void decode_iclog(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			 uint32_t len, struct xlv_event *ev)
{
	uint64_t state, flags;

	(void)len;
	ev->iclog.dev = num(k, &d->f[0], r);
	state = num(k, &d->f[1], r);
	ev->iclog.state = state < 8 ? d->iclog_state[state] : XLV_ICLOG_UNKNOWN;
	ev->iclog.refcount = num(k, &d->f[2], r);
	ev->iclog.offset = num(k, &d->f[3], r);
	ev->iclog.lsn = num(k, &d->f[4], r);
	ev->iclog.flags = XLV_ICL_FLAGS_UNKNOWN;
	if (d->f[5].kind && (d->need_flush | d->need_fua)) {
		flags = num(k, &d->f[5], r);
		ev->iclog.flags = (flags & d->need_flush ? XLV_ICL_NEED_FLUSH : 0) |
				  (flags & d->need_fua ? XLV_ICL_NEED_FUA : 0);
	}
	ev->iclog.caller_name = (struct xlv_str){ 0 };
	if (d->f[6].kind)
		ev->iclog.caller_name = name_of(k, num(k, &d->f[6], r), false)->name;
}

static void decode_span(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			uint32_t len, struct xlv_event *ev)
{
	(void)len;
	ev->span.dev = num(k, &d->f[0], r);
	ev->span.key = num(k, &d->f[1], r);
	ev->span.val = snum(k, &d->f[2], r);
}

static void decode_sys_enter(struct xlv_kernel *k, const struct xlv_decoder *d,
			     const uint8_t *r, uint32_t len, struct xlv_event *ev)
{
	(void)len;
	ev->sys.nr = d->nr;
	ev->sys.arg = (int64_t)num(k, &d->f[0], r);
	ev->sys.ret = 0;
}

static void decode_sys_exit(struct xlv_kernel *k, const struct xlv_decoder *d,
			    const uint8_t *r, uint32_t len, struct xlv_event *ev)
{
	(void)len;
	ev->sys.nr = d->nr;
	ev->sys.arg = 0;
	ev->sys.ret = snum(k, &d->f[0], r);
}

static void decode_mark(struct xlv_kernel *k, const struct xlv_decoder *d, const uint8_t *r,
			uint32_t len, struct xlv_event *ev)
{
	ev->mark.text = str(k, &d->f[0], r, len);
}

/*
 * A shape: the fields that a decoder reads, in its order. "!" marks one without
 * which the event is of no use; "$" a string, "+" a signed number; "|" parts
 * names of the same field on different kernels.
 */
struct shape {
	void		(*decode)(struct xlv_kernel *k, const struct xlv_decoder *d,
				  const uint8_t *r, uint32_t len, struct xlv_event *ev);
	const char	*field[XLV_FIELDS_MAX];
};

static const struct shape shape_switch = { decode_switch,
	{ "$prev_comm", "!prev_pid", "prev_prio", "!prev_state", "$next_comm", "!next_pid",
	  "next_prio" } };
static const struct shape shape_wake = { decode_wake,
	{ "$comm", "!pid", "prio", "target_cpu|cpu" } };
static const struct shape shape_migrate = { decode_migrate,
	{ "$comm", "!pid", "!orig_cpu", "!dest_cpu" } };
static const struct shape shape_fork = { decode_task, { "$child_comm", "!child_pid" } };
static const struct shape shape_exec = { decode_exec, { "$filename", "!pid" } };
static const struct shape shape_exit = { decode_task, { "$comm", "!pid" } };
static const struct shape shape_rename = { decode_task, { "$newcomm", "pid" } };
static const struct shape shape_wq = { decode_wq,
	{ "!work", "function", "$workqueue", "req_cpu", "cpu" } };
static const struct shape shape_block = { decode_block,
	{ "!dev", "!sector", "nr_sector|nr_sectors", "$rwbs", "+error|errors", "old_dev",
	  "old_sector|new_sector" } };
static const struct shape shape_irq = { decode_irq, { "!irq", "$name" } };
static const struct shape shape_vector = { decode_irq, { "vector" } };
static const struct shape shape_softirq = { decode_irq, { "!vec" } };
static const struct shape shape_hrtimer = { decode_hrtimer, { "function" } };
static const struct shape shape_ipi = { decode_ipi, { "!cpu" } };
static const struct shape shape_power = { decode_power, { "!state", "!cpu_id" } };
static const struct shape shape_xfs = { decode_xfs,
	{ "!dev", "ino", "lsn", "caller_ip" } };
static const struct shape shape_iclog = { decode_iclog,
	{ "!dev", "state", "refcount", "offset", "!lsn", "flags", "caller_ip" } };
static const struct shape shape_span = { decode_span, { "dev", "key", "+val" } };
static const struct shape shape_sys_enter = { decode_sys_enter, { "" } };
static const struct shape shape_sys_exit = { decode_sys_exit, { "!+ret" } };
static const struct shape shape_mark = { decode_mark, { "!$buf" } };

static const struct shape *shape_of(unsigned int type)
{
	switch (type) {
	case XLV_EV_SCHED_SWITCH:
		return &shape_switch;
	case XLV_EV_SCHED_WAKING:
	case XLV_EV_SCHED_WAKEUP:
	case XLV_EV_SCHED_WAKEUP_NEW:
		return &shape_wake;
	case XLV_EV_SCHED_MIGRATE:
		return &shape_migrate;
	case XLV_EV_SCHED_FORK:
		return &shape_fork;
	case XLV_EV_SCHED_EXEC:
		return &shape_exec;
	case XLV_EV_SCHED_EXIT:
		return &shape_exit;
	case XLV_EV_TASK_RENAME:
		return &shape_rename;
	case XLV_EV_WQ_QUEUE ... XLV_EV_WQ_END:
		return &shape_wq;
	case XLV_EV_BIO_QUEUE ... XLV_EV_RQ_COMPLETE:
		return &shape_block;
	case XLV_EV_IRQ_ENTRY:
	case XLV_EV_IRQ_EXIT:
		return &shape_irq;
	case XLV_EV_SOFTIRQ_RAISE ... XLV_EV_SOFTIRQ_EXIT:
		return &shape_softirq;
	case XLV_EV_VECTOR_ENTRY:
	case XLV_EV_VECTOR_EXIT:
		return &shape_vector;
	case XLV_EV_HRTIMER_ENTRY:
	case XLV_EV_HRTIMER_EXIT:
		return &shape_hrtimer;
	case XLV_EV_IPI_SEND:
		return &shape_ipi;
	case XLV_EV_CPU_IDLE:
	case XLV_EV_CPU_FREQUENCY:
		return &shape_power;
	case XLV_EV_XFS_FILE_FSYNC ... XLV_EV_XFS_GRANT_WAKE:
		return &shape_xfs;
	case XLV_EV_ICLOG_ACTIVATE ... XLV_EV_ICLOG_WRITE:
		return &shape_iclog;
	case XLV_EV_FORCE_ENTER ... XLV_EV_PROBE_CLEAN_ENTER:
		return &shape_span;
	case XLV_EV_SYS_ENTER:
		return &shape_sys_enter;
	case XLV_EV_SYS_EXIT:
		return &shape_sys_exit;
	case XLV_EV_MARK:
		return &shape_mark;
	}
	return NULL;
}

/* --- values in a print fmt --- */

/* Numbers, parentheses, << | + -, as in "(1u << 0)"; enough for flag tables. */
struct expr {
	const char	*p, *end;
	int		depth;
	bool		bad;
};

static uint64_t expr_or(struct expr *e);

static void expr_space(struct expr *e)
{
	while (e->p < e->end && (*e->p == ' ' || *e->p == '\t'))
		e->p++;
}

static uint64_t expr_atom(struct expr *e)
{
	uint64_t v = 0;
	int base = 10;
	char c;

	expr_space(e);
	if (e->p < e->end && *e->p == '(') {
		e->p++;
		if (++e->depth > 32) {
			e->bad = true;
			return 0;
		}
		v = expr_or(e);
		e->depth--;
		expr_space(e);
		if (e->p < e->end && *e->p == ')')
			e->p++;
		else
			e->bad = true;
		return v;
	}
	if (e->p == e->end || *e->p < '0' || *e->p > '9') {
		e->bad = true;
		return 0;
	}
	if (e->end - e->p > 2 && e->p[0] == '0' && (e->p[1] | 0x20) == 'x') {
		base = 16;
		e->p += 2;
	}
	for (; e->p < e->end; e->p++) {
		c = *e->p | 0x20;
		if (*e->p >= '0' && *e->p <= '9')
			v = v * base + (*e->p - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			v = v * 16 + (c - 'a' + 10);
		else
			break;
	}
	while (e->p < e->end && ((*e->p | 0x20) == 'u' || (*e->p | 0x20) == 'l'))
		e->p++;
	return v;
}

static uint64_t expr_shift(struct expr *e)
{
	uint64_t v = expr_atom(e), n;

	for (;;) {
		expr_space(e);
		if (e->bad || e->end - e->p < 2 || e->p[0] != '<' || e->p[1] != '<')
			return v;
		e->p += 2;
		n = expr_atom(e);
		v = n < 64 ? v << n : 0;
	}
}

static uint64_t expr_or(struct expr *e)
{
	uint64_t v = expr_shift(e);

	for (;;) {
		expr_space(e);
		if (e->bad || e->p == e->end || *e->p != '|')
			return v;
		e->p++;
		v |= expr_shift(e);
	}
}

/*
 * The next { VALUE, "NAME" } at or after *@p. A value that is no number (an enum
 * the kernel did not resolve) gives @known false.
 */
static bool next_pair(const char **p, const char *end, uint64_t *value, bool *known,
		      struct xlv_str *name)
{
	const char *open, *comma, *quote, *close;
	struct expr e;

	open = memchr(*p, '{', end - *p);
	if (!open)
		return false;
	quote = memchr(open, '"', end - open);
	close = quote ? memchr(quote + 1, '"', end - quote - 1) : NULL;
	if (!close)
		return false;
	comma = memrchr(open, ',', quote - open);
	if (!comma)
		return false;
	e = (struct expr){ .p = open + 1, .end = comma };
	*value = expr_or(&e);
	expr_space(&e);
	*known = !e.bad && e.p == e.end;
	*name = (struct xlv_str){ .s = quote + 1, .len = close - quote - 1 };
	*p = close + 1;
	return true;
}

/* Narrow [p, end) to what follows "FUNC(REC->FIELD" up to the next such call. */
static bool find_table(const char **p, const char **end, const char *func, const char *field)
{
	size_t n = strlen(func), m = strlen(field);
	const char *s = *p, *next;

	while ((s = memmem(s, *end - s, func, n))) {
		s += n;
		next = memmem(s, *end - s, "__print_", 8);
		if (!next)
			next = *end;
		if (memmem(s, next - s < 64 ? next - s : 64, field, m)) {
			*p = s;
			*end = next;
			return true;
		}
	}
	return false;
}

static void map_states(struct xlv_kernel *k, const char letter[STATE_BITS])
{
	char letters[STATE_BITS];
	unsigned int v, i, n;

	k->state_known = 0;
	for (i = 0; i < STATE_BITS; i++)
		if (letter[i])
			k->state_known |= 1u << i;
	for (v = 1; v < 1u << STATE_BITS; v++) {
		for (n = 0, i = 0; i < STATE_BITS; i++)
			if (v & 1u << i && letter[i])
				letters[n++] = letter[i];
		k->state_map[v] = xlv_kernel_task_state((struct xlv_str){ letters, n });
	}
}

/*
 * What each bit of prev_state means differs a lot: 0x80 is WAKEKILL on one
 * kernel and idle on another. The format says it itself.
 */
static void learn_states(struct xlv_kernel *k, const char *p, const char *end)
{
	char letter[STATE_BITS] = { 0 };
	bool any = false, known;
	struct xlv_str name;
	uint64_t value;

	if (find_table(&p, &end, "__print_flags(", "prev_state"))
		while (next_pair(&p, end, &value, &known, &name)) {
			if (!known || !value || (value & (value - 1)) ||
			    value >> STATE_BITS || name.len != 1)
				continue;
			letter[__builtin_ctzll(value)] = name.s[0];
			any = true;
		}
	map_states(k, any ? letter : "SDTtXZPI\0\0\0");
}

static void learn_iclog(struct xlv_decoder *d, const char *fmt, const char *fmt_end)
{
	const char *p = fmt, *end = fmt_end;
	unsigned int i = 0;
	struct xlv_str name;
	uint64_t value;
	uint8_t flag;
	bool known;

	memset(d->iclog_state, XLV_ICLOG_UNKNOWN, sizeof(d->iclog_state));
	if (find_table(&p, &end, "__print_symbolic(", "state"))
		for (; next_pair(&p, end, &value, &known, &name); i++) {
			if (!known)	/* an enum's name: they come in order */
				value = i;
			if (value < sizeof(d->iclog_state))
				d->iclog_state[value] = xlv_kernel_iclog_state(name);
		}
	p = fmt;
	end = fmt_end;
	if (find_table(&p, &end, "__print_flags(", "flags"))
		while (next_pair(&p, end, &value, &known, &name)) {
			flag = xlv_kernel_iclog_flags(name);
			if (!known || value > 0x80)
				continue;
			if (flag == XLV_ICL_NEED_FLUSH)
				d->need_flush = value;
			else if (flag == XLV_ICL_NEED_FUA)
				d->need_fua = value;
		}
}

/* --- formats --- */

/* Only what the parser of formats needs, and only what it can be trusted with. */
static bool plain_line(const char *p, const char *end)
{
	if (end - p >= LINE_MAX_BYTES)
		return false;
	for (; p < end; p++)
		if (*p != '\t' && (*p < ' ' || *p > '~' || *p == '"' || *p == '\\'))
			return false;
	return true;
}

static bool starts(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - p) >= n && !memcmp(p, with, n);
}

/*
 * The lines of a format without its print fmt: that part is ours to read, and
 * by far the hardest to parse.
 */
static char *field_lines(const char *name, unsigned int id, const char *text, size_t len,
			 size_t *out_len)
{
	const char *p = text, *end = text + len, *nl, *s;
	unsigned int fields = 0;
	size_t size = 0;
	char *buf = NULL;
	FILE *f;

	f = open_memstream(&buf, &size);
	if (!f)
		return NULL;
	fprintf(f, "name: %s\nID: %u\nformat:\n", name, id);
	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		if (starts(p, nl, "print fmt"))
			break;
		for (s = p; s < nl && (*s == '\t' || *s == ' '); s++)
			;
		if (s == nl && fields)
			fputc('\n', f);
		if (!starts(s, nl, "field:") || !plain_line(s, nl) ||
		    fields++ == FIELDS_PER_EVENT_MAX)
			continue;
		fprintf(f, "\t%.*s\n", (int)(nl - s), s);
	}
	fputs("\nprint fmt: \"\"\n", f);
	if (fclose(f)) {
		free(buf);
		return NULL;
	}
	*out_len = size;
	return buf;
}

/* "KEY: VALUE" at the start of a line among the first few */
static struct xlv_str header_value(const char *text, size_t len, const char *key)
{
	const char *p = text, *end = text + len, *nl;
	struct xlv_str v = { 0 };
	int lines;

	for (lines = 0; p < end && lines < 4; p = nl + 1, lines++) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		if (!starts(p, nl, key))
			continue;
		v.s = p + strlen(key);
		while (v.s < nl && *v.s == ' ')
			v.s++;
		v.len = nl - v.s;
		break;
	}
	return v;
}

static struct tep_event *parse_event(struct xlv_kernel *k, const char *system,
				     const char *name, unsigned int id, const char *text,
				     size_t len)
{
	struct tep_event *e;
	char *lines;
	size_t size;

	if (k->nr_parsed++ >= PARSED_MAX)
		return NULL;
	lines = field_lines(name, id, text, len, &size);
	if (!lines)
		return NULL;
	e = NULL;
	if (!tep_parse_event(k->tep, lines, size, system))
		e = tep_find_event_by_name(k->tep, system, name);
	free(lines);
	return e;
}

/* A name from the file that goes into text for the parser. */
static bool safe_name(struct xlv_str s, char *buf, size_t size)
{
	unsigned int i;

	if (!s.len || s.len >= size)
		return false;
	for (i = 0; i < s.len; i++)
		if (!strchr("_-.", s.s[i]) && !(s.s[i] >= '0' && s.s[i] <= '9') &&
		    !((s.s[i] | 0x20) >= 'a' && (s.s[i] | 0x20) <= 'z'))
			return false;
	xlv_str_copy(buf, size, s);
	return true;
}

static bool set_field(struct xlv_field *f, const struct tep_format_field *t, bool string)
{
	if (t->offset < 0 || t->size < 0 || t->offset > 32767 || t->size > 4096)
		return false;
	f->offset = t->offset;
	f->size = t->size;
	if (string) {
		if (t->flags & TEP_FIELD_IS_DYNAMIC)
			f->kind = t->flags & TEP_FIELD_IS_RELATIVE ? FIELD_REL_LOC :
								     FIELD_DATA_LOC;
		else if (!t->size)	/* to the end; "char buf" before 5.x, then "char buf[]" */
			f->kind = FIELD_REST;
		else if (t->flags & TEP_FIELD_IS_ARRAY)
			f->kind = FIELD_CHARS;
		else
			return false;
		return (f->kind != FIELD_DATA_LOC && f->kind != FIELD_REL_LOC) || f->size == 4;
	}
	if (t->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		return false;
	if (t->size != 1 && t->size != 2 && t->size != 4 && t->size != 8)
		return false;
	f->kind = FIELD_NUMBER;
	f->mask = UINT64_MAX >> (64 - 8 * t->size);
	f->shift = tep_is_file_bigendian(t->event->tep) ? 64 - 8 * t->size : 0;
	return true;
}

/* Find the field that a shape names; false if it must be there and is not. */
static bool shape_field(struct tep_event *e, const char *spec, struct xlv_field *f)
{
	bool must = false, string = false;
	struct tep_format_field *t;
	const char *bar;
	char name[32];

	for (;; spec++) {
		if (*spec == '!')
			must = true;
		else if (*spec == '$')
			string = true;
		else if (*spec != '+')
			break;
	}
	for (; *spec; spec = *bar ? bar + 1 : bar) {
		bar = strchrnul(spec, '|');
		snprintf(name, sizeof(name), "%.*s", (int)(bar - spec), spec);
		t = tep_find_field(e, name);
		if (t && set_field(f, t, string))
			return true;
		memset(f, 0, sizeof(*f));
	}
	return !must;
}

/* The first argument: what follows the number of the syscall. */
static bool first_argument(struct tep_event *e, struct xlv_field *f)
{
	struct tep_format_field *t = e->format.fields;

	if (t && t->next)
		return set_field(f, t->next, false);
	return true;
}

static bool learn_fields(struct xlv_decoder *d, struct tep_event *e)
{
	const struct shape *s = shape_of(d->type);
	unsigned int i;

	if (!s)
		return false;
	d->decode = s->decode;
	if (d->type == XLV_EV_SYS_ENTER) {
		if (!first_argument(e, &d->f[0]))
			memset(&d->f[0], 0, sizeof(d->f[0]));
	} else {
		for (i = 0; i < XLV_FIELDS_MAX && s->field[i]; i++)
			if (!shape_field(e, s->field[i], &d->f[i]))
				return false;
	}
	for (i = 0; i < XLV_FIELDS_MAX; i++)
		if (d->f[i].kind && (uint32_t)d->f[i].offset + d->f[i].size > d->min_bytes)
			d->min_bytes = (uint32_t)d->f[i].offset + d->f[i].size;
	return true;
}

static void learn_common(struct xlv_kernel *k, struct tep_event *e)
{
	static const char *const names[] = { "common_type", "common_flags", "common_pid" };
	static const int sizes[] = { 2, 1, 4 };
	struct tep_format_field *t[3];
	int i, end, bytes = 0;

	for (i = 0; i < 3; i++) {
		t[i] = tep_find_common_field(e, names[i]);
		if (!t[i] || t[i]->size != sizes[i] || t[i]->offset < 0 || t[i]->offset > 60)
			return;
		end = t[i]->offset + t[i]->size;
		if (end > bytes)
			bytes = end;
	}
	k->common = (struct xlv_common){ t[0]->offset, t[1]->offset, t[2]->offset, bytes };
	k->have_common = true;
}

static int add_decoder(struct xlv_kernel *k, const struct xlv_decoder *d, unsigned int id)
{
	void *p;

	if (k->by_id[id]) {
		k->dec[k->by_id[id] - 1] = *d;
		return 0;
	}
	if (k->nr_dec == 65535)
		return -1;
	p = realloc(k->dec, (k->nr_dec + 1) * sizeof(*k->dec));
	if (!p)
		return -1;
	k->dec = p;
	k->dec[k->nr_dec++] = *d;
	k->by_id[id] = k->nr_dec;
	return 0;
}

int xlv_kernel_add_format(struct xlv_kernel *k, const char *system, const char *text, size_t len)
{
	struct xlv_decoder d = { .type = XLV_EV_OTHER };
	struct xlv_str name_str, id_str;
	char name[NAME_MAX_BYTES];
	struct xlv_event_id which;
	const char *fmt;
	struct tep_event *e;
	unsigned int id, i;

	name_str = header_value(text, len, "name:");
	id_str = header_value(text, len, "ID:");
	if (!name_str.len || !id_str.len || id_str.len > 5)
		return -1;
	for (id = 0, i = 0; i < id_str.len; i++) {
		if (id_str.s[i] < '0' || id_str.s[i] > '9')
			return -1;
		id = id * 10 + (id_str.s[i] - '0');
	}
	if (id > 65535)
		return -1;
	k->nr_formats++;

	which = xlv_kernel_lookup(system, name_str);
	if (!which.type && k->have_common)
		return 0;
	e = len <= FORMAT_MAX_BYTES && safe_name(name_str, name, sizeof(name)) ?
	    parse_event(k, system, name, id, text, len) : NULL;
	if (!e)
		return which.type ? -1 : 0;
	if (!k->have_common)
		learn_common(k, e);
	if (!which.type)
		return 0;

	d.type = which.type;
	d.nr = which.nr;
	d.probe = which.probe;
	if (!learn_fields(&d, e))
		return -1;
	fmt = memmem(text, len, "print fmt:", 10);
	if (fmt && d.type == XLV_EV_SCHED_SWITCH)
		learn_states(k, fmt, text + len);
	if (fmt && shape_of(d.type) == &shape_iclog)
		learn_iclog(&d, fmt, text + len);
	if (shape_of(d.type) == &shape_vector) {
		*strrchr(name, '_') = '\0';
		snprintf(d.name, sizeof(d.name), "%.27s", name);
	}
	return add_decoder(k, &d, id);
}

int xlv_kernel_header_field(struct xlv_kernel *k, const char *text, size_t len,
			    const char *name, struct xlv_field_info *f)
{
	char event[32];
	struct tep_format_field *t;
	struct tep_event *e;

	/* its lines look like those of an event; it gets a name of its own */
	snprintf(event, sizeof(event), "header_page_%d", k->nr_parsed);
	e = len <= FORMAT_MAX_BYTES ? parse_event(k, "header", event, 0, text, len) : NULL;
	t = e ? tep_find_any_field(e, name) : NULL;
	if (!t || t->offset < 0 || t->size < 0)
		return -1;
	f->offset = t->offset;
	f->size = t->size;
	return 0;
}

struct xlv_kernel *xlv_kernel_new(bool big_endian, int long_bytes)
{
	struct xlv_kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->swap = big_endian != XLV_HOST_BIG;
	k->common = (struct xlv_common){ 0, 2, 4, 8 };
	map_states(k, "SDTtXZPI\0\0\0");
	k->tep = tep_alloc();
	if (!k->tep) {
		free(k);
		return NULL;
	}
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(k->tep, long_bytes);
	tep_set_file_bigendian(k->tep, big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(k->tep, XLV_HOST_BIG ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	return k;
}

void xlv_kernel_free(struct xlv_kernel *k)
{
	if (!k)
		return;
	tep_free(k->tep);
	free(k->dec);
	free(k);
}

int xlv_kernel_nr_formats(const struct xlv_kernel *k)
{
	return k->nr_formats;
}

void xlv_kernel_set_symbols(struct xlv_kernel *k, const struct xlv_symbols *s)
{
	k->symbols = s;
	memset(k->cache, 0, sizeof(k->cache));
}

void xlv_kernel_set_cpus(struct xlv_kernel *k, int nr_cpus)
{
	k->nr_cpus = nr_cpus;
}

const struct xlv_common *xlv_kernel_common(const struct xlv_kernel *k)
{
	return &k->common;
}

const struct xlv_decoder *xlv_kernel_decoder(const struct xlv_kernel *k, unsigned int id)
{
	return id < 65536 && k->by_id[id] ? &k->dec[k->by_id[id] - 1] : NULL;
}
