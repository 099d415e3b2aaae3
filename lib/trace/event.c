// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/event.h"

#include <string.h>

#include "trace/reader.h"

const char *xlv_event_name(unsigned int type)
{
	static const char *const names[XLV_EV_COUNT] = {
		[XLV_EV_OTHER]	= "other",
		[XLV_EV_LOST]	= "lost",
#define XLV_NAME(type, system, name)	[XLV_EV_##type] = name,
		XLV_EVENTS(XLV_NAME)
#undef XLV_NAME
	};

	return type < XLV_EV_COUNT ? names[type] : "unknown";
}

const char *xlv_syscall_name(unsigned int nr)
{
	static const char *const names[XLV_SYS_COUNT] = {
		[XLV_SYS_NONE]			= "none",
		[XLV_SYS_FSYNC]			= "fsync",
		[XLV_SYS_FDATASYNC]		= "fdatasync",
		[XLV_SYS_MSYNC]			= "msync",
		[XLV_SYS_SYNC]			= "sync",
		[XLV_SYS_SYNCFS]		= "syncfs",
		[XLV_SYS_SYNC_FILE_RANGE]	= "sync_file_range",
		[XLV_SYS_WRITE]			= "write",
		[XLV_SYS_PWRITE64]		= "pwrite64",
		[XLV_SYS_WRITEV]		= "writev",
		[XLV_SYS_PWRITEV]		= "pwritev",
		[XLV_SYS_PWRITEV2]		= "pwritev2",
		[XLV_SYS_IO_URING_ENTER]	= "io_uring_enter",
		[XLV_SYS_IO_SUBMIT]		= "io_submit",
		[XLV_SYS_FALLOCATE]		= "fallocate",
		[XLV_SYS_OTHER]			= "other",
	};

	return nr < XLV_SYS_COUNT ? names[nr] : "unknown";
}

void xlv_str_copy(char *dst, size_t size, struct xlv_str s)
{
	size_t len;

	if (!size)
		return;
	len = s.len < size - 1 ? s.len : size - 1;
	if (len)
		memcpy(dst, s.s, len);
	dst[len] = '\0';
}

bool xlv_str_eq(struct xlv_str s, const char *text)
{
	size_t len = strlen(text);

	return s.len == len && (!len || !memcmp(s.s, text, len));
}
