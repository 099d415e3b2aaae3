# SPDX-License-Identifier: GPL-2.0-or-later
# What real recordings say about themselves, without being told.

bats_require_minimum_version 1.5.0
load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR"
	export LC_ALL=C
}

# report NAME: makes the files text, without its line breaks, and json
report()
{
	file="$(recording "$1")" || skip "the recording $1 isn't here"
	"$XLOGVIZ" report --text lines --json json "$file" || [ $? -eq 3 ]
	tr -s ' \n' '  ' <lines >text
}

finding()
{
	jq -e ".findings[] | select(.id == \"$1\")" json
}

@test "the task that its wakers bounce: why T4 is 35 us" {
	report uml-7.2-oldsched-fc.dat
	finding migration-bounce >f
	[ "$(jq -r .severity f)" = warning ]
	jq -r .text f | grep -q 'moved to another CPU twice in every sync, because the worker that wakes it occupies'
	jq -r .text f | grep -q 'the log worker [0-9]* times'
	# the split that proves it
	jq -e '.evidence | .T4_moved_p50_ns > 30000 and .T4_moved_p50_ns < 40000' f
	jq -e '.evidence | .parts_ns | ([.[]] | add) as $all | ."wakeup-ipi" > 0.5 * $all' f
	jq -e '.evidence.moves_per_sync > 1.9' f
	# in the answer, too
	grep -q 'they are moved to another CPU: the log worker that wakes them occupies their own' text
	grep -q 'moved to another CPU twice in every sync' text
}

@test "bound to one CPU: why T4 is 5 us" {
	report uml-7.2-oldsched-fc-pinned.dat
	! finding migration-bounce
	grep -q 'they are put on the CPU where the task that woke them, the log worker, still runs' text
	jq -e '.intervals.T4.p50 < 7000' json
	jq -e '[.wakes[] | select(.stage == "wake" and .cause == "waker-busy") | .count] | add > 900' json
}

@test "no bounce where there is none" {
	for f in uml-7.2-fc host-6.18-dd; do
		report $f.dat
		! finding migration-bounce || { echo $f; false; }
	done
}

@test "fake completion is said first, with the CPU count" {
	report uml-7.2-fc.dat
	finding fake-completion | jq -r .text | grep -q 'with 4 CPUs'
	grep -q 'With log I/O completed without a device on 4 CPUs' text
}

@test "eight tasks on a real disk: group commit and flush-only syncs" {
	report host-6.18-fio8.dat
	finding group-commit | jq -e '.evidence.syncs_at_once > 2'
}

@test "lost events are said, with what they spoil" {
	report matrix/6.1-amd64-lost.dat
	finding lost-events | jq -e '.evidence.lost_events > 10000'
}

@test "no finding below 5 % of sync time unless asked for" {
	report host-6.18-dd.dat
	jq -e '[.findings[] | select(.share != null and .share < 0.05)] | length == 0' json
	n="$(jq '.findings | length' json)"
	"$XLOGVIZ" report --all-findings --json json "$file" || [ $? -eq 3 ]
	[ "$(jq '.findings | length' json)" -gt "$n" ]
	jq -e '[.findings[] | select(.share != null and .share < 0.05 and .severity != "info")] | length == 0' json
}

@test "examples of findings are syncs of the report" {
	report host-6.18-fio8.dat
	jq -e '([.syncs[].id]) as $ids | [.findings[].evidence.examples // [] | .[]] - $ids == []' json
}
