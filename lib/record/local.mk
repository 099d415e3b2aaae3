# SPDX-License-Identifier: GPL-2.0-or-later
lib_libxlogviz_a_SOURCES += \
	lib/record/binding.c lib/record/binding.h \
	lib/record/check.c lib/record/check.h \
	lib/record/container.c lib/record/container.h \
	lib/record/eventset.c lib/record/eventset.h \
	lib/record/fake.c lib/record/fake.h \
	lib/record/filesystem.c lib/record/filesystem.h \
	lib/record/instance.c lib/record/instance.h \
	lib/record/machine.c lib/record/machine.h \
	lib/record/metadata.c lib/record/metadata.h \
	lib/record/probes.c lib/record/probes.h \
	lib/record/recorder.c lib/record/recorder.h \
	lib/record/session.h lib/record/session_choose.c lib/record/session_facts.c \
	lib/record/stream.c lib/record/stream.h \
	lib/record/kallsyms.c lib/record/kallsyms.h \
	lib/record/sysfile.c lib/record/sysfile.h \
	lib/record/tracecmd.c lib/record/tracecmd.h \
	lib/record/tracefs.c lib/record/tracefs.h \
	lib/record/undo.c lib/record/undo.h \
	lib/record/workload.c lib/record/workload.h
