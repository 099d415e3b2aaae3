# SPDX-License-Identifier: GPL-2.0-or-later
lib_libxlogviz_a_SOURCES += \
	lib/analysis/dist.c \
	lib/analysis/dist.h \
	lib/analysis/hist.c \
	lib/analysis/hist.h \
	lib/analysis/report.c \
	lib/analysis/report.h \
	lib/analysis/origin.c \
	lib/analysis/origin.h \
	lib/analysis/warnings.c \
	lib/analysis/warnings.h
lib_libxlogviz_a_SOURCES += \
	lib/analysis/answer.c \
	lib/analysis/answer.h \
	lib/analysis/facts.c \
	lib/analysis/facts.h \
	lib/analysis/findings.c \
	lib/analysis/findings.h \
	lib/analysis/pipeline.c \
	lib/analysis/pipeline.h \
	lib/analysis/rules.c \
	lib/analysis/rules.h \
	lib/analysis/words.c \
	lib/analysis/words.h
lib_libxlogviz_a_SOURCES += \
	lib/analysis/accounting.c \
	lib/analysis/accounting.h \
	lib/analysis/bootstrap.c \
	lib/analysis/bootstrap.h \
	lib/analysis/compare.c \
	lib/analysis/compare.h \
	lib/analysis/compare_words.c \
	lib/analysis/input.c \
	lib/analysis/input.h \
	lib/analysis/jsonr.c \
	lib/analysis/jsonr.h \
	lib/analysis/load.c \
	lib/analysis/load.h \
	lib/analysis/merge.c \
	lib/analysis/merge.h
