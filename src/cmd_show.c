// SPDX-License-Identifier: GPL-2.0-or-later
/* xlogviz show: one sync as a pipeline diagram. */
#include "config.h"

#include <fnmatch.h>

#include "cli.h"
#include "output/show.h"

static const char *const help[] = {
	"usage: xlogviz show [OPTION...] FILE",
	"",
	"One sync of a recording as a diagram in the terminal: a row for each event, a",
	"column each for the syncing task, the CIL worker, the I/O completion and the",
	"log worker, with T1 to T4 marked at the side. FILE '-' is standard input.",
	"",
	"      --sync ID          which sync, by its number in the report; without it",
	"                         the slowest that is complete",
	"      --width N          columns to fill, 80 to 400 (the terminal's)",
	"      --ascii            draw with ASCII characters alone",
	"",
	"Which part of the recording to choose the slowest from, and how to read it:",
	CLI_SELECT_HELP,
	"",
	"      --help, --version",
	"",
	"Exit status: 0 done, 1 FILE doesn't hold such a sync, 2 wrong usage, 3 done, but",
	"events were lost or parts of FILE are damaged.",
	NULL
};

struct params {
	struct cli_select	select;
	const char		*file;
	int32_t			sync;		/* 0: the slowest */
	int			width;		/* 0: the terminal's */
	bool			ascii;
};

enum { OPT_SYNC = CLI_OPT_COMMAND, OPT_WIDTH, OPT_ASCII };

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct params *p)
{
	static const struct option options[] = {
		{ "sync",	required_argument,	NULL, OPT_SYNC },
		{ "width",	required_argument,	NULL, OPT_WIDTH },
		{ "ascii",	no_argument,		NULL, OPT_ASCII },
		CLI_SELECT_OPTIONS,
		{ NULL, 0, NULL, 0 }
	};
	int64_t v;
	int c, ret;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (c) {
		case CLI_OPT_HELP:
			return cli_help(help);
		case CLI_OPT_VERSION:
			puts(PACKAGE_STRING);
			return XLV_EXIT_OK;
		case OPT_SYNC:
			if (cli_parse_int(optarg, 1, INT32_MAX, &v))
				return cli_usage("show", "not the id of a sync: '%s'", optarg);
			p->sync = (int32_t)v;
			break;
		case OPT_WIDTH:
			if (cli_parse_int(optarg, 80, 400, &v))
				return cli_usage("show", "not a width from 80 to 400: '%s'", optarg);
			p->width = (int)v;
			break;
		case OPT_ASCII:
			p->ascii = true;
			break;
		case '?':
		case ':':
			return cli_bad_option("show", c, argv);
		default:
			ret = cli_select_option("show", c, optarg, &p->select);
			if (ret >= 0)
				return ret;
		}
	}
	if (argc - optind != 1)
		return cli_usage("show", optind == argc ? "no recording named" :
				 "more than one recording named");
	p->file = argv[optind];
	return -1;
}

static bool passes(const struct xlv_sync *s, const struct xlv_filter *f)
{
	return (!f->pid || f->pid == s->pid) && (!f->dev || f->dev == s->dev) &&
	       (!f->comm || (s->comm && !fnmatch(f->comm, s->comm, 0))) &&
	       (f->from_ns == XLV_NONE || s->start_ns >= f->from_ns) &&
	       (f->to_ns == XLV_NONE || s->start_ns < f->to_ns);
}

/* NULL where there is none that is complete. */
static const struct xlv_sync *slowest(const struct xlv_run *run, const struct xlv_filter *f)
{
	const struct xlv_sync *best = NULL;

	for (size_t i = 0; i < run->nr_syncs; i++) {
		const struct xlv_sync *s = &run->syncs[i];

		if (!s->reasons && s->span_ns != XLV_NONE && passes(s, f) &&
		    (!best || s->span_ns > best->span_ns))
			best = s;
	}
	return best;
}

static const struct xlv_sync *choose(const struct params *p, const struct cli_recording *rec)
{
	struct xlv_filter f = cli_select_filter(&p->select, rec->info);
	const struct xlv_sync *s = NULL;

	if (!p->sync) {
		s = slowest(rec->run, &f);
		if (!s)
			cli_error("no complete sync of '%s' to show: 'xlogviz report' tells why", p->file);
		return s;
	}
	for (size_t i = 0; i < rec->run->nr_syncs && !s; i++)
		if (rec->run->syncs[i].id == p->sync)
			s = &rec->run->syncs[i];
	if (!s && rec->run->nr_syncs)
		cli_error("no sync %d in '%s': its ids go from 1 to %zu", p->sync, p->file,
			  rec->run->nr_syncs);
	else if (!s)
		cli_error("no sync %d in '%s': it holds no sync", p->sync, p->file);
	return s;
}

int cmd_show(int argc, char **argv)
{
	struct params p = { .select = CLI_SELECT_INIT };
	struct cli_recording rec;
	struct xlv_show_opts opts;
	const struct xlv_sync *s;
	struct xlv_error err;
	int ret;

	ret = parse(argc, argv, &p);
	if (ret >= 0)
		return ret;
	ret = cli_load(p.file, &p.select, &rec);
	if (ret)
		return ret;
	s = choose(&p, &rec);
	if (!s) {
		ret = XLV_EXIT_FAIL;
		goto out;
	}
	opts = (struct xlv_show_opts){
		.width = p.width ? p.width : cli_columns(stdout),
		.utf8 = !p.ascii && cli_utf8(),
		.colour = cli_colour(stdout),
	};
	if (xlv_show_print(stdout, rec.trace, rec.run, s, &opts, &err)) {
		ret = cli_error("%s", err.text);
		goto out;
	}
	ret = cli_losses(rec.info);
out:
	cli_unload(&rec);
	return ret;
}
