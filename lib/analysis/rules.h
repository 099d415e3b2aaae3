/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules behind the findings (findings.h), for lib/analysis alone.
 *
 * A rule looks at the facts and, where what it stands for took any time or
 * happened at all, fills a draft. Whether that is enough to be told is decided
 * from the draft's share by whoever asks, not by the rule.
 */
#ifndef XLV_ANALYSIS_RULES_H
#define XLV_ANALYSIS_RULES_H

#include <json.h>
#include <stdio.h>

#include "analysis/facts.h"

struct xlv_draft {
	double		share;		/* of sync time; NAN: not a matter of time */
	const char	*severity;	/* other than the rule's; NULL: the rule's */
	FILE		*title, *text, *advice;	/* text: its first sentence can stand alone */
	json_object	*evidence;
};

struct xlv_rule {
	const char	*id;
	const char	*severity;	/* where it reaches XLV_FINDING_SHARE */
	const char	*holds;		/* what must hold, in words */
	bool		(*judge)(const struct xlv_facts *f, const struct xlv_rule *r,
				 struct xlv_draft *d);
	int		arg;		/* an enum that @judge knows */
};

extern const struct xlv_rule xlv_rules[];	/* ends with an id of NULL */

/** xlv_findings_judge - apply all rules; fills @rep's findings, -1 without memory */
int xlv_findings_judge(struct xlv_report *rep, const struct xlv_facts *f, bool all);

#endif
