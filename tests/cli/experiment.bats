# SPDX-License-Identifier: GPL-2.0-or-later
# xlogviz experiment: cells, rounds, what is skipped, going on after an interruption.

bats_require_minimum_version 1.5.0

setup()
{
	cd "$BATS_TEST_TMPDIR"
	unset COLUMNS NO_COLOR
	export LC_ALL=C
	img= mnt=
}

teardown()
{
	[ -z "$mnt" ] || ! mountpoint -q "$mnt" || umount "$mnt"
	[ -z "$img" ] || rm -f "$img"
}

# An XFS of its own for each test, in $mnt.
need_xfs()
{
	local tracing

	[ "$(id -u)" -eq 0 ] || skip "recording takes root"
	tracing="$(awk '$3 == "tracefs" { print $2; exit }' /proc/self/mounts)"
	[ -n "$tracing" ] || skip "no tracefs is mounted"
	[ -d "$tracing/events/xfs" ] || skip "this kernel has no XFS"
	command -v mkfs.xfs >/dev/null || skip "mkfs.xfs isn't installed"
	img="$(mktemp /dev/shm/xlogviz-test.XXXXXX)"
	mnt="$BATS_TEST_TMPDIR/mnt"
	mkdir "$mnt"
	truncate -s 320M "$img"
	mkfs.xfs -q "$img"
	mount -o loop "$img" "$mnt" 2>/dev/null || skip "loop devices can't be mounted"
	[ ! -e "/sys/fs/xfs/$(findmnt -no SOURCE "$mnt" | sed 's|.*/||')/log/fake_io" ] ||
		skip "this kernel has fake completion"
}

experiment()
{
	"$XLOGVIZ" experiment --dir out --scratch "$mnt" "$@" \
		-- dd if=/dev/zero of="$mnt/file" bs=4k count=60 oflag=sync
}

states()
{
	jq -r '.runs[].state' out/manifest.json | sort | uniq -c | awk '{ printf "%s %d ", $2, $1 }'
}

@test "base and base-bound are recorded in turns; fake completion is skipped and named" {
	need_xfs
	run --separate-stderr experiment --rounds 3
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	for cell in fc fc-bound; do
		[[ "$stderr" == *"cell '$cell' is skipped: this kernel can't complete log I/O"* ]]
	done
	[ "$(states)" = "done 6 " ]
	for cell in base base-bound; do
		for round in 1 2 3; do
			[ "$("$XLOGVIZ" report --json - out/$cell-$round.dat |
			     jq .counts.syncs)" -eq 60 ]
		done
	done
	# each round has each cell, and the order is not always the same
	jq -r '.runs[] | "\(.round) \(.cell)"' out/manifest.json >order
	sort order | uniq -d | wc -l | grep -qx 0
	[ "$(jq -r '.runs[] | select(.cell == "base") | .kB_per_s > 0' out/manifest.json | sort -u)" = true ]
	# the two tables, then the comparison
	[[ "$output" == *"Throughput (kB/s, as the workload says)"* ]]
	[[ "$output" == *"T1 / T2 / T3 / T4 (ns)"* ]]
	[[ "$output" == *"free to move"*"n/a"*"bound"*"n/a"* ]]
	[[ "$output" == *"180 syncs in 3 recordings"* ]]
	[ "$(jq -r '.recordings[].name' out/compare.json | tr '\n' ' ')" = "base base-bound " ]
	grep -q '^<svg\|<svg ' out/compare.svg
	grep -q Accounting out/compare.txt
}

done_runs()
{
	jq '[.runs[] | select(.state == "done")] | length' out/manifest.json 2>/dev/null || echo 0
}

@test "an interrupted experiment goes on where it stood" {
	need_xfs
	cat >workload <<-END
		dd if=/dev/zero of=$mnt/file bs=4k count=60 oflag=sync
		[ ! -e $PWD/hold ] || exec sleep 60
	END
	exp=("$XLOGVIZ" experiment --dir out --scratch "$mnt" --rounds 3 -- sh workload)
	"${exp[@]}" >first 2>&1 &
	pid=$!
	while [ "$(done_runs)" -lt 2 ]; do sleep 0.05; done
	touch hold
	sleep 1
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 1 ]
	grep -q "interrupted: the same command goes on" first
	before="$(done_runs)"
	[ "$before" -ge 2 ]
	[ "$before" -lt 6 ]
	started="$(jq '[.runs[] | select(.state == "done") | .start_s] | add' out/manifest.json)"
	rm hold
	run "${exp[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(states)" = "done 6 " ]
	# what was done is not done again
	[ "$(jq "[.runs[:$before][].start_s] | add" out/manifest.json)" -eq "$started" ]
}

@test "another experiment in the same folder is refused" {
	need_xfs
	experiment --rounds 1 --cells base
	run --separate-stderr experiment --rounds 2 --cells base
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"'out' holds an experiment with other rounds"* ]]
	run --separate-stderr "$XLOGVIZ" experiment --dir out --scratch "$mnt" --rounds 1 --cells base \
		-- true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"'out' holds an experiment with another command"* ]]
}

@test "a workload that fails stops the experiment and says where to look" {
	need_xfs
	run --separate-stderr "$XLOGVIZ" experiment --dir out --scratch "$mnt" --cells base \
		-- sh -c 'echo no luck; exit 7'
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"round 1 of 'base' failed with status 7: see 'out/base-1.out'"* ]]
	grep -q "no luck" out/base-1.out
	[ "$(jq -r '.runs[0].state' out/manifest.json)" = failed ]
}

@test "cells that can't be recorded at all: exit status 1 and why" {
	run --separate-stderr "$XLOGVIZ" experiment --dir out --cells fc,fc-bound -- true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"'fc' is skipped: fake completion needs a filesystem of its own: --scratch"* ]]
	[[ "$stderr" == *"none of the cells can be recorded here"* ]]
	[ ! -e out ]
}

@test "--scratch has to be an XFS that isn't the root" {
	for m in /proc /nothere; do
		run --separate-stderr "$XLOGVIZ" experiment --dir out --scratch $m -- true
		[ "$status" -eq 1 ]
		[[ "$stderr" == *"'$m'"* ]]
		[ ! -e out ]
	done
}
