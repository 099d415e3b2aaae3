# SPDX-License-Identifier: GPL-2.0-or-later
CLI_TESTS = \
	tests/cli/usage.bats
if HAVE_BATS
TESTS += $(CLI_TESTS)
endif
EXTRA_DIST += $(CLI_TESTS)
