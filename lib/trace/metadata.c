// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/metadata.h"

#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX		"xlogviz-meta "
#define KEY_MAX		64
#define PARTS_MAX	10000u
#define VALUE_MAX	(1u << 20)

struct xlv_metadata {
	struct json_object	*object;
	char			key[KEY_MAX];		/* the one being put together */
	unsigned int		next, parts;
	char			*value;
	size_t			len;
};

struct xlv_metadata *xlv_metadata_new(void)
{
	return calloc(1, sizeof(struct xlv_metadata));
}

void xlv_metadata_free(struct xlv_metadata *m)
{
	if (!m)
		return;
	json_object_put(m->object);
	free(m->value);
	free(m);
}

static void complete(struct xlv_metadata *m)
{
	struct json_object *v;

	v = json_tokener_parse(m->value);
	if (!v && strcmp(m->value, "null"))
		return;
	if (!m->object)
		m->object = json_object_new_object();
	if (!m->object || json_object_object_add(m->object, m->key, v))
		json_object_put(v);
}

/* "xlogviz-meta KEY I/N TEXT" */
void xlv_metadata_add(struct xlv_metadata *m, struct xlv_str text)
{
	const char *p, *end, *space;
	unsigned int i, n, digits;
	char head[KEY_MAX + 32], key[KEY_MAX];
	char *value;
	int used;

	if (text.len <= strlen(PREFIX) || memcmp(text.s, PREFIX, strlen(PREFIX)))
		return;
	p = text.s + strlen(PREFIX);
	end = text.s + text.len;
	space = memchr(p, ' ', end - p);
	if (!space || space - p >= KEY_MAX || space == p)
		return;
	xlv_str_copy(key, sizeof(key), (struct xlv_str){ p, space - p });
	xlv_str_copy(head, sizeof(head), (struct xlv_str){ space + 1, end - space - 1 });
	digits = strspn(head, "0123456789/");
	if (!digits || digits > 16 || sscanf(head, "%u/%u%n", &i, &n, &used) != 2 ||
	    (head[used] != ' ' && head[used]) || !i || i > n || n > PARTS_MAX)
		return;
	p = space + 1 + used + (head[used] == ' ');
	if (p > end)
		p = end;
	while (end > p && end[-1] == '\n')
		end--;

	if (i == 1) {
		strcpy(m->key, key);
		m->parts = n;
		m->next = 1;
		m->len = 0;
	}
	if (i != m->next || n != m->parts || strcmp(key, m->key) ||
	    m->len + (end - p) > VALUE_MAX) {
		m->next = 0;
		return;
	}
	value = realloc(m->value, m->len + (end - p) + 1);
	if (!value) {
		m->next = 0;
		return;
	}
	m->value = value;
	memcpy(m->value + m->len, p, end - p);
	m->len += end - p;
	m->value[m->len] = '\0';
	m->next++;
	if (i == n) {
		complete(m);
		m->next = 0;
	}
}

const char *xlv_metadata_json(struct xlv_metadata *m)
{
	if (!m || !m->object)
		return NULL;
	return json_object_to_json_string_ext(m->object, JSON_C_TO_STRING_PLAIN);
}

const char *xlv_metadata_text(struct xlv_metadata *m, const char *key)
{
	struct json_object *v;

	if (!m || !json_object_object_get_ex(m->object, key, &v) ||
	    !json_object_is_type(v, json_type_string))
		return NULL;
	return json_object_get_string(v);
}
