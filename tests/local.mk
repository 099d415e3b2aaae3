# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests are cmocka programs, tests/unit/test_NAME.c; command-line tests are
# tests/cli/NAME.bats. A unit test is added by its name in UNIT_NAMES.

CHECK_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
CHECK_LIBS = $(XLV_LIBS) $(CMOCKA_LIBS)

TEST_EXTENSIONS = .bats
BATS_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-bats
AM_TESTS_ENVIRONMENT = \
	XLOGVIZ='$(abs_top_builddir)/xlogviz'; export XLOGVIZ; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0'; \
	export LSAN_OPTIONS;

dist_check_SCRIPTS = tests/run-bats
EXTRA_DIST += tests/lsan.supp
TESTS += $(UNIT_TESTS)
check_PROGRAMS += $(UNIT_TESTS)

include tests/unit/local.mk
include tests/cli/local.mk
include tests/record/local.mk
include tests/vm/local.mk
include tests/fuzz/local.mk
include tests/bench/local.mk

.PHONY: check-unit
check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(UNIT_TESTS)'
