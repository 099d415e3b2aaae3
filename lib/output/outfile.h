/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result file that is either whole or not there.
 *
 *	o = xlv_outfile_open(path, &err);
 *	fprintf(xlv_outfile_stream(o), ...);
 *	if (xlv_outfile_commit(o, &err)) ...	(or xlv_outfile_abort(o))
 *
 * It is written under another name in the same folder and renamed by the commit;
 * an existing file stays as it was until then. "-" is standard output; what
 * isn't a regular file (a device, a pipe) is written straight.
 */
#ifndef XLV_OUTPUT_OUTFILE_H
#define XLV_OUTPUT_OUTFILE_H

#include <stdio.h>

#include "trace/error.h"

struct xlv_outfile;

struct xlv_outfile *xlv_outfile_open(const char *path, struct xlv_error *err);
FILE *xlv_outfile_stream(struct xlv_outfile *o);

/** xlv_outfile_commit - finish the file; 0, or -1 and the file is as before. Frees @o. */
int xlv_outfile_commit(struct xlv_outfile *o, struct xlv_error *err);

/** xlv_outfile_abort - forget the file. Frees @o, which may be NULL. */
void xlv_outfile_abort(struct xlv_outfile *o);

/**
 * xlv_outfile_unlink_all - remove what is unfinished
 *
 * For a signal handler that ends the program: async-signal-safe.
 */
void xlv_outfile_unlink_all(void);

#endif
