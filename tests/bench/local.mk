# SPDX-License-Identifier: GPL-2.0-or-later
# `make bench` times a report of a big recording, made from BENCH_SAMPLE.
BENCH_SAMPLE =
BENCH_EVENTS = 3000000

EXTRA_DIST += tests/bench/run-bench
if HAVE_TRACECMD
EXTRA_PROGRAMS += tests/bench/bench
tests_bench_bench_SOURCES = tests/bench/bench.c
tests_bench_bench_CFLAGS = $(AM_CFLAGS) $(TRACECMD_CFLAGS)
tests_bench_bench_LDADD = $(XLV_LIBS) $(TRACECMD_LIBS)

bench: tests/bench/bench$(EXEEXT) xlogviz$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/bench/run-bench \
		$(BENCH_EVENTS) $(BENCH_SAMPLE)
else
bench:
	@echo 'bench: libtracecmd, which it measures against, is not installed' >&2; exit 1
endif
.PHONY: bench
