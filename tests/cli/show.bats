# SPDX-License-Identifier: GPL-2.0-or-later
# xlogviz show: the diagram of one sync.

bats_require_minimum_version 1.5.0
load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR"
	unset COLUMNS NO_COLOR
	export LC_ALL=C.UTF-8
}

need_recording()
{
	file="$(recording "$1")" || skip "the recording $1 isn't here"
}

# Rows of the diagram alone: they begin with a time.
rows()
{
	grep -E '^ *-?[0-9]+\.[0-9]{3}  ' "$1"
}

@test "--help fits 80 columns and its options are in the man page" {
	"$XLOGVIZ" show --help >help
	[ "$(awk '{ if (length($0) > max) max = length($0) } END { print max }' help)" -le 80 ]
	grep -o -- '--[a-z][a-z-]*' help | sort -u >options
	sed 's/\\-/-/g' "$top_srcdir/doc/xlogviz-show.1" >page
	while read -r o; do
		grep -qe "$o" page || { echo "missing: $o"; false; }
	done <options
}

@test "wrong usage is told and quoted" {
	for args in --sync=0 --sync=x --sync=-1 --width=79 --width=401 --width=wide --nope; do
		run --separate-stderr "$XLOGVIZ" show "$args" x.dat
		[ "$status" -eq 2 ] || { echo "$args: $status"; false; }
		[ -z "$output" ]
		value="${args#*=}"
		[[ "$stderr" == *"'"*"$value"*"'"* ]] || { echo "$args: $stderr"; false; }
	done
	run "$XLOGVIZ" show
	[ "$status" -eq 2 ]
	run "$XLOGVIZ" show a.dat b.dat
	[ "$status" -eq 2 ]
}

@test "a sync that isn't there is an error that names the ids" {
	need_recording host-6.18-dd.dat
	run --separate-stderr "$XLOGVIZ" show --sync 201 "$file"
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ "$stderr" == *"no sync 201 in '$file': its ids go from 1 to 200"* ]]
}

@test "all four columns have their events in pipeline order" {
	need_recording host-6.18-dd.dat
	"$XLOGVIZ" show --sync 17 "$file" >out
	grep -q '^sync 17: write of dd ' out
	grep -qE '^ +us  fsync task +CIL worker +I/O completion +log worker +T1 2 3 4$' out
	rows out >r
	awk '{ if ($1 < last) exit 1; last = $1 }' r
	for event in 'write, begins' 'xfs_file_fsync' 'log force' 'CIL force' 'queue' 'push starts' \
		     'writes iclog' 'log write' 'starts' 'iclog clean' 'wake' 'write, returns'; do
		n="$(grep -nF "$event" r | head -1 | cut -d: -f1)"
		[ -n "$n" ] || { echo "missing: $event"; cat r; false; }
	done
	head -1 r | grep -q 'write, begins'
	tail -1 r | grep -q 'write, returns'
}

@test "no line is longer than the width, none has more than it needs" {
	need_recording host-6.18-fio8.dat
	for width in 80 100 140; do
		for sync in 1 50 100 400; do
			"$XLOGVIZ" show --width $width --sync $sync "$file" >out
			rows out >r
			[ "$(wc -L <out)" -le $width ] || { cat out; false; }
			! grep -q ' $' r
		done
	done
}

@test "T1 to T4 are marked from their first to their last row" {
	need_recording uml-7.2-base.dat
	"$XLOGVIZ" show --ascii --sync 100 "$file" >out
	rows out >r
	# each interval has one beginning and one end, and its times agree with its length
	"$XLOGVIZ" report --json - "$file" >json 2>/dev/null || true
	for i in 1 2 3 4; do
		col=$((72 + 2 * i))	# of 80
		awk -v c=$col -v q="'" '{ s = substr($0, c, 1); if (s == ",") { b++; from = $1 }
			if (s == q) { e++; to = $1 } }
			END { if (b != 1 || e != 1) exit 1; printf "%.0f\n", (to - from) * 1000 }' r >T ||
			{ echo "T$i"; cat r; false; }
		want="$(jq ".syncs[99].T${i}_ns" json)"
		[ "$(cat T)" -eq "$want" ] || { echo "T$i: $(cat T) $want"; cat out; false; }
	done
}

@test "ASCII where the locale isn't UTF-8, and with --ascii" {
	need_recording host-6.18-dd.dat
	LC_ALL=C "$XLOGVIZ" show --sync 3 "$file" >a
	"$XLOGVIZ" show --ascii --sync 3 "$file" >b
	cmp a b
	! LC_ALL=C grep -q '[^ -~]' a
	grep -q '>' a
	grep -q '<' a
}

@test "no colours but on a terminal" {
	need_recording host-6.18-dd.dat
	"$XLOGVIZ" show --sync 3 "$file" >out
	! grep -q "$(printf '\033')" out
	command -v script >/dev/null || skip "script isn't installed"
	script -qec "'$XLOGVIZ' show --sync 3 '$file'" /dev/null >tty
	grep -q "$(printf '\033')\[" tty
	NO_COLOR=1 script -qec "'$XLOGVIZ' show --sync 3 '$file'" /dev/null >tty
	! grep -q "$(printf '\033')\[" tty
}

@test "without --sync the slowest complete one is shown" {
	need_recording host-6.18-dd.dat
	"$XLOGVIZ" report --json - "$file" >json
	id="$(jq '[.syncs[] | select(.status == "complete")] | max_by(.span_ns) | .id' json)"
	"$XLOGVIZ" show "$file" >out
	grep -q "^sync $id: " out
}

@test "the wake-up's parts below the diagram add up to T4" {
	need_recording uml-7.2-oldsched-fc.dat
	"$XLOGVIZ" show --sync 500 "$file" >out
	grep '^wake-up from force' out
	grep -q 'moved from CPU [0-9]*, where its waker ran, to [0-9]' out
}

@test "every sync of a recording can be shown" {
	need_recording matrix/5.10-amd64.dat
	for id in $(seq 1 60); do
		"$XLOGVIZ" show --sync $id "$file" >out || [ $? -eq 3 ]
		grep -q "^sync $id: " out
	done
}
