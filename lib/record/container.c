// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/container.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/machine.h"
#include "record/sysfile.h"

enum {
	OPTION_DONE		= 0,
	OPTION_CPUSTAT		= 2,
	OPTION_TRACECLOCK	= 4,
	OPTION_UNAME		= 5,
	OPTION_VERSION		= 9,
	MAX_CPUS		= 8192,
};

static const char magic[] = "\x17\x08\x44tracing6";	/* with its terminating NUL */

static void put_u16(FILE *to, uint16_t v)
{
	fwrite(&v, sizeof(v), 1, to);
}

static void put_u32(FILE *to, uint32_t v)
{
	fwrite(&v, sizeof(v), 1, to);
}

static void put_u64(FILE *to, uint64_t v)
{
	fwrite(&v, sizeof(v), 1, to);
}

static void put_string(FILE *to, const char *s)
{
	fwrite(s, strlen(s) + 1, 1, to);
}

/* The text of a file behind its size in 64 bits; a missing file is an empty one. */
static void put_file(FILE *to, const char *path)
{
	size_t len = 0;
	char *text = xlv_sys_slurp(path, &len);

	put_u64(to, len);
	fwrite(text ? text : "", len, 1, to);
	free(text);
}

static void put_header_files(FILE *to, const struct xlv_header *h)
{
	char path[PATH_MAX];

	put_string(to, "header_page");
	snprintf(path, sizeof(path), "%s/events/header_page", h->instance);
	put_file(to, path);
	put_string(to, "header_event");
	snprintf(path, sizeof(path), "%s/events/header_event", h->instance);
	put_file(to, path);
}

/* Formats of the events that ftrace itself writes, the text marks among them. */
static void put_ftrace_formats(FILE *to, const struct xlv_header *h)
{
	static const char *const names[] = { "print", "bprint", "bputs", "raw_data", "function" };
	/* An instance has no folder of them; they are the same for all. */
	static const char *const dirs[] = { "%s/events/ftrace/%s/format",
					    "%s/../../events/ftrace/%s/format" };
	const size_t nr = sizeof(names) / sizeof(names[0]);
	char path[5][PATH_MAX];
	uint32_t have = 0;

	for (size_t i = 0; i < nr; i++) {
		for (size_t d = 0; d < 2; d++) {
			snprintf(path[have], PATH_MAX, dirs[d], h->instance, names[i]);
			if (!xlv_sys_exists("%s", path[have]))
				continue;
			have++;
			break;
		}
	}
	put_u32(to, have);
	for (uint32_t i = 0; i < have; i++)
		put_file(to, path[i]);
}

static void put_event_formats(FILE *to, const struct xlv_header *h)
{
	char path[PATH_MAX];
	uint32_t systems = 0;
	int i, j;

	for (i = 0; i < h->nr_events; i++)
		systems += !i || strcmp(h->events[i].system, h->events[i - 1].system);
	put_u32(to, systems);
	for (i = 0; i < h->nr_events; i = j) {
		for (j = i; j < h->nr_events; j++)
			if (strcmp(h->events[j].system, h->events[i].system))
				break;
		put_string(to, h->events[i].system);
		put_u32(to, (uint32_t)(j - i));
		for (int k = i; k < j; k++) {
			snprintf(path, sizeof(path), "%s/events/%s/%s/format", h->instance,
				 h->events[k].system, h->events[k].name);
			put_file(to, path);
		}
	}
}

static int put_symbols(FILE *to, const struct xlv_header *h)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem;

	if (h->symbols) {
		mem = open_memstream(&text, &len);
		if (!mem)
			return -1;
		xlv_kallsyms_print(h->symbols, h->extra_symbols, mem);
		if (fclose(mem))
			return -1;
	}
	put_u32(to, (uint32_t)len);
	fwrite(text ? text : "", len, 1, to);
	free(text);
	return 0;
}

static void put_tasks_of(FILE *to, const char *pid)
{
	char path[64], comm[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.16s/task", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.' &&
		    xlv_sys_read(comm, sizeof(comm), "%s/%s/comm", path, d->d_name) > 0)
			fprintf(to, "%s %.15s\n", d->d_name, comm);
	if (dir)
		closedir(dir);
}

/* Names of all tasks that are there now; the events name the others. */
static int put_names(FILE *to)
{
	struct dirent *d;
	char *text = NULL;
	size_t len = 0;
	FILE *mem;
	DIR *dir;

	mem = open_memstream(&text, &len);
	if (!mem)
		return -1;
	dir = opendir("/proc");
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
			put_tasks_of(mem, d->d_name);
	if (dir)
		closedir(dir);
	if (fclose(mem))
		return -1;
	put_u64(to, len);
	fwrite(text, len, 1, to);
	free(text);
	return 0;
}

static void put_option(FILE *to, uint16_t id, const char *text)
{
	uint32_t len = (uint32_t)strlen(text) + 1;

	put_u16(to, id);
	put_u32(to, len);
	fwrite(text, len, 1, to);
}

/* One CPU more than the highest, since parts go by position. */
static int cpu_slots(const char *instance)
{
	int slots = 1;

	for (int cpu = 0; cpu < xlv_machine_cpus(); cpu++)
		if (xlv_sys_exists("%s/per_cpu/cpu%d", instance, cpu))
			slots = cpu + 1;
	return slots;
}

static void put_options(FILE *to, const struct xlv_header *h, int cpus)
{
	char text[2048], stats[1024];
	struct utsname u;

	put_u32(to, (uint32_t)cpus);
	put_string(to, "options  ");
	if (xlv_sys_read(text, sizeof(text), "%s/trace_clock", h->instance) > 0)
		put_option(to, OPTION_TRACECLOCK, text);
	if (!uname(&u)) {
		snprintf(text, sizeof(text), "%s %s %s %s", u.sysname, u.nodename, u.release,
			 u.machine);
		put_option(to, OPTION_UNAME, text);
	}
	if (h->version)
		put_option(to, OPTION_VERSION, h->version);
	for (int cpu = 0; h->stats && cpu < cpus; cpu++) {
		if (xlv_sys_read(stats, sizeof(stats), "%s/per_cpu/cpu%d/stats", h->instance,
				 cpu) <= 0)
			continue;
		snprintf(text, sizeof(text), "CPU: %d\n%s\n", cpu, stats);
		put_option(to, OPTION_CPUSTAT, text);
	}
	put_u16(to, OPTION_DONE);
}

int xlv_container_head(const char *file, const struct xlv_header *h, struct xlv_error *err)
{
	char path[PATH_MAX], temp[PATH_MAX];
	FILE *to;
	bool bad;
	int fd;

	snprintf(path, sizeof(path), "%s.head", file);
	snprintf(temp, sizeof(temp), "%s.head~", file);
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!to)
		return xlv_fail(err, "unable to write '%s': %s", file, strerror(errno));
	fwrite(magic, sizeof(magic), 1, to);
	fputc(__BYTE_ORDER == __BIG_ENDIAN ? 1 : 0, to);
	fputc(sizeof(long), to);
	put_u32(to, (uint32_t)sysconf(_SC_PAGESIZE));
	put_header_files(to, h);
	put_ftrace_formats(to, h);
	put_event_formats(to, h);
	bad = put_symbols(to, h) != 0;
	put_u32(to, 0);			/* no trace_printk formats */
	bad |= put_names(to) != 0;
	put_options(to, h, cpu_slots(h->instance));
	bad |= ferror(to) != 0;
	bad |= fclose(to) != 0;
	if (!bad && !rename(temp, path))
		return 0;
	xlv_fail(err, "unable to write '%s': %s", file, strerror(errno));
	unlink(temp);
	return -1;
}

bool xlv_container_leftovers(const char *file)
{
	return xlv_sys_exists("%s.head", file);
}

/* The slots are the number just before "options". */
static int slots_in_head(int fd, size_t *head_bytes, uint32_t *page)
{
	static const char mark[] = "options  ";
	struct stat st;
	uint32_t slots;
	char *text, *p = NULL;
	ssize_t n;

	if (fstat(fd, &st) || st.st_size < 64 || st.st_size > (1 << 28))
		return -1;
	text = malloc((size_t)st.st_size);
	n = text ? pread(fd, text, (size_t)st.st_size, 0) : -1;
	if (n == st.st_size && !memcmp(text, magic, sizeof(magic))) {
		/* its options hold texts of the recorder's own, so the last one is it */
		for (char *q = text; (q = memmem(q, (size_t)(text + n - q), mark, sizeof(mark)));
		     q++)
			p = q;
	}
	if (!p || p - text < 32) {
		free(text);
		return -1;
	}
	memcpy(&slots, p - 4, sizeof(slots));
	memcpy(page, text + sizeof(magic) + 2, sizeof(*page));
	*head_bytes = (size_t)n;
	free(text);
	if (slots < 1 || slots > MAX_CPUS || *page < 512 || *page > 1 << 20)
		return -1;
	return (int)slots;
}

static int copy(int from, int to, uint64_t bytes)
{
	while (bytes) {
		ssize_t n = sendfile(to, from, NULL, bytes < (1 << 30) ? bytes : (1 << 30));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		bytes -= (uint64_t)n;
	}
	return 0;
}

static int pad_to(int fd, uint64_t offset)
{
	return lseek(fd, (off_t)offset, SEEK_SET) < 0 ? -errno : 0;
}

struct parts {
	const char	*file;
	int		slots;
	uint32_t	page;
	uint64_t	*offset, *size;
};

static int open_part(const struct parts *p, int cpu)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s.cpu%d", p->file, cpu);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Lays the parts out behind the header, each from a page boundary on. */
static void lay_out(struct parts *p, uint64_t start, struct xlv_assembled *done)
{
	uint64_t at = start;

	for (int cpu = 0; cpu < p->slots; cpu++) {
		int fd = open_part(p, cpu);
		struct stat st = { 0 };

		if (fd >= 0) {
			fstat(fd, &st);
			close(fd);
		}
		at = (at + p->page - 1) / p->page * p->page;
		p->offset[cpu] = at;
		p->size[cpu] = (uint64_t)st.st_size / p->page * p->page;
		at += p->size[cpu];
		done->bytes += (int64_t)p->size[cpu];
		done->cut_bytes += st.st_size - (int64_t)p->size[cpu];
		done->cpus += p->size[cpu] > 0;
	}
}

static int write_parts(const struct parts *p, int to)
{
	int ret = 0;

	for (int cpu = 0; cpu < p->slots && !ret; cpu++) {
		uint64_t where[2] = { p->offset[cpu], p->size[cpu] };

		if (write(to, where, sizeof(where)) != sizeof(where))
			ret = -errno;
	}
	for (int cpu = 0; cpu < p->slots && !ret; cpu++) {
		int fd;

		if (!p->size[cpu])
			continue;
		ret = pad_to(to, p->offset[cpu]);
		fd = open_part(p, cpu);
		if (fd < 0)
			return -errno;
		if (!ret)
			ret = copy(fd, to, p->size[cpu]);
		close(fd);
	}
	return ret;
}

int xlv_container_assemble(const char *file, const char *out, struct xlv_assembled *done,
			   struct xlv_error *err)
{
	static const char flyrecord[] = "flyrecord";
	struct parts p = { .file = file };
	char path[PATH_MAX], temp[PATH_MAX];
	int from, to = -1, ret = -1;
	struct stat st;
	int slots;
	size_t head;

	memset(done, 0, sizeof(*done));
	snprintf(path, sizeof(path), "%s.head", file);
	snprintf(temp, sizeof(temp), "%s~", out);
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return xlv_fail(err, "unable to open '%s': %s", path, strerror(errno));
	slots = slots_in_head(from, &head, &p.page);
	if (slots < 0) {
		xlv_fail(err, "'%s' is not the header of a recording", path);
		goto end;
	}
	p.slots = slots;
	p.offset = calloc((size_t)slots, sizeof(*p.offset));
	p.size = calloc((size_t)slots, sizeof(*p.size));
	if (!p.offset || !p.size) {
		xlv_fail(err, "out of memory");
		goto end;
	}
	lay_out(&p, head + sizeof(flyrecord) + (uint64_t)slots * 16, done);
	to = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	if (to < 0) {
		xlv_fail(err, "unable to write '%s': %s", out, strerror(errno));
		goto end;
	}
	ret = copy(from, to, head);
	if (!ret && write(to, flyrecord, sizeof(flyrecord)) != sizeof(flyrecord))
		ret = -errno;
	if (!ret)
		ret = write_parts(&p, to);
	if (!ret && (fstat(to, &st) || st.st_size < (off_t)p.offset[p.slots - 1]))
		ret = ftruncate(to, (off_t)p.offset[p.slots - 1]) ? -errno : 0;
	if (close(to) && !ret)
		ret = -errno;
	if (!ret && rename(temp, out))
		ret = -errno;
	if (ret) {
		unlink(temp);
		ret = xlv_fail(err, "unable to write '%s': %s", out, strerror(-ret));
		goto end;
	}
	xlv_container_discard(file);
end:
	close(from);
	free(p.offset);
	free(p.size);
	return ret;
}

void xlv_container_discard(const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s.head", file);
	unlink(path);
	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		snprintf(path, sizeof(path), "%s.cpu%d", file, cpu);
		if (unlink(path) && errno == ENOENT && cpu >= xlv_machine_cpus())
			break;
	}
}
