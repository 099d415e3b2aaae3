// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stream of events equals libtracecmd's: id, CPU, time and pid of each, for
 * every buffer of every recording at hand. libtracecmd runs in a process of its
 * own, since it ends in SIGSEGV on files that it doesn't understand.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <trace-cmd.h>

#include "trace/reader.h"
#include "traces.h"

struct item {
	int64_t		ts, missed;
	int32_t		cpu, pid;
	int32_t		id;
};

struct judge {
	FILE	*out;
	struct tep_handle *tep;
};

static int on_event(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *data)
{
	struct judge *j = data;
	struct item it = { 0 };

	(void)handle;
	it.ts = rec->ts;
	it.cpu = cpu;
	it.id = tep_data_type(j->tep, rec);
	it.pid = tep_data_pid(j->tep, rec);
	it.missed = rec->missed_events;
	return fwrite(&it, sizeof(it), 1, j->out) == 1 ? 0 : -1;
}

/* In the child: all events of a buffer to @out. */
static void judge_run(const char *path, const char *buffer, FILE *out)
{
	struct tracecmd_input *h, *b = NULL;
	struct judge j = { .out = out };
	int i;

	if (freopen("/dev/null", "w", stderr) == NULL)
		_exit(3);
	h = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!h)
		_exit(3);
	if (!*buffer)
		b = h;
	else
		for (i = 0; i < tracecmd_buffer_instances(h); i++)
			if (!strcmp(tracecmd_buffer_instance_name(h, i), buffer))
				b = tracecmd_buffer_instance_handle(h, i);
	if (!b)
		_exit(3);
	j.tep = tracecmd_get_tep(b);
	if (tracecmd_iterate_events(b, NULL, 0, on_event, &j) < 0)
		_exit(3);
	fflush(out);
	_exit(0);
}

static struct item *judge(const char *path, const char *buffer, size_t *nr)
{
	struct item *items;
	int status;
	FILE *f;
	pid_t pid;

	f = tmpfile();
	assert_non_null(f);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		judge_run(path, buffer, f);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fclose(f);
		return NULL;
	}
	fseek(f, 0, SEEK_END);
	*nr = ftell(f) / sizeof(*items);
	rewind(f);
	items = malloc((*nr + 1) * sizeof(*items));
	assert_non_null(items);
	assert_int_equal(fread(items, sizeof(*items), *nr, f), *nr);
	fclose(f);
	return items;
}

static void compare(const char *name, const char *path, const char *buffer)
{
	struct xlv_trace_opts opts = { .buffer = buffer };
	int64_t lost = 0;
	struct xlv_error err;
	struct xlv_event ev;
	struct xlv_trace *t;
	struct item *items, *it;
	size_t nr, i;
	int ret;

	items = judge(path, buffer, &nr);
	if (!items) {
		print_message("skipped: libtracecmd can't read %s '%s'\n", name, buffer);
		return;
	}
	t = xlv_trace_open(path, &opts, &err);
	if (!t)
		fail_msg("%s: %s", name, err.text);
	if (!nr && xlv_trace_info(t)->nr_damage) {
		print_message("skipped: libtracecmd reads nothing from the damaged %s\n", name);
		xlv_trace_close(t);
		free(items);
		return;
	}
	for (i = 0; (ret = xlv_trace_next(t, &ev)) > 0; ) {
		if (ev.type == XLV_EV_LOST) {
			lost = ev.lost.count;
			continue;
		}
		if (i == nr)
			fail_msg("%s '%s': more than libtracecmd's %zu events", name, buffer, nr);
		it = &items[i];
		if (it->ts != ev.ts_ns || it->cpu != ev.cpu || it->id != ev.id ||
		    it->pid != ev.pid || it->missed != lost)
			fail_msg("%s '%s': event %zu is (%lld ns, cpu %d, id %d, pid %d, lost "
				 "%lld), libtracecmd says (%lld, %d, %d, %d, %lld)", name, buffer,
				 i, (long long)ev.ts_ns, ev.cpu, ev.id, ev.pid, (long long)lost,
				 (long long)it->ts, it->cpu, it->id, it->pid,
				 (long long)it->missed);
		lost = 0;
		i++;
	}
	assert_int_equal(ret, 0);
	if (i != nr)
		fail_msg("%s '%s': %zu events, libtracecmd has %zu", name, buffer, i, nr);
	print_message("%s '%s': %zu events, %lld lost, %d damaged parts\n", name, buffer, nr,
		      (long long)xlv_trace_info(t)->lost_events, xlv_trace_info(t)->nr_damage);
	xlv_trace_close(t);
	free(items);
}

static void compare_all(int samples)
{
	const char *const *name = traces_list(samples, ".dat");
	struct xlv_trace_info info;
	struct xlv_error err;
	struct xlv_trace *t;
	const char *path;
	int i, n = 0;

	for (; *name; name++, n++) {
		path = samples ? traces_sample(*name) : traces_path(*name);
		assert_non_null(path);
		t = xlv_trace_open(path, NULL, &err);
		if (!t) {
			print_message("skipped: %s\n", err.text);
			continue;
		}
		info = *xlv_trace_info(t);
		for (i = 0; i < info.nr_buffers; i++)
			compare(*name, path, info.buffers[i].name);
		xlv_trace_close(t);
	}
	if (!n) {
		print_message("skipped: no recordings there\n");
		skip();
	}
}

static void samples_read_as_libtracecmd_reads_them(void **state)
{
	(void)state;
	compare_all(1);
}

static void collection_reads_as_libtracecmd_reads_it(void **state)
{
	(void)state;
	compare_all(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_read_as_libtracecmd_reads_them),
		cmocka_unit_test(collection_reads_as_libtracecmd_reads_it),
	};

	return cmocka_run_group_tests_name("trace_same", tests, NULL, NULL);
}
