# SPDX-License-Identifier: GPL-2.0-or-later
lib_libxlogviz_a_SOURCES += \
	lib/output/show.h
