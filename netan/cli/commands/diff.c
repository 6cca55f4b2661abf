/* diff: what changed between two runs. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/analyses/diff/diff.h"
#include "netan/cli/commands/diff_judged.h"
#include "netan/engine/session/session.h"

extern const struct na_analysis na_an_diff;

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_LIST, 0, "fail-if", offsetof(struct diff_params, fail_if),
	 "LIMIT", NULL, 0, 0,
	 "exit with 3 where B is beyond, such as 'latency.p99>+10%', "
	 "'throughput.mean<-5%' or 'steps.p50>2s'",
	 .brief = "exit status 3 beyond it: 'latency.p99>+10%'"},
	{NA_OPT_COUNT, 0, "top", offsetof(struct diff_params, top), "N", "10", 0,
	 1e9, "hosts, pairs and collectives that are listed of each kind",
	 .brief = "hosts, pairs, collectives that are listed of each"},
	NA_OPT_END
};
/* clang-format on */

static enum na_exit two_runs(const struct na_cli *cli, const char *said)
{
	na_say_error(&cli->request, "diff compares two runs: %s", said);
	na_say_hint(&cli->request,
		    "netan diff A B; where a run is several inputs: netan "
		    "diff --label before a1 a2 --label after b1 b2");
	return NA_EXIT_USAGE;
}

/* Each operand is a run, unless labels say which are one. */
static enum na_exit name_runs(struct na_cli *cli)
{
	static const char *const names[] = {"A", "B"};
	size_t labelled = 0, labels = 0, pipes = 0;

	for (size_t i = 0; i < cli->request.n_inputs; i++) {
		const char *label = cli->request.inputs[i].label;
		size_t k = 0;

		pipes += strcmp(cli->request.inputs[i].path, "-") == 0;
		labelled += label != NULL;
		while (label && k < i &&
		       (!cli->request.inputs[k].label ||
			strcmp(cli->request.inputs[k].label, label) != 0))
			k++;
		labels += label && k == i;
	}
	if (pipes > 1)
		return two_runs(cli, "standard input can be one of them");
	if (!labelled && cli->request.n_inputs == 2) {
		for (size_t i = 0; i < 2; i++)
			cli->request.inputs[i].label = names[i];
		return NA_EXIT_OK;
	}
	if (!labelled && cli->request.n_inputs == 1)
		return two_runs(cli, "there is one input");
	if (!labelled)
		return two_runs(cli, "there are more than two inputs, and no "
				     "--label says which belong to one run");
	if (labelled < cli->request.n_inputs)
		return two_runs(cli, "an input stands before the first "
				     "--label");
	return labels == 2  ? NA_EXIT_OK
	       : labels < 2 ? two_runs(cli, "there is one --label")
			    : two_runs(cli, "there are more than two labels");
}

/* --quiet says no warnings, and one of two runs that is not there is more
 * than that. */
static void say_absent(const struct na_cli *cli)
{
	for (size_t i = 0; i < cli->request.n_inputs; i++) {
		const char *path = cli->request.inputs[i].path;
		struct stat is;

		if (strcmp(path, "-") != 0 && stat(path, &is) != 0)
			na_say_error(&cli->request, "%s: %s", path,
				     strerror(errno));
	}
}

static enum na_exit diff_run(struct na_cli *cli)
{
	struct diff_params *p = cli->params;
	struct na_arena arena = {.blocks = NULL};
	enum na_exit exit = name_runs(cli);

	if (exit != NA_EXIT_OK)
		return exit;
	if (p->fail_if.n)
		cli->common.fail_on = 0; /* of the analysis' own severity */
	na_catch_interrupt();
	na_diff_judge_runs(cli, &arena, p->judged);
	exit = na_stopped(cli, false) ? NA_EXIT_INTERRUPTED
				      : na_run_this_analysis(cli, &na_an_diff);
	na_arena_fini(&arena);
	if (exit == NA_EXIT_FAILED && cli->common.quiet)
		say_absent(cli);
	return exit;
}

static const char details[] =
	"Compares B, the second input, with A, the first. Runs of several inputs "
	"need a --label NAME before each. Each run counts time from its own "
	"start.\n"
	"Metrics, each as .p10 .p20 ... .p90 .p95 .p99 .p99_9 and .mean:\n"
	"\n"
	"  latency     us     network latency of receives; calls of captures\n"
	"  sizes       bytes  of the same transfers\n"
	"  throughput  gbps   what all hosts receive in a step (launch); where not "
	"both\n"
	"                     runs have 8, in a 64th of the longer run's time\n"
	"  slack       us     of each execution of a collective on a device\n"
	"  stall       us     likewise, time inside the four ops\n"
	"  steps       ms     from the end of the step before to the end of "
	"the\n"
	"                     step, mean over devices; of launches their length\n"
	"\n"
	"Of captures it compares losses, too: independent losses are worse or "
	"better at twice the rate (p below 0.001 of equal Poisson rates, 5 or "
	"more in one run), those of RoCEv2 separately. Timeouts, closed "
	"windows, NAKs, repeats and reordered segments come in bursts, and are "
	"shown without a verdict.\n"
	"95 % simultaneous intervals of B - A (ci95) and of B / A (ratio_ci95): "
	"block bootstrap, 8 blocks of steps, 1000 resamples, Holm.\n"
	"better and worse: the interval does not contain \"no change\", and the "
	"ratio is beyond 1.05, from p95 on beyond 1.10. same: the whole "
	"interval lies within that. unclear: neither; detectable is the "
	"smallest ratio that it could detect. too few: not enough values "
	"beyond the quantile. mix: other sizes or pairs, not slower "
	"transfers.\n"
	"unlike: the runs do not show the same work (a trace against a capture, "
	"GPUs against TPUs, other numbers of hosts, devices or ranks, other "
	"programs, collectives or services). The first line gives the reason, "
	"changes are called differs, hosts, pairs and collectives are not "
	"compared, and limits of B against A are undecided.\n"
	"The first line names the suspects of check in either run, otherwise "
	"the largest change: a host, pair or collective by more than 25 %. The "
	"answers of check for each run are below (judged); it reads each run "
	"once more, except from a pipe.\n"
	"Hosts, pairs and collectives changed if their latency at equal sizes "
	"did by more than 10 % (false discovery rate 0.01); those of one run "
	"alone are in --table only. --table compared has Kolmogorov's and "
	"Anderson and Darling's tests, which assume independent values.\n"
	"--fail-if takes METRIC>+N% or METRIC<-N% (B against A) and "
	"METRIC>VALUE or METRIC<VALUE with a unit (B alone: ns us ms s, KiB MiB "
	"GiB, Gbps Mbps). The exit status is 3 if the whole interval lies "
	"beyond the limit; an interval that contains it is undecided, and no "
	"failure.";

static const struct na_command_info diff_info = {
	.name = "diff",
	.question = "what changed between two runs",
	.usage = "[OPTION…] A B",
	.details = details,
	.method = "shift function: Doksum, 1974; intervals: Efron, 1979, "
		  "Hesterberg, 2015; all at once: Holm, 1979",
	.example = "netan diff before after -o shift.svg\n"
		   "netan diff good.netan logdir --fail-if 'latency.p99>+10%'\n"
		   "netan diff --label old old1.pcap old2.pcap --label new "
		   "new.pcap\n"
		   "netan diff before after --format csv --table hosts",
	.opts = opts,
	.params_size = sizeof(struct diff_params),
};

const struct na_command na_cmd_diff = {
	.info = &diff_info,
	.joins = NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_OUTPUT |
		 NA_JOIN_PICTURE | NA_JOIN_PROGRAMS | NA_JOIN_PLACES,
	.whole = true,
	.run = diff_run,
};
