# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile input. `make check` reads a few damaged recordings; `make
# check-mutants` 2,000, best in a build with --enable-sanitizers; `make fuzz`
# runs libFuzzer for FUZZ_SECONDS, starting from generated seeds.
check_PROGRAMS += tests/fuzz/mutants tests/fuzz/mkseeds
tests_fuzz_mutants_SOURCES = tests/fuzz/mutants.c tests/fuzz/exercise.c tests/fuzz/exercise.h \
	tests/fuzz/exercise_run.c
tests_fuzz_mutants_LDADD = $(XLV_LIBS)
tests_fuzz_mkseeds_SOURCES = tests/fuzz/mkseeds.c tests/unit/datgen.c tests/unit/datgen.h
tests_fuzz_mkseeds_LDADD = $(XLV_LIBS)

dist_check_SCRIPTS += tests/fuzz/run-mutants
TESTS += tests/fuzz/run-mutants
EXTRA_DIST += tests/fuzz/fuzz_reader.c

.PHONY: check-mutants
check-mutants: tests/fuzz/mutants$(EXEEXT) tests/fuzz/mkseeds$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/fuzz/run-mutants 2000

FUZZ_SECONDS = 300
FUZZ_CFLAGS = -g -O1 -std=gnu11 -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=undefined -I. -I$(top_srcdir)/lib \
	$(TRACEEVENT_CFLAGS) $(JSON_CFLAGS) $(ZSTD_CFLAGS) $(ZLIB_CFLAGS)

tests/fuzz/fuzz_reader$(EXEEXT): $(top_srcdir)/lib/trace/*.c $(top_srcdir)/lib/trace/*.h \
		$(top_srcdir)/tests/fuzz/fuzz_reader.c $(top_srcdir)/tests/fuzz/exercise.c
	$(AM_V_CCLD)$(CLANG) $(FUZZ_CFLAGS) -o $@ $(top_srcdir)/lib/trace/*.c \
		$(top_srcdir)/tests/fuzz/fuzz_reader.c $(top_srcdir)/tests/fuzz/exercise.c \
		$(TRACEEVENT_LIBS) $(JSON_LIBS) $(ZSTD_LIBS) $(ZLIB_LIBS)

.PHONY: fuzz
fuzz: tests/fuzz/fuzz_reader$(EXEEXT) tests/fuzz/mkseeds$(EXEEXT)
	tests/fuzz/mkseeds$(EXEEXT) tests/fuzz/seeds
	$(MKDIR_P) tests/fuzz/corpus
	tests/fuzz/fuzz_reader$(EXEEXT) -max_total_time=$(FUZZ_SECONDS) -timeout=10 \
		-rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=131072 \
		tests/fuzz/corpus tests/fuzz/seeds

CLEANFILES += tests/fuzz/fuzz_reader$(EXEEXT)
