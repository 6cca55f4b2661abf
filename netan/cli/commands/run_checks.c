#include "netan/cli/commands/run_checks.h"

#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/cli/again.h"
#include "netan/engine/analyse.h"
#include "netan/methods/capacity.h"
#include "netan/result/emit.h"

static enum na_exit refuse_runs(const struct na_cli *cli)
{
	na_say_error(&cli->request, "%s is of one run, and these are several",
		     cli->command->info->name);
	na_say_hint(&cli->request,
		    "give it the inputs of one, or compare two: netan diff A "
		    "B");
	return NA_EXIT_USAGE;
}

enum na_exit na_checks_options(const struct na_cli *cli,
			    struct na_checks_asked *asked)
{
	const char *capacity = cli->request.capacity;
	struct na_err err = {.status = NA_OK};

	asked->program = na_program_of(cli);
	asked->limits = &cli->common.limits;
	asked->verbose = cli->common.verbose;
	if (capacity &&
	    na_capacity_parse(capacity, &asked->capacity_gbps, &err) != NA_OK) {
		na_say_error(&cli->request, "%s", err.text);
		return NA_EXIT_USAGE;
	}
	return na_several_runs(&cli->request) ? refuse_runs(cli) : NA_EXIT_OK;
}

/* Programs know no filter: what is left of them alone is no answer. */
static bool filtered_away(const struct na_battery *b)
{
	const struct na_store *st = &b->session.store;

	for (size_t i = 0; i < b->n; i++) {
		if (b->driven[i].used)
			return false;
	}
	return st->transfers.n || st->n_steps ||
	       !na_session_any_host(&b->session);
}

/* No analysis found anything of its kind. */
static enum na_exit say_nothing(const struct na_cli *cli, struct na_battery *b)
{
	struct na_session *s = &b->session;

	if (s->interrupted)
		return NA_EXIT_FAILED;
	if (!na_session_any_host(s)) {
		na_say_error(s->request, "--host matches no host");
		na_session_say_there_is(s);
		return NA_EXIT_FAILED;
	}
	if (s->store.transfers.n ||
	    na_store_count(&s->store, SIZE_MAX, NA_RX, NA_VALID)) {
		na_say_error(s->request,
			     "nothing to %s: the filters leave no "
			     "transfer, step or packet",
			     cli->command->info->name);
		na_session_say_there_is(s);
		return NA_EXIT_FAILED;
	}
	if (na_session_say_no_packets(s))
		return NA_EXIT_FAILED;
	na_say_error(s->request,
		     "nothing to %s: looked for transfers on the "
		     "network, steps and operations of devices, and "
		     "packets",
		     cli->command->info->name);
	na_session_say_missing(s);
	return NA_EXIT_FAILED;
}

static const char *print_span(char *buf, int64_t first_ps, int64_t last_ps)
{
	return na_print_time(buf, na_span_ps(first_ps, last_ps), 4);
}

/* ": 1 file, 3 hosts, 10.26 s, ...", of one analysis; the time is that which
 * all of them saw. */
static void note_looked_at(const struct na_battery *b,
			   const struct na_driven *of, const char *line,
			   struct na_result *r)
{
	char own[NA_UNIT_BUF], all[NA_UNIT_BUF];
	const char *at = strstr(line, print_span(own, of->first_ps,
						 of->last_ps));

	if (at)
		na_result_note(r, "looked at%.*s%s%s", (int)(at - line), line,
			       print_span(all, b->first_ps, b->last_ps),
			       at + strlen(own));
	else
		na_result_note(r, "looked at%s", line);
}

/* Files, hosts, duration, used, left out: as that analysis says it. */
static void put_coverage(const struct na_cli *cli, struct na_battery *b,
			 struct na_result *r)
{
	struct na_session *s = &b->session;
	size_t i = na_battery_told_by(b);
	const char *line = na_result_get_headline(b->owned[i]);

	line = line ? strchr(line, ':') : NULL;
	if (line)
		note_looked_at(b, &b->driven[i], line, r);
	na_envelope(s, r, cli->command->info->name, b->driven[i].used,
		    na_s((double)b->last_ps - (double)b->first_ps),
		    b->driven[i].side, b->driven[i].dropped);
}

enum na_exit na_run_checks(const struct na_cli *cli, struct na_battery *b,
		      const struct na_checks_asked *asked, struct na_result *r,
		      int *worst)
{
	struct na_checks_asked all = *asked;
	struct na_err err = {.status = NA_OK};

	if (b->session.store.n_runs > 1)
		return refuse_runs(cli);
	if (!b->used || filtered_away(b)) {
		na_in_err(na_session_verdict(&b->session));
		return say_nothing(cli, b);
	}
	all.exhibits = b->exhibits;
	all.n_exhibits = b->n;
	all.captured = b->captured;
	all.n_captured = b->n_captured;
	if (na_checks_run(&all, r, worst, &err) == NA_OK)
		put_coverage(cli, b, r);
	return na_say_failed(cli, &err);
}

enum na_exit na_checks_exit(const struct na_cli *cli, int worst)
{
	return cli->common.fail_on >= 0 && worst > cli->common.fail_on
		       ? NA_EXIT_FINDINGS
		       : NA_EXIT_OK;
}
