#include "netan/model/hosts/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/csv.h"
#include "netan/base/vec.h"
#include "netan/model/hosts/names.h"

enum { SLICE_MAX = 99999999 };

static enum na_status slice(const struct na_csv *c, const struct na_text *f,
			    int32_t *out, struct na_err *err)
{
	int32_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->s[i] < '0' || f->s[i] > '9' || n > SLICE_MAX / 10)
			return na_csv_bad(c, "the slice is no number", err);
		n = n * 10 + (f->s[i] - '0');
	}
	*out = n;
	return NA_OK;
}

/* The address of a row in its one form. */
static const char *address_of(const struct na_text *f, na_address_form *form,
			      char *buf)
{
	char text[NA_CSV_FIELD_BYTES + 1];

	memcpy(text, f->s, f->n);
	text[f->n] = '\0';
	return form(buf, text);
}

static enum na_status add(struct na_hosts *h, const struct na_csv *c,
			  const struct na_csv_row *r, const char *address,
			  struct na_err *err)
{
	size_t before = h->addresses.n;
	uint32_t at = na_strtab_add(&h->addresses, address, strlen(address));
	uint32_t name = na_strtab_add(&h->names, r->f[1].s, r->f[1].n);

	if (at == NA_NO_NAME || name == NA_NO_NAME ||
	    !na_grow(&h->name_of, &h->cap_names, h->addresses.n,
		     sizeof(*h->name_of)) ||
	    !na_grow(&h->slice_of, &h->cap_slices, h->addresses.n,
		     sizeof(*h->slice_of)))
		return na_fail_nomem(err);
	if (h->addresses.n == before)
		return na_csv_bad(c, "an address for the second time", err);
	h->name_of[at] = name;
	h->slice_of[at] = -1;
	return r->n > 2 ? slice(c, &r->f[2], &h->slice_of[at], err) : NA_OK;
}

enum na_status na_hosts_parse(struct na_hosts *h, const char *text, size_t n,
			      const char *file, na_address_form *form,
			      struct na_err *err)
{
	struct na_csv c = na_csv_of(text, n, file, "address,host[,slice]");
	char buf[NA_ENDPOINT_BUF];
	enum na_status st = NA_OK;
	struct na_csv_row r;
	bool first = true;

	memset(h, 0, sizeof(*h));
	while (st == NA_OK && (st = na_csv_next(&c, &r, err)) == NA_OK) {
		const char *address = address_of(&r.f[0], form, buf);
		bool header = first && (na_csv_is(&r.f[0], "address") ||
					na_csv_is(&r.f[0], "rank"));

		first = false;
		if (header)
			continue;
		st = address ? add(h, &c, &r, address, err)
			     : na_csv_bad(
				       &c,
				       "no IPv4 or IPv6 address, and no rank",
				       err);
	}
	if (st == NA_END && !h->addresses.n)
		return na_fail(err, NA_EFORMAT,
			       "%s: no addresses in it; "
			       "expected rows of address,host[,slice]",
			       file);
	return st == NA_END ? NA_OK : st;
}

void na_hosts_fini(struct na_hosts *h)
{
	na_strtab_fini(&h->addresses);
	na_strtab_fini(&h->names);
	free(h->name_of);
	free(h->slice_of);
	memset(h, 0, sizeof(*h));
}

const char *na_hosts_find(const struct na_hosts *h, const char *address,
			  int32_t *slice)
{
	uint32_t at = na_strtab_find(&h->addresses, address, strlen(address));

	if (at == NA_NO_NAME)
		return NULL;
	*slice = h->slice_of[at];
	return na_strtab_at(&h->names, h->name_of[at]);
}
