#include "netan/exports/sqlite/texts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"

static struct na_sql_text shown(struct na_sql_texts *t, const char *text)
{
	struct na_sql_text x = {NULL, 0};
	char *s;
	size_t n;

	if (!text || t->failed)
		return x;
	s = na_shown(t->request, text);
	n = s ? strlen(s) : 0;
	x.s = s ? na_arena_strn(&t->arena, s, n) : NULL;
	x.n = n < INT_MAX ? (int)n : INT_MAX;
	free(s);
	t->failed = !x.s;
	return x;
}

static void take_endpoints(struct na_sql_texts *t)
{
	const struct na_store *s = t->store;
	char buf[NA_ENDPOINT_BUF];
	size_t n = s->names.n_endpoints;

	for (size_t i = 0; i < n; i++)
		t->endpoints[i] =
			shown(t, na_endpoint_print(buf, &s->names,
						   &s->names.endpoints[i]));
	for (size_t i = 0; i < n * s->n_runs; i++) {
		uint32_t host = na_store_machine_of(s, (uint32_t)(i / n),
						    (uint32_t)(i % n));

		if (host < s->n_hosts)
			t->hosts[i] = shown(t, s->hosts[host].name);
	}
}

bool na_sql_texts(struct na_sql_texts *t, const struct na_store *store,
		  const struct na_request *q)
{
	size_t strings = store->names.strings.n;
	size_t endpoints = store->names.n_endpoints;

	*t = (struct na_sql_texts){.store = store, .request = q};
	t->names = na_calloc(strings, sizeof(*t->names));
	t->endpoints = na_calloc(endpoints, sizeof(*t->endpoints));
	t->hosts = na_calloc(endpoints * store->n_runs, sizeof(*t->hosts));
	t->labels = na_calloc(store->n_runs, sizeof(*t->labels));
	t->inputs = na_calloc(store->n_sources, sizeof(*t->inputs));
	if (!t->names || !t->endpoints || !t->hosts || !t->labels || !t->inputs)
		return false;
	for (size_t i = 0; i < strings; i++)
		t->names[i] = shown(t, store->names.strings.names[i].s);
	for (size_t i = 0; i < store->n_runs; i++)
		t->labels[i] = shown(t, na_store_label(store, (uint32_t)i));
	for (size_t i = 0; i < store->n_sources; i++)
		t->inputs[i] = shown(t, store->sources[i].host);
	take_endpoints(t);
	return !t->failed;
}

void na_sql_texts_fini(struct na_sql_texts *t)
{
	free(t->names);
	free(t->endpoints);
	free(t->hosts);
	free(t->labels);
	free(t->inputs);
	na_arena_fini(&t->arena);
}
