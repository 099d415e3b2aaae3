/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A panel of a timeline: one sync, or a window, as rows over one time axis.
 *
 * It is laid out before anything is drawn, since a page must know its height:
 * xlv_panel_init() reads the part of the recording and makes the list of rows, and
 * each row is then drawn at its place. For lib/output/panel*.c and timeline.c.
 */
#ifndef XLV_OUTPUT_PANEL_H
#define XLV_OUTPUT_PANEL_H

#include "output/frame.h"
#include "output/lanes.h"
#include "output/scale.h"

#define XLV_GUTTER		150.0	/* left of the lanes: their names */
#define XLV_MAX_DEVICES	4
#define XLV_BAR_ROW		15.0	/* of an iclog or a bio, with the space below */
#define XLV_CALLOUT_ROW	14.0
#define XLV_MAX_BARS	500	/* iclogs or bios of a lane; more are drawn as densities */
#define XLV_MAX_NARROW	1024

enum xlv_row_kind {
	XLV_ROW_AXIS, XLV_ROW_BRACKETS, XLV_ROW_BAND, XLV_ROW_PARTS, XLV_ROW_CALLOUTS,
	XLV_ROW_TASK, XLV_ROW_STRIP, XLV_ROW_MORE_TASKS,
	XLV_ROW_CPU, XLV_ROW_FOLDED, XLV_ROW_ICLOGS, XLV_ROW_DEVICE,
};

struct xlv_row {
	enum xlv_row_kind	kind;
	double			y, h;	/* from the panel's top; without the space below */
	int32_t			index;	/* of the task or CPU lane; the device */
};

struct xlv_callout {
	double		x, width;	/* of the leader and the text */
	bool		before;		/* the text ends at the leader */
	int		row;		/* -1: no place */
	char		text[96];
};

struct xlv_panel {
	const struct xlv_run	*run;
	const struct xlv_sync	*focus;		/* NULL: a window */
	struct xlv_detail	d;
	struct xlv_window	*win;
	struct xlv_scale	scale;
	const char		*what;		/* "median", "slowest" ...; NULL */
	char			prefix[24];
	char			heading[256];
	char			line[2][512];
	struct xlv_row		*rows;
	int			nr_rows, rows_size;
	bool			failed;		/* no memory for a row */
	bool			*cpu_drawn;	/* by index in win->cpus */
	int			nr_cpus_drawn;
	struct xlv_callout	*callouts;
	int			nr_callouts;
	uint32_t		devs[XLV_MAX_DEVICES];
	int			bio_rows[XLV_MAX_DEVICES], nr_devs;
	int			bios[XLV_MAX_DEVICES];	/* how many to draw */
	int32_t			*bio_row;	/* by index in win->bios; -1 */
	int32_t			*iclog_row;	/* by index in win->iclogs; -1 */
	int			iclog_rows;
	int			tips;
	int			undrawn_arrows;
	double			height;
};

struct xlv_narrow {
	int	paint;
	double	x, y, w, h;
};

struct xlv_canvas {
	struct xlv_surface	*s;
	const struct xlv_paint	*palette;
	struct xlv_legend	*legend;
	struct xlv_panel	*p;
	double			top;		/* of the panel */
	double			name_free_y;	/* below the last name of a thin lane */
	struct xlv_narrow	boxes[XLV_MAX_NARROW];	/* pieces not drawn yet */
	int			nr_boxes;
};

/**
 * xlv_panel_init - read and lay out a panel
 * @p:		zeroed, with .what set
 * @focus:	the sync it is about; NULL: a window from @from_ns to @to_ns
 * @width:	of the page
 *
 * Also after a failure, xlv_panel_free() frees what there is.
 */
int xlv_panel_init(struct xlv_panel *p, struct xlv_trace *t, const struct xlv_run *run,
		   const struct xlv_sync *focus, int64_t from_ns, int64_t to_ns, double width,
		   struct xlv_ruler *ruler, const struct xlv_paint *palette,
		   struct xlv_error *err);
void xlv_panel_free(struct xlv_panel *p);

/* When a sync or an I/O began and ended, as far as the window tells. */
int64_t xlv_sync_end_ns(const struct xlv_sync *s, const struct xlv_run *run);
int64_t xlv_bio_start_ns(const struct xlv_bio *b);
/** xlv_known_until_ns - the first loss of events after @start_ns, or the window's end */
int64_t xlv_known_until_ns(const struct xlv_panel *p, int64_t start_ns);
int64_t xlv_bio_end_ns(const struct xlv_panel *p, const struct xlv_bio *b);

/* The life of an iclog as far as the window tells. */
void xlv_panel_iclog_life(const struct xlv_panel *p, const struct xlv_iclog *ic,
			  int64_t life[XLV_LIFE_COUNT]);

/* ---- drawing of rows: panel_draw.c ---- */

static inline double at(const struct xlv_canvas *c, int64_t ts_ns)
{
	return xlv_scale_x(&c->p->scale, ts_ns);
}

void xlv_row_name(struct xlv_canvas *c, const struct xlv_row *r, const char *name,
		  const char *more);
void xlv_row_background(struct xlv_canvas *c, const struct xlv_row *r);

/** begins a group whose id is the panel's prefix and a printf format */
void xlv_row_group(struct xlv_canvas *c, const char *class, const char *title, const char *data,
		   const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Append a line to a tool tip. */
void xlv_tip_when(const struct xlv_panel *p, char *title, size_t size, int64_t start_ns);
void xlv_wake_words(char *buf, size_t size, const struct xlv_wake *w);

/**
 * draw_piece - draw a lane's piece: a box, with a label where it fits
 * @brief:	a shorter label; "": none, but don't shorten @label; NULL: shorten it
 *
 * Narrow ones have neither label nor tool tip and are kept, to be drawn together by
 * xlv_flush_pieces().
 */
void xlv_draw_piece(struct xlv_canvas *c, const struct xlv_row *r, int paint, double x1, double x2,
		    const char *label, const char *brief, const char *title);
void xlv_flush_pieces(struct xlv_canvas *c);

/**
 * draw_columns - pieces that were added up: a column for each kind, as high as its share
 * @first_paint:	of @count kinds
 * @skip:	the kind that is left blank
 * @shares:	gives the times of piece @i by kind, or NULL if it isn't added up
 */
typedef const int64_t *(*xlv_shares_fn)(const void *pieces, int32_t i, int64_t *start_ns,
					int64_t *end_ns);
void xlv_draw_columns(struct xlv_canvas *c, const struct xlv_row *r, int first_paint, int count,
		      int skip, xlv_shares_fn shares, const void *pieces, int32_t n);

/*
 * How many of a thing were in flight, by kind, as columns: what is drawn where bars
 * would be too many.
 */
struct xlv_density {
	int	columns, kinds;
	double	*sum;		/* columns of kinds: time in flight, in columns */
};

bool xlv_density_init(struct xlv_density *d, const struct xlv_panel *p, int kinds);
void xlv_density_add(struct xlv_density *d, const struct xlv_panel *p, int kind, int64_t from_ns,
		     int64_t to_ns);
/** draws and frees it; returns the most that were in flight in a column */
double xlv_density_draw(struct xlv_canvas *c, const struct xlv_row *r, struct xlv_density *d,
			const int *paints);

/* ---- the rows ---- */

/* panel_path.c: the critical path */
void xlv_draw_axis(struct xlv_canvas *c, const struct xlv_row *r);
void xlv_draw_brackets(struct xlv_canvas *c, const struct xlv_row *r);
void xlv_draw_band(struct xlv_canvas *c, const struct xlv_row *r);
void xlv_draw_parts(struct xlv_canvas *c, const struct xlv_row *r);
void xlv_draw_callouts(struct xlv_canvas *c, const struct xlv_row *r);

/* panel_lanes.c: tasks and CPUs */
void xlv_draw_task(struct xlv_canvas *c, const struct xlv_row *r);
void xlv_draw_strip(struct xlv_canvas *c, const struct xlv_row *r);
void xlv_draw_cpu_lane(struct xlv_canvas *c, const struct xlv_row *r);
void xlv_draw_folded(struct xlv_canvas *c, const struct xlv_row *r);

/* panel_io.c: iclogs and devices */
void xlv_draw_iclogs(struct xlv_canvas *c, const struct xlv_row *r);
void xlv_draw_device(struct xlv_canvas *c, const struct xlv_row *r);

/* panel_arrows.c: over the lanes of CPUs */
void xlv_draw_handovers(struct xlv_canvas *c);
void xlv_draw_wakes(struct xlv_canvas *c);

#endif
