/*
 * One check over exhibits made by hand: results of analyses, or trees that
 * stand for them.
 */
#ifndef TESTS_UNIT_HAND_EXHIBIT_H
#define TESTS_UNIT_HAND_EXHIBIT_H

#include "netan/checks/check.h"

struct hand_exhibit {
	struct na_limits limits; /* as the options have them by default */
	struct na_exhibit exhibits[2];
	size_t n;
	struct na_result *r;
	int worst;
};

void hand_exhibit_init(struct hand_exhibit *c);
void hand_exhibit_show(struct hand_exhibit *c, const char *name,
		       const struct na_result *r);
/* Runs that check alone. */
void hand_exhibit_run(struct hand_exhibit *c, const char *id);
/* Finding i of the last run; NULL: there are fewer. */
const struct na_value *hand_exhibit_finding(const struct hand_exhibit *c,
					    size_t i);
/* "info", "warning", "error", of finding i; "none". */
const char *hand_exhibit_severity(const struct hand_exhibit *c, size_t i);
/* What was missing, or NULL. */
const char *hand_exhibit_missing(const struct hand_exhibit *c);
void hand_exhibit_end(struct hand_exhibit *c);

#endif
