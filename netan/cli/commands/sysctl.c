/* sysctl: are a host's network settings right? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/host/routes.h"
#include "ingest/host/settings.h"
#include "members.h"
#include "netan/analyses/sysctl/sysctl.h"
#include "netan/base/units.h"
#include "netan/cli/cli.h"
#include "netan/cli/commands/judged.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/session/session.h"
#include "netan/engine/snapshot.h"

struct params {
	const char *root, *routes, *before, *snapshot;
	double bandwidth_bps;
	int64_t rtt_ps;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_TEXT, 0, "root", FIELD(root), "DIR", "/", 0, 0,
	 "read the files below DIR: a snapshot, a support bundle, a "
	 "container's image", NA_PATH_READ},
	{NA_OPT_TEXT, 0, "routes", FIELD(routes), "FILE", NULL, 0, 0,
	 "a saved `ip route show table all`, with `ip -6` after it where "
	 "IPv6 is in use (default: DIR/" NA_ROUTES_FILE "; of this machine, "
	 "from the kernel)", NA_PATH_READ,
	 .brief = "a saved `ip route show table all`"},
	{NA_OPT_TEXT, 0, "nic-before", FIELD(before), "DIR", NULL, 0, 0,
	 "an earlier snapshot of the host: what its counters have grown by",
	 NA_PATH_READ,
	 .brief = "an earlier snapshot: what its counters grew by"},
	{NA_OPT_RATE, 0, "bandwidth", FIELD(bandwidth_bps), "RATE", NULL, 1,
	 1e15, "with --rtt: what one connection should reach on the job's "
	 "slowest path; socket memory must hold bandwidth x RTT",
	 .brief = "what a connection of the job should reach"},
	{NA_OPT_TIME, 0, "rtt", FIELD(rtt_ps), "TIME", NULL, 1, 1e15,
	 "with --bandwidth: the round trip of that path: 20ms",
	 .brief = "the round trip of its path: 20ms"},
	{NA_OPT_TEXT, 0, "snapshot", FIELD(snapshot), "DIR", NULL, 0, 0,
	 "keep what was read in a new directory, for --root, --nic-before, "
	 "and --host-settings of netan check", NA_PATH_NEW,
	 .brief = "keep what was read, for check --host-settings"},
	NA_OPT_END
};
/* clang-format on */

struct readings {
	struct na_settings now, before;
	bool has_before;
	char *routes;
	size_t routes_bytes;
};

static enum na_exit sysctl_mistake(const struct na_cli *cli)
{
	const struct params *p = cli->params;
	struct na_err err = {.status = NA_OK};

	if (cli->request.n_inputs) {
		na_say_error(&cli->request,
			     "sysctl takes no input; a directory to look "
			     "below is given with --root DIR");
		return NA_EXIT_USAGE;
	}
	if ((p->bandwidth_bps > 0) != (p->rtt_ps > 0)) {
		na_say_error(&cli->request,
			     "--bandwidth and --rtt go together: socket "
			     "memory must hold their product");
		return NA_EXIT_USAGE;
	}
	if (p->snapshot && cli->common.anonymize) {
		na_say_error(&cli->request,
			     "--snapshot and --anonymize: a snapshot is what "
			     "the host says, with its name and addresses");
		return NA_EXIT_USAGE;
	}
	if (p->snapshot && na_snapshot_check(p->snapshot, &err) != NA_OK)
		return na_say_failed(cli, &err);
	return NA_EXIT_OK;
}

static bool is_this_machine(const char *root)
{
	char *real = realpath(root, NULL);
	bool is = real && strcmp(real, "/") == 0;

	free(real);
	return is;
}

static enum na_status read_before(struct readings *x, const char *dir,
				  struct na_err *err)
{
	const struct na_settings_from from = {.root = dir};

	if (!dir)
		return NA_OK;
	x->has_before = true;
	return na_settings_read(&x->before, &from, err);
}

static enum na_status read_all(struct readings *x, const struct params *p,
			       struct na_err *err)
{
	struct na_settings_from from = {
		.root = p->root,
		.live = is_this_machine(p->root),
	};

	if (p->routes &&
	    na_whole_file(p->routes, NA_ROUTES_BYTES, "routes", &x->routes,
			  &x->routes_bytes, err) != NA_OK)
		return err->status;
	from.routes = x->routes;
	from.routes_bytes = x->routes_bytes;
	if (p->routes && !x->routes)
		from.routes = "";
	if (na_settings_read(&x->now, &from, err) != NA_OK)
		return err->status;
	return read_before(x, p->before, err);
}

static void sysctl_envelope(const struct readings *x, const struct params *p,
			    const struct na_host_judged *j, struct na_result *r)
{
	struct na_value *list = na_judged_inputs(r, "netan.sysctl/1");
	struct na_value *row = na_judged_input(r, list, p->root, NULL,
					       "host settings", x->now.host,
					       x->now.bytes);

	na_put_int(r, row, M_files, (int64_t)x->now.n_files);
	na_put_list(r, row, M_warnings);
	na_judged_coverage(r, 0, x->now.routes.odd, j->ok + j->bad);
}

/* Two hosts compared would be all growth. */
static void warn_of_other(const struct na_cli *cli, const struct readings *x)
{
	const char *a = x->now.host, *b = x->before.host;

	if (x->has_before && a && b && strcmp(a, b) != 0)
		na_say_warning(&cli->request,
			       "--nic-before is of another host: %.100s, not "
			       "%.100s",
			       b, a);
}

static enum na_exit keep_snapshot(const struct na_cli *cli,
				  const struct readings *x)
{
	const struct params *p = cli->params;
	struct na_err err = {.status = NA_OK};

	if (!p->snapshot)
		return NA_EXIT_OK;
	if (na_snapshot_write(&x->now, p->snapshot, &err) != NA_OK)
		return na_say_failed(cli, &err);
	return NA_EXIT_OK;
}

static void note_kept(const struct params *p, const struct readings *x,
		      struct na_result *r)
{
	size_t n = x->now.n_files;

	if (!p->snapshot)
		return;
	if (x->now.n_refused)
		na_result_note(r,
			       "%zu files are kept below %s; %zu more could "
			       "not be read",
			       n, p->snapshot, x->now.n_refused);
	else
		na_result_note(r, "%zu files are kept below %s", n,
			       p->snapshot);
}

static enum na_exit sysctl_show(struct na_cli *cli, const struct readings *x,
				struct na_result *r)
{
	const struct params *p = cli->params;
	const struct na_host_asked asked = {
		.window_bytes = p->bandwidth_bps * (na_s(p->rtt_ps) / 8),
		.before = x->has_before ? &x->before : NULL,
	};
	struct na_host_judged j;
	enum na_exit exit;

	na_hide_settings(&cli->request, &x->now);
	na_hide_settings(&cli->request, &x->before);
	warn_of_other(cli, x);
	exit = keep_snapshot(cli, x);
	if (exit != NA_EXIT_OK)
		return exit;
	j = na_host_settings_put(&x->now, &asked, r, na_result_body(r));
	sysctl_envelope(x, p, &j, r);
	na_host_settings_views(&j, p->root, r);
	note_kept(p, x, r);
	exit = na_output(cli, r);
	if (exit != NA_EXIT_OK)
		return exit;
	return na_judged_exit(cli, j.worst);
}

/* A live one asks the kernel, and looks wherever it tells. */
static enum na_shut shut(const struct na_cli *cli)
{
	const struct params *p = cli->params;

	return is_this_machine(p->root) ? NA_SHUT_NOT : NA_SHUT_IN;
}

static enum na_exit sysctl_run(struct na_cli *cli)
{
	struct na_err err = {.status = NA_OK};
	struct readings x = {.routes = NULL};
	enum na_exit exit;

	exit = sysctl_mistake(cli);
	if (exit != NA_EXIT_OK)
		return exit;
	if (read_all(&x, cli->params, &err) == NA_OK) {
		exit = sysctl_show(cli, &x, cli->result);
	} else {
		const struct params *p = cli->params;
		bool of_routes = err.status == NA_EFORMAT;

		na_say_error(&cli->request, "%s%s%s",
			     of_routes ? p->routes : "", of_routes ? ": " : "",
			     err.text);
		exit = NA_EXIT_FAILED;
	}
	na_settings_fini(&x.now);
	na_settings_fini(&x.before);
	free(x.routes);
	return exit;
}

static const char details[] =
	"Compares what the kernel is set to with what training over several "
	"slices wants, and gives the command that mends it. It reads files "
	"and asks the kernel for routes; it changes nothing and needs no "
	"rights. What cannot be seen, in a container most of it, is unknown: "
	"that is neither a pass nor a finding.\n"
	"rto_min is the minimum retransmission timeout of the routes that "
	"training traffic may take: each route's own, else tcp_rto_min_us of "
	"newer kernels, else 200 ms. Counters count since boot; with "
	"--nic-before, what they have grown by since that snapshot, which is "
	"what counts: errors of a NIC that grow are an error, and drops that "
	"grow, a setting that is not as wanted and errors since boot are "
	"warnings; drops and TCP counters since boot are info (--fail-on).\n"
	"A snapshot is a directory with the files as they were, the host's "
	"name and its routes. Take one on each host of a job and give them "
	"to netan check --host-settings: it joins them with the trace.";

static const struct na_command_info sysctl_info = {
	.name = "sysctl",
	.question = "are this host's network settings right",
	.usage = "[OPTION…]",
	.details = details,
	.example = "netan sysctl\n"
		   "netan sysctl --bandwidth 100Gbps --rtt 20ms\n"
		   "netan sysctl --snapshot \"snapshots/$(hostname)\"\n"
		   "netan sysctl --root bundle --routes bundle/ip-route.txt "
		   "--fail-on warning",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_sysctl = {
	.info = &sysctl_info,
	.joins = NA_JOIN_FINDINGS | NA_JOIN_OUTPUT | NA_JOIN_NAMES,
	.shut = shut,
	.run = sysctl_run,
};
