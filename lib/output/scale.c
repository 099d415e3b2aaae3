// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

#include "output/scale.h"

double xlv_scale_x(const struct xlv_scale *s, int64_t ts_ns)
{
	if (ts_ns <= s->from_ns || s->to_ns <= s->from_ns)
		return s->x;
	if (ts_ns >= s->to_ns)
		return s->x + s->width;
	return s->x + s->width * ((double)(ts_ns - s->from_ns) / (s->to_ns - s->from_ns));
}

int64_t xlv_tick_step(int64_t range, int most)
{
	static const int factors[] = { 1, 2, 5 };
	int64_t power = 1;

	if (range < 1 || most < 1)
		return 1;
	for (;; power *= 10) {
		for (int i = 0; i < 3; i++)
			if (range / (power * factors[i]) < most)
				return power * factors[i];
		if (power > INT64_MAX / 50)
			return power;
	}
}

void xlv_tick_label(char *buf, size_t size, int64_t ns, int64_t step_ns)
{
	static const struct { int64_t ns; const char *name; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" },
	};
	unsigned int u = 0;
	int digits = 0;

	/* Up to 2000 us rather than 2.0 ms: the same unit along the whole axis. */
	while (u < 3 && units[u].ns / 2 > step_ns)
		u++;
	for (int64_t s = step_ns; digits < 2 && s % units[u].ns; digits++)
		s *= 10;
	if (!ns)
		snprintf(buf, size, "0");
	else
		snprintf(buf, size, "%.*f %s", digits,
			 (double)ns / units[u].ns, units[u].name);
}
