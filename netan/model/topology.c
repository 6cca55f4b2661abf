#include "netan/model/topology.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "netan/base/vec.h"

enum { MAX_FIELDS = 3, FIELD_MAX = 255 };

struct field {
	const char *s;
	size_t n;
};

struct row {
	struct field f[MAX_FIELDS];
	size_t n;
	size_t line;
};

struct csv {
	const char *p, *end;
	const char *file;
	size_t line;
};

static struct field trimmed(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	while (s < end &&
	       (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	if (end - s >= 2 && *s == '"' && end[-1] == '"') {
		s++;
		end--;
	}
	return (struct field){s, (size_t)(end - s)};
}

static bool skip_line(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
		s++;
	return s == end || *s == '#';
}

static enum na_status bad_row(const struct csv *c, const char *what,
			      struct na_err *err)
{
	return na_fail(err, NA_EFORMAT,
		       "%s: line %zu: %s; expected host,rack[,block] or "
		       "src_host,dst_host,class",
		       c->file, c->line, what);
}

/* The next row that says something; NA_END behind the last. */
static enum na_status next_row(struct csv *c, struct row *r, struct na_err *err)
{
	const char *s, *stop, *comma;

	do {
		if (c->p == c->end)
			return NA_END;
		s = c->p;
		stop = memchr(s, '\n', (size_t)(c->end - s));
		stop = stop ? stop : c->end;
		c->p = stop < c->end ? stop + 1 : stop;
		c->line++;
	} while (skip_line(s, stop));
	r->line = c->line;
	for (r->n = 0; s <= stop; s = comma + 1) {
		struct field f;

		comma = memchr(s, ',', (size_t)(stop - s));
		comma = comma ? comma : stop;
		f = trimmed(s, comma);
		if (r->n == MAX_FIELDS)
			return bad_row(c, "more than three fields", err);
		if (!f.n || f.n > FIELD_MAX || memchr(f.s, '\0', f.n))
			return bad_row(c,
				       "a field that is empty, very long "
				       "or no text",
				       err);
		r->f[r->n++] = f;
	}
	return r->n < 2 ? bad_row(c, "one field", err) : NA_OK;
}

static bool is(const struct field *f, const char *word)
{
	return f->n == strlen(word) && strncasecmp(f->s, word, f->n) == 0;
}

static struct csv csv_of(const char *text, size_t n, const char *file)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (n >= 3 && memcmp(text, mark, 3) == 0) {
		text += 3;
		n -= 3;
	}
	return (struct csv){text, text + n, file, 0};
}

enum shape { HOSTS, PAIRS };

/* Does a first column repeat?  Then three columns are pairs. */
static enum na_status first_repeats(struct csv c, bool *repeats,
				    struct na_err *err)
{
	struct na_strtab seen;
	struct row r;
	size_t rows = 0;
	enum na_status st;
	bool ok = true;

	na_strtab_init(&seen);
	while (ok && (st = next_row(&c, &r, err)) == NA_OK) {
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
static enum na_status find_shape(struct csv *c, enum shape *shape,
				 struct na_err *err)
{
	struct csv from = *c;
	struct row r;
	bool repeats;
	enum na_status st = next_row(c, &r, err);

	if (st == NA_END)
		return na_fail(err, NA_EFORMAT,
			       "%s: empty; expected host,rack[,block] or "
			       "src_host,dst_host,class",
			       c->file);
	if (st != NA_OK)
		return st;
	*shape = HOSTS;
	if (is(&r.f[0], "host") && is(&r.f[1], "rack"))
		return NA_OK;
	*shape = PAIRS;
	if (is(&r.f[0], "src_host") && is(&r.f[1], "dst_host") && r.n == 3)
		return NA_OK;
	*c = from;
	st = first_repeats(from, &repeats, err);
	*shape = r.n == 3 && repeats ? PAIRS : HOSTS;
	return st;
}

static uint32_t name_of(struct na_strtab *t, const struct field *f)
{
	return na_strtab_add(t, f->s, f->n);
}

static enum na_status add_host(struct na_topology *t, const struct csv *c,
			       const struct row *r, struct na_err *err)
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
		return bad_row(c, "a host for the second time", err);
	t->rack_of[host] = name_of(&t->racks, &r->f[1]);
	t->block_of[host] = r->n > 2 ? name_of(&t->blocks, &r->f[2])
				     : NA_NO_NAME;
	t->has_blocks |= r->n > 2;
	return t->rack_of[host] == NA_NO_NAME ? na_fail_nomem(err) : NA_OK;
}

static enum na_status add_pair(struct na_topology *t, const struct csv *c,
			       const struct row *r, struct na_err *err)
{
	uint32_t hosts[2], pair;

	if (r->n < 3)
		return bad_row(c, "a pair without a class", err);
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
	struct csv c = csv_of(text, n, file);
	enum shape shape = HOSTS;
	enum na_status st;
	struct row r;

	memset(t, 0, sizeof(*t));
	na_strtab_init(&t->hosts);
	na_strtab_init(&t->racks);
	na_strtab_init(&t->blocks);
	na_strtab_init(&t->classes);
	na_strtab_init(&t->pairs);
	st = find_shape(&c, &shape, err);
	t->of_pairs = shape == PAIRS;
	while (st == NA_OK && (st = next_row(&c, &r, err)) == NA_OK)
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
