#include "netan/model/hosts/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { FIRST_SLOTS = 256 };

void na_names_fini(struct na_names *t)
{
	na_strtab_fini(&t->strings);
	free(t->endpoints);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}

static bool is(const struct na_names *t, uint32_t i, int32_t slice,
	       int32_t device)
{
	return i < t->n_endpoints && t->endpoints[i].slice == slice &&
	       t->endpoints[i].device == device;
}

/* The slot that holds the endpoint, or the free one where it belongs. */
static uint32_t *probe(const struct na_names *t, int32_t slice, int32_t device)
{
	uint64_t h = ((uint64_t)(uint32_t)slice << 32 | (uint32_t)device) *
		     UINT64_C(0x9e3779b97f4a7c15);
	size_t i;

	/* Only the high bits of a product are mixed well. */
	h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	i = (size_t)(h >> 32) & (t->n_slots - 1);
	while (t->slots[i] && !is(t, t->slots[i] - 1, slice, device))
		i = (i + 1) & (t->n_slots - 1);
	return &t->slots[i];
}

static bool widen(struct na_names *t)
{
	size_t n = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS;
	uint32_t *slots = na_calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->n_slots = n;
	for (size_t i = 0; i < t->n_endpoints; i++)
		*probe(t, t->endpoints[i].slice, t->endpoints[i].device) =
			(uint32_t)i + 1;
	return true;
}

static uint32_t found(struct na_names *t, uint32_t i)
{
	t->before = t->last;
	t->last = i;
	return i;
}

uint32_t na_names_endpoint(struct na_names *t, int32_t slice, int32_t device)
{
	uint32_t *slot;

	if (is(t, t->last, slice, device))
		return t->last;
	if (is(t, t->before, slice, device))
		return found(t, t->before);
	if (t->n_endpoints >= UINT32_MAX - 1 ||
	    (2 * t->n_endpoints >= t->n_slots && !widen(t)))
		return UINT32_MAX;
	slot = probe(t, slice, device);
	if (*slot)
		return found(t, *slot - 1);
	if (!na_grow(&t->endpoints, &t->cap_endpoints, t->n_endpoints + 1,
		     sizeof(*t->endpoints)))
		return UINT32_MAX;
	t->endpoints[t->n_endpoints++] = (struct na_endpoint){slice, device};
	*slot = (uint32_t)t->n_endpoints;
	return found(t, *slot - 1);
}

uint32_t na_names_find(const struct na_names *t, int32_t slice, int32_t device)
{
	return t->slots ? *probe(t, slice, device) - 1 : UINT32_MAX;
}

uint32_t na_names_address(struct na_names *t, const char *s, size_t n)
{
	uint32_t name = na_strtab_add(&t->strings, s, n);

	if (name > INT32_MAX) /* NA_NO_NAME, too */
		return UINT32_MAX;
	return na_names_endpoint(t, NA_ADDRESS, (int32_t)name);
}

const char *na_endpoint_print(char *buf, const struct na_names *t,
			      const struct na_endpoint *e)
{
	if (e->slice == NA_ADDRESS)
		snprintf(buf, NA_ENDPOINT_BUF, "%s",
			 na_strtab_at(&t->strings, (uint32_t)e->device));
	else
		snprintf(buf, NA_ENDPOINT_BUF, "s%" PRId32 "d%" PRId32,
			 e->slice, e->device);
	return buf;
}

const char *na_socket_print(char buf[NA_SOCKET_BUF], const struct na_names *t,
			    uint32_t endpoint, uint16_t port)
{
	char text[NA_ENDPOINT_BUF];

	if (endpoint >= t->n_endpoints)
		snprintf(text, sizeof(text), "?");
	else
		na_endpoint_print(text, t, &t->endpoints[endpoint]);
	snprintf(buf, NA_SOCKET_BUF, strchr(text, ':') ? "[%s]:%u" : "%s:%u",
		 text, port);
	return buf;
}

bool na_names_merge(struct na_names *into, const struct na_names *from,
		    uint32_t *maps[2])
{
	size_t n = from->strings.n, m = from->n_endpoints;

	maps[0] = na_calloc(n, sizeof(uint32_t));
	maps[1] = na_calloc(m, sizeof(uint32_t));
	if (!maps[0] || !maps[1])
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct na_interned *s = &from->strings.names[i];

		maps[0][i] = na_strtab_add(&into->strings, s->s, s->len);
		if (maps[0][i] == NA_NO_NAME)
			return false;
	}
	for (size_t i = 0; i < m; i++) {
		const struct na_endpoint *e = &from->endpoints[i];

		maps[1][i] =
			na_names_endpoint(into, e->slice,
					  e->slice == NA_ADDRESS
						  ? (int32_t)maps[0][e->device]
						  : e->device);
		if (maps[1][i] == UINT32_MAX)
			return false;
	}
	return true;
}
