# SPDX-License-Identifier: GPL-2.0-or-later
# Pictures of xlogviz report: well-formed, renderable, and true to the JSON report.

bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR"
	export LC_ALL=C
	text="$top_srcdir/tests/unit/data/fsync-6.18.txt"
}

need()
{
	command -v "$1" >/dev/null || skip "$1 isn't installed"
}

fio_recording()
{
	fio="$(recording host-6.18-fio8.dat)" || skip "the recording host-6.18-fio8 isn't here"
}

puzzle_recording()
{
	puzzle="$(recording uml-7.2-oldsched-fc.dat)" ||
		skip "the recording uml-7.2-oldsched-fc isn't here"
}

# A picture of one sync beside the report that it must agree with.
agrees()
{
	need python3
	"$XLOGVIZ" report --json report.json "$1"
	"$XLOGVIZ" report --sync "$2" --svg sync.svg "$1"
	python3 "$top_srcdir/tests/cli/check_picture.py" sync.svg report.json "$2"
}

draw_all()
{
	"$XLOGVIZ" report --svg default.svg --charts charts.svg "$1"
	"$XLOGVIZ" report --median --view pipeline --svg pipeline.svg "$1"
	"$XLOGVIZ" report --slowest 2 --theme dark --svg slowest.svg "$1"
	"$XLOGVIZ" report --from +0 --svg window.svg "$1"
	"$XLOGVIZ" report --from +0 --view pipeline --svg pipeline-window.svg "$1"
}

@test "every kind of picture is well-formed and rsvg-convert renders it" {
	need xmllint
	need rsvg-convert
	draw_all "$text"
	for f in *.svg; do
		xmllint --noout "$f"
		rsvg-convert -o "$f.png" "$f"
		[ -s "$f.png" ]
	done
}

@test "so are those of a recording of eight tasks" {
	need xmllint
	need rsvg-convert
	fio_recording
	draw_all "$fio"
	for f in *.svg; do
		xmllint --noout "$f"
		rsvg-convert -o "$f.png" "$f"
	done
}

@test "a picture of one sync has its lanes, stages, brackets and arrows where the report says" {
	agrees "$text" 1
}

@test "so it is with exact boundaries, from the patched kernel of the laboratory" {
	agrees "$top_srcdir/samples/lab/base.dat" 13
	agrees "$top_srcdir/samples/lab/fc.dat" 23
}

@test "so it is with four tasks, one of them woken third by its iclog" {
	agrees "$top_srcdir/samples/fio4.dat" 9
	[ "$(grep -c 'class="task-lane"' sync.svg)" -eq 4 ]
	[ "$(grep -c 'class="cpu-lane"' sync.svg)" -eq 2 ]
	grep -q 'id="s9-dev-7-2"' sync.svg
}

@test "so it is where log writes complete without a device" {
	puzzle_recording
	agrees "$puzzle" 947
}

@test "so it is with many tasks and group commit" {
	fio_recording
	agrees "$fio" 191
	agrees "$fio" 12
}

@test "the same recording gives the same bytes" {
	for format in svg png pdf; do
		"$XLOGVIZ" report --$format a.$format "$text"
		"$XLOGVIZ" report --$format b.$format "$text"
		cmp a.$format b.$format
	done
	"$XLOGVIZ" report --charts a-charts.svg "$text"
	"$XLOGVIZ" report --charts b-charts.svg "$text"
	cmp a-charts.svg b-charts.svg
}

@test "the pictures of the README have what the tool draws of its samples" {
	"$XLOGVIZ" report --sync 13 --svg puzzle.svg "$top_srcdir/samples/lab/base.dat"
	"$XLOGVIZ" report --sync 9 --svg group-commit.svg "$top_srcdir/samples/fio4.dat"
	for f in puzzle.svg group-commit.svg; do
		grep -o ' id="[^"]*"' "$f" >mine
		grep -o ' id="[^"]*"' "$top_srcdir/doc/$f" >kept
		cmp mine kept
	done
}

@test "PNG and PDF are what their names say" {
	"$XLOGVIZ" report --png a.png --pdf a.pdf --charts c.pdf "$text"
	[ "$(head -c 4 a.png | tail -c 3)" = PNG ]
	[ "$(head -c 4 a.pdf)" = %PDF ]
	[ "$(head -c 4 c.pdf)" = %PDF ]
}

@test "a picture can go to standard output" {
	"$XLOGVIZ" report --svg - "$text" >a.svg
	[[ "$(tail -n 1 a.svg)" == "</svg>" ]]
}

@test "one sync takes less than 500 KB, a window less than 3 MB" {
	fio_recording
	"$XLOGVIZ" report --slowest 1 --svg sync.svg "$fio"
	[ "$(wc -c <sync.svg)" -lt 500000 ]
	"$XLOGVIZ" report --from +0.39 --to +0.46 --svg window.svg "$fio"
	[ "$(wc -c <window.svg)" -lt 3000000 ]
}

@test "task names cannot break a picture" {
	need xmllint
	sed 's/ dd-6782 / a<b"\&\x01-6782 /; s/comm=dd /comm=<\/svg> /g' "$text" >hostile.txt
	! cmp -s "$text" hostile.txt
	"$XLOGVIZ" report --svg a.svg --charts c.svg hostile.txt
	xmllint --noout a.svg c.svg
	[ "$(grep -c '</svg>' a.svg)" -eq 1 ]
}

@test "a sync that isn't there is an error, and no file is left" {
	run "$XLOGVIZ" report --sync 99999 --svg a.svg "$text"
	[ "$status" -eq 1 ]
	[[ "$output" == *"no sync '99999'"* ]]
	[ ! -e a.svg ]
}

@test "wrong picture options are wrong usage" {
	run "$XLOGVIZ" report --sync x --svg a.svg "$text"
	[ "$status" -eq 2 ]
	run "$XLOGVIZ" report --view side --svg a.svg "$text"
	[ "$status" -eq 2 ]
	[[ "$output" == *"'side'"* ]]
	run "$XLOGVIZ" report --theme pink --svg a.svg "$text"
	[ "$status" -eq 2 ]
	run "$XLOGVIZ" report --charts c.gif "$text"
	[ "$status" -eq 2 ]
	run "$XLOGVIZ" report --median --sync 1 --svg a.svg "$text"
	[ "$status" -eq 2 ]
	run "$XLOGVIZ" report --svg a.svg "$text" "$text"
	[ "$status" -eq 2 ]
	[ ! -e a.svg ]
}

@test "several recordings are drawn into a folder" {
	mkdir out
	cp "$text" one.txt
	cp "$text" two.txt
	"$XLOGVIZ" report --svg out one.txt two.txt
	[ -s out/one.txt.svg ]
	[ -s out/two.txt.svg ]
}

@test "Chromium opens a picture without an error and has the tool tips" {
	need chromium
	"$XLOGVIZ" report --svg a.svg "$text"
	run timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic \
		--no-first-run --disable-background-networking --disable-component-update \
		--disable-sync --user-data-dir="$PWD/profile" --window-size=1400,1200 \
		--screenshot="$PWD/a.png" --dump-dom "file://$PWD/a.svg"
	[ "$status" -eq 0 ]
	[[ "$output" != *parsererror* ]]
	[[ "$output" == *"<title>T1 log force"* ]]
	[ -s a.png ]
}
