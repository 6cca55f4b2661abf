/* check: what is wrong, in order of importance, and what to do. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/capacity.h"
#include "netan/cli/battery.h"

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

static bool wanted(void *ctx, const struct na_check *check)
{
	const struct params *p = ctx;

	return (!p->only.n || listed(&p->only, check->id)) &&
	       !listed(&p->skip, check->id);
}

static enum na_exit unknown_id(const struct na_cli *cli, const char *option,
			       const struct na_text_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (na_check_find(l->items[i]))
			continue;
		na_say_error(cli, "%s %.60s: there is no such check", option,
			     l->items[i]);
		na_say_hint(cli, "netan help check lists them");
		return NA_EXIT_USAGE;
	}
	return NA_EXIT_OK;
}

/* What the command line alone can tell is wrong. */
static enum na_exit check_params(const struct na_cli *cli, double *gbps)
{
	const struct params *p = cli->params;
	struct na_err err = {.status = NA_OK};
	enum na_exit exit = unknown_id(cli, "--only", &p->only);

	if (exit == NA_EXIT_OK)
		exit = unknown_id(cli, "--skip", &p->skip);
	if (exit == NA_EXIT_OK && p->capacity &&
	    na_capacity_parse(p->capacity, gbps, &err) != NA_OK) {
		na_say_error(cli, "%s", err.text);
		exit = NA_EXIT_USAGE;
	}
	return exit;
}

static enum na_exit judge(struct na_battery *b, double gbps,
			  struct na_result *r)
{
	static const uint64_t none[NA_N_REASONS];
	const struct na_cli *cli = b->session.cli;
	const struct na_checks_asked asked = {
		.exhibits = b->exhibits,
		.n_exhibits = b->n,
		.limits = &((struct params *)cli->params)->limits,
		.capacity_gbps = gbps,
		.inputs = cli->n_inputs ? cli->inputs[0].path : "",
		.wanted = wanted,
		.ctx = cli->params,
	};
	struct na_err err = {.status = NA_OK};
	enum na_exit exit, verdict;
	int worst;

	if (na_checks_run(&asked, r, &worst, &err) != NA_OK) {
		na_say_error(cli, "%s", err.text);
		return NA_EXIT_FAILED;
	}
	na_envelope(&b->session, r, "check", b->used,
		    ((double)b->last_ps - (double)b->first_ps) / 1e12, -1,
		    none);
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
	exit = na_battery_run(&b, cli, p->capacity);
	if (exit == NA_EXIT_OK)
		exit = judge(&b, gbps, r);
	na_battery_close(&b);
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
