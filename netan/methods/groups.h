/*
 * What every analysis with --by shares: from the tuple of a record to a
 * small number, block tables merged in input order, the rows that --top
 * shows, and how a key is written.
 */
#ifndef NETAN_METHODS_GROUPS_H
#define NETAN_METHODS_GROUPS_H

#include "netan/base/serialize.h"
#include "netan/base/strtab.h"
#include "netan/base/units.h"
#include "netan/model/group.h"
#include "netan/result/result.h"

struct na_groups {
	struct na_strtab tuples; /* values as bytes; index: the group */
	size_t width;            /* values in a tuple */
	uint64_t last[NA_MAX_KEYS];
	uint32_t last_group; /* NA_NO_NAME: none yet */
};

/* Of `by` only its number of keys is kept. */
void na_groups_init(struct na_groups *g, const struct na_grouping *by);
void na_groups_fini(struct na_groups *g);

/* The group of a tuple, new or known; only as many values count as there are
 * keys.  Groups are numbered from 0 in the order of their first record; without
 * --by all is group 0.  NA_NO_NAME when memory is short.  O(1); the same tuple
 * as last time costs a comparison. */
uint32_t na_groups_add(struct na_groups *g, const uint64_t values[NA_MAX_KEYS]);
/* NA_NO_NAME when it is not there. */
uint32_t na_groups_find(const struct na_groups *g,
			const uint64_t values[NA_MAX_KEYS]);
size_t na_groups_count(const struct na_groups *g);
/* The tuple of a group that exists; 0 behind its last key. */
void na_groups_values(const struct na_groups *g, uint32_t group,
		      uint64_t values[NA_MAX_KEYS]);

/* Adds all of `from`; group i there is map[i] here.  NULL when memory is
 * short, never for no groups; the caller frees. */
uint32_t *na_groups_merge(struct na_groups *into, const struct na_groups *from);

/* All of them for another process, and into empty ones there: groups that
 * `by` may have in this store, numbered alike. */
void na_groups_pack(const struct na_groups *g, struct na_serializer *to);
void na_groups_unpack(struct na_groups *g, const struct na_grouping *by,
		      const struct na_store *store,
		      struct na_deserializer *from);

/* Groups by amounts [n], largest first, the earlier group first where equal;
 * NULL when memory is short; the caller frees.  O(n log n). */
uint32_t *na_groups_rank(const na_i128 *amounts, size_t n);

/*
 * The rows that --top shows: a row for each of the groups with the largest
 * amounts, and a last one for all the others, if there are any.  A group of
 * less than nothing has no row.
 */
struct na_shown {
	uint32_t *row_of; /* [groups]; 0 for those without a row */
	uint32_t *group;  /* [n]; of the rest any of its groups */
	size_t n;
	bool rest;
};

/* amounts [n_groups] in any unit.  At most `top` rows, and one for the rest.
 * False when memory is short; na_shown_fini() then, too. */
bool na_shown_init(struct na_shown *x, const na_i128 *amounts, size_t n_groups,
		   size_t top) NA_MUST_CHECK;
void na_shown_fini(struct na_shown *x);
bool na_shown_is_rest(const struct na_shown *x, size_t row);

/* The row of a tuple's group; NA_NO_NAME: no such group. */
static inline uint32_t na_shown_row(const struct na_shown *x,
				    const struct na_groups *g,
				    const uint64_t values[NA_MAX_KEYS])
{
	uint32_t of = na_groups_find(g, values);

	return of == NA_NO_NAME ? NA_NO_NAME : x->row_of[of];
}

/* The member "key" of a row.  `rest`: the row of all groups that are not
 * shown; every value reads "rest". */
void na_groups_put_key(struct na_result *r, struct na_value *row,
		       const struct na_grouping *by, const struct na_store *s,
		       const struct na_groups *g, uint32_t group, bool rest);
/* Table columns of the key, one for each of `by`; returns how many.  Their
 * texts are static. */
size_t na_groups_columns(const struct na_grouping *by,
			 struct na_column cols[NA_MAX_KEYS]);
/* A view of rows that have a key: the key's columns, then these, of which
 * there are at most NA_MAX_COLUMNS - NA_MAX_KEYS.  `host` heads the column of
 * the key host, a static text; NULL: its name. */
void na_groups_view(struct na_result *r, const char *title,
		    const struct na_grouping *by, const char *host,
		    const struct na_value *rows, const struct na_table *table,
		    const struct na_column *cols, size_t n, size_t max_rows);
/* "s0d1->s1d0, all-reduce.1": the key on one line, cut to buf [size], size
 * above 0; "" without --by.  Returns buf. */
const char *na_groups_text(char *buf, size_t size, const struct na_grouping *by,
			   const struct na_store *s, const struct na_groups *g,
			   uint32_t group);

#endif
