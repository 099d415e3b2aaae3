# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += \
	tests/vm/boot \
	tests/vm/kernel \
	tests/vm/patches-guest \
	tests/vm/run \
	tests/vm/record-guest \
	tests/vm/compare_boundaries.py

# Tests that boot virtual machines: minutes, not seconds, so not in "make check".
VM_TESTS = tests/vm/patches.bats tests/vm/record.bats
EXTRA_DIST += $(VM_TESTS)

.PHONY: check-vm
check-vm:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(VM_TESTS)'
