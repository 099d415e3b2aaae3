// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/words.h"
#include "output/lanes.h"
#include "output/utf8.h"

void xlv_iclog_life(const struct xlv_iclog *ic, int64_t end_ns, int64_t life[XLV_LIFE_COUNT])
{
	int64_t next = ic->activate_ns != XLV_NONE ? ic->activate_ns : end_ns;

	life[XLV_LIFE_FIRST] = ic->first_ns;
	life[XLV_LIFE_CLOSED] = ic->switch_ns != XLV_NONE ? ic->switch_ns : ic->syncing_ns;
	life[XLV_LIFE_WRITE] = ic->bio_ns != XLV_NONE ? ic->bio_ns :
			       ic->write_ns != XLV_NONE ? ic->write_ns : ic->syncing_ns;
	life[XLV_LIFE_DONE] = ic->done_ns;
	life[XLV_LIFE_CALLBACKS] = ic->callbacks_start_ns != XLV_NONE ? ic->callbacks_start_ns :
				   ic->sync_done_ns;
	life[XLV_LIFE_CLEAN] = ic->clean_ns;
	life[XLV_LIFE_END] = next;
	for (int i = XLV_LIFE_COUNT - 1; i >= 0; i--) {
		if (life[i] == XLV_NONE || life[i] > next)
			life[i] = next;
		next = life[i];
	}
}

static bool waits_in_order(const struct xlv_iclog *ic)
{
	return ic->in_order_ns != XLV_NONE && ic->in_order_ns > 0;
}

int xlv_iclog_paint(const struct xlv_iclog *ic, enum xlv_life state)
{
	switch (state) {
	case XLV_LIFE_FIRST:		return P_ICLOG_ACTIVE;
	case XLV_LIFE_CLOSED:		return P_ICLOG_CLOSED;
	case XLV_LIFE_WRITE:		return P_ICLOG_WRITE;
	case XLV_LIFE_DONE:		return waits_in_order(ic) ? P_ICLOG_ORDER : P_ICLOG_DONE;
	case XLV_LIFE_CALLBACKS:	return P_ICLOG_CALLBACKS;
	default:			return P_ICLOG_DIRTY;
	}
}

static void lsn_text(uint64_t lsn, char *buf, size_t size)
{
	snprintf(buf, size, "%u/%u", (unsigned int)(lsn >> 32), (unsigned int)lsn);
}

void xlv_iclog_label(const struct xlv_iclog *ic, enum xlv_life state, char *buf, size_t size)
{
	*buf = '\0';
	if (state == XLV_LIFE_FIRST)
		lsn_text(ic->lsn, buf, size);
	else if (state == XLV_LIFE_WRITE)
		snprintf(buf, size, "%s", ic->fake ? "fake I/O" : "write");
	else if (state == XLV_LIFE_CALLBACKS)
		snprintf(buf, size, "callbacks");
}

void xlv_iclog_tip(const struct xlv_iclog *ic, enum xlv_life state, int64_t ns, char *buf,
		   size_t size)
{
	static const char *const states[] = {
		"active, taking log items", "closed, being prepared", "being written",
		"written, its log worker not yet at it", "callbacks", "clean",
	};
	char lsn[32];
	struct xlv_word w;

	lsn_text(ic->lsn, lsn, sizeof(lsn));
	snprintf(buf, size, "iclog %s: %s for %s", lsn, states[state], xlv_word_ns(&w, ns));
	if (state == XLV_LIFE_DONE && waits_in_order(ic))
		xlv_print(buf, size, "\nof which %s for the callbacks of an earlier iclog",
			  xlv_word_ns(&w, ic->in_order_ns));
	if (ic->bytes)
		xlv_print(buf, size, "\n%u bytes", ic->bytes);
	xlv_print(buf, size, "%s%s%s%s", ic->flags & XLV_ICL_NEED_FLUSH ? ", flush before" : "",
		  ic->flags & XLV_ICL_NEED_FUA ? ", FUA" : "",
		  ic->fake ? ", completed without a device" : "",
		  ic->out_of_order ? ", done before an earlier one" : "");
	if (ic->syncs)
		xlv_print(buf, size, "\n%d syncs slept on it", ic->syncs);
}

const char *xlv_task_name(char *buf, size_t size, const char *comm, int32_t pid)
{
	if (comm && *comm)
		xlv_show(buf, size, comm, true);
	else
		snprintf(buf, size, "pid %d", pid);
	return buf;
}

void xlv_print(char *buf, size_t size, const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + used, size - used, fmt, ap);
	va_end(ap);
}
