#include "netan/model/hosts/topology.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/csv.h"
#include "netan/base/vec.h"

#define EXPECTED "host,rack[,block] or src_host,dst_host,class"

enum shape { HOSTS, PAIRS };

/* Does a first column repeat?  Then three columns are pairs. */
static enum na_status first_repeats(struct na_csv c, bool *repeats,
				    struct na_err *err)
{
	struct na_strtab seen = {0};
	struct na_csv_row r;
	size_t rows = 0;
	enum na_status st;
	bool ok = true;

	while (ok && (st = na_csv_next(&c, &r, err)) == NA_OK) {
		rows++;
		ok = na_strtab_add(&seen, r.f[0].s, r.f[0].n) != NA_NO_NAME;
	}
	*repeats = seen.n < rows;
	na_strtab_fini(&seen);
	if (!ok)
		return na_fail_nomem(err);
	return st == NA_END ? NA_OK : st;
}

/* What the file holds; leaves c behind its header, if it has one. */
static enum na_status find_shape(struct na_csv *c, enum shape *shape,
				 struct na_err *err)
{
	struct na_csv from = *c;
	struct na_csv_row r;
	bool repeats;
	enum na_status st = na_csv_next(c, &r, err);

	if (st == NA_END)
		return na_fail(err, NA_EFORMAT,
			       "%s: empty; expected host,rack[,block] or "
			       "src_host,dst_host,class",
			       c->file);
	if (st != NA_OK)
		return st;
	*shape = HOSTS;
	if (na_csv_is(&r.f[0], "host") && na_csv_is(&r.f[1], "rack"))
		return NA_OK;
	*shape = PAIRS;
	if (na_csv_is(&r.f[0], "src_host") && na_csv_is(&r.f[1], "dst_host") &&
	    r.n == 3)
		return NA_OK;
	*c = from;
	st = first_repeats(from, &repeats, err);
	*shape = r.n == 3 && repeats ? PAIRS : HOSTS;
	return st;
}

static uint32_t name_of(struct na_strtab *t, const struct na_text *f)
{
	return na_strtab_add(t, f->s, f->n);
}

static enum na_status add_host(struct na_topology *t, const struct na_csv *c,
			       const struct na_csv_row *r, struct na_err *err)
{
	size_t before = t->hosts.n;
	uint32_t host = name_of(&t->hosts, &r->f[0]);

	if (host == NA_NO_NAME ||
	    !na_grow(&t->rack_of, &t->cap_racks, t->hosts.n,
		     sizeof(*t->rack_of)) ||
	    !na_grow(&t->block_of, &t->cap_blocks, t->hosts.n,
		     sizeof(*t->block_of)))
		return na_fail_nomem(err);
	if (t->hosts.n == before)
		return na_csv_bad(c, "a host for the second time", err);
	t->rack_of[host] = name_of(&t->racks, &r->f[1]);
	t->block_of[host] = r->n > 2 ? name_of(&t->blocks, &r->f[2])
				     : NA_NO_NAME;
	t->has_blocks |= r->n > 2;
	return t->rack_of[host] == NA_NO_NAME ? na_fail_nomem(err) : NA_OK;
}

static enum na_status add_pair(struct na_topology *t, const struct na_csv *c,
			       const struct na_csv_row *r, struct na_err *err)
{
	uint32_t hosts[2], pair;

	if (r->n < 3)
		return na_csv_bad(c, "a pair without a class", err);
	hosts[0] = name_of(&t->hosts, &r->f[0]);
	hosts[1] = name_of(&t->hosts, &r->f[1]);
	pair = na_strtab_add(&t->pairs, (const char *)hosts, sizeof(hosts));
	if (hosts[0] == NA_NO_NAME || hosts[1] == NA_NO_NAME ||
	    pair == NA_NO_NAME ||
	    !na_grow(&t->class_of, &t->cap_classes, t->pairs.n,
		     sizeof(*t->class_of)))
		return na_fail_nomem(err);
	t->class_of[pair] = name_of(&t->classes, &r->f[2]);
	return t->class_of[pair] == NA_NO_NAME ? na_fail_nomem(err) : NA_OK;
}

enum na_status na_topology_parse(struct na_topology *t, const char *text,
				 size_t n, const char *file, struct na_err *err)
{
	struct na_csv c = na_csv_of(text, n, file, EXPECTED);
	enum shape shape = HOSTS;
	enum na_status st;
	struct na_csv_row r;

	memset(t, 0, sizeof(*t));
	st = find_shape(&c, &shape, err);
	t->of_pairs = shape == PAIRS;
	while (st == NA_OK && (st = na_csv_next(&c, &r, err)) == NA_OK)
		st = t->of_pairs ? add_pair(t, &c, &r, err)
				 : add_host(t, &c, &r, err);
	return st == NA_END ? NA_OK : st;
}

void na_topology_fini(struct na_topology *t)
{
	na_strtab_fini(&t->hosts);
	na_strtab_fini(&t->racks);
	na_strtab_fini(&t->blocks);
	na_strtab_fini(&t->classes);
	na_strtab_fini(&t->pairs);
	free(t->rack_of);
	free(t->block_of);
	free(t->class_of);
	memset(t, 0, sizeof(*t));
}

static uint32_t pair_class(const struct na_topology *t, uint32_t src,
			   uint32_t dst)
{
	const uint32_t hosts[2] = {src, dst};
	uint32_t pair = na_strtab_find(&t->pairs, (const char *)hosts,
				       sizeof(hosts));

	return pair == NA_NO_NAME ? UINT32_MAX : t->class_of[pair];
}

uint32_t na_topology_class(const struct na_topology *t, uint32_t src,
			   uint32_t dst)
{
	uint32_t found;

	if (src >= t->hosts.n || dst >= t->hosts.n)
		return UINT32_MAX;
	if (t->of_pairs) {
		found = pair_class(t, src, dst);
		return found == UINT32_MAX ? pair_class(t, dst, src) : found;
	}
	if (t->rack_of[src] == t->rack_of[dst] &&
	    t->block_of[src] == t->block_of[dst])
		return NA_TOPO_IN_RACK;
	if (t->has_blocks && t->block_of[src] == t->block_of[dst])
		return NA_TOPO_IN_BLOCK;
	return NA_TOPO_FAR;
}

const char *na_topology_class_name(const struct na_topology *t,
				   uint32_t class_index)
{
	if (t->of_pairs)
		return na_strtab_at(&t->classes, class_index);
	switch (class_index) {
	case NA_TOPO_IN_RACK:
		return "same_rack";
	case NA_TOPO_IN_BLOCK:
		return "same_block";
	case NA_TOPO_FAR:
		return t->has_blocks ? "cross_block" : "cross_rack";
	}
	return "unknown";
}
