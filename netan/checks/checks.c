/* The checks in turn, and what they found as a result. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/check.h"
#include "netan/checks/look.h"
#include "netan/checks/verdict.h"
#include "netan/result/emit.h"

#define NA_CHECK(name) extern const struct na_check na_check_##name;
#include "netan/checks/checks.def"
#undef NA_CHECK

/* clang-format off */
const struct na_check *const na_checks[] = {
#define NA_CHECK(name) &na_check_##name,
#include "netan/checks/checks.def"
#undef NA_CHECK
	NULL
};
/* clang-format on */

const struct na_check *na_check_find(const char *id)
{
	for (size_t i = 0; na_checks[i]; i++) {
		if (strcmp(na_checks[i]->id, id) == 0)
			return na_checks[i];
	}
	return NULL;
}

bool na_check_reads(const struct na_check *check, const char *exhibit)
{
	const char *const *needs = check->needs, *const *uses = check->uses;

	for (size_t i = 0; i < NA_CHECK_READS; i++) {
		if ((needs[i] && strcmp(needs[i], exhibit) == 0) ||
		    (uses[i] && strcmp(uses[i], exhibit) == 0))
			return true;
	}
	return false;
}

/* clang-format off */
const char *const na_confidences[] = {
	[NA_CERTAIN] = "certain",
	[NA_LIKELY] = "likely",
	[NA_POSSIBLE] = "possible",
};
/* clang-format on */

static const struct na_exhibit *exhibit(const struct na_case *c,
					const char *name)
{
	const struct na_checks_asked *asked = c->asked;
	const struct na_exhibit *x = c->captured ? asked->captured
						 : asked->exhibits;
	size_t n = c->captured ? asked->n_captured : asked->n_exhibits;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(x[i].name, name) == 0)
			return &x[i];
	}
	return NULL;
}

static const struct na_result *result_of(const struct na_case *c,
					 const char *name)
{
	const struct na_exhibit *x = exhibit(c, name);

	return x ? x->result : NULL;
}

const struct na_value *na_case_body(const struct na_case *c, const char *name)
{
	const struct na_result *r = result_of(c, name);

	return r ? na_result_get_body(r) : NULL;
}

const struct na_value *na_case_side(const struct na_case *c, const char *name)
{
	const struct na_result *r = result_of(c, name);

	return r ? na_result_get_side(r) : NULL;
}

const struct na_value *na_case_doc(const struct na_case *c, const char *name)
{
	const struct na_result *r = result_of(c, name);

	return r ? na_result_get_doc(r) : NULL;
}

/* What the command shows has been looked at for captures by itself. */
static bool is_parted(const struct na_case *c, const char *options)
{
	const struct na_checks_asked *asked = c->asked;
	size_t n = strcspn(options, " ");

	for (size_t i = 0; i < asked->n_captured; i++) {
		const struct na_exhibit *x = &asked->captured[i];

		if (strncmp(x->name, options, n) == 0 && !x->name[n])
			return x->result != result_of(c, x->name);
	}
	return false;
}

/* More is shown of what was looked at. */
static enum na_inputs_of inputs_of(const struct na_case *c, const char *options)
{
	if (c->captured)
		return NA_INPUTS_CAPTURES;
	return is_parted(c, options) ||
			       (c->asked->n_captured && c->check &&
				c->check->of_either)
		       ? NA_INPUTS_TRACES
		       : NA_INPUTS_ALL;
}

/* "netan pairs --top 20 INPUTS" */
static const char *command(struct na_case *c, const char *options)
{
	const char *rest = c->asked->rest(c->asked->ctx, options,
					  inputs_of(c, options));

	c->failed |= !rest;
	return na_case_text(c, "%s %s %s",
			    c->asked->program ? c->asked->program : "netan",
			    options, rest ? rest : "");
}

struct na_finding *na_case_find(struct na_case *c, enum na_severity severity,
				enum na_confidence confidence, const char *more)
{
	struct na_finding *f = na_arena_alloc(c->arena, sizeof(*f));

	if (f && na_grow(&c->findings, &c->cap, c->n + 1, sizeof(f))) {
		c->findings[c->n++] = f;
	} else {
		c->failed = true;
		f = &c->spare;
	}
	*f = (struct na_finding){
		.check = c->check,
		.captured = c->captured,
		.severity = severity,
		.confidence = confidence,
		.lost_s = NAN,
		.cost_ms_per_step = NAN,
		.roughly = "",
		.of = "",
		.base = "",
		.from_s = NAN,
		.to_s = NAN,
		.command = more ? command(c, more) : NULL,
		.evidence = na_put_object(c->r, na_result_side(c->r),
					  M_evidence),
		.facts = na_case_list(c),
	};
	return f;
}

void na_case_draw(struct na_case *c, struct na_finding *f, const char *picture)
{
	f->picture = command(c, picture);
}

struct na_value *na_case_list(struct na_case *c)
{
	return na_put_list(c->r, na_result_side(c->r), M_evidence);
}

void na_case_copy_all(struct na_case *c, struct na_value *to,
		      const struct na_value *from, const char *const *names)
{
	for (; *names; names++)
		na_put_alias(c->r, to, *names, na_get(from, *names));
}

void na_case_accuse(struct na_finding *f, enum na_cause cause,
		    struct na_who who, const char *name)
{
	f->cause = cause;
	f->who = who;
	f->culprit = name;
}

struct na_who na_who_of(const struct na_value *culprit)
{
	return (struct na_who){
		.kind = na_text_or(culprit, M_kind, NULL),
		.host = na_text_or(culprit, M_host, NULL),
		.src_host = na_text_or(culprit, M_src_host, NULL),
		.dst_host = na_text_or(culprit, M_dst_host, NULL),
		.hosts = na_get(culprit, M_hosts),
		.no_file = na_flag_at(culprit, M_no_file),
		.alternatives = na_get(culprit, M_alternatives),
		.row = culprit,
	};
}

void na_case_cost(struct na_case *c, struct na_finding *f, double lost_s)
{
	size_t steps = na_length(na_case_body(c, "steps"), M_steps);

	f->lost_s = lost_s;
	if (steps)
		f->cost_ms_per_step = lost_s * NA_MS_PER_S / (double)steps;
}

void na_case_join(struct na_case *c, struct na_finding *f)
{
	f->also = c->check;
	c->joined = true;
}

const char *na_case_text(struct na_case *c, const char *fmt, ...)
{
	struct na_str s = {0};
	const char *text;
	va_list args;

	va_start(args, fmt);
	na_str_addv(&s, fmt, args);
	va_end(args);
	text = na_str_keep(&s, c->arena);
	c->failed |= !text;
	return text ? text : "";
}

const char *na_case_say(struct na_case *c, struct na_fact fact)
{
	return na_say(&c->phrases, fact);
}

void na_case_evidence(struct na_case *c, struct na_finding *f,
		      struct na_fact fact)
{
	na_put_text(c->r, f->facts, NULL, na_case_say(c, fact));
}

void na_case_needs(struct na_case *c, struct na_fact fact)
{
	c->missing = na_case_say(c, fact);
}

bool na_case_asks(const struct na_case *c, const char *id)
{
	const struct na_check *check = na_check_find(id);

	return check &&
	       (!c->asked->wanted || c->asked->wanted(c->asked->ctx, check));
}

const char *na_case_lacks(const struct na_case *c, const char *name)
{
	const struct na_exhibit *x = exhibit(c, name);

	return !x          ? "this kind of input does not show it"
	       : x->result ? NULL
			   : x->missing;
}

/* What the check needs and is not there, in the exhibit's words. */
static const char *lacks(const struct na_case *c, const struct na_check *check)
{
	const char *missing = NULL;

	for (size_t i = 0; check->needs[i] && !missing; i++)
		missing = na_case_lacks(c, check->needs[i]);
	return missing;
}

static size_t place_of(const struct na_check *check)
{
	size_t i = 0;

	while (na_checks[i] && na_checks[i] != check)
		i++;
	return i;
}

static double known(double cost)
{
	return isnan(cost) ? -1 : cost;
}

/* An upper bound is the middle of what it may be, so that it stands before no
 * cost of its size that was found. */
static double weight_ms(const struct na_finding *f)
{
	return known(f->cost_ms_per_step / (na_is_at_most(f) ? 2 : 1));
}

/* Worst first, then what costs most, then the order of the playbook. */
NA_ORDER(by_weight, struct na_finding *, NA_CMP((*y)->severity, (*x)->severity),
	 NA_CMP(weight_ms(*y), weight_ms(*x)),
	 NA_CMP(known((*y)->lost_s), known((*x)->lost_s)),
	 NA_CMP(place_of((*x)->check), place_of((*y)->check)),
	 NA_CMP((*x)->from_s, (*y)->from_s), strcmp((*x)->title, (*y)->title))

/* Who is called guilty by name, and nobody else may be, is an error: a script
 * that asks for errors is told so, too. */
static void set_in_order(struct na_case *c)
{
	struct na_finding *accuser;

	na_sort(c->findings, c->n, by_weight);
	accuser = na_verdict_accuser(c);
	if (!accuser || !accuser->who.kind ||
	    na_items(accuser->who.alternatives))
		return;
	accuser->severity = NA_SEV_ERROR;
	na_sort(c->findings, c->n, by_weight);
}

static void put_verdict(struct na_case *c, struct na_value *body)
{
	static const char *const outcomes[] = {
		[NA_GUILTY] = "guilty",
		[NA_ONE_OF] = "one_of",
		[NA_NOT_GUILTY] = "not_guilty",
		[NA_CANNOT_TELL] = "cannot_tell",
	};
	enum na_outcome outcome;

	na_put_text(c->r, body, M_verdict, na_verdict(c, &outcome));
	na_put_text(c->r, body, M_outcome, outcomes[outcome]);
}

static void put_finding(struct na_case *c, struct na_value *list,
			struct na_finding *f)
{
	struct na_value *row = na_put_object(c->r, list, NULL);

	na_put_text(c->r, row, M_id, f->check->id);
	na_put_text(c->r, row, M_severity, na_severity_name(f->severity));
	na_put_text(c->r, row, M_title, f->title);
	na_put_alias(c->r, row, M_evidence, f->evidence);
	na_put_alias(c->r, row, M_evidence_text, f->facts);
	na_put_real(c->r, row, M_from_s, f->from_s);
	na_put_real(c->r, row, M_to_s, f->to_s);
	na_put_text(c->r, row, M_confidence, na_confidences[f->confidence]);
	na_put_text(c->r, row, M_remedy, f->remedy);
	na_put_text(c->r, row, M_command, f->command);
	if (f->picture)
		na_put_text(c->r, row, M_picture, f->picture);
	if (f->window)
		na_put_text(c->r, row, M_window, f->window);
	na_put_real(c->r, row, M_lost_s, f->lost_s);
	na_put_real(c->r, row, M_cost_ms_per_step, f->cost_ms_per_step);
	if (f->cost_ms_per_step > 0 && *f->roughly) /* without its space */
		na_put_text(c->r, row, M_cost_is,
			    na_case_text(c, "%.*s",
					 (int)strlen(f->roughly) - 1,
					 f->roughly));
	if (f->sure)
		na_put_text(c->r, row, M_sure, f->sure);
	if (f->otherwise)
		na_put_text(c->r, row, M_otherwise, f->otherwise);
	if (f->also)
		na_put_text(c->r, row, M_also, f->also->id);
}

/* Whom the verdict accuses, and what an acquittal rests on. */
static void put_grounds(struct na_case *c, struct na_value *body)
{
	const struct na_value *power = na_get(na_case_body(c, "pairs"),
					      M_power);

	na_verdict_put_accused(c, body);
	na_put_alias(c->r, body, M_power, power ? power : na_case_list(c));
}

struct sorted {
	struct na_value *passed, *not_run;
};

static bool accuses(const struct na_finding *f)
{
	return f->cause && f->severity > NA_SEV_INFO;
}

/* One cause, one cost: see na_case_cost(). */
static void settle_costs(struct na_case *c)
{
	const struct na_finding *payer = NULL;
	bool accused = false;

	for (size_t i = 0; i < c->n; i++)
		accused |= accuses(c->findings[i]);
	for (size_t i = 0; !accused && i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (f->check->costs_stall && f->cost_ms_per_step > 0 &&
		    (!payer || f->cost_ms_per_step > payer->cost_ms_per_step))
			payer = f;
	}
	for (size_t i = 0; i < c->n; i++) {
		if (c->findings[i]->check->costs_stall &&
		    c->findings[i] != payer)
			c->findings[i]->cost_ms_per_step = NAN;
	}
}

static void settle(struct na_case *c)
{
	settle_costs(c);
	for (size_t i = 0; i < c->n; i++) {
		c->captured = c->findings[i]->captured;
		if (c->findings[i]->check->settle)
			c->findings[i]->check->settle(c, c->findings[i]);
	}
	c->captured = false;
}

/* What is found in captures beside traces, as in these alone; comes back what
 * is missing there, NULL where nothing is or no captures tell transfers. */
static const char *judge_captured(struct na_case *c,
				  const struct na_check *check)
{
	size_t before = c->n;

	c->captured = check->of_either;
	c->missing = NULL;
	if (c->captured && !lacks(c, check))
		check->judge(c);
	c->captured = false;
	for (size_t i = before; i < c->n; i++)
		c->findings[i]->title = na_case_say(
			c, na_fact_of_captures(c->findings[i]->title));
	return c->n == before ? c->missing : NULL;
}

/* What the check lacks; NULL: nothing. */
static const char *judge(struct na_case *c, const struct na_check *check)
{
	const char *missing = lacks(c, check), *there;

	c->missing = NULL;
	if (!missing) {
		check->judge(c);
		missing = c->missing;
	}
	if (!missing && check->each_host)
		missing = na_files_missing(c);
	there = judge_captured(c, check);
	return missing ? missing
	       : there ? na_case_say(c, na_fact_passed_of_traces(there))
		       : NULL;
}

void na_finding_limit(struct na_finding *f)
{
	if (f->check->maturity != NA_CANDIDATE)
		return;
	f->severity = NA_SEV_INFO;
	f->cause = NA_CAUSE_NONE;
	f->who = (struct na_who){NULL};
	f->suspicion = false;
}

static void run_one(struct na_case *c, const struct na_check *check,
		    const struct sorted *to)
{
	const char *missing;
	size_t before = c->n;
	struct na_value *row;

	c->check = check;
	c->joined = false;
	missing = judge(c, check);
	if (missing && check->of_xla && na_of_ranks(c))
		missing = na_case_say(c, na_fact_needs_xla_job());
	for (size_t i = before; i < c->n; i++) {
		na_finding_limit(c->findings[i]);
		if (!c->findings[i]->facts->n)
			na_case_evidence(c, c->findings[i],
					 na_fact_what_command_shows(
						 c->findings[i]->command));
	}
	if (c->n > before || c->joined)
		return;
	if (!missing) {
		na_put_text(c->r, to->passed, NULL, check->id);
		return;
	}
	row = na_put_object(c->r, to->not_run, NULL);
	na_put_text(c->r, row, M_id, check->id);
	na_put_text(c->r, row, M_missing, missing);
}

enum na_status na_checks_run(const struct na_checks_asked *asked,
			     struct na_result *r, int *worst,
			     struct na_err *err)
{
	struct na_value *body = na_result_body(r), *list;
	struct na_arena arena = {NULL};
	struct na_case c = {
		.asked = asked,
		.limits = asked->limits,
		.capacity_gbps = asked->capacity_gbps,
		.r = r,
		.arena = &arena,
		.phrases.arena = &arena,
	};
	struct sorted to;

	to.passed = na_case_list(&c);
	to.not_run = na_case_list(&c);
	for (size_t i = 0; na_checks[i]; i++) {
		if (na_case_asks(&c, na_checks[i]->id))
			run_one(&c, na_checks[i], &to);
	}
	settle(&c);
	na_case_windows(&c);
	set_in_order(&c);
	put_verdict(&c, body);
	list = na_put_list(r, body, M_findings);
	for (size_t i = 0; i < c.n; i++)
		put_finding(&c, list, c.findings[i]);
	na_put_alias(r, body, M_passed, to.passed);
	na_put_alias(r, body, M_not_run, to.not_run);
	put_grounds(&c, body);
	na_checks_views(&c);
	*worst = c.n ? (int)c.findings[0]->severity : 0;
	free(c.findings);
	na_arena_fini(&arena);
	if (c.failed || c.phrases.failed || !na_result_ok(r))
		return na_fail_nomem(err);
	return NA_OK;
}
