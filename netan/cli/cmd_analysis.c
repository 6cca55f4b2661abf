/*
 * Any analysis of the registry as a command: read, resolve, let blocks of
 * records through the analysis on all cores, write the result.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/analysis.h"
#include "netan/base/vec.h"
#include "netan/cli/session.h"

#define STATES_BYTES ((size_t)16 << 20) /* of block states, at once */
enum { CHUNKS_PER_BLOCK = 384 };        /* fixed: up to 87 000 transfers */

enum { SHARES = 16 }; /* of heavy work; fixed, whatever the threads */

struct drive {
	const struct na_analysis *a;
	struct na_session *s;
	struct na_scope scope;
	struct na_late late;
	void *state;
	unsigned pass;
	struct na_chunk **chunks; /* of transfers, then of graphs */
	size_t n_transfers, n_chunks, first;
	unsigned char *blocks; /* states of one round */
	uint64_t (*dropped)[NA_N_REASONS];
	enum na_status *status;
	enum na_status shared[SHARES];
};

static enum na_status add_transfers(struct drive *d, void *state,
				    const struct na_chunk *c,
				    uint64_t dropped[NA_N_REASONS])
{
	const struct na_transfer *t = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->n; i++) {
		switch (na_filter_late(&d->late, &t[i])) {
		case NA_KEEP:
			st = d->a->add(state, &t[i]);
			break;
		case NA_DROP_FILTERED:
			dropped[NA_LEFT_FILTERED]++;
			break;
		case NA_DROP_TOO_FAST:
			dropped[NA_LEFT_TOO_FAST]++;
			break;
		}
	}
	return st;
}

static enum na_status add_graphs(struct drive *d, void *state,
				 const struct na_chunk *c)
{
	const struct na_graph *g = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && d->a->add_graph && i < c->n; i++) {
		if (na_filter_graph(&d->late, &g[i]))
			st = d->a->add_graph(state, &g[i]);
	}
	return st;
}

static void run_block(void *ctx, size_t i)
{
	struct drive *d = ctx;
	void *state = d->blocks + i * d->a->state_size;
	size_t from = (d->first + i) * CHUNKS_PER_BLOCK;
	size_t to = from + CHUNKS_PER_BLOCK;
	enum na_status st = d->a->fork(state, d->state, d->pass);

	for (size_t k = from; st == NA_OK && k < to && k < d->n_chunks; k++)
		st = k < d->n_transfers ? add_transfers(d, state, d->chunks[k],
							d->dropped[i])
					: add_graphs(d, state, d->chunks[k]);
	if (st == NA_OK && d->a->seal)
		st = d->a->seal(state);
	d->status[i] = st;
}

static size_t round_of(const struct drive *d)
{
	size_t most = d->s->threads * 2, fit = most;

	if (d->a->weight && d->a->weight(d->state))
		fit = STATES_BYTES / d->a->weight(d->state);
	return fit < 1 ? 1 : fit < most ? fit : most;
}

/* One pass over all records, a round of blocks at a time, merged in input
 * order. */
static enum na_status run_pass(struct drive *d, uint64_t dropped[NA_N_REASONS],
			       struct na_err *err)
{
	size_t blocks = (d->n_chunks + CHUNKS_PER_BLOCK - 1) / CHUNKS_PER_BLOCK;
	size_t round = round_of(d);
	enum na_status st = NA_OK;

	for (d->first = 0; st == NA_OK && d->first < blocks;
	     d->first += round) {
		size_t n = blocks - d->first < round ? blocks - d->first
						     : round;

		memset(d->blocks, 0, n * d->a->state_size);
		memset(d->dropped, 0, n * sizeof(*d->dropped));
		if (!na_parallel(d->s->threads, n, run_block, d))
			return na_fail_nomem(err);
		for (size_t i = 0; i < n; i++) {
			void *block = d->blocks + i * d->a->state_size;

			st = st == NA_OK ? d->status[i] : st;
			if (st == NA_OK)
				st = d->a->merge(d->state, block, d->pass);
			d->a->fini(block);
			for (int k = 0; d->pass == 0 && k < NA_N_REASONS; k++)
				dropped[k] += d->dropped[i][k];
		}
	}
	return st == NA_OK ? NA_OK : na_fail_nomem(err);
}

static void run_share(void *ctx, size_t i)
{
	struct drive *d = ctx;

	d->shared[i] = d->a->share(d->state, i, SHARES);
}

static enum na_status run_shares(struct drive *d, struct na_err *err)
{
	if (!d->a->share)
		return NA_OK;
	if (!na_parallel(d->s->threads, SHARES, run_share, d))
		return na_fail_nomem(err);
	for (size_t i = 0; i < SHARES; i++) {
		if (d->shared[i] != NA_OK)
			return na_fail_nomem(err);
	}
	return NA_OK;
}

static bool list_chunks(struct drive *d)
{
	const struct na_store *s = &d->s->store;
	size_t n = 0;

	for (struct na_chunk *c = s->transfers.first; c; c = c->next)
		n++;
	for (struct na_chunk *c = s->graphs.first; c; c = c->next)
		n++;
	d->chunks = na_calloc(n, sizeof(struct na_chunk *));
	if (!d->chunks)
		return false;
	for (struct na_chunk *c = s->transfers.first; c; c = c->next)
		d->chunks[d->n_chunks++] = c;
	d->n_transfers = d->n_chunks;
	for (struct na_chunk *c = s->graphs.first; c; c = c->next)
		d->chunks[d->n_chunks++] = c;
	return true;
}

static enum na_status drive(struct drive *d, const void *params,
			    uint64_t dropped[NA_N_REASONS], struct na_result *r,
			    struct na_err *err)
{
	size_t round = d->s->threads * 2;
	enum na_status st;

	d->state = na_calloc(1, d->a->state_size);
	d->blocks = na_calloc(round, d->a->state_size);
	d->dropped = na_calloc(round, sizeof(*d->dropped));
	d->status = na_calloc(round, sizeof(*d->status));
	if (!d->state || !d->blocks || !d->dropped || !d->status ||
	    !list_chunks(d) ||
	    !na_late_init(&d->late, d->scope.filter, d->scope.store))
		return na_fail_nomem(err);
	st = d->a->open(d->state, &d->scope, params, err);
	for (d->pass = 0; st == NA_OK && d->pass < d->a->passes; d->pass++) {
		st = run_pass(d, dropped, err);
		if (st == NA_OK)
			st = d->a->turn(d->state, d->pass, err);
	}
	if (st == NA_OK || st == NA_END)
		st = run_shares(d, err);
	if (st == NA_OK)
		st = d->a->finish(d->state, r, err);
	if (st == NA_OK && !na_result_ok(r))
		st = na_fail_nomem(err);
	return st;
}

static void drive_fini(struct drive *d)
{
	if (d->state)
		d->a->fini(d->state);
	na_late_fini(&d->late);
	free(d->state);
	free(d->blocks);
	free(d->dropped);
	free(d->status);
	free(d->chunks);
}

static int64_t span_of(int64_t first_ps, int64_t last_ps)
{
	uint64_t span = (uint64_t)last_ps - (uint64_t)first_ps;

	return span < NA_TIME_MAX ? (int64_t)span : NA_TIME_MAX;
}

/* Files, hosts, duration, transfers, and how many were left out. */
static void headline(struct na_session *s, struct na_result *r, uint64_t used,
		     int64_t span_ps)
{
	char n[NA_UNIT_BUF], span[NA_UNIT_BUF], m[NA_UNIT_BUF];
	const struct na_value *out = na_dig(na_result_doc(r),
					    "coverage.left_out");
	uint64_t left_out = 0;
	size_t hosts = s->store.n_sources;

	for (const struct na_value *v = out ? out->u.of.first : NULL; v;
	     v = v->next)
		left_out += (uint64_t)v->u.i;
	na_result_headline(r,
			   "%s: %zu file%s, %zu host%s, %s, %s transfers "
			   "used, %s left out",
			   s->cli->command->face->name, s->n_inputs,
			   s->n_inputs == 1 ? "" : "s", hosts,
			   hosts == 1 ? "" : "s",
			   na_print_time(span, span_ps, 4),
			   na_print_count(n, used),
			   left_out ? na_print_count(m, left_out) : "none");
}

/* Runs stand side by side: no group mixes them. */
static enum na_status by_run_too(struct na_grouping *by, size_t n_runs,
				 struct na_err *err)
{
	if (n_runs < 2)
		return NA_OK;
	for (size_t i = 0; i < by->n; i++) {
		if (by->keys[i] == NA_KEY_LABEL)
			return NA_OK;
	}
	if (by->n == NA_MAX_KEYS)
		return na_fail(err, NA_EUSAGE,
			       "--by: at most %d keys beside "
			       "the labels",
			       NA_MAX_KEYS - 1);
	by->keys[by->n++] = NA_KEY_LABEL;
	return NA_OK;
}

static enum na_exit analyse(struct na_session *s, const struct na_analysis *a,
			    const struct na_grouping *by, struct na_result *r,
			    struct na_err *err)
{
	const struct na_cli *cli = s->cli;
	struct drive d = {.a = a, .s = s};
	uint64_t dropped[NA_N_REASONS] = {0}, used = 0;
	int64_t first_ps = 0, last_ps = 0;
	enum na_exit exit = NA_EXIT_OK;
	enum na_status st;
	double seconds;

	d.scope = (struct na_scope){.store = &s->store,
				    .filter = &s->filter,
				    .by = *by,
				    .top = cli->common.top > 0
						   ? (size_t)cli->common.top
						   : 0};
	st = by_run_too(&d.scope.by, s->store.n_runs, err);
	if (st == NA_OK)
		st = drive(&d, cli->params, dropped, r, err);
	if (st == NA_OK) {
		a->used(d.state, &used, &first_ps, &last_ps);
		seconds = ((double)last_ps - (double)first_ps) / 1e12;
		na_envelope(s, r, a->face.name, used, seconds, dropped,
			    a->instants);
		headline(s, r, used, span_of(first_ps, last_ps));
		if (!used) {
			na_session_say_nothing(s, r);
			exit = NA_EXIT_FAILED;
		}
	}
	drive_fini(&d);
	return st == NA_OK ? exit : NA_EXIT_FAILED;
}

static const struct na_analysis *find(const char *name)
{
	for (size_t i = 0; na_analyses[i]; i++) {
		if (strcmp(na_analyses[i]->face.name, name) == 0)
			return na_analyses[i];
	}
	return NULL;
}

static bool by_step(const struct na_cli *cli)
{
	return cli->common.step ||
	       (cli->common.by && strstr(cli->common.by, "step"));
}

enum na_exit na_run_analysis(struct na_cli *cli)
{
	const struct na_analysis *a = find(cli->command->face->name);
	struct na_result *r = na_result_new();
	struct na_err err = {.status = NA_OK};
	struct na_grouping by;
	struct na_session s;
	enum na_exit exit = na_output_check(cli), verdict;

	if (exit != NA_EXIT_OK || !r) {
		na_result_free(r);
		return exit == NA_EXIT_OK ? NA_EXIT_FAILED : exit;
	}
	na_catch_interrupt();
	/* Nobody waits for a long read to learn of a typing error. */
	if (na_grouping_parse(cli->common.by, &by, &err) != NA_OK ||
	    (a->check && a->check(cli->params, &err) != NA_OK)) {
		na_say_error(cli, "%s", err.text);
		na_result_free(r);
		return NA_EXIT_USAGE;
	}
	exit = na_session_open(&s, cli, a->wants);
	if (exit == NA_EXIT_OK &&
	    na_session_filter(&s, a->clips, &err) == NA_OK &&
	    (exit = na_session_read(&s, by_step(cli))) == NA_EXIT_OK)
		exit = analyse(&s, a, &by, r, &err);
	if (err.status != NA_OK) {
		na_say_error(cli, "%s", err.text);
		exit = err.status == NA_EUSAGE ? NA_EXIT_USAGE : NA_EXIT_FAILED;
	} else if (s.store_ready && na_get(na_result_doc(r), "schema")) {
		verdict = na_session_verdict(&s);
		exit = exit == NA_EXIT_OK ? verdict : exit;
		verdict = na_output(cli, r);
		exit = exit == NA_EXIT_OK ? verdict : exit;
	}
	na_session_close(&s);
	na_result_free(r);
	return exit;
}
