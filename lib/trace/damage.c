// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/damage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void xlv_damage_add(struct xlv_damage_list *l, enum xlv_damage_kind kind, int cpu,
		    int64_t offset, int64_t missing, const char *fmt, ...)
{
	struct xlv_damage *d;
	va_list ap;

	d = l->nr ? &l->d[l->nr - 1] : NULL;
	if (d && kind == XLV_DAMAGE_PAGE && d->kind == kind && d->cpu == cpu && missing >= 0 &&
	    d->missing_bytes >= 0 && d->offset_bytes + d->missing_bytes == offset) {
		d->missing_bytes += missing;
		return;
	}
	if (l->nr == XLV_DAMAGE_MAX) {
		l->dropped++;
		snprintf(d->what, sizeof(d->what), "%" PRId64 " more damaged parts",
			 l->dropped + 1);
		d->cpu = -1;
		d->missing_bytes = -1;
		return;
	}
	d = &l->d[l->nr++];
	d->kind = kind;
	d->cpu = cpu;
	d->offset_bytes = offset;
	d->missing_bytes = missing;
	va_start(ap, fmt);
	vsnprintf(d->what, sizeof(d->what), fmt, ap);
	va_end(ap);
}
