#include "netan/cli/battery.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/cli/inventory.h"
#include "netan/cli/opt.h"
#include "netan/result/emit.h"

struct row {
	const char *name;
	const struct na_analysis *a;
	const char *by;
	uint32_t components;
};

#define NA_EVIDENCE(name, analysis, by, components) \
	extern const struct na_analysis na_an_##analysis;
#include "netan/cli/evidence.def"
#undef NA_EVIDENCE

/* clang-format off */
static const struct row rows[] = {
#define NA_EVIDENCE(name, analysis, by, components) \
	{#name, &na_an_##analysis, by, components},
#include "netan/cli/evidence.def"
#undef NA_EVIDENCE
};
/* clang-format on */

/* Which rows are asked for. */
struct choice {
	bool (*wanted)(void *ctx, const char *name);
	void *ctx;
};

static bool chosen(const struct choice *c, const struct row *row)
{
	return !c->wanted || c->wanted(c->ctx, row->name);
}

#define N_ROWS (sizeof(rows) / sizeof(*rows))
_Static_assert(N_ROWS <= (size_t)NA_MAX_EVIDENCE, "room for every row");

static struct na_filter filter_of(const struct row *row,
				  const struct na_filter *asked)
{
	struct na_filter f = *asked;

	if (row->components)
		f.components = row->components;
	return f;
}

static enum na_status grouping_of(const struct row *row, struct na_grouping *by,
				  struct na_err *err)
{
	return na_grouping_parse(*row->by ? row->by : NULL, by, err);
}

/* What all rows together want read. */
static enum na_status widen(struct na_session *s, const struct na_filter *asked,
			    const struct choice *choice, struct na_err *err)
{
	if (asked->side < 0)
		s->filter.side = -1;
	for (size_t i = 0; i < N_ROWS; i++) {
		struct na_filter f = filter_of(&rows[i], asked);
		struct na_grouping by;

		if (!chosen(choice, &rows[i]))
			continue;
		if (grouping_of(&rows[i], &by, err) != NA_OK)
			return err->status;
		f = na_drive_filter(rows[i].a, &f, &by, rows[i].components);
		s->filter.clip |= f.clip;
		s->filter.instants |= f.instants;
		s->filter.components |= f.components;
		s->wants |= na_drive_wants(rows[i].a, &f, &by);
	}
	return NA_OK;
}

/* Before opening, when no filter is known yet. */
static uint32_t wants_at_most(const struct choice *choice)
{
	struct na_session s = {.wants = 0};
	struct na_err err = {.status = NA_OK};
	struct na_filter f;

	na_filter_init(&f);
	f.side = -1;
	if (widen(&s, &f, choice, &err) != NA_OK)
		return 0;
	return s.wants;
}

/* An analysis with its own defaults, and a capacity where it takes one. */
static enum na_status params_of(const struct na_analysis *a,
				const char *capacity, void **params,
				struct na_err *err)
{
	struct na_opt_group group = {"", a->face.opts, NULL};
	struct na_opt_parser p = {.groups = &group, .n_groups = 1};
	char text[128], *argv[] = {text};
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
	snprintf(text, sizeof(text), "--capacity=%s", capacity);
	return na_opt_parse(&p, 1, argv, err);
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
	const struct na_value *side = na_result_get_side(r);

	return na_text_of(na_get(side, "empty"),
			  a->add_connection ? "a packet capture"
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

static enum na_status run_row(struct na_battery *b, const struct row *row,
			      const struct na_filter *asked,
			      const char *capacity, struct na_err *err)
{
	struct na_exhibit *x = &b->exhibits[b->n];
	struct na_driven *d = &b->driven[b->n];
	struct na_result *r = na_result_new();
	void *params = NULL;
	struct na_grouping by;
	enum na_status st;

	x->name = row->name;
	b->owned[b->n++] = r;
	if (!r)
		return na_fail_nomem(err);
	b->session.filter = filter_of(row, asked);
	st = grouping_of(row, &by, err);
	if (st == NA_OK)
		st = params_of(row->a, capacity, &params, err);
	if (st == NA_OK)
		st = na_analyse(&b->session, row->a, params, &by, r, d, err);
	free_params(row->a, params);
	if (st != NA_OK)
		return st;
	note_span(b, d);
	if (d->used)
		x->result = r;
	else
		x->missing = missing_of(row->a, r);
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
	st = widen(s, asked, choice, err);
	if (st != NA_OK)
		return st;
	*exit = na_session_read(s, true);
	return *exit == NA_EXIT_OK ? na_session_place(s, err) : NA_OK;
}

static enum na_status run_rows(struct na_battery *b,
			       const struct na_filter *asked,
			       const char *capacity,
			       const struct choice *choice, struct na_err *err)
{
	struct na_result *r;

	for (size_t i = 0; err->status == NA_OK && i < N_ROWS; i++) {
		if (chosen(choice, &rows[i]))
			run_row(b, &rows[i], asked, capacity, err);
	}
	b->session.filter = *asked;
	r = err->status == NA_OK ? na_inventory(b) : NULL;
	if (err->status == NA_OK && !r)
		return na_fail_nomem(err);
	if (r)
		na_battery_add(b, "session", r, NULL);
	return err->status;
}

enum na_exit na_battery_run_some(struct na_battery *b, const struct na_cli *cli,
				 const char *capacity,
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
	    exit == NA_EXIT_OK) {
		run_rows(b, &asked, capacity, &choice, &err);
		if (err.status == NA_OK)
			na_battery_programs(b, &err);
	}
	if (err.status == NA_OK)
		return exit;
	na_say_error(cli, "%s", err.text);
	return err.status == NA_EUSAGE ? NA_EXIT_USAGE : NA_EXIT_FAILED;
}

enum na_exit na_battery_run(struct na_battery *b, const struct na_cli *cli,
			    const char *capacity)
{
	return na_battery_run_some(b, cli, capacity, NULL, NULL);
}

void na_battery_add(struct na_battery *b, const char *name, struct na_result *r,
		    const char *missing)
{
	if (b->n == NA_MAX_EVIDENCE) {
		na_result_free(r);
		return;
	}
	b->exhibits[b->n] = (struct na_exhibit){name, r, missing};
	b->owned[b->n++] = r;
}

void na_battery_close(struct na_battery *b)
{
	na_session_close(&b->session);
	for (size_t i = 0; i < b->n; i++)
		na_result_free(b->owned[i]);
}
