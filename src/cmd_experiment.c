// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xlogviz experiment: base and fake completion, free to move and bound, in
 * interleaved rounds, then compared.
 *
 * Each recording is made by a `xlogviz record` of its own, so that nothing of one
 * is left for the next and a crash of the recorder ends one round only.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/bootstrap.h"
#include "cli.h"
#include "manifest.h"
#include "record/fake.h"
#include "record/filesystem.h"
#include "workload_rate.h"

static const char *const help[] = {
	"usage: xlogviz experiment --dir DIR [OPTION...] -- COMMAND [ARGUMENT...]",
	"",
	"Records COMMAND in up to four cells, base and fake completion of log I/O, free",
	"to move and bound to a CPU, in interleaved rounds, and compares them. What was",
	"done is in DIR/manifest.json: the same command goes on after an interruption.",
	"",
	"      --dir DIR          where recordings, outputs and results go",
	"      --cells LIST       of base,fc,base-bound,fc-bound (all); those that this",
	"                         kernel can't do are skipped and named",
	"      --rounds N         recordings of each cell (5)",
	"      --scratch MNT      the XFS that COMMAND works on, freshened before each",
	"                         round. With fake completion it is REMADE before each",
	"                         round: everything on it is lost",
	"      --bind CPUS        of the bound cells (the last CPU allowed)",
	"      --seed N           of the order of cells in a round (1)",
	"      --events SET       minimal, normal or full: see xlogviz record",
	"      --buffer-size N    of each CPU's buffer: see xlogviz record",
	"",
	"      --help, --version",
	"",
	"Exit status: 0 done, 1 a round failed or was interrupted, 2 wrong usage, 3 done,",
	"but events were lost.",
	NULL
};

enum {
	OPT_DIR = CLI_OPT_COMMAND, OPT_CELLS, OPT_ROUNDS, OPT_SCRATCH, OPT_BIND, OPT_SEED,
	OPT_EVENTS, OPT_BUFFER_SIZE,
};

struct params {
	const char	*dir, *cells, *scratch, *bind, *events, *buffer_size;
	int64_t		rounds, seed;
	char		**command;
};

struct experiment {
	const struct params		*p;
	struct manifest			m;
	struct xlv_filesystem		fs;	/* of --scratch */
	bool				has_fs, remake, losses;
	int				lock;
};

static volatile sig_atomic_t interrupted;
static volatile pid_t child;

/* A terminal signals the child as well; what was sent to us alone is passed on. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	interrupted = sig;
	if (child > 0 && info->si_code == SI_USER)
		kill(child, sig);
}

/* --- options --- */

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct params *p)
{
	static const struct option options[] = {
		{ "dir",		required_argument,	NULL, OPT_DIR },
		{ "cells",		required_argument,	NULL, OPT_CELLS },
		{ "rounds",		required_argument,	NULL, OPT_ROUNDS },
		{ "scratch",		required_argument,	NULL, OPT_SCRATCH },
		{ "bind",		required_argument,	NULL, OPT_BIND },
		{ "seed",		required_argument,	NULL, OPT_SEED },
		{ "events",		required_argument,	NULL, OPT_EVENTS },
		{ "buffer-size",	required_argument,	NULL, OPT_BUFFER_SIZE },
		CLI_COMMON_OPTIONS,
		{ NULL, 0, NULL, 0 }
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:", options, NULL)) != -1) {
		switch (c) {
		case CLI_OPT_HELP:
			return cli_help(help);
		case CLI_OPT_VERSION:
			puts(PACKAGE_STRING);
			return XLV_EXIT_OK;
		case OPT_DIR:
			p->dir = optarg;
			break;
		case OPT_CELLS:
			p->cells = optarg;
			break;
		case OPT_ROUNDS:
			if (cli_parse_int(optarg, 1, 10000, &p->rounds))
				return cli_usage("experiment", "not a number of rounds: '%s'",
						 optarg);
			break;
		case OPT_SCRATCH:
			p->scratch = optarg;
			break;
		case OPT_BIND:
			p->bind = optarg;
			break;
		case OPT_SEED:
			if (cli_parse_int(optarg, 0, INT64_MAX, &p->seed))
				return cli_usage("experiment", "not a seed: '%s'", optarg);
			break;
		case OPT_EVENTS:
			p->events = optarg;
			break;
		case OPT_BUFFER_SIZE:
			p->buffer_size = optarg;
			break;
		default:
			return cli_bad_option("experiment", c, argv);
		}
	}
	p->command = argv + optind;
	if (!p->dir || !*p->dir)
		return cli_usage("experiment", "no folder for the recordings: --dir DIR");
	if (!*p->command)
		return cli_usage("experiment", "no command to record: -- COMMAND");
	return -1;
}

/* Which cells a list names; -1 to go on, else an exit status. */
static int parse_cells(const char *list, bool wanted[CELL_COUNT])
{
	char name[32];
	size_t len;
	int cell;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		snprintf(name, sizeof(name), "%.*s", (int)(len < 31 ? len : 31), list);
		cell = cell_by_name(name);
		if (cell < 0)
			return cli_usage("experiment", "no such cell: '%s' (base, fc, base-bound "
					 "or fc-bound)", name);
		wanted[cell] = true;
	}
	for (cell = 0; cell < CELL_COUNT; cell++)
		if (wanted[cell])
			return -1;
	return cli_usage("experiment", "no cell named in --cells");
}

/* --- planning --- */

static char *last_cpu(void)
{
	cpu_set_t set;
	char *text;
	int last = 0;

	CPU_ZERO(&set);
	if (!sched_getaffinity(0, sizeof(set), &set))
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &set))
				last = cpu;
	return asprintf(&text, "%d", last) < 0 ? NULL : text;
}

static char **copy_command(char **command)
{
	size_t n = 0;
	char **copy;

	while (command[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++)
		copy[i] = strdup(command[i]);
	return copy;
}

/* Rounds one after the other, the cells of each in an order of its own. */
static bool plan_runs(struct manifest *m)
{
	enum cell order[CELL_COUNT], swap;
	struct xlv_rng rng;
	uint64_t with;
	int cells = 0;

	for (int i = 0; i < CELL_COUNT; i++)
		if (m->wanted[i] && !m->skipped[i])
			order[cells++] = i;
	m->run = calloc((size_t)(m->rounds * cells) + 1, sizeof(*m->run));
	if (!m->run)
		return false;
	xlv_rng_seed(&rng, m->seed);
	for (int round = 1; round <= m->rounds; round++) {
		for (int i = cells - 1; i > 0; i--) {
			with = xlv_rng_below(&rng, (uint64_t)i + 1);
			swap = order[i];
			order[i] = order[with];
			order[with] = swap;
		}
		for (int i = 0; i < cells; i++)
			m->run[m->nr_runs++] = (struct manifest_run){
				.round = round, .cell = order[i], .kB_per_s = NAN,
			};
	}
	return true;
}

static int plan(struct experiment *x)
{
	const struct params *p = x->p;
	struct manifest *m = &x->m;
	struct xlv_error err = { "" };
	int ret;

	m->seed = (uint64_t)p->seed;
	m->rounds = (int)p->rounds;
	m->command = copy_command(p->command);
	m->scratch = p->scratch ? strdup(p->scratch) : NULL;
	m->bound_cpus = p->bind ? strdup(p->bind) : last_cpu();
	if (!m->command || !m->bound_cpus)
		return cli_error("out of memory");
	ret = parse_cells(p->cells, m->wanted);
	if (ret >= 0)
		return ret;
	for (int i = 0; i < CELL_COUNT; i++) {
		if (!cell_is_fake(i) || !m->wanted[i])
			continue;
		if (!x->has_fs)
			xlv_fail(&err, "fake completion needs a filesystem of its own: "
				 "--scratch MOUNTPOINT");
		else if (!xlv_fake_available(&x->fs))
			xlv_fail(&err, "this kernel can't complete log I/O without a device: see "
				 "kernel-patch/README.md");
		else
			continue;
		m->skipped[i] = strdup(err.text);
		if (!m->skipped[i])
			return cli_error("out of memory");
	}
	return plan_runs(m) ? XLV_EXIT_OK : cli_error("out of memory");
}

static bool same_command(char **a, char **b)
{
	while (*a && *b && !strcmp(*a, *b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Whether what is in the folder is this experiment, begun before. */
static int check_resumed(const struct experiment *x, const struct manifest *old)
{
	const struct manifest *m = &x->m;
	const char *what = NULL;

	if (!same_command(m->command, old->command))
		what = "another command";
	else if (m->rounds != old->rounds || m->seed != old->seed)
		what = "other rounds or another seed";
	else if (!same(m->scratch, old->scratch))
		what = "another --scratch";
	else if (!same(m->bound_cpus, old->bound_cpus))
		what = "another --bind";
	for (int i = 0; i < CELL_COUNT && !what; i++)
		if (m->wanted[i] != old->wanted[i] || !m->skipped[i] != !old->skipped[i])
			what = "other cells";
	if (what)
		return cli_error("'%s' holds an experiment with %s: name another folder", x->p->dir,
				 what);
	return XLV_EXIT_OK;
}

static int find_scratch(struct experiment *x)
{
	const struct xlv_filesystem *fs;
	struct xlv_filesystems *all;
	struct xlv_error err;
	int ret = XLV_EXIT_OK;

	if (!x->p->scratch)
		return XLV_EXIT_OK;
	all = malloc(sizeof(*all));
	if (!all)
		return cli_error("out of memory");
	xlv_filesystems_read(all);
	fs = xlv_filesystems_find(all, x->p->scratch, &err);
	if (!fs) {
		ret = cli_error("%s", err.text);
	} else if (strcmp(fs->mount, "/") == 0) {
		ret = cli_error("'%s' is on the root filesystem: name a scratch filesystem's mount "
				"point", x->p->scratch);
	} else {
		x->fs = *fs;
		x->has_fs = true;
	}
	free(all);
	return ret;
}

static int open_dir(struct experiment *x)
{
	const char *dir = x->p->dir;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return cli_error("unable to make the folder '%s': %s", dir, strerror(errno));
	x->lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (x->lock < 0)
		return cli_error("unable to open the folder '%s': %s", dir, strerror(errno));
	if (flock(x->lock, LOCK_EX | LOCK_NB))
		return cli_error("another experiment is running in '%s'", dir);
	return XLV_EXIT_OK;
}

/* --- running other programs --- */

/* Wait for a child, whatever interrupts. Its exit status, 128 + N for signal N. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* @out: file for its standard output and error; NULL: ours */
static int run(char *const argv[], const char *out)
{
	pid_t pid = fork();
	int fd, status;

	if (pid < 0)
		return 127;
	if (pid) {
		child = pid;
		status = wait_for(pid);
		child = 0;
		return status;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (out) {
		fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
			_exit(127);
	}
	execvp(argv[0], argv);
	_exit(127);
}

/* --- the filesystem --- */

static int must(char *const argv[], const char *log)
{
	int status = run(argv, log);

	if (status)
		return cli_error("'%s' failed with status %d: see '%s'", argv[0], status, log);
	return XLV_EXIT_OK;
}

/* Like the first one: block size and log size; all else by mkfs.xfs's defaults. */
static int remake(struct experiment *x, const char *log)
{
	struct xlv_filesystem *fs = &x->fs;
	char size[64], block[32];
	char *umount_argv[] = { "umount", fs->mount, NULL };
	char *mkfs_argv[] = { "mkfs.xfs", "-q", "-f", "-b", block, "-l", size, fs->source, NULL };
	char *mount_argv[] = {
		"mount", "-t", "xfs", "-o", fs->options, fs->source, fs->mount, NULL
	};
	int ret;

	if (!fs->geometry || !fs->internal_log)
		return cli_error("unable to remake '%s': its log is external or its geometry "
				 "unknown", fs->mount);
	snprintf(block, sizeof(block), "size=%u", fs->block_bytes);
	snprintf(size, sizeof(size), "size=%llu", (unsigned long long)fs->log_blocks *
		 fs->block_bytes);
	ret = must(umount_argv, log);
	if (!ret)
		ret = must(mkfs_argv, log);
	if (!ret)
		ret = must(mount_argv, log);
	return ret;
}

/* Start from an empty journal: freezing a filesystem writes everything back. */
static int freshen(const struct experiment *x)
{
	int fd = open(x->fs.mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = XLV_EXIT_OK;

	if (fd < 0)
		return cli_error("unable to open '%s': %s", x->fs.mount, strerror(errno));
	syncfs(fd);
	if (ioctl(fd, FIFREEZE, 0))
		ret = cli_error("unable to freeze '%s': %s", x->fs.mount, strerror(errno));
	else if (ioctl(fd, FITHAW, 0))
		ret = cli_error("unable to thaw '%s': %s: thaw it with 'xfs_freeze -u'",
				x->fs.mount, strerror(errno));
	close(fd);
	return ret;
}

/* --- rounds --- */

static int record(const struct experiment *x, const struct manifest_run *r, const char *file,
		  const char *out)
{
	const struct params *p = x->p;
	size_t n = 0, args = 0;
	char **argv;
	int status;

	while (p->command[args])
		args++;
	argv = calloc(args + 24, sizeof(*argv));
	if (!argv)
		return 127;
	argv[n++] = "/proc/self/exe";
	argv[n++] = "record";
	argv[n++] = "-o";
	argv[n++] = (char *)file;
	if (x->has_fs) {
		argv[n++] = "--dev";
		argv[n++] = (char *)x->fs.mount;
	}
	if (cell_is_bound(r->cell)) {
		argv[n++] = "--bind";
		argv[n++] = x->m.bound_cpus;
	}
	if (cell_is_fake(r->cell)) {
		argv[n++] = "--fake-completion";
		argv[n++] = "--scratch";
		argv[n++] = (char *)x->fs.mount;
	}
	if (p->events) {
		argv[n++] = "--events";
		argv[n++] = (char *)p->events;
	}
	if (p->buffer_size) {
		argv[n++] = "--buffer-size";
		argv[n++] = (char *)p->buffer_size;
	}
	argv[n++] = "--";
	memcpy(argv + n, p->command, args * sizeof(*argv));
	status = run(argv, out);
	free(argv);
	return status;
}

static int make_round(struct experiment *x, struct manifest_run *r)
{
	char *file = manifest_file(x->p->dir, r, ".dat");
	char *out = manifest_file(x->p->dir, r, ".out"), *log = NULL;
	struct stat st;
	int ret = XLV_EXIT_FAIL;

	if (!file || !out || asprintf(&log, "%s/setup.out", x->p->dir) < 0) {
		ret = cli_error("out of memory");
		goto done;
	}
	ret = x->remake ? remake(x, log) : x->has_fs ? freshen(x) : XLV_EXIT_OK;
	if (ret)
		goto done;
	unlink(file);
	r->start_s = time(NULL);
	r->tried = true;
	r->status = record(x, r, file, out);
	r->done = (r->status == 0 || r->status == XLV_EXIT_LOSSES) && !interrupted &&
		  !stat(file, &st) && st.st_size;
	if (r->done) {
		x->losses |= r->status == XLV_EXIT_LOSSES;
		r->kB_per_s = workload_rate(out);
	} else {
		ret = interrupted ? XLV_EXIT_FAIL :
		      cli_error("round %d of '%s' failed with status %d: see '%s'; the same "
				"command goes on from there", r->round, cell_name(r->cell),
				r->status, out);
	}
done:
	free(file);
	free(out);
	free(log);
	return ret;
}

static int make_rounds(struct experiment *x)
{
	struct xlv_error err;
	int ret = XLV_EXIT_OK;

	for (int i = 0; i < x->m.nr_runs && !ret && !interrupted; i++) {
		struct manifest_run *r = &x->m.run[i];

		if (r->done) {
			x->losses |= r->status == XLV_EXIT_LOSSES;
			continue;
		}
		fprintf(stderr, "xlogviz: round %d of %d: %s\n", r->round, x->m.rounds,
			cell_name(r->cell));
		ret = make_round(x, r);
		if (manifest_write(&x->m, x->p->dir, &err))
			return cli_error("%s", err.text);
	}
	if (interrupted)
		return cli_error("interrupted: the same command goes on from there");
	return ret;
}

/* --- results --- */

static int compare(const struct experiment *x)
{
	const char *dir = x->p->dir;
	char *json = NULL, *svg = NULL, *text = NULL;
	int cells = 0, ret;

	for (int i = 0; i < CELL_COUNT; i++)
		cells += x->m.wanted[i] && !x->m.skipped[i];
	if (asprintf(&json, "%s/compare.json", dir) < 0 ||
	    asprintf(&svg, "%s/compare.svg", dir) < 0 ||
	    asprintf(&text, "%s/compare.txt", dir) < 0) {
		ret = cli_error("out of memory");
	} else {
		char *tables[] = { "/proc/self/exe", "compare", "--tables", (char *)dir, NULL };
		char *files[] = { "/proc/self/exe", "compare", "--json", json, "--svg", svg,
				  "--text", text, (char *)dir, NULL };
		char *told[] = { "/proc/self/exe", "compare", (char *)dir, NULL };

		ret = run(tables, NULL);
		if (cells > 1 && (ret == XLV_EXIT_OK || ret == XLV_EXIT_LOSSES)) {
			putchar('\n');
			fflush(stdout);
			ret = cli_worse(ret, run(told, NULL));
			ret = cli_worse(ret, run(files, NULL));
		}
	}
	free(json);
	free(svg);
	free(text);
	return ret <= XLV_EXIT_LOSSES ? ret : XLV_EXIT_FAIL;
}

static void say_skipped(const struct manifest *m)
{
	for (int i = 0; i < CELL_COUNT; i++)
		if (m->wanted[i] && m->skipped[i])
			fprintf(stderr, "xlogviz: cell '%s' is skipped: %s\n", cell_name(i),
				m->skipped[i]);
}

static int begin(struct experiment *x)
{
	struct manifest old;
	struct xlv_error err;
	int ret = find_scratch(x), there;

	if (!ret)
		ret = plan(x);
	if (!ret && !x->m.nr_runs) {
		say_skipped(&x->m);
		ret = cli_error("none of the cells can be recorded here");
	}
	if (!ret)
		ret = open_dir(x);
	if (ret)
		return ret;
	there = manifest_read(&old, x->p->dir, &err);
	if (there < 0)
		return cli_error("%s", err.text);
	if (there) {
		ret = check_resumed(x, &old);
		if (!ret) {
			manifest_free(&x->m);
			x->m = old;
		} else {
			manifest_free(&old);
		}
	}
	for (int i = 0; i < CELL_COUNT; i++)
		x->remake |= cell_is_fake(i) && x->m.wanted[i] && !x->m.skipped[i];
	if (!ret && manifest_write(&x->m, x->p->dir, &err))
		ret = cli_error("%s", err.text);
	return ret;
}

int cmd_experiment(int argc, char **argv)
{
	struct params p = { .rounds = 5, .seed = 1, .cells = "base,fc,base-bound,fc-bound" };
	struct experiment x = { .p = &p, .lock = -1 };
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	int ret;

	ret = parse(argc, argv, &p);
	if (ret >= 0)
		return ret;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	ret = begin(&x);
	if (!ret) {
		say_skipped(&x.m);
		ret = make_rounds(&x);
	}
	if (!ret)
		ret = compare(&x);
	if (!ret && x.losses)
		ret = XLV_EXIT_LOSSES;
	manifest_free(&x.m);
	if (x.lock >= 0)
		close(x.lock);
	return ret;
}
