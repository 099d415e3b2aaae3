# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += \
	samples/README.md \
	samples/dd.dat \
	samples/fio4.dat \
	samples/fio4.fio.json \
	samples/lab/README.md \
	samples/lab/rerecord \
	samples/lab/base.dat \
	samples/lab/base-bound.dat \
	samples/lab/fc.dat \
	samples/lab/fc-bound.dat \
	samples/batch/README.md \
	samples/batch/fleet \
	samples/batch/report-many \
	samples/batch/slow-by-cause.jq \
	samples/batch/slurm-array
