# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += \
	samples/lab/README.md \
	samples/lab/rerecord \
	samples/lab/base.dat \
	samples/lab/base-bound.dat \
	samples/lab/fc.dat \
	samples/lab/fc-bound.dat
