/* What the files of the judgement on a host's settings share. */
#ifndef NETAN_JUDGES_SYSCTL_PARTS_H
#define NETAN_JUDGES_SYSCTL_PARTS_H

#include "netan/judges/sysctl/sysctl.h"

enum hs_state { HS_OK, HS_BAD, HS_UNKNOWN };

struct hs_row {
	const char *name, *value, *wanted;
	enum hs_state state;
	enum na_severity severity; /* where it is bad */
	const char *why, *remedy;
};

struct hs_out {
	struct na_result *r;
	struct na_value *list; /* that rows go to */
	struct na_host_judged judged;
};

void hs_put_row(struct hs_out *o, const struct hs_row *row);
/* state, why, severity, remedy of a row with other members. */
void hs_put_state(struct hs_out *o, struct na_value *to,
		  const struct hs_row *row);

/* The row rto_min, and member rto_min_ms: the largest that a route of
 * training traffic has. */
void hs_put_rto(struct hs_out *o, const struct na_settings *s,
		struct na_value *into);
void hs_put_routes(struct hs_out *o, const struct na_settings *s,
		   struct na_value *into);
void hs_put_nics(struct hs_out *o, const struct na_settings *s,
		 const struct na_host_asked *asked, struct na_value *into);
void hs_put_counters(struct hs_out *o, const struct na_settings *s,
		     const struct na_settings *before, struct na_value *into);

#endif
