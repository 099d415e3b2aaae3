// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "record/kallsyms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "record/sysfile.h"

struct symbol {
	uint64_t	addr;
	const char	*name, *module;		/* module: "" for the kernel itself */
	char		type;
	bool		wanted;
};

struct xlv_kallsyms {
	char		*text;
	struct symbol	*sym;
	size_t		nr;
};

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* "ffffffff81000000 T name" or "ffffffffc0000000 t name\t[module]" */
static bool parse_line(char *line, struct symbol *sym)
{
	char *p, *tab;

	sym->addr = strtoull(line, &p, 16);
	if (!sym->addr || p[0] != ' ' || !p[1] || p[2] != ' ' || !strchr("tTwW", p[1]))
		return false;
	sym->type = p[1];
	sym->name = p + 3;
	sym->module = "";
	sym->wanted = false;
	tab = strchr(p + 3, '\t');
	if (tab) {
		*tab = '\0';
		sym->module = tab + 1;
	}
	return true;
}

struct xlv_kallsyms *xlv_kallsyms_read(struct xlv_error *err)
{
	struct xlv_kallsyms *s;
	char *line, *save = NULL;
	size_t room = 0;

	s = calloc(1, sizeof(*s));
	if (!s)
		goto no_memory;
	s->text = xlv_sys_slurp("/proc/kallsyms", NULL);
	if (!s->text) {
		xlv_fail(err, "unable to read '/proc/kallsyms': %s", strerror(errno));
		goto fail;
	}
	for (const char *p = s->text; (p = strchr(p, '\n')); p++)
		room++;
	s->sym = malloc((room + 1) * sizeof(*s->sym));
	if (!s->sym)
		goto no_memory;
	for (line = strtok_r(s->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (s->nr <= room && parse_line(line, &s->sym[s->nr]))
			s->nr++;
	if (!s->nr) {
		xlv_fail(err, "no addresses in '/proc/kallsyms': run as root, with "
			 "kernel.kptr_restrict below 2");
		goto fail;
	}
	qsort(s->sym, s->nr, sizeof(*s->sym), by_address);
	return s;

no_memory:
	xlv_fail(err, "out of memory");
fail:
	xlv_kallsyms_free(s);
	return NULL;
}

void xlv_kallsyms_free(struct xlv_kallsyms *s)
{
	if (!s)
		return;
	free(s->sym);
	free(s->text);
	free(s);
}

int xlv_kallsyms_find(const struct xlv_kallsyms *s, const char *name, uint64_t *addr, int max)
{
	int n = 0;

	for (size_t i = 0; i < s->nr; i++) {
		if (strcmp(s->sym[i].name, name))
			continue;
		if (n < max)
			addr[n] = s->sym[i].addr;
		n++;
	}
	return n;
}

static bool of_xfs(const struct symbol *sym)
{
	const char *name = sym->name + strspn(sym->name, "_");

	return !strcmp(sym->module, "[xfs]") || !strncmp(name, "xfs_", 4) ||
	       !strncmp(name, "xlog_", 5);
}

void xlv_kallsyms_print(struct xlv_kallsyms *s, const char *const *extra, FILE *to)
{
	for (size_t i = 0; i < s->nr; i++) {
		struct symbol *sym = &s->sym[i];

		sym->wanted = !extra || of_xfs(sym);
		for (const char *const *e = extra; e && *e && !sym->wanted; e++)
			sym->wanted = !strcmp(sym->name, *e);
	}
	for (size_t i = 0; i < s->nr; i++) {
		const struct symbol *sym = &s->sym[i];

		if (!sym->wanted && !(i && s->sym[i - 1].wanted))
			continue;
		fprintf(to, "%016" PRIx64 " %c %s%s%s\n", sym->addr, sym->type, sym->name,
			sym->module[0] ? "\t" : "", sym->module);
	}
}
