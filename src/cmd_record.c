// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xlogviz record: makes a recording.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "record/recorder.h"

static const char *const help[] = {
	"usage: xlogviz record [OPTION...] -- COMMAND [ARGUMENT...]",
	"       xlogviz record [OPTION...] [--pid PID] [--duration S]",
	"       xlogviz record --recover FILE [-o OUT]",
	"",
	"Records XFS journal work while COMMAND runs, while a process lives, for some",
	"time, or until Ctrl-C.",
	"",
	"  -o, --output FILE      the recording (xlogviz.dat)",
	"      --events SET       minimal, normal or full (normal)",
	"      --dev DEV          only this XFS filesystem: a path on it, its device, or",
	"                         MAJ:MIN; may be repeated (all that are mounted)",
	"      --pid PID          record until this process ends",
	"      --duration S       stop after S seconds",
	"      --buffer-size N    of each CPU's buffer, as 4M or 512K",
	"      --backend B        auto, trace-cmd or tracefs (auto)",
	"      --probes P         kprobes for exact boundaries: auto, none or kprobe (auto)",
	"",
	"Where things run, put back afterwards:",
	"      --bind CPUS        bind the workload, as 0-3,8",
	"      --bind-workers CPUS  bind unbound workers, the CIL push among them",
	"      --irq-cpu CPU      send the interrupts of the log's device there",
	"",
	"With the kernel patch:",
	"      --fake-completion --scratch MOUNTPOINT",
	"                         complete log writes without the device; the filesystem",
	"                         at MOUNTPOINT is lost by that",
	"",
	"      --recover FILE     make a recording of what a killed recorder left",
	"      --help, --version",
	"",
	"Exit status: that of COMMAND, 128 + N if signal N killed it, 127 if it was not",
	"found, 126 if it could not be run. Without COMMAND, or if it exits with 0:",
	"0 done, 1 no recording, 2 wrong usage, 3 recorded, but events were lost.",
	NULL
};

enum {
	OPT_EVENTS = CLI_OPT_COMMAND, OPT_DURATION, OPT_BUFFER_SIZE, OPT_BACKEND, OPT_PROBES,
	OPT_BIND, OPT_BIND_WORKERS, OPT_IRQ_CPU, OPT_FAKE, OPT_SCRATCH, OPT_RECOVER,
};

static const struct option long_options[] = {
	CLI_COMMON_OPTIONS,
	{ "output",		required_argument,	NULL, 'o' },
	{ "events",		required_argument,	NULL, OPT_EVENTS },
	{ "dev",		required_argument,	NULL, CLI_OPT_DEV },
	{ "pid",		required_argument,	NULL, CLI_OPT_PID },
	{ "duration",		required_argument,	NULL, OPT_DURATION },
	{ "buffer-size",	required_argument,	NULL, OPT_BUFFER_SIZE },
	{ "backend",		required_argument,	NULL, OPT_BACKEND },
	{ "probes",		required_argument,	NULL, OPT_PROBES },
	{ "bind",		required_argument,	NULL, OPT_BIND },
	{ "bind-workers",	required_argument,	NULL, OPT_BIND_WORKERS },
	{ "irq-cpu",		required_argument,	NULL, OPT_IRQ_CPU },
	{ "fake-completion",	no_argument,		NULL, OPT_FAKE },
	{ "scratch",		required_argument,	NULL, OPT_SCRATCH },
	{ "recover",		required_argument,	NULL, OPT_RECOVER },
	{ NULL, 0, NULL, 0 }
};

enum { MAX_DEVS = 16 };

struct params {
	struct xlv_record_opts	o;
	const char		*devs[MAX_DEVS];
	const char		*recover;
};

/* --- talk: a progress line, and lines that have to get past it --- */

static bool line_shown;

static void clear_line(void)
{
	if (line_shown)
		fputs("\r\033[K", stderr);
	line_shown = false;
}

static void on_tell(const char *line, void *arg)
{
	(void)arg;
	clear_line();
	fprintf(stderr, "xlogviz: %s\n", line);
}

static void on_progress(const struct xlv_record_progress *p, void *arg)
{
	(void)arg;
	fprintf(stderr, "\r\033[Krecording: %.0f s, %" PRId64 " events, %" PRId64 " lost, %.1f MB",
		p->seconds, p->events, p->lost, (double)p->bytes / 1e6);
	fflush(stderr);
	line_shown = true;
}

/* --- options --- */

/* "4M", "512K", "1G", or kilobytes */
static int parse_size_kb(const char *arg, long *kb)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || !(v > 0) || v > 1e9)
		return -1;
	switch (*end) {
	case 'k': case 'K': case '\0': break;
	case 'm': case 'M': v *= 1024; break;
	case 'g': case 'G': v *= 1024 * 1024; break;
	default: return -1;
	}
	if (*end && end[1] && strcmp(end + 1, "B") && strcmp(end + 1, "iB"))
		return -1;
	if (v < 4 || v > 64.0 * 1024 * 1024)
		return -1;
	*kb = lround(v);
	return 0;
}

static int parse_duration(const char *arg, double *seconds)
{
	char *end;

	*seconds = strtod(arg, &end);
	if (end != arg && *end == 's')
		end++;
	return end == arg || *end || !(*seconds > 0) || *seconds > 1e8 ? -1 : 0;
}

static int parse_word(const char *arg, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(arg, words[i]))
			return i;
	return -1;
}

/* Returns -1 to go on, else an exit status. */
static int take_option(struct params *p, int c, char **argv)
{
	static const char *const backends[] = { "auto", "trace-cmd", "tracefs", NULL };
	static const char *const probings[] = { "auto", "none", "kprobe", NULL };
	struct xlv_record_opts *o = &p->o;
	int64_t n;
	int i;

	switch (c) {
	case CLI_OPT_HELP:
		return cli_help(help);
	case CLI_OPT_VERSION:
		puts(PACKAGE_STRING);
		return XLV_EXIT_OK;
	case 'o':
		o->file = optarg;
		break;
	case OPT_EVENTS:
		i = xlv_event_set_parse(optarg);
		if (i < 0)
			return cli_usage("record", "no such set of events: '%s'", optarg);
		o->set = i;
		break;
	case CLI_OPT_DEV:
		if (o->nr_devs == MAX_DEVS)
			return cli_usage("record", "more than %d filesystems", MAX_DEVS);
		p->devs[o->nr_devs++] = optarg;
		break;
	case CLI_OPT_PID:
		if (cli_parse_int(optarg, 1, INT32_MAX, &n))
			return cli_usage("record", "'%s' is not a process id", optarg);
		o->pid = (pid_t)n;
		break;
	case OPT_DURATION:
		if (parse_duration(optarg, &o->duration_s))
			return cli_usage("record", "'%s' is not a number of seconds", optarg);
		break;
	case OPT_BUFFER_SIZE:
		if (parse_size_kb(optarg, &o->buffer_kb))
			return cli_usage("record", "'%s' is not a size such as 4M", optarg);
		break;
	case OPT_BACKEND:
		i = parse_word(optarg, backends);
		if (i < 0)
			return cli_usage("record", "no such backend: '%s'", optarg);
		o->backend = i;
		break;
	case OPT_PROBES:
		i = parse_word(optarg, probings);
		if (i < 0)
			return cli_usage("record", "'%s' is none of auto, none, kprobe", optarg);
		o->probes = i;
		break;
	case OPT_BIND:
		o->bind = optarg;
		break;
	case OPT_BIND_WORKERS:
		o->bind_workers = optarg;
		break;
	case OPT_IRQ_CPU:
		if (cli_parse_int(optarg, 0, 8191, &n))
			return cli_usage("record", "'%s' is not a CPU", optarg);
		o->irq_cpu = (int)n;
		break;
	case OPT_FAKE:
		o->fake_completion = true;
		break;
	case OPT_SCRATCH:
		o->scratch = optarg;
		break;
	case OPT_RECOVER:
		p->recover = optarg;
		break;
	default:
		return cli_bad_option("record", c, argv);
	}
	return -1;
}

static int check_params(const struct params *p)
{
	const struct xlv_record_opts *o = &p->o;

	if (p->recover && (o->command || o->pid))
		return cli_usage("record", "--recover records nothing: no COMMAND or --pid with "
				 "it");
	if (o->command && o->pid)
		return cli_usage("record", "both a COMMAND and --pid");
	if (o->bind && !o->command && !o->pid)
		return cli_usage("record", "--bind takes a COMMAND or --pid to bind");
	if (o->scratch && !o->fake_completion)
		return cli_usage("record", "--scratch is for --fake-completion");
	if (o->fake_completion && !o->scratch)
		return cli_usage("record", "fake completion ruins the log: name a filesystem that "
				 "may be lost with --scratch MOUNTPOINT");
	if (!strcmp(o->file, "-"))
		return cli_usage("record", "a recording can't go to standard output: give -o FILE");
	return -1;
}

/* --- what to do --- */

static int recover(const struct params *p, bool output_given)
{
	const char *out = output_given ? p->o.file : p->recover;
	struct xlv_error err;
	char said[512];

	if (xlv_record_recover(p->recover, out, said, sizeof(said), &err))
		return cli_error("%s", err.text);
	fprintf(stderr, "xlogviz: recovered '%s': %s\n", out, said);
	return XLV_EXIT_LOSSES;
}

static int record(const struct params *p)
{
	const struct xlv_record_progress *t;
	struct xlv_record_result result;
	struct xlv_error err;
	int ret;

	ret = xlv_record(&p->o, &result, &err);
	clear_line();
	if (ret) {
		cli_error("%s", err.text);
		return result.workload_status == 126 || result.workload_status == 127 ?
		       result.workload_status : XLV_EXIT_FAIL;
	}
	t = &result.total;
	fprintf(stderr, "xlogviz: recorded '%s': %.1f s, %" PRId64 " events, %" PRId64
		" lost, %.1f MB (%s, backend %s)\n", p->o.file, t->seconds, t->events, t->lost,
		(double)t->bytes / 1e6, xlv_event_set_name(p->o.set), result.backend);
	if (result.workload_status > 0)
		return result.workload_status;
	return t->lost ? XLV_EXIT_LOSSES : XLV_EXIT_OK;
}

int cmd_record(int argc, char **argv)
{
	struct params p = {
		.o = {
			.version = PACKAGE_STRING,
			.set = XLV_SET_NORMAL,
			.irq_cpu = -1,
			.tell = on_tell,
		},
	};
	bool output_given;
	int c, status;

	/* "+": options behind COMMAND are its own */
	while ((c = getopt_long(argc, argv, "+:o:", long_options, NULL)) != -1) {
		status = take_option(&p, c, argv);
		if (status >= 0)
			return status;
	}
	p.o.devs = p.devs;
	if (optind < argc)
		p.o.command = argv + optind;
	output_given = p.o.file != NULL;
	if (!output_given)
		p.o.file = "xlogviz.dat";
	if (isatty(STDERR_FILENO))
		p.o.progress = on_progress;
	status = check_params(&p);
	if (status >= 0)
		return status;
	return p.recover ? recover(&p, output_given) : record(&p);
}
