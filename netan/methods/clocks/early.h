/*
 * Whose clock is off so far that messages arrive before they were sent: of
 * each host, how many it sends to and receives from others, and how many of
 * these are early.  Counts alone, so that blocks and processes add them up;
 * by how much a clock is off is host_clocks.h's.
 */
#ifndef NETAN_METHODS_CLOCKS_EARLY_H
#define NETAN_METHODS_CLOCKS_EARLY_H

#include "netan/base/serialize.h"
#include "netan/base/sparse.h"
#include "netan/base/str.h"
#include "netan/model/store.h"

/* sum: of what the caller gives with each that is not early. */
struct na_early_side {
	uint64_t n, early;
	int64_t sum;
};

struct na_early {
	const struct na_store *store;
	struct na_sparse of; /* [2 * hosts]: what it sends, then receives */
};

/* False: no memory. */
bool na_early_init(struct na_early *x, const struct na_store *store);
void na_early_fini(struct na_early *x); /* all zero is none */
/* Of a class other than valid and clock_skew, or within a host, where all share
 * its clock: passed over. */
bool na_early_add(struct na_early *x, const struct na_transfer *t,
		  int64_t value) NA_MUST_CHECK;
bool na_early_merge(struct na_early *x,
		    const struct na_early *from) NA_MUST_CHECK;
void na_early_pack(const struct na_early *x, struct na_serializer *to);
/* Into an empty one. */
void na_early_unpack(struct na_early *x, struct na_deserializer *from);

/*
 * The clock that disagrees most, where more than a fifth of at least 20
 * transfers that a host sends (it is ahead of its receivers) or receives (it
 * is behind its senders) arrive before they were sent.  An offset shorter
 * than transfers last is not seen.  False: none.
 */
struct na_clock_off {
	const char *host;
	bool ahead;        /* else behind */
	uint64_t n, early; /* of those that it sends, or receives */
	size_t others;     /* hosts of which the same is true */
};
enum { NA_EARLY_LEAST = 20 };
bool na_early_off(const struct na_early *x, struct na_clock_off *o);
enum { NA_WHOSE_BUF = 320 }; /* room for it, and a host's name */
/* "the clock of host-5 (and of 2 other hosts) is ahead of others'" */
void na_clock_off_say(struct na_str *to, const struct na_clock_off *o);

#endif
