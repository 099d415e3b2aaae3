# SPDX-License-Identifier: GPL-2.0-or-later
# xlogviz report: form, filters, outputs, errors, exit statuses.

bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR"
	unset COLUMNS NO_COLOR
	export LC_ALL=C
}

dd_recording()
{
	dd_file="$(recording host-6.18-dd.dat)" || skip "the recording host-6.18-dd isn't here"
}

fio_recording()
{
	fio_file="$(recording host-6.18-fio8.dat)" || skip "the recording host-6.18-fio8 isn't here"
}

need()
{
	command -v "$1" >/dev/null || skip "$1 isn't installed"
}

longest_line()
{
	awk '{ n = length($0); if (n > max) max = n } END { print max + 0 }' "$1"
}

# ---- usage ----

@test "--help goes to standard output and names every option" {
	run --separate-stderr "$XLOGVIZ" report --help
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	for o in text json csv ndjson no-syncs slowest all-findings pid comm dev from to buffer \
		 boundaries help version; do
		[[ "$output" == *"--$o"* ]] || { echo "missing: $o"; false; }
	done
}

@test "--help fits 80 columns" {
	"$XLOGVIZ" report --help >help
	[ "$(longest_line help)" -le 80 ]
}

@test "every option in --help is in the man page" {
	"$XLOGVIZ" report --help | grep -o -- '--[a-z][a-z-]*' | sort -u >options
	sed 's/\\-/-/g' "$top_srcdir/doc/xlogviz-report.1" >page
	while read -r o; do
		grep -qe "$o" page || { echo "missing: $o"; false; }
	done <options
}

@test "no file is wrong usage" {
	run "$XLOGVIZ" report
	[ "$status" -eq 2 ]
	[[ "$output" == "xlogviz: no recording named"* ]]
}

@test "wrong options and values are wrong usage and are quoted" {
	for args in --nope -z --pid=x --pid=0 --dev=loop0 --dev=7 --from=abc --to=+ --slowest=-1 \
		    --slowest=many --boundaries=magic --help=x; do
		run "$XLOGVIZ" report "$args" x.dat
		[ "$status" -eq 2 ] || { echo "$args: $status"; false; }
		value="${args#*=}"
		[[ "$output" == *"'"*"$value"*"'"* ]] || { echo "$args: $output"; false; }
	done
	run "$XLOGVIZ" report x.dat --pid
	[ "$status" -eq 2 ]
	[[ "$output" == *"'--pid' needs a value"* ]]
}

@test "two outputs can't both be standard output" {
	run "$XLOGVIZ" report --json - --csv - x.dat
	[ "$status" -eq 2 ]
	[[ "$output" == *"--json and --csv"* ]]
}

@test "two files of one name can't go into one folder" {
	mkdir out
	run "$XLOGVIZ" report --json out a/t.dat b/t.dat
	[ "$status" -eq 2 ]
	[[ "$output" == *"'out/t.json'"* ]]
}

# ---- files that can't be reported on ----

@test "a file that isn't there is named" {
	run --separate-stderr "$XLOGVIZ" report nowhere.dat
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ "$stderr" == "xlogviz: "*"'nowhere.dat'"* ]]
}

@test "a file that is no recording is an error and leaves no output" {
	head -c 5000 /dev/zero >zero.dat
	: >empty.dat
	echo "dear list" >mail.txt
	for f in zero.dat empty.dat mail.txt; do
		run --separate-stderr "$XLOGVIZ" report --json out.json "$f"
		[ "$status" -eq 1 ] || { echo "$f: $status"; false; }
		[[ "$stderr" == "xlogviz: "*"'$f'"* ]] || { echo "$stderr"; false; }
		[ ! -e out.json ]
	done
	[ -z "$(ls -A | grep xlogviz- || true)" ]
}

@test "a recording without XFS events says what to record, and no report is written" {
	f="$(recording public/kinmax_fifo.dat)" || skip "the recording kinmax_fifo isn't here"
	run --separate-stderr "$XLOGVIZ" report --json out.json "$f"
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ "$stderr" == *"no XFS events"*"xfs:xfs_log_force"*"xlogviz record "* ]]
	[ ! -e out.json ]
}

# ---- text ----

@test "the text has all its parts in order" {
	dd_recording
	"$XLOGVIZ" report "$dd_file" >text
	grep -nE '^(Intervals|Sleeps by queue|Where time goes|Wake-ups by cause|Placements|Pipeline|Slowest syncs)' \
		text | cut -d: -f2 | cut -c1-12 >parts
	printf '%s\n' "Intervals   " "Sleeps by qu" "Where time g" "Wake-ups by " "Placements  " \
		"Pipeline" "Slowest sync" >expected
	diff expected parts
	head -1 text | grep -q 'host-6.18-dd.dat$'
	grep -q '  kernel .*, 2 CPUs, clock .*, trace.dat version 6' text
	grep -q ' 200 syncs by 1 task' text
	[ "$(grep -c -- '  --sync ' text)" -eq 5 ]
}

@test "no line of text is longer than the width" {
	fio_recording
	for width in 80 100 120; do
		COLUMNS=$width "$XLOGVIZ" report "$fio_file" >text
		sed 1d text >body		# the first line is the file's name
		[ "$(longest_line body)" -le $width ] ||
			{ echo "at $width:"; awk -v w=$width 'length($0) > w' body; false; }
	done
}

@test "text is ASCII in the C locale and has bars of blocks in UTF-8" {
	dd_recording
	"$XLOGVIZ" report "$dd_file" >text
	! LC_ALL=C grep -q '[^ -~]' text
	locale -a | grep -qi '^c.utf' || skip "no locale C.UTF-8"
	LC_ALL=C.UTF-8 "$XLOGVIZ" report "$dd_file" >text8
	grep -q "$(printf '\342\226\210')" text8
}

@test "what doesn't go to a terminal has no colours" {
	dd_recording
	TERM=xterm "$XLOGVIZ" report "$dd_file" >text
	! grep -q "$(printf '\033')" text
}

@test "a terminal gets colours unless NO_COLOR is set" {
	dd_recording
	need script
	esc="$(printf '\033')"
	TERM=xterm script -qec "'$XLOGVIZ' report '$dd_file'" /dev/null >shown </dev/null
	grep -q "$esc" shown
	NO_COLOR=1 TERM=xterm script -qec "'$XLOGVIZ' report '$dd_file'" /dev/null >shown </dev/null
	! grep -q "$esc\[[0-9;]*m" shown
}

@test "--slowest says how many are listed, slowest first" {
	dd_recording
	"$XLOGVIZ" report --slowest 3 "$dd_file" >text
	[ "$(grep -c -- '  --sync ' text)" -eq 3 ]
	"$XLOGVIZ" report --slowest 0 "$dd_file" >text
	! grep -q 'Slowest' text
	need jq
	"$XLOGVIZ" report --json r.json --text text --slowest 4 "$dd_file"
	jq -r '[.syncs[] | select(.status == "complete")] | sort_by(-.span_ns, .id)[:4][].id' r.json >expected
	sed -n 's/^  --sync \([0-9]*\) .*/\1/p' text | diff expected -
}

# ---- JSON ----

@test "the JSON report fits its schema, in every kind of recording" {
	python=
	for p in /usr/bin/python3 python3; do
		"$p" -c 'import jsonschema' 2>/dev/null && python="$p" && break
	done
	[ -n "$python" ] || skip "python3-jsonschema isn't installed"
	found=
	for name in host-6.18-dd host-6.18-fio8 uml-7.2-fc qemu-6.1-base matrix/5.10-amd64 \
		    matrix/6.1-s390x matrix/6.1-amd64-lost matrix/6.1-amd64-x86-tsc; do
		f="$(recording $name.dat)" || continue
		found=1
		"$XLOGVIZ" report --all-findings --json r.json "$f" || [ $? -eq 3 ]
		"$python" "$top_srcdir/tests/cli/check_schema.py" \
			"$top_srcdir/doc/report.schema.json" r.json
	done
	[ -n "$found" ] || skip "no recordings here"
}

@test "the JSON report's sums hold" {
	fio_recording
	need jq
	"$XLOGVIZ" report --json r.json "$fio_file"
	jq -e '
		def sum(f): map(f) | add // 0;
		(.syncs | map(select(.status == "complete"))) as $c |
		(.counts.syncs == (.syncs | length)) and
		(.counts.complete == ($c | length)) and
		(.counts.partial == .counts.syncs - .counts.complete) and
		(.intervals.span.sum == ($c | sum(.span_ns))) and
		(.intervals.T4.n == ([$c[] | select(.T4_ns != null)] | length)) and
		([.stages[].sum] | add) == .intervals.span.sum and
		(([.stages[].share] | add) - 1 | fabs) < 1e-6 and
		([.placements[].count] | add) == ([$c[] | select(.placement != null)] | length) and
		([.kinds[].count] | add) == .counts.syncs and
		([.wakes[] | .total_ns == ([.parts_ns[]] | add)] | all) and
		([$c[] | .span_ns == (.stages | sum(.ns))] | all) and
		([$c[].waits[] | select(.cause != null and .cause != "unknown") |
		  .running_ns - .waking_ns == ([.parts_ns[]] | add // 0)] | all) and
		([.intervals[], .stages[], .waits[] | select(.hist != null) |
		  .n == ([.hist.buckets[][1]] | add)] | all)
	' r.json
}

@test "quantiles are the nearest rank of the syncs listed" {
	fio_recording
	need jq
	"$XLOGVIZ" report --json r.json "$fio_file"
	jq -e '
		def rank(q): sort | .[((length * q - 1e-9) | ceil) - 1];
		. as $r |
		[ ["span", "T1", "T2", "T3", "T4"][] as $i |
		  [$r.syncs[] | select(.status == "complete") | .[$i + "_ns"] | values] as $v |
		  $r.intervals[$i] | .n == ($v | length) and .p50 == ($v | rank(0.5)) and
		  .p90 == ($v | rank(0.9)) and .p95 == ($v | rank(0.95)) and
		  .p99 == ($v | rank(0.99)) and .min == ($v | min) and .max == ($v | max) ] | all
	' r.json
}

@test "--no-syncs leaves out the syncs and nothing else" {
	dd_recording
	need jq
	"$XLOGVIZ" report --json whole.json "$dd_file"
	"$XLOGVIZ" report --json short.json --no-syncs "$dd_file"
	jq 'del(.syncs)' whole.json >expected
	jq . short.json | diff expected -
}

@test "reports of several files are one a line" {
	dd_recording
	fio_recording
	need jq
	"$XLOGVIZ" report --json all.json --no-syncs "$dd_file" "$fio_file"
	[ "$(wc -l <all.json)" -eq 2 ]
	[ "$(jq -r .counts.syncs all.json | paste -sd ' ')" = "200 792" ]
}

@test "a folder gets a file for each recording" {
	dd_recording
	fio_recording
	mkdir out
	"$XLOGVIZ" report --json out --csv out/ "$dd_file" "$fio_file"
	[ "$(ls out | paste -sd ' ')" = \
	  "host-6.18-dd.csv host-6.18-dd.json host-6.18-fio8.csv host-6.18-fio8.json" ]
}

# ---- CSV and lines of JSON ----

@test "CSV has a row for each sync, all of the same width" {
	fio_recording
	"$XLOGVIZ" report --csv out.csv "$fio_file"
	[ "$(wc -l <out.csv)" -eq 793 ]
	head -1 out.csv | grep -q '^id,kind,pid,comm,'
	[ "$(awk -F, '{ print NF }' out.csv | sort -u | wc -l)" -eq 1 ]
}

@test "CSV, lines of JSON and the JSON report say the same" {
	fio_recording
	need jq
	"$XLOGVIZ" report --csv out.csv --ndjson out.ndjson --json out.json "$fio_file"
	jq -c '.syncs[] | [.id, .pid, .start_ns, .span_ns, .T1_ns, .T2_ns, .T3_ns, .T4_ns]' out.json >a
	jq -c '[.id, .pid, .start_ns, .span_ns, .T1_ns, .T2_ns, .T3_ns, .T4_ns]' out.ndjson >b
	cmp a b
	awk -F, 'NR > 1 { for (i = 11; i <= 14; i++) if ($i == "") $i = "null"
			  printf "[%s,%s,%s,%s,%s,%s,%s,%s]\n", $1, $3, $9, $10, $11, $12, $13, $14 }' \
		out.csv | cmp a -
}

# ---- filters ----

@test "--pid and --comm choose by task" {
	fio_recording
	need jq
	"$XLOGVIZ" report --json all.json "$fio_file"
	pid="$(jq .syncs[0].pid all.json)"
	"$XLOGVIZ" report --json one.json --pid "$pid" "$fio_file"
	[ "$(jq .counts.syncs one.json)" = "$(jq "[.syncs[] | select(.pid == $pid)] | length" all.json)" ]
	[ "$(jq .filter.pid one.json)" = "$pid" ]
	"$XLOGVIZ" report --json some.json --comm 'f?o*' "$fio_file"
	[ "$(jq .counts.syncs some.json)" -eq 792 ]
	run "$XLOGVIZ" report --comm nosuchtask "$fio_file"
	[ "$status" -eq 1 ]
	[[ "$output" == *"no sync of "*"passes the filter"*"792"* ]]
}

@test "--from and --to split a recording, absolute or from its start" {
	dd_recording
	need jq
	"$XLOGVIZ" report --json all.json "$dd_file"
	at="$(jq '.syncs[100].start_ns' all.json)"
	seconds="$((at / 1000000000)).$(printf %09d $((at % 1000000000)))"
	"$XLOGVIZ" report --json a.json --to "$seconds" "$dd_file"
	"$XLOGVIZ" report --json b.json --from "$seconds" "$dd_file"
	[ "$(jq .counts.syncs a.json)" -eq 100 ]
	[ "$(jq .syncs[0].id b.json)" -eq 101 ]
	after="$((at - $(jq .trace.start_ns all.json)))"
	"$XLOGVIZ" report --json c.json --from "+0.$(printf %09d $after)" "$dd_file" ||
		"$XLOGVIZ" report --json c.json --from "+$((after / 1000000000)).$(printf %09d $((after % 1000000000)))" "$dd_file"
	[ "$(jq .counts.syncs c.json)" -eq 100 ]
}

@test "--dev chooses by filesystem" {
	dd_recording
	need jq
	dev="$("$XLOGVIZ" report --json - "$dd_file" | jq -r .syncs[0].dev)"
	[ "$("$XLOGVIZ" report --json - --dev "$dev" "$dd_file" | jq .counts.syncs)" -eq 200 ]
	run "$XLOGVIZ" report --dev 250:77 "$dd_file"
	[ "$status" -eq 1 ]
}

@test "boundaries that a recording doesn't have are an error" {
	dd_recording
	run "$XLOGVIZ" report --boundaries patched "$dd_file"
	[ "$status" -eq 1 ]
	[[ "$output" == *patched* ]]
	"$XLOGVIZ" report --boundaries tracepoint "$dd_file" | grep -q 'tracepoint'
}

@test "a buffer that a recording doesn't have is an error that names it" {
	dd_recording
	run "$XLOGVIZ" report --buffer nosuch "$dd_file"
	[ "$status" -eq 1 ]
	[[ "$output" == *"'nosuch'"* ]]
}

# ---- losses, streams, outputs ----

@test "lost events and damage end with status 3 and a warning" {
	lost="$(recording matrix/6.1-amd64-lost.dat)" || skip "the recording 6.1-amd64-lost isn't here"
	run "$XLOGVIZ" report "$lost"
	[ "$status" -eq 3 ]
	[[ "$output" == *"events were lost"*"--buffer-size"* ]]
	cut="$(recording matrix/6.1-amd64-cut.dat)" || skip "the recording 6.1-amd64-cut isn't here"
	run "$XLOGVIZ" report "$cut"
	[ "$status" -eq 3 ]
	[[ "$output" == *"damaged"* ]]
}

@test "one bad file of several is named, the others are reported, the status is 1" {
	dd_recording
	need jq
	run --separate-stderr "$XLOGVIZ" report --no-syncs --json all.json nowhere.dat "$dd_file"
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"'nowhere.dat'"* ]]
	[ "$(jq -r .counts.syncs all.json)" = 200 ]
}

@test "a recording can come from standard input" {
	dd_recording
	need jq
	[ "$("$XLOGVIZ" report --json - - <"$dd_file" | jq .counts.syncs)" -eq 200 ]
}

@test "an existing output stays whole when there is nothing to write" {
	echo precious >out.json
	run "$XLOGVIZ" report --json out.json nowhere.dat
	[ "$status" -eq 1 ]
	[ "$(cat out.json)" = precious ]
}

@test "an output keeps its mode and a link stays a link" {
	dd_recording
	echo old >real.json
	chmod 640 real.json
	ln -s real.json link.json
	"$XLOGVIZ" report --no-syncs --json link.json "$dd_file"
	[ -L link.json ]
	[ "$(stat -c %a real.json)" = 640 ]
	head -c 1 real.json | grep -q '{'
}

@test "outputs that can't be written are an error" {
	dd_recording
	run "$XLOGVIZ" report --json /nonexistent/out.json "$dd_file"
	[ "$status" -eq 1 ]
	[[ "$output" == *"'/nonexistent/out.json'"* ]]
	[ -c /dev/full ] || skip "no /dev/full"
	run "$XLOGVIZ" report --json /dev/full "$dd_file"
	[ "$status" -eq 1 ]
	run sh -c "'$XLOGVIZ' report '$dd_file' >/dev/full"
	[ "$status" -eq 1 ]
	[[ "$output" == *"No space left"* ]]
}

@test "the same file gives the same report, byte for byte" {
	fio_recording
	"$XLOGVIZ" report --json a.json --text a.txt --csv a.csv "$fio_file"
	"$XLOGVIZ" report --json b.json --text b.txt --csv b.csv "$fio_file"
	cmp a.json b.json
	cmp a.txt b.txt
	cmp a.csv b.csv
}

@test "a report that is stopped leaves no unfinished file behind" {
	mkfifo pipe
	exec 9<>pipe
	"$XLOGVIZ" report --json out.json - <pipe 9>&- &
	pid=$!
	for _ in $(seq 50); do
		ls -A | grep -q '^\.xlogviz-' && break
		sleep 0.1
	done
	ls -A | grep -q '^\.xlogviz-'
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	exec 9>&-
	[ "$status" -eq 143 ]
	[ ! -e out.json ]
	! ls -A | grep -q '^\.xlogviz-'
}

@test "losses in one of several files end with status 3" {
	dd_recording
	lost="$(recording matrix/6.1-amd64-lost.dat)" || skip "the recording 6.1-amd64-lost isn't here"
	run "$XLOGVIZ" report --no-syncs --json all.json "$lost" "$dd_file"
	[ "$status" -eq 3 ]
	[ "$(wc -l <all.json)" -eq 2 ]
}

@test "nothing is said on standard error when all is well" {
	dd_recording
	run --separate-stderr "$XLOGVIZ" report "$dd_file"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}
