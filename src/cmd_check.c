// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xlogviz check: what this kernel and machine can record.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "record/check.h"
#include "record/undo.h"

static const char *const help[] = {
	"usage: xlogviz check [--json | --clean]",
	"",
	"Tells what this kernel and machine can record, what is missing, what a report",
	"lacks by that, and how to get it. Changes nothing.",
	"",
	"      --all              also each event that is there",
	"      --json             the same as JSON",
	"      --clean            remove what recorders that were killed left behind",
	"      --help, --version",
	"",
	"Exit status: 0 syncs can be recorded, 1 they can't, 2 wrong usage.",
	NULL
};

enum { OPT_ALL = CLI_OPT_COMMAND, OPT_JSON, OPT_CLEAN };

static const struct option long_options[] = {
	CLI_COMMON_OPTIONS,
	{ "all",	no_argument,	NULL, OPT_ALL },
	{ "json",	no_argument,	NULL, OPT_JSON },
	{ "clean",	no_argument,	NULL, OPT_CLEAN },
	{ NULL, 0, NULL, 0 }
};

static void print_item(const struct xlv_check_item *item, bool colour)
{
	static const char *const words[] = { "ok     ", "       ", "missing", "fatal  " };
	static const char *const colours[] = { "\033[32m", "", "\033[33m", "\033[31m" };

	printf("%s%s%s  %s\n", colour ? colours[item->state] : "", words[item->state],
	       colour && item->state != XLV_CHECK_INFO ? "\033[0m" : "", item->text);
	if (item->lost[0])
		printf("           lost: %s\n", item->lost);
	if (item->remedy[0])
		printf("           to get it: %s\n", item->remedy);
}

static int print_text(const struct xlv_check *c, bool all)
{
	bool colour = cli_colour(stdout), fatal = xlv_check_worst(c) == XLV_CHECK_FATAL;
	int events = 0;

	for (int i = 0; i < c->nr; i++) {
		const struct xlv_check_item *item = &c->item[i];
		bool quiet = item->state == XLV_CHECK_OK && !strncmp(item->id, "event:", 6);

		events += quiet;
		if (!quiet || all)
			print_item(item, colour);
	}
	if (events && !all)
		printf("%sok%s       %d events (--all lists them)\n", colour ? "\033[32m" : "",
		       colour ? "\033[0m" : "", events);
	if (fatal)
		return cli_error("syncs can't be recorded here: see the lines marked 'fatal'");
	return XLV_EXIT_OK;
}

static int print_json(const struct xlv_check *c)
{
	json_object *o = xlv_check_json(c);

	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return xlv_check_worst(c) == XLV_CHECK_FATAL ? XLV_EXIT_FAIL : XLV_EXIT_OK;
}

static void on_found(const char *line, void *arg)
{
	(void)arg;
	printf("removed  %s\n", line);
}

static int clean(void)
{
	int found;

	if (geteuid())
		return cli_error("cleaning up takes root: run 'sudo xlogviz check --clean'");
	found = xlv_undo_sweep(false, on_found, NULL);
	if (found < 0)
		return cli_error("not everything could be removed: see above");
	if (!found)
		puts("nothing was left behind");
	return XLV_EXIT_OK;
}

int cmd_check(int argc, char **argv)
{
	bool all = false, json = false, want_clean = false;
	struct xlv_check *check;
	int c, status;

	while ((c = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		switch (c) {
		case CLI_OPT_HELP:
			return cli_help(help);
		case CLI_OPT_VERSION:
			puts(PACKAGE_STRING);
			return XLV_EXIT_OK;
		case OPT_ALL:
			all = true;
			break;
		case OPT_JSON:
			json = true;
			break;
		case OPT_CLEAN:
			want_clean = true;
			break;
		default:
			return cli_bad_option("check", c, argv);
		}
	}
	if (optind < argc)
		return cli_usage("check", "no use for '%s'", argv[optind]);
	if (want_clean && json)
		return cli_usage("check", "--clean gives no JSON");
	if (want_clean)
		return clean();
	check = xlv_check_run();
	if (!check)
		return cli_error("out of memory");
	status = json ? print_json(check) : print_text(check, all);
	xlv_check_free(check);
	return status;
}
