/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake completion: the kernel patch's switch that completes log writes without
 * a device. The log of such a filesystem can't be trusted afterwards, so it is
 * only turned on for one that the user named as scratch.
 */
#ifndef XLV_RECORD_FAKE_H
#define XLV_RECORD_FAKE_H

#include <stdbool.h>

#include "record/filesystem.h"
#include "record/undo.h"
#include "trace/error.h"

/** xlv_fake_available - whether the running XFS has the patch, for this filesystem */
bool xlv_fake_available(const struct xlv_filesystem *fs);

/**
 * xlv_fake_find - the filesystem that fake completion may be used on
 * @scratch:	its mount point, in the user's words
 *
 * NULL with the reason: not a mount point of XFS, "/", no patch.
 */
const struct xlv_filesystem *xlv_fake_find(const struct xlv_filesystems *all, const char *scratch,
					   struct xlv_error *err);

/** xlv_fake_on - turn it on; undoing turns it off */
int xlv_fake_on(struct xlv_undo *undo, const struct xlv_filesystem *fs, struct xlv_error *err);

#endif
