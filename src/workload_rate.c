// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload_rate.h"

#define MAX_OUTPUT	(16 << 20)

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = f ? malloc(MAX_OUTPUT + 1) : NULL;

	if (text)
		text[fread(text, 1, MAX_OUTPUT, f)] = '\0';
	if (f)
		fclose(f);
	return text;
}

/* "819200 bytes (819 kB, 800 KiB) copied, 0.5 s, 1.6 MB/s"; busybox says "seconds" */
static double dd_rate(const char *line)
{
	const char *copied = strstr(line, "copied, ");
	double bytes, seconds;

	if (!copied || sscanf(line, "%lf bytes", &bytes) != 1 ||
	    sscanf(copied, "copied, %lf s", &seconds) != 1 || seconds <= 0)
		return NAN;
	return bytes / 1000 / seconds;
}

/* "  WRITE: bw=12.3MiB/s (12.9MB/s), ..." */
static double fio_rate(const char *line)
{
	const char *write = strstr(line, "WRITE: bw="), *unit;
	double v;
	char *end;

	write = write ? strchr(write, '(') : NULL;
	if (!write)
		return NAN;
	v = strtod(write + 1, &end);
	unit = end;
	if (end == write + 1)
		return NAN;
	return !strncmp(unit, "B/s", 3) ? v / 1000 : !strncmp(unit, "kB/s", 4) ? v :
	       !strncmp(unit, "MB/s", 4) ? v * 1000 : !strncmp(unit, "GB/s", 4) ? v * 1e6 : NAN;
}

static double fio_json_rate(const char *text)
{
	struct json_object *root, *jobs = NULL, *write = NULL, *bw = NULL;
	const char *start = *text == '{' ? text : strstr(text, "\n{");
	struct json_tokener *tok = start ? json_tokener_new() : NULL;
	double sum = NAN;

	if (!tok)
		return NAN;
	root = json_tokener_parse_ex(tok, start, -1);
	if (json_object_is_type(root, json_type_object) &&
	    json_object_object_get_ex(root, "jobs", &jobs) &&
	    json_object_is_type(jobs, json_type_array))
		for (size_t i = 0; i < json_object_array_length(jobs); i++)
			if (json_object_object_get_ex(json_object_array_get_idx(jobs, i), "write",
						      &write) &&
			    json_object_object_get_ex(write, "bw_bytes", &bw))
				sum = (isnan(sum) ? 0 : sum) + json_object_get_double(bw) / 1000;
	json_object_put(root);
	json_tokener_free(tok);
	return sum;
}

double workload_rate(const char *path)
{
	char *text = read_text(path), *line, *next;
	double rate, last = NAN;

	if (!text)
		return NAN;
	last = fio_json_rate(text);
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		rate = dd_rate(line);
		if (isnan(rate))
			rate = fio_rate(line);
		if (!isnan(rate))
			last = rate;
	}
	free(text);
	return last;
}
