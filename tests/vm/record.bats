# SPDX-License-Identifier: GPL-2.0-or-later
# Recording in a virtual machine, where trace-cmd and kprobes work: see run.

@test "recordings by trace-cmd and with kprobes, in a virtual machine" {
	for tool in qemu-system-x86_64 trace-cmd mkfs.xfs fio python3; do
		command -v $tool >/dev/null || skip "$tool isn't installed"
	done
	"$BATS_TEST_DIRNAME/kernel" >/dev/null || skip "the kernel's package can't be had"
	run "$BATS_TEST_DIRNAME/run"
	echo "$output"
	[ "$status" -eq 0 ]
}
