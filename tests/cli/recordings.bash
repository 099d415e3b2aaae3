# SPDX-License-Identifier: GPL-2.0-or-later
# For bats files: where the large real recordings are.
#
#	load recordings
#	f="$(recording host-6.18-dd.dat)" || skip "no recordings"
#
# They are looked for in $XLV_TRACES, else in shared/traces beside the source;
# compressed ones are unpacked once into a folder of the build.

recording()
{
	local dir="${XLV_TRACES:-$top_srcdir/../shared/traces}" out="$top_builddir/tests/recordings"

	if [ -f "$dir/$1" ]; then
		echo "$dir/$1"
	elif [ -f "$out/$1" ]; then
		echo "$out/$1"
	elif [ -f "$dir/$1.zst" ] && command -v zstd >/dev/null; then
		mkdir -p "$(dirname "$out/$1")"
		zstd -dqf "$dir/$1.zst" -o "$out/$1.$$" && mv "$out/$1.$$" "$out/$1" && echo "$out/$1"
	else
		return 1
	fi
}
