# SPDX-License-Identifier: GPL-2.0-or-later
# xlogviz record and xlogviz check: recordings, what they hold, what is left
# behind, errors, exit statuses.

bats_require_minimum_version 1.5.0

tracing()
{
	awk '$3 == "tracefs" { print $2; exit }' /proc/self/mounts
}

need_tracing()
{
	[ "$(id -u)" -eq 0 ] || skip "recording takes root"
	[ -n "$(tracing)" ] || skip "no tracefs is mounted"
	[ -d "$(tracing)/events/xfs" ] || skip "this kernel has no XFS"
}

# An XFS of its own for each test, in $mnt.
need_xfs()
{
	need_tracing
	command -v mkfs.xfs >/dev/null || skip "mkfs.xfs isn't installed"
	img="$(mktemp /dev/shm/xlogviz-test.XXXXXX)"
	mnt="$BATS_TEST_TMPDIR/mnt"
	mkdir "$mnt"
	truncate -s 320M "$img"
	mkfs.xfs -q "$img"
	mount -o loop "$img" "$mnt" 2>/dev/null || skip "loop devices can't be mounted"
}

need_fio()
{
	command -v fio >/dev/null || skip "fio isn't installed"
}

setup_file()
{
	[ "$(id -u)" -eq 0 ] && [ -z "$(tracing)" ] || return 0
	mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || :
}

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

# All that a recorder may change, but for what others that live now have.
machine_state()
{
	local name pid
	for name in $(ls "$(tracing)/instances" /run/xlogviz | grep '[0-9]-[0-9]'); do
		pid="${name#xlogviz-}"
		kill -0 "${pid%%-*}" || echo "$name"
	done
	cat "$(tracing)/set_event" "$(tracing)/kprobe_events" \
		/sys/devices/virtual/workqueue/cpumask /sys/fs/xfs/*/log/fake_io || :
} 2>/dev/null

# A value of the recording's metadata.
metadata()
{
	"$XLOGVIZ" report "$1" --json - >report.json
	trace-cmd report "$1" 2>/dev/null | sed -n "s|.*xlogviz-meta $2 1/1 ||p" | tail -1
}

# ---- usage ----

@test "--help goes to standard output and names the exit statuses" {
	for c in record check; do
		run --separate-stderr "$XLOGVIZ" $c --help
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[[ "$output" == "usage: xlogviz $c"* ]]
		[[ "$output" == *"Exit status:"* ]]
	done
}

@test "wrong usage of record: exit status 2 and the reason" {
	local -a cases=(
		"--events most|'most'"
		"--backend perf|'perf'"
		"--probes all|'all'"
		"--buffer-size lots|'lots'"
		"--duration soon|'soon'"
		"--pid me|'me'"
		"--irq-cpu all|'all'"
		"--no-such-option|--no-such-option"
		"--pid 1 -- true|--pid"
		"--bind 0|--bind"
		"--scratch /mnt -- true|--fake-completion"
		"--fake-completion -- true|--scratch"
		"-o - -- true|standard output"
		"--recover x -- true|--recover"
	)
	for c in "${cases[@]}"; do
		run --separate-stderr "$XLOGVIZ" record ${c%|*}
		[ "$status" -eq 2 ] || { echo "$c: $status"; false; }
		[[ "$stderr" == *"${c#*|}"* ]] || { echo "$c: $stderr"; false; }
		[ -z "$output" ]
	done
}

@test "wrong usage of check: exit status 2" {
	run "$XLOGVIZ" check now
	[ "$status" -eq 2 ]
	[[ "$output" == *"'now'"* ]]
	run "$XLOGVIZ" check --clean --json
	[ "$status" -eq 2 ]
}

# ---- errors before anything is changed ----

@test "not root: says so and what to do" {
	[ "$(id -u)" -eq 0 ] || skip "to become someone else takes root"
	command -v setpriv >/dev/null || skip "setpriv isn't installed"
	chmod 777 .
	cp "$XLOGVIZ" ./xlogviz
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups ./xlogviz record -- true
	[ "$status" -eq 1 ]
	[[ "$stderr" == "xlogviz: tracing takes root: run 'sudo "* ]]
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups ./xlogviz check
	[ "$status" -eq 1 ]
	[[ "$output" == *"fatal    not root"* ]]
}

@test "no tracefs: says how to mount it" {
	need_tracing
	unshare -m true 2>/dev/null || skip "mount namespaces can't be made"
	run --separate-stderr unshare -m sh -c "umount -a -t tracefs && '$XLOGVIZ' record -- true"
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"unable to find tracefs"*"mount -t tracefs"* ]]
	run --separate-stderr unshare -m sh -c "umount -a -t tracefs && '$XLOGVIZ' check"
	[ "$status" -eq 1 ]
	[[ "$output" == *"fatal"*"mount -t tracefs"* ]]
}

@test "command not found: exit status 127; not to be run: 126" {
	need_tracing
	before="$(machine_state)"
	run -127 --separate-stderr "$XLOGVIZ" record -o t.dat -- no-such-command
	[[ "$stderr" == "xlogviz: unable to run 'no-such-command': command not found" ]]
	touch data
	run --separate-stderr "$XLOGVIZ" record -o t.dat -- ./data
	[ "$status" -eq 126 ]
	[[ "$stderr" == "xlogviz: unable to run './data': Permission denied" ]]
	[ -z "$(ls t.dat* 2>/dev/null)" ]
	[ "$(machine_state)" = "$before" ]
}

@test "CPUs that aren't there, and what isn't XFS, are refused" {
	need_tracing
	run --separate-stderr "$XLOGVIZ" record --bind 8000 -- true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"CPU 8000"*"not online"* ]]
	run --separate-stderr "$XLOGVIZ" record --bind x -- true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"'x' is not a list of CPUs"* ]]
	run --separate-stderr "$XLOGVIZ" record --dev /proc -- true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"'/proc' is not on a mounted XFS"* ]]
	run --separate-stderr "$XLOGVIZ" record --pid 4194305
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"unable to find process 4194305"* ]]
}

@test "an output that can't be written is an error before the command runs" {
	need_tracing
	before="$(machine_state)"
	run --separate-stderr "$XLOGVIZ" record -o no/such/t.dat -- touch ran
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"unable to write 'no/such/t.dat'"* ]]
	[ ! -e ran ]
	run --separate-stderr "$XLOGVIZ" record -o . -- touch ran
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"'.': not a plain file"* ]]
	[ "$(machine_state)" = "$before" ]
}

@test "fake completion is refused on / and where it can't be" {
	need_xfs
	run --separate-stderr "$XLOGVIZ" record --fake-completion --scratch / -- touch ran
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"'/' is no scratch filesystem"* ]]
	run --separate-stderr "$XLOGVIZ" record --fake-completion --scratch /proc -- touch ran
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"not the mount point of an XFS"* ]]
	ls /sys/fs/xfs/*/log/fake_io >/dev/null 2>&1 && skip "this kernel has the patch"
	run --separate-stderr "$XLOGVIZ" record --fake-completion --scratch "$mnt" -- touch ran
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"kernel patch"* ]]
	[ ! -e ran ]
}

# ---- recordings ----

@test "a recording of fio, 4 jobs: the report's count and latencies are fio's own" {
	need_xfs
	need_fio
	"$XLOGVIZ" record -o t.dat --buffer-size 16M -- fio --name=j --directory="$mnt" \
		--size=1m --bs=4k --rw=write --ioengine=sync --fsync=1 --numjobs=4 --thread=0 \
		--output-format=json --output=fio.json
	[ -z "$(ls t.dat.* 2>/dev/null)" ]
	"$XLOGVIZ" report t.dat --json report.json
	python3 - <<-EOF2
	import json
	fio, rep = json.load(open("fio.json")), json.load(open("report.json"))
	jobs = [j["sync"] for j in fio["jobs"]]
	pids = {s["pid"] for s in rep["syncs"] if s["comm"] == "fio"}
	mine = [s for s in rep["syncs"] if s["pid"] in pids]
	count = sum(j["total_ios"] for j in jobs)
	assert len(mine) == count, (len(mine), count)
	span = sorted(s["span_ns"] for s in mine)
	mean = sum(j["lat_ns"]["mean"] * j["total_ios"] for j in jobs) / count
	ours = sum(span) / count
	assert abs(ours - mean) < max(0.03 * mean, 3000), (ours, mean)
	top = max(j["lat_ns"]["max"] for j in jobs)
	assert abs(span[-1] - top) < max(0.03 * top, 100000), (span[-1], top)
	assert rep["counts"]["partial"] == 0, rep["counts"]
	assert rep["trace"]["lost_events"] == 0, rep["trace"]
	assert rep["trace"]["clock"] == "mono", rep["trace"]
	EOF2
}

@test "trace-cmd reads a recording, with every event's format" {
	need_xfs
	command -v trace-cmd >/dev/null || skip "trace-cmd isn't installed"
	"$XLOGVIZ" record -o t.dat -- dd if=/dev/zero of="$mnt/f" bs=4k count=20 oflag=sync
	trace-cmd report t.dat >text 2>said
	[ "$(grep -c 'sys_enter_write:' text)" -ge 20 ]
	[ "$(grep -c 'xfs_file_fsync:' text)" -ge 20 ]
	! grep -qi 'unknown event\|failed to read' text said
	grep -q 'function xlog_cil_push_work' text
	trace-cmd dump --options t.dat | grep -F '[mono]'
}

@test "what a report needs to know of the run is in the recording" {
	need_xfs
	command -v trace-cmd >/dev/null || skip "trace-cmd isn't installed"
	"$XLOGVIZ" record -o t.dat --dev "$mnt" --events minimal --bind 0 -- sh -c 'exit 0' 'a "b"'
	[ "$(metadata t.dat command)" = '["sh","-c","exit 0","a \"b\""]' ]
	[ "$(metadata t.dat workload_status)" = '{"exit":0}' ]
	[ "$(metadata t.dat event_set)" = '"minimal"' ]
	[ "$(metadata t.dat bind)" = '"0"' ]
	[ "$(metadata t.dat ended)" = '"workload"' ]
	[ "$(metadata t.dat fake_completion | head -c 11)" = '{"on":false' ]
	[[ "$(metadata t.dat topology)" == '[{"cpu":0,"core":'* ]]
	dev="$(mountpoint -d "$mnt")"
	[ "$(metadata t.dat xfs_devs)" = "[\"$dev\"]" ]
	[[ "$(metadata t.dat filesystem)" == *"\"dev\":\"$dev\""*'"log":{"internal":true'* ]]
	[[ "$(metadata t.dat unknown)" == *wake-up* ]]
}

@test "the exit status is the command's" {
	need_tracing
	run "$XLOGVIZ" record -o t.dat -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	[ -s t.dat ]
	run "$XLOGVIZ" record -o t.dat -- sh -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
	run "$XLOGVIZ" record -o t.dat -- true
	[ "$status" -eq 0 ]
}

@test "--duration ends a recording, and so does the end of --pid" {
	need_tracing
	SECONDS=0
	"$XLOGVIZ" record -o t.dat --duration 0.5
	[ "$SECONDS" -lt 10 ]
	sleep 1 &
	"$XLOGVIZ" record -o t2.dat --pid $!
	[ -s t.dat ]
	[ -s t2.dat ]
}

@test "the three sets of events hold each other, and minimal gives T1 to T4" {
	need_xfs
	# some virtual machines never record the switch out of idle on other CPUs
	for set in minimal normal full; do
		"$XLOGVIZ" record -o $set.dat --events $set --bind 0 -- \
			dd if=/dev/zero of="$mnt/$set" bs=4k count=30 conv=notrunc oflag=sync
		"$XLOGVIZ" report $set.dat --json $set.json
	done
	python3 - <<-EOF2
	import json
	for name in "minimal", "normal", "full":
	    rep = json.load(open(name + ".json"))
	    syncs = [s for s in rep["syncs"] if s["comm"] == "dd"]
	    assert len(syncs) == 30, (name, len(syncs))
	    assert all(s["status"] == "complete" for s in syncs), name
	    forced = [s for s in syncs if s["kind"] == "log-force"]
	    assert forced and all(s["T1_ns"] and s["T2_ns"] for s in forced), name
	    assert any(s["T4_ns"] for s in forced), name
	    for s in syncs:
	        assert sum(x["ns"] for x in s["stages"]) == s["span_ns"], (name, s["id"])
	EOF2
}

@test "what is bound is bound while recording, and put back" {
	need_tracing
	[ "$(nproc)" -ge 2 ] || skip "one CPU only"
	mask=/sys/devices/virtual/workqueue/cpumask
	[ -w $mask ] || skip "unbound workers can't be bound here"
	before="$(cat $mask)"
	"$XLOGVIZ" record -o t.dat --bind 1 --bind-workers 0 -- \
		sh -c "grep Cpus_allowed_list /proc/self/status; cat $mask" >seen
	grep -q 'Cpus_allowed_list:.1$' seen
	[ "$((16#$(tail -1 seen | tr -d ,)))" -eq 1 ]
	[ "$(cat $mask)" = "$before" ]
	sleep 30 &
	pid=$!
	"$XLOGVIZ" record -o t.dat --bind 1 --pid $pid --duration 0.3
	[ "$(sed -n 's/^Cpus_allowed_list:.//p' /proc/$pid/status)" = \
		"$(sed -n 's/^Cpus_allowed_list:.//p' /proc/$$/status)" ]
	kill $pid
}

@test "lost events: exit status 3, and the buffer size that would have held" {
	need_xfs
	work="for i in 1 2 3 4 5 6; do dd if=/dev/zero of='$mnt/f' bs=512 count=4000 conv=fsync; done"
	run --separate-stderr "$XLOGVIZ" record -o t.dat --events full --buffer-size 8K -- sh -c "$work"
	echo "$stderr"
	[ "$status" -eq 3 ]
	[[ "$stderr" == *"lost "*" events"*"--buffer-size "* ]]
	size="$(sed -n 's/.*use --buffer-size \(.*\)/\1/p' <<<"$stderr" | sort -n | tail -1)"
	"$XLOGVIZ" record -o t2.dat --events full --buffer-size "$size" -- sh -c "$work"
	run "$XLOGVIZ" report t.dat --json report.json
	[ "$status" -eq 3 ]
}

@test "a full disk: says so, puts the machine back, and what was written is recovered" {
	need_xfs
	mkdir small
	mount -t tmpfs -o size=700k tmpfs small || skip "tmpfs can't be mounted"
	before="$(machine_state)"
	run --separate-stderr "$XLOGVIZ" record -o small/t.dat -- \
		dd if=/dev/zero of="$mnt/f" bs=512 count=20000 oflag=sync
	after="$(machine_state)"
	head="$(ls small/t.dat.head)"
	"$XLOGVIZ" record --recover small/t.dat -o t.dat 2>said || recovered=$?
	umount small
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"small/t.dat"*"No space left on device"*"--recover small/t.dat"* ]]
	[ "$after" = "$before" ]
	[ -n "$head" ]
	[ "$recovered" -eq 3 ]
	[ -s t.dat ]
}

@test "what a killed recorder wrote is recovered, and can be reported on" {
	need_xfs
	before="$(machine_state)"
	"$XLOGVIZ" record -o t.dat -- sh -c "dd if=/dev/zero of='$mnt/f' bs=4k count=50 oflag=sync
		touch ready; sleep 60" 2>/dev/null &
	pid=$!
	for i in $(seq 300); do [ -e ready ] && break; sleep 0.1; done
	sleep 1.3
	kill -9 $pid
	wait $pid || :
	for i in $(seq 100); do [ "$(machine_state)" = "$before" ] && break; sleep 0.1; done
	[ "$(machine_state)" = "$before" ]
	pkill -f "touch ready; sleep 60" || :
	[ -s t.dat.head ]
	[ ! -e t.dat ]
	run --separate-stderr "$XLOGVIZ" record -o t.dat -- true
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"--recover t.dat"* ]]
	run --separate-stderr "$XLOGVIZ" record --recover t.dat
	[ "$status" -eq 3 ]
	[[ "$stderr" == *"recovered 't.dat'"*missing* ]]
	[ -z "$(ls t.dat.* 2>/dev/null)" ]
	"$XLOGVIZ" report t.dat --json report.json || [ $? -eq 3 ]
	[ "$(grep -c '"comm": *"dd"' report.json)" -ge 50 ]
	run --separate-stderr "$XLOGVIZ" record --recover t.dat
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"nothing to recover"* ]]
}

@test "recorders killed at random moments leave nothing behind" {
	need_tracing
	run "$top_srcdir/tests/record/kill" 6
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "two recorders at once don't disturb each other" {
	need_tracing
	"$XLOGVIZ" record -o a.dat -- sleep 2 2>said.a &
	"$XLOGVIZ" record -o b.dat -- sleep 1 2>said.b
	wait $!
	[ -s a.dat ]
	[ -s b.dat ]
}

@test "a setting that another recorder has changed is not changed again" {
	need_tracing
	mask=/sys/devices/virtual/workqueue/cpumask
	[ -w $mask ] || skip "unbound workers can't be bound here"
	before="$(cat $mask)"
	"$XLOGVIZ" record -o a.dat --bind-workers 0 -- sh -c 'touch ready; sleep 3' 2>said.a &
	for i in $(seq 100); do [ -e ready ] && break; sleep 0.1; done
	run --separate-stderr "$XLOGVIZ" record -o b.dat --bind-workers 0 -- touch ran
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"another recorder (process $!) has changed '$mask'"* ]]
	[ ! -e ran ]
	wait $!
	[ "$(cat $mask)" = "$before" ]
}

@test "leftovers of a recorder whose guardian was killed too are found and removed" {
	need_tracing
	before="$(machine_state)"
	"$XLOGVIZ" record -o t.dat -- sleep 31 2>/dev/null &
	pid=$!
	for i in $(seq 100); do ls -d "$(tracing)"/instances/xlogviz-$pid-* 2>/dev/null && break; sleep 0.1; done
	sleep 0.3
	[[ "$("$XLOGVIZ" check --clean)" != *"$pid"* ]]		# a live one is left alone
	guardian="$(sed -n 's/^guardian \([0-9]*\) .*/\1/p' /run/xlogviz/$pid-*.undo)"
	kill -9 "$guardian" $pid
	wait $pid || :
	pkill -f 'sleep 31' || :
	sleep 0.2
	run "$XLOGVIZ" check
	[[ "$output" == *"xlogviz check --clean"* ]]
	run "$XLOGVIZ" check --clean
	[ "$status" -eq 0 ]
	[[ "$output" == *"$pid"* ]]
	[ "$(machine_state)" = "$before" ]
	run "$XLOGVIZ" check --clean
	[ "$output" = "nothing was left behind" ]
	# and by the next recorder
	"$XLOGVIZ" record -o t2.dat -- sleep 32 2>/dev/null &
	pid=$!
	for i in $(seq 100); do [ -s t2.dat.cpu0 ] && break; sleep 0.1; done
	kill -9 "$(sed -n 's/^guardian \([0-9]*\) .*/\1/p' /run/xlogviz/$pid-*.undo)" $pid
	wait $pid || :
	pkill -f 'sleep 32' || :
	run "$XLOGVIZ" record -o t3.dat -- true
	[ "$status" -eq 0 ]
	[[ "$output" == *"left behind"*"$pid"* ]]
	[ "$(machine_state)" = "$before" ]
}

# ---- check ----

@test "check tells what is there, as text and as JSON" {
	need_xfs
	run --separate-stderr "$XLOGVIZ" check --all
	[ "$status" -eq 0 ]
	[[ "$output" == *"ok       tracefs at "* ]]
	[[ "$output" == *"ok       event xfs:xfs_log_force"* ]]
	[[ "$output" == *"$mnt"* ]]
	"$XLOGVIZ" check --json >check.json
	python3 - <<-EOF2
	import json
	c = json.load(open("check.json"))
	assert c["schema"] == "xlogviz.check/1" and c["can_record"] is True
	ids = [i["id"] for i in c["items"]]
	assert len(ids) == len(set(ids)), sorted(i for i in ids if ids.count(i) > 1)
	assert {"tracefs", "clock", "backend", "kprobes", "xfs-cil", "xfs-log"} <= set(ids)
	for i in c["items"]:
	    assert i["state"] in ("ok", "info", "missing", "fatal"), i
	    assert i["state"] != "missing" or i["lost"], i
	assert len(c["topology"]) >= 1 and c["topology"][0].keys() == {"cpu", "core", "llc", "node"}
	assert any(f["mount"] == "$mnt" for f in c["filesystem"])
	EOF2
}
