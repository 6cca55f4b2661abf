/*
 * Names of a store as they may be shown, once for each: millions of rows bind
 * them.
 */
#ifndef NETAN_EXPORTS_SQLITE_TEXTS_H
#define NETAN_EXPORTS_SQLITE_TEXTS_H

#include "netan/engine/request.h"
#include "netan/model/store.h"

struct na_sql_text { /* s NULL: not known */
	const char *s;
	int n;
};

struct na_sql_texts {
	const struct na_store *store;
	const struct na_request *request;
	struct na_arena arena;
	struct na_sql_text *names, *endpoints, *labels, *inputs;
	struct na_sql_text *hosts; /* [run * endpoints + endpoint] */
	bool failed;
};

/* Both outlive it.  False: no memory; to be ended even so. */
bool na_sql_texts(struct na_sql_texts *t, const struct na_store *store,
		  const struct na_request *q);
void na_sql_texts_fini(struct na_sql_texts *t);

/* Of what is not there: not known. */
static inline struct na_sql_text na_sql_name(const struct na_sql_texts *t,
					     uint64_t name)
{
	return name < t->store->names.strings.n ? t->names[name]
						: (struct na_sql_text){NULL, 0};
}

static inline struct na_sql_text na_sql_endpoint(const struct na_sql_texts *t,
						 uint64_t e)
{
	return e < t->store->names.n_endpoints ? t->endpoints[e]
					       : (struct na_sql_text){NULL, 0};
}

/* Of a rank that is where it runs, if that is told. */
static inline struct na_sql_text na_sql_host_of(const struct na_sql_texts *t,
						uint32_t run, uint64_t e)
{
	size_t n = t->store->names.n_endpoints;

	return e < n ? t->hosts[run * n + e] : (struct na_sql_text){NULL, 0};
}

#endif
