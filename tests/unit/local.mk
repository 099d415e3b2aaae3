# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += tests/unit/traces.h tests/unit/datgen.h tests/unit/data/fsync-6.18.txt
if HAVE_CMOCKA
UNIT_TESTS += tests/unit/test_trace_text
tests_unit_test_trace_text_SOURCES = tests/unit/test_trace_text.c tests/unit/traces.c
tests_unit_test_trace_text_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_trace_text_LDADD = $(CHECK_LIBS)
UNIT_TESTS += tests/unit/test_trace_kernel
tests_unit_test_trace_kernel_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_trace_kernel_LDADD = $(CHECK_LIBS)
UNIT_TESTS += tests/unit/test_trace_damage
tests_unit_test_trace_damage_SOURCES = tests/unit/test_trace_damage.c tests/unit/datgen.c \
	tests/unit/traces.c
tests_unit_test_trace_damage_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_trace_damage_LDADD = $(CHECK_LIBS)
if HAVE_TRACECMD
UNIT_TESTS += tests/unit/test_trace_same
tests_unit_test_trace_same_SOURCES = tests/unit/test_trace_same.c tests/unit/traces.c
tests_unit_test_trace_same_CFLAGS = $(CHECK_CFLAGS) $(TRACECMD_CFLAGS)
tests_unit_test_trace_same_LDADD = $(CHECK_LIBS) $(TRACECMD_LIBS)
endif

UNIT_TESTS += tests/unit/test_record
tests_unit_test_record_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_record_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_model
tests_unit_test_model_SOURCES = tests/unit/test_model.c tests/unit/traces.c
tests_unit_test_model_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_model_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_sched
tests_unit_test_sched_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_sched_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_detail
tests_unit_test_detail_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_detail_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_words
tests_unit_test_words_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_words_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_dist
tests_unit_test_dist_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_dist_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_writers
tests_unit_test_writers_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_writers_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_report
tests_unit_test_report_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_report_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_accounting
tests_unit_test_accounting_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_accounting_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_bootstrap
tests_unit_test_bootstrap_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_bootstrap_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_load
tests_unit_test_load_SOURCES = tests/unit/test_load.c tests/unit/traces.c
tests_unit_test_load_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_load_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_merge
tests_unit_test_merge_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_merge_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_compare
tests_unit_test_compare_SOURCES = tests/unit/test_compare.c tests/unit/traces.c
tests_unit_test_compare_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_compare_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_findings
tests_unit_test_findings_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_findings_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_pipeline
tests_unit_test_pipeline_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_pipeline_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_answer
tests_unit_test_answer_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_answer_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_surface
tests_unit_test_surface_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_surface_LDADD = $(CHECK_LIBS)

UNIT_TESTS += tests/unit/test_window
tests_unit_test_window_SOURCES = tests/unit/test_window.c tests/unit/traces.c
tests_unit_test_window_CFLAGS = $(CHECK_CFLAGS)
tests_unit_test_window_LDADD = $(CHECK_LIBS)
endif
