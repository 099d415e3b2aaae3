/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a sync's pipeline diagram: which events belong to it, in which
 * column each stands, and what its label says. For lib/output/show.c alone.
 */
#ifndef XLV_OUTPUT_SHOW_ROWS_H
#define XLV_OUTPUT_SHOW_ROWS_H

#include "model/run.h"

enum xlv_show_col {
	XLV_SHOW_TASK, XLV_SHOW_CIL, XLV_SHOW_IO, XLV_SHOW_LOG, XLV_SHOW_COLS
};

/* Whether what a column stands for ran, wanted to, or slept. */
enum xlv_show_life { XLV_LIFE_NONE, XLV_LIFE_ASLEEP, XLV_LIFE_RUNNABLE, XLV_LIFE_RUNNING };

struct xlv_show_row {
	int64_t	ts_ns;
	int8_t	col;
	int8_t	to;			/* an arrow to this column; -1: none */
	uint8_t	life[XLV_SHOW_COLS];	/* from this row on */
	int32_t	cpu;
	int32_t	times;			/* how many like it in a row */
	char	label[32];
	char	detail[96];		/* shown where there is room; raw names: escape */
};

struct xlv_show_rows {
	struct xlv_show_row	*v;
	int32_t			nr, max;
	int64_t			cut;		/* rows beyond the limit */
	int64_t			T_from_ns[4], T_to_ns[4];	/* XLV_NONE: none */
	int32_t			worker[XLV_SHOW_COLS];	/* pid first seen in a column; -1 */
	char			comm[XLV_SHOW_COLS][64];
};

/** xlv_show_rows_read - collect the rows in a pass over the sync's time; 0, or -1 */
int xlv_show_rows_read(struct xlv_show_rows *rows, struct xlv_trace *t,
		       const struct xlv_run *run, const struct xlv_sync *sync,
		       const struct xlv_detail *d, struct xlv_error *err);
void xlv_show_rows_free(struct xlv_show_rows *rows);

#endif
