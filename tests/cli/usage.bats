# SPDX-License-Identifier: GPL-2.0-or-later

@test "--version names the program and its version" {
	run "$XLOGVIZ" --version
	[ "$status" -eq 0 ]
	[[ "$output" == "xlogviz "* ]]
}

@test "no sub-command is wrong usage" {
	run "$XLOGVIZ"
	[ "$status" -eq 2 ]
}

@test "an unknown sub-command is wrong usage and named" {
	run "$XLOGVIZ" fsync
	[ "$status" -eq 2 ]
	[[ "$output" == *"'fsync'"* ]]
}
