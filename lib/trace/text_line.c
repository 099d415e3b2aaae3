// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "trace/text_line.h"

#include "trace/container.h"
#include "trace/text_words.h"

/* The mark of a quoted mail: any number of '>' and blanks. */
struct xlv_str xlv_text_unquote(const char *line)
{
	struct xlv_str s = { .s = line, .len = strlen(line) };
	struct xlv_str r = s;

	while (r.len && (*r.s == '>' || *r.s == ' ')) {
		r.s++;
		r.len--;
		if (r.s[-1] == '>')
			s = r;
	}
	return xlv_trim(s);
}

static bool is_flags(struct xlv_str s)
{
	unsigned int i;

	if (s.len < 4 || s.len > 6)
		return false;
	for (i = 0; i < s.len; i++)
		if (!strchr(".dDbXNnpBlLzZhHsS#*@$!+0123456789abcdef", s.s[i]))
			return false;
	return true;
}

/* "1.565001:" or "243839745122:" */
static bool parse_time(struct xlv_str s, int64_t *ts, bool *ticks, const char **rest)
{
	const char *p = s.s, *end = s.s + s.len;
	uint64_t sec = 0, ns = 0;
	int digits = 0;

	if (p == end || !xlv_is_digit(*p))
		return false;
	for (; p < end && xlv_is_digit(*p); p++) {
		if (sec > UINT64_MAX / 20)
			return false;
		sec = sec * 10 + (*p - '0');
	}
	*ticks = true;
	if (p < end && *p == '.') {
		*ticks = false;
		for (p++; p < end && xlv_is_digit(*p); p++, digits++)
			if (digits < 9)
				ns = ns * 10 + (*p - '0');
		if (!digits)
			return false;
		for (; digits < 9; digits++)
			ns *= 10;
		if (sec > INT64_MAX / 1000000000 - 1)
			return false;
		ns += sec * 1000000000;
	} else {
		ns = sec;
	}
	if (p == end || *p != ':' || ns > INT64_MAX)
		return false;
	*ts = ns;
	*rest = p + 1;
	return true;
}

/* What stands before "[cpu]": "comm-pid" and perhaps "(tgid)". */
static bool parse_task(struct xlv_str s, struct xlv_columns *c)
{
	const char *p, *end;
	uint64_t pid;

	s = xlv_trim(s);
	if (s.len && s.s[s.len - 1] == ')') {
		p = memrchr(s.s, '(', s.len);
		if (!p)
			return false;
		s = xlv_trim(xlv_span(s.s, p));
	}
	end = s.s + s.len;
	for (p = end; p > s.s && xlv_is_digit(p[-1]); p--)
		;
	if (p == end || p == s.s || p[-1] != '-' || end - p > 10)
		return false;
	if (!xlv_parse_number(xlv_span(p, end), 10, &pid) || pid > INT32_MAX)
		return false;
	c->pid = pid;
	c->comm = xlv_trim(xlv_span(s.s, p - 1));
	/* "buffer:    comm" where a report mixes several buffers */
	p = xlv_find_last(c->comm, "  ");
	if (p)
		c->comm = xlv_trim(xlv_span(p, c->comm.s + c->comm.len));
	return true;
}

/* The columns of a line of an event; false for any other line. */
bool xlv_text_columns(struct xlv_str line, struct xlv_columns *c)
{
	const char *open, *close, *p, *end = line.s + line.len, *rest;
	struct xlv_str r = line, word;
	uint64_t cpu;

	if (!line.len || *line.s == '#')
		return false;
	/* a name may hold brackets: take the first that makes sense of the line */
	for (; (open = r.len ? memchr(r.s, '[', r.len) : NULL); r = xlv_span(open + 1, end)) {
		for (p = open + 1; p < end && xlv_is_digit(*p); p++)
			;
		close = p;
		if (close == open + 1 || close - open > 6 || close == end || *close != ']')
			continue;
		if (!parse_task(xlv_span(line.s, open), c))
			continue;
		if (!xlv_parse_number(xlv_span(open + 1, close), 10, &cpu) ||
		    cpu >= XLV_CPUS_MAX)
			continue;
		c->cpu = cpu;
		word = xlv_trim(xlv_span(close + 1, end));
		c->flags = (struct xlv_str){ 0 };
		if (!parse_time(word, &c->ts, &c->ticks, &rest)) {
			for (p = word.s; p < end && *p != ' '; p++)
				;
			c->flags = xlv_span(word.s, p);
			if (!is_flags(c->flags) ||
			    !parse_time(xlv_trim(xlv_span(p, end)), &c->ts, &c->ticks, &rest))
				continue;
		}
		c->rest = xlv_trim(xlv_span(rest, end));
		if (c->rest.len)
			return true;
	}
	return false;
}

/* "CPU:1 [LOST 123 EVENTS]", "CPU:0 [21989 EVENTS DROPPED]" */
bool xlv_text_lost(struct xlv_str line, int *cpu, int64_t *count)
{
	uint64_t v, n;

	if (line.len < 8 || memcmp(line.s, "CPU:", 4) || !xlv_find(line, "EVENTS") ||
	    !xlv_parse_number(xlv_span(line.s + 4, line.s + line.len), 10, &v) || v >= XLV_CPUS_MAX)
		return false;
	*cpu = v;
	*count = -1;
	if (xlv_find(line, "[LOST ") && xlv_parse_number(xlv_after(line, "[LOST "), 10, &n))
		*count = n;
	else if (xlv_find(line, "[") && xlv_parse_number(xlv_after(line, "["), 10, &n))
		*count = n;
	if (*count < -1 || *count > INT32_MAX)
		*count = -1;
	return true;
}

/* A line that can only be the rest of the one before it. */
bool xlv_text_continues(struct xlv_str line)
{
	struct xlv_columns c;
	int64_t n;
	int cpu;

	if (!line.len || *line.s == '#' || xlv_find(line, "=> ") || !memcmp(line.s, "--", 2))
		return false;
	return !xlv_text_lost(line, &cpu, &n) && !xlv_text_columns(line, &c);
}

uint8_t xlv_text_context(struct xlv_str flags)
{
	uint8_t ctx = 0;

	if (!flags.len)
		return XLV_CTX_UNKNOWN;
	if (strchr("NnpBbLl", flags.s[1]))
		ctx |= XLV_CTX_NEED_RESCHED;
	switch (flags.s[2]) {
	case 'Z':
		return ctx | XLV_CTX_NMI | XLV_CTX_HARDIRQ;
	case 'z':
		return ctx | XLV_CTX_NMI;
	case 'H':
		return ctx | XLV_CTX_HARDIRQ | XLV_CTX_SOFTIRQ;
	case 'h':
		return ctx | XLV_CTX_HARDIRQ;
	case 's':
	case 'S':
		return ctx | XLV_CTX_SOFTIRQ;
	}
	return ctx;
}
