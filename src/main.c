// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the sub-command and runs it. */
#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const struct command commands[] = {
	{ "check", "what this kernel and machine can record", cmd_check },
	{ "record", "make a recording", cmd_record },
	{ "report", "what a recording amounts to", cmd_report },
	{ "show", "one sync as a diagram in the terminal", cmd_show },
	{ "compare", "what differs between recordings, and why", cmd_compare },
	{ "experiment", "base and fake completion, free and bound, compared", cmd_experiment },
	{ "export", "a recording for a trace UI", cmd_export },
	{ "merge", "many reports as one", cmd_merge },
	{ NULL, NULL, NULL }
};

static void usage(FILE *to)
{
	fputs("usage: xlogviz COMMAND [OPTION...] [ARGUMENT...]\n"
	      "\n"
	      "Where the time of each XFS fsync went, on which CPU, and why.\n"
	      "\n", to);
	for (const struct command *c = commands; c->name; c++)
		fprintf(to, "  %-12s %s\n", c->name, c->summary);
	fputs("\n'xlogviz COMMAND --help' tells more about a command.\n", to);
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		usage(stderr);
		return XLV_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return XLV_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts(PACKAGE_STRING);
		return XLV_EXIT_OK;
	}
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(argv[1], c->name))
			return c->run(argc - 1, argv + 1);
	fprintf(stderr, "xlogviz: no such command: '%s' (see 'xlogviz --help')\n", argv[1]);
	return XLV_EXIT_USAGE;
}
