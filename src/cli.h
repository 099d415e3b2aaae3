/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sub-commands share: exit statuses, messages, and their entry points.
 *
 * Each sub-command is one file with one entry point that takes the arguments
 * from its own name on and returns an exit status.
 */
#ifndef XLV_SRC_CLI_H
#define XLV_SRC_CLI_H

enum xlv_exit {
	XLV_EXIT_OK	= 0,	/* done */
	XLV_EXIT_FAIL	= 1,	/* the trace or the system can't give what was asked */
	XLV_EXIT_USAGE	= 2,	/* wrong usage */
	XLV_EXIT_LOSSES	= 3,	/* done, but events were lost or parts damaged */
};

struct command {
	const char	*name;
	const char	*summary;	/* one line for the list of commands */
	int		(*run)(int argc, char **argv);
};

#endif
