# SPDX-License-Identifier: GPL-2.0-or-later
# Findings tested for real: each recording is made here, on an XFS of its own,
# with something in the way that the report then has to name.

bats_require_minimum_version 1.5.0

why_not()
{
	[ "$(id -u)" -eq 0 ] || { echo "needs root"; return; }
	[ -w /sys/kernel/tracing/instances ] || { echo "needs tracefs on /sys/kernel/tracing"; return; }
	[ -d /sys/kernel/tracing/events/xfs/xlog_iclog_write ] || { echo "needs XFS of 5.14 or later"; return; }
	for tool in mkfs.xfs mkfs.ext4 losetup fsfreeze taskset chrt jq trace-cmd; do
		command -v $tool >/dev/null || { echo "needs $tool"; return; }
	done
	chrt -f 10 true 2>/dev/null || { echo "needs real-time scheduling"; return; }
	taskset -c 1 true 2>/dev/null || { echo "needs a second CPU"; return; }
}

# new_fs NAME TYPE [FOLDER]: a filesystem of that type, on a loop device, in $BATS_FILE_TMPDIR/NAME
new_fs()
{
	local image="${3:-$shm}/$1.img" loop

	truncate -s "$([ "$2" = xfs ] && echo 320M || echo 700M)" "$image"
	"mkfs.$2" -q "$image"
	loop="$(losetup -f --show "$image")"
	echo "$loop" >>"$BATS_FILE_TMPDIR/loops"
	mkdir -p "$BATS_FILE_TMPDIR/$1"
	mount "$loop" "$BATS_FILE_TMPDIR/$1"
}

setup_file()
{
	export reason="$(why_not)" shm
	[ -z "$reason" ] || return 0
	shm="$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "$BATS_FILE_TMPDIR")/xlogviz.XXXXXX")"
	new_fs one xfs
	# a task's name is that of the file that it was started from
	ln -s "$(command -v bash)" "$BATS_FILE_TMPDIR/hog-equal"
	ln -s "$(command -v bash)" "$BATS_FILE_TMPDIR/hog-rt"
}

teardown_file()
{
	[ -z "$reason" ] || return 0
	for fs in inner outer two one; do
		! mountpoint -q "$BATS_FILE_TMPDIR/$fs" || umount "$BATS_FILE_TMPDIR/$fs"
		# the device of an image has to go before what the image lies on
		for loop in $(losetup -j "$shm/$fs.img" -n -O NAME; losetup -n -O NAME,BACK-FILE |
			      awk -v f="$BATS_FILE_TMPDIR/outer/$fs.img" '$2 == f { print $1 }'); do
			losetup -d "$loop"
		done
	done
	rm -rf "$shm"
}

setup()
{
	[ -z "$reason" ] || skip "$reason"
	cd "$BATS_TEST_TMPDIR"
	export LC_ALL=C
	one="$BATS_FILE_TMPDIR/one"
	pids=()
}

teardown()
{
	[ "${#pids[@]}" -eq 0 ] || kill "${pids[@]}" || true
}

# Spins for 1 ms and sleeps for 0.2 ms.
spin_and_rest='exec 9<>"$0"; while :; do e=${EPOCHREALTIME/./}
	while ((${EPOCHREALTIME/./} - e < 1000)); do :; done; read -t 0.0002 -u 9; done'

# hog COMMAND...: in the way until the test is over
hog()
{
	"$@" 3>&- >/dev/null 2>&1 &
	pids+=($!)
}

# record ARGUMENT...: makes t.dat, and from it the file json
record()
{
	"$XLOGVIZ" record -o t.dat --dev "$one" "$@" >log 2>&1 || [ $? -eq 3 ] || { cat log; false; }
	"$XLOGVIZ" report --json json t.dat || [ $? -eq 3 ]
}

finding()
{
	jq -e ".findings[] | select(.id == \"$1\")" json ||
		{ jq -c '.findings[] | [.id, .share, .text]' json >&2; false; }
}

@test "a hog of equal priority on the waiter's CPU is named with its share" {
	mkfifo rest
	hog taskset -c 0 chrt -r 10 "$BATS_FILE_TMPDIR/hog-equal" -c "$spin_and_rest" rest
	record -- taskset -c 0 chrt -r 10 dd if=/dev/zero of="$one/f" bs=4k count=200 oflag=sync
	finding waiter-behind-task >f
	[ "$(jq -r .title f)" = "'hog-equal' keeps the waiter from its CPU" ]
	jq -e '.evidence.tasks[0] | .share > 0.05 and .count > 10' f
}

@test "a hog of higher priority on the waiter's CPU is named with its share" {
	mkfifo rest
	hog taskset -c 0 chrt -f 10 "$BATS_FILE_TMPDIR/hog-rt" -c "$spin_and_rest" rest
	record -- taskset -c 0 dd if=/dev/zero of="$one/f" bs=4k count=200 oflag=sync
	finding waiter-behind-task >f
	[ "$(jq -r .title f)" = "'hog-rt' keeps the waiter from its CPU" ]
	[ "$(jq -r .severity f)" = warning ]
	jq -e '.share > 0.1 and .share <= 1' f
}

# The task itself can't be held up in these: its priority is higher still.

@test "a hog on the CIL worker's CPU is named" {
	mkfifo rest
	hog taskset -c 0 chrt -f 10 "$BATS_FILE_TMPDIR/hog-rt" -c "$spin_and_rest" rest
	record --bind-workers 0 -- taskset -c 0 chrt -f 50 \
		dd if=/dev/zero of="$one/f" bs=4k count=200 oflag=sync
	finding cil-worker-behind-task >f
	[ "$(jq -r .title f)" = "'hog-rt' keeps the CIL worker from its CPU" ]
	! jq -e '.findings[] | select(.id == "waiter-behind-task")' json
}

@test "a hog on the log worker's CPU is named, and that the log worker is bound to it" {
	mkfifo rest
	hog taskset -c 0 chrt -f 10 "$BATS_FILE_TMPDIR/hog-rt" -c "$spin_and_rest" rest
	# unbound workers are out of its way; I/O completes on the CPU that submitted it
	loop="$(basename "$(findmnt -n -o SOURCE "$one")")"
	echo 2 >"/sys/block/$loop/queue/rq_affinity"
	record --bind-workers 1 -- taskset -c 0 chrt -f 50 \
		dd if=/dev/zero of="$one/f" bs=4k count=200 oflag=sync
	echo 1 >"/sys/block/$loop/queue/rq_affinity"
	finding log-worker-behind-task >f
	[ "$(jq -r .title f)" = "'hog-rt' keeps the log worker from its CPU" ]
	finding log-worker-bound | jq -e '.evidence | .on_completion_cpu >= 0.95 * .known'
	! jq -e '.findings[] | select(.id == "waiter-behind-task")' json
}

@test "two filesystems at once are kept apart" {
	new_fs two xfs
	two="$BATS_FILE_TMPDIR/two"
	cat >both <<-EOF
		dd if=/dev/zero of=$one/g bs=4k count=50 oflag=sync &
		dd if=/dev/zero of=$two/g bs=4k count=80 oflag=sync &
		wait
	EOF
	record --dev "$two" -- bash both
	dev="$(mountpoint -d "$one")"
	jq -e "[.syncs[] | select(.dev == \"$dev\")] | length == 50" json
	dev="$(mountpoint -d "$two")"
	jq -e "[.syncs[] | select(.dev == \"$dev\")] | length == 80" json
	# nobody is woken by the other filesystem's log, and no iclog is shared with it
	jq -e '[.syncs[] | select(.status == "complete") | .group_size // 1] | all(. == 1)' json
	"$XLOGVIZ" report --dev "$dev" --json json t.dat || [ $? -eq 3 ]
	jq -e '.counts.syncs == 80' json
}

@test "a writer that never finishes is named, with what it waits on and for how long" {
	new_fs outer ext4
	new_fs inner xfs "$BATS_FILE_TMPDIR/outer"
	one="$BATS_FILE_TMPDIR/inner"
	cat >hang <<-EOF
		dd if=/dev/zero of=$one/f bs=4k count=100000 oflag=sync >/dev/null 2>&1 &
		echo \$! >pid
		sleep 0.1
		fsfreeze -f $BATS_FILE_TMPDIR/outer
		sleep 0.5
	EOF
	(sleep 5; fsfreeze -u "$BATS_FILE_TMPDIR/outer"; kill "$(cat pid)") 3>&- >/dev/null 2>&1 &
	thaw=$!
	record --duration 2 -- bash hang
	wait $thaw
	finding unfinished >f
	[ "$(jq -r .severity f)" = warning ]
	jq -e '.evidence | .waiters == 1 and .oldest_ns > 400000000' f
	jq -r .text f | grep -qE "'dd' \($(cat pid)\) on (force|write|commit|something other than the log), for [0-9]+ ms"
	jq -e '[.syncs[] | select(.status == "partial")] | length == 1 and (.[0].reasons == ["trace-end"])' json
	"$XLOGVIZ" report t.dat >text || [ $? -eq 3 ]
	tr -s ' \n' '  ' <text | grep -q "still slept in a sync and had not been woken: 'dd'"
}
