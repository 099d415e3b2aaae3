/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a recording in every way the interface has; shared by the fuzzers. */
#ifndef XLV_TESTS_EXERCISE_H
#define XLV_TESTS_EXERCISE_H

/**
 * exercise - open @path and read all there is
 *
 * Returns the number of events, -1 where it can't be opened. Aborts where the
 * interface breaks its word.
 */
long exercise(const char *path);

/**
 * exercise_run - rebuild, judge, tell and draw what @path holds
 *
 * Aborts where sums that must be exact aren't.
 */
void exercise_run(const char *path);

#endif
