# SPDX-License-Identifier: GPL-2.0-or-later
lib_libxlogviz_a_SOURCES += \
	lib/analysis/words.c \
	lib/analysis/words.h
lib_libxlogviz_a_SOURCES += \
	lib/analysis/answer.h \
	lib/analysis/findings.h \
	lib/analysis/pipeline.h
