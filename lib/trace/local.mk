# SPDX-License-Identifier: GPL-2.0-or-later
lib_libxlogviz_a_SOURCES += \
	lib/trace/backend.h \
	lib/trace/bytes.h \
	lib/trace/codec.c \
	lib/trace/codec.h \
	lib/trace/container.c \
	lib/trace/container.h \
	lib/trace/container_load.h \
	lib/trace/container_parts.c \
	lib/trace/container_v6.c \
	lib/trace/container_v7.c \
	lib/trace/cursor.c \
	lib/trace/cursor.h \
	lib/trace/damage.c \
	lib/trace/damage.h \
	lib/trace/dat.c \
	lib/trace/error.c \
	lib/trace/error.h \
	lib/trace/event.c \
	lib/trace/event.h \
	lib/trace/kernel.c \
	lib/trace/kernel.h \
	lib/trace/metadata.c \
	lib/trace/metadata.h \
	lib/trace/reader.c \
	lib/trace/reader.h \
	lib/trace/source.c \
	lib/trace/source.h \
	lib/trace/symbols.c \
	lib/trace/symbols.h \
	lib/trace/text.c \
	lib/trace/text_fields.c \
	lib/trace/text_fields.h \
	lib/trace/text_line.c \
	lib/trace/text_line.h \
	lib/trace/text_words.h
