/*
 * Judges a host's network settings against what multi-slice training wants
 * (docs/methods.md, "A host's network settings").
 *
 * A state is ok, bad or unknown.  Unknown is what could not be seen, or what
 * this reading cannot tell; it is neither a pass nor a finding.
 *
 * The minimum retransmission timeout of a connection is the locked rto_min of
 * its route, else tcp_rto_min_us (Linux 6.11 and later), else 200 ms
 * (tcp_rto_min() of the kernel).  What training traffic may take are the
 * unicast routes outside the table `local`, whose link is up, but those to
 * link-local addresses and through the loopback interface.
 */
#ifndef NETAN_ANALYSES_SYSCTL_SYSCTL_H
#define NETAN_ANALYSES_SYSCTL_SYSCTL_H

#include "netan/analyses/analysis.h"
#include "netan/model/hosts/settings.h"
#include "netan/result/result.h"

#define NA_SOCKET_BYTES_MIN   (INT64_C(16) << 20)
#define NA_MTU_WANTED         8896
#define NA_MTU_LEAST          4082
#define NA_RTO_MOST_US        10000
#define NA_RTO_KERNEL_US      200000
#define NA_RETRANSMITTED_MOST 1e-4 /* of the segments sent */
/* So few segments cannot show that a share is below it. */
#define NA_SEGMENTS_LEAST 10000

struct na_host_asked {
	/* Of the slowest path; window_bytes is 0 where they are not given. */
	double window_bytes;
	const struct na_settings *before; /* an earlier reading, or NULL */
	bool brief; /* no routes, no interfaces that are no NICs */
};

struct na_host_judged {
	size_t ok, bad, unknown;
	enum na_severity worst;
};

/* Members host, settings, nics, counters, routes of `into`. */
struct na_host_judged na_host_settings_put(const struct na_settings *s,
					   const struct na_host_asked *asked,
					   struct na_result *r,
					   struct na_value *into);

/* Member verdict of the body, headline, tables and notes, from the body. */
void na_host_settings_views(const struct na_host_judged *j, const char *where,
			    struct na_result *r);

#endif
