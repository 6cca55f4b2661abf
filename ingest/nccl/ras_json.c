/* Answers of RAS in JSON: into communicators, ranks and counts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ingest/json/json.h"
#include "ingest/nccl/log_parts.h"
#include "ingest/nccl/names.h"
#include "ingest/nccl/ras.h"

/* Depths, as na_json counts them, inside of: */
enum { IN_COMM = 3, IN_RANK = 5, IN_COUNTS = 6 };

enum { FUNCTIONS_MAX = 64 /* of a rank; NCCL has a dozen */ };

struct reading {
	struct na_ras *r;
	struct na_json j;
	bool comms, ranks, missing, counts; /* what is open */
	size_t first;                       /* count of this rank */
	struct na_text host;
	int64_t pid, device;
};

bool na_ras_sniff(const uint8_t *head, size_t n)
{
	const char *x = (const char *)head;

	while (n && (*x == ' ' || *x == '\n' || *x == '\r' || *x == '\t')) {
		x++;
		n--;
	}
	return n && *x == '{' && memmem(x, n, "\"nccl_version\"", 14) &&
	       (memmem(x, n, "\"communicators", 14) != NULL);
}

static int64_t count_of(const struct na_json *j)
{
	uint64_t n;

	return j->kind == NA_JSON_NUMBER && na_json_count(j->text, &n) &&
			       n <= INT64_MAX
		       ? (int64_t)n
		       : -1;
}

static bool open_object(struct reading *g)
{
	struct na_ras *r = g->r;

	if (g->comms && g->j.depth == IN_COMM)
		return na_add(&r->comms,
			      ((struct na_ras_comm){.hash = NA_NO_NAME,
						    .size = -1}));
	if (g->comms && r->comms.n && g->j.depth == IN_RANK &&
	    (g->ranks || g->missing)) {
		g->first = r->counts.n;
		g->host = na_text_n("", 0);
		g->pid = g->device = -1;
		return na_add(
			&r->ranks,
			((struct na_ras_rank){.rank = -1,
					      .comm = (uint32_t)r->comms.n - 1,
					      .process = NA_NO_NAME,
					      .host = NA_NO_NAME,
					      .missing = g->missing}));
	}
	return true;
}

/* Behind a rank: which process it is, and its number for its counts. */
static bool close_rank(struct reading *g)
{
	struct na_ras *r = g->r;
	struct na_ras_rank *k = &r->ranks.v[r->ranks.n - 1];
	char key[400];
	int n;

	if (k->rank < 0 || k->rank >= NA_NCCL_RANKS_MAX) {
		r->counts.n = g->first;
		r->ranks.n--;
		return true;
	}
	for (size_t i = g->first; i < r->counts.n; i++)
		r->counts.v[i].rank = k->rank;
	k->host = na_strtab_add(&r->names, g->host.s, g->host.n);
	n = snprintf(key, sizeof(key), "%.*s %" PRId64 " %" PRId64,
		     (int)(g->host.n < 300 ? g->host.n : 300), g->host.s,
		     g->pid, g->device);
	k->process = na_strtab_add(&r->names, key, (size_t)n);
	return k->host != NA_NO_NAME && k->process != NA_NO_NAME;
}

static bool rank_member(struct reading *g, const struct na_json *key)
{
	struct na_json *j = &g->j;
	struct na_ras_rank *k = &g->r->ranks.v[g->r->ranks.n - 1];

	if (na_json_is(key, "rank"))
		k->rank = count_of(j);
	else if (na_json_is(key, "pid"))
		g->pid = count_of(j);
	else if (na_json_is(key, "cuda_dev"))
		g->device = count_of(j);
	else if (na_json_is(key, "host") && j->kind == NA_JSON_STRING)
		g->host = j->text;
	return true;
}

static bool member(struct reading *g, const struct na_json *key)
{
	struct na_ras *r = g->r;
	struct na_json *j = &g->j;

	if (!g->comms || !r->comms.n)
		return true;
	if (j->depth == IN_COMM && na_json_is(key, "hash") &&
	    j->kind == NA_JSON_STRING) {
		uint32_t name = na_strtab_add(&r->names, j->text.s,
					      j->text.n < 64 ? j->text.n : 64);

		r->comms.v[r->comms.n - 1].hash = name;
		return name != NA_NO_NAME;
	}
	if (j->depth == IN_COMM && na_json_is(key, "size"))
		r->comms.v[r->comms.n - 1].size = count_of(j);
	if (!(g->ranks || g->missing) || !r->ranks.n)
		return true;
	if (j->depth == IN_RANK)
		return rank_member(g, key);
	if (j->depth == IN_COUNTS && g->counts && count_of(j) >= 0 &&
	    r->counts.n - g->first < FUNCTIONS_MAX) {
		uint32_t f = na_strtab_add(&r->names, key->text.s,
					   key->text.n < 64 ? key->text.n : 64);

		return f != NA_NO_NAME &&
		       na_add(&r->counts,
			      ((struct na_ras_count){
				      .rank = -1,
				      .n = count_of(j),
				      .comm = (uint32_t)r->comms.n - 1,
				      .function = f}));
	}
	return true;
}

/* The list or object that a key opens. */
static void opens(struct reading *g, const struct na_json *key)
{
	unsigned d = g->j.depth;

	if (g->j.kind == NA_JSON_ARRAY && d == IN_COMM - 1)
		g->comms = na_json_is(key, "communicators");
	if (g->j.kind == NA_JSON_ARRAY && d == IN_RANK - 1) {
		g->ranks = na_json_is(key, "ranks");
		g->missing = na_json_is(key, "missing_ranks");
	}
	if (g->j.kind == NA_JSON_OBJECT && d == IN_COUNTS)
		g->counts = na_json_is(key, "collective_counts");
}

/* Of what was one level deeper. */
static bool closes(struct reading *g)
{
	unsigned d = g->j.depth;

	if (d == IN_COUNTS - 1)
		g->counts = false;
	if (g->j.kind == NA_JSON_ARRAY_END && d == IN_COMM)
		g->ranks = g->missing = false;
	if (g->j.kind == NA_JSON_OBJECT_END && d == IN_RANK - 1 &&
	    (g->ranks || g->missing) && g->comms && g->r->ranks.n)
		return close_rank(g);
	return true;
}

bool na_ras_json(struct na_ras *r, const uint8_t *p, size_t n,
		 const char **damage, uint64_t *at)
{
	struct reading g = {.r = r,
			    .j = na_json_of(na_text_n((const char *)p, n), 0)};
	struct na_json key = {.kind = NA_JSON_END};
	bool ok = true;

	while (ok && na_json_next(&g.j)) {
		if (g.j.kind == NA_JSON_KEY) {
			key = g.j;
			continue;
		}
		if (key.kind == NA_JSON_KEY) {
			opens(&g, &key);
			ok = member(&g, &key);
		}
		key.kind = NA_JSON_END;
		if (ok && g.j.kind == NA_JSON_OBJECT)
			ok = open_object(&g);
		if (ok && (g.j.kind == NA_JSON_OBJECT_END ||
			   g.j.kind == NA_JSON_ARRAY_END))
			ok = closes(&g);
	}
	*damage = g.j.damage;
	*at = na_json_at(&g.j);
	return ok;
}
