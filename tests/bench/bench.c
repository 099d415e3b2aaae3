// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast a report is, against libtracecmd's loop over the same file with a
 * callback that does nothing, in the same run.
 *
 *	bench [-e EVENTS] [-x XLOGVIZ] [-k] SAMPLE
 *
 * SAMPLE is a version 6 recording; what it holds is repeated, each time later,
 * until there are EVENTS events, and again for a tenth of that. Times are CPU
 * times, the least of several rounds in which all take turns; memory is what the
 * process has for itself.
 * Exit status 1 says that a limit was missed. -k keeps the files.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <trace-cmd.h>

#include "trace/bytes.h"
#include "trace/container.h"
#include "trace/reader.h"

#define ROUNDS		7
#define RATIO_MAX	1.5
#define SCALING_MAX	10.5
#define MEMORY_KIB	(32l << 10)
#define SYNC_KIB	2l
#define GAP_NS		1000000

static const char self[] = "/proc/self/exe";
static const char *xlogviz;

static void die(const char *what, const char *which)
{
	fprintf(stderr, "bench: %s '%s': %s\n", what, which, strerror(errno));
	exit(2);
}

/* --- the big recording --- */

static void put(uint8_t *p, uint64_t v, unsigned int size, bool big)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = v >> 8 * i;
}

/* Where an event keeps what must not come twice: a journal's LSN, a CIL's sequence. */
struct serial {
	uint16_t	offset;		/* 0: not in this event */
	uint64_t	step;		/* from one repetition to the next */
};

static struct serial serial_of[65536];

/* The recorder's notes, which come once in a recording: in repetitions they are anybody's. */
static uint16_t mark_id, mark_offset;
static const char note[] = "xlogviz-meta ";

static void find_serials(const char *sample)
{
	struct tracecmd_input *h = tracecmd_open(sample, TRACECMD_FL_LOAD_NO_PLUGINS);
	struct tep_format_field *f;
	struct tep_handle *tep;
	struct tep_event *e;
	int i, n;

	if (!h)
		die("libtracecmd can't read", sample);
	tep = tracecmd_get_tep(h);
	n = tep_get_events_count(tep);
	for (i = 0; i < n; i++) {
		e = tep_get_event(tep, i);
		f = e && !strcmp(e->system, "xfs") && e->id < 65536 ?
		    tep_find_field(e, "lsn") : NULL;
		if (!f || f->size != 8)
			continue;
		serial_of[e->id].offset = f->offset;
		/* an LSN's upper half counts how often the log went round */
		serial_of[e->id].step = !strcmp(e->name, "xfs_log_force") ? 1000000 : 1ull << 40;
	}
	e = tep_find_event_by_name(tep, "ftrace", "print");
	f = e ? tep_find_field(e, "buf") : NULL;
	if (f) {
		mark_id = e->id;
		mark_offset = f->offset;
	}
	tracecmd_close(h);
}

/* An absolute time among the events: 27 bits beside the type, 32 behind it. */
static void shift_stamp(const struct xlv_container *c, uint8_t *p, uint64_t shift)
{
	bool swap = c->big_endian != XLV_HOST_BIG;
	uint32_t h = xlv_get32(p, swap), low = (1u << 27) - 1;
	uint64_t ts = (uint64_t)xlv_get32(p + 4, swap) << 27;

	ts += (c->big_endian ? h & low : h >> 5) + shift;
	put(p, c->big_endian ? 31u << 27 | (ts & low) : (ts & low) << 5 | 31, 4, c->big_endian);
	put(p + 4, ts >> 27, 4, c->big_endian);
}

/* Give the events of a sub-buffer the serials and times of repetition @n. */
static void renew(const struct xlv_container *c, uint8_t *p, uint8_t *end, long n,
		  uint64_t shift)
{
	bool swap = c->big_endian != XLV_HOST_BIG;
	const struct serial *s;
	uint32_t h, type, len;
	uint8_t *rec;
	uint64_t v;

	for (; end - p >= 8; p = rec + len) {
		h = xlv_get32(p, swap);
		type = c->big_endian ? h >> 27 : h & 31;
		rec = p + 4;
		len = type * 4;
		if (!type || type == 29) {
			len = xlv_get32(rec, swap);
			rec += type ? 0 : 4;
			len -= type ? 0 : 4;
		} else if (type > 29) {
			len = 4;
			if (type == 31)
				shift_stamp(c, p, shift);
		}
		if (len > end - rec)
			return;
		if (n && type < 29 && mark_offset && xlv_get16(rec, swap) == mark_id &&
		    len > mark_offset + sizeof(note) &&
		    !memcmp(rec + mark_offset, note, sizeof(note) - 1))
			rec[mark_offset] = '-';
		s = &serial_of[xlv_get16(rec, swap)];
		if (type >= 29 || !s->offset || s->offset + 8u > len)
			continue;
		v = xlv_get64(rec + s->offset, swap);
		if (v)
			put(rec + s->offset, v + n * s->step, 8, c->big_endian);
	}
}

/*
 * A sub-buffer, later by @shift. The first of each repetition says that events
 * are missing before it: what was going on at the end of the last isn't what
 * goes on at the start of this.
 */
static void copy_page(const struct xlv_container *c, const uint8_t *page, long n,
		      uint64_t shift, bool first, uint32_t len, FILE *f)
{
	const struct xlv_page_layout *l = &c->layout;
	bool swap = c->big_endian != XLV_HOST_BIG;
	uint8_t *copy = malloc(len);
	uint64_t commit, used;

	if (!copy)
		die("no memory for", "a sub-buffer");
	memcpy(copy, page, len);
	put(copy, xlv_get64(page, swap) + shift, 8, c->big_endian);
	commit = xlv_get(page + l->commit_offset, l->commit_size, swap);
	used = commit & 0x7ffffff;
	if (used <= len - l->data_offset)
		renew(c, copy + l->data_offset, copy + l->data_offset + used, n, shift);
	if (n && first && commit)
		put(copy + l->commit_offset, commit | (uint64_t)(int64_t)INT32_MIN,
		    l->commit_size, c->big_endian);
	fwrite(copy, 1, len, f);
	free(copy);
}

/* Write @sample's data @times over; the headers stay as they are. */
static void repeat(const uint8_t *image, size_t len, const struct xlv_container *c, int64_t span,
		   long times, const char *out)
{
	const struct xlv_buffer *b = &c->buffer[0];
	uint64_t first = len, at;
	uint8_t *head, *table;
	uint64_t off;
	const uint8_t *p;
	FILE *f;
	long n;
	int i;

	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpu[i].size && b->cpu[i].offset < first)
			first = b->cpu[i].offset;
	head = malloc(first);
	if (!head)
		die("no memory for", out);
	memcpy(head, image, first);
	/* the table of offsets and sizes is the last thing before the data */
	table = memmem(head, first, "flyrecord", 10);
	if (!table)
		die("no CPU table in", out);
	table += 10;
	at = first;
	for (i = 0; i < b->nr_cpus; i++) {
		put(table + 16 * i, at, 8, c->big_endian);
		put(table + 16 * i + 8, b->cpu[i].size * times, 8, c->big_endian);
		at += b->cpu[i].size * times;
	}
	f = fopen(out, "wb");
	if (!f)
		die("unable to write", out);
	fwrite(head, 1, first, f);
	for (i = 0; i < b->nr_cpus; i++)
		for (n = 0; n < times; n++)
			for (off = 0; off < b->cpu[i].size; off += b->subbuf_bytes) {
				p = image + b->cpu[i].offset + off;
				copy_page(c, p, n, n * (span + GAP_NS), !off, b->subbuf_bytes, f);
			}
	if (ferror(f) || fclose(f))
		die("unable to write", out);
	free(head);
}

static uint8_t *read_file(const char *path, size_t *len)
{
	struct stat st;
	uint8_t *p;
	FILE *f;

	f = fopen(path, "rb");
	if (!f || fstat(fileno(f), &st))
		die("unable to open", path);
	*len = st.st_size;
	p = malloc(*len);
	if (!p || fread(p, 1, *len, f) != *len)
		die("unable to read", path);
	fclose(f);
	return p;
}

static void make_big(const char *sample, long events, const char *out)
{
	struct xlv_damage_list damage = { .nr = 0 };
	const struct xlv_trace_info *info;
	struct xlv_container *c;
	struct xlv_error err;
	struct xlv_trace *t;
	struct xlv_event ev;
	uint8_t *image;
	size_t len;
	FILE *f;

	t = xlv_trace_open(sample, NULL, &err);
	if (!t) {
		fprintf(stderr, "bench: %s\n", err.text);
		exit(2);
	}
	while (xlv_trace_next(t, &ev) > 0)
		;
	info = xlv_trace_info(t);
	if (info->version != 6 || info->nr_buffers != 1 || info->nr_damage || !info->events) {
		fprintf(stderr, "bench: '%s' is no intact recording of version 6 with one "
			"buffer\n", sample);
		exit(2);
	}
	f = fopen(sample, "rb");
	if (!f)
		die("unable to open", sample);
	c = xlv_container_open(sample, dup(fileno(f)), &damage, &err);
	fclose(f);
	if (!c)
		exit(2);
	image = read_file(sample, &len);
	find_serials(sample);
	repeat(image, len, c, info->end_ns - info->start_ns,
	       (events + info->events - 1) / info->events, out);
	free(image);
	xlv_container_close(c);
	xlv_trace_close(t);
}

/* --- what is measured, each in a process of its own --- */

static int nothing(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *data)
{
	(void)handle;
	(void)rec;
	(void)cpu;
	++*(long *)data;
	return 0;
}

static int run_judge(const char *path)
{
	struct tracecmd_input *h = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	long n = 0;

	if (!h || tracecmd_iterate_events(h, NULL, 0, nothing, &n) < 0)
		return 1;
	printf("%ld\n", n);
	return 0;
}

static int run_reader(const char *path)
{
	struct xlv_error err;
	struct xlv_event ev;
	struct xlv_trace *t;
	long n = 0;

	t = xlv_trace_open(path, NULL, &err);
	if (!t)
		return 1;
	while (xlv_trace_next(t, &ev) > 0)
		n += ev.type != XLV_EV_LOST;
	printf("%ld\n", n);
	xlv_trace_close(t);
	return 0;
}

/* Memory that only this process has, in KiB. */
static long private_kib(pid_t pid)
{
	char path[64], line[256];
	long v, sum = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Private_Clean: %ld", &v) == 1 ||
		    sscanf(line, "Private_Dirty: %ld", &v) == 1)
			sum += v;
	fclose(f);
	return sum;
}

/* One thing that is measured. */
struct job {
	const char	*argv[4];
	double		s;		/* CPU time, the least of all rounds */
};

/* Run it; @kib: look at its private memory meanwhile, which takes time itself. */
static double run(const struct job *job, long *kib)
{
	struct timespec pause = { .tv_nsec = 5000000 };
	struct rusage ru;
	pid_t pid, done;
	int status;
	long now;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(2);
		execv(job->argv[0], (char *const *)job->argv);
		_exit(2);
	}
	while (!(done = wait4(pid, &status, kib ? WNOHANG : 0, &ru))) {
		now = private_kib(pid);
		if (now > *kib)
			*kib = now;
		nanosleep(&pause, NULL);
	}
	if (done != pid || !WIFEXITED(status) ||
	    (WEXITSTATUS(status) && WEXITSTATUS(status) != 3)) {
		errno = 0;
		die("a measured program failed:", job->argv[0]);
	}
	return ru.ru_utime.tv_sec + ru.ru_stime.tv_sec +
	       (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}

/* In turns, so that a machine that is slow for a while is so for all. */
static void measure(struct job *jobs, int nr)
{
	int round, i;
	double s;

	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < nr; i++) {
			s = run(&jobs[i], NULL);
			if (!round || s < jobs[i].s)
				jobs[i].s = s;
		}
}

static long count_syncs(const char *path)
{
	char cmd[8192], *p, *line = NULL;
	size_t cap = 0;
	long n = -1;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "'%s' report --json - '%s' 2>/dev/null", xlogviz, path);
	f = popen(cmd, "r");
	while (f && n < 0 && getline(&line, &cap, f) > 0) {
		p = strstr(line, "\"counts\"");
		p = strstr(p ? p : line, "\"syncs\":");
		if (p && (p[8] == ' ' || (p[8] >= '0' && p[8] <= '9')))
			n = strtol(p + 8, NULL, 10);
	}
	if (f)
		pclose(f);
	free(line);
	return n;
}

static void tell(const char *what, const struct job *job, long events)
{
	printf("%-44s %8.3f s  %6.1f million/s\n", what, job->s, events / job->s / 1e6);
}

static bool judge(const char *what, double v, double max)
{
	printf("%-44s %8.2f   (at most %.1f) %s\n", what, v, max, v <= max ? "ok" : "MISSED");
	return v <= max;
}

int main(int argc, char **argv)
{
	char big[4096], small[4096];
	const char *tmp = getenv("TMPDIR");
	struct job jobs[] = {
		{ .argv = { self, "--judge", big } }, { .argv = { self, "--reader", big } },
		{ .argv = { self, "--reader", small } }, { .argv = { NULL, "report", big } },
		{ .argv = { NULL, "report", small } },
	}, *judge_job = &jobs[0], *reader = &jobs[1], *reader_small = &jobs[2],
	   *report = &jobs[3], *report_small = &jobs[4];
	long events = 3000000, kib = 0, syncs;
	bool keep = false, ok = true;
	int opt;

	if (argc == 3 && !strcmp(argv[1], "--judge"))
		return run_judge(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--reader"))
		return run_reader(argv[2]);
	while ((opt = getopt(argc, argv, "e:x:k")) != -1) {
		switch (opt) {
		case 'e':
			events = atol(optarg);
			break;
		case 'x':
			xlogviz = optarg;
			break;
		case 'k':
			keep = true;
			break;
		default:
			optind = argc + 1;
		}
	}
	if (optind != argc - 1 || events < 10) {
		fprintf(stderr, "usage: bench [-e EVENTS] [-x XLOGVIZ] [-k] SAMPLE\n");
		return 2;
	}
	snprintf(big, sizeof(big), "%s/xlogviz-bench-%d.dat", tmp ? tmp : "/tmp", getpid());
	snprintf(small, sizeof(small), "%s/xlogviz-bench-%d-tenth.dat", tmp ? tmp : "/tmp",
		 getpid());
	make_big(argv[optind], events, big);
	make_big(argv[optind], events / 10, small);

	report->argv[0] = report_small->argv[0] = xlogviz;
	measure(jobs, xlogviz ? 5 : 3);
	printf("%ld events, CPU time, the least of %d rounds\n", events, ROUNDS);
	tell("libtracecmd, empty callback", judge_job, events);
	tell("reader, every event decoded", reader, events);
	if (xlogviz) {
		run(report, &kib);
		syncs = count_syncs(big);
		tell("xlogviz report", report, events);
		ok &= judge("report / libtracecmd", report->s / judge_job->s, RATIO_MAX);
		ok &= judge("report, ten times the events", report->s / report_small->s,
			    SCALING_MAX);
		if (syncs >= 0)
			ok &= judge("report, private MiB", kib / 1024.0,
				    (MEMORY_KIB + SYNC_KIB * syncs) / 1024.0);
		else
			printf("report, private MiB: %.1f; the number of syncs is not known\n",
			       kib / 1024.0);
	}
	kib = 0;
	run(reader, &kib);
	ok &= judge("reader / libtracecmd", reader->s / judge_job->s, 1.0);
	ok &= judge("reader, ten times the events", reader->s / reader_small->s, SCALING_MAX);
	ok &= judge("reader, private MiB", kib / 1024.0, MEMORY_KIB / 1024.0);
	if (keep) {
		printf("kept: %s %s\n", big, small);
	} else {
		unlink(big);
		unlink(small);
	}
	return ok ? 0 : 1;
}
