# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += tests/record/kill tests/record/bench

.PHONY: check-kill bench-record
check-kill: xlogviz$(EXEEXT)
	XLOGVIZ='$(abs_top_builddir)/xlogviz' $(srcdir)/tests/record/kill $(KILLS)

bench-record: xlogviz$(EXEEXT)
	XLOGVIZ='$(abs_top_builddir)/xlogviz' $(srcdir)/tests/record/bench
