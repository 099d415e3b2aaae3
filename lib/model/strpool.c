// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/strpool.h"

#define POOL_MAX_BYTES	(4 << 20)

struct entry {
	struct entry	*next;
	uint32_t	len;
	char		s[];
};

struct xlv_strpool {
	struct entry	**slot;
	size_t		nr_slots, nr, bytes;
};

static uint32_t hash(const char *s, uint32_t len)
{
	uint32_t h = 2166136261u;

	for (uint32_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

struct xlv_strpool *xlv_strpool_new(void)
{
	struct xlv_strpool *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->nr_slots = 1024;
	p->slot = calloc(p->nr_slots, sizeof(*p->slot));
	if (!p->slot) {
		free(p);
		return NULL;
	}
	return p;
}

void xlv_strpool_free(struct xlv_strpool *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr_slots; i++)
		for (struct entry *e = p->slot[i], *next; e; e = next) {
			next = e->next;
			free(e);
		}
	free(p->slot);
	free(p);
}

static void grow(struct xlv_strpool *p)
{
	size_t nr = p->nr_slots * 4;
	struct entry **slot = calloc(nr, sizeof(*slot));

	if (!slot)
		return;		/* longer chains, the same answers */
	for (size_t i = 0; i < p->nr_slots; i++)
		for (struct entry *e = p->slot[i], *next; e; e = next) {
			struct entry **to = &slot[hash(e->s, e->len) & (nr - 1)];

			next = e->next;
			e->next = *to;
			*to = e;
		}
	free(p->slot);
	p->slot = slot;
	p->nr_slots = nr;
}

const char *xlv_intern(struct xlv_strpool *p, struct xlv_str s)
{
	struct entry **at = &p->slot[hash(s.s, s.len) & (p->nr_slots - 1)];
	struct entry *e;

	for (e = *at; e; e = e->next)
		if (e->len == s.len && !memcmp(e->s, s.s, s.len))
			return e->s;
	if (p->bytes + s.len > POOL_MAX_BYTES)
		return "...";
	e = malloc(sizeof(*e) + s.len + 1);
	if (!e)
		return NULL;
	e->len = s.len;
	memcpy(e->s, s.s, s.len);
	e->s[s.len] = '\0';
	e->next = *at;
	*at = e;
	p->bytes += s.len + 1;
	if (++p->nr > p->nr_slots * 2)
		grow(p);
	return e->s;
}

const char *xlv_internf(struct xlv_strpool *p, const char *fmt, ...)
{
	char buf[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if (n >= (int)sizeof(buf))
		n = sizeof(buf) - 1;
	return xlv_intern(p, (struct xlv_str){ buf, n });
}
