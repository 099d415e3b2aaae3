// SPDX-License-Identifier: GPL-2.0-or-later
/* xlogviz export: a recording for other tools. */
#include "config.h"

#include <string.h>

#include "cli.h"
#include "output/outfile.h"
#include "output/perfetto.h"

static const char *const help[] = {
	"usage: xlogviz export --perfetto OUT [OPTION...] FILE",
	"",
	"Writes a recording for a trace UI: CPUs, syncing tasks and workers as tracks,",
	"syncs and their stages as nested slices, iclogs as asynchronous ones, flows",
	"along the pipeline. Open OUT in ui.perfetto.dev or chrome://tracing.",
	"",
	"      --perfetto OUT     JSON in the Trace Event Format; '-' is standard output",
	"",
	"Which part of the recording:",
	CLI_SELECT_HELP,
	"",
	"      --help, --version",
	"",
	"Exit status: 0 done, 1 FILE can't be exported, 2 wrong usage, 3 done, but",
	"events were lost or parts of FILE are damaged.",
	NULL
};

enum { OPT_PERFETTO = CLI_OPT_COMMAND };

struct params {
	struct cli_select	select;
	const char		*perfetto, *file;
};

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct params *p)
{
	static const struct option options[] = {
		{ "perfetto",	required_argument,	NULL, OPT_PERFETTO },
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
		case OPT_PERFETTO:
			p->perfetto = optarg;
			break;
		case '?':
		case ':':
			return cli_bad_option("export", c, argv);
		default:
			ret = cli_select_option("export", c, optarg, &p->select);
			if (ret >= 0)
				return ret;
		}
	}
	if (!p->perfetto)
		return cli_usage("export", "no format chosen: --perfetto OUT");
	if (argc - optind != 1)
		return cli_usage("export", argc == optind ? "no recording named" :
				 "one recording at a time, please");
	p->file = argv[optind];
	return -1;
}

static int export(const struct params *p, struct cli_recording *rec)
{
	struct xlv_filter filter = cli_select_filter(&p->select, rec->info);
	struct xlv_outfile *o = NULL;
	struct xlv_report *rep;
	struct xlv_error err;
	int ret = XLV_EXIT_FAIL;

	rep = xlv_report_make(rec->run, &filter, false, &err);
	if (rep)
		o = xlv_outfile_open(p->perfetto, &err);
	if (o && xlv_perfetto_write(xlv_outfile_stream(o), rec->trace, rep, &err))
		xlv_outfile_abort(o);
	else if (o && !xlv_outfile_commit(o, &err))
		ret = cli_losses(rec->info);
	if (ret == XLV_EXIT_FAIL)
		cli_error("%s", err.text);
	xlv_report_free(rep);
	return ret;
}

int cmd_export(int argc, char **argv)
{
	struct params p = { .select = CLI_SELECT_INIT };
	struct cli_recording rec;
	int ret;

	ret = parse(argc, argv, &p);
	if (ret >= 0)
		return ret;
	cli_guard_outputs();
	ret = cli_load(p.file, &p.select, &rec);
	if (ret)
		return ret;
	ret = export(&p, &rec);
	cli_unload(&rec);
	return ret;
}
