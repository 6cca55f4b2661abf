#include "netan/engine/battery.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/cli/anonymize.h"
#include "netan/cli/opt.h"
#include "netan/engine/inventory.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/result/emit.h"

struct row {
	const char *name;
	const struct na_analysis *a;
	unsigned turn; /* to begin */
};

#define NA_EVIDENCE(name, turn) extern const struct na_analysis na_an_##name;
#include "netan/engine/evidence.def"
#undef NA_EVIDENCE

/* clang-format off */
static const struct row rows[] = {
#define NA_EVIDENCE(name, turn) {#name, &na_an_##name, turn},
#include "netan/engine/evidence.def"
#undef NA_EVIDENCE
};
/* clang-format on */

/* Which rows are asked for. */
struct choice {
	bool (*wanted)(void *ctx, const char *name);
	void *ctx;
};

static bool named(const struct choice *c, const char *exhibit)
{
	return !c->wanted || c->wanted(c->ctx, exhibit);
}

static bool chosen(const struct choice *c, const struct row *row)
{
	return named(c, row->name);
}

#define N_ROWS (sizeof(rows) / sizeof(*rows))
_Static_assert(N_ROWS <= (size_t)NA_MAX_EVIDENCE, "room for every row");

/* As one group. */
static const struct na_grouping ungrouped;

/* What all rows together want read. */
static void widen(struct na_session *s, const struct na_filter *asked,
		  const struct choice *choice)
{
	if (asked->side < 0)
		s->filter.side = -1;
	if (named(choice, "hlo"))
		s->wants |= NA_WANT_PROGRAMS;
	for (size_t i = 0; i < N_ROWS; i++) {
		struct na_filter f = na_drive_filter(rows[i].a, asked,
						     &ungrouped, false);

		if (!chosen(choice, &rows[i]))
			continue;
		s->filter.clip |= f.clip;
		s->filter.instants |= f.instants;
		s->filter.components |= f.components;
		s->wants |= na_drive_wants(rows[i].a, &f, &ungrouped);
	}
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

/* An analysis with its own defaults, and a capacity where it takes one. */
static enum na_status params_of(const struct na_analysis *a,
				const char *capacity, void **params,
				struct na_err *err)
{
	struct na_opt_group group = {"", a->face.opts, NULL};
	struct na_opt_parser p = {.groups = &group, .n_groups = 1};
	/* The value is kept where it is: on the command line. */
	char name[] = "--capacity";
	char *argv[] = {name, (char *)(uintptr_t)capacity};
	enum na_status st;

	*params = na_calloc(1, a->face.params_size);
	if (!*params)
		return na_fail_nomem(err);
	if (!a->face.opts)
		return NA_OK;
	group.params = *params;
	st = na_opt_defaults(&group, 1, err);
	if (st != NA_OK || !capacity ||
	    !na_opt_find(&group, 1, "capacity", strlen("capacity")))
		return st;
	return na_opt_parse(&p, 2, argv, err);
}

static void free_params(const struct na_analysis *a, void *params)
{
	struct na_opt_group group = {"", a->face.opts, params};

	if (params && a->face.opts)
		na_opt_free(&group, 1);
	free(params);
}

/* In words, what it would take. */
static const char *missing_of(const struct na_analysis *a,
			      const struct na_result *r)
{
	return na_result_get_word(r, NA_WORD_EMPTY,
				  a->add_connection
					  ? "a packet capture"
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

/* One row on a thread: with a session of its own that looks at the records
 * of all. */
struct job {
	const struct row *row;
	struct na_session session;
	struct na_result *r;
	struct na_driven driven;
	struct na_err err;
	int64_t took_ns;
};

struct jobs {
	struct job items[N_ROWS];
	size_t order[N_ROWS], n;
	const struct na_filter *asked;
	const char *capacity;
};

static void run_row(struct job *j, const struct na_filter *asked,
		    const char *capacity)
{
	const struct na_analysis *a = j->row->a;
	void *params = NULL;

	j->r = na_result_new();
	if (!j->r) {
		na_fail_nomem(&j->err);
		return;
	}
	j->session.filter = *asked;
	if (params_of(a, capacity, &params, &j->err) == NA_OK)
		na_in_err(na_analyse(&j->session, a, params, &ungrouped, j->r,
				     &j->driven, &j->err));
	free_params(a, params);
}

static void run_job(void *ctx, size_t i)
{
	struct jobs *x = ctx;
	struct job *j = &x->items[x->order[i]];
	int64_t started_ns = na_now_ns();

	if (!na_interrupted())
		run_row(j, x->asked, x->capacity);
	j->took_ns = na_now_ns() - started_ns;
}

static void put_in_order(struct jobs *x)
{
	for (size_t i = 0; i < x->n; i++) {
		unsigned turn = x->items[i].row->turn;
		size_t k = i;

		for (; k > 0 && x->items[x->order[k - 1]].row->turn > turn; k--)
			x->order[k] = x->order[k - 1];
		x->order[k] = i;
	}
}

/* Results stand in the order of the rows, whichever was done first. */
static enum na_status take_job(struct na_battery *b, struct job *j,
			       struct na_err *err)
{
	struct na_exhibit *x = &b->exhibits[b->n];

	x->name = j->row->name;
	b->driven[b->n] = j->driven;
	b->owned[b->n++] = j->r;
	na_hide_result(b->session.cli, j->r);
	if (j->err.status != NA_OK) {
		*err = j->err;
		return err->status;
	}
	na_say_detail(b->session.cli, "%s took %.3f s", x->name,
		      (double)j->took_ns / 1e9);
	note_span(b, &j->driven);
	if (j->driven.used)
		x->result = j->r;
	else
		x->missing = j->r ? missing_of(j->row->a, j->r) : "interrupted";
	return NA_OK;
}

static enum na_status read_all(struct na_battery *b, struct na_filter *asked,
			       const struct choice *choice, enum na_exit *exit,
			       struct na_err *err)
{
	struct na_session *s = &b->session;
	enum na_status st = na_session_filter(s, err);

	if (st == NA_OK)
		st = na_session_topology(s, err);
	if (st != NA_OK)
		return st;
	*asked = s->filter;
	s->wants = 0;
	widen(s, asked, choice);
	*exit = na_session_read(s, true);
	return *exit == NA_EXIT_OK ? na_session_place(s, err) : NA_OK;
}

static enum na_status run_rows(struct na_battery *b,
			       const struct na_filter *asked,
			       const struct choice *choice, struct na_err *err)
{
	struct jobs *x = na_calloc(1, sizeof(*x));
	struct na_shared_clocks clocks;
	bool ok;

	if (!x)
		return na_fail_nomem(err);
	na_shared_clocks_init(&clocks);
	b->session.clocks = &clocks;
	x->asked = asked;
	x->capacity = b->session.cli->common.capacity;
	for (size_t i = 0; i < N_ROWS; i++) {
		if (chosen(choice, &rows[i]))
			x->items[x->n++] = (struct job){
				.row = &rows[i],
				.session = b->session,
				.err = {.status = NA_OK},
			};
	}
	put_in_order(x);
	ok = na_parallel(b->session.threads, x->n, run_job, x);
	b->session.clocks = NULL;
	na_shared_clocks_fini(&clocks);
	for (size_t i = 0; i < x->n; i++) {
		if (ok && err->status == NA_OK)
			take_job(b, &x->items[i], err);
		else
			na_result_free(x->items[i].r);
	}
	free(x);
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
	na_say_detail(b->session.cli, "the analyses took %.3f s",
		      (double)(na_now_ns() - started_ns) / NA_NS_PER_S);
	b->session.filter = *asked;
	r = na_inventory(b);
	if (!r)
		return na_fail_nomem(err);
	na_battery_add(b, "session", r, NULL);
	return named(choice, "hlo") ? na_battery_programs(b, err) : NA_OK;
}

enum na_exit na_battery_run_some(struct na_battery *b, const struct na_cli *cli,
				 bool (*wanted)(void *ctx, const char *name),
				 void *ctx)
{
	const struct choice choice = {wanted, ctx};
	struct na_err err = {.status = NA_OK};
	struct na_filter asked;
	enum na_exit exit;

	memset(b, 0, sizeof(*b));
	exit = na_session_open(&b->session, cli, wants_at_most(&choice));
	if (exit != NA_EXIT_OK)
		return exit;
	if (read_all(b, &asked, &choice, &exit, &err) == NA_OK &&
	    exit == NA_EXIT_OK)
		run_all(b, &asked, &choice, &err);
	if (err.status == NA_OK)
		return exit;
	na_say_error(cli, "%s", err.text);
	return err.status == NA_EUSAGE ? NA_EXIT_USAGE : NA_EXIT_FAILED;
}

enum na_exit na_battery_run(struct na_battery *b, const struct na_cli *cli)
{
	return na_battery_run_some(b, cli, NULL, NULL);
}

void na_battery_add(struct na_battery *b, const char *name, struct na_result *r,
		    const char *missing)
{
	if (b->n == NA_MAX_EVIDENCE) {
		na_result_free(r);
		return;
	}
	na_hide_result(b->session.cli, r);
	b->exhibits[b->n] = (struct na_exhibit){name, r, missing};
	b->owned[b->n++] = r;
}

void na_battery_close(struct na_battery *b)
{
	na_session_close(&b->session);
	for (size_t i = 0; i < b->n; i++)
		na_result_free(b->owned[i]);
}
