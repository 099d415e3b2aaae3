// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sub-commands share. */
#include "config.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "analysis/warnings.h"
#include "cli.h"
#include "output/outfile.h"
#include "output/utf8.h"

static void clear_progress(void);

static void say(const char *fmt, va_list ap)
{
	clear_progress();
	fputs("xlogviz: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

int cli_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return XLV_EXIT_FAIL;
}

int cli_usage(const char *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	fprintf(stderr, "try 'xlogviz %s --help'\n", command);
	return XLV_EXIT_USAGE;
}

int cli_bad_option(const char *command, int c, char **argv)
{
	const char *arg = argv[optind - 1];

	if (c == ':')
		return cli_usage(command, "option '%s' needs a value", arg);
	if (optopt && optopt < 256)
		return cli_usage(command, "unknown option '-%c'", optopt);
	if (optopt)
		return cli_usage(command, "option '%s' takes no value", arg);
	return cli_usage(command, "unknown option '%s'", arg);
}

int cli_help(const char *const *lines)
{
	for (; *lines; lines++)
		puts(*lines);
	return XLV_EXIT_OK;
}

int cli_worse(int a, int b)
{
	static const int order[] = {
		[XLV_EXIT_OK] = 0, [XLV_EXIT_LOSSES] = 1, [XLV_EXIT_USAGE] = 2, [XLV_EXIT_FAIL] = 3,
	};

	return order[a] >= order[b] ? a : b;
}

int cli_parse_int(const char *arg, int64_t min, int64_t max, int64_t *v)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(arg, &end, 10);
	if (errno || end == arg || *end || n < min || n > max)
		return -1;
	*v = n;
	return 0;
}

/* Digits of @s, as nanoseconds where @s counts units of @unit_ns; NULL: none or too many. */
static const char *digits(const char *s, int64_t unit_ns, int64_t *ns)
{
	const char *p = s;
	int64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
			return NULL;
	if (__builtin_mul_overflow(v, unit_ns, &v))
		return NULL;
	*ns = v;
	return p;
}

int cli_parse_time(const char *arg, struct cli_time *t)
{
	int64_t seconds, part = 0, unit = 100000000;
	const char *p = arg, *start;

	t->relative = *p == '+';
	p += t->relative;
	start = p;
	p = digits(p, 1000000000, &seconds);
	if (!p)
		return -1;
	if (*p == '.') {
		start++;
		for (p++; *p >= '0' && *p <= '9'; p++, unit /= 10)
			part += unit * (*p - '0');
	}
	if (p == start || *p || __builtin_add_overflow(seconds, part, &t->ns))
		return -1;
	t->set = true;
	return 0;
}

static int parse_dev(const char *arg, uint32_t *dev)
{
	unsigned int major, minor;
	int end = 0;

	if (sscanf(arg, "%4u:%7u%n", &major, &minor, &end) != 2 || arg[end] ||
	    major > 0xfff || minor > 0xfffff || !(major || minor))
		return -1;
	*dev = major << 20 | minor;
	return 0;
}

static int parse_boundaries(const char *arg, enum xlv_boundaries *bounds)
{
	static const struct {
		const char		*name;
		enum xlv_boundaries	bounds;
	} known[] = {
		{ "auto", XLV_BOUNDS_AUTO }, { "patched", XLV_BOUNDS_PATCHED },
		{ "kprobe", XLV_BOUNDS_KPROBE }, { "tracepoint", XLV_BOUNDS_TRACEPOINT },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(arg, known[i].name)) {
			*bounds = known[i].bounds;
			return 0;
		}
	return -1;
}

int cli_select_option(const char *command, int c, const char *arg, struct cli_select *sel)
{
	int64_t v;

	switch (c) {
	case CLI_OPT_BUFFER:
		sel->buffer = arg;
		return -1;
	case CLI_OPT_BOUNDARIES:
		if (parse_boundaries(arg, &sel->bounds))
			return cli_usage(command, "no such boundaries: '%s' (auto, patched, kprobe or "
					 "tracepoint)", arg);
		return -1;
	case CLI_OPT_PID:
		if (cli_parse_int(arg, 1, INT32_MAX, &v))
			return cli_usage(command, "not a process id: '%s'", arg);
		sel->filter.pid = (int32_t)v;
		return -1;
	case CLI_OPT_COMM:
		sel->filter.comm = arg;
		return -1;
	case CLI_OPT_DEV:
		if (parse_dev(arg, &sel->filter.dev))
			return cli_usage(command, "not a device: '%s' (MAJOR:MINOR, as in 7:0)", arg);
		return -1;
	case CLI_OPT_FROM:
	case CLI_OPT_TO:
		if (cli_parse_time(arg, c == CLI_OPT_FROM ? &sel->from : &sel->to))
			return cli_usage(command, "not a time: '%s' (seconds as in the trace, or "
					 "+SECONDS from its start)", arg);
		return -1;
	default:
		return cli_usage(command, "unknown option");
	}
}

static int64_t absolute(const struct cli_time *t, const struct xlv_trace_info *info)
{
	int64_t ns;

	if (!t->set)
		return XLV_NONE;
	if (!t->relative)
		return t->ns;
	return __builtin_add_overflow(t->ns, info->start_ns, &ns) ? INT64_MAX : ns;
}

struct xlv_filter cli_select_filter(const struct cli_select *sel, const struct xlv_trace_info *info)
{
	struct xlv_filter filter = sel->filter;

	filter.from_ns = absolute(&sel->from, info);
	filter.to_ns = absolute(&sel->to, info);
	return filter;
}

static void load_progress(double done, void *arg)
{
	cli_progress(arg, done);
}

static bool has_xfs(const struct xlv_trace_info *info)
{
	for (unsigned int type = XLV_EV_XFS_FILE_FSYNC; type <= XLV_EV_FAKE_IO; type++)
		if (info->count[type])
			return true;
	return false;
}

static int say_no_xfs(const char *path, const struct xlv_trace_info *info)
{
	char *missing = xlv_missing_events(info);

	if (!info->events)
		cli_error("'%s' holds no events%s", path,
			  info->nr_damage ? ": the recording was cut short or is damaged" : "");
	else
		cli_error("'%s' holds no XFS events among its %lld: missing are %s", path,
			  (long long)info->events, missing ? missing : "xfs:*");
	free(missing);
	if (info->nr_damage)
		fprintf(stderr, "  %s\n", info->damage[0].what);
	for (int i = 0; i < info->nr_buffers; i++)
		if (info->buffers[i].has_xfs && i != info->buffer)
			fprintf(stderr, "  its buffer '%s' has XFS events: --buffer '%s'\n",
				info->buffers[i].name, info->buffers[i].name);
	fputs("  record them with: xlogviz record -o trace.dat -- COMMAND\n", stderr);
	return XLV_EXIT_FAIL;
}

int cli_load(const char *path, const struct cli_select *sel, struct cli_recording *rec)
{
	struct xlv_trace_opts opts = { .buffer = sel->buffer };
	struct xlv_run_opts run_opts = {
		.bounds = sel->bounds, .progress = load_progress, .arg = (void *)path,
	};
	struct xlv_error err = { "" };

	memset(rec, 0, sizeof(*rec));
	rec->trace = xlv_trace_open(path, &opts, &err);
	if (!rec->trace)
		return cli_error("%s", err.text);
	rec->run = xlv_run_build(rec->trace, &run_opts, &err);
	clear_progress();
	if (!rec->run) {
		cli_error("%s", err.text);
		goto fail;
	}
	rec->info = xlv_trace_info(rec->trace);
	if (!has_xfs(rec->info)) {
		say_no_xfs(path, rec->info);
		goto fail;
	}
	return XLV_EXIT_OK;
fail:
	cli_unload(rec);
	return XLV_EXIT_FAIL;
}

void cli_unload(struct cli_recording *rec)
{
	xlv_run_free(rec->run);
	xlv_trace_close(rec->trace);
	memset(rec, 0, sizeof(*rec));
}

int cli_losses(const struct xlv_trace_info *info)
{
	return info->lost_events || info->lost_uncounted || info->nr_damage ? XLV_EXIT_LOSSES
									    : XLV_EXIT_OK;
}

static void on_signal(int sig)
{
	xlv_outfile_unlink_all();
	signal(sig, SIG_DFL);
	raise(sig);
}

void cli_guard_outputs(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction act = { .sa_handler = on_signal }, old;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(ends[i], &act, NULL);
}

#define PROGRESS_AFTER_NS	500000000
#define PROGRESS_EVERY_NS	100000000
#define PROGRESS_CELLS		30

static bool progress_shown;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static void clear_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

void cli_progress(const char *what, double done)
{
	static int64_t start_ns, last_ns;
	static double last_done = 2;
	int64_t now = now_ns();
	char name[40];
	int cells;

	if (done < last_done)
		start_ns = last_ns = now;
	last_done = done;
	if (done >= 1) {
		clear_progress();
		return;
	}
	if (now - start_ns < PROGRESS_AFTER_NS || now - last_ns < PROGRESS_EVERY_NS ||
	    !isatty(STDERR_FILENO))
		return;
	last_ns = now;
	cells = (int)(done * PROGRESS_CELLS);
	xlv_show(name, sizeof(name), what, cli_utf8());
	fprintf(stderr, "\r%s [%.*s%*s] %2d %%\033[K", name, cells,
		"##############################", PROGRESS_CELLS - cells, "", (int)(done * 100));
	fflush(stderr);
	progress_shown = true;
}

bool cli_colour(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && !(term && !strcmp(term, "dumb")) && isatty(fileno(f));
}

int cli_columns(FILE *f)
{
	const char *env = getenv("COLUMNS");
	struct winsize w;
	int64_t v;

	if (env && !cli_parse_int(env, 20, 1000, &v))
		return (int)v;
	if (!ioctl(fileno(f), TIOCGWINSZ, &w) && w.ws_col >= 20)
		return w.ws_col;
	return 80;
}

bool cli_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}
