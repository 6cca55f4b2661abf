#include "netan/cli/common.h"

#include <stdlib.h>
#include <string.h>

#include "netan/analyses/analysis.h"
#include "netan/base/pseudonyms.h"
#include "netan/base/similar.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/ingest_out.h"
#include "netan/engine/memory.h"
#include "netan/exports/prom/prom.h"
#include "netan/methods/capacity.h"
#include "netan/model/group.h"
#include "plot/figure.h"

/* Options of the command line, and of the engine. */
#define AT(field)  offsetof(struct na_cli, common.field)
#define ASK(field) offsetof(struct na_cli, request.field)

/* In the order of enum na_component. */
#define COMPONENTS "network|receive|send|d2h|h2d|compute|graph|kernel|rpc"

/* clang-format off */
#define VERBOSE_ROW \
	{NA_OPT_FLAG, 'v', "verbose", AT(verbose), NULL, NULL, 0, 0, \
	 "say more about what is done"}

/* For commands with a picture and for those without. */
#define OUTPUT_ROWS(endings, in_brief) \
	{NA_OPT_LIST, 'o', "output", AT(outputs), "FILE", NULL, 0, 0, \
	 "write to FILE; the ending chooses: " endings \
	 "- is standard output", \
	 NA_PATH_WRITE, .brief = in_brief}, \
	{NA_OPT_TEXT, 0, "format", AT(format), "table|json|csv|tsv|md", NULL, \
	 0, 0, "what standard output, and a FILE without a known ending, gets " \
	 "(default: table)", \
	 .brief = "of standard output"}, \
	{NA_OPT_TEXT, 0, "table", AT(table), "TABLE", NULL, 0, 0, \
	 "which array of the JSON result csv and tsv hold " \
	 "(default: the first)"}, \
	{NA_OPT_FLAG, 'q', "quiet", AT(quiet), NULL, NULL, 0, 0, \
	 "no warnings, no progress"}, \
	VERBOSE_ROW, \
	{NA_OPT_FLAG, 0, "wide", AT(wide), NULL, NULL, 0, 0, \
	 "all columns of a table, however narrow the terminal is"}, \
	{NA_OPT_CHOICE, 0, "color", AT(color), "auto|always|never", "auto", 0, \
	 0, "colour in the table; auto: on a terminal, unless NO_COLOR is " \
	 "set"}, \
	{NA_OPT_CHOICE, 0, "progress", AT(progress), "auto|never", "auto", 0, \
	 0, "a progress line on a terminal"}, \
	NA_OPT_END

#define DRAWS_OR_WRITES "a picture, FILE.svg, or data, FILE.json, .csv, .md"

static const struct na_opt output_opts[] = {
	OUTPUT_ROWS(".json .csv .tsv .md; ", "FILE.json, .csv, .tsv, .md")
};

static const struct na_opt drawing_opts[] = {
	OUTPUT_ROWS(".svg .png .pdf draw, .json .csv .tsv .md write data; ",
		    DRAWS_OR_WRITES)
};

/* The same of commands with metrics. */
static const struct na_opt metric_opts[] = {
	OUTPUT_ROWS(".json .csv .tsv .md, .prom for Prometheus; ",
		    "FILE.json, .csv, .tsv, .md, .prom")
};

static const struct na_opt drawing_metric_opts[] = {
	OUTPUT_ROWS(".svg .png .pdf draw, .json .csv .tsv .md write data, "
		    ".prom metrics for Prometheus; ", DRAWS_OR_WRITES)
};

#define ANONYMIZE_ROW \
	{NA_OPT_FLAG, 0, "anonymize", AT(anonymize), NULL, NULL, 0, 0, \
	 "numbers hosts, addresses, users and paths (host-1, addr-1, " \
	 "input-1) in all that is printed, drawn or written; names of " \
	 "collectives, programs and labels stay, but for such in them"}

#define THREADS_ROWS \
	{NA_OPT_COUNT, 'j', "threads", ASK(threads), "N", NULL, 1, 1024, \
	 "threads (default: all cores); the output is the same for any N"}, \
	{NA_OPT_BYTES, 0, "memory", ASK(memory), "SIZE", NULL, \
	 NA_MEMORY_LEAST, 0, \
	 "how much memory is used: 512MB, at least 32MB (default: 80 % of " \
	 "what the machine or its control group allows); what is more lies " \
	 "in a temporary file meanwhile, and the output is the same"}

static const struct na_opt input_opts[] = {
	{NA_OPT_LIST, 0, "label", AT(labels), "NAME", NULL, 0, 0,
	 "name of the run that the inputs after it belong to, until the next "
	 "--label; runs are shown side by side",
	 .brief = "name of the run that the inputs after it belong to"},
	{NA_OPT_TEXT, 0, "hosts", ASK(hosts), "FILE", NULL, 0, 0,
	 "which address, or rank of a GPU job, is on which host: CSV "
	 "address,host[,slice] or rank,host", NA_PATH_READ},
	{NA_OPT_TEXT, 0, "filter", ASK(filter), "EXPR", NULL, 0, 0,
	 "captures: only packets that pass, in libpcap's capture-filter "
	 "syntax: 'tcp port 50051'",
	 .brief = "only these packets of captures: 'tcp port 50051'"},
	{NA_OPT_CHOICE, 0, "anchor", ASK(anchor), "auto|start|end", "auto", 0,
	 0, "what the time of a transfer event means in old traces; auto: "
	 "decided from the data; the output says which"},
	THREADS_ROWS,
	{NA_OPT_FLAG, 0, "strict", ASK(strict), NULL, NULL, 0, 0,
	 "a damaged or unreadable input makes the exit status 1"},
	ANONYMIZE_ROW,
	NA_OPT_END
};

static const struct na_opt name_opts[] = {
	ANONYMIZE_ROW,
	NA_OPT_END
};

static const struct na_opt worker_opts[] = {
	{NA_OPT_LIST, 0, "label", AT(labels), "NAME", NULL, 0, 0,
	 "name of the worker that the inputs after it belong to, until the "
	 "next --label; in front of the names where they are several",
	 .brief = "name of the worker of the inputs after it"},
	THREADS_ROWS,
	{NA_OPT_FLAG, 0, "strict", ASK(strict), NULL, NULL, 0, 0,
	 "a damaged or unreadable input makes the exit status 1"},
	ANONYMIZE_ROW,
	NA_OPT_END
};

#define HOST_ROW \
	{NA_OPT_LIST, 0, "host", ASK(host), "GLOB", NULL, 0, 0, \
	 "only these hosts; in captures also addresses"}

#define WINDOW_ROWS \
	{NA_OPT_TEXT, 0, "from", ASK(from), "TIME", NULL, 0, 1, \
	 "start of the window: 1.5s or 200ms from the origin, or " \
	 "2026-11-20T21:28:00Z", \
	 .brief = "start of the window: 1.5s from the origin"}, \
	{NA_OPT_TEXT, 0, "to", ASK(to), "TIME", NULL, 0, 1, \
	 "end of the window"}, \
	{NA_OPT_TEXT, 0, "step", ASK(step), "N[-M]", NULL, 0, 1, \
	 "only step N, or steps N to M"}

static const struct na_opt window_opts[] = {
	WINDOW_ROWS,
	HOST_ROW,
	NA_OPT_END
};

static const struct na_opt filter_opts[] = {
	HOST_ROW,
	{NA_OPT_LIST, 0, "line", ASK(line), "GLOB", NULL, 0, 0,
	 "only these threads of /host:CPU, where old-style transfers are "
	 "recorded: MegascaleEM2_Worker*"},
	{NA_OPT_LIST, 0, "src", ASK(src), "GLOB", NULL, 0, 0,
	 "only these sources: an endpoint such as s0d3, or a pattern"},
	{NA_OPT_LIST, 0, "dst", ASK(dst), "GLOB", NULL, 0, 0,
	 "only these destinations"},
	{NA_OPT_LIST, 0, "collective", ASK(collective), "GLOB", NULL, 0, 0,
	 "only these collectives"},
	{NA_OPT_CHOICE, 0, "component", ASK(component), COMPONENTS, NULL, 0, 0,
	 "what latency is of: the network (default), the actions of a "
	 "collective's graph on the host, the whole graph, or GPU kernels; "
	 "in every analysis rpc: calls of captures, network: the others"},
	{NA_OPT_TEXT, 0, "side", ASK(side), "rx|tx", NULL, 0, 0,
	 "transfers as the receiver or as the sender saw them (default: both "
	 "in timeline, rx elsewhere)"},
	WINDOW_ROWS,
	{NA_OPT_BYTES, 0, "min-size", ASK(min_size), "BYTES", NULL, 0, 0,
	 "only transfers of at least BYTES: 64KiB, 10MB"},
	{NA_OPT_BYTES, 0, "max-size", ASK(max_size), "BYTES", NULL, 0, 0,
	 "only transfers of at most BYTES"},
	{NA_OPT_TIME, 0, "min-latency", ASK(min_latency), "TIME", NULL, 0,
	 3.6e15, "only transfers that took at least TIME: 1ms"},
	{NA_OPT_FLAG, 0, "include-loopback", ASK(include_loopback), NULL, NULL,
	 0, 0, "count transfers of a device to itself as network"},
	{NA_OPT_RATE, 0, "max-rate", ASK(max_rate), "RATE", NULL, 0, 0,
	 "leave out, and count, transfers faster than RATE: 400Gbps"},
	NA_OPT_END
};
/* clang-format on */

#define TOPOLOGY_ROW \
	{ \
		NA_OPT_TEXT, 0, "topology", ASK(topology), "FILE", NULL, 0, 0, \
			"which healthy paths are alike: CSV host,rack[,block] or " \
			"src_host,dst_host,class", \
			NA_PATH_READ, \
			.brief = "which healthy paths are alike: CSV host,rack" \
	}

/* clang-format off */
static const struct na_opt place_opts[] = {
	TOPOLOGY_ROW,
	NA_OPT_END
};

static const struct na_opt group_opts[] = {
	{NA_OPT_TEXT, 0, "by", AT(by), "KEY[,KEY]", NULL, 0, 0,
	 "one group for each component, host, src, dst, pair, collective, "
	 "transfer_type, size, step, device, class or label", NA_PATH_NONE, na_key_offered,
	 .brief = "one group for each host, pair, step, size, ..."},
	TOPOLOGY_ROW,
	{NA_OPT_COUNT, 0, "top", ASK(top), "N", NULL, 1, 1e9,
	 "list the first N rows, in JSON and CSV too; the others are "
	 "counted"},
	NA_OPT_END
};

static const struct na_opt picture_opts[] = {
	{NA_OPT_COUNT, 0, "width", AT(width), "N", NULL, 100, 20000,
	 "width in points (default: the picture's own)"},
	{NA_OPT_COUNT, 0, "height", AT(height), "N", NULL, 100, 20000,
	 "height in points (default: the picture's own)"},
	{NA_OPT_REAL, 0, "scale", AT(scale), "X", "1", 0.1, 10,
	 "PNG pixels for each point"},
	{NA_OPT_CHOICE, 0, "theme", AT(theme), "light|dark", "light", 0, 0,
	 "colours of the picture"},
	{NA_OPT_TEXT, 0, "title", AT(title), "TEXT", NULL, 0, 0,
	 "title instead of the picture's own"},
	NA_OPT_END
};

static const struct na_opt program_opts[] = {
	{NA_OPT_LIST, 0, "hlo", ASK(hlo), "DIR", NULL, 0, 0,
	 "HLO modules that the compiler dumped, beside those in the traces: a "
	 "file, or a directory with *.hlo_proto.pb, *.pb, *.txt or *.hlo",
	 NA_PATH_READ},
	NA_OPT_END
};

static const struct na_opt check_opts[] = {
	{NA_OPT_TEXT, 'c', "capacity", ASK(capacity), "RATE", NULL, 0, 0,
	 "network capacity of one host, all its NICs: 100Gbps, "
	 "4x200Gbps/2 or v6e", NA_PATH_NONE, na_capacity_offered,
	 .brief = "of one host's network, all its NICs: 4x200Gbps"},
	{NA_OPT_LIST, 0, "host-settings", AT(host_settings), "DIR", NULL, 0, 0,
	 "network settings of the hosts: a snapshot (netan sysctl "
	 "--snapshot), or a directory of snapshots", NA_PATH_READ},
#define NA_LIMIT(name, option, def, min, max, arg, help) \
	{NA_OPT_REAL, 0, option, AT(limits.name), arg, def, min, max, help},
#include "netan/checks/limits.def"
#undef NA_LIMIT
	NA_OPT_END
};

static const struct na_opt finding_opts[] = {
	{NA_OPT_CHOICE, 0, "fail-on", AT(fail_on), "info|warning|error", NULL,
	 0, 0, "exit status 3 when something at least that bad was found "
	 "(default: never)",
	 .brief = "exit status 3 at such findings"},
	NA_OPT_END
};

static const struct na_opt ledger_opts[] = {
	{NA_OPT_TEXT, 0, "ledger", AT(ledger), "FILE", NULL, 0, 0,
	 "add the suspects of this run to FILE (JSON lines, created if it is "
	 "missing; a run is never added twice), and print what it knows of "
	 "them from other runs", NA_PATH_APPEND},
	NA_OPT_END
};

static const struct na_opt thread_opts[] = {
	THREADS_ROWS,
	NA_OPT_END
};

static const struct na_opt many_opts[] = {
	{NA_OPT_LIST, 0, "local", ASK(local), "GLOB", NULL, 0, 0,
	 "netan-mpi: each rank reads what its own node has: "
	 "'/local/prof/*.pb'"},
	{NA_OPT_TEXT, 0, "cache", ASK(cache), "DIR", NULL, 0, 0,
	 "start from transfer files in DIR that stand in for traces; of a "
	 "trace that has none there, or is newer, one is written; the output "
	 "is the same", NA_PATH_KEEP,
	 .brief = "keep what traces hold in DIR, for the next run"},
	{NA_OPT_FLAG, 0, "exact", ASK(exact), NULL, NULL, 0, 0,
	 "refuse rather than approximate; nothing is approximated yet"},
	NA_OPT_END
};

#define QUIET_ROW \
	{NA_OPT_FLAG, 'q', "quiet", AT(quiet), NULL, NULL, 0, 0, \
	 "no warnings, no progress, no report of what was written", \
	 .brief = "no warnings, no progress"}

static const struct na_opt quiet_opts[] = {
	QUIET_ROW,
	NA_OPT_END
};

/* Of who reads inputs, and has more to say. */
static const struct na_opt reading_opts[] = {
	QUIET_ROW,
	VERBOSE_ROW,
	NA_OPT_END
};

static const struct na_opt help_opts[] = {
	{NA_OPT_FLAG, 'h', "brief", AT(brief), NULL, NULL, 0, 0,
	 "show on one screen what matters of this"},
	{NA_OPT_FLAG, 0, "help", AT(help), NULL, NULL, 0, 0, "show all of it"},
	{NA_OPT_FLAG, 0, "no-config", AT(no_config), NULL, NULL, 0, 0,
	 "without the settings of netan.conf (netan help --settings shows "
	 "them)"},
	NA_OPT_END
};

static const struct shared {
	unsigned join;
	const char *title;
	const struct na_opt *opts;
} shared[] = {
	{NA_JOIN_CHECKS, "Checks", check_opts},
	{NA_JOIN_FILTER, "Filters", filter_opts},
	{NA_JOIN_WINDOW, "Window", window_opts},
	{NA_JOIN_GROUP, "Groups", group_opts},
	{NA_JOIN_INPUT, "Inputs", input_opts},
	{NA_JOIN_PLACES, "Places", place_opts},
	{NA_JOIN_PROGRAMS, "Programs", program_opts},
	{NA_JOIN_WORKERS, "Inputs", worker_opts},
	{NA_JOIN_NAMES, "Inputs", name_opts},
	{NA_JOIN_MANY, "Many machines", many_opts},
	{NA_JOIN_MERGED, "Work", thread_opts},
	{NA_JOIN_FINDINGS | NA_JOIN_MERGED, "Findings", finding_opts},
	{NA_JOIN_LEDGER, "Ledger", ledger_opts},
	{NA_JOIN_OUTPUT | NA_JOIN_MERGED, "Output", output_opts},
	{NA_JOIN_PICTURE | NA_JOIN_MERGED, "Pictures", picture_opts},
	{NA_JOIN_QUIET, "Output", quiet_opts},
};
/* clang-format on */

bool na_command_many(const struct na_command *c)
{
	const struct na_analysis *a = na_analysis_find(c->info->name);

	return (c->joins & NA_JOIN_MANY) && (!a || a->many);
}

/* One shared table as this command has it, or NULL.  Only a command with a
 * figure has the options of pictures, one that judges --fail-on, and one
 * that needs programs --hlo. */
static const struct na_opt *rows_of(const struct na_command *command,
				    const struct shared *s)
{
	const struct na_analysis *a = na_analysis_find(command->info->name);
	bool draws = command->joins & NA_JOIN_MERGED ||
		     (command->joins & NA_JOIN_PICTURE &&
		      na_figure_find(command->info->name));

	if (!(command->joins & s->join) ||
	    (s->join & NA_JOIN_PICTURE && !draws) ||
	    (s->join & NA_JOIN_FINDINGS && a && !a->severity) ||
	    (s->join == NA_JOIN_MANY && !na_command_many(command)) ||
	    (s->join == NA_JOIN_LEDGER && a && !a->suspects) ||
	    (s->join == NA_JOIN_PROGRAMS && a &&
	     !(a->wants & NA_WANT_PROGRAMS)))
		return NULL;
	if (s->join == NA_JOIN_QUIET && command->joins & NA_JOIN_INPUT)
		return reading_opts;
	if (!(s->join & NA_JOIN_OUTPUT))
		return s->opts;
	if (na_prom_has(command->info->name))
		return draws ? drawing_metric_opts : metric_opts;
	return draws ? drawing_opts : s->opts;
}

size_t na_command_groups(const struct na_command *command, struct na_cli *cli,
			 struct na_opt_group groups[NA_MAX_GROUPS])
{
	size_t n = 0;

	if (command->info->opts)
		groups[n++] = (struct na_opt_group){"Options",
						    command->info->opts,
						    cli ? cli->params : NULL};
	for (size_t k = 0; k < NA_LEN(shared); k++) {
		const struct na_opt *rows = rows_of(command, &shared[k]);

		if (rows)
			groups[n++] = (struct na_opt_group){shared[k].title,
							    rows, cli};
	}
	groups[n++] = (struct na_opt_group){"Help", help_opts, cli};
	return n;
}

const struct na_command *na_command_find(const char *name)
{
	for (const struct na_command *const *c = na_commands; *c; c++)
		if (strcmp((*c)->info->name, name) == 0)
			return *c;
	return NULL;
}

const char *na_command_closest(const char *name)
{
	const char *names[64];
	size_t n = 0;

	for (const struct na_command *const *c = na_commands; *c; c++)
		if (n < NA_LEN(names))
			names[n++] = (*c)->info->name;
	return na_closest(name, names, n);
}

struct operands {
	struct na_cli *cli;
	size_t cap;
};

/* Each label up to the last one but `more` has inputs behind it. */
static enum na_status check_labels(struct na_cli *cli, size_t more,
				   struct na_err *err)
{
	const struct na_text_list *l = &cli->common.labels;
	const struct na_request *q = &cli->request;
	const char *had = q->n_inputs ? q->inputs[q->n_inputs - 1].label : NULL;

	for (size_t i = cli->common.labelled; i + more < l->n; i++) {
		if (na_same_label(had, l->items[i]) ||
		    (i + 1 < l->n &&
		     na_same_label(l->items[i], l->items[i + 1])))
			continue;
		return na_fail(err, NA_EUSAGE,
			       "--label %s: no input follows it; a label "
			       "stands in front of the inputs of its run",
			       l->items[i]);
	}
	cli->common.labelled = l->n;
	return NA_OK;
}

static enum na_status add_operand(void *ctx, const char *text,
				  struct na_err *err)
{
	struct operands *o = ctx;
	struct na_request *q = &o->cli->request;
	const struct na_text_list *labels = &o->cli->common.labels;

	if (!*text)
		return na_fail(err, NA_EUSAGE,
			       "an argument is empty; is a "
			       "shell variable not set?");
	if (!na_grow(&q->inputs, &o->cap, q->n_inputs + 1, sizeof(*q->inputs)))
		return na_fail_nomem(err);
	if (check_labels(o->cli, 1, err) != NA_OK)
		return err->status;
	q->inputs[q->n_inputs++] = (struct na_request_input){
		text, labels->n ? labels->items[labels->n - 1] : NULL};
	return NA_OK;
}

static enum na_status params_of(const struct na_request *q,
				const struct na_command_info *info,
				void **params, struct na_err *err)
{
	struct na_opt_group group = {"", info->opts, NULL};
	struct na_opt_parser p = {.groups = &group, .n_groups = 1};
	/* The value is kept where it is: on the command line. */
	char name[] = "--capacity";
	char *argv[] = {name, (char *)(uintptr_t)q->capacity};
	enum na_status st;

	*params = na_calloc(1, info->params_size);
	if (!*params)
		return na_fail_nomem(err);
	if (!info->opts)
		return NA_OK;
	group.params = *params;
	st = na_opt_defaults(&group, 1, err);
	if (st != NA_OK || !q->capacity ||
	    !na_opt_find(&group, 1, "capacity", strlen("capacity")))
		return st;
	return na_opt_parse(&p, 2, argv, err);
}

static void drop_params(const struct na_command_info *info, void *params)
{
	struct na_opt_group group = {"", info->opts, params};

	if (params && info->opts)
		na_opt_free(&group, 1);
	free(params);
}

static void init(struct na_cli *cli, const struct na_command *c, int argc,
		 char **argv)
{
	*cli = (struct na_cli){.command = c, .argc = argc, .argv = argv};
	cli->common.fail_on = -1;
	na_request_init(&cli->request);
	cli->request.speaker = na_cli_speaker(cli);
	cli->request.params = params_of;
	cli->request.drop_params = drop_params;
	cli->request.stand_in = na_ingest_stand_in;
}

/* One alone: what many have belongs to none of them. */
static const char *who_has(const char *option)
{
	const char *found = NULL;

	for (const struct na_command *const *c = na_commands; *c; c++) {
		struct na_opt_group groups[NA_MAX_GROUPS];
		size_t n = na_command_groups(*c, NULL, groups);

		if (!na_opt_find(groups, n, option, strlen(option)))
			continue;
		if (found)
			return NULL;
		found = (*c)->info->name;
	}
	return found;
}

enum na_status na_cli_parse(struct na_cli *cli, const struct na_command *c,
			    int argc, char **argv, struct na_err *err)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	struct operands operands = {.cli = cli};
	struct na_opt_parser p = {.groups = groups,
				  .operand = add_operand,
				  .ctx = &operands,
				  .elsewhere = who_has};
	enum na_status st;

	init(cli, c, argc, argv);
	cli->params = na_calloc(1, c->info->params_size);
	if (!cli->params)
		return na_fail_nomem(err);
	p.n_groups = na_command_groups(c, cli, groups);
	st = na_opt_defaults(groups, p.n_groups, err);
	if (st == NA_OK)
		st = na_opt_parse(&p, argc - 2, argv + 2, err);
	if (st == NA_OK && cli->request.n_inputs)
		st = check_labels(cli, 0, err);
	if (c->asks && cli->request.n_inputs)
		cli->common.query =
			cli->request.inputs[--cli->request.n_inputs].path;
	cli->request.draws = na_output_draws(cli);
	return st;
}

void na_cli_free(struct na_cli *cli)
{
	struct na_opt_group groups[NA_MAX_GROUPS];

	if (cli->command && cli->params)
		na_opt_free(groups,
			    na_command_groups(cli->command, cli, groups));
	na_pseudonyms_free(cli->request.pseudonyms);
	na_result_free(cli->result);
	free(cli->params);
	free(cli->request.inputs);
	memset(cli, 0, sizeof(*cli));
}
