// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "traces.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static char temp_dir[64];
static const char *temp_files[4096];
static int nr_temp_files;

static void clean_up(void)
{
	while (nr_temp_files)
		unlink(temp_files[--nr_temp_files]);
	rmdir(temp_dir);
}

const char *traces_temp(const char *name)
{
	char *path, *p;
	int i;

	if (!temp_dir[0]) {
		strcpy(temp_dir, "/tmp/xlogviz-test-XXXXXX");
		if (!mkdtemp(temp_dir))
			abort();
		atexit(clean_up);
	}
	if (asprintf(&path, "%s/%s", temp_dir, name) < 0)
		abort();
	for (p = path + strlen(temp_dir) + 1; *p; p++)
		if (*p == '/')
			*p = '_';
	for (i = 0; i < nr_temp_files; i++)
		if (!strcmp(temp_files[i], path)) {
			free(path);
			return temp_files[i];
		}
	if (nr_temp_files == 4096)
		abort();
	return temp_files[nr_temp_files++] = path;
}

void *traces_read(const char *path, unsigned long *len)
{
	struct stat st;
	char *buf;
	FILE *f;

	f = fopen(path, "rb");
	if (!f || fstat(fileno(f), &st))
		return NULL;
	buf = malloc(st.st_size + 1);
	if (!buf || fread(buf, 1, st.st_size, f) != (size_t)st.st_size)
		abort();
	buf[st.st_size] = '\0';
	fclose(f);
	*len = st.st_size;
	return buf;
}

void traces_write(const char *path, const void *data, unsigned long len)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		abort();
}

static const char *unpack(const char *packed, const char *name)
{
	unsigned long len, plain;
	const char *path;
	void *src, *dst;

	path = traces_temp(name);
	if (!access(path, R_OK))
		return path;
	src = traces_read(packed, &len);
	plain = src ? ZSTD_getFrameContentSize(src, len) : 0;
	if (!plain || plain > 1u << 30)
		return NULL;
	dst = malloc(plain);
	if (!dst || ZSTD_decompress(dst, plain, src, len) != plain)
		abort();
	traces_write(path, dst, plain);
	free(src);
	free(dst);
	return path;
}

static const char *collection(void)
{
	static char dir[4096];
	const char *env = getenv("XLV_TRACES"), *top = getenv("top_srcdir");

	if (!dir[0])
		snprintf(dir, sizeof(dir), "%s%s", env ? env : top ? top : ".",
			 env ? "" : "/../shared/traces");
	return dir;
}

static const char *samples(void)
{
	static char dir[4096];
	const char *top = getenv("top_srcdir");

	if (!dir[0])
		snprintf(dir, sizeof(dir), "%s/samples", top ? top : ".");
	return dir;
}

/* A copy of @path that stays reachable until the end. */
static const char *keep(const char *path)
{
	static char *kept[4096];
	static int nr;

	for (int i = 0; i < nr; i++)
		if (!strcmp(kept[i], path))
			return kept[i];
	if (nr == 4096 || !(kept[nr] = strdup(path)))
		abort();
	return kept[nr++];
}

static const char *find(const char *dir, const char *name)
{
	char path[8192];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (!access(path, R_OK))
		return keep(path);
	snprintf(path, sizeof(path), "%s/%s.zst", dir, name);
	return access(path, R_OK) ? NULL : unpack(path, name);
}

const char *traces_path(const char *name)
{
	return find(collection(), name);
}

const char *traces_sample(const char *name)
{
	return find(samples(), name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_dir(char **list, int *nr, const char *dir, const char *sub, const char *suffix)
{
	struct dirent *e;
	char *path, *name;
	size_t n;
	DIR *d;

	if (asprintf(&path, "%s/%s", dir, sub) < 0)
		abort();
	d = opendir(path);
	free(path);
	while (d && (e = readdir(d)) && *nr < 255) {
		if (asprintf(&name, "%s%s", sub, e->d_name) < 0)
			abort();
		n = strlen(name);
		if (n > 4 && !strcmp(name + n - 4, ".zst"))
			name[n -= 4] = '\0';
		if (n > strlen(suffix) && !strcmp(name + n - strlen(suffix), suffix))
			list[(*nr)++] = name;
		else
			free(name);
	}
	if (d)
		closedir(d);
}

const char *const *traces_list(int of_samples, const char *suffix)
{
	const char *dir = of_samples ? samples() : collection();
	static char *lists[8][256];	/* reachable to the end, as said */
	static int nr_lists;
	char **list;
	int nr = 0;

	if (nr_lists == 8)
		abort();
	list = lists[nr_lists++];
	add_dir(list, &nr, dir, "", suffix);
	if (!of_samples) {
		add_dir(list, &nr, dir, "matrix/", suffix);
		add_dir(list, &nr, dir, "public/", suffix);
	}
	qsort(list, nr, sizeof(*list), by_name);
	return (const char *const *)list;
}
