# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel patches: they apply and are clean, the module builds, and in the
# laboratory it does what kernel-patch/README.md says. Takes about five minutes,
# most of it the build; needs Debian's packages and QEMU. With a kernel source in
# XLV_KERNEL_SOURCE the laboratory is User-Mode Linux with lock validation instead.

bats_require_minimum_version 1.5.0
patches=${top_srcdir:-$BATS_TEST_DIRNAME/../..}/kernel-patch

setup_file() {
	export without=
	set -- qemu-system-x86_64
	if [ -n "${XLV_KERNEL_SOURCE-}" ]; then
		set -- flex bison bc
	else
		for p in linux-source-6.1 linux-source-6.12 linux-headers-cloud-amd64; do
			apt-cache show $p >/dev/null 2>&1 ||
				without="no package '$p' here: run 'apt-get update'"
		done
	fi
	for p in "$@" trace-cmd mkfs.xfs git make gcc; do
		command -v $p >/dev/null || without="no $p here"
	done
	[ -z "$without" ] || return 0
	export LAB=$BATS_FILE_TMPDIR/lab
	set --
	[ -z "${XLV_KERNEL_SOURCE-}" ] || set -- --source "$XLV_KERNEL_SOURCE" --lockdep
	"$patches/lab" run "$@" --out "$LAB" --program xfs_repair --program xfs_db \
		--file "$BATS_TEST_DIRNAME/patches-guest" -- sh /bin/patches-guest >&2 ||
		[ $? -eq 3 ] # the kernel complains of the mount that must fail
	for r in off on off-again; do
		trace-cmd report "$LAB/$r.dat" 2>/dev/null >"$LAB/$r"
	done
}

setup() {
	[ -z "$without" ] || skip "$without"
}

fact() {
	sed -n "s/^$1=//p" "$LAB/facts"
}

# How often an event is in a recording.
count() {
	grep -c " $2:" "$LAB/$1" || :
}

# How many writes the block layer was given inside or outside the log.
writes() {
	awk -v where="$2" -v from="$(fact log_sector)" -v n="$(fact log_sectors)" '
		/ block_bio_queue:/ && $6 ~ /W/ {
			sum += ($7 >= from && $7 < from + n) == (where == "inside")
		}
		END { print sum + 0 }' "$LAB/$1"
}

@test "the patches apply to the source packages and checkpatch.pl finds nothing" {
	for series in 6.1 6.12 7.2; do
		# 7.2 is no package of Debian 12's
		apt-cache show linux-source-$series >/dev/null 2>&1 || continue
		run -0 "$patches/build-module" --check --kernel $series
	done
}

@test "the switch is off by default, root's, and takes 0 and 1 only" {
	[ "$(fact default)" = 0 ]
	[ "$(fact nonsense)" = "Invalid argument" ]
	[ "$(fact as_nobody)" = "Permission denied" ]
	[ "$(fact after_nobody)" = 0 ]
}

@test "switched off, every log write is I/O" {
	for r in off off-again; do
		[ "$(count $r xlog_fake_io)" -eq 0 ]
		[ "$(count $r xlog_iclog_write)" -ge 40 ]
		[ "$(writes $r inside)" -ge 40 ]
		[ "$(writes $r outside)" -ge 40 ]
	done
}

@test "switched on, there is no log I/O at all, and data I/O as before" {
	[ "$(fact on)" = 1 ]
	[ "$(writes on inside)" -eq 0 ]
	[ "$(writes on outside)" -ge 40 ]
}

@test "each log write has its fake completion, of its own LSN, right after it" {
	[ "$(count on xlog_fake_io)" -ge 40 ]
	awk '
		/ xlog_iclog_write:/ { match($0, /lsn 0x[0-9a-f]+/); want[$1] = substr($0, RSTART + 4, RLENGTH - 4) }
		/ xlog_fake_io:/ { match($0, /key 0x[0-9a-f]+/); got = substr($0, RSTART + 4, RLENGTH - 4)
			if (got != want[$1]) exit 1
			delete want[$1] }
		END { for (t in want) exit 1 }' "$LAB/on"
}

@test "spans nest: force, CIL force, wait, each left after it was entered" {
	for r in off on; do
		for span in xlog_force xlog_cil_force xlog_force_wait; do
			[ "$(count $r ${span}_enter)" -ge 40 ]
			[ "$(count $r ${span}_enter)" -eq "$(count $r ${span}_exit)" ]
		done
		awk '
			$1 !~ /^dd-/ || !match($0, / xlog_(cil_)?force(_wait)?_(enter|exit): /) { next }
			{ event = substr($0, RSTART + 1, RLENGTH - 3) }
			event ~ /_enter$/ { sub(/_enter/, "", event); stack[++depth] = event; next }
			{ sub(/_exit/, "", event); if (stack[depth--] != event) exit 1 }
			END { if (depth) exit 1 }' "$LAB/$r"
	done
}

@test "each wake with waiters is followed by a waiter that leaves its wait" {
	woken=$(grep -c ' xlog_force_wake:.* val 1$' "$LAB/off")
	[ "$woken" -ge 40 ]
	[ "$woken" -le "$(count off xlog_force_wait_exit)" ]
}

@test "the recorder leaves it off: after a good and a failed workload, INT, TERM and KILL" {
	[ "$(fact recorder_done)" ] || skip "no xlogviz: name it in XLOGVIZ"
	for end in done failed INT TERM KILL; do
		[ $end = failed ] || [ "$(fact recorder_on_$end)" = 1 ]
		[ "$(fact recorder_$end)" = 0 ]
	done
	[ "$(fact recorder_status_done)" -eq 0 ]
	[ "$(fact recorder_status_failed)" -eq 1 ]
	[ "$(fact recorder_status_KILL)" -eq 137 ]
	[ "$(fact instances)" -eq 0 ]
}

@test "it is off while the log is quiesced, and can't be switched on then" {
	[ "$(fact frozen)" = 0 ]
	[ "$(fact on_while_frozen)" = "Device or resource busy" ] ||
		[ "$(fact on_while_frozen)" = "Resource busy" ]
	[ "$(fact on_when_thawed)" = "" ]
	[ "$(fact readonly)" = 0 ]
	[ "$(fact on_while_readonly)" = "Read-only file system" ]
}

@test "a hundred switches under the load of four tasks: no hang, no failure, no shutdown" {
	[ "$(fact load_failures)" -eq 0 ]
	[ "$(fact load_rounds)" -ge 4 ]
	[ "$(fact after_load)" = 0 ]
	[ "$(fact alive)" = yes ]
	! grep -E 'WARNING:|INFO: possible|BUG:|Call Trace|blocked for more|shutting down' "$LAB/dmesg-load"
}

@test "the kernel log warns, and the kernel is tainted from then on" {
	[ "$(fact taint_before)" = 0 ]
	[ "$(fact taint_after)" = 64 ]
	grep -q 'XFS (vda): Fake log I/O is ON.' "$LAB/dmesg"
	grep -q 'XFS (vda): Log I/O was faked, the log has holes' "$LAB/dmesg"
}

@test "the alert at unmount is right: no mount before, a mount after zeroing the log" {
	[ "$(fact remount)" = failed ]
	[ "$(fact mount_after_repair)" = worked ]
	[ "$(fact after_repair)" = 0 ]
}
