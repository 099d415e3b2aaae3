// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads what is to be compared. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "manifest.h"
#include "sides.h"

static int no_memory(void)
{
	return cli_error("out of memory");
}

static struct xlv_side *new_side(struct cli_sides *s, const char *name)
{
	struct xlv_side **grown = reallocarray(s->side, (size_t)s->nr + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	s->side = grown;
	grown[s->nr] = xlv_side_new(name);
	return grown[s->nr] ? grown[s->nr++] : NULL;
}

/* Keep an input and let the side take it in. */
static int take_in(struct cli_sides *s, struct xlv_side *side, struct xlv_input *in)
{
	struct xlv_input **grown = reallocarray(s->input, (size_t)s->nr_inputs + 1, sizeof(*grown));
	struct xlv_error err;

	if (!grown) {
		xlv_input_close(in);
		return no_memory();
	}
	s->input = grown;
	grown[s->nr_inputs++] = in;
	if (xlv_side_add(side, in, &err))
		return cli_error("%s", err.text);
	return xlv_report_losses(in->rep) ? XLV_EXIT_LOSSES : XLV_EXIT_OK;
}

static int add_json(struct cli_sides *s, struct xlv_side *side, const char *path)
{
	struct xlv_json_file **grown = reallocarray(s->file, (size_t)s->nr_files + 1,
						    sizeof(*grown));
	struct xlv_json_doc *doc;
	struct xlv_input *in;
	struct xlv_error err;
	int ret = XLV_EXIT_OK, more;

	if (!grown)
		return no_memory();
	s->file = grown;
	grown[s->nr_files] = xlv_json_open(path, &err);
	if (!grown[s->nr_files])
		return cli_error("%s", err.text);
	s->nr_files++;
	while ((more = xlv_json_next(grown[s->nr_files - 1], &doc, &err)) > 0) {
		in = xlv_input_of_json(doc, &err);
		if (!in)
			return cli_error("%s", err.text);
		ret = cli_worse(ret, take_in(s, side, in));
		if (ret == XLV_EXIT_FAIL)
			return ret;
	}
	return more < 0 ? cli_error("%s", err.text) : ret;
}

static int add_recording(struct cli_sides *s, struct xlv_side *side, const char *path,
			 const struct cli_select *sel)
{
	struct cli_recording rec;
	struct xlv_filter filter;
	struct xlv_input *in;
	struct xlv_error err;
	int ret;

	ret = cli_load(path, sel, &rec);
	if (ret)
		return ret;
	filter = cli_select_filter(sel, rec.info);
	in = xlv_input_of_run(path, rec.trace, rec.run, &filter, &err);
	if (!in)
		return cli_error("%s", err.text);
	return take_in(s, side, in);
}

static int add_file(struct cli_sides *s, struct xlv_side *side, const char *path,
		    const struct cli_select *sel)
{
	struct xlv_error err;
	int json = xlv_json_sniff(path, &err);

	if (json < 0)
		return cli_error("%s", err.text);
	return json ? add_json(s, side, path) : add_recording(s, side, path, sel);
}

static int finish(struct xlv_side *side, int ret)
{
	struct xlv_error err;

	if (ret != XLV_EXIT_FAIL && xlv_side_finish(side, &err))
		return cli_error("%s", err.text);
	return ret;
}

/* The recordings of one cell that were made. */
static int add_cell(struct cli_sides *s, const char *dir, const struct manifest *m, int cell,
		    const struct cli_select *sel)
{
	struct xlv_side *side = NULL;
	int ret = XLV_EXIT_OK, known = 0;
	double sum = 0;
	char *path;

	for (int i = 0; i < m->nr_runs && ret != XLV_EXIT_FAIL; i++) {
		if ((int)m->run[i].cell != cell || !m->run[i].done)
			continue;
		if (!side)
			side = new_side(s, cell_name(cell));
		path = side ? manifest_file(dir, &m->run[i], ".dat") : NULL;
		if (!path)
			return no_memory();
		ret = cli_worse(ret, add_file(s, side, path, sel));
		free(path);
		if (isfinite(m->run[i].kB_per_s)) {
			sum += m->run[i].kB_per_s;
			known++;
		}
	}
	if (!side)
		return ret;
	if (known)
		side->kB_per_s = sum / known;
	return finish(side, ret);
}

static int add_experiment(struct cli_sides *s, const char *dir, const struct cli_select *sel)
{
	struct xlv_error err;
	struct manifest m;
	int ret = manifest_read(&m, dir, &err), before = s->nr;

	if (ret < 0)
		return cli_error("%s", err.text);
	if (!ret)
		return cli_error("'%s' is a folder without an experiment in it: name recordings, "
				 "or make one with 'xlogviz experiment --dir %s -- COMMAND'", dir,
				 dir);
	ret = XLV_EXIT_OK;
	for (int cell = 0; cell < CELL_COUNT && ret != XLV_EXIT_FAIL; cell++)
		ret = cli_worse(ret, add_cell(s, dir, &m, cell, sel));
	manifest_free(&m);
	if (s->nr == before && ret != XLV_EXIT_FAIL)
		return cli_error("the experiment in '%s' has no recording yet: go on with it", dir);
	return ret;
}

/* "oldsched-fc" for "traces/oldsched-fc.dat". */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	bool known = dot && dot > base && (!strcmp(dot, ".dat") || !strcmp(dot, ".json") ||
					   !strcmp(dot, ".txt"));

	return strndup(base, known ? (size_t)(dot - base) : strlen(base));
}

int cli_sides_add(struct cli_sides *s, const char *path, const struct cli_select *sel)
{
	struct xlv_side *side;
	struct stat st;
	char *name;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return add_experiment(s, path, sel);
	name = name_of(path);
	side = name ? new_side(s, name) : NULL;
	free(name);
	if (!side)
		return no_memory();
	return finish(side, add_file(s, side, path, sel));
}

void cli_sides_free(struct cli_sides *s)
{
	for (int i = 0; i < s->nr; i++)
		xlv_side_free(s->side[i]);
	for (int i = 0; i < s->nr_inputs; i++)
		xlv_input_close(s->input[i]);
	for (int i = 0; i < s->nr_files; i++)
		xlv_json_close(s->file[i]);
	free(s->side);
	free(s->input);
	free(s->file);
	memset(s, 0, sizeof(*s));
}
