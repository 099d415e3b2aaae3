// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/symbols.h"

#include <stdlib.h>
#include <string.h>

/* No function that logs or calls is longer than this. */
#define CALLER_MAX_BYTES	(16u << 10)
#define NAME_MAX_BYTES		255u
#define SYMBOLS_MAX		(2u << 20)	/* kernels have some 200,000 */

struct symbol {
	uint64_t	addr;
	uint32_t	name;		/* offset in .names: a length byte, then the name */
};

struct xlv_symbols {
	struct symbol	*sym;
	size_t		nr, cap;
	char		*names;
	size_t		names_len, names_cap;
};

static int by_addr(const void *pa, const void *pb)
{
	const struct symbol *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static int add(struct xlv_symbols *s, uint64_t addr, const char *name, size_t len)
{
	size_t cap;
	void *p;

	if (len > NAME_MAX_BYTES)
		len = NAME_MAX_BYTES;
	if (s->nr == s->cap) {
		cap = s->cap ? s->cap + s->cap / 2 : 1024;
		p = realloc(s->sym, cap * sizeof(*s->sym));
		if (!p)
			return -1;
		s->sym = p;
		s->cap = cap;
	}
	if (s->names_len + len + 1 > s->names_cap) {
		cap = s->names_cap + s->names_cap / 2 + (32u << 10);
		if (cap > UINT32_MAX)
			return -1;
		p = realloc(s->names, cap);
		if (!p)
			return -1;
		s->names = p;
		s->names_cap = cap;
	}
	s->sym[s->nr++] = (struct symbol){ .addr = addr, .name = s->names_len };
	s->names[s->names_len++] = len;
	memcpy(s->names + s->names_len, name, len);
	s->names_len += len;
	return 0;
}

/* "ffffffff81000000 T name\t[module]" */
static int parse_line(struct xlv_symbols *s, const char *p, const char *end)
{
	uint64_t addr = 0;
	const char *name;
	int digits = 0;
	char type;

	for (; p < end && digits <= 16; p++, digits++) {
		if (*p >= '0' && *p <= '9')
			addr = addr << 4 | (*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			addr = addr << 4 | (*p - 'a' + 10);
		else
			break;
	}
	if (!digits || digits > 16 || !addr || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return 0;
	type = p[1] | 0x20;
	if (type != 't' && type != 'w')
		return 0;
	name = p + 3;
	for (p = name; p < end && *p != '\t' && *p != ' ' && *p != '\r'; p++)
		;
	return p > name ? add(s, addr, name, p - name) : 0;
}

struct xlv_symbols *xlv_symbols_parse(const char *text, size_t len)
{
	const char *end = text + len, *p = text, *nl;
	struct xlv_symbols *s;

	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	while (p < end && s->nr < SYMBOLS_MAX) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		if (parse_line(s, p, nl))
			goto fail;
		p = nl + 1;
	}
	if (!s->nr)
		goto fail;
	qsort(s->sym, s->nr, sizeof(*s->sym), by_addr);
	return s;
fail:
	xlv_symbols_free(s);
	return NULL;
}

void xlv_symbols_free(struct xlv_symbols *s)
{
	if (!s)
		return;
	free(s->sym);
	free(s->names);
	free(s);
}

/* Index of the last symbol at or below @addr, -1 if none. */
static long find(const struct xlv_symbols *s, uint64_t addr)
{
	size_t lo = 0, hi = s->nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->sym[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (long)lo - 1;
}

static struct xlv_str name_of(const struct xlv_symbols *s, long i)
{
	const char *p = s->names + s->sym[i].name;

	return (struct xlv_str){ .s = p + 1, .len = (uint8_t)*p };
}

struct xlv_str xlv_symbols_exact(const struct xlv_symbols *s, uint64_t addr)
{
	long i = s ? find(s, addr) : -1;

	if (i < 0 || s->sym[i].addr != addr)
		return (struct xlv_str){ 0 };
	while (i > 0 && s->sym[i - 1].addr == addr)
		i--;
	return name_of(s, i);
}

struct xlv_str xlv_symbols_caller(const struct xlv_symbols *s, uint64_t addr)
{
	long i = s ? find(s, addr) : -1;

	if (i < 0 || addr - s->sym[i].addr > CALLER_MAX_BYTES)
		return (struct xlv_str){ 0 };
	while (i > 0 && s->sym[i - 1].addr == s->sym[i].addr)
		i--;
	return name_of(s, i);
}
