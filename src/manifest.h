/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an experiment has done so far: DIR/manifest.json.
 *
 * It is written anew, whole, after each recording, so that an experiment that was
 * interrupted goes on where it stood.
 */
#ifndef XLV_SRC_MANIFEST_H
#define XLV_SRC_MANIFEST_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/error.h"

#define MANIFEST_NAME	"manifest.json"
#define MANIFEST_SCHEMA	"xlogviz.experiment/1"

enum cell { CELL_BASE, CELL_FC, CELL_BASE_BOUND, CELL_FC_BOUND, CELL_COUNT };

struct manifest_run {
	int		round;		/* from 1 */
	enum cell	cell;
	bool		done;
	int		status;		/* of `xlogviz record`, when done or tried */
	bool		tried;
	double		kB_per_s;	/* by the workload itself; NAN unknown */
	int64_t		start_s;	/* wall clock */
};

struct manifest {
	char		**command;	/* NULL at the end */
	uint64_t	seed;
	int		rounds;
	char		*scratch;	/* NULL: none */
	char		*bound_cpus;
	bool		wanted[CELL_COUNT];
	char		*skipped[CELL_COUNT];	/* why; NULL: not */
	struct manifest_run *run;	/* in the order in which they are made */
	int		nr_runs;
};

const char *cell_name(unsigned int cell);	/* "base", "fc-bound" */
bool cell_is_fake(enum cell cell);
bool cell_is_bound(enum cell cell);
int cell_by_name(const char *name);		/* -1: none */

/** manifest_read - 1, 0 where there is none, -1 with @err */
int manifest_read(struct manifest *m, const char *dir, struct xlv_error *err);
/** manifest_write - 0, or -1 with @err and the old one still there */
int manifest_write(const struct manifest *m, const char *dir, struct xlv_error *err);
void manifest_free(struct manifest *m);

/** manifest_file - path of a run's recording (suffix ".dat") or output (".out"); to be freed */
char *manifest_file(const char *dir, const struct manifest_run *run, const char *suffix);

#endif
