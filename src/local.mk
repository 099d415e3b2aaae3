# SPDX-License-Identifier: GPL-2.0-or-later
bin_PROGRAMS += xlogviz
xlogviz_SOURCES = \
	src/main.c \
	src/cli.c \
	src/cli.h \
	src/cmd_check.c \
	src/cmd_compare.c \
	src/cmd_experiment.c \
	src/cmd_export.c \
	src/cmd_merge.c \
	src/cmd_record.c \
	src/cmd_report.c \
	src/cmd_show.c \
	src/manifest.c \
	src/manifest.h \
	src/sides.c \
	src/sides.h \
	src/workload_rate.c \
	src/workload_rate.h
xlogviz_LDADD = $(XLV_LIBS)
