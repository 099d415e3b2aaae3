# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += \
	kernel-patch/README.md \
	kernel-patch/build-module \
	kernel-patch/build-uml \
	kernel-patch/lab \
	kernel-patch/uml \
	kernel-patch/validate \
	kernel-patch/6.1/0001-xfs-log-force-span-tracepoints.patch \
	kernel-patch/6.1/0002-xfs-fake-log-io.patch \
	kernel-patch/6.12/0001-xfs-log-force-span-tracepoints.patch \
	kernel-patch/6.12/0002-xfs-fake-log-io.patch \
	kernel-patch/7.x/0001-xfs-log-force-span-tracepoints.patch \
	kernel-patch/7.x/0002-xfs-fake-log-io.patch
