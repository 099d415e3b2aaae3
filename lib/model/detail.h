/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packed form of a sync's waits, segments and wakes.
 *
 * Each struct is written field by field as numbers of variable length; times are
 * differences to the time before, and what is as it was is left out. The form is
 * private to memory: it never reaches a file.
 */
#ifndef XLV_MODEL_DETAIL_H
#define XLV_MODEL_DETAIL_H

#include "model/memory.h"
#include "model/run.h"

/**
 * xlv_detail_pack - pack what @d holds into @sync
 *
 * Sets sync->packed to memory of @arena. Segments' start_ns are implied by
 * sync->start_ns and their ns and not stored. The distance of wakes is not
 * stored either: xlv_sync_detail() works it out from the topology.
 * Returns 0 or -1 without memory.
 */
int xlv_detail_pack(struct xlv_arena *arena, struct xlv_sync *sync, const struct xlv_detail *d);

/* Make room for one more element; 0 or -1. */
int xlv_detail_room_wait(struct xlv_detail *d);
int xlv_detail_room_segment(struct xlv_detail *d);
int xlv_detail_room_wake(struct xlv_detail *d);

#endif
