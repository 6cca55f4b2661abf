/* What RAS tells, as text or in JSON, put into the model. */
#include "ingest/nccl/ras.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/bytes/whole.h"
#include "ingest/nccl/log_parts.h"
#include "netan/base/order.h"

struct telling {
	const struct na_ras *r;
	struct na_nccl_dumps *t;
	uint32_t world;    /* the largest communicator */
	int64_t *job_rank; /* by name of a process; -1 */
	size_t *ranks;     /* by communicator: where its ranks begin */
	NA_VEC(int32_t) members;
};

/* The rank in the job; of a process that the largest communicator has not:
 * -1. */
static int64_t rank_of(const struct telling *g, const struct na_ras_rank *k)
{
	int64_t size = g->r->comms.v[g->world].size;

	if (k->process != NA_NO_NAME)
		return g->job_rank[k->process];
	/* As text: no larger one means that it has all. */
	return g->r->comms.v[k->comm].size == size ? k->rank : -1;
}

NA_ORDER(by_function, struct na_ras_count, NA_UP(comm), NA_UP(function),
	 NA_UP(rank))
NA_ORDER(by_comm, struct na_ras_rank, NA_UP(comm), NA_UP(rank))

static void find_ranks(struct telling *g, struct na_ras *r)
{
	na_sort(r->ranks.v, r->ranks.n, by_comm);
	na_sort(r->counts.v, r->counts.n, by_function);
	for (size_t i = 0; i < r->names.n; i++)
		g->job_rank[i] = -1;
	for (uint32_t i = 0; i < r->comms.n; i++) {
		if (r->comms.v[i].size > r->comms.v[g->world].size)
			g->world = i;
	}
	for (size_t i = r->ranks.n; i-- > 0;) {
		const struct na_ras_rank *k = &r->ranks.v[i];

		g->ranks[k->comm] = i;
		if (k->comm == g->world && k->process != NA_NO_NAME)
			g->job_rank[k->process] = k->rank;
	}
}

/* The rank of the job behind a count; -1. */
static int64_t rank_of_count(const struct telling *g,
			     const struct na_ras_count *c)
{
	const struct na_ras *r = g->r;
	size_t i = NA_BOUND(k, 0, r->ranks.n,
			    r->ranks.v[k].comm > c->comm ||
				    (r->ranks.v[k].comm == c->comm &&
				     r->ranks.v[k].rank >= c->rank));
	struct na_ras_rank text = {.rank = c->rank,
				   .comm = c->comm,
				   .process = NA_NO_NAME};

	if (i < r->ranks.n && r->ranks.v[i].comm == c->comm &&
	    r->ranks.v[i].rank == c->rank)
		return rank_of(g, &r->ranks.v[i]);
	return rank_of(g, &text);
}

/* All of a communicator that are told of by the n counts, or missing. */
static bool find_members(struct telling *g, uint32_t comm,
			 const struct na_ras_count *c, size_t n)
{
	const struct na_ras *r = g->r;

	g->members.n = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t rank = rank_of_count(g, &c[i]);

		if (rank >= 0 && !na_add(&g->members, (int32_t)rank))
			return false;
	}
	for (size_t i = g->ranks[comm]; i < r->ranks.n; i++) {
		const struct na_ras_rank *k = &r->ranks.v[i];
		int64_t rank = rank_of(g, k);

		if (k->comm != comm)
			break;
		if (rank >= 0 && !na_add(&g->members, (int32_t)rank))
			return false;
	}
	return true;
}

static uint32_t group_of(struct telling *g, uint32_t comm,
			 const struct na_ras_count *c, size_t n)
{
	uint32_t hash = g->r->comms.v[comm].hash;
	const char *h = na_strtab_at(&g->r->names, hash);
	char name[160];

	if (n)
		snprintf(name, sizeof(name), "%s %s", h,
			 na_strtab_at(&g->r->names, c->function));
	else
		snprintf(name, sizeof(name), "%s", h);
	return find_members(g, comm, c, n)
		       ? na_fr_group(g->t->ranks, name, strlen(name),
				     g->members.v, g->members.n)
		       : NA_NO_NAME;
}

static bool has_missing(const struct telling *g, uint32_t comm)
{
	const struct na_ras *r = g->r;

	for (size_t i = g->ranks[comm]; i < r->ranks.n; i++) {
		if (r->ranks.v[i].comm != comm)
			break;
		if (r->ranks.v[i].missing)
			return true;
	}
	return false;
}

/* What the others wait in: the operation behind the last of those who are
 * behind; with nobody behind and some missing, the last of all; else -1. */
static int64_t waited_for(const struct telling *g, const struct na_ras_count *c,
			  size_t n)
{
	int64_t least = INT64_MAX, most = 0;

	for (size_t i = 0; i < n; i++) {
		least = c[i].n < least ? c[i].n : least;
		most = c[i].n > most ? c[i].n : most;
	}
	if (least < most)
		return least + 1;
	return most && has_missing(g, c->comm) ? most : -1;
}

/* Of one function in one communicator. */
static bool tell_counts(struct telling *g, const struct na_ras_count *c,
			size_t n)
{
	uint32_t group = group_of(g, c->comm, c, n);
	const char *f = na_strtab_at(&g->r->names, c->function);
	uint32_t operation = na_nccl_dump_operation(g->t->ranks,
						    na_text_n(f, strlen(f)));
	int64_t sequence = waited_for(g, c, n);

	if (group == NA_NO_NAME || operation == NA_NO_NAME)
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t rank = rank_of_count(g, &c[i]);
		struct na_fr_dump *d;

		if (rank < 0)
			continue;
		d = na_nccl_dump_of(g->t, rank, NA_BY_RAS);
		if (!d || !na_nccl_dump_place(d, group, c[i].n, -1))
			return false;
		if (sequence >= 0 && c[i].n >= sequence &&
		    !na_nccl_dump_holds(d, group, sequence, operation,
					UINT64_MAX, INT64_MIN))
			return false;
	}
	return true;
}

static bool tell_rank(struct telling *g, const struct na_ras_rank *k)
{
	const struct na_interned *host;
	int64_t rank = rank_of(g, k);
	struct na_fr_dump *d;

	if (rank < 0)
		return true;
	d = na_nccl_dump_of(g->t, rank, NA_BY_RAS);
	if (!d)
		return false;
	d->unresponsive |= k->missing;
	if (k->host != NA_NO_NAME && d->host == NA_NO_NAME) {
		host = &g->r->names.names[k->host];
		d->host = na_strtab_add(&g->t->ranks->names, host->s,
					host->len);
	}
	return !k->missing || group_of(g, k->comm, NULL, 0) != NA_NO_NAME;
}

static bool tell(struct telling *g)
{
	const struct na_ras *r = g->r;
	uint32_t missing_of = NA_NO_NAME;
	size_t n;

	for (size_t i = 0; i < r->ranks.n; i++) {
		struct na_ras_rank k = r->ranks.v[i];

		/* Its group is told once. */
		if (k.missing && k.comm == missing_of) {
			int64_t rank = rank_of(g, &k);
			struct na_fr_dump *d;

			if (rank < 0)
				continue;
			d = na_nccl_dump_of(g->t, rank, NA_BY_RAS);
			if (!d)
				return false;
			d->unresponsive = true;
			continue;
		}
		missing_of = k.missing ? k.comm : missing_of;
		if (!tell_rank(g, &k))
			return false;
	}
	for (size_t i = 0; i < r->counts.n; i += n) {
		const struct na_ras_count *c = &r->counts.v[i];

		for (n = 1; i + n < r->counts.n; n++) {
			if (c[n].comm != c->comm ||
			    c[n].function != c->function)
				break;
		}
		if (!tell_counts(g, c, n))
			return false;
	}
	return true;
}

bool na_ras_end(struct na_ras *r, struct na_nccl_dumps *t)
{
	struct telling g = {.r = r, .t = t};
	bool ok = na_ras_rest(r);

	if (!ok || !r->comms.n)
		return ok;
	g.job_rank = na_calloc(r->names.n + 1, sizeof(*g.job_rank));
	g.ranks = na_calloc(r->comms.n, sizeof(*g.ranks));
	ok = g.job_rank && g.ranks;
	if (ok) {
		for (size_t i = 0; i < r->comms.n; i++)
			g.ranks[i] = r->ranks.n;
		find_ranks(&g, r);
		ok = tell(&g);
	}
	na_vec_free(&g.members);
	free(g.job_rank);
	free(g.ranks);
	return ok;
}

void na_ras_fini(struct na_ras *r)
{
	na_vec_free(&r->comms);
	na_vec_free(&r->ranks);
	na_vec_free(&r->counts);
	na_vec_free(&r->sizes);
	na_strtab_fini(&r->names);
}

enum na_status na_ras_read_bytes(struct na_flight_record *x, const char *path,
				 const uint8_t *p, size_t n, struct na_err *err)
{
	struct na_nccl_dumps t = {.ranks = x, .path = path};
	const char *damage = NULL;
	struct na_ras r = {.others = 0};
	enum na_status st = NA_OK;
	uint64_t at = 0;

	if (!na_ras_json(&r, p, n, &damage, &at) || !na_ras_end(&r, &t))
		st = na_fail_nomem(err);
	else if (damage)
		st = na_fail(err, NA_EFORMAT,
			     "%s: breaks off at byte %" PRIu64
			     ", where %s was expected; what came before was "
			     "read",
			     path, at, damage);
	na_nccl_dumps_fini(&t);
	na_ras_fini(&r);
	return st;
}

bool na_ras_is(const char *path)
{
	struct na_err err = {.status = NA_OK};
	struct na_whole w;
	bool is;

	if (strcmp(path, "-") == 0 || na_whole_open(&w, path, &err) != NA_OK)
		return false;
	is = w.p && na_ras_sniff(w.p, w.n < NA_RAS_HEAD ? w.n : NA_RAS_HEAD);
	na_whole_close(&w);
	return is;
}

enum na_status na_ras_read(struct na_flight_record *x, const char *path,
			   struct na_err *err)
{
	struct na_whole w;
	enum na_status st = na_whole_open(&w, path, err);

	if (st == NA_OK) {
		st = na_ras_read_bytes(x, path, w.p, w.n, err);
		na_whole_close(&w);
	}
	return st;
}
