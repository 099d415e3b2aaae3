/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sub-commands share: exit statuses, messages, options that several of
 * them take, and loading a recording.
 *
 * Each sub-command is one file with one entry point that takes the arguments
 * from its own name on and returns an exit status.
 */
#ifndef XLV_SRC_CLI_H
#define XLV_SRC_CLI_H

#include <getopt.h>
#include <stdio.h>

#include "analysis/report.h"

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

int cmd_check(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_experiment(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_show(int argc, char **argv);

/** cli_error - "xlogviz: ..." on standard error; returns XLV_EXIT_FAIL */
int cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** cli_usage - the same for wrong usage, with a hint to COMMAND --help; returns XLV_EXIT_USAGE */
int cli_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * cli_bad_option - say what getopt_long() didn't like; returns XLV_EXIT_USAGE
 * @c:	what it returned: '?' or ':' (the option string starts with ":")
 */
int cli_bad_option(const char *command, int c, char **argv);

/** cli_help - print usage lines up to a NULL and return XLV_EXIT_OK */
int cli_help(const char *const *lines);

/** cli_worse - the status of two parts together: failure, usage, losses, done */
int cli_worse(int a, int b);

/*
 * Options that choose the recording's part. A command has CLI_SELECT_OPTIONS in
 * its table of long options, CLI_SELECT_HELP in its help, and hands what it
 * doesn't know to cli_select_option(). "--help" and "--version" are in it too:
 * cli_common_option().
 */
enum {
	CLI_OPT_HELP = 1000, CLI_OPT_VERSION, CLI_OPT_BUFFER, CLI_OPT_BOUNDARIES,
	CLI_OPT_PID, CLI_OPT_COMM, CLI_OPT_DEV, CLI_OPT_FROM, CLI_OPT_TO,
	CLI_OPT_COMMAND = 1100,		/* a command's own options start here */
};

#define CLI_COMMON_OPTIONS						\
	{ "help",	no_argument,		NULL, CLI_OPT_HELP },	\
	{ "version",	no_argument,		NULL, CLI_OPT_VERSION }

#define CLI_SELECT_OPTIONS							\
	CLI_COMMON_OPTIONS,							\
	{ "buffer",	required_argument,	NULL, CLI_OPT_BUFFER },		\
	{ "boundaries",	required_argument,	NULL, CLI_OPT_BOUNDARIES },	\
	{ "pid",	required_argument,	NULL, CLI_OPT_PID },		\
	{ "comm",	required_argument,	NULL, CLI_OPT_COMM },		\
	{ "dev",	required_argument,	NULL, CLI_OPT_DEV },		\
	{ "from",	required_argument,	NULL, CLI_OPT_FROM },		\
	{ "to",		required_argument,	NULL, CLI_OPT_TO }

#define CLI_SELECT_HELP								\
	"      --pid PID          only syncs of this task",			\
	"      --comm PATTERN     only syncs of tasks of this name; shell pattern", \
	"      --dev MAJ:MIN      only syncs of this filesystem",		\
	"      --from T, --to T   only syncs that start in this time: seconds as in the", \
	"                         trace, or +SECONDS from its start",		\
	"      --buffer NAME      read this buffer of the recording",		\
	"      --boundaries HOW   where T1 to T3 end: auto, patched, kprobe, tracepoint"

struct cli_time {			/* as given by the user */
	bool		set, relative;
	int64_t		ns;
};

struct cli_select {
	const char		*buffer;
	enum xlv_boundaries	bounds;
	struct xlv_filter	filter;		/* without times: cli_select_filter() */
	struct cli_time		from, to;
};

#define CLI_SELECT_INIT	{ .bounds = XLV_BOUNDS_AUTO, .filter = XLV_FILTER_ALL }

/**
 * cli_select_option - take one of CLI_SELECT_OPTIONS
 * @c:	what getopt_long() returned
 *
 * Returns -1 when it was taken, else an exit status to return.
 */
int cli_select_option(const char *command, int c, const char *arg, struct cli_select *sel);

/** cli_select_filter - the filter, with times made absolute by the recording's start */
struct xlv_filter cli_select_filter(const struct cli_select *sel,
				    const struct xlv_trace_info *info);

/** cli_parse_time - "12.345" or "+0.5"; 0, or -1 */
int cli_parse_time(const char *arg, struct cli_time *t);

/** cli_parse_int - a whole number in a range; 0, or -1 */
int cli_parse_int(const char *arg, int64_t min, int64_t max, int64_t *v);

/* A recording, read and rebuilt. */
struct cli_recording {
	struct xlv_trace		*trace;
	struct xlv_run			*run;
	const struct xlv_trace_info	*info;
};

/**
 * cli_load - open and rebuild a recording
 *
 * Shows progress on a terminal when it takes long. A recording without any XFS
 * event is a failure: the message says what is missing and how to record it.
 * Returns XLV_EXIT_OK or, having said why, XLV_EXIT_FAIL.
 */
int cli_load(const char *path, const struct cli_select *sel, struct cli_recording *rec);
void cli_unload(struct cli_recording *rec);

/** cli_losses - XLV_EXIT_LOSSES if events were lost or parts damaged, else XLV_EXIT_OK */
int cli_losses(const struct xlv_trace_info *info);

/** cli_guard_outputs - have a signal that ends the program remove unfinished outputs */
void cli_guard_outputs(void);

/**
 * cli_progress - a bar on standard error, where that is a terminal
 * @what:	named before the bar
 * @done:	0.0 to 1.0; 1.0 or more removes it
 *
 * Nothing is shown in the first half second.
 */
void cli_progress(const char *what, double done);

/** cli_colour - whether to colour what goes to @f: a terminal, and no NO_COLOR */
bool cli_colour(FILE *f);

/** cli_columns - width to write for: of the terminal, or COLUMNS, or 80 */
int cli_columns(FILE *f);

/** cli_utf8 - whether the locale's characters are UTF-8 */
bool cli_utf8(void);

#endif
