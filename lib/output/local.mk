# SPDX-License-Identifier: GPL-2.0-or-later
lib_libxlogviz_a_SOURCES += \
	lib/output/show.c \
	lib/output/show.h \
	lib/output/show_rows.c \
	lib/output/show_rows.h
lib_libxlogviz_a_SOURCES += \
	lib/output/csv.c \
	lib/output/csv.h \
	lib/output/json.c \
	lib/output/json.h \
	lib/output/jsonw.c \
	lib/output/jsonw.h \
	lib/output/ndjson.c \
	lib/output/ndjson.h \
	lib/output/outfile.c \
	lib/output/outfile.h \
	lib/output/text.c \
	lib/output/text.h \
	lib/output/utf8.c \
	lib/output/utf8.h
