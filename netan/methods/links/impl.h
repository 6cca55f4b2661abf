/* What the files of this room share.  False: no memory. */
#ifndef NETAN_METHODS_LINKS_IMPL_H
#define NETAN_METHODS_LINKS_IMPL_H

#include "netan/methods/links/links.h"

/* An instance whose transfer may be compared. */
struct links_sample {
	/* Its stratum: what is the same where links are. */
	uint64_t bytes;
	uint32_t run, ranks, hosts, most, racks, purpose;
	uint8_t operation, times;
	bool beside; /* something else passes the same hosts meanwhile */

	uint32_t group, instance;
	double log_ps;
};

struct links_samples {
	struct links_sample *v;
	size_t n, cap;
};

/* gather.c */
bool na_links_gather(struct na_links *l, struct links_samples *out);
/* beside.c: sets `beside`. */
bool na_links_beside(const struct na_links *l, struct links_samples *x);
/* compare.c: samples to units. */
bool na_links_compare(struct na_links *l, struct links_samples *x);

/* Whether samples are of one stratum, but for `beside`. */
bool na_links_alike(const struct links_sample *a, const struct links_sample *b);

#endif
