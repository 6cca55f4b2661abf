#include "netan/model/hosts/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

void na_names_init(struct na_names *t)
{
	memset(t, 0, sizeof(*t));
	na_strtab_init(&t->strings);
}

void na_names_fini(struct na_names *t)
{
	na_strtab_fini(&t->strings);
	free(t->endpoints);
	na_triples_fini(&t->index_of);
	memset(t, 0, sizeof(*t));
}

static struct na_triple key_of(int32_t slice, int32_t device)
{
	return (struct na_triple){(uint32_t)slice, (uint32_t)device, 0};
}

uint32_t na_names_endpoint(struct na_names *t, int32_t slice, int32_t device)
{
	uint32_t i;

	if (!na_grow(&t->endpoints, &t->cap_endpoints, t->n_endpoints + 1,
		     sizeof(*t->endpoints)))
		return UINT32_MAX;
	i = na_triples_add(&t->index_of, key_of(slice, device));
	if (i == t->n_endpoints)
		t->endpoints[t->n_endpoints++] = (struct na_endpoint){slice,
								      device};
	return i;
}

uint32_t na_names_find(const struct na_names *t, int32_t slice, int32_t device)
{
	return na_triples_find(&t->index_of, key_of(slice, device));
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
