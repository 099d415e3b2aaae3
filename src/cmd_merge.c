// SPDX-License-Identifier: GPL-2.0-or-later
/* xlogviz merge: many reports as one. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/load.h"
#include "analysis/merge.h"
#include "cli.h"
#include "output/json.h"
#include "output/outfile.h"
#include "output/text.h"

static const char *const help[] = {
	"usage: xlogviz merge [OPTION...] REPORT...",
	"",
	"Makes one report out of many that 'xlogviz report --json' wrote, on whatever",
	"hosts: counts are exact, quantiles within 0.4 %, the order doesn't matter. A",
	"REPORT can hold several, one after the other; '-' is standard input.",
	"",
	"      --json OUT         the merged report as JSON; the default, to stdout",
	"      --text OUT         the merged report as text",
	"",
	"      --help, --version",
	"",
	"Exit status: 0 done, 1 a REPORT can't be read, 2 wrong usage, 3 done, but",
	"events were lost or parts damaged in a recording.",
	NULL
};

enum { OPT_JSON = CLI_OPT_COMMAND, OPT_TEXT };

struct params {
	const char	*json, *text;
	char		**files;
	int		nr_files;
};

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct params *p)
{
	static const struct option options[] = {
		{ "json",	required_argument,	NULL, OPT_JSON },
		{ "text",	required_argument,	NULL, OPT_TEXT },
		CLI_COMMON_OPTIONS,
		{ NULL, 0, NULL, 0 }
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (c) {
		case CLI_OPT_HELP:
			return cli_help(help);
		case CLI_OPT_VERSION:
			puts(PACKAGE_STRING);
			return XLV_EXIT_OK;
		case OPT_JSON:
			p->json = optarg;
			break;
		case OPT_TEXT:
			p->text = optarg;
			break;
		default:
			return cli_bad_option("merge", c, argv);
		}
	}
	p->files = argv + optind;
	p->nr_files = argc - optind;
	if (!p->nr_files)
		return cli_usage("merge", "no report named");
	if (!p->json && !p->text)
		p->json = "-";
	if (p->json && p->text && !strcmp(p->json, "-") && !strcmp(p->text, "-"))
		return cli_usage("merge", "--json and --text can't both go to standard output");
	return -1;
}

static int merge_file(struct xlv_merge *m, const char *path, bool *losses)
{
	struct xlv_json_file *f;
	struct xlv_json_doc *doc;
	struct xlv_report *rep;
	struct xlv_error err;
	int more;

	f = xlv_json_open(path, &err);
	if (!f)
		return cli_error("%s", err.text);
	while ((more = xlv_json_next(f, &doc, &err)) > 0) {
		rep = xlv_json_report_of(doc, &err);
		if (rep) {
			*losses |= xlv_report_losses(rep);
			if (xlv_merge_add(m, rep, &err)) {
				cli_error("'%s': %s", xlv_json_path(doc), err.text);
				more = -2;
			}
		} else {
			more = -1;
		}
		xlv_report_free(rep);
		xlv_json_free(doc);
		if (more < 0)
			break;
	}
	if (more == -1)
		cli_error("%s", err.text);
	xlv_json_close(f);
	return more < 0 ? XLV_EXIT_FAIL : XLV_EXIT_OK;
}

static int write_json(FILE *out, const struct xlv_report *rep)
{
	const struct xlv_json_opts opts = { .no_syncs = true };

	return xlv_json_report(out, rep, &opts);
}

static int write_text(FILE *out, const struct xlv_report *rep)
{
	const struct xlv_text_opts opts = {
		.width = cli_columns(out), .utf8 = cli_utf8(), .colour = cli_colour(out),
	};

	return xlv_text_report(out, rep, &opts);
}

static int write_to(const char *path, const struct xlv_report *rep,
		    int (*write)(FILE *out, const struct xlv_report *rep))
{
	struct xlv_outfile *o;
	struct xlv_error err;

	if (!path)
		return XLV_EXIT_OK;
	o = xlv_outfile_open(path, &err);
	if (!o)
		return cli_error("%s", err.text);
	if (write(xlv_outfile_stream(o), rep)) {
		xlv_outfile_abort(o);
		return cli_error("out of memory");
	}
	return xlv_outfile_commit(o, &err) ? cli_error("%s", err.text) : XLV_EXIT_OK;
}

int cmd_merge(int argc, char **argv)
{
	struct xlv_report *rep = NULL;
	struct params p = { 0 };
	struct xlv_merge *m;
	struct xlv_error err;
	bool losses = false;
	int ret;

	ret = parse(argc, argv, &p);
	if (ret >= 0)
		return ret;
	cli_guard_outputs();
	m = xlv_merge_new();
	ret = m ? XLV_EXIT_OK : cli_error("out of memory");
	for (int i = 0; i < p.nr_files && !ret; i++) {
		ret = merge_file(m, p.files[i], &losses);
		cli_progress("merging", (double)(i + 1) / p.nr_files);
	}
	if (!ret) {
		rep = xlv_merge_finish(m, &err);
		if (!rep)
			ret = cli_error("%s", err.text);
	}
	if (!ret)
		ret = cli_worse(write_to(p.json, rep, write_json),
				write_to(p.text, rep, write_text));
	xlv_report_free(rep);
	xlv_merge_free(m);
	return ret || !losses ? ret : XLV_EXIT_LOSSES;
}
