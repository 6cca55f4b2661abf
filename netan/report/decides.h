/*
 * Which analysis decides a finding: its figure and its first table stand
 * below the finding, and not a second time in the appendix.
 */
#ifndef NETAN_REPORT_DECIDES_H
#define NETAN_REPORT_DECIDES_H

#include "netan/report/report.h"

/* More findings refer to figures by a link. */
enum { NA_DECIDED_MAX = 8 };

/* That of the command which shows more of the finding; NULL: none here. */
const struct na_report_part *na_report_decides(const struct na_report *r,
					       const struct na_value *finding);

/* The finding below which the part is shown, by its number from 0, or -1: the
 * first that it decides and its picture draws, else the first that names no
 * connection or queue pair. */
int na_report_shown_at(const struct na_report *r,
		       const struct na_report_part *part);

/* What is a table, rather than words; NULL: none. */
const struct na_view *na_report_table(const struct na_report_part *part);

#endif
