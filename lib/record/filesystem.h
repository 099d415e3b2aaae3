/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mounted XFS filesystems and the block devices below them.
 */
#ifndef XLV_RECORD_FILESYSTEM_H
#define XLV_RECORD_FILESYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <json.h>

#include "trace/error.h"

enum { XLV_MAX_FILESYSTEMS = 256, XLV_MAX_BLOCK_DEVS = 64 };

struct xlv_filesystem {
	char		mount[256], source[256], options[512];
	char		name[64];		/* of the device in /sys/fs/xfs */
	unsigned int	major, minor;
	unsigned int	log_major, log_minor;	/* the same with an internal log */
	bool		geometry;		/* the fields below are known */
	bool		internal_log;
	uint32_t	block_bytes, sector_bytes, ag_blocks, ag_count, log_blocks;
	uint32_t	log_sector_bytes, log_sunit_bytes, sunit_blocks, swidth_blocks;
	uint64_t	data_blocks, log_sector;	/* of 512 bytes, on its device */
};

struct xlv_filesystems {
	int			nr;
	struct xlv_filesystem	fs[XLV_MAX_FILESYSTEMS];
};

/** xlv_filesystems_read - every mounted XFS once; returns how many */
int xlv_filesystems_read(struct xlv_filesystems *all);

/**
 * xlv_filesystems_find - the filesystem that a user's word names
 * @what:	a mount point or any path on it, a device file, or MAJ:MIN
 */
const struct xlv_filesystem *xlv_filesystems_find(const struct xlv_filesystems *all,
						  const char *what, struct xlv_error *err);

/** xlv_kernel_dev - as trace events show it: major << 20 | minor */
static inline uint32_t xlv_kernel_dev(unsigned int major, unsigned int minor)
{
	return (uint32_t)major << 20 | minor;
}

/**
 * xlv_block_devs - the devices that I/O of a filesystem can show up on
 * @devs:	gets the data and the log device, the disks of partitions, and
 *		what device-mapper or md devices are made of
 * @nr:		how many @devs holds already; XLV_MAX_BLOCK_DEVS at most
 *
 * Returns how many it holds then.
 */
int xlv_block_devs(const struct xlv_filesystem *fs, uint32_t *devs, int nr);

/** xlv_filesystem_json - what a report may want to know of it */
json_object *xlv_filesystem_json(const struct xlv_filesystem *fs);

#endif
