/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings: what an expert would point at in a run, each with its evidence.
 *
 *	xlv_facts_begin(&facts, run);			(analysis/facts.h)
 *	... xlv_facts_add(&facts, sync, &detail) for each selected sync ...
 *	xlv_facts_end(&facts);
 *	xlv_findings_judge(rep, &facts, all);		(analysis/rules.h)
 *	... rep->findings[0 .. rep->nr_findings) ...
 *	xlv_findings_free(rep);
 *
 * Each finding is one rule of a table (findings.c): an id that never changes,
 * what must hold, a sentence with the numbers in it, an advice. A rule that is a
 * matter of time has a share: its part of the time of all complete selected
 * syncs. Below XLV_FINDING_SHARE it stays out, unless all are asked for. Rules
 * about how far the rest can be trusted (lost events, clocks) and about work
 * that never finished have no share (NAN) and always stand.
 */
#ifndef XLV_ANALYSIS_FINDINGS_H
#define XLV_ANALYSIS_FINDINGS_H

#include "analysis/report.h"

#define XLV_FINDING_SHARE	0.05

/** xlv_findings_free - free a report's findings, however they were made */
void xlv_findings_free(struct xlv_report *rep);

/** xlv_finding_rule - the @i-th rule's id and what must hold for it, NULL after the last */
const char *xlv_finding_rule(int i, const char **holds);

#endif
