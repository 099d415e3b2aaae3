// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts about the recording, out of the reader, the model and the recorder's word. */
#include "config.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/origin.h"

static void print_cpus(FILE *f, const char *name, const int32_t *v, int32_t n)
{
	fprintf(f, "\"%s\":[", name);
	for (int32_t i = 0; i < n; i++)
		fprintf(f, "%s%d", i ? "," : "", v[i]);
	fputc(']', f);
}

/* NULL where nothing is known; *failed without memory. */
static char *topology(const struct xlv_topology *t, bool *failed)
{
	char *text = NULL;
	size_t size;
	FILE *f;

	if (t->nr <= 0 || !t->core || !t->llc || !t->node)
		return NULL;
	f = open_memstream(&text, &size);
	if (!f) {
		*failed = true;
		return NULL;
	}
	fputc('{', f);
	print_cpus(f, "core", t->core, t->nr);
	fputc(',', f);
	print_cpus(f, "llc", t->llc, t->nr);
	fputc(',', f);
	print_cpus(f, "node", t->node, t->nr);
	fputc('}', f);
	if (fclose(f)) {
		free(text);
		*failed = true;
		return NULL;
	}
	return text;
}

/* What is passed on has to be JSON, whatever the file holds: NULL if it isn't. */
static struct json_object *parse_metadata(const char *metadata)
{
	struct json_tokener *tok = metadata ? json_tokener_new() : NULL;
	struct json_object *o;
	size_t len;

	if (!tok)
		return NULL;
	len = strlen(metadata);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = len < INT32_MAX ? json_tokener_parse_ex(tok, metadata, (int)len) : NULL;
	if (json_tokener_get_error(tok) != json_tokener_success ||
	    !json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		o = NULL;
	}
	json_tokener_free(tok);
	return o;
}

/* A string, or a list of strings joined by @between; NULL if there is none. */
static char *texts(struct json_object *metadata, const char *key, const char *between)
{
	struct json_object *v = NULL;
	char *text = NULL, *longer;

	if (!json_object_object_get_ex(metadata, key, &v))
		return NULL;
	if (json_object_is_type(v, json_type_string))
		return strdup(json_object_get_string(v));
	if (!json_object_is_type(v, json_type_array))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		const char *s = json_object_get_string(json_object_array_get_idx(v, i));

		if (asprintf(&longer, "%s%s%s", text ? text : "", text ? between : "",
			     s ? s : "") < 0)
			break;
		free(text);
		text = longer;
	}
	return text;
}

/* Takes from the metadata what the recording itself doesn't tell. */
static void fill_in(char **text, struct json_object *metadata, const char *key)
{
	char *known = *text && !**text ? texts(metadata, key, " ") : NULL;

	if (!known)
		return;
	free(*text);
	*text = known;
}

static char *copy(const char *s, bool *failed)
{
	char *c = strdup(s ? s : "");

	if (!c)
		*failed = true;
	return c;
}

int xlv_origin_from_run(struct xlv_source *src, const struct xlv_run *run)
{
	const struct xlv_trace_info *info = run->info;
	struct json_object *metadata;
	bool failed = false;

	memset(src, 0, sizeof(*src));
	src->file = copy(info->file, &failed);
	src->format = copy(info->format, &failed);
	src->version = info->version;
	src->clock = copy(info->clock, &failed);
	src->clock_ticks = info->clock_ticks;
	src->kernel = copy(info->kernel, &failed);
	src->machine = copy(info->machine, &failed);
	src->cpus = info->nr_cpus;
	src->events = info->events;
	src->lost_events = info->lost_events;
	src->lost_uncounted = info->lost_uncounted;
	src->start_ns = info->events ? info->start_ns : XLV_NONE;
	src->end_ns = info->events ? info->end_ns : XLV_NONE;
	src->boundaries = run->bounds;
	src->buffer = copy(info->buffer >= 0 && info->buffer < info->nr_buffers ?
				   info->buffers[info->buffer].name : "", &failed);
	src->damaged = info->nr_damage > 0;
	src->fake_completion = run->fake_ios > 0;
	src->topology = topology(&run->topology, &failed);
	metadata = parse_metadata(info->metadata);
	if (metadata) {
		src->command = texts(metadata, "command", " ");
		src->event_set = texts(metadata, "event_set", " ");
		src->unknown = texts(metadata, "unknown", "; ");
		fill_in(&src->kernel, metadata, "kernel");
		src->metadata = copy(json_object_to_json_string_ext(metadata,
								    JSON_C_TO_STRING_PLAIN),
				     &failed);
	}
	json_object_put(metadata);
	return failed ? -1 : 0;
}

void xlv_origin_free(struct xlv_source *src)
{
	free(src->file);
	free(src->format);
	free(src->clock);
	free(src->kernel);
	free(src->machine);
	free(src->buffer);
	free(src->command);
	free(src->topology);
	free(src->event_set);
	free(src->unknown);
	free(src->metadata);
	memset(src, 0, sizeof(*src));
}
