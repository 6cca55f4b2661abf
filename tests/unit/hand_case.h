/*
 * One check over exhibits made by hand: results of analyses, or trees that
 * stand for them.
 */
#ifndef TESTS_UNIT_HAND_CASE_H
#define TESTS_UNIT_HAND_CASE_H

#include "netan/checks/check.h"

struct hand_case {
	struct na_limits limits; /* as the options have them by default */
	struct na_exhibit exhibits[2];
	size_t n;
	struct na_result *r;
	int worst;
};

void hand_case_init(struct hand_case *c);
void hand_case_show(struct hand_case *c, const char *name,
		    const struct na_result *r);
/* Runs that check alone. */
void hand_case_run(struct hand_case *c, const char *id);
/* Finding i of the last run; NULL: there are fewer. */
const struct na_value *hand_case_finding(const struct hand_case *c, size_t i);
/* "info", "warning", "error", of finding i; "none". */
const char *hand_case_severity(const struct hand_case *c, size_t i);
/* What was missing, or NULL. */
const char *hand_case_missing(const struct hand_case *c);
void hand_case_end(struct hand_case *c);

#endif
