/* What the files of the judgement on a host's settings share. */
#ifndef NETAN_ANALYSES_SYSCTL_STATE_H
#define NETAN_ANALYSES_SYSCTL_STATE_H

#include "netan/analyses/sysctl/sysctl.h"

enum na_host_state { NA_HOST_OK, NA_HOST_BAD, NA_HOST_UNKNOWN };

struct na_host_row {
	const char *name, *value, *wanted;
	enum na_host_state state;
	enum na_severity severity; /* where it is bad */
	const char *why, *remedy;
};

struct na_host_out {
	struct na_result *r;
	struct na_value *list; /* that rows go to */
	struct na_host_judged judged;
};

/* null where it is not known */
void na_host_put_known(struct na_result *r, struct na_value *to,
		       const char *name, int64_t v);
void na_host_put_row(struct na_host_out *o, const struct na_host_row *row);
/* state, why, severity, remedy of a row with other members. */
void na_host_put_state(struct na_host_out *o, struct na_value *to,
		       const struct na_host_row *row);

/* The row rto_min, and member rto_min_ms: the largest that a route of
 * training traffic has. */
void na_host_put_rto(struct na_host_out *o, const struct na_settings *s,
		     struct na_value *into);
void na_host_put_routes(struct na_host_out *o, const struct na_settings *s,
			struct na_value *into);
void na_host_put_nics(struct na_host_out *o, const struct na_settings *s,
		      const struct na_host_asked *asked, struct na_value *into);
void na_host_put_counters(struct na_host_out *o, const struct na_settings *s,
			  const struct na_settings *before,
			  struct na_value *into);

#endif
