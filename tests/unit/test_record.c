// SPDX-License-Identifier: GPL-2.0-or-later
/* The recorder's parts that need no tracing. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/eventset.h"
#include "record/sysfile.h"
#include "record/undo.h"
#include "record/workload.h"

static char folder[PATH_MAX];

static int make_folder(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%s/xlogviz-unit.XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static void cpu_lists(void **state)
{
	static const char *const bad[] = { "", "x", "1-", "3-1", "64", "-1", "1;2", "1 2" };
	unsigned char cpus[64];

	(void)state;
	assert_int_equal(xlv_sys_cpu_list("0", cpus, 64), 1);
	assert_int_equal(xlv_sys_cpu_list("0-3,8,62-63", cpus, 64), 7);
	assert_true(cpus[0] && cpus[3] && !cpus[4] && cpus[8] && cpus[62] && cpus[63]);
	assert_int_equal(xlv_sys_cpu_list("1,1-2", cpus, 64), 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(xlv_sys_cpu_list(bad[i], cpus, 64), -1);
}

static void small_files(void **state)
{
	char text[8], path[PATH_MAX + 16];
	FILE *f;

	(void)state;
	assert_int_equal(xlv_sys_read(text, sizeof(text), "%s/none", folder), -ENOENT);
	assert_string_equal(text, "");
	assert_int_equal(xlv_sys_write("x", "%s/none", folder), -ENOENT);
	snprintf(path, sizeof(path), "%s/file", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(xlv_sys_write("12\n", "%s/file", folder), 0);
	assert_int_equal(xlv_sys_append("345678\n", "%s/file", folder), 0);
	assert_int_equal(xlv_sys_read(text, sizeof(text), "%s/file", folder), 7);
	assert_string_equal(text, "12\n3456");
	assert_int_equal(xlv_sys_number(-1, "%s/file", folder), 12);
	assert_int_equal(xlv_sys_number(-1, "%s/none", folder), -1);
}

static void a_process_is_known_by_its_start(void **state)
{
	long long self = xlv_sys_start_time(getpid());
	int status;
	pid_t pid;

	(void)state;
	assert_true(self > 0);
	assert_true(xlv_sys_start_time(1) <= self);
	pid = fork();
	if (!pid)
		_exit(0);
	for (int i = 0; i < 200 && xlv_sys_start_time(pid) >= 0; i++)
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
	assert_int_equal(xlv_sys_start_time(pid), -1);	/* a zombie */
	waitpid(pid, &status, 0);
	assert_int_equal(xlv_sys_start_time(pid), -1);
}

static void commands_are_found_before_anything_is_changed(void **state)
{
	struct xlv_error err;

	(void)state;
	assert_int_equal(xlv_workload_find("sh", &err), 0);
	assert_int_equal(xlv_workload_find("/bin/sh", &err), 0);
	assert_int_equal(xlv_workload_find("no-such-command", &err), 127);
	assert_int_equal(xlv_workload_find("", &err), 127);
	assert_int_equal(xlv_workload_find("/no/such", &err), 127);
	assert_int_equal(xlv_workload_find("/etc/passwd", &err), 126);
	assert_string_equal(err.text, "unable to run '/etc/passwd': Permission denied");
}

static void event_sets_have_names(void **state)
{
	(void)state;
	for (int i = 0; i < XLV_SET_COUNT; i++)
		assert_int_equal(xlv_event_set_parse(xlv_event_set_name(i)), i);
	assert_int_equal(xlv_event_set_parse("most"), -1);
}

static void wait_for_text(const char *path, const char *want)
{
	char text[64];

	for (int i = 0; i < 500; i++) {
		xlv_sys_read(text, sizeof(text), "%s", path);
		if (!strcmp(text, want))
			break;
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
	}
	assert_string_equal(text, want);
}

/* The last change is undone first, so that the first value is what stays. */
static void change_twice(struct xlv_undo *undo, const char *path)
{
	for (int i = 0; i < 2; i++) {
		char old[64];

		xlv_sys_read(old, sizeof(old), "%s", path);
		if (xlv_undo_add(undo, NULL, "write %s %s", path, old))
			_exit(1);
		xlv_sys_write(i ? "second" : "first", "%s", path);
	}
}

static void changes_are_taken_back(void **state)
{
	char path[PATH_MAX + 16];
	struct xlv_error err;
	int status;
	FILE *f;
	pid_t pid;

	(void)state;
	if (mkdir("/run/xlogviz", 0700) && (errno != EEXIST || access("/run/xlogviz", W_OK)))
		skip();
	snprintf(path, sizeof(path), "%s/value", folder);
	f = fopen(path, "w");
	fputs("before", f);
	fclose(f);
	for (int kill_it = 0; kill_it < 2; kill_it++) {
		pid = fork();
		if (!pid) {
			struct xlv_undo *undo = xlv_undo_open(&err);

			if (!undo)
				_exit(1);
			change_twice(undo, path);
			if (kill_it)
				raise(SIGKILL);
			_exit(xlv_undo_close(undo, &err) ? 1 : 0);
		}
		waitpid(pid, &status, 0);
		assert_int_equal(status, kill_it ? SIGKILL : 0);
		wait_for_text(path, "before");
	}
}

static void an_entry_must_be_one_line(void **state)
{
	struct xlv_undo *undo;
	struct xlv_error err;

	(void)state;
	if (mkdir("/run/xlogviz", 0700) && (errno != EEXIST || access("/run/xlogviz", W_OK)))
		skip();
	undo = xlv_undo_open(&err);
	assert_non_null(undo);
	assert_int_equal(xlv_undo_add(undo, &err, "note two\nlines"), -1);
	assert_int_equal(xlv_undo_close(undo, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_lists),
		cmocka_unit_test(small_files),
		cmocka_unit_test(a_process_is_known_by_its_start),
		cmocka_unit_test(commands_are_found_before_anything_is_changed),
		cmocka_unit_test(event_sets_have_names),
		cmocka_unit_test(changes_are_taken_back),
		cmocka_unit_test(an_entry_must_be_one_line),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
