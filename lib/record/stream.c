// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/machine.h"
#include "record/sysfile.h"

enum {
	CPUS_PER_THREAD	= 16,
	SLOW_MS		= 100,
	FAST_MS		= 5,
	FLUSH_MS	= 900,
	PIPE_BYTES	= 1 << 20,
};

struct lane {
	int		cpu;
	int		from, to;	/* trace_pipe_raw, FILE.cpuN */
	int64_t		flushed_ms;
};

struct worker {
	struct xlv_stream *stream;
	pthread_t	thread;
	bool		running;
	int		pipe[2];
	int		pipe_bytes;
	bool		no_splice;
	char		*page;
	struct lane	*lane;
	int		nr;
};

struct xlv_stream {
	struct lane	*lane;
	struct worker	*worker;
	int		nr_lanes, nr_workers;
	size_t		page_bytes;
	int64_t		buffer_bytes;
	char		file[PATH_MAX];
	int		stop_fd;	/* eventfd: readable when it is time to end */
	atomic_int	failed;
	_Atomic int64_t	bytes;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void fail(struct xlv_stream *s, int err)
{
	int none = 0;

	atomic_compare_exchange_strong(&s->failed, &none, err);
}

static bool write_page(struct worker *w, struct lane *l)
{
	size_t done = 0;

	while (done < w->stream->page_bytes) {
		ssize_t n = write(l->to, w->page + done, w->stream->page_bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fail(w->stream, n ? errno : EIO);
			return false;
		}
		done += (size_t)n;
	}
	atomic_fetch_add(&w->stream->bytes, (int64_t)done);
	return true;
}

/* Takes pages by read(), also those that are not full. Returns bytes taken. */
static int64_t take_by_read(struct worker *w, struct lane *l, bool all)
{
	int64_t taken = 0;

	for (;;) {
		ssize_t n = read(l->from, w->page, w->stream->page_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if ((size_t)n < w->stream->page_bytes)
			memset(w->page + n, 0, w->stream->page_bytes - (size_t)n);
		if (!write_page(w, l))
			break;
		taken += n;
		if (!all && taken >= w->stream->buffer_bytes)
			break;
	}
	return taken;
}

static bool pipe_to_file(struct worker *w, struct lane *l, ssize_t left)
{
	while (left > 0) {
		ssize_t n = splice(w->pipe[0], NULL, l->to, NULL, (size_t)left, SPLICE_F_MOVE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fail(w->stream, n ? errno : EIO);
			return false;
		}
		left -= n;
		atomic_fetch_add(&w->stream->bytes, n);
	}
	return true;
}

/* Moves full pages. Returns bytes moved. */
static int64_t take_full(struct worker *w, struct lane *l)
{
	int64_t taken = 0;

	/* A busy CPU must not keep its thread from the others. */
	while (taken < w->stream->buffer_bytes) {
		ssize_t n = splice(l->from, NULL, w->pipe[1], NULL, (size_t)w->pipe_bytes,
				   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EINVAL && !taken)
			w->no_splice = true;
		if (n <= 0)
			break;
		if (!pipe_to_file(w, l, n))
			break;
		taken += n;
	}
	return taken;
}

static void *run(void *arg)
{
	struct worker *w = arg;
	struct xlv_stream *s = w->stream;
	struct pollfd stop = { .fd = s->stop_fd, .events = POLLIN };
	long wait_ms = SLOW_MS;
	bool last = false;

	/* Events are lost while it waits for a CPU: of this thread alone. */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -10);
	while (!atomic_load(&s->failed)) {
		int64_t fullest = 0, now = now_ms();

		for (int i = 0; i < w->nr; i++) {
			struct lane *l = &w->lane[i];
			int64_t taken = w->no_splice ? 0 : take_full(w, l);

			if (taken) {
				l->flushed_ms = now;
			} else if (w->no_splice || now - l->flushed_ms >= FLUSH_MS) {
				taken = take_by_read(w, l, false);
				l->flushed_ms = now;
			}
			if (last)
				take_by_read(w, l, true);
			if (taken > fullest)
				fullest = taken;
		}
		if (last)
			break;
		if (fullest > s->buffer_bytes / 3 && wait_ms > FAST_MS)
			wait_ms = wait_ms / 2 > FAST_MS ? wait_ms / 2 : FAST_MS;
		else if (fullest < s->buffer_bytes / 10 && wait_ms < SLOW_MS)
			wait_ms = wait_ms * 2 < SLOW_MS ? wait_ms * 2 : SLOW_MS;
		last = poll(&stop, 1, (int)wait_ms) > 0;
	}
	return NULL;
}

/* The header tells where a page's data starts and how much of it there is. */
static size_t page_bytes_of(const char *instance)
{
	unsigned int offset, size;
	char text[1024], *p;

	if (xlv_sys_read(text, sizeof(text), "%s/events/header_page", instance) > 0 &&
	    (p = strstr(text, " data;")) &&
	    sscanf(p, " data; offset:%u; size:%u;", &offset, &size) == 2 && size)
		return (size_t)offset + size;
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int open_lane(struct xlv_stream *s, struct lane *l, const char *instance, int cpu,
		     struct xlv_error *err)
{
	char path[PATH_MAX + 64];

	l->cpu = cpu;
	l->to = -1;
	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", instance, cpu);
	l->from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (l->from < 0)
		return xlv_fail(err, "unable to open '%s': %s", path, strerror(errno));
	snprintf(path, sizeof(path), "%s.cpu%d", s->file, cpu);
	l->to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	if (l->to < 0)
		return xlv_fail(err, "unable to write '%s': %s", path, strerror(errno));
	l->flushed_ms = now_ms();
	return 0;
}

static int start_worker(struct xlv_stream *s, struct worker *w, int first, struct xlv_error *err)
{
	sigset_t all, old;
	int ret;

	w->stream = s;
	w->lane = s->lane + first;
	w->nr = s->nr_lanes - first < CPUS_PER_THREAD ? s->nr_lanes - first : CPUS_PER_THREAD;
	w->page = malloc(s->page_bytes);
	if (!w->page)
		return xlv_fail(err, "out of memory");
	if (pipe2(w->pipe, O_CLOEXEC)) {
		w->pipe[0] = w->pipe[1] = -1;
		return xlv_fail(err, "unable to open a pipe: %s", strerror(errno));
	}
	w->pipe_bytes = fcntl(w->pipe[0], F_SETPIPE_SZ, PIPE_BYTES);
	if (w->pipe_bytes < 0)
		w->pipe_bytes = 64 * 1024;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret)
		return xlv_fail(err, "unable to start a thread: %s", strerror(ret));
	w->running = true;
	return 0;
}

static void free_stream(struct xlv_stream *s)
{
	for (int i = 0; i < s->nr_workers; i++) {
		if (s->worker[i].pipe[0] >= 0) {
			close(s->worker[i].pipe[0]);
			close(s->worker[i].pipe[1]);
		}
		free(s->worker[i].page);
	}
	for (int i = 0; i < s->nr_lanes; i++) {
		if (s->lane[i].from >= 0)
			close(s->lane[i].from);
		if (s->lane[i].to >= 0)
			close(s->lane[i].to);
	}
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	free(s->worker);
	free(s->lane);
	free(s);
}

static void join(struct xlv_stream *s)
{
	eventfd_write(s->stop_fd, 1);
	for (int i = 0; i < s->nr_workers; i++)
		if (s->worker[i].running)
			pthread_join(s->worker[i].thread, NULL);
}

struct xlv_stream *xlv_stream_start(const char *instance, const char *file, long buffer_kb,
				    struct xlv_error *err)
{
	int cpus = xlv_machine_cpus();
	struct xlv_stream *s;

	s = calloc(1, sizeof(*s));
	if (!s)
		goto no_memory;
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (s->stop_fd < 0) {
		xlv_fail(err, "unable to open an event descriptor: %s", strerror(errno));
		goto fail;
	}
	snprintf(s->file, sizeof(s->file), "%s", file);
	s->page_bytes = page_bytes_of(instance);
	s->buffer_bytes = buffer_kb * 1024LL;
	s->lane = calloc((size_t)cpus, sizeof(*s->lane));
	s->worker = calloc((size_t)cpus / CPUS_PER_THREAD + 1, sizeof(*s->worker));
	if (!s->lane || !s->worker)
		goto no_memory;
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (!xlv_sys_exists("%s/per_cpu/cpu%d", instance, cpu))
			continue;
		if (open_lane(s, &s->lane[s->nr_lanes++], instance, cpu, err))
			goto fail;
	}
	while (s->nr_workers * CPUS_PER_THREAD < s->nr_lanes) {
		struct worker *w = &s->worker[s->nr_workers++];

		w->pipe[0] = w->pipe[1] = -1;
		if (start_worker(s, w, (s->nr_workers - 1) * CPUS_PER_THREAD, err))
			goto fail;
	}
	return s;

no_memory:
	xlv_fail(err, "out of memory");
fail:
	if (s) {
		join(s);
		free_stream(s);
	}
	return NULL;
}

int64_t xlv_stream_bytes(const struct xlv_stream *s)
{
	return atomic_load(&s->bytes);
}

int xlv_stream_failed(const struct xlv_stream *s)
{
	return atomic_load(&s->failed);
}

int xlv_stream_stop(struct xlv_stream *s, struct xlv_error *err)
{
	int failed;

	join(s);
	failed = atomic_load(&s->failed);
	if (failed)
		xlv_fail(err, "unable to write '%s.cpuN': %s", s->file, strerror(failed));
	free_stream(s);
	return failed ? -1 : 0;
}
