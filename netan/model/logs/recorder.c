#include "netan/model/logs/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"

void na_fr_init(struct na_flight_record *x)
{
	memset(x, 0, sizeof(*x));
}

void na_fr_free_dump(struct na_fr_dump *d)
{
	na_vec_free(&d->places);
	free(d->slots);
	d->slots = NULL;
	na_vec_free(&d->entries);
	na_vec_free(&d->frames);
}

void na_fr_fini(struct na_flight_record *x)
{
	for (size_t i = 0; i < x->dumps.n; i++)
		na_fr_free_dump(&x->dumps.v[i]);
	na_vec_free(&x->dumps);
	na_vec_free(&x->again);
	na_vec_free(&x->old);
	na_vec_free(&x->members);
	na_vec_free(&x->groups);
	na_strtab_fini(&x->names);
	na_strtab_fini(&x->keys);
}

/* ---- groups */

/* In order, each once, behind those there are; SIZE_MAX: no memory. */
static size_t add_members(struct na_flight_record *x, const int32_t *members,
			  size_t n)
{
	size_t first = x->members.n, kept = first;
	int32_t *v;

	if (!na_append(&x->members, members, n))
		return SIZE_MAX;
	v = x->members.v;
	for (size_t i = first + 1; i < x->members.n; i++) {
		if (v[i - 1] > v[i]) {
			na_sort(v + first, n, na_order_i32);
			break;
		}
	}
	for (size_t i = first; i < x->members.n; i++) {
		if (kept == first || v[kept - 1] != v[i])
			v[kept++] = v[i];
	}
	x->members.n = kept;
	return kept - first;
}

/* Of a thousand ranks' dumps a million: printf would take most of the time. */
static char *put_rank(char *to, int32_t rank)
{
	uint32_t x = rank < 0 ? 0 - (uint32_t)rank : (uint32_t)rank;
	char digits[10];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + x % 10);
	while (x /= 10);
	if (rank < 0)
		*to++ = '-';
	while (n)
		*to++ = digits[--n];
	return to;
}

/* "0,1,2"; with a name behind it: what makes it one group. */
static uint32_t intern(struct na_strtab *t, const char *name, size_t len,
		       const int32_t *members, size_t n)
{
	enum { RANK_BYTES = 12, NAME_BYTES = 4096 };
	uint32_t id = NA_NO_NAME;
	char *text = n > SIZE_MAX / 2 / RANK_BYTES
			     ? NULL
			     : malloc(n * RANK_BYTES + NAME_BYTES + 1);
	char *to = text;

	if (!text)
		return id;
	for (size_t i = 0; i < n; i++) {
		if (i)
			*to++ = ',';
		to = put_rank(to, members[i]);
	}
	if (name) {
		len = strnlen(name, len < NAME_BYTES ? len : NAME_BYTES);
		*to++ = '|';
		memcpy(to, name, len);
		to += len;
	}
	if (to > text)
		id = na_strtab_add(t, text, (size_t)(to - text));
	free(text);
	return id;
}

uint32_t na_fr_group(struct na_flight_record *x, const char *name, size_t len,
		     const int32_t *members, size_t n)
{
	struct na_fr_group g = {.first = x->members.n, .members = NA_NO_NAME};
	size_t before = x->keys.n;
	uint32_t key = NA_NO_NAME;
	const int32_t *v;

	g.n = add_members(x, members, n);
	if (g.n == SIZE_MAX || before >= NA_FR_GROUPS_MAX)
		return NA_NO_NAME;
	v = x->members.v ? x->members.v + g.first : NULL;
	key = intern(&x->keys, name, len, v, g.n);
	if (key == NA_NO_NAME || key < before) {
		x->members.n = g.first;
		return key;
	}
	g.name = na_strtab_add(&x->names, name, len);
	if (g.n)
		g.members = intern(&x->names, NULL, 0, v, g.n);
	return g.name != NA_NO_NAME && na_add(&x->groups, g) ? key : NA_NO_NAME;
}

/* ---- from one to another */

struct renamed {
	uint32_t *names, *groups;
};

static void rename_one(const uint32_t *to, uint32_t *name)
{
	if (*name != NA_NO_NAME)
		*name = to[*name];
}

static void rename_dump(const struct renamed *to, struct na_fr_dump *d)
{
	rename_one(to->names, &d->host);
	rename_one(to->names, &d->version);
	rename_one(to->names, &d->library);
	for (size_t i = 0; i < d->places.n; i++) {
		rename_one(to->groups, &d->places.v[i].group);
		rename_one(to->names, &d->places.v[i].operation);
	}
	na_fr_index(d);
	for (size_t i = 0; i < d->entries.n; i++) {
		rename_one(to->groups, &d->entries.v[i].group);
		rename_one(to->names, &d->entries.v[i].operation);
		rename_one(to->names, &d->entries.v[i].type);
	}
	for (size_t i = 0; i < d->frames.n; i++) {
		rename_one(to->names, &d->frames.v[i].function);
		rename_one(to->names, &d->frames.v[i].file);
	}
}

static bool find_names(struct na_flight_record *x,
		       const struct na_flight_record *from, struct renamed *to)
{
	for (uint32_t i = 0; i < from->names.n; i++) {
		to->names[i] = na_strtab_add(&x->names, from->names.names[i].s,
					     from->names.names[i].len);
		if (to->names[i] == NA_NO_NAME)
			return false;
	}
	for (size_t i = 0; i < from->groups.n; i++) {
		const struct na_fr_group *g = &from->groups.v[i];
		const struct na_interned *name = &from->names.names[g->name];

		to->groups[i] = na_fr_group(x, name->s, name->len,
					    g->n ? from->members.v + g->first
						 : NULL,
					    g->n);
		if (to->groups[i] == NA_NO_NAME)
			return false;
	}
	return true;
}

bool na_fr_take(struct na_flight_record *x, struct na_flight_record *from)
{
	struct renamed to = {na_calloc(from->names.n + 1, sizeof(*to.names)),
			     na_calloc(from->groups.n + 1, sizeof(*to.groups))};
	bool ok = to.names && to.groups && find_names(x, from, &to) &&
		  na_room(&x->dumps, from->dumps.n);

	for (size_t i = 0; ok && i < from->dumps.n; i++) {
		rename_dump(&to, &from->dumps.v[i]);
		x->dumps.v[x->dumps.n++] = from->dumps.v[i];
	}
	for (int k = 0; k < NA_FR_CLOCKS; k++) {
		struct na_fr_clock *a = &x->clock[k];
		const struct na_fr_clock *b = &from->clock[k];

		a->line_ns = a->line_ns > b->line_ns ? a->line_ns : b->line_ns;
		a->call_ns = a->call_ns > b->call_ns ? a->call_ns : b->call_ns;
	}
	x->unzoned |= from->unzoned;
	na_fr_dated(x, from->dated_from_ns);
	na_fr_dated(x, from->dated_to_ns);
	/* What is taken is not freed twice. */
	from->dumps.n = ok ? 0 : from->dumps.n;
	free(to.names);
	free(to.groups);
	return ok;
}
