/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of an event in the text that its print fmt, or a plugin, made of it. */
#ifndef XLV_TRACE_TEXT_FIELDS_H
#define XLV_TRACE_TEXT_FIELDS_H

#include "trace/kernel.h"

/**
 * xlv_text_fields - fill an event's fields
 * @id:		which event it is
 * @event:	its name in the text
 * @s:		the text of its fields
 * @syscall:	the kernel's own way to print a syscall
 * @ev:		where to; .type, .pid and the like are set
 *
 * Returns false where the text doesn't hold what it must.
 */
bool xlv_text_fields(struct xlv_event_id id, struct xlv_str event, struct xlv_str s,
		     bool syscall, struct xlv_event *ev);

#endif
