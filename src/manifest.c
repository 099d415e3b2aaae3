// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manifest.h"
#include "output/jsonw.h"
#include "output/outfile.h"

const char *cell_name(unsigned int cell)
{
	static const char *const names[] = { "base", "fc", "base-bound", "fc-bound" };

	return cell < CELL_COUNT ? names[cell] : "?";
}

bool cell_is_fake(enum cell cell)
{
	return cell == CELL_FC || cell == CELL_FC_BOUND;
}

bool cell_is_bound(enum cell cell)
{
	return cell == CELL_BASE_BOUND || cell == CELL_FC_BOUND;
}

int cell_by_name(const char *name)
{
	for (int i = 0; i < CELL_COUNT; i++)
		if (!strcmp(cell_name(i), name))
			return i;
	return -1;
}

char *manifest_file(const char *dir, const struct manifest_run *run, const char *suffix)
{
	char *path;

	if (asprintf(&path, "%s/%s-%d%s", dir, cell_name(run->cell), run->round, suffix) < 0)
		return NULL;
	return path;
}

void manifest_free(struct manifest *m)
{
	for (char **arg = m->command; arg && *arg; arg++)
		free(*arg);
	free(m->command);
	free(m->scratch);
	free(m->bound_cpus);
	for (int i = 0; i < CELL_COUNT; i++)
		free(m->skipped[i]);
	free(m->run);
	memset(m, 0, sizeof(*m));
}

static void put_run(struct xlv_jsonw *w, const struct manifest_run *run)
{
	char *file = manifest_file(".", run, ".dat");

	xlv_jsonw_object(w, NULL);
	xlv_jsonw_int(w, "round", run->round);
	xlv_jsonw_str(w, "cell", cell_name(run->cell));
	xlv_jsonw_str(w, "file", file ? file + 2 : NULL);
	xlv_jsonw_str(w, "state", run->done ? "done" : run->tried ? "failed" : "pending");
	if (run->tried)
		xlv_jsonw_int(w, "status", run->status);
	else
		xlv_jsonw_null(w, "status");
	xlv_jsonw_double(w, "kB_per_s", run->kB_per_s);
	xlv_jsonw_int(w, "start_s", run->start_s);
	xlv_jsonw_end(w);
	free(file);
}

static void put_manifest(FILE *f, const struct manifest *m)
{
	struct xlv_jsonw w;

	xlv_jsonw_init(&w, f, 2);
	xlv_jsonw_object(&w, NULL);
	xlv_jsonw_str(&w, "schema", MANIFEST_SCHEMA);
	xlv_jsonw_str(&w, "generator", PACKAGE_STRING);
	xlv_jsonw_array(&w, "command");
	for (char **arg = m->command; *arg; arg++)
		xlv_jsonw_str(&w, NULL, *arg);
	xlv_jsonw_end(&w);
	xlv_jsonw_int(&w, "seed", (int64_t)m->seed);
	xlv_jsonw_int(&w, "rounds", m->rounds);
	xlv_jsonw_str(&w, "scratch", m->scratch);
	xlv_jsonw_str(&w, "bound_cpus", m->bound_cpus);
	xlv_jsonw_array(&w, "cells");
	for (int i = 0; i < CELL_COUNT; i++) {
		if (!m->wanted[i])
			continue;
		xlv_jsonw_object(&w, NULL);
		xlv_jsonw_str(&w, "cell", cell_name(i));
		xlv_jsonw_str(&w, "skipped", m->skipped[i]);
		xlv_jsonw_end(&w);
	}
	xlv_jsonw_end(&w);
	xlv_jsonw_array(&w, "runs");
	for (int i = 0; i < m->nr_runs; i++)
		put_run(&w, &m->run[i]);
	xlv_jsonw_finish(&w);
}

int manifest_write(const struct manifest *m, const char *dir, struct xlv_error *err)
{
	struct xlv_outfile *o;
	char *path;

	if (asprintf(&path, "%s/" MANIFEST_NAME, dir) < 0)
		return xlv_fail(err, "out of memory");
	o = xlv_outfile_open(path, err);
	free(path);
	if (!o)
		return -1;
	put_manifest(xlv_outfile_stream(o), m);
	return xlv_outfile_commit(o, err);
}

/* --- reading --- */

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(o, key, &v);
	return v;
}

static const char *get_str(struct json_object *o, const char *key)
{
	struct json_object *v = get(o, key);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

static size_t length(struct json_object *list)
{
	return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

static char *copy(const char *s)
{
	return s ? strdup(s) : NULL;
}

static bool read_cells(struct manifest *m, struct json_object *list)
{
	for (size_t i = 0; i < length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		const char *name = get_str(o, "cell");
		int cell = name ? cell_by_name(name) : -1;

		if (cell < 0)
			return false;
		m->wanted[cell] = true;
		free(m->skipped[cell]);
		m->skipped[cell] = copy(get_str(o, "skipped"));
	}
	return true;
}

static bool read_runs(struct manifest *m, struct json_object *list)
{
	m->run = calloc(length(list) + 1, sizeof(*m->run));
	for (size_t i = 0; m->run && i < length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		struct json_object *kB = get(o, "kB_per_s");
		const char *name = get_str(o, "cell"), *state = get_str(o, "state");
		struct manifest_run *run = &m->run[m->nr_runs++];
		int cell = name ? cell_by_name(name) : -1;

		run->round = json_object_get_int(get(o, "round"));
		if (cell < 0 || !state || run->round < 1)
			return false;
		run->cell = cell;
		run->done = !strcmp(state, "done");
		run->tried = run->done || !strcmp(state, "failed");
		run->status = json_object_get_int(get(o, "status"));
		run->kB_per_s = kB ? json_object_get_double(kB) : NAN;
		run->start_s = json_object_get_int64(get(o, "start_s"));
	}
	return m->run != NULL;
}

static bool read_command(struct manifest *m, struct json_object *list)
{
	m->command = calloc(length(list) + 1, sizeof(*m->command));
	for (size_t i = 0; m->command && i < length(list); i++) {
		m->command[i] = copy(json_object_get_string(json_object_array_get_idx(list, i)));
		if (!m->command[i])
			return false;
	}
	return m->command != NULL;
}

int manifest_read(struct manifest *m, const char *dir, struct xlv_error *err)
{
	struct json_object *root;
	const char *schema;
	char *path;
	bool ok;

	memset(m, 0, sizeof(*m));
	if (asprintf(&path, "%s/" MANIFEST_NAME, dir) < 0)
		return xlv_fail(err, "out of memory");
	if (access(path, F_OK)) {
		free(path);
		return 0;
	}
	root = json_object_from_file(path);
	schema = root ? get_str(root, "schema") : NULL;
	ok = schema && !strcmp(schema, MANIFEST_SCHEMA);
	if (ok) {
		m->seed = (uint64_t)json_object_get_int64(get(root, "seed"));
		m->rounds = json_object_get_int(get(root, "rounds"));
		m->scratch = copy(get_str(root, "scratch"));
		m->bound_cpus = copy(get_str(root, "bound_cpus"));
		ok = read_command(m, get(root, "command")) && read_cells(m, get(root, "cells")) &&
		     read_runs(m, get(root, "runs"));
	}
	json_object_put(root);
	if (!ok) {
		xlv_fail(err, "'%s' is not the manifest of an experiment: remove it, or choose "
			 "another folder", path);
		manifest_free(m);
	}
	free(path);
	return ok ? 1 : -1;
}
