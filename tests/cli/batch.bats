# SPDX-License-Identifier: GPL-2.0-or-later
# samples/batch: the scripts do what their README says.

bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR"
	export XLOGVIZ LC_ALL=C PARALLEL_HOME="$BATS_TEST_TMPDIR"
	lab="$top_srcdir/samples/lab" batch="$top_srcdir/samples/batch"
	[ -f "$lab/base.dat" ] || skip "the lab's samples aren't here"
}

need()
{
	command -v "$1" >/dev/null || skip "$1 isn't installed"
}

syncs()
{
	"$XLOGVIZ" report --json - "$@" | jq -s 'map(.counts.syncs) | add'
}

@test "report-many reports in parallel and merges" {
	need parallel
	cp "$lab/base.dat" "it's a name.dat"
	JOBS=2 "$batch/report-many" all.json "it's a name.dat" "$lab/fc.dat" "$lab/fc-bound.dat"
	[ "$(jq .counts.syncs all.json)" -eq "$(syncs "$lab"/{base,fc,fc-bound}.dat)" ]
	[ "$(jq -r '.trace.metadata.merged[].file' all.json | sort | head -1)" = "$lab/fc-bound.dat" ]
}

@test "report-many says that a file failed and merges the others" {
	need parallel
	run -1 --separate-stderr "$batch/report-many" all.json "$lab/base.dat" nothere.dat
	[[ "$stderr" == *"'nothere.dat'"* ]]
	[ "$(jq .counts.syncs all.json)" -eq "$(syncs "$lab/base.dat")" ]
}

@test "fleet merges what each host holds" {
	need parallel
	HOSTS=: "$batch/fleet" all.json "$lab/*-bound.dat"
	[ "$(jq .counts.syncs all.json)" -eq "$(syncs "$lab"/{base,fc}-bound.dat)" ]
}

@test "the Slurm array reports on its line of the list" {
	ls "$lab"/*.dat >list
	for i in 1 2 3 4; do
		SLURM_ARRAY_TASK_ID=$i "$batch/slurm-array" list out
	done
	"$XLOGVIZ" merge --json all.json out/*.json
	[ "$(jq .counts.syncs all.json)" -eq "$(syncs "$lab"/*.dat)" ]
	SLURM_ARRAY_TASK_ID=5 run "$batch/slurm-array" list out
	[ "$status" -eq 1 ]
}

@test "slow syncs by cause: each sync over the limit is in one line" {
	need jq
	"$XLOGVIZ" report --ndjson - "$lab"/*.dat >syncs
	jq -rn --argjson over_ms 1 -f "$batch/slow-by-cause.jq" syncs >causes
	[ "$(awk '{ n += $1 } END { print n + 0 }' causes)" -eq \
	  "$(jq -s 'map(select(.span_ns > 1000000)) | length' syncs)" ]
	[ -s causes ]
	grep -q ' ms' causes
}

@test "shellcheck has nothing to say" {
	need shellcheck
	shellcheck "$batch"/report-many "$batch"/fleet "$batch"/slurm-array
}
