/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reader.c shares with the two ways to read a recording.
 *
 * The facts in .info and the counting are the same for both; a backend fills
 * the event and tells the end.
 */
#ifndef XLV_TRACE_BACKEND_H
#define XLV_TRACE_BACKEND_H

#include "trace/damage.h"
#include "trace/reader.h"

struct xlv_metadata;

struct xlv_trace {
	const struct xlv_backend	*ops;
	void				*state;

	struct xlv_trace_info		info;
	struct xlv_damage_list		damage;
	struct xlv_error		error;
	struct xlv_metadata		*meta;
	char				*file;
	bool				want[XLV_EV_COUNT];
	bool				counted;	/* a whole pass is done */
	int64_t				to_ns;
};

struct xlv_backend {
	int	(*next)(struct xlv_trace *t, struct xlv_event *ev);
	void	(*want)(struct xlv_trace *t);
	int	(*rewind)(struct xlv_trace *t, int64_t from_ns, struct xlv_error *err);
	double	(*progress)(const struct xlv_trace *t);
	const char *(*comm)(const struct xlv_trace *t, int pid);
	void	(*close)(struct xlv_trace *t);
};

/**
 * xlv_dat_open - open a trace.dat; @fd is taken over
 * xlv_text_open - open ftrace text; @fd is taken over
 */
int xlv_dat_open(struct xlv_trace *t, const char *path, int fd,
		 const struct xlv_trace_opts *opts, struct xlv_error *err);
int xlv_text_open(struct xlv_trace *t, const char *path, int fd, struct xlv_error *err);

#endif
