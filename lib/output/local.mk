# SPDX-License-Identifier: GPL-2.0-or-later
lib_libxlogviz_a_SOURCES += lib/output/show.h
lib_libxlogviz_a_SOURCES += \
	lib/output/jsonw.c \
	lib/output/jsonw.h \
	lib/output/outfile.c \
	lib/output/outfile.h \
	lib/output/utf8.c \
	lib/output/utf8.h
