// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels differ; events don't. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/kernel.h"
#include "trace/reader.h"

static struct xlv_str text(const char *s)
{
	return (struct xlv_str){ .s = s, .len = strlen(s) };
}

#define COMMON									\
	"format:\n"								\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static struct xlv_kernel *kernel(void)
{
	struct xlv_kernel *k = xlv_kernel_new(false, 8);

	assert_non_null(k);
	xlv_kernel_set_cpus(k, 4);
	return k;
}

static int learn(struct xlv_kernel *k, const char *system, const char *format)
{
	return xlv_kernel_add_format(k, system, format, strlen(format));
}

/* Decode one record of event @id. */
static bool decode(struct xlv_kernel *k, int id, const void *rec, uint32_t len,
		   struct xlv_event *ev)
{
	static uint8_t copy[1024 + XLV_RECORD_SLACK];
	const struct xlv_decoder *d = xlv_kernel_decoder(k, id);

	assert_true(len <= 1024);
	memset(ev, 0, sizeof(*ev));
	if (!d || len < d->min_bytes)
		return false;
	ev->type = d->type;
	ev->probe = d->probe;
	memcpy(copy, rec, len);
	d->decode(k, d, copy, len, ev);
	return true;
}

#define SWITCH_FIELDS								\
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"		\
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"		\
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"		\
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"		\
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:1;\n"	\
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"		\
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
#define SWITCH(fmt)	"name: sched_switch\nID: 300\n" COMMON SWITCH_FIELDS	\
	"print fmt: \"prev_state=%s%s\", " fmt ", REC->next_comm\n"

/* The states as three generations of kernels declare them. */
#define STATES_4_13	"REC->prev_state & (2048-1) ? __print_flags(REC->prev_state & "	\
	"(2048-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, "	\
	"{ 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\"}, { 256, \"W\" }, "	\
	"{ 512, \"P\" }, { 1024, \"N\" }) : \"R\", REC->prev_state & 2048 ? \"+\" : \"\""
#define STATES_4_14	"(REC->prev_state & 0x7f) ? __print_flags(REC->prev_state & 0x7f, "\
	"\"|\", { 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }, { 0x08, \"t\" }, "	\
	"{ 0x10, \"X\" }, { 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", "	\
	"REC->prev_state & 0x100 ? \"+\" : \"\""
#define STATES_7_2	"(REC->prev_state & ((((0x00000000 | 0x00000001) + 1) << 1) - 1)) "	\
	"? __print_flags(REC->prev_state & 0xff, \"|\", { 0x00000001, \"S\" }, "	\
	"{ 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "		\
	"{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, "		\
	"{ 0x00000080, \"I\" }) : \"R\""

static void task_states_follow_the_format(void **state)
{
	static const struct {
		const char	*format;
		uint64_t	state;
		int		is;
	} cases[] = {
		{ SWITCH(STATES_4_13), 0, XLV_TASK_RUNNABLE },
		{ SWITCH(STATES_4_13), 1, XLV_TASK_SLEEP },
		{ SWITCH(STATES_4_13), 2, XLV_TASK_BLOCKED },
		{ SWITCH(STATES_4_13), 2 | 128, XLV_TASK_BLOCKED },	/* killable */
		{ SWITCH(STATES_4_13), 2 | 1024, XLV_TASK_IDLE },	/* no load: idle */
		{ SWITCH(STATES_4_13), 16, XLV_TASK_DEAD },
		{ SWITCH(STATES_4_13), 2048, XLV_TASK_RUNNABLE },
		{ SWITCH(STATES_4_13), 2048 | 1, XLV_TASK_RUNNABLE },	/* preempted on its way */
		{ SWITCH(STATES_4_14), 2, XLV_TASK_BLOCKED },
		{ SWITCH(STATES_4_14), 0x80, XLV_TASK_IDLE },
		{ SWITCH(STATES_4_14), 0x10, XLV_TASK_DEAD },
		{ SWITCH(STATES_4_14), 0x40, XLV_TASK_STOPPED },
		{ SWITCH(STATES_4_14), 0x100, XLV_TASK_RUNNABLE },
		{ SWITCH(STATES_4_14), 0x1000, XLV_TASK_RUNNABLE },
		{ SWITCH(STATES_7_2), 0x80, XLV_TASK_IDLE },
		{ SWITCH(STATES_7_2), 4, XLV_TASK_STOPPED },
		{ SWITCH("0"), 2, XLV_TASK_BLOCKED },		/* no table: as since 4.14 */
		{ SWITCH("0"), 0x80, XLV_TASK_IDLE },
	};
	uint8_t rec[64] = { 0 };
	struct xlv_event ev;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xlv_kernel *k = kernel();

		assert_int_equal(learn(k, "sched", cases[i].format), 0);
		memcpy(rec + 32, &cases[i].state, 8);
		assert_true(decode(k, 300, rec, sizeof(rec), &ev));
		if (ev.sw.prev_state != cases[i].is)
			fail_msg("case %u: state %#llx reads as %d", i,
				 (unsigned long long)cases[i].state, ev.sw.prev_state);
		xlv_kernel_free(k);
	}
}

static void short_records_are_not_decoded(void **state)
{
	struct xlv_kernel *k = kernel();
	uint8_t rec[64] = { 0 };
	struct xlv_event ev;

	(void)state;
	assert_int_equal(learn(k, "sched", SWITCH(STATES_7_2)), 0);
	assert_false(decode(k, 300, rec, 63, &ev));
	assert_true(decode(k, 300, rec, 64, &ev));
	xlv_kernel_free(k);
}

#define ICLOG(fields, fmt)	"name: xlog_iclog_syncing\nID: 301\n" COMMON		\
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"				\
	"\tfield:uint32_t state;\toffset:12;\tsize:4;\tsigned:0;\n"			\
	"\tfield:unsigned long long lsn;\toffset:16;\tsize:8;\tsigned:0;\n" fields	\
	"\nprint fmt: \"%s %s\", " fmt "\n"
#define FLAGS		"\tfield:uint32_t flags;\toffset:24;\tsize:4;\tsigned:0;\n"

static void iclog_states_and_flags_follow_the_format(void **state)
{
	static const char *const with_flags =
		ICLOG(FLAGS, "__print_symbolic(REC->state, { 0, \"XLOG_STATE_ACTIVE\" }, "
		      "{ 2, \"XLOG_STATE_DIRTY\" }, { 7, \"XLOG_STATE_NEW\" }), "
		      "__print_flags(REC->flags, \"|\", { (1u << 2), \"XLOG_ICL_NEED_FLUSH\" }, "
		      "{ 0x1, \"XLOG_ICL_NEED_FUA\" })");
	/* enums that the kernel left unresolved come in their order */
	static const char *const by_order =
		ICLOG("", "__print_symbolic(REC->state, { XLOG_STATE_ACTIVE, "
		      "\"XLOG_STATE_ACTIVE\" }, { XLOG_STATE_WANT_SYNC, "
		      "\"XLOG_STATE_WANT_SYNC\" }, { XLOG_STATE_SYNCING, "
		      "\"XLOG_STATE_SYNCING\" })");
	uint8_t rec[28] = { 0 };
	struct xlv_event ev;
	struct xlv_kernel *k;

	(void)state;
	k = kernel();
	assert_int_equal(learn(k, "xfs", with_flags), 0);
	rec[12] = 2;
	rec[24] = 4;
	assert_true(decode(k, 301, rec, sizeof(rec), &ev));
	assert_int_equal(ev.type, XLV_EV_ICLOG_SYNCING);
	assert_int_equal(ev.iclog.state, XLV_ICLOG_DIRTY);
	assert_int_equal(ev.iclog.flags, XLV_ICL_NEED_FLUSH);
	rec[12] = 7;
	rec[24] = 5;
	assert_true(decode(k, 301, rec, sizeof(rec), &ev));
	assert_int_equal(ev.iclog.state, XLV_ICLOG_UNKNOWN);
	assert_int_equal(ev.iclog.flags, XLV_ICL_NEED_FLUSH | XLV_ICL_NEED_FUA);
	rec[12] = 255;
	assert_true(decode(k, 301, rec, sizeof(rec), &ev));
	assert_int_equal(ev.iclog.state, XLV_ICLOG_UNKNOWN);
	xlv_kernel_free(k);

	k = kernel();
	assert_int_equal(learn(k, "xfs", by_order), 0);
	rec[12] = 2;
	assert_true(decode(k, 301, rec, sizeof(rec), &ev));
	assert_int_equal(ev.iclog.state, XLV_ICLOG_SYNCING);
	assert_int_equal(ev.iclog.flags, XLV_ICL_FLAGS_UNKNOWN);
	xlv_kernel_free(k);
}

static void names_of_events_are_known(void **state)
{
	static const struct {
		const char	*system, *name;
		int		type, nr, probe;
	} names[] = {
		{ "sched", "sched_waking", XLV_EV_SCHED_WAKING, 0, 0 },
		{ "xfs", "xlog_force_enter", XLV_EV_FORCE_ENTER, 0, 0 },
		{ "xlogviz", "force_enter", XLV_EV_FORCE_ENTER, 0, 1 },
		{ "xlogviz", "wait_exit", XLV_EV_FORCE_WAIT_EXIT, 0, 1 },
		{ "xlogviz", "sync_enter", XLV_EV_PROBE_SYNC_ENTER, 0, 1 },
		{ "kprobes", "force_enter", XLV_EV_OTHER, 0, 0 },
		{ "irq_vectors", "local_timer_entry", XLV_EV_VECTOR_ENTRY, 1, 0 },
		{ "irq_vectors", "reschedule_exit", XLV_EV_VECTOR_EXIT, 0, 0 },
		{ "foo", "bar_entry", XLV_EV_OTHER, 0, 0 },
		{ NULL, "call_function_single_entry", XLV_EV_VECTOR_ENTRY, 0, 0 },
		{ NULL, "irq_handler_entry", XLV_EV_IRQ_ENTRY, 0, 0 },
		{ "syscalls", "sys_enter_pwritev2", XLV_EV_SYS_ENTER, XLV_SYS_PWRITEV2, 0 },
		{ "syscalls", "sys_exit_sync_file_range2", XLV_EV_SYS_EXIT,
		  XLV_SYS_SYNC_FILE_RANGE, 0 },
		{ "syscalls", "sys_enter_open", XLV_EV_SYS_ENTER, XLV_SYS_OTHER, 0 },
		{ "ftrace", "print", XLV_EV_MARK, 0, 0 },
		{ "ftrace", "kernel_stack", XLV_EV_OTHER, 0, 0 },
	};
	struct xlv_event_id id;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		id = xlv_kernel_lookup(names[i].system, text(names[i].name));
		if (id.type != names[i].type || id.nr != names[i].nr || id.probe != names[i].probe)
			fail_msg("%s reads as %s", names[i].name, xlv_event_name(id.type));
	}
}

static void probes_need_no_fields(void **state)
{
	static const char bare[] = "name: wait_enter\nID: 302\n" COMMON
		"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"(%lx)\", REC->__probe_ip\n";
	static const char full[] = "name: force_exit\nID: 303\n" COMMON
		"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:u32 dev;\toffset:24;\tsize:4;\tsigned:0;\n"
		"\tfield:u64 key;\toffset:28;\tsize:8;\tsigned:0;\n"
		"\tfield:s32 val;\toffset:36;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"(%lx <- %lx)\", REC->__probe_func, REC->__probe_ret_ip\n";
	struct xlv_kernel *k = kernel();
	const int32_t minus_five = -5;
	uint8_t rec[40] = { 0 };
	struct xlv_event ev;

	(void)state;
	assert_int_equal(learn(k, "xlogviz", bare), 0);
	assert_int_equal(learn(k, "xlogviz", full), 0);
	memset(rec + 8, 0xff, 16);
	assert_true(decode(k, 302, rec, 16, &ev));
	assert_int_equal(ev.type, XLV_EV_FORCE_WAIT_ENTER);
	assert_int_equal(ev.probe, 1);
	assert_int_equal(ev.span.dev, 0);
	assert_int_equal(ev.span.key, 0);
	rec[24] = 1;
	rec[28] = 0x15;
	memcpy(rec + 36, &minus_five, 4);
	assert_true(decode(k, 303, rec, 40, &ev));
	assert_int_equal(ev.span.dev, 1);
	assert_int_equal(ev.span.key, 0x15);
	assert_int_equal(ev.span.val, -5);
	xlv_kernel_free(k);
}

static void wakeups_with_and_without_success(void **state)
{
	static const char old[] = "name: sched_wakeup\nID: 304\n" COMMON
		"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		"\tfield:int success;\toffset:32;\tsize:4;\tsigned:1;\n"
		"\tfield:int target_cpu;\toffset:36;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%d\", REC->pid\n";
	struct xlv_kernel *k = kernel();
	uint8_t rec[40] = { 0 };
	struct xlv_event ev;

	(void)state;
	assert_int_equal(learn(k, "sched", old), 0);
	memcpy(rec + 8, "0123456789abcdef", 16);	/* a name that fills its field */
	rec[24] = 7;
	rec[32] = 1;
	rec[36] = 3;
	assert_true(decode(k, 304, rec, 40, &ev));
	assert_int_equal(ev.wake.comm.len, 16);
	assert_int_equal(ev.wake.pid, 7);
	assert_int_equal(ev.wake.target_cpu, 3);
	xlv_kernel_free(k);
}

/* A __data_loc that points outside its record gives nothing. */
static void strings_outside_the_record_are_empty(void **state)
{
	static const char format[] = "name: sched_migrate_task\nID: 305\n" COMMON
		"\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
		"\tfield:int prio;\toffset:16;\tsize:4;\tsigned:1;\n"
		"\tfield:int orig_cpu;\toffset:20;\tsize:4;\tsigned:1;\n"
		"\tfield:int dest_cpu;\toffset:24;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%s\", __get_str(comm)\n";
	struct xlv_kernel *k = kernel();
	uint8_t rec[36] = { 0 };
	struct xlv_event ev;
	uint32_t loc;

	(void)state;
	assert_int_equal(learn(k, "sched", format), 0);
	memcpy(rec + 28, "name\0xyz", 8);
	loc = 5 << 16 | 28;
	memcpy(rec + 8, &loc, 4);
	assert_true(decode(k, 305, rec, sizeof(rec), &ev));
	assert_true(xlv_str_eq(ev.migrate.comm, "name"));
	loc = 100u << 16 | 33;		/* longer than the record */
	memcpy(rec + 8, &loc, 4);
	assert_true(decode(k, 305, rec, sizeof(rec), &ev));
	assert_true(xlv_str_eq(ev.migrate.comm, "xyz"));
	loc = 5u << 16 | 4000;
	memcpy(rec + 8, &loc, 4);
	assert_true(decode(k, 305, rec, sizeof(rec), &ev));
	assert_int_equal(ev.migrate.comm.len, 0);
	xlv_kernel_free(k);
}

static void formats_that_make_no_sense_are_refused(void **state)
{
	static const char *const formats[] = {
		"", "name: sched_switch\n", "ID: 5\nname: sched_switch\n",
		"name: sched_switch\nID: 70000\nformat:\n",
		"name: sched_switch\nID: -1\nformat:\n",
		"name: sched_switch\nID: 5\nformat:\n\tfield:char x;\n",
		/* a field too far out, one of an odd size, one that must be there */
		"name: sched_wakeup\nID: 5\n" COMMON
		"\tfield:pid_t pid;\toffset:99999;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
		"name: sched_wakeup\nID: 5\n" COMMON
		"\tfield:pid_t pid;\toffset:8;\tsize:3;\tsigned:1;\n\nprint fmt: \"\"\n",
		"name: sched_wakeup\nID: 5\n" COMMON
		"\tfield:pid_t other;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
	};
	struct xlv_kernel *k = kernel();
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (learn(k, "sched", formats[i]) != -1)
			fail_msg("format %u is taken", i);
	assert_null(xlv_kernel_decoder(k, 5));
	xlv_kernel_free(k);
}

static void block_letters_are_read(void **state)
{
	static const struct {
		const char	*letters;
		unsigned int	nr, rw;
	} cases[] = {
		{ "WS", 8, XLV_RW_WRITE | XLV_RW_SYNC },
		{ "R", 8, XLV_RW_READ },
		{ "RA", 8, XLV_RW_READ | XLV_RW_AHEAD },
		{ "WFSM", 8, XLV_RW_WRITE | XLV_RW_FUA | XLV_RW_SYNC | XLV_RW_META },
		{ "FWFSM", 8, XLV_RW_PREFLUSH | XLV_RW_WRITE | XLV_RW_FUA | XLV_RW_SYNC |
			      XLV_RW_META },
		{ "FWS", 0, XLV_RW_PREFLUSH | XLV_RW_WRITE | XLV_RW_SYNC | XLV_RW_FLUSH },
		{ "FF", 0, XLV_RW_PREFLUSH | XLV_RW_FLUSH },
		{ "F", 0, XLV_RW_PREFLUSH | XLV_RW_FLUSH },
		{ "DS", 8, XLV_RW_DISCARD | XLV_RW_SYNC },
		{ "DE", 8, XLV_RW_DISCARD },
		{ "N", 0, 0 },
		{ "", 0, 0 },
	};
	unsigned int i, rw;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rw = xlv_kernel_rwbs(text(cases[i].letters), cases[i].nr);
		if (rw != cases[i].rw)
			fail_msg("'%s' reads as %#x", cases[i].letters, rw);
	}
}

static void functions_are_known_by_any_of_their_names(void **state)
{
	static const struct {
		const char	*name;
		int		func;
	} funcs[] = {
		{ "xlog_cil_push_work", XLV_FN_CIL_PUSH }, { "xlog_ioend_work", XLV_FN_IOEND },
		{ "xfs_buf_ioend_work", XLV_FN_IOEND_BUF }, { "xfs_file_fsync", XLV_FN_FILE_FSYNC },
		{ "xfs_fsync_flush_log.isra.0", XLV_FN_FILE_FSYNC },
		{ "xfs_file_fsync.cold", XLV_FN_FILE_FSYNC },
		{ "xfs_log_force_lsn", XLV_FN_FORCE_SEQ },
		{ "xfs_log_force_seq", XLV_FN_FORCE_SEQ },
		{ "xfs_log_force", XLV_FN_LOG_FORCE }, { "xfsaild", XLV_FN_AIL },
		{ "dio_aio_complete_work", XLV_FN_DIO_COMPLETE }, { "", XLV_FN_UNKNOWN },
		{ "something_else", XLV_FN_OTHER }, { ".hidden", XLV_FN_OTHER },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++)
		assert_int_equal(xlv_kernel_func(text(funcs[i].name)), funcs[i].func);
}

static void symbols_of_a_cut_down_list(void **state)
{
	static const char kallsyms[] =
		"ffffffffc0100000 t xfs_file_fsync\t[xfs]\n"
		"ffffffffc0200000 T xfs_log_force_seq\t[xfs]\n"
		"0000000000000000 A fixed_percpu_data\n"
		"ffffffff81000000 D some_data\n"
		"broken line\n"
		"ffffffffc0100000 t xfs_alias\t[xfs]\r\n"
		"ffffffff81100000 W weak_function";
	struct xlv_symbols *s = xlv_symbols_parse(kallsyms, strlen(kallsyms));

	(void)state;
	assert_non_null(s);
	/* a work item's function only by its exact address */
	assert_true(xlv_str_eq(xlv_symbols_exact(s, 0xffffffffc0100000), "xfs_file_fsync"));
	assert_int_equal(xlv_symbols_exact(s, 0xffffffffc0100001).len, 0);
	assert_int_equal(xlv_symbols_exact(s, 0xffffffff81000000).len, 0);
	assert_true(xlv_str_eq(xlv_symbols_exact(s, 0xffffffff81100000), "weak_function"));
	/* a caller by the nearest below, if near enough to be in it */
	assert_true(xlv_str_eq(xlv_symbols_caller(s, 0xffffffffc0100174), "xfs_file_fsync"));
	assert_true(xlv_str_eq(xlv_symbols_caller(s, 0xffffffffc0200000), "xfs_log_force_seq"));
	assert_int_equal(xlv_symbols_caller(s, 0xffffffffc0180000).len, 0);
	assert_int_equal(xlv_symbols_caller(s, 5).len, 0);
	xlv_symbols_free(s);

	assert_null(xlv_symbols_parse("", 0));
	assert_null(xlv_symbols_parse("nothing here\n", 13));
	assert_int_equal(xlv_symbols_exact(NULL, 5).len, 0);
}

static void clocks_of_ticks_are_known(void **state)
{
	(void)state;
	assert_true(xlv_kernel_clock_ticks("x86-tsc"));
	assert_true(xlv_kernel_clock_ticks("counter"));
	assert_false(xlv_kernel_clock_ticks("mono"));
	assert_false(xlv_kernel_clock_ticks("local"));
	assert_false(xlv_kernel_clock_ticks(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(task_states_follow_the_format),
		cmocka_unit_test(short_records_are_not_decoded),
		cmocka_unit_test(iclog_states_and_flags_follow_the_format),
		cmocka_unit_test(names_of_events_are_known),
		cmocka_unit_test(probes_need_no_fields),
		cmocka_unit_test(wakeups_with_and_without_success),
		cmocka_unit_test(strings_outside_the_record_are_empty),
		cmocka_unit_test(formats_that_make_no_sense_are_refused),
		cmocka_unit_test(block_letters_are_read),
		cmocka_unit_test(functions_are_known_by_any_of_their_names),
		cmocka_unit_test(symbols_of_a_cut_down_list),
		cmocka_unit_test(clocks_of_ticks_are_known),
	};

	return cmocka_run_group_tests_name("trace_kernel", tests, NULL, NULL);
}
