/*
 * Routes with their minimum retransmission timeouts, from a saved
 * `ip route show [table all]` (also `ip -6`, also several of them in one
 * text), or live from the kernel: route messages of rtnetlink(7).
 */
#ifndef INGEST_HOST_ROUTES_H
#define INGEST_HOST_ROUTES_H

#include "netan/base/err.h"
#include "netan/model/hosts/settings.h"

enum { NA_ROUTES_MAX = 65536 };            /* kept; more are counted */
enum { NA_NEXT_HOPS_BYTES = 1024 };        /* more are not told */
#define NA_ROUTES_BYTES ((size_t)16 << 20) /* of a saved text */

/*
 * Adds what text[n] tells.  Lines that are none of ip's are counted in
 * r->odd; NA_EFORMAT: there are only such (the message says what it looks
 * like, without a path).  Texts live in the arena.
 */
enum na_status na_routes_parse(struct na_routes *r, struct na_arena *a,
			       const char *text, size_t n,
			       struct na_err *err) NA_MUST_CHECK;

/*
 * Adds the routes of one datagram of a dump; dev_name() gives the name of an
 * interface, or NULL.  NA_END: the dump is complete; NA_EIO: the kernel
 * refused; NA_EFORMAT: lengths that cannot be.
 */
enum na_status na_routes_message(struct na_routes *r, struct na_arena *a,
				 const void *bytes, size_t n,
				 const char *(*dev_name)(unsigned index,
							 char buf[64]),
				 struct na_err *err) NA_MUST_CHECK;

/* This host's. */
enum na_status na_routes_live(struct na_routes *r, struct na_arena *a,
			      struct na_err *err) NA_MUST_CHECK;

/* The next hops of a route, as they are read. */
struct na_next_hops {
	char text[NA_NEXT_HOPS_BYTES];
	size_t n;      /* of their bytes */
	unsigned down; /* how many have a link that is */
	bool odd;      /* not all can be told */
};
/* " KEY WORD" behind what is there; word may be NULL. */
void na_next_hops_add(struct na_next_hops *h, const char *key,
		      const char *word);
/* To the route, when all are there: it is down when they are.  False: no
 * memory. */
bool na_next_hops_keep(const struct na_next_hops *h, struct na_route *x,
		       struct na_arena *a);

/* As a text that na_routes_parse() reads; NULL when memory is short. */
const char *na_routes_text(const struct na_routes *r, struct na_arena *a,
			   size_t *n);

#endif
