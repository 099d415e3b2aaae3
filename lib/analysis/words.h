/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and names as they stand in sentences.
 *
 * Each call writes into a buffer of its caller's and returns it, so that it can
 * be an argument of printf:
 *
 *	struct xlv_word a, b;
 *	printf("%s took %s\n", xlv_word_name(&a, comm), xlv_word_ns(&b, ns));
 */
#ifndef XLV_ANALYSIS_WORDS_H
#define XLV_ANALYSIS_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct xlv_word {
	char	s[112];
};

/** xlv_word_ns - a duration in three digits: "950 ns", "35.2 us", "1.24 ms", "n/a" */
const char *xlv_word_ns(struct xlv_word *w, int64_t ns);

/**
 * xlv_word_ticks - say durations as ticks of the clock from now on, or as times again
 *
 * For recordings that don't tell how long a tick is (xlv_trace_info.clock_ticks).
 */
void xlv_word_ticks(bool ticks);

/** xlv_word_share - a share in two digits: "42 %", "0.6 %", "n/a" for NAN */
const char *xlv_word_share(struct xlv_word *w, double share);

/**
 * xlv_word_name - a name out of a trace that is safe to print
 * @name:	task or function name; NULL prints as "?"
 *
 * Control characters and bytes that aren't UTF-8 come out as \xNN.
 */
const char *xlv_word_name(struct xlv_word *w, const char *name);

#endif
