/*
 * Any bytes as a saved `ip route`: read or refused with a message; what was
 * read, written and read again is the same.
 */
#include "ingest/host/routes.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void walk_routes(const struct na_routes *r, size_t size)
{
	walk_must(r->n + r->left_out <= size);
	for (size_t i = 0; i < r->n; i++) {
		const struct na_route *x = &r->items[i];

		walk_must(x->dst && *x->dst);
		walk_must(x->rto_min_us == NA_NOT_KNOWN || x->rto_min_us >= 0);
		walk_must(x->metric == NA_NOT_KNOWN || x->metric >= 0);
		walk_must(x->family == 0 || x->family == 4 || x->family == 6);
	}
}

static void again(const struct na_routes *r, struct na_arena *a)
{
	struct na_err err = {.status = NA_OK};
	struct na_routes back = {.n = 0};
	const char *text;
	size_t n;

	text = na_routes_text(r, a, &n);
	walk_must(text != NULL);
	walk_must(na_routes_parse(&back, a, text, n, &err) == NA_OK);
	walk_must(back.n == r->n && back.odd == 0);
	for (size_t i = 0; i < r->n; i++) {
		const struct na_route *x = &r->items[i], *y = &back.items[i];

		walk_must(same(x->dst, y->dst) && same(x->via, y->via) &&
			  same(x->dev, y->dev) && same(x->table, y->table));
		walk_must(same(x->next_hops, y->next_hops) &&
			  (x->hops == y->hops || x->hops > 256));
		walk_must(x->rto_min_us == y->rto_min_us &&
			  x->unlocked == y->unlocked && x->kind == y->kind &&
			  x->metric == y->metric && x->down == y->down);
	}
	free(back.items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_routes r = {.n = 0};
	struct na_arena a;

	memset(&a, 0, sizeof(a));
	if (na_routes_parse(&r, &a, (const char *)data, size, &err) != NA_OK)
		walk_must(err.text[0] != '\0');
	walk_routes(&r, size);
	if (err.status == NA_OK)
		again(&r, &a);
	free(r.items);
	na_arena_fini(&a);
	return 0;
}
