/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report for people: the answer, then the tables. */
#ifndef XLV_OUTPUT_TEXT_H
#define XLV_OUTPUT_TEXT_H

#include <stdio.h>

#include "analysis/report.h"

struct xlv_text_opts {
	int	width;		/* columns to fill; 0: 80. Below 80 lines may run over */
	bool	utf8;		/* else plain ASCII */
	bool	colour;
	int	slowest;	/* how many of the slowest syncs are listed */
};

/** xlv_text_report - write a report; 0, or -1 without memory */
int xlv_text_report(FILE *out, const struct xlv_report *rep, const struct xlv_text_opts *opts);

#endif
