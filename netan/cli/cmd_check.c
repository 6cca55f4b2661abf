/* check: what is wrong, in order of importance, and what to do. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/capacity.h"
#include "netan/base/similar.h"
#include "netan/cli/again.h"
#include "netan/cli/battery.h"
#include "netan/result/emit.h"

struct params {
	struct na_text_list only, skip;
	const char *capacity;
	struct na_limits limits;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_LIST, 0, "only", FIELD(only), "ID", NULL, 0, 0,
	 "run this check alone (can be repeated)"},
	{NA_OPT_LIST, 0, "skip", FIELD(skip), "ID", NULL, 0, 0,
	 "leave this check out (can be repeated)"},
	{NA_OPT_TEXT, 'c', "capacity", FIELD(capacity), "RATE", NULL, 0, 0,
	 "network capacity of one host, all its NICs: 100Gbps, "
	 "4x200Gbps/2 or v6e"},
#define NA_LIMIT(name, option, def, min, max, arg, help) \
	{NA_OPT_REAL, 0, option, FIELD(limits.name), arg, def, min, max, help},
#include "netan/checks/limits.def"
#undef NA_LIMIT
	NA_OPT_END
};
/* clang-format on */

static bool listed(const struct na_text_list *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->items[i], id) == 0)
			return true;
	}
	return false;
}

struct asking {
	const struct na_cli *cli;
	struct na_arena arena; /* of texts for the findings */
};

static bool wanted(void *ctx, const struct na_check *check)
{
	const struct asking *a = ctx;
	const struct params *p = a->cli->params;

	return (!p->only.n || listed(&p->only, check->id)) &&
	       !listed(&p->skip, check->id);
}

/* Whether one of the checks that are wanted reads an exhibit. */
static bool read_by_any(void *ctx, const char *name)
{
	for (size_t i = 0; na_checks[i]; i++) {
		const struct na_check *k = na_checks[i];

		if (!wanted(ctx, k))
			continue;
		for (size_t j = 0; j < NA_CHECK_READS; j++) {
			if ((k->needs[j] && strcmp(k->needs[j], name) == 0) ||
			    (k->uses[j] && strcmp(k->uses[j], name) == 0))
				return true;
		}
	}
	return false;
}

static const char *rest_of(void *ctx, const char *name)
{
	struct asking *a = ctx;

	return na_again(a->cli, name, &a->arena);
}

static const char *closest(const char *id)
{
	const char *best = NULL;
	size_t least = strlen(id) / 2 + 1;

	for (size_t i = 0; na_checks[i]; i++) {
		const char *one = na_checks[i]->id;
		size_t d = na_edit_distance(id, strlen(id), one, strlen(one));

		if (na_starts_nocase(one, strlen(one), id) && *id)
			d = 0;
		if (d < least) {
			least = d;
			best = one;
		}
	}
	return best;
}

static enum na_exit unknown_id(const struct na_cli *cli, const char *option,
			       const struct na_text_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (na_check_find(l->items[i]))
			continue;
		na_say_error(cli, "%s %.60s: there is no such check%s%s%s",
			     option, l->items[i],
			     closest(l->items[i]) ? "; did you mean '" : "",
			     closest(l->items[i]) ? closest(l->items[i]) : "",
			     closest(l->items[i]) ? "'?" : "");
		na_say_hint(cli, "netan help check lists them");
		return NA_EXIT_USAGE;
	}
	return NA_EXIT_OK;
}

static enum na_exit refuse_runs(const struct na_cli *cli)
{
	na_say_error(cli, "check judges one run, and these are several");
	na_say_hint(cli, "netan diff compares two runs; or check each by "
			 "itself");
	return NA_EXIT_USAGE;
}

static bool labels_differ(const struct na_cli *cli)
{
	for (size_t i = 1; i < cli->n_inputs; i++) {
		const char *a = cli->inputs[i - 1].label;
		const char *b = cli->inputs[i].label;

		if (a != b && (!a || !b || strcmp(a, b) != 0))
			return true;
	}
	return false;
}

/* What the command line alone can tell is wrong. */
static enum na_exit check_params(const struct na_cli *cli, double *gbps)
{
	const struct params *p = cli->params;
	struct na_err err = {.status = NA_OK};
	enum na_exit exit = unknown_id(cli, "--only", &p->only);

	if (exit == NA_EXIT_OK)
		exit = unknown_id(cli, "--skip", &p->skip);
	if (exit == NA_EXIT_OK && labels_differ(cli))
		exit = refuse_runs(cli);
	if (exit == NA_EXIT_OK && p->capacity &&
	    na_capacity_parse(p->capacity, gbps, &err) != NA_OK) {
		na_say_error(cli, "%s", err.text);
		exit = NA_EXIT_USAGE;
	}
	return exit;
}

/* No analysis found anything of its kind. */
static enum na_exit say_nothing(struct na_battery *b)
{
	struct na_session *s = &b->session;

	if (s->interrupted)
		return NA_EXIT_FAILED;
	if (!na_session_any_host(s)) {
		na_say_error(s->cli, "--host matches no host");
		na_session_say_there_is(s);
		return NA_EXIT_FAILED;
	}
	if (s->store.transfers.n ||
	    na_store_count(&s->store, SIZE_MAX, NA_RX, NA_VALID)) {
		na_say_error(s->cli, "nothing to check: the filters leave no "
				     "transfer, step or packet");
		na_session_say_there_is(s);
		return NA_EXIT_FAILED;
	}
	na_say_error(s->cli, "nothing to check: looked for transfers on the "
			     "network, steps and operations of devices, and "
			     "packets");
	na_session_say_planes(s);
	if (s->damaged)
		na_say_hint(s->cli, "the input is damaged or unreadable in "
				    "part (see the warnings): what is missing "
				    "may be in what was lost");
	return NA_EXIT_FAILED;
}

/* The exhibit whose count of what was used says most. */
static size_t told_by(const struct na_battery *b)
{
	static const char *const names[] = {"sizes", "latency", "rpc",
					    "pairs", "bursts",  "timeline",
					    "steps", "slack"};

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		for (size_t i = 0; i < b->n; i++) {
			if (b->exhibits[i].result &&
			    strcmp(b->exhibits[i].name, names[k]) == 0)
				return i;
		}
	}
	for (size_t i = 0; i + 1 < b->n; i++) {
		if (b->exhibits[i].result)
			return i;
	}
	return 0;
}

/* Files, hosts, duration, used, left out: as that analysis says it. */
static void put_coverage(struct na_battery *b, struct na_result *r)
{
	struct na_session *s = &b->session;
	size_t i = told_by(b);
	const char *line = na_result_get_headline(b->owned[i]);

	line = line ? strchr(line, ':') : NULL;
	if (line)
		na_result_note(r, "looked at%s", line);
	na_envelope(s, r, "check", b->driven[i].used,
		    ((double)b->last_ps - (double)b->first_ps) / 1e12,
		    b->driven[i].side, b->driven[i].dropped);
}

static enum na_exit judge(struct na_battery *b, struct asking *asking,
			  double gbps, struct na_result *r)
{
	const struct na_cli *cli = b->session.cli;
	const struct na_checks_asked asked = {
		.exhibits = b->exhibits,
		.n_exhibits = b->n,
		.limits = &((struct params *)cli->params)->limits,
		.capacity_gbps = gbps,
		.inputs = "",
		.rest = rest_of,
		.wanted = wanted,
		.ctx = asking,
	};
	struct na_err err = {.status = NA_OK};
	enum na_exit exit, verdict;
	int worst;

	if (!b->used) {
		na_session_verdict(&b->session);
		return say_nothing(b);
	}
	if (na_checks_run(&asked, r, &worst, &err) != NA_OK) {
		na_say_error(cli, "%s", err.text);
		return NA_EXIT_FAILED;
	}
	put_coverage(b, r);
	exit = na_session_verdict(&b->session);
	verdict = na_output(cli, r);
	exit = verdict == NA_EXIT_OK ? exit : verdict;
	if (exit != NA_EXIT_OK)
		return exit;
	return cli->common.fail_on >= 0 && worst > cli->common.fail_on
		       ? NA_EXIT_FINDINGS
		       : NA_EXIT_OK;
}

static enum na_exit run(struct na_cli *cli)
{
	const struct params *p = cli->params;
	struct asking asking = {.cli = cli};
	struct na_result *r = na_result_new();
	enum na_exit exit = na_output_check(cli);
	struct na_battery b;
	double gbps = 0;

	if (exit == NA_EXIT_OK)
		exit = check_params(cli, &gbps);
	if (exit != NA_EXIT_OK || !r) {
		na_result_free(r);
		return exit == NA_EXIT_OK ? NA_EXIT_FAILED : exit;
	}
	na_catch_interrupt();
	na_arena_init(&asking.arena);
	exit = na_battery_run_some(&b, cli, p->capacity, read_by_any, &asking);
	if (exit == NA_EXIT_OK && b.session.store.n_runs > 1)
		exit = refuse_runs(cli);
	if (exit == NA_EXIT_OK)
		exit = judge(&b, &asking, gbps, r);
	na_battery_close(&b);
	na_arena_fini(&asking.arena);
	na_result_free(r);
	return exit;
}

static const struct na_face check_face = {
	.name = "check",
	.question = "what is wrong, in order of importance, and what to do",
	.usage = "[OPTION…] INPUT…",
	.details = "",
	.example = "netan check logdir\n"
		   "netan check logdir --fail-on warning",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_check = {
	.face = &check_face,
	.joins = NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_OUTPUT |
		 NA_JOIN_FINDINGS | NA_JOIN_PROGRAMS,
	.run = run,
};
