# SPDX-License-Identifier: GPL-2.0-or-later
# xlogviz compare, merge and export: forms, outputs, errors, exit statuses.

bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR"
	unset COLUMNS NO_COLOR
	export LC_ALL=C
	lab="$top_srcdir/samples/lab"
	[ -f "$lab/base.dat" ] || skip "the lab's samples aren't here"
}

need()
{
	command -v "$1" >/dev/null || skip "$1 isn't installed"
}

need_schema()
{
	python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema isn't installed"
}

longest_line()
{
	awk '{ n = length($0); if (n > max) max = n } END { print max + 0 }' "$1"
}

# ---- usage ----

@test "--help goes to standard output, fits 80 columns, and is in the man page" {
	for c in compare merge export experiment; do
		run --separate-stderr "$XLOGVIZ" $c --help
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[[ "$output" == "usage: xlogviz $c"* ]]
		[[ "$output" == *"Exit status:"* ]]
		echo "$output" >help
		[ "$(longest_line help)" -le 80 ]
		sed 's/\\-/-/g' "$top_srcdir/doc/xlogviz-$c.1" >page
		grep -o -- '--[a-z][a-z-]*' help | sort -u | while read -r o; do
			grep -qe "$o" page || { echo "$c: missing: $o"; false; }
		done
	done
}

@test "wrong usage: exit status 2 and the reason" {
	local -a cases=(
		"compare|nothing named"
		"compare --seed x a b|'x'"
		"compare --nope a b|--nope"
		"compare --json - --svg - a b|standard output"
		"compare $lab/base.dat|alone"
		"merge|no report"
		"merge --json|--json"
		"export $lab/base.dat|--perfetto"
		"export --perfetto x|no recording"
		"export --perfetto x a b|one recording"
		"experiment -- true|--dir"
		"experiment --dir d|no command"
		"experiment --dir d --cells base,all -- true|'all'"
		"experiment --dir d --rounds 0 -- true|'0'"
	)
	for c in "${cases[@]}"; do
		run --separate-stderr "$XLOGVIZ" ${c%|*}
		[ "$status" -eq 2 ] || { echo "$c: $status"; false; }
		[[ "$stderr" == *"${c#*|}"* ]] || { echo "$c: $stderr"; false; }
		[ -z "$output" ]
	done
}

@test "what can't be read is named, with exit status 1 and no output" {
	echo '{"schema":"xlogviz.compare/1"}' >other.json
	for f in nothere.dat other.json .; do
		run --separate-stderr "$XLOGVIZ" compare --json out.json "$lab/base.dat" "$f"
		[ "$status" -eq 1 ]
		[[ "$stderr" == *"'$f'"* ]]
		[ ! -e out.json ]
	done
	run --separate-stderr "$XLOGVIZ" merge --json out.json other.json
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"'other.json'"* ]]
	[ ! -e out.json ]
}

# ---- compare ----

@test "compare says how much, why, and what isn't fair" {
	COLUMNS=80 "$XLOGVIZ" compare "$lab/base.dat" "$lab/fc.dat" >text
	grep -q "^base  base" text
	grep -q "^other fc" text
	grep -q "^Figures" text
	grep -q "^Accounting of the mean sync, in ns; every column adds up" text
	tr '\n' ' ' <text | tr -s ' ' | grep -q "fake completion of log writes on [0-9]* CPUs: it \
skips the cache flush and never equals a fast device"
	[ "$(longest_line text)" -le 100 ]
	! grep -q $'\033' text
}

@test "every column of the accounting adds up to the nanosecond" {
	"$XLOGVIZ" compare --json c.json "$lab"/base.dat "$lab"/fc.dat "$lab"/base-bound.dat \
		"$lab"/fc-bound.dat
	python3 - <<-'END'
		import json
		d = json.load(open("c.json"))
		assert len(d["comparisons"]) == 3
		for c in d["comparisons"]:
		    for a in (c["accounting"], c["typical"]):
		        for key in ("base_ns", "other_ns", "difference_ns"):
		            assert sum(s[key] for s in a["stages"]) == a[key], key
		            for s in a["stages"]:
		                assert sum(p[key] for p in s["parts"]) == s[key], (s["stage"], key)
		        assert a["other_ns"] - a["base_ns"] == a["difference_ns"]
		    for m in (c["placements"], c["kinds"]):
		        assert m["difference_ns"] == c["accounting"]["difference_ns"]
		        assert m["mix_ns"] + m["rate_ns"] == m["difference_ns"]
		        for key in ("mix_ns", "rate_ns"):
		            assert sum(g[key] for g in m["groups"]) == m[key]
		    mean = [f for f in c["figures"] if f["interval"] == "span" and f["statistic"] == "mean"]
		    assert mean[0]["difference_ns"] == c["accounting"]["difference_ns"]
	END
}

@test "the JSON fits its schema, from recordings, reports and merged reports" {
	need_schema
	"$XLOGVIZ" report --json base.json "$lab/base.dat"
	"$XLOGVIZ" report --json fc.json "$lab/fc.dat"
	"$XLOGVIZ" merge --json all.json base.json fc.json
	"$XLOGVIZ" compare --json 1.json "$lab"/base.dat "$lab"/fc.dat
	"$XLOGVIZ" compare --json 2.json base.json fc.json
	"$XLOGVIZ" compare --json 3.json all.json fc.json
	python3 "$top_srcdir/tests/cli/check_schema.py" "$top_srcdir/doc/compare.schema.json" \
		1.json 2.json 3.json
	python3 "$top_srcdir/tests/cli/check_schema.py" "$top_srcdir/doc/report.schema.json" all.json
	[ "$(jq -r '.comparisons[0].verdict' 3.json)" = unknown ]
	[ "$(jq -r '.comparisons[0].figures[0].low_ns' 3.json)" = null ]
}

@test "a report compares like its recording" {
	"$XLOGVIZ" report --json base.json "$lab/base.dat"
	"$XLOGVIZ" report --json fc.json "$lab/fc.dat"
	"$XLOGVIZ" compare "$lab/base.dat" "$lab/fc.dat" >of-recordings
	"$XLOGVIZ" compare base.json fc.json >of-reports
	diff of-recordings of-reports
}

@test "a recording doesn't differ from itself" {
	f="$(recording uml-7.2-fc.dat)" || skip "the recording uml-7.2-fc isn't here"
	run --separate-stderr "$XLOGVIZ" compare "$f" "$f"
	[ "$status" -eq 0 ]
	[[ "$output" == *"No evidence of a difference"* ]]
	[ "$("$XLOGVIZ" compare --json - "$f" "$f" |
	     jq '[.comparisons[0].figures[] | select(.evidence)] | length')" -eq 0 ]
}

@test "the same seed gives the same bytes" {
	"$XLOGVIZ" compare --json 1.json "$lab"/base.dat "$lab"/fc.dat
	"$XLOGVIZ" compare --json 2.json "$lab"/base.dat "$lab"/fc.dat
	cmp 1.json 2.json
	"$XLOGVIZ" compare --svg 1.svg "$lab"/base.dat "$lab"/fc.dat
	"$XLOGVIZ" compare --svg 2.svg "$lab"/base.dat "$lab"/fc.dat
	cmp 1.svg 2.svg
}

@test "the picture has a band a recording and a waterfall a comparison, true to the numbers" {
	need rsvg-convert
	"$XLOGVIZ" compare --svg c.svg --json c.json "$lab"/base.dat "$lab"/fc.dat "$lab"/fc-bound.dat
	rsvg-convert c.svg -o c.png
	python3 - <<-'END'
		import json
		import xml.etree.ElementTree as ET
		ns = "{http://www.w3.org/2000/svg}"
		root = ET.parse("c.svg").getroot()
		d = json.load(open("c.json"))
		def group(name):
		    return [g for g in root.iter(ns + "g") if g.get("id") == name][0]
		for i in range(3):
		    bars = [g for g in group(f"median-{i}").iter(ns + "g") if g.get("class") == "stage"]
		    assert bars
		for i, c in enumerate(d["comparisons"]):
		    bars = [int(g.get("data-ns")) for g in group(f"waterfall-{i + 1}").iter(ns + "g")
		            if g.get("class") == "bar"]
		    want = []
		    for a in (c["typical"], c["accounting"]):
		        want += [a["base_ns"]] + [s["difference_ns"] for s in a["stages"]
		                                  if s["base_ns"] or s["other_ns"]] + [a["other_ns"]]
		    assert bars == want, (bars, want)
	END
}

@test "NO_COLOR and a pipe give plain text" {
	NO_COLOR=1 "$XLOGVIZ" compare "$lab/base.dat" "$lab/fc.dat" >text
	! grep -q $'\033' text
}

# ---- merge ----

@test "merged counts are exact and quantiles within one percent" {
	a="$(recording host-6.18-fio8.dat)" && b="$(recording uml-7.2-base.dat)" ||
		skip "the recordings aren't here"
	"$XLOGVIZ" report --json a.json "$a"
	"$XLOGVIZ" report --json b.json "$b"
	"$XLOGVIZ" merge --json ab.json a.json b.json
	"$XLOGVIZ" merge --json ba.json b.json a.json
	cmp ab.json ba.json
	cat b.json a.json | "$XLOGVIZ" merge - | cmp - ab.json
	python3 - <<-'END'
		import json, math
		a, b, m = (json.load(open(f)) for f in ("a.json", "b.json", "ab.json"))
		assert m["counts"]["syncs"] == a["counts"]["syncs"] + b["counts"]["syncs"]
		for i in ("span", "T1", "T2", "T3", "T4"):
		    v = sorted(s[i if "_" in i else i + "_ns"] for r in (a, b) for s in r["syncs"]
		               if s["status"] == "complete" and s[i + "_ns"] is not None)
		    d = m["intervals"][i]
		    assert d["n"] == len(v) and d["min"] == v[0] and d["max"] == v[-1] and d["sum"] == sum(v)
		    for q, key in ((.5, "p50"), (.9, "p90"), (.95, "p95"), (.99, "p99")):
		        exact = v[math.ceil(q * len(v)) - 1]
		        assert abs(d[key] - exact) <= 0.01 * exact, (i, key, d[key], exact)
	END
}

@test "a thousand reports merge in two seconds of CPU" {
	"$XLOGVIZ" report --json one.json "$lab/base.dat"
	mkdir many
	for i in $(seq 1000); do ln -s ../one.json many/$i.json; done
	TIMEFORMAT='%U %S'
	used="$( { time "$XLOGVIZ" merge --json all.json many/*.json; } 2>&1)"
	echo "user and system seconds: $used" >&3
	[ "$(jq .counts.syncs all.json)" -eq $((1000 * $(jq .counts.syncs one.json))) ]
	[ "$(jq '.trace.metadata.merged | length' all.json)" -eq 1000 ]
	echo "$used" | awk '{ exit !($1 + $2 < 2) }'
}

@test "a merged report reads as text" {
	"$XLOGVIZ" report --json a.json "$lab/base.dat"
	"$XLOGVIZ" report --json b.json "$lab/base-bound.dat"
	run "$XLOGVIZ" merge --text - a.json b.json
	[ "$status" -eq 0 ]
	[[ "$output" == *"2 recordings"* ]]
}

# ---- export ----

@test "the export keeps to the Trace Event Format and to the report" {
	for f in "$lab"/base.dat "$lab"/fc.dat; do
		"$XLOGVIZ" export --perfetto e.json "$f"
		"$XLOGVIZ" report --json r.json "$f"
		python3 "$top_srcdir/tests/cli/check_trace_events.py" e.json r.json
	done
	for f in host-6.18-fio8.dat qemu-6.1-fio4-base.dat uml-7.2-oldsched-fc.dat; do
		path="$(recording $f)" || continue
		"$XLOGVIZ" export --perfetto e.json "$path"
		"$XLOGVIZ" report --json r.json "$path"
		python3 "$top_srcdir/tests/cli/check_trace_events.py" e.json r.json
	done
}

@test "the export's check finds what is wrong" {
	"$XLOGVIZ" export --perfetto e.json "$lab/base.dat"
	"$XLOGVIZ" report --json r.json "$lab/base.dat"
	local -a damage=(
		'(.traceEvents[] | select(.cat == "stage") | .dur) |= . + 1'
		'del(.traceEvents[] | select(.ph == "f"))'
		'del(first(.traceEvents[] | select(.ph == "e")))'
		'(first(.traceEvents[] | select(.cat == "sync" and .ph == "X")) | .ts) |= . + 5'
		'del(.traceEvents[] | select(.name == "thread_name"))'
		'(.traceEvents[] | select(.ph == "t") | .ts) |= 0'
	)
	for d in "${damage[@]}"; do
		jq "$d" e.json >bad.json
		run python3 "$top_srcdir/tests/cli/check_trace_events.py" bad.json r.json
		[ "$status" -ne 0 ] || { echo "not found: $d"; false; }
	done
}

@test "an export of a part holds that part only" {
	id="$("$XLOGVIZ" report --json - "$lab/base.dat" | jq '.syncs[3].pid')"
	"$XLOGVIZ" export --perfetto e.json --from +0 --to +0.01 "$lab/base.dat"
	"$XLOGVIZ" export --perfetto all.json "$lab/base.dat"
	[ "$(jq '.traceEvents | length' e.json)" -lt "$(jq '.traceEvents | length' all.json)" ]
	run "$XLOGVIZ" export --perfetto none.json "$lab/README.md"
	[ "$status" -eq 1 ]
	[ ! -e none.json ]
}
