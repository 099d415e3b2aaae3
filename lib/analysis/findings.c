// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings.h"
#include "analysis/rules.h"

static int severity_rank(const char *severity)
{
	return !strcmp(severity, "warning") ? 0 : !strcmp(severity, "note") ? 1 : 2;
}

/*
 * Warnings first; among equals what can't be a share, then the larger share.
 * The rest stays in the order of the table.
 */
static bool comes_before(const struct xlv_finding *x, const struct xlv_finding *y)
{
	int rx = severity_rank(x->severity), ry = severity_rank(y->severity);

	if (rx != ry)
		return rx < ry;
	if (isnan(x->share) || isnan(y->share))
		return isnan(x->share) && !isnan(y->share);
	return x->share > y->share;
}

static void sort(struct xlv_finding *v, int32_t nr)
{
	for (int32_t i = 1; i < nr; i++) {
		struct xlv_finding moving = v[i];
		int32_t at = i;

		for (; at && comes_before(&moving, &v[at - 1]); at--)
			v[at] = v[at - 1];
		v[at] = moving;
	}
}

static void finding_free(struct xlv_finding *fi)
{
	free(fi->title);
	free(fi->text);
	free(fi->advice);
	free(fi->evidence);
}

/* Returns 1 and fills @out where the rule has something to tell, 0, or -1. */
static int apply(const struct xlv_rule *r, const struct xlv_facts *f, bool all,
		 struct xlv_finding *out)
{
	size_t title_len, text_len, advice_len;
	struct xlv_draft d = { .share = NAN };
	bool tell = false, broken = false;

	memset(out, 0, sizeof(*out));
	d.title = open_memstream(&out->title, &title_len);
	d.text = open_memstream(&out->text, &text_len);
	d.advice = open_memstream(&out->advice, &advice_len);
	d.evidence = json_object_new_object();
	if (d.title && d.text && d.advice && d.evidence)
		tell = r->judge(f, r, &d);
	else
		broken = true;
	if (d.title)
		broken |= fclose(d.title) != 0;
	if (d.text)
		broken |= fclose(d.text) != 0;
	if (d.advice)
		broken |= fclose(d.advice) != 0;
	tell = tell && (all || isnan(d.share) || d.share >= XLV_FINDING_SHARE);
	if (tell && !broken) {
		out->id = r->id;
		out->severity = d.share < XLV_FINDING_SHARE ? "info" :
				d.severity ? d.severity : r->severity;
		out->share = d.share;
		out->evidence = strdup(json_object_to_json_string_ext(d.evidence,
								      JSON_C_TO_STRING_PLAIN));
		broken = !out->evidence;
	}
	json_object_put(d.evidence);
	if (broken || !tell)
		finding_free(out);
	return broken ? -1 : tell;
}

int xlv_findings_judge(struct xlv_report *rep, const struct xlv_facts *f, bool all)
{
	int nr_rules = 0, ret;

	while (xlv_rules[nr_rules].id)
		nr_rules++;
	rep->nr_findings = 0;
	rep->findings = calloc((size_t)nr_rules, sizeof(*rep->findings));
	if (!rep->findings)
		return -1;
	for (int i = 0; i < nr_rules; i++) {
		ret = apply(&xlv_rules[i], f, all, &rep->findings[rep->nr_findings]);
		if (ret < 0) {
			xlv_findings_free(rep);
			return -1;
		}
		rep->nr_findings += ret;
	}
	sort(rep->findings, rep->nr_findings);
	return 0;
}

void xlv_findings_free(struct xlv_report *rep)
{
	for (int32_t i = 0; i < rep->nr_findings; i++)
		finding_free(&rep->findings[i]);
	free(rep->findings);
	rep->findings = NULL;
	rep->nr_findings = 0;
}

const char *xlv_finding_rule(int i, const char **holds)
{
	*holds = xlv_rules[i].holds;
	return xlv_rules[i].id;
}
