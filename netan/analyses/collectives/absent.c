/*
 * collectives: ranks of recorders' groups that called none of a row's
 * operations: no row, execution or column tells of them.
 */
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/collectives/state.h"
#include "netan/base/order.h"
#include "netan/base/ranges.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

struct absent {
	NA_VEC(int32_t) ranks; /* one for each row that lacks it */
	uint64_t rows;
};

/* Both lists are in order. */
static bool add_absent(struct absent *to, const char *group,
		       const struct na_value *ranks)
{
	const struct na_value *v = na_items(ranks);
	size_t before = to->ranks.n;
	char *end;

	for (const char *p = group; *p >= '0' && *p <= '9'; p = end) {
		long rank = strtol(p, &end, 10);

		while (v && na_int_of(v, -1) < rank)
			v = v->next;
		if (rank <= INT32_MAX && !(v && na_int_of(v, -1) == rank) &&
		    !na_add(&to->ranks, (int32_t)rank))
			return false;
		end += *end == ',';
	}
	to->rows += to->ranks.n > before;
	return true;
}

static void sort_once(struct absent *x)
{
	size_t n = 0;

	na_sort(x->ranks.v, x->ranks.n, na_order_i32);
	for (size_t i = 0; i < x->ranks.n; i++) {
		if (!n || x->ranks.v[n - 1] != x->ranks.v[i])
			x->ranks.v[n++] = x->ranks.v[i];
	}
	x->ranks.n = n;
}

void na_collectives_note_absent(struct na_result *r,
				const struct na_value *list)
{
	struct absent x = {.rows = 0};
	char ranks[200], rows[NA_COUNT_BUF];
	bool ok = true;

	na_each_row (row, list) {
		if (ok && strcmp(na_text_at(row, M_arrival), "queue") == 0)
			ok = add_absent(&x, na_text_at(row, M_group),
					na_get(row, M_ranks));
	}
	sort_once(&x);
	na_ranges_text(x.ranks.v, x.ranks.n, ranks, sizeof(ranks));
	if (ok && x.ranks.n)
		na_result_note(r,
			       "not in the row%s of %s, though of %s group%s: "
			       "rank%s %s; no dump says that %s called "
			       "%s, and netan hang says whether %s never did",
			       na_plural(x.rows),
			       na_count_of(rows, x.rows, "collective"),
			       x.rows == 1 ? "its" : "their", na_plural(x.rows),
			       na_plural(x.ranks.n), ranks,
			       x.ranks.n == 1 ? "it" : "they",
			       x.rows == 1 ? "it" : "them",
			       x.ranks.n == 1 ? "it" : "they");
	na_vec_free(&x.ranks);
}
