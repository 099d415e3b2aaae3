// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/filesystem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "record/sysfile.h"

/* XFS_IOC_FSGEOMETRY_V4: in every kernel of interest, and no header needed. */
struct geometry_v4 {
	uint32_t	blocksize, rtextsize, agblocks, agcount, logblocks, sectsize;
	uint32_t	inodesize, imaxpct;
	uint64_t	datablocks, rtblocks, rtextents, logstart;
	unsigned char	uuid[16];
	uint32_t	sunit, swidth;
	int32_t		version;
	uint32_t	flags, logsectsize, rtsectsize, dirblocksize, logsunit;
};
#define IOC_FSGEOMETRY_V4	_IOR('X', 124, struct geometry_v4)

/* A filesystem block number holds the group in its high bits. */
static uint64_t fsb_to_sector(const struct geometry_v4 *g, uint64_t fsb)
{
	unsigned int bits = 0;
	uint64_t block;

	while (((uint64_t)1 << bits) < g->agblocks)
		bits++;
	block = (fsb >> bits) * g->agblocks + (fsb & (((uint64_t)1 << bits) - 1));
	return block * (g->blocksize / 512);
}

static void read_geometry(struct xlv_filesystem *fs)
{
	struct geometry_v4 g = { 0 };
	int fd;

	fd = open(fs->mount, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!ioctl(fd, IOC_FSGEOMETRY_V4, &g)) {
		fs->geometry = true;
		fs->internal_log = g.logstart != 0;
		fs->block_bytes = g.blocksize;
		fs->sector_bytes = g.sectsize;
		fs->ag_blocks = g.agblocks;
		fs->ag_count = g.agcount;
		fs->log_blocks = g.logblocks;
		fs->log_sector_bytes = g.logsectsize;
		fs->log_sunit_bytes = g.logsunit;
		fs->sunit_blocks = g.sunit;
		fs->swidth_blocks = g.swidth;
		fs->data_blocks = g.datablocks;
		fs->log_sector = g.logstart ? fsb_to_sector(&g, g.logstart) : 0;
	}
	close(fd);
}

/* /proc/self/mountinfo writes blank, tab, newline and backslash in octal. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

static void find_log_device(struct xlv_filesystem *fs)
{
	char path[256];
	struct stat st;
	const char *p;

	fs->log_major = fs->major;
	fs->log_minor = fs->minor;
	p = strstr(fs->options, "logdev=");
	if (!p || sscanf(p, "logdev=%255[^,]", path) != 1)
		return;
	if (!stat(path, &st) && S_ISBLK(st.st_mode)) {
		fs->log_major = major(st.st_rdev);
		fs->log_minor = minor(st.st_rdev);
	}
}

static void find_name(struct xlv_filesystem *fs)
{
	char link[64], target[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", fs->major, fs->minor);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	snprintf(fs->name, sizeof(fs->name), "%.63s", strrchr(target, '/') + 1);
}

int xlv_filesystems_read(struct xlv_filesystems *all)
{
	char *text, *line, *save = NULL;

	all->nr = 0;
	text = xlv_sys_slurp("/proc/self/mountinfo", NULL);
	if (!text)
		return 0;
	for (line = strtok_r(text, "\n", &save); line && all->nr < XLV_MAX_FILESYSTEMS;
	     line = strtok_r(NULL, "\n", &save)) {
		struct xlv_filesystem *fs = &all->fs[all->nr];
		char mount[PATH_MAX], flags[512], source[256], super[512];
		const char *sep = strstr(line, " - xfs ");
		bool seen = false;

		memset(fs, 0, sizeof(*fs));
		if (!sep || sscanf(line, "%*d %*d %u:%u %*s %4095s %511s", &fs->major,
				   &fs->minor, mount, flags) != 4 ||
		    sscanf(sep, " - xfs %255s %511s", source, super) != 2)
			continue;
		for (int i = 0; i < all->nr; i++)
			seen |= all->fs[i].major == fs->major && all->fs[i].minor == fs->minor;
		if (seen)
			continue;
		unescape(mount);
		unescape(source);
		snprintf(fs->mount, sizeof(fs->mount), "%.255s", mount);
		snprintf(fs->source, sizeof(fs->source), "%s", source);
		snprintf(fs->options, sizeof(fs->options), "%.254s,%.255s", flags, super);
		find_log_device(fs);
		find_name(fs);
		read_geometry(fs);
		all->nr++;
	}
	free(text);
	return all->nr;
}

const struct xlv_filesystem *xlv_filesystems_find(const struct xlv_filesystems *all,
						  const char *what, struct xlv_error *err)
{
	unsigned int maj, min;
	struct stat st;
	int end = 0;

	if (sscanf(what, "%u:%u%n", &maj, &min, &end) != 2 || what[end]) {
		if (stat(what, &st)) {
			xlv_fail(err, "unable to find '%s': %s", what, strerror(errno));
			return NULL;
		}
		maj = major(S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev);
		min = minor(S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev);
	}
	for (int i = 0; i < all->nr; i++)
		if (all->fs[i].major == maj && all->fs[i].minor == min)
			return &all->fs[i];
	xlv_fail(err, "'%s' is not on a mounted XFS filesystem: 'xlogviz check' lists them", what);
	return NULL;
}

static int add_dev(uint32_t *devs, int nr, unsigned int maj, unsigned int min)
{
	uint32_t dev = xlv_kernel_dev(maj, min);
	char path[PATH_MAX], text[32];
	struct dirent *d;
	DIR *dir;

	for (int i = 0; i < nr; i++)
		if (devs[i] == dev)
			return nr;
	if (nr == XLV_MAX_BLOCK_DEVS)
		return nr;
	devs[nr++] = dev;
	if (xlv_sys_exists("/sys/dev/block/%u:%u/partition", maj, min) &&
	    xlv_sys_read(text, sizeof(text), "/sys/dev/block/%u:%u/../dev", maj, min) > 0) {
		unsigned int a, b;

		if (sscanf(text, "%u:%u", &a, &b) == 2)
			nr = add_dev(devs, nr, a, b);
	}
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/slaves", maj, min);
	dir = opendir(path);
	if (!dir)
		return nr;
	while ((d = readdir(dir))) {
		unsigned int a, b;

		if (d->d_name[0] != '.' &&
		    xlv_sys_read(text, sizeof(text), "%s/%s/dev", path, d->d_name) > 0 &&
		    sscanf(text, "%u:%u", &a, &b) == 2)
			nr = add_dev(devs, nr, a, b);
	}
	closedir(dir);
	return nr;
}

int xlv_block_devs(const struct xlv_filesystem *fs, uint32_t *devs, int nr)
{
	nr = add_dev(devs, nr, fs->major, fs->minor);
	return add_dev(devs, nr, fs->log_major, fs->log_minor);
}

static void add_string(json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

static void add_number(json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)value));
}

/* Where a partition has no queue of its own, its disk has. */
static void add_queue(json_object *o, unsigned int maj, unsigned int min)
{
	static const char *const keys[][2] = {
		{ "scheduler", "scheduler" }, { "rotational", "rotational" },
		{ "write_cache", "write_cache" }, { "fua", "fua" },
		{ "nr_requests", "nr_requests" },
	};
	char text[256];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (xlv_sys_read(text, sizeof(text), "/sys/dev/block/%u:%u/queue/%s", maj, min,
				 keys[i][1]) > 0 ||
		    xlv_sys_read(text, sizeof(text), "/sys/dev/block/%u:%u/../queue/%s", maj, min,
				 keys[i][1]) > 0)
			add_string(o, keys[i][0], text);
}

json_object *xlv_filesystem_json(const struct xlv_filesystem *fs)
{
	json_object *o = json_object_new_object(), *log = json_object_new_object();
	json_object *queue = json_object_new_object();
	char text[64];

	snprintf(text, sizeof(text), "%u:%u", fs->major, fs->minor);
	add_string(o, "dev", text);
	add_string(o, "mount", fs->mount);
	add_string(o, "source", fs->source);
	add_string(o, "options", fs->options);
	if (fs->geometry) {
		add_number(o, "block_bytes", fs->block_bytes);
		add_number(o, "sector_bytes", fs->sector_bytes);
		add_number(o, "ag_count", fs->ag_count);
		add_number(o, "ag_blocks", fs->ag_blocks);
		add_number(o, "data_blocks", fs->data_blocks);
		add_number(o, "sunit_blocks", fs->sunit_blocks);
		add_number(o, "swidth_blocks", fs->swidth_blocks);
		json_object_object_add(log, "internal", json_object_new_boolean(fs->internal_log));
		add_number(log, "bytes", (uint64_t)fs->log_blocks * fs->block_bytes);
		add_number(log, "sector", fs->log_sector);
		add_number(log, "sector_bytes", fs->log_sector_bytes);
		add_number(log, "sunit_bytes", fs->log_sunit_bytes);
	}
	snprintf(text, sizeof(text), "%u:%u", fs->log_major, fs->log_minor);
	add_string(log, "dev", text);
	json_object_object_add(o, "log", log);
	add_queue(queue, fs->log_major, fs->log_minor);
	json_object_object_add(o, "log_queue", queue);
	return o;
}
