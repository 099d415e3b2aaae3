// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/fake.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/sysfile.h"

#define FAKE_IO "/sys/fs/xfs/%s/log/fake_io"

bool xlv_fake_available(const struct xlv_filesystem *fs)
{
	return fs->name[0] && xlv_sys_exists(FAKE_IO, fs->name);
}

const struct xlv_filesystem *xlv_fake_find(const struct xlv_filesystems *all, const char *scratch,
					   struct xlv_error *err)
{
	const struct xlv_filesystem *fs = NULL;
	char real[PATH_MAX];

	if (!scratch) {
		xlv_fail(err, "fake completion ruins the log: name a filesystem that may be lost "
			 "with --scratch MOUNTPOINT");
		return NULL;
	}
	if (!realpath(scratch, real)) {
		xlv_fail(err, "unable to find '%s': %s", scratch, strerror(errno));
		return NULL;
	}
	if (!strcmp(real, "/")) {
		xlv_fail(err, "'/' is no scratch filesystem");
		return NULL;
	}
	for (int i = 0; i < all->nr && !fs; i++)
		if (!strcmp(all->fs[i].mount, real))
			fs = &all->fs[i];
	if (!fs) {
		xlv_fail(err, "'%s' is not the mount point of an XFS filesystem: 'xlogviz check' "
			 "lists them", scratch);
		return NULL;
	}
	for (int i = 0; i < all->nr; i++) {
		if (all->fs[i].major == fs->major && all->fs[i].minor == fs->minor &&
		    !strcmp(all->fs[i].mount, "/")) {
			xlv_fail(err, "'%s' is the root filesystem", scratch);
			return NULL;
		}
	}
	if (!xlv_fake_available(fs)) {
		xlv_fail(err, "this kernel's XFS can't fake completions: no '" FAKE_IO "': it "
			 "takes the kernel patch in kernel-patch/", fs->name);
		return NULL;
	}
	return fs;
}

int xlv_fake_on(struct xlv_undo *undo, const struct xlv_filesystem *fs, struct xlv_error *err)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), FAKE_IO, fs->name);
	if (xlv_undo_claim(undo, path, "0", err))
		return -1;
	ret = xlv_sys_write("1", FAKE_IO, fs->name);
	if (ret)
		return xlv_fail(err, "unable to turn on '" FAKE_IO "': %s", fs->name,
				strerror(-ret));
	return 0;
}
