#include "netan/methods/groups.h"
#include "members.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"

void na_groups_init(struct na_groups *g, const struct na_grouping *by)
{
	*g = (struct na_groups){.width = by->n, .last_group = NA_NO_NAME};
}

void na_groups_fini(struct na_groups *g)
{
	na_strtab_fini(&g->tuples);
}

/* A loop: a call of memcmp() for so few costs more than the comparison. */
static bool is_last(const struct na_groups *g,
		    const uint64_t values[NA_MAX_KEYS])
{
	for (size_t i = 0; i < g->width; i++) {
		if (g->last[i] != values[i])
			return false;
	}
	return g->last_group != NA_NO_NAME;
}

uint32_t na_groups_add(struct na_groups *g, const uint64_t values[NA_MAX_KEYS])
{
	size_t bytes = g->width * sizeof(*values);

	if (is_last(g, values))
		return g->last_group;
	g->last_group = na_strtab_add(&g->tuples, (const char *)values, bytes);
	memcpy(g->last, values, bytes);
	return g->last_group;
}

uint32_t na_groups_find(const struct na_groups *g,
			const uint64_t values[NA_MAX_KEYS])
{
	return na_strtab_find(&g->tuples, (const char *)values,
			      g->width * sizeof(*values));
}

size_t na_groups_count(const struct na_groups *g)
{
	return g->tuples.n;
}

void na_groups_values(const struct na_groups *g, uint32_t group,
		      uint64_t values[NA_MAX_KEYS])
{
	memset(values, 0, NA_MAX_KEYS * sizeof(*values));
	memcpy(values, g->tuples.names[group].s, g->width * sizeof(*values));
}

uint32_t *na_groups_merge(struct na_groups *into, const struct na_groups *from)
{
	uint32_t *map = na_calloc(from->tuples.n, sizeof(*map));

	for (size_t i = 0; map && i < from->tuples.n; i++) {
		uint64_t values[NA_MAX_KEYS];

		na_groups_values(from, (uint32_t)i, values);
		map[i] = na_groups_add(into, values);
		if (map[i] == NA_NO_NAME) {
			free(map);
			return NULL;
		}
	}
	return map;
}

void na_groups_pack(const struct na_groups *g, struct na_serializer *to)
{
	na_pack_number(to, g->tuples.n);
	for (size_t i = 0; i < g->tuples.n; i++) {
		uint64_t values[NA_MAX_KEYS];

		na_groups_values(g, (uint32_t)i, values);
		for (size_t k = 0; k < g->width; k++)
			na_pack_number(to, values[k]);
	}
}

void na_groups_unpack(struct na_groups *g, const struct na_grouping *by,
		      const struct na_store *store,
		      struct na_deserializer *from)
{
	size_t n = g->width ? na_unpack_count(from) : na_unpack_index(from, 2);

	for (size_t i = g->tuples.n; !from->failed && i < n; i++) {
		uint64_t values[NA_MAX_KEYS] = {0};

		for (size_t k = 0; k < g->width; k++)
			values[k] = na_unpack_number(from);
		na_unpack_must(from, na_group_known(by, store, values) &&
					     na_groups_add(g, values) == i);
	}
}

struct ranked {
	na_i128 amount;
	uint32_t group;
};

NA_ORDER(by_amount, struct ranked, NA_DOWN(amount), NA_UP(group))

uint32_t *na_groups_rank(const na_i128 *amounts, size_t n)
{
	struct ranked *r = na_calloc(n, sizeof(*r));
	uint32_t *order = na_calloc(n, sizeof(*order));

	if (!r || !order) {
		free(r);
		free(order);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){amounts[i], (uint32_t)i};
	na_sort(r, n, by_amount);
	for (size_t i = 0; i < n; i++)
		order[i] = r[i].group;
	free(r);
	return order;
}

bool na_shown_init(struct na_shown *x, const na_i128 *amounts, size_t n_groups,
		   size_t top)
{
	uint32_t *order = na_groups_rank(amounts, n_groups);
	size_t n = 0;

	for (size_t i = 0; i < n_groups; i++)
		n += amounts[i] >= 0;
	x->rest = n > top;
	x->n = x->rest ? top + 1 : n;
	x->row_of = na_calloc(n_groups, sizeof(*x->row_of));
	x->group = na_calloc(x->n, sizeof(*x->group));
	if (!order || !x->row_of || !x->group) {
		free(order);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		size_t row = i < top ? i : top;

		x->row_of[order[i]] = (uint32_t)row;
		x->group[row] = order[i];
	}
	free(order);
	return true;
}

void na_shown_fini(struct na_shown *x)
{
	free(x->row_of);
	free(x->group);
}

bool na_shown_is_rest(const struct na_shown *x, size_t row)
{
	return x->rest && row + 1 == x->n;
}

void na_groups_put_key(struct na_result *r, struct na_value *row,
		       const struct na_grouping *by, const struct na_store *s,
		       const struct na_groups *g, uint32_t group, bool rest)
{
	struct na_value *key = na_put_object(r, row, M_key);
	uint64_t values[NA_MAX_KEYS] = {0};
	char buf[NA_KEY_BUF];

	if (!rest)
		na_groups_values(g, group, values);
	for (size_t i = 0; i < by->n; i++)
		na_put_text(r, key, na_key_name(by->keys[i]),
			    rest ? "rest"
				 : na_key_text(s, by->keys[i], values[i], buf));
}

size_t na_groups_columns(const struct na_grouping *by,
			 struct na_column cols[NA_MAX_KEYS])
{
	/* clang-format off */
	static const char *const fields[NA_N_KEYS] = {
		M_key "." M_component, M_key "." M_host, M_key "." M_src,
		M_key "." M_dst, M_key "." M_pair, M_key "." M_collective,
		M_key "." M_transfer_type, M_key "." M_size, M_key "." M_step,
		M_key "." M_device, M_key "." M_class, M_key "." M_label,
	};
	/* clang-format on */

	for (size_t i = 0; i < by->n; i++)
		cols[i] = (struct na_column){fields[by->keys[i]],
					     na_key_name(by->keys[i]),
					     NA_F_TEXT, 0, 0};
	return by->n;
}

void na_groups_view(struct na_result *r, const char *title,
		    const struct na_grouping *by, const char *host,
		    const struct na_value *rows, const struct na_table *table,
		    const struct na_column *cols, size_t n, size_t max_rows)
{
	struct na_column all[NA_MAX_COLUMNS];
	size_t keys = na_groups_columns(by, all);

	assert(keys + n <= NA_MAX_COLUMNS);
	for (size_t i = 0; host && i < keys; i++) {
		if (by->keys[i] == NA_KEY_HOST)
			all[i].header = host;
	}
	memcpy(all + keys, cols, n * sizeof(*cols));
	na_result_view(r, title, rows, table, all, keys + n, max_rows);
}

const char *na_groups_text(char *buf, size_t size, const struct na_grouping *by,
			   const struct na_store *s, const struct na_groups *g,
			   uint32_t group)
{
	uint64_t values[NA_MAX_KEYS];
	char one[NA_KEY_BUF];
	size_t at = 0;

	buf[0] = '\0';
	na_groups_values(g, group, values);
	for (size_t i = 0; i < by->n && at < size; i++)
		at += (size_t)
			snprintf(buf + at, size - at, "%s%s%s", i ? ", " : "",
				 by->keys[i] == NA_KEY_STEP ? "step " : "",
				 na_key_text(s, by->keys[i], values[i], one));
	return buf;
}
