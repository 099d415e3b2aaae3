/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paints of all pictures: one colour for each part of the pipeline, the same
 * in every view.
 *
 * The hues are Okabe and Ito's, which colour-blind readers tell apart: the task is
 * blue, the CIL worker and what belongs to it orange, the log worker green, device
 * and interrupts purple, a wake-up vermilion. Waiting for a thing is a tint of its
 * colour, being woken is hatched, so that pictures survive in grey.
 */
#ifndef XLV_OUTPUT_PALETTE_H
#define XLV_OUTPUT_PALETTE_H

#include "model/window.h"
#include "output/surface.h"

enum xlv_theme { XLV_THEME_LIGHT, XLV_THEME_DARK };

enum xlv_paint_id {
	P_PAGE, P_LANE, P_GRID, P_AXIS, P_RULE, P_FOCUS, P_HALO,
	/* text */
	P_TITLE, P_HEADING, P_TEXT, P_MUTED, P_SMALL, P_ON_LIGHT, P_ON_DARK, P_TINY_ON_LIGHT,
	P_TINY_ON_DARK, P_WARNING,
	/* by enum xlv_work, by where a task is, by stage, by part of a wake */
	P_WORK,
	P_WHERE = P_WORK + XLV_WORK_COUNT,
	P_STAGE = P_WHERE + XLV_TASK_AT_COUNT,
	P_PART = P_STAGE + XLV_STAGE_COUNT,
	/* iclogs and devices */
	P_ICLOG_ACTIVE = P_PART + XLV_PART_COUNT + 1, P_ICLOG_CLOSED, P_ICLOG_WRITE, P_ICLOG_DONE,
	P_ICLOG_CALLBACKS, P_ICLOG_ORDER, P_ICLOG_DIRTY,
	P_BIO_QUEUED, P_BIO_WRITE, P_BIO_READ, P_BIO_FLUSH,
	/* arrows: lines and heads */
	P_WAKE, P_WAKE_HEAD, P_WAKE_REMOTE, P_WAKE_REMOTE_HEAD, P_HANDOVER, P_HANDOVER_HEAD,
	P_BRACKET, P_LEADER,
	/* what is missing */
	P_GAP, P_SILENCE,
	/* charts: curves of span and T1 to T4; dots by kind of sync */
	P_CURVE, P_DOT = P_CURVE + 5, P_DOT_PARTIAL = P_DOT + XLV_KIND_COUNT,
	/* pipeline view: syncs */
	P_SYNC, P_SYNC_OWN,
	P_COUNT
};

/** xlv_palette - the table of paints, indexed by enum xlv_paint_id */
const struct xlv_paint *xlv_palette(enum xlv_theme theme);

/** xlv_palette_on - the paint of text that is readable on another paint; @tiny: smaller */
int xlv_palette_on(const struct xlv_paint *palette, int paint, bool tiny);

#endif
