/* diff: what changed between two runs. */
#include <stddef.h>
#include <string.h>

#include "netan/analyses/diff.h"
#include "netan/cli/cli.h"

extern const struct na_analysis na_an_diff;

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_LIST, 0, "fail-if", offsetof(struct df_params, fail_if),
	 "LIMIT", NULL, 0, 0,
	 "exit with 3 where B is beyond, such as 'latency.p99>+10%', "
	 "'throughput.mean<-5%' or 'steps.p50>2s' (can be repeated)"},
	{NA_OPT_COUNT, 0, "top", offsetof(struct df_params, top), "N", "10", 0,
	 1e9, "hosts, pairs and collectives that are listed of each kind"},
	NA_OPT_END
};
/* clang-format on */

static enum na_exit two_runs(const struct na_cli *cli, const char *said)
{
	na_say_error(cli, "diff compares two runs: %s", said);
	na_say_hint(cli, "netan diff A B; where a run is several inputs: netan "
			 "diff --label before a1 a2 --label after b1 b2");
	return NA_EXIT_USAGE;
}

/* Each operand is a run, unless labels say which are one. */
static enum na_exit name_runs(struct na_cli *cli)
{
	static const char *const names[] = {"A", "B"};
	size_t labelled = 0, labels = 0, pipes = 0;

	for (size_t i = 0; i < cli->n_inputs; i++) {
		const char *label = cli->inputs[i].label;
		size_t k = 0;

		pipes += strcmp(cli->inputs[i].path, "-") == 0;
		labelled += label != NULL;
		while (label && k < i &&
		       (!cli->inputs[k].label ||
			strcmp(cli->inputs[k].label, label) != 0))
			k++;
		labels += label && k == i;
	}
	if (pipes > 1)
		return two_runs(cli, "standard input can be one of them");
	if (!labelled && cli->n_inputs == 2) {
		for (size_t i = 0; i < 2; i++)
			cli->inputs[i].label = names[i];
		return NA_EXIT_OK;
	}
	if (!labelled && cli->n_inputs == 1)
		return two_runs(cli, "there is one input");
	if (!labelled)
		return two_runs(cli, "there are more than two inputs, and no "
				     "--label tells which are one run");
	if (labelled < cli->n_inputs)
		return two_runs(cli, "an input stands before the first "
				     "--label");
	return labels == 2  ? NA_EXIT_OK
	       : labels < 2 ? two_runs(cli, "there is one --label")
			    : two_runs(cli, "there are more than two labels");
}

static enum na_exit run(struct na_cli *cli)
{
	const struct df_params *p = cli->params;
	enum na_exit exit = name_runs(cli);

	if (exit != NA_EXIT_OK)
		return exit;
	if (p->fail_if.n)
		cli->common.fail_on = 0; /* of the analysis' own severity */
	return na_run_this_analysis(cli, &na_an_diff);
}

static const struct na_face diff_face = {
	.name = "diff",
	.question = "what changed between two runs",
	.usage = "[OPTION…] A B",
	.details = "",
	.example = "netan diff before after -o shift.svg\n",
	.opts = opts,
	.params_size = sizeof(struct df_params),
};

const struct na_command na_cmd_diff = {
	.face = &diff_face,
	.joins = NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_OUTPUT |
		 NA_JOIN_PICTURE | NA_JOIN_PROGRAMS,
	.run = run,
};
