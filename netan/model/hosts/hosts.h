/*
 * --hosts FILE: which address is which host.  CSV (netan/base/csv.h), with
 * or without this header:
 *
 *	address,host[,slice]
 *
 * so that captures and traces speak of the same hosts; of GPU jobs the rank
 * may stand in the place of the address.  A host may have any number of
 * addresses, an address one host.
 */
#ifndef NETAN_MODEL_HOSTS_HOSTS_H
#define NETAN_MODEL_HOSTS_HOSTS_H

#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/strtab.h"

struct na_hosts {
	struct na_strtab addresses, names;
	uint32_t *name_of; /* by address: index in names */
	int32_t *slice_of; /* by address; -1: not told */
	size_t cap_names, cap_slices;
};

/* The one way to write an address, into a buffer of NA_ENDPOINT_BUF bytes;
 * NULL: text is none. */
typedef const char *na_address_form(char *buf, const char *text);

/* Reads text[n], from the file that messages name.  NA_EFORMAT names the
 * line; na_hosts_fini() also after a failure. */
enum na_status na_hosts_parse(struct na_hosts *h, const char *text, size_t n,
			      const char *file, na_address_form *form,
			      struct na_err *err) NA_MUST_CHECK;
void na_hosts_fini(struct na_hosts *h);

/* By an address in that form; NULL: the file does not tell. */
const char *na_hosts_find(const struct na_hosts *h, const char *address,
			  int32_t *slice);

#endif
