/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Axes: where ticks stand and what is written at them, and time to pixels.
 */
#ifndef XLV_OUTPUT_SCALE_H
#define XLV_OUTPUT_SCALE_H

#include <stddef.h>
#include <stdint.h>

struct xlv_scale {
	int64_t	from_ns, to_ns;
	int64_t	zero_ns;		/* what counts as 0 on the axis */
	double	x, width;		/* pixels */
};

/** xlv_scale_x - where a moment is; outside of the scale it is at its edge */
double xlv_scale_x(const struct xlv_scale *s, int64_t ts_ns);

/**
 * xlv_tick_step - distance of ticks: 1, 2 or 5 times a power of ten
 * @range:	what the axis spans
 * @most:	so many ticks at most
 */
int64_t xlv_tick_step(int64_t range, int most);

/** xlv_tick_label - "-20", "150 us": a time in the unit and with the digits that suit its step */
void xlv_tick_label(char *buf, size_t size, int64_t ns, int64_t step_ns);

#endif
