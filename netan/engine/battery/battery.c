#include "netan/engine/battery/battery.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/battery/inventory.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/result/emit.h"

/* Which analyses are asked for. */
struct choice {
	bool (*wanted)(void *ctx, const char *name);
	void *ctx;
	const struct na_extra_analysis *beside;
	size_t n_beside;
};

static bool named(const struct choice *c, const char *exhibit)
{
	return !c->wanted || c->wanted(c->ctx, exhibit);
}

static bool chosen(const struct choice *c, const struct na_analysis *a)
{
	return a->basis || named(c, a->info.name);
}

#define NA_ANALYSIS(name)        +1
#define NA_PACKET_ANALYSIS(name) +1
#define NA_EVIDENCE(name)        +1
enum {
	N_ANALYSES =
#include "netan/analyses/analyses.def"
};
_Static_assert((int)N_ANALYSES < (int)NA_MAX_EVIDENCE, "room for all of them");

/* As one group. */
static const struct na_grouping ungrouped;

static void widen_by(struct na_session *s, const struct na_filter *asked,
		     const struct na_analysis *a)
{
	struct na_filter f = na_drive_filter(a, asked, &ungrouped, false);

	s->filter.clip |= f.clip;
	s->filter.instants |= f.instants;
	s->filter.components |= f.components;
	s->wants |= na_drive_wants(a, &f, &ungrouped);
}

/* What all of them together want read. */
static void widen(struct na_session *s, const struct na_filter *asked,
		  const struct choice *choice)
{
	if (asked->side < 0)
		s->filter.side = -1;
	if (named(choice, "hlo"))
		s->wants |= NA_WANT_PROGRAMS;
	for (const struct na_analysis *const *a = na_evidence; *a; a++) {
		if (chosen(choice, *a))
			widen_by(s, asked, *a);
	}
	for (size_t i = 0; i < choice->n_beside; i++)
		widen_by(s, asked, choice->beside[i].analysis);
}

/* Before opening, when no filter is known yet. */
static uint32_t wants_at_most(const struct choice *choice)
{
	struct na_session s = {.wants = 0};
	struct na_filter f;

	na_filter_init(&f);
	f.side = -1;
	widen(&s, &f, choice);
	return s.wants;
}

/* "a packet capture" stands where there is none. */
static const char *no_packets(const struct na_session *s, bool roce)
{
	bool captures = false, damaged = false;

	for (size_t i = 0; i < s->n_inputs; i++) {
		captures |= s->inputs[i].capture != NULL;
		damaged |= s->inputs[i].capture &&
			   na_session_is_damaged(s, i);
	}
	if (!captures)
		return roce ? "a packet capture (with RoCEv2)"
			    : "a packet capture";
	if (damaged)
		return roce ? "packets of RoCEv2: what could be read of the "
			      "captures holds none"
			    : "TCP connections: what could be read of the "
			      "captures holds none";
	return roce ? "packets of RoCEv2: these captures hold none"
		    : "TCP connections: these captures hold none";
}

/* In words, what it would take. */
static const char *missing_of(const struct na_analysis *a,
			      const struct na_result *r,
			      const struct na_session *s)
{
	bool of_ranks = na_store_of_ranks(&s->store);
	bool whole = a->add_connection && na_session_left_whole(s);

	return na_result_get_word(
		r, NA_WORD_EMPTY,
		a->add_queue_pair   ? no_packets(s, true)
		: whole		    ? NA_GIVE_CAPTURE
		: a->add_connection ? no_packets(s, false)
		: of_ranks          ? "sends and receives whose other rank "
				      "the trace names (Src Rank, Dst "
				      "Rank), or steps of NCCL's proxies "
				      "(NCCL Inspector)"
				    : "transfers on the network");
}

static void note_span(struct na_battery *b, const struct na_driven *d)
{
	if (!d->used)
		return;
	if (!b->used || d->first_ps < b->first_ps)
		b->first_ps = d->first_ps;
	if (!b->used || d->last_ps > b->last_ps)
		b->last_ps = d->last_ps;
	if (d->used > b->used)
		b->used = d->used;
}

/* One on a thread: with a session of its own that looks at the records
 * of all. */
struct job {
	const struct na_analysis *a;
	const struct na_extra_analysis *beside; /* NULL: an exhibit */
	bool captured; /* of captures alone, beside traces */
	struct na_session session;
	struct na_result *r;
	struct na_driven driven;
	struct na_err err;
	int64_t took_ns;
};

enum { N_JOBS = 2 * (int)N_ANALYSES + (int)NA_MAX_EXTRA };

struct jobs {
	struct job items[N_JOBS];
	size_t order[N_JOBS], n;
	const struct na_filter *asked;
	struct na_readers *readers; /* NULL: none counts them */
};

static void run_row(struct job *j, const struct na_filter *asked)
{
	const struct na_request *q = j->session.request;
	void *params = NULL;

	j->r = na_result_new();
	if (!j->r) {
		na_fail_nomem(&j->err);
		return;
	}
	j->session.filter = *asked;
	if (j->beside) {
		j->session.threads = 1;
		j->session.filter.traces_first = false;
		na_in_err(na_drive(&j->session, j->a, j->beside->params,
				   &ungrouped, j->r, &j->driven, &j->err));
		return;
	}
	j->session.filter.captures_alone = j->captured;
	/* Pictures have them in their captions. */
	j->session.inputs_told = !q->draws;
	if (q->params(q, &j->a->info, &params, &j->err) == NA_OK)
		na_in_err(na_analyse(&j->session, j->a, params, &ungrouped,
				     j->r, &j->driven, &j->err));
	q->drop_params(&j->a->info, params);
}

/* It looks at the records, or has ended. */
static void count_reader(struct na_readers *all, const struct na_analysis *a,
			 bool ended)
{
	for (int k = 0; all && k < NA_N_RECORDS; k++) {
		if (a->passes_over >> k & 1)
			continue;
		if (ended)
			atomic_fetch_sub(&all->of[k], 1);
		else
			atomic_fetch_add(&all->of[k], 1);
	}
}

static void run_job(void *ctx, size_t i)
{
	struct jobs *x = ctx;
	struct job *j = &x->items[x->order[i]];
	int64_t started_ns = na_now_ns();

	if (!na_interrupted())
		run_row(j, x->asked);
	count_reader(x->readers, j->a, true);
	j->took_ns = na_now_ns() - started_ns;
}

/* On one thread whoever passes over records runs behind those that give them
 * back, and these behind all others. */
static unsigned turn_of(const struct na_analysis *a, size_t threads)
{
	enum { LAST = 1 << 16 };

	if (threads > 1 || (!a->forgets && !a->lets_go))
		return a->begins;
	return a->begins + (a->passes_over ? 2 * LAST : LAST);
}

static void put_in_order(struct jobs *x, size_t threads)
{
	for (size_t i = 0; i < x->n; i++) {
		unsigned turn = turn_of(x->items[i].a, threads);
		size_t k = i;

		for (; k > 0 && turn_of(x->items[x->order[k - 1]].a, threads) >
					turn;
		     k--)
			x->order[k] = x->order[k - 1];
		x->order[k] = i;
	}
}

/* Jobs have copies of the store: what one has given back, this one has no
 * more. */
static void let_records_go(struct na_store *s, const struct na_readers *all)
{
	for (int k = 0; k < NA_N_RECORDS; k++) {
		if (!all->cut[k])
			na_store_forget_kind(s, (enum na_record_kind)k);
	}
#define NA_RECORD(...)
#define NA_RECORD_PACKED(KIND, chunks, ...) \
	s->chunks.first = s->chunks.last = NULL; \
	s->chunks.room = 0;
#include "netan/model/records.def"
}

/* What goes wrong with it it keeps to itself, but for memory. */
static void drop_job(struct job *j, struct na_err *err)
{
	na_result_free(j->r);
	if (j->err.status != NA_OK && err->status == NA_OK)
		*err = j->err;
}

/* Without anything to analyse there is no such exhibit. */
static enum na_status take_captured(struct na_battery *b, struct job *j,
				    struct na_err *err)
{
	if (b->n_of_captures == NA_MAX_CAPTURED) {
		na_result_free(j->r);
		return NA_OK;
	}
	b->of_captures[b->n_of_captures++] = j->r;
	na_hide_result(b->session.request, j->r);
	if (j->err.status != NA_OK) {
		*err = j->err;
		return err->status;
	}
	if (j->driven.used)
		b->captured[b->n_captured++] =
			(struct na_exhibit){.name = j->a->info.name,
					    .result = j->r};
	return NA_OK;
}

/* What packets tell is of captures alone as it is. */
static void share_packets(struct na_battery *b)
{
	for (size_t i = 0; b->n_captured && i < b->n; i++) {
		const struct na_analysis *a = b->analyses[i];

		if (b->n_captured < NA_MAX_CAPTURED && a &&
		    (a->add_connection || a->add_queue_pair))
			b->captured[b->n_captured++] = b->exhibits[i];
	}
}

/* Results stand in the order of analyses.def, whichever was done first. */
static enum na_status take_job(struct na_battery *b, struct job *j,
			       struct na_err *err)
{
	struct na_exhibit *x = &b->exhibits[b->n];

	x->name = j->a->info.name;
	b->analyses[b->n] = j->a;
	b->driven[b->n] = j->driven;
	b->owned[b->n++] = j->r;
	na_hide_result(b->session.request, j->r);
	if (j->err.status != NA_OK) {
		*err = j->err;
		return err->status;
	}
	na_say_detail(b->session.request, "%s took %.3f s", x->name,
		      (double)j->took_ns / 1e9);
	note_span(b, &j->driven);
	if (j->driven.used)
		x->result = j->r;
	else
		x->missing =
			j->r ? missing_of(j->a, j->r, &b->session)
			     : "interrupted";
	return NA_OK;
}

static enum na_status read_all(struct na_battery *b, struct na_filter *asked,
			       const struct choice *choice, struct na_err *err)
{
	struct na_session *s = &b->session;
	enum na_status st = na_session_filter(s, err);

	if (st == NA_OK)
		st = na_session_topology(s, err);
	if (st != NA_OK)
		return st;
	*asked = s->filter;
	asked->traces_first = true;
	s->wants = 0;
	widen(s, asked, choice);
	st = na_session_read(s, true, err);
	return st == NA_OK ? na_session_place(s, err) : st;
}

static bool any_mixed(const struct na_store *s)
{
	for (uint32_t i = 0; i < s->n_runs; i++) {
		if (na_store_mixed(s, i))
			return true;
	}
	return false;
}

/* Once more, of captures that lie beside traces. */
static void add_captured(struct jobs *x, const struct na_battery *b,
			 const struct choice *choice)
{
	/* Of calls the others are already. */
	if (na_filter_calls_alone(x->asked) || !any_mixed(&b->session.store))
		return;
	for (const struct na_analysis *const *a = na_evidence; *a; a++) {
		struct job *j = &x->items[x->n];

		if (!(*a)->runs_on_captures || !chosen(choice, *a))
			continue;
		*j = (struct job){.a = *a,
				  .captured = true,
				  .session = b->session,
				  .err = {.status = NA_OK}};
		/* These records are the others' to give back. */
		j->session.readers = NULL;
		j->session.clocks = NULL;
		na_store_leave_captures(&j->session.store);
		x->n++;
	}
}

static enum na_status run_rows(struct na_battery *b,
			       const struct na_filter *asked,
			       const struct choice *choice, struct na_err *err)
{
	struct jobs *x = na_calloc(1, sizeof(*x));
	struct na_readers readers = {.cut = {false}};
	struct na_shared_clocks clocks;
	bool ok;

	if (!x)
		return na_fail_nomem(err);
	na_shared_clocks_init(&clocks);
	b->session.clocks = &clocks;
	if (b->session.request->analyses_alone && !choice->n_beside)
		b->session.readers = &readers;
	x->asked = asked;
	x->readers = b->session.readers;
	for (const struct na_analysis *const *a = na_evidence; *a; a++) {
		if (chosen(choice, *a))
			x->items[x->n++] = (struct job){
				.a = *a,
				.session = b->session,
				.err = {.status = NA_OK},
			};
	}
	for (size_t i = 0; i < choice->n_beside && i < NA_MAX_EXTRA; i++)
		x->items[x->n++] = (struct job){
			.a = choice->beside[i].analysis,
			.beside = &choice->beside[i],
			.session = b->session,
			.err = {.status = NA_OK},
		};
	add_captured(x, b, choice);
	put_in_order(x, b->session.threads);
	for (size_t i = 0; i < x->n; i++)
		count_reader(b->session.readers, x->items[i].a, false);
	ok = na_parallel(b->session.threads, x->n, run_job, x);
	/* Rows that did not run are no evidence. */
	b->session.interrupted |= na_interrupted();
	b->session.clocks = NULL;
	if (b->session.readers)
		let_records_go(&b->session.store, &readers);
	b->session.readers = NULL;
	na_shared_clocks_fini(&clocks);
	for (size_t i = 0; i < x->n; i++) {
		if (ok && x->items[i].beside)
			drop_job(&x->items[i], err);
		else if (ok && err->status == NA_OK && x->items[i].captured)
			take_captured(b, &x->items[i], err);
		else if (ok && err->status == NA_OK)
			take_job(b, &x->items[i], err);
		else
			na_result_free(x->items[i].r);
	}
	free(x);
	share_packets(b);
	return ok ? err->status : na_fail_nomem(err);
}

static enum na_status run_all(struct na_battery *b,
			      const struct na_filter *asked,
			      const struct choice *choice, struct na_err *err)
{
	int64_t started_ns = na_now_ns();
	struct na_result *r;

	if (run_rows(b, asked, choice, err) != NA_OK)
		return err->status;
	na_say_detail(b->session.request, "the analyses took %.3f s",
		      (double)(na_now_ns() - started_ns) / NA_NS_PER_S);
	b->session.filter = *asked;
	r = na_inventory(b);
	if (!r)
		return na_fail_nomem(err);
	na_battery_add(b, "session", r, NULL);
	if (named(choice, "hang") && na_battery_hangs(b, err) != NA_OK)
		return err->status;
	return named(choice, "hlo") ? na_battery_programs(b, err) : NA_OK;
}

enum na_status na_battery_run(struct na_battery *b, const struct na_request *q,
			      bool (*wanted)(void *ctx, const char *name),
			      void *ctx, const struct na_extra_analysis *beside,
			      size_t n)
{
	const struct choice choice = {wanted, ctx, beside, n};
	struct na_err err = {.status = NA_OK};
	struct na_filter asked;
	enum na_status st;

	memset(b, 0, sizeof(*b));
	b->hangs.request = q;
	b->hangs.beside = true;
	/* Logs and dumps of all are rank 0's. */
	if (named(&choice, "hang") && na_world_speaks(q->world) &&
	    na_hang_reading(&b->hangs, &err) != NA_OK) {
		na_say_error(q, "%s", err.text);
		return err.status;
	}
	st = na_session_open_beside(&b->session, q, wants_at_most(&choice),
				    &b->hangs);
	if (st != NA_OK)
		return st;
	if (read_all(b, &asked, &choice, &err) == NA_OK)
		run_all(b, &asked, &choice, &err);
	if (err.status != NA_OK)
		na_say_error(q, "%s", err.text);
	return err.status;
}

size_t na_battery_told_by(const struct na_battery *b)
{
	size_t best = 0;
	unsigned least = UINT_MAX;

	for (size_t i = 0; i < b->n; i++) {
		const struct na_analysis *a = b->analyses[i];
		unsigned turn = !a                    ? UINT_MAX
				: a->reports_coverage ? a->reports_coverage
						      : UINT_MAX - 1;

		if (b->exhibits[i].result && turn < least) {
			least = turn;
			best = i;
		}
	}
	return best;
}

void na_battery_add(struct na_battery *b, const char *name, struct na_result *r,
		    const char *missing)
{
	if (b->n == NA_MAX_EVIDENCE) {
		na_result_free(r);
		return;
	}
	na_hide_result(b->session.request, r);
	b->exhibits[b->n] = (struct na_exhibit){name, r, missing};
	b->owned[b->n++] = r;
}

const struct na_result *na_battery_result(const struct na_battery *b,
					  const char *name)
{
	for (size_t i = 0; i < b->n; i++) {
		if (strcmp(b->exhibits[i].name, name) == 0)
			return b->exhibits[i].result;
	}
	return NULL;
}

void na_battery_close(struct na_battery *b)
{
	na_session_close(&b->session);
	na_hang_reading_fini(&b->hangs);
	for (size_t i = 0; i < b->n; i++)
		na_result_free(b->owned[i]);
	for (size_t i = 0; i < b->n_of_captures; i++)
		na_result_free(b->of_captures[i]);
}
