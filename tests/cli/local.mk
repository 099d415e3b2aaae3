# SPDX-License-Identifier: GPL-2.0-or-later
CLI_TESTS = \
	tests/cli/batch.bats \
	tests/cli/compare.bats \
	tests/cli/experiment.bats \
	tests/cli/draw.bats \
	tests/cli/explain-live.bats \
	tests/cli/explain.bats \
	tests/cli/record.bats \
	tests/cli/report.bats \
	tests/cli/samples.bats \
	tests/cli/show.bats \
	tests/cli/usage.bats
if HAVE_BATS
TESTS += $(CLI_TESTS)
endif
EXTRA_DIST += $(CLI_TESTS) tests/cli/recordings.bash tests/cli/check_schema.py \
	tests/cli/check_trace_events.py \
	tests/cli/check_picture.py

# Tests that record live look at who held which CPU for how long. They come last and
# one by one, so that no other test is in the picture.
LIVE_LOGS = tests/cli/explain-live.log tests/cli/record.log tests/cli/experiment.log
tests/cli/explain-live.log: $(filter-out $(LIVE_LOGS),$(TEST_LOGS))
tests/cli/record.log: $(filter tests/cli/explain-live.log,$(TEST_LOGS)) \
	$(filter-out $(LIVE_LOGS),$(TEST_LOGS))
tests/cli/experiment.log: $(filter tests/cli/explain-live.log tests/cli/record.log,$(TEST_LOGS)) \
	$(filter-out $(LIVE_LOGS),$(TEST_LOGS))
