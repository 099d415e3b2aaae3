# SPDX-License-Identifier: GPL-2.0-or-later
# What the samples hold, against what else is known of them.

bats_require_minimum_version 1.5.0

# near A B PERCENT
near()
{
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit d > b * p / 100 }'
}

@test "the dd sample holds 100 complete syncs, each with a log force" {
	run --separate-stderr "$XLOGVIZ" report --json - "$top_srcdir/samples/dd.dat"
	[ "$status" -eq 0 ]
	[ "$(jq '.counts.complete' <<<"$output")" -eq 100 ]
	[ "$(jq '[.syncs[] | select(.kind == "log-force")] | length' <<<"$output")" -eq 100 ]
	[ "$(jq '.intervals.T4.n' <<<"$output")" -eq 100 ]
}

@test "the fio sample's count and latencies are fio's own" {
	fio="$top_srcdir/samples/fio4.fio.json"
	run --separate-stderr "$XLOGVIZ" report --no-syncs --json - "$top_srcdir/samples/fio4.dat"
	[ "$status" -eq 0 ]
	[ "$(jq '.counts.syncs' <<<"$output")" -eq "$(jq '.jobs[0].sync.total_ios' "$fio")" ]
	for k in min max mean; do
		near "$(jq ".intervals.span.$k" <<<"$output")" \
			"$(jq ".jobs[0].sync.lat_ns.$k" "$fio")" 1.5
	done
	near "$(jq '.intervals.span.p50' <<<"$output")" \
		"$(jq '.jobs[0].sync.lat_ns.percentile["50.000000"]' "$fio")" 1.5
}

@test "the stages of every sync add up to its span" {
	for f in "$top_srcdir"/samples/*.dat "$top_srcdir"/samples/lab/*.dat; do
		"$XLOGVIZ" report --json - "$f" 2>/dev/null |
			jq -e '[.syncs[] | select(.status == "complete") |
				([.stages[].ns] | add) == .span_ns] | length > 0 and all'
	done
}
