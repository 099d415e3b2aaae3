# SPDX-License-Identifier: GPL-2.0-or-later
lib_libxlogviz_a_SOURCES += \
	lib/model/detail.c lib/model/detail.h \
	lib/model/journal.c lib/model/journal.h \
	lib/model/memory.c lib/model/memory.h \
	lib/model/names.c \
	lib/model/run.c lib/model/run.h \
	lib/model/sched.c lib/model/sched.h \
	lib/model/strpool.c lib/model/strpool.h \
	lib/model/sync_close.c \
	lib/model/syncs.c lib/model/syncs.h \
	lib/model/ticks.c lib/model/ticks.h \
	lib/model/wake_cause.c lib/model/wake_cause.h \
	lib/model/window.c lib/model/window.h \
	lib/model/window_io.c \
	lib/model/window_lanes.c \
	lib/model/window_state.c lib/model/window_state.h
