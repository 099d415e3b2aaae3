// SPDX-License-Identifier: GPL-2.0-or-later
/* xlogviz compare: what differs between recordings, and why. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/compare.h"
#include "output/outfile.h"
#include "sides.h"

static const char *const help[] = {
	"usage: xlogviz compare [OPTION...] BASE OTHER...",
	"       xlogviz compare [OPTION...] DIR",
	"",
	"What differs between BASE and each OTHER, how sure that is, and where each",
	"nanosecond of it comes from. BASE and OTHER are recordings or JSON reports; DIR",
	"is the folder of an experiment, whose first cell is the base.",
	"",
	"      --text OUT         the comparison as text; the default, to stdout",
	"      --json OUT         the comparison as JSON",
	"      --svg OUT          a picture: median syncs on one scale, waterfall of the",
	"                         difference",
	"      --tables           only the experiment's two tables, as text",
	"      --seed N           of the random numbers behind the intervals (1)",
	"",
	"Which part of each recording:",
	CLI_SELECT_HELP,
	"",
	"      --help, --version",
	"",
	"Exit status: 0 done, 1 something can't be compared, 2 wrong usage, 3 done, but",
	"events were lost or parts of a file are damaged.",
	NULL
};

enum { OPT_TEXT = CLI_OPT_COMMAND, OPT_JSON, OPT_SVG, OPT_TABLES, OPT_SEED };

struct params {
	struct cli_select	select;
	const char		*text, *json, *svg;
	bool			tables;
	int64_t			seed;
	char			**files;
	int			nr_files;
};

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct params *p)
{
	static const struct option options[] = {
		{ "text",	required_argument,	NULL, OPT_TEXT },
		{ "json",	required_argument,	NULL, OPT_JSON },
		{ "svg",	required_argument,	NULL, OPT_SVG },
		{ "tables",	no_argument,		NULL, OPT_TABLES },
		{ "seed",	required_argument,	NULL, OPT_SEED },
		CLI_SELECT_OPTIONS,
		{ NULL, 0, NULL, 0 }
	};
	int c, ret;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (c) {
		case CLI_OPT_HELP:
			return cli_help(help);
		case CLI_OPT_VERSION:
			puts(PACKAGE_STRING);
			return XLV_EXIT_OK;
		case OPT_TEXT:
			p->text = optarg;
			break;
		case OPT_JSON:
			p->json = optarg;
			break;
		case OPT_SVG:
			p->svg = optarg;
			break;
		case OPT_TABLES:
			p->tables = true;
			break;
		case OPT_SEED:
			if (cli_parse_int(optarg, 0, INT64_MAX, &p->seed))
				return cli_usage("compare", "not a seed: '%s'", optarg);
			break;
		case '?':
		case ':':
			return cli_bad_option("compare", c, argv);
		default:
			ret = cli_select_option("compare", c, optarg, &p->select);
			if (ret >= 0)
				return ret;
		}
	}
	p->files = argv + optind;
	p->nr_files = argc - optind;
	if (!p->nr_files)
		return cli_usage("compare", "nothing named to compare");
	if (!p->json && !p->svg && !p->text)
		p->text = "-";
	if (!!(p->text && !strcmp(p->text, "-")) + !!(p->json && !strcmp(p->json, "-")) +
	    !!(p->svg && !strcmp(p->svg, "-")) > 1)
		return cli_usage("compare", "only one output can go to standard output");
	return -1;
}

static int write_to(const char *path, const struct params *p, const struct xlv_compared *all,
		    int (*write)(FILE *out, const struct params *p, const struct xlv_compared *all,
				 struct xlv_error *err))
{
	struct xlv_outfile *o;
	struct xlv_error err;

	if (!path)
		return XLV_EXIT_OK;
	o = xlv_outfile_open(path, &err);
	if (!o)
		return cli_error("%s", err.text);
	if (write(xlv_outfile_stream(o), p, all, &err)) {
		xlv_outfile_abort(o);
		return cli_error("%s", err.text);
	}
	return xlv_outfile_commit(o, &err) ? cli_error("%s", err.text) : XLV_EXIT_OK;
}

static int write_text(FILE *out, const struct params *p, const struct xlv_compared *all,
		      struct xlv_error *err)
{
	struct xlv_compare_text_opts opts = {
		.width = cli_columns(out), .utf8 = cli_utf8(), .colour = cli_colour(out),
	};

	(void)err;
	if (p->tables)
		xlv_compare_tables(out, all);
	else
		xlv_compare_text(out, all, &opts);
	return 0;
}

static int write_json(FILE *out, const struct params *p, const struct xlv_compared *all,
		      struct xlv_error *err)
{
	(void)p;
	(void)err;
	xlv_compare_json(out, all);
	return 0;
}

static int write_svg(FILE *out, const struct params *p, const struct xlv_compared *all,
		     struct xlv_error *err)
{
	(void)p;
	return xlv_compare_svg(out, all, err);
}

static int compare(const struct params *p, const struct cli_sides *sides)
{
	struct xlv_compared all = {
		.side = sides->side, .nr = sides->nr, .seed = (uint64_t)p->seed,
	};
	struct xlv_error err;
	int ret = XLV_EXIT_OK;

	all.with = calloc((size_t)all.nr, sizeof(*all.with));
	if (!all.with)
		return cli_error("out of memory");
	for (int i = 1; i < all.nr; i++) {
		all.with[i - 1] = xlv_compare(all.side[0], all.side[i], all.seed, &err);
		if (!all.with[i - 1]) {
			ret = cli_error("%s", err.text);
			goto out;
		}
	}
	ret = cli_worse(write_to(p->text, p, &all, write_text),
			cli_worse(write_to(p->json, p, &all, write_json),
				  write_to(p->svg, p, &all, write_svg)));
out:
	for (int i = 1; i < all.nr; i++)
		xlv_comparison_free(all.with[i - 1]);
	free(all.with);
	return ret;
}

int cmd_compare(int argc, char **argv)
{
	struct params p = { .select = CLI_SELECT_INIT, .seed = 1 };
	struct cli_sides sides = { 0 };
	int ret;

	ret = parse(argc, argv, &p);
	if (ret >= 0)
		return ret;
	cli_guard_outputs();
	ret = XLV_EXIT_OK;
	for (int i = 0; i < p.nr_files && ret != XLV_EXIT_FAIL; i++)
		ret = cli_worse(ret, cli_sides_add(&sides, p.files[i], &p.select));
	if (ret != XLV_EXIT_FAIL && sides.nr < 2 && !p.tables)
		ret = cli_usage("compare", "'%s' alone can't be compared: name another recording",
				p.files[0]);
	else if (ret != XLV_EXIT_FAIL)
		ret = cli_worse(ret, compare(&p, &sides));
	cli_sides_free(&sides);
	return ret;
}
