/* Ranks of the job where inputs know those of communicators alone. */
#include <stdlib.h>
#include <string.h>

#include "ingest/gpu/rank_map.h"
#include "netan/base/order.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/engine/session/session.h"

/* ---- who others of the run say that a process is */

/* A process of a host; its rank, or the input that is to be told it. */
struct process {
	const char *host;
	int64_t pid;
	int32_t rank, world_size;
	struct na_input *of;
};

struct processes {
	NA_VEC(struct process);
};

NA_ORDER(by_process, struct process, strcmp(x->host, y->host), NA_UP(pid),
	 NA_UP(rank))

/* Some tell it with its domain and some do not; NULL: no memory. */
static const char *short_host(struct na_session *s, const struct na_input *in)
{
	bool address = in->host[0] >= '0' && in->host[0] <= '9';

	return address ? in->host
		       : na_arena_strn(&s->arena, in->host,
				       strcspn(in->host, "."));
}

/* Of those with ranks of communicators, or of the others that tell ranks and
 * hosts; false: no memory. */
static bool gather(struct na_session *s, uint32_t run, bool comm_ranks,
		   struct processes *to)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		struct na_input *in = &s->inputs[i];
		struct process x = {"", in->pid, in->rank, in->world_size, in};

		if (s->sources[i].run != run ||
		    (in->n_comm_ranks > 0) != comm_ranks ||
		    (!comm_ranks && in->rank < 0))
			continue;
		if (!s->sources[i].no_host)
			x.host = short_host(s, in);
		if (!x.host || !na_add(to, x))
			return false;
	}
	na_sort(to->v, to->n, by_process);
	return true;
}

static size_t of_host(const struct processes *p, const char *host, size_t *from)
{
	*from = NA_BOUND(i, 0, p->n, strcmp(p->v[i].host, host) >= 0);
	return NA_BOUND(i, *from, p->n, strcmp(p->v[i].host, host) > 0) - *from;
}

/* The one rank of a host's n that is this process, or (`told` false) that may
 * be it; NULL: none, or several. */
static const struct process *only_rank(const struct process *v, size_t n,
				       int64_t pid, bool told)
{
	const struct process *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (told && (pid < 0 || v[i].pid != pid))
			continue;
		if (!told && pid >= 0 && v[i].pid >= 0 && v[i].pid != pid)
			return NULL;
		if (found && found->rank != v[i].rank)
			return NULL;
		found = &v[i];
	}
	return found;
}

static const struct process *find_known(const struct processes *known,
					const struct processes *logs,
					const struct process *x)
{
	size_t from, first, n = of_host(known, x->host, &from);
	const struct process *found;

	if (!*x->host)
		return NULL;
	found = only_rank(known->v + from, n, x->pid, true);
	if (!found && of_host(logs, x->host, &first) == 1)
		found = only_rank(known->v + from, n, x->pid, false);
	return found;
}

/* Their ranks where others know them, those to `v`; the rest is gone. */
static size_t match(const struct na_session *s, const struct processes *known,
		    const struct processes *logs, struct na_input **v,
		    bool *gone)
{
	size_t n = 0;

	for (size_t i = 0; i < logs->n; i++) {
		const struct process *x = &logs->v[i];
		const struct process *is = find_known(known, logs, x);

		if (!is) {
			gone[x->of - s->inputs] = true;
			continue;
		}
		x->of->rank = is->rank;
		x->of->world_size = is->world_size;
		v[n++] = x->of;
	}
	return n;
}

/* The largest job that traces of the run tell of; -1: they tell no ranks; 0:
 * ranks, and not how many. */
static int32_t told_world(const struct na_session *s, uint32_t run)
{
	int32_t most = -1;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];
		int32_t size = in->told == NA_TOLD_TRACE ? in->world_size : 0;

		if (s->sources[i].run != run || in->rank < 0 ||
		    in->n_comm_ranks)
			continue;
		size = size > 0 ? size : 0;
		most = size > most ? size : most;
	}
	return most;
}

/* Ranks of the n logs by those that others tell. */
static enum na_status settle_by_others(struct na_session *s, uint32_t run,
				       struct na_input **v, bool *gone,
				       struct na_err *err)
{
	struct processes known = {0}, logs = {0};
	bool ok = gather(s, run, false, &known) && gather(s, run, true, &logs);
	size_t n = ok ? match(s, &known, &logs, v, gone) : 0;

	ok = ok && na_rank_map_known(v, n, &s->arena);
	for (size_t i = 0; ok && i < n; i++)
		ok = na_session_name_rank(s, v[i],
					  &s->sources[v[i] - s->inputs]);
	na_vec_free(&known);
	na_vec_free(&logs);
	return ok ? NA_OK : na_fail_nomem(err);
}

/* ---- */

static bool note_stand_in(struct na_session *s)
{
	static const char text[] =
		"no communicator is of all processes, so that these logs do "
		"not tell ranks of the job: r0, r1, ... are processes by host "
		"and process id (netan info: which is which)";

	if (!na_grow(&s->notes, &s->cap_notes, s->n_notes + 1,
		     sizeof(*s->notes)))
		return false;
	s->notes[s->n_notes++] = text;
	return true;
}

static enum na_status settle_run(struct na_session *s, uint32_t run,
				 struct na_input **v, bool *gone,
				 struct na_err *err)
{
	int32_t world = told_world(s, run);
	bool stand_in;
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->sources[i].run == run && s->inputs[i].n_comm_ranks)
			v[n++] = &s->inputs[i];
	}
	if (!n)
		return NA_OK;
	if (!na_rank_map_settle(v, n, &s->arena, &stand_in))
		return na_fail_nomem(err);
	/* Logs of some of the ranks may be all of a smaller communicator. */
	if (world >= 0 && (stand_in || (world && v[0]->world_size != world)))
		return settle_by_others(s, run, v, gone, err);
	for (size_t i = 0; i < n; i++) {
		if (!na_session_name_rank(s, v[i],
					  &s->sources[v[i] - s->inputs]))
			return na_fail_nomem(err);
	}
	return !stand_in || note_stand_in(s) ? NA_OK : na_fail_nomem(err);
}

/* What a trace tells of a rank's sends and receives, its log does not tell
 * once more. */
static enum na_status note_told(struct na_session *s, struct na_err *err)
{
	struct na_triples traced = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (in->told == NA_TOLD_TRACE && in->rank >= 0)
			ok = na_triples_add(&traced, (struct na_triple){
							     s->sources[i].run,
							     (uint32_t)in->rank,
							     0}) != UINT32_MAX;
	}
	for (size_t i = 0; ok && i < s->n_inputs; i++) {
		struct na_input *in = &s->inputs[i];

		in->p2p_told =
			in->n_comm_ranks && in->rank >= 0 &&
			na_triples_find(&traced,
					(struct na_triple){s->sources[i].run,
							   (uint32_t)in->rank,
							   0}) != UINT32_MAX;
	}
	na_triples_fini(&traced);
	return ok ? NA_OK : na_fail_nomem(err);
}

enum na_status na_session_seats(struct na_session *s, struct na_err *err)
{
	struct na_input **v = na_calloc(s->n_inputs, sizeof(*v));
	bool *gone = na_calloc(s->n_inputs, sizeof(*gone));
	uint32_t runs = 0;

	if (!v || !gone)
		na_fail_nomem(err);
	for (size_t i = 0; i < s->n_inputs; i++)
		runs = s->sources[i].run >= runs ? s->sources[i].run + 1 : runs;
	for (uint32_t run = 0; err->status == NA_OK && run < runs; run++)
		settle_run(s, run, v, gone, err);
	if (err->status == NA_OK)
		na_session_leave(s, gone,
				 "tells ranks of communicators alone, none of "
				 "which is of all processes, and no other "
				 "input tells the rank of its process (by "
				 "host and process id)");
	free(v);
	free(gone);
	return err->status == NA_OK ? note_told(s, err) : err->status;
}
