# SPDX-License-Identifier: GPL-2.0-or-later
# Syncs over 10 ms, counted by the stage that took most of each, with the cause of
# its wake-up where it is one:
#
#	xlogviz report --ndjson - *.dat | jq -rnf slow-by-cause.jq
#
# --argjson over_ms 2 for another limit.

(($ARGS.named.over_ms // 10) * 1000000) as $over |
[ inputs | select(.span_ns > $over) | . as $sync |
  ( .stages | group_by(.stage)
    | map({ stage: .[0].stage, ns: (map(.ns) | add), wake: (map(.wake) | max) })
    | max_by(.ns) ) as $top |
  { what: ($top.stage + (if $top.wake != null then ": " + $sync.wakes[$top.wake].cause else "" end)),
    ns: $top.ns } ]
| group_by(.what) | map({ what: .[0].what, n: length, ms: (map(.ns) | add / 1000000) })
| sort_by(-.ms)[] | "\(.n)\t\(.ms | floor) ms\t\(.what)"
