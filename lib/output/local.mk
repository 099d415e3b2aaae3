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
lib_libxlogviz_a_SOURCES += \
	lib/output/charts.c lib/output/charts.h \
	lib/output/choose.c lib/output/choose.h \
	lib/output/frame.c lib/output/frame.h \
	lib/output/lanes.c lib/output/lanes.h \
	lib/output/palette.c lib/output/palette.h \
	lib/output/panel.c lib/output/panel.h \
	lib/output/panel_arrows.c \
	lib/output/panel_draw.c \
	lib/output/panel_io.c \
	lib/output/panel_lanes.c \
	lib/output/panel_path.c \
	lib/output/pipeline_view.c lib/output/pipeline_view.h \
	lib/output/scale.c lib/output/scale.h \
	lib/output/surface.c lib/output/surface.h \
	lib/output/timeline.c lib/output/timeline.h
lib_libxlogviz_a_SOURCES += \
	lib/output/compare.h \
	lib/output/compare_json.c \
	lib/output/compare_svg.c \
	lib/output/compare_text.c \
	lib/output/perfetto.c \
	lib/output/perfetto.h
