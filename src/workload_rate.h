/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The throughput that a workload says of itself. */
#ifndef XLV_SRC_WORKLOAD_RATE_H
#define XLV_SRC_WORKLOAD_RATE_H

/**
 * workload_rate - kB (1,000 bytes) per second out of a workload's output
 * @path:	what dd or fio (its text or its JSON) printed
 *
 * NAN where none of them is recognised. Several figures, as of several dd, give
 * the last; several fio jobs are added up.
 */
double workload_rate(const char *path);

#endif
