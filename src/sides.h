/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command line names to be compared: recordings, JSON reports, or the
 * folder of an experiment (src/manifest.h), each cell of which is a side.
 */
#ifndef XLV_SRC_SIDES_H
#define XLV_SRC_SIDES_H

#include "analysis/compare.h"
#include "analysis/load.h"
#include "cli.h"

struct cli_sides {
	struct xlv_side		**side;
	int			nr;
	struct xlv_input	**input;	/* of all sides */
	int			nr_inputs;
	struct xlv_json_file	**file;
	int			nr_files;
};

/**
 * cli_sides_add - read what @path names
 *
 * Returns an exit status, having said what went wrong: XLV_EXIT_LOSSES for a
 * recording that lost events.
 */
int cli_sides_add(struct cli_sides *s, const char *path, const struct cli_select *sel);
void cli_sides_free(struct cli_sides *s);

#endif
