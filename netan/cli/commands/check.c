/* check: what is wrong, in order of importance, and what to do. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/similar.h"
#include "netan/cli/again.h"
#include "netan/cli/commands/host_settings.h"
#include "netan/cli/commands/run_checks.h"

struct params {
	struct na_text_list only, skip;
	bool brief;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_LIST, 0, "only", FIELD(only), "ID", NULL, 0, 0,
	 "run this check alone"},
	{NA_OPT_LIST, 0, "skip", FIELD(skip), "ID", NULL, 0, 0,
	 "leave this check out"},
	{NA_OPT_FLAG, 0, "short", FIELD(brief), NULL, NULL, 0, 0,
	 "print remarks and checks that could not run in a line each, as a "
	 "terminal shows them; -v prints all"},
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
	const struct na_session *session;
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
		if (wanted(ctx, na_checks[i]) &&
		    na_check_reads(na_checks[i], name))
			return true;
	}
	return false;
}

static const char *rest_of(void *ctx, const char *name, enum na_inputs_of of)
{
	struct asking *a = ctx;

	return na_again_of(a->cli, a->session, of, name, &a->arena);
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
		na_say_error(&cli->request,
			     "%s %.60s: there is no such check%s%s%s", option,
			     l->items[i],
			     closest(l->items[i]) ? "; did you mean '" : "",
			     closest(l->items[i]) ? closest(l->items[i]) : "",
			     closest(l->items[i]) ? "'?" : "");
		na_say_hint(&cli->request, "netan help check lists them");
		return NA_EXIT_USAGE;
	}
	return NA_EXIT_OK;
}

static bool any_wanted(const struct na_cli *cli)
{
	struct asking asking = {.cli = cli};
	bool any = false;

	for (size_t i = 0; na_checks[i]; i++)
		any |= wanted(&asking, na_checks[i]);
	return any;
}

/* What the command line alone can tell is wrong. */
static enum na_exit check_params(const struct na_cli *cli,
				 struct na_checks_asked *asked)
{
	const struct params *p = cli->params;
	enum na_exit exit = unknown_id(cli, "--only", &p->only);

	if (exit == NA_EXIT_OK)
		exit = unknown_id(cli, "--skip", &p->skip);
	if (exit == NA_EXIT_OK)
		exit = na_checks_options(cli, asked);
	asked->brief = !cli->common.verbose &&
		       (p->brief || na_output_is_screen(cli));
	if (exit == NA_EXIT_OK && !any_wanted(cli)) {
		na_say_error(&cli->request, "--only and --skip leave no check");
		exit = NA_EXIT_USAGE;
	}
	return exit;
}

static enum na_exit check_judge(const struct na_cli *cli, struct na_battery *b,
				const struct na_checks_asked *asked,
				struct na_result *r)
{
	enum na_exit exit, verdict;
	int worst;

	exit = na_run_checks(cli, b, asked, r, &worst);
	if (exit != NA_EXIT_OK)
		return exit;
	if (na_stopped(cli, false))
		return NA_EXIT_INTERRUPTED;
	exit = na_exit_of(na_session_verdict(&b->session));
	verdict = na_output(cli, r);
	exit = verdict == NA_EXIT_OK ? exit : verdict;
	return exit == NA_EXIT_OK ? na_checks_exit(cli, worst) : exit;
}

static enum na_exit check_run(struct na_cli *cli)
{
	struct asking asking = {.cli = cli};
	struct na_checks_asked asked = {.wanted = wanted,
					.ctx = &asking,
					.rest = rest_of};
	enum na_exit exit = check_params(cli, &asked);
	struct na_snapshots snapshots = {.n = 0};
	struct na_battery b;

	asking.session = &b.session;
	cli->request.one_run = true;
	if (exit == NA_EXIT_OK)
		exit = na_snapshots_find(&snapshots, cli);
	if (exit != NA_EXIT_OK) {
		na_snapshots_fini(&snapshots);
		return exit;
	}
	na_catch_interrupt();
	cli->request.analyses_alone = true;
	exit = na_exit_of(na_battery_run(&b, &cli->request, read_by_any,
					 &asking, NULL, 0));
	if (na_stopped(cli, b.session.interrupted))
		exit = NA_EXIT_INTERRUPTED;
	if (exit == NA_EXIT_OK)
		exit = na_snapshots_add(&snapshots, cli, &b);
	if (exit == NA_EXIT_OK)
		exit = check_judge(cli, &b, &asked, cli->result);
	na_battery_close(&b);
	na_snapshots_fini(&snapshots);
	na_arena_fini(&asking.arena);
	return exit;
}

static const char *ids(size_t k, const char **what)
{
	for (size_t i = 0; i <= k; i++) {
		if (!na_checks[i])
			return NULL;
	}
	*what = na_checks[k]->question;
	return na_checks[k]->id;
}

static const char details[] =
	"Reads all inputs once and reports the verdict, then the findings, the "
	"worst first: evidence, confidence, time, action, and a command that "
	"shows more.\n"
	"The verdict is \"suspect: ...\" (\"possible cause: ...\" if other causes "
	"fit as well) if a test or a count names a side of the network; "
	"\"Network looks healthy: ...\", with the largest possible "
	"slowdown and the real bottleneck, if a relevant fault would have been "
	"detected; otherwise \"cannot tell: ...\", with the missing input. "
	"Hosts that only wait for a suspect are not named.\n"
	"Confidence: certain is counted; likely is a test that rejects chance, or "
	"two sources that agree; possible fits, and other causes fit as well. "
	"The cost of a suspect is the time by which the median step would be "
	"shorter without it. One cause has one cost.\n"
	"Severity (--fail-on): a suspect is an error, a named trouble a "
	"warning, a remark info. Skipped checks are listed with the input that "
	"they need.\n"
	"--host-settings judges snapshots of the hosts (netan sysctl "
	"--snapshot) and joins them with the trace: transfers that are late by "
	"a timer, and a host with that minimum retransmission timeout, are one "
	"finding. Hosts match by name, or by the part before the first dot; "
	"unknown settings are neither found nor passed.\n"
	"The checks, for --only and --skip:";

static const struct na_command_info check_info = {
	.name = "check",
	.question = "what is wrong, in order of importance, and what to do",
	.usage = "[OPTION…] INPUT…",
	.details = details,
	.matter = "capacity,output,format,from,to,step,host,only,skip,fail-on",
	.example = "netan check logdir\n"
		   "netan check logdir --capacity 100Gbps -o check.md\n"
		   "netan check logdir --skip bursty --fail-on warning",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_check = {
	.info = &check_info,
	.joins = NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_OUTPUT |
		 NA_JOIN_FINDINGS | NA_JOIN_PROGRAMS | NA_JOIN_PLACES |
		 NA_JOIN_CHECKS | NA_JOIN_MANY,
	.whole = true,
	.ids = ids,
	.run = check_run,
};
