// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes small recordings of several makes to start fuzzing from. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../unit/datgen.h"

static const char text[] =
	"# tracer: nop\n#\n# entries-in-buffer/entries-written: 4/4   #P:2\n#\n"
	"              dd-6782    (   6782) [001] d..2.  2184.333828: sched_switch: prev_comm=dd "
	"prev_pid=6782 prev_prio=120 prev_state=D ==> next_comm=kworker/1:1H next_pid=44 "
	"next_prio=100\n"
	"CPU:1 [LOST 12 EVENTS]\n"
	"    kworker/1:1H-44      (     44) [001] ...1.  2184.334092: xlog_iclog_sync_done: dev 7:2"
	" state XLOG_STATE_SYNCING refcnt 0 offset 2108 lsn 0x100000002 flags  caller "
	"xlog_ioend_work+0x2c/0x70\n"
	"> dd-6783 [000] 2184.341484: sys_fsync(fd: 1)\n"
	"> dd-6783 [000] 2184.341757: sys_fsync -> 0x0\n"
	"dd-6783 [000] 2184.34: workqueue_queue_work: work struct=0xc94904a function=xfs_end_io "
	"workqueue=xfs-conv/sda req_cpu=8 cpu=1\n"
	"dd-6783 [000] 2184.35: block_rq_issue: 7,2 RM 4096 () 32 + 8 be,0,4 [dd]\n";

static void seed(const char *dir, const char *name, const void *data, size_t len)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f || fwrite(data, 1, len, f) != len || fclose(f)) {
		fprintf(stderr, "mkseeds: unable to write '%s': %s\n", path, strerror(errno));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static const struct datgen_opts opts[] = {
		{ 6, false, 8, 4096, 0, "none", "mono", 2 },
		{ 6, true, 4, 4096, 1024, "none", "local", 2 },
		{ 7, false, 8, 4096, 0, "none", "mono", 2 },
		{ 7, false, 4, 4096, 0, "zlib", "mono", 2 },
		{ 7, true, 8, 4096, 0, "zstd", "x86-tsc", 3 },
	};
	struct datgen *g;
	char name[32];
	uint8_t *image;
	unsigned int i;
	size_t len;

	if (argc != 2) {
		fprintf(stderr, "usage: mkseeds DIR\n");
		return 2;
	}
	if (mkdir(argv[1], 0777) && errno != EEXIST) {
		fprintf(stderr, "mkseeds: unable to make '%s': %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (i = 0; i < sizeof(opts) / sizeof(opts[0]); i++) {
		g = datgen_new(&opts[i]);
		datgen_fill(g);
		datgen_lost(g, 1, i ? 7 : -1);
		if (i == 2)
			datgen_instance(g, "foo", "boot");
		image = datgen_finish(g, &len);
		snprintf(name, sizeof(name), "seed-%u.dat", i);
		seed(argv[1], name, image, len);
		free(image);
	}
	seed(argv[1], "seed.txt", text, strlen(text));
	return 0;
}
