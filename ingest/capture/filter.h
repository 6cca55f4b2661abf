/*
 * Capture filters, as tcpdump has them (pcap-filter(7)): compiled by libpcap,
 * one program for each link type that comes up, run on the captured bytes.
 */
#ifndef INGEST_CAPTURE_FILTER_H
#define INGEST_CAPTURE_FILTER_H

#include "ingest/capture/capfile.h"

enum { NA_FILTER_LINKS = 32 }; /* link types in one run; the rest pass not */

struct na_capture_filter;

/* NA_EUSAGE: no link type takes the expression; err names it and says what
 * libpcap says. */
enum na_status na_capture_filter_new(struct na_capture_filter **out,
				     const char *expression,
				     struct na_err *err) NA_MUST_CHECK;
void na_capture_filter_free(struct na_capture_filter *f);

/*
 * libpcap looks up names of hosts and services while it compiles, on the
 * network too: for who may not do that later, here is what the same expression
 * compiles to from then on, for each link type that is known.  Once, on the
 * only thread; what is wrong with it na_capture_filter_new() tells.
 */
void na_capture_filter_ahead(const char *expression);

/* Does the packet pass?  Of a link type that cannot be filtered, none does,
 * and they are counted. */
bool na_capture_filter_pass(struct na_capture_filter *f,
			    const struct na_record *r);

/* How many packets could not be filtered; of the first such link type its
 * number and libpcap's reason, borrowed. */
uint64_t na_capture_filter_unfit(const struct na_capture_filter *f,
				 uint32_t *link, const char **why);

#endif
