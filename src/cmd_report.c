// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xlogviz report: what a recording amounts to.
 *
 * Each kind of output is a line in outputs[]: adding one is adding a line there
 * and a function that writes it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "output/charts.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/ndjson.h"
#include "output/outfile.h"
#include "output/pipeline_view.h"
#include "output/text.h"
#include "output/timeline.h"
#include "output/utf8.h"

static const char *const help[] = {
	"usage: xlogviz report [OPTION...] FILE...",
	"",
	"Where the time of each sync in a recording went. Without an output option the",
	"report is printed as text. FILE '-' is standard input; OUT '-' is standard",
	"output; an OUT that is a folder gets a file for each FILE.",
	"",
	"      --text OUT         the report as text",
	"      --json OUT         the report as JSON; of several FILEs one on each line",
	"      --csv OUT          a row for each sync",
	"      --ndjson OUT       a line of JSON for each sync",
	"      --no-syncs         leave the list of syncs out of the JSON report",
	"      --slowest N        how many of the slowest syncs the text lists (5)",
	"      --all-findings     also findings below 5 % of the time of syncs",
	"",
	"Pictures, of one FILE each unless OUT is a folder:",
	"      --svg OUT, --png OUT, --pdf OUT",
	"                         what happened on each CPU in the median sync and in the",
	"                         slowest, or in what one of these says:",
	"      --sync ID          this sync; can be given up to 20 times",
	"      --slowest N        the N slowest syncs, up to 20",
	"      --median           the median sync",
	"      --from T, --to T   all that happened in this time",
	"      --charts OUT       distributions: OUT ends in .svg, .png or .pdf",
	"      --view VIEW        timeline, or pipeline: a row for each iclog write",
	"      --theme THEME      light or dark",
	"",
	"Which part of the recording:",
	CLI_SELECT_HELP,
	"",
	"      --help, --version",
	"",
	"Exit status: 0 done, 1 a FILE can't be reported on, 2 wrong usage, 3 done, but",
	"events were lost or parts of a FILE are damaged.",
	NULL
};

enum output_kind {
	OUT_TEXT, OUT_JSON, OUT_CSV, OUT_NDJSON,
	OUT_SVG, OUT_PNG, OUT_PDF, OUT_CHARTS,	/* pictures: of one recording each */
	OUT_COUNT
};

struct params {
	struct cli_select	select;
	char			**files;
	int			nr_files;
	const char		*out[OUT_COUNT];	/* NULL: not asked for */
	bool			no_syncs, all_findings;
	int			slowest;		/* -1: not given */
	bool			median, pipeline;
	int32_t			ids[XLV_MAX_PANELS];	/* syncs to draw */
	int			nr_ids;
	enum xlv_theme		theme;
};

/* A recording being reported on. */
struct job {
	const struct params	*params;
	const char		*file;
	int			nr;		/* in order, from 0 */
	struct cli_recording	rec;
	struct xlv_report	*rep;
};

/* Writers of text fail for want of memory alone. */
static int memory(int ret, const struct job *job, struct xlv_error *err)
{
	return ret ? xlv_fail(err, "out of memory to report on '%s'", job->file) : 0;
}

static int write_text(FILE *out, const struct job *job, struct xlv_error *err)
{
	struct xlv_text_opts opts = {
		.width = cli_columns(out),
		.utf8 = cli_utf8(),
		.colour = cli_colour(out),
		.slowest = job->params->slowest < 0 ? 5 : job->params->slowest,
	};

	if (job->nr)
		fputs("\n\n", out);
	return memory(xlv_text_report(out, job->rep, &opts), job, err);
}

static int write_json(FILE *out, const struct job *job, struct xlv_error *err)
{
	struct xlv_json_opts opts = {
		.no_syncs = job->params->no_syncs,
		.one_line = job->params->nr_files > 1,
	};

	return memory(xlv_json_report(out, job->rep, &opts), job, err);
}

static int write_csv(FILE *out, const struct job *job, struct xlv_error *err)
{
	if (!job->nr)
		xlv_csv_header(out);
	return memory(xlv_csv_syncs(out, job->rep), job, err);
}

static int write_ndjson(FILE *out, const struct job *job, struct xlv_error *err)
{
	return memory(xlv_ndjson_syncs(out, job->rep), job, err);
}

/* What the options say is to be drawn. */
static struct xlv_choose choose(const struct job *job)
{
	const struct params *p = job->params;
	struct xlv_choose c = {
		.choice = XLV_CHOOSE_DEFAULT, .count = p->slowest, .ids = p->ids,
		.nr_ids = p->nr_ids,
		.from_ns = job->rep->filter.from_ns, .to_ns = job->rep->filter.to_ns,
	};

	if (p->nr_ids)
		c.choice = XLV_CHOOSE_SYNCS;
	else if (p->median)
		c.choice = XLV_CHOOSE_MEDIAN;
	else if (p->slowest > 0)
		c.choice = XLV_CHOOSE_SLOWEST;
	else if (p->select.from.set || p->select.to.set)
		c.choice = XLV_CHOOSE_WINDOW;
	if (c.from_ns == XLV_NONE)
		c.from_ns = job->rec.info->start_ns;
	if (c.to_ns == XLV_NONE)
		c.to_ns = job->rec.info->end_ns;
	return c;
}

static int write_picture(FILE *out, const struct job *job, enum xlv_picture format,
			 struct xlv_error *err)
{
	struct xlv_picture_opts opts = { .format = format, .theme = job->params->theme };
	struct xlv_choose c = choose(job);

	if (job->params->pipeline)
		return xlv_pipeline_draw(out, job->rep, &c, &opts, err);
	return xlv_timeline_draw(out, job->rec.trace, job->rep, &c, &opts, err);
}

static int write_svg(FILE *out, const struct job *job, struct xlv_error *err)
{
	return write_picture(out, job, XLV_SVG, err);
}

static int write_png(FILE *out, const struct job *job, struct xlv_error *err)
{
	return write_picture(out, job, XLV_PNG, err);
}

static int write_pdf(FILE *out, const struct job *job, struct xlv_error *err)
{
	return write_picture(out, job, XLV_PDF, err);
}

static int write_charts(FILE *out, const struct job *job, struct xlv_error *err)
{
	int format = xlv_picture_of(job->params->out[OUT_CHARTS]);
	struct xlv_picture_opts opts = {
		.format = format < 0 ? XLV_SVG : format, .theme = job->params->theme,
	};

	return xlv_charts_draw(out, job->rec.trace, job->rep, &opts, err);
}

static const struct output {
	const char	*option, *suffix;
	int		(*write)(FILE *out, const struct job *job, struct xlv_error *err);
} outputs[OUT_COUNT] = {
	[OUT_TEXT]	= { "text", ".txt", write_text },
	[OUT_JSON]	= { "json", ".json", write_json },
	[OUT_CSV]	= { "csv", ".csv", write_csv },
	[OUT_NDJSON]	= { "ndjson", ".ndjson", write_ndjson },
	[OUT_SVG]	= { "svg", ".svg", write_svg },
	[OUT_PNG]	= { "png", ".png", write_png },
	[OUT_PDF]	= { "pdf", ".pdf", write_pdf },
	[OUT_CHARTS]	= { "charts", "-charts.svg", write_charts },
};

enum {
	OPT_OUT = CLI_OPT_COMMAND,		/* + enum output_kind */
	OPT_NO_SYNCS = OPT_OUT + OUT_COUNT, OPT_ALL_FINDINGS, OPT_SLOWEST,
	OPT_SYNC, OPT_MEDIAN, OPT_VIEW, OPT_THEME,
};

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct params *p)
{
	static const struct option options[] = {
		{ "text",		required_argument,	NULL, OPT_OUT + OUT_TEXT },
		{ "json",		required_argument,	NULL, OPT_OUT + OUT_JSON },
		{ "csv",		required_argument,	NULL, OPT_OUT + OUT_CSV },
		{ "ndjson",		required_argument,	NULL, OPT_OUT + OUT_NDJSON },
		{ "svg",		required_argument,	NULL, OPT_OUT + OUT_SVG },
		{ "png",		required_argument,	NULL, OPT_OUT + OUT_PNG },
		{ "pdf",		required_argument,	NULL, OPT_OUT + OUT_PDF },
		{ "charts",		required_argument,	NULL, OPT_OUT + OUT_CHARTS },
		{ "sync",		required_argument,	NULL, OPT_SYNC },
		{ "median",		no_argument,		NULL, OPT_MEDIAN },
		{ "view",		required_argument,	NULL, OPT_VIEW },
		{ "theme",		required_argument,	NULL, OPT_THEME },
		{ "no-syncs",		no_argument,		NULL, OPT_NO_SYNCS },
		{ "all-findings",	no_argument,		NULL, OPT_ALL_FINDINGS },
		{ "slowest",		required_argument,	NULL, OPT_SLOWEST },
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
		case OPT_OUT ... OPT_OUT + OUT_COUNT - 1:
			p->out[c - OPT_OUT] = optarg;
			break;
		case OPT_NO_SYNCS:
			p->no_syncs = true;
			break;
		case OPT_ALL_FINDINGS:
			p->all_findings = true;
			break;
		case OPT_SLOWEST:
			if (cli_parse_int(optarg, 0, INT32_MAX, &v))
				return cli_usage("report", "not a number of syncs: '%s'", optarg);
			p->slowest = (int)v;
			break;
		case OPT_SYNC:
			if (cli_parse_int(optarg, 1, INT32_MAX, &v))
				return cli_usage("report", "not the id of a sync: '%s'", optarg);
			if (p->nr_ids == XLV_MAX_PANELS)
				return cli_usage("report", "no more than %d syncs fit in a picture",
						 XLV_MAX_PANELS);
			p->ids[p->nr_ids++] = (int32_t)v;
			break;
		case OPT_MEDIAN:
			p->median = true;
			break;
		case OPT_VIEW:
			p->pipeline = !strcmp(optarg, "pipeline");
			if (!p->pipeline && strcmp(optarg, "timeline"))
				return cli_usage("report", "no such view: '%s' (timeline, "
						 "pipeline)", optarg);
			break;
		case OPT_THEME:
			p->theme = strcmp(optarg, "dark") ? XLV_THEME_LIGHT : XLV_THEME_DARK;
			if (p->theme == XLV_THEME_LIGHT && strcmp(optarg, "light"))
				return cli_usage("report", "no such theme: '%s' (light, dark)",
						 optarg);
			break;
		case '?':
		case ':':
			return cli_bad_option("report", c, argv);
		default:
			ret = cli_select_option("report", c, optarg, &p->select);
			if (ret >= 0)
				return ret;
		}
	}
	p->files = argv + optind;
	p->nr_files = argc - optind;
	if (!p->nr_files)
		return cli_usage("report", "no recording named");
	return -1;
}

static bool is_folder(const char *path)
{
	struct stat st;
	size_t len = strlen(path);

	return (len && path[len - 1] == '/') || (!stat(path, &st) && S_ISDIR(st.st_mode));
}

/* "OUT/trace.json" for "some/where/trace.dat"; to be freed, NULL without memory. */
static char *path_in(const char *folder, const char *file, const char *suffix)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	int len = (int)strlen(base);
	char *path;

	if (!strcmp(file, "-")) {
		base = "stdin";
		len = 5;
	} else if (len > 4 && !strcmp(base + len - 4, ".dat")) {
		len -= 4;
	}
	if (asprintf(&path, "%s%s%.*s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
		     len, base, suffix) < 0)
		return NULL;
	return path;
}

/* Two FILEs of the same name can't both go into one folder. */
static int check_folder(const struct params *p, const char *folder, const char *suffix)
{
	char **paths = calloc((size_t)p->nr_files, sizeof(*paths));
	int ret = -1;

	for (int i = 0; paths && i < p->nr_files && ret < 0; i++) {
		paths[i] = path_in(folder, p->files[i], suffix);
		for (int j = 0; j < i && paths[i] && ret < 0; j++)
			if (!strcmp(paths[i], paths[j]))
				ret = cli_usage("report", "'%s' and '%s' would both be written to "
						"'%s'", p->files[j], p->files[i], paths[i]);
	}
	for (int i = 0; paths && i < p->nr_files; i++)
		free(paths[i]);
	free(paths);
	return ret;
}

/* Returns -1 to go on, else an exit status. */
static int check(struct params *p)
{
	const char *to_stdout = NULL;
	int nr = 0, ret;

	for (int i = 0; i < OUT_COUNT; i++) {
		if (!p->out[i])
			continue;
		nr++;
		if (!*p->out[i])
			return cli_usage("report", "option '--%s' needs a file name",
					 outputs[i].option);
		if (is_folder(p->out[i])) {
			ret = check_folder(p, p->out[i], outputs[i].suffix);
			if (ret >= 0)
				return ret;
		} else if (i >= OUT_SVG && p->nr_files > 1) {
			return cli_usage("report", "--%s of several FILEs needs a folder: '%s' is "
					 "none", outputs[i].option, p->out[i]);
		} else if (i == OUT_CHARTS && xlv_picture_of(p->out[i]) < 0) {
			return cli_usage("report", "--charts needs a name that ends in .svg, .png "
					 "or .pdf: '%s'", p->out[i]);
		}
		if (strcmp(p->out[i], "-"))
			continue;
		if (to_stdout)
			return cli_usage("report", "--%s and --%s can't both go to standard output",
					 to_stdout, outputs[i].option);
		to_stdout = outputs[i].option;
	}
	if (!nr)
		p->out[OUT_TEXT] = "-";
	if ((p->nr_ids > 0) + p->median + (p->slowest >= 0) > 1)
		return cli_usage("report", "only one of --sync, --median and --slowest can be "
				 "drawn");
	return -1;
}

/* A window can be drawn even where no sync begins: all that is asked for is that. */
static bool only_windows(const struct job *job)
{
	for (int i = 0; i < OUT_COUNT; i++)
		if (job->params->out[i] && (i < OUT_SVG || i == OUT_CHARTS))
			return false;
	return choose(job).choice == XLV_CHOOSE_WINDOW;
}

/* Why a report would be empty. */
static int say_empty(const struct job *job)
{
	const struct xlv_run *run = job->rec.run;
	char name[80];

	if (run->nr_syncs)
		return cli_error("no sync of '%s' passes the filter: it has %zu, from %.6f s to %.6f s",
				 job->file, run->nr_syncs, (double)run->syncs[0].start_ns / 1e9,
				 (double)run->syncs[run->nr_syncs - 1].start_ns / 1e9);
	cli_error("'%s' has XFS events, but no sync in it: no fsync, no synchronous write, no sync",
		  job->file);
	for (size_t i = 0; i < run->nr_callers; i++) {
		xlv_show(name, sizeof(name), run->callers[i].name, cli_utf8());
		fprintf(stderr, "  log forces by %s: %lld\n", name,
			(long long)run->callers[i].forces);
	}
	fputs("  record the work that syncs with: xlogviz record -o trace.dat -- COMMAND\n", stderr);
	return XLV_EXIT_FAIL;
}

/* Writes to a stream of several recordings' outputs, or to a file of its own. */
static int write_output(const struct job *job, enum output_kind kind, struct xlv_outfile *joint)
{
	struct xlv_outfile *o = joint;
	struct xlv_error err;
	struct job own = *job;
	char *path;

	if (!o) {
		path = path_in(job->params->out[kind], job->file, outputs[kind].suffix);
		if (!path)
			return cli_error("out of memory");
		o = xlv_outfile_open(path, &err);
		free(path);
		if (!o)
			return cli_error("%s", err.text);
		own.nr = 0;
	}
	if (outputs[kind].write(xlv_outfile_stream(o), &own, &err)) {
		if (!joint)
			xlv_outfile_abort(o);
		return cli_error("%s", err.text);
	}
	if (!joint && xlv_outfile_commit(o, &err))
		return cli_error("%s", err.text);
	return XLV_EXIT_OK;
}

/* Outputs that all FILEs go into. */
struct joint {
	struct xlv_outfile	*out[OUT_COUNT];	/* NULL: not asked for, or a folder */
	int			files;			/* reported on so far */
	bool			broken;			/* one of them ends in the middle */
};

static int report_on(const struct params *p, const char *file, struct joint *joint)
{
	struct job job = { .params = p, .file = file, .nr = joint->files };
	struct xlv_filter filter;
	struct xlv_error err;
	int ret;

	ret = cli_load(file, &p->select, &job.rec);
	if (ret)
		return ret;
	filter = cli_select_filter(&p->select, job.rec.info);
	job.rep = xlv_report_make(job.rec.run, &filter, p->all_findings, &err);
	if (!job.rep) {
		ret = cli_error("%s", err.text);
		goto out;
	}
	if (!job.rep->syncs && !only_windows(&job)) {
		ret = say_empty(&job);
		goto out;
	}
	for (int i = 0; i < OUT_COUNT; i++) {
		if (!p->out[i])
			continue;
		ret = cli_worse(ret, write_output(&job, i, joint->out[i]));
		joint->broken |= ret == XLV_EXIT_FAIL && joint->out[i];
	}
	joint->files++;
	ret = cli_worse(ret, cli_losses(job.rec.info));
out:
	xlv_report_free(job.rep);
	cli_unload(&job.rec);
	return ret;
}

static int open_joint(const struct params *p, struct joint *joint)
{
	struct xlv_error err;

	for (int i = 0; i < OUT_COUNT; i++) {
		if (!p->out[i] || is_folder(p->out[i]))
			continue;
		joint->out[i] = xlv_outfile_open(p->out[i], &err);
		if (!joint->out[i])
			return cli_error("%s", err.text);
	}
	return XLV_EXIT_OK;
}

/* Nothing is kept where there was nothing to report, or not all of it. */
static int close_joint(struct joint *joint)
{
	bool keep = joint->files && !joint->broken;
	struct xlv_error err;
	int ret = XLV_EXIT_OK;

	for (int i = 0; i < OUT_COUNT; i++) {
		if (!keep)
			xlv_outfile_abort(joint->out[i]);
		else if (joint->out[i] && xlv_outfile_commit(joint->out[i], &err))
			ret = cli_error("%s", err.text);
	}
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct params p = { .select = CLI_SELECT_INIT, .slowest = -1 };
	struct joint joint = { .files = 0 };
	int ret;

	ret = parse(argc, argv, &p);
	if (ret < 0)
		ret = check(&p);
	if (ret >= 0)
		return ret;
	cli_guard_outputs();
	ret = open_joint(&p, &joint);
	if (!ret)
		for (int i = 0; i < p.nr_files && !joint.broken; i++)
			ret = cli_worse(ret, report_on(&p, p.files[i], &joint));
	return cli_worse(ret, close_joint(&joint));
}
