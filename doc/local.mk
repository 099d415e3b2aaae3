# SPDX-License-Identifier: GPL-2.0-or-later
dist_man_MANS += \
	doc/xlogviz.1 \
	doc/xlogviz-check.1 \
	doc/xlogviz-record.1 \
	doc/xlogviz-compare.1 \
	doc/xlogviz-experiment.1 \
	doc/xlogviz-export.1 \
	doc/xlogviz-merge.1 \
	doc/xlogviz-report.1 \
	doc/xlogviz-show.1 \
	doc/xlogviz-findings.7
dist_doc_DATA += \
	doc/boundaries.md \
	doc/boundaries-native.md \
	doc/compare.schema.json \
	doc/intervals.md \
	doc/report.schema.json

# The pictures in README.md; they are kept, so that it can be read without a build.
dist_doc_DATA += \
	doc/group-commit.png doc/group-commit.svg \
	doc/puzzle.png doc/puzzle.svg
.PHONY: pictures
pictures: xlogviz
	./xlogviz report --sync 13 --svg $(srcdir)/doc/puzzle.svg --png $(srcdir)/doc/puzzle.png \
		$(srcdir)/samples/lab/base.dat
	./xlogviz report --sync 9 --svg $(srcdir)/doc/group-commit.svg \
		--png $(srcdir)/doc/group-commit.png $(srcdir)/samples/fio4.dat
