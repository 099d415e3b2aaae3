/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that is recorded: started before there are threads, held until
 * the recording runs, then let go.
 */
#ifndef XLV_RECORD_WORKLOAD_H
#define XLV_RECORD_WORKLOAD_H

#include <sys/types.h>
#include <json.h>

#include "record/undo.h"
#include "trace/error.h"

struct xlv_workload {
	pid_t	pid;		/* 0: none */
	int	go_fd, exec_fd;
	int	status;		/* as from waitpid(), when it has ended */
};

/** xlv_workload_find - 0, or 127 or 126 where a command is not there or can't be run */
int xlv_workload_find(const char *command, struct xlv_error *err);

/** xlv_workload_prepare - fork a child that waits to become the command */
int xlv_workload_prepare(struct xlv_workload *w, char *const *command, const char *bind,
			 struct xlv_undo *undo, struct xlv_error *err);

/** xlv_workload_go - let it run; 0, or 127 or 126 where exec failed */
int xlv_workload_go(struct xlv_workload *w, const char *command, struct xlv_error *err);

/** xlv_workload_abandon - end a child that was not let go */
void xlv_workload_abandon(struct xlv_workload *w);

/** xlv_workload_exit - its status as shells tell it: 128 + N for signal N */
int xlv_workload_exit(const struct xlv_workload *w);

/** xlv_workload_json - { "exit": N } or { "signal": N } */
json_object *xlv_workload_json(const struct xlv_workload *w);

#endif
