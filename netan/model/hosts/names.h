/*
 * Names and endpoints behind the 32-bit indices of records.  Each block of
 * work fills tables of its own; na_names_merge() joins them in input order,
 * so that indices never depend on the number of threads.
 */
#ifndef NETAN_MODEL_HOSTS_NAMES_H
#define NETAN_MODEL_HOSTS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/strtab.h"

/* A device; or, where slice is NA_ADDRESS, the address whose text is the
 * string `device`. */
struct na_endpoint {
	int32_t slice, device;
};
#define NA_ADDRESS INT32_MIN

struct na_names { /* all zero: empty */
	struct na_strtab strings;
	struct na_endpoint *endpoints;
	size_t n_endpoints, cap_endpoints;
	uint32_t *slots; /* of endpoints: index + 1; 0 is free */
	size_t n_slots;
	uint32_t last, before; /* that were asked for: often these again */
};

void na_names_fini(struct na_names *t);

/* UINT32_MAX when memory is short. */
uint32_t na_names_endpoint(struct na_names *t, int32_t slice, int32_t device);

/* UINT32_MAX when it is not there. */
uint32_t na_names_find(const struct na_names *t, int32_t slice, int32_t device);

uint32_t na_names_address(struct na_names *t, const char *s, size_t n);

/* "s<slice>d<device>", or the text of the address. */
#define NA_ENDPOINT_BUF 64
const char *na_endpoint_print(char *buf, const struct na_names *t,
			      const struct na_endpoint *e);
/* "10.0.0.1:80", "[fd00::1]:80", "?:80" where no endpoint has that index. */
#define NA_SOCKET_BUF (NA_ENDPOINT_BUF + 16)
const char *na_socket_print(char buf[NA_SOCKET_BUF], const struct na_names *t,
			    uint32_t endpoint, uint16_t port);

/*
 * Add all of `from` to `into`.  maps[0][i] is the new index of string i,
 * maps[1][i] of endpoint i; both are allocated here and the caller's to
 * free.  False when memory is short.
 */
bool na_names_merge(struct na_names *into, const struct na_names *from,
		    uint32_t *maps[2]);

#endif
