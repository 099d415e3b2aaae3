/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all pictures have around them: a head that says which recording this is and
 * how far it can be trusted, and below a legend of the paints that were used.
 *
 * A page must know its height before it is drawn, and a legend what was drawn, so
 * the body is drawn twice, the first time onto nothing.
 */
#ifndef XLV_OUTPUT_FRAME_H
#define XLV_OUTPUT_FRAME_H

#include "analysis/report.h"
#include "output/palette.h"

#define XLV_PAGE_MARGIN	24.0

struct xlv_picture_opts {
	enum xlv_picture	format;
	enum xlv_theme		theme;
	double			width;		/* pixels; 0: 1400 */
	double			scale;		/* of a PNG; 0: 2 */
};

struct xlv_legend {
	bool	used[P_COUNT];
	char	note[256];	/* a line below the legend; "": none */
};

struct xlv_frame {
	const struct xlv_report	*rep;
	struct xlv_picture_opts	opts;
	const char		*title;		/* what the picture is */
	double			body_height;
	/* draws the body with its top at @top; called twice */
	void			(*body)(struct xlv_surface *s, struct xlv_legend *legend,
					double top, void *arg);
	void			*arg;
};

static inline double xlv_picture_width(const struct xlv_picture_opts *opts)
{
	return opts->width > 0 ? opts->width : 1400;
}

static inline void xlv_legend_use(struct xlv_legend *legend, int paint)
{
	legend->used[paint] = true;
}

/** xlv_frame_draw - draw a picture; 0, or -1 where it can't be drawn or written */
int xlv_frame_draw(const struct xlv_frame *frame, FILE *out, struct xlv_error *err);

#endif
