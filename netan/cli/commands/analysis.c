/*
 * Any analysis of the registry as a command: read, resolve, let the records
 * through the analysis, write the result.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/cli/commands/ledger.h"
#include "netan/engine/analyse.h"

/* Ops of device planes, and no transfers. */
static bool ops_alone(const struct na_analysis *a)
{
	return a->add_op && !a->add_transfer;
}

/* An analysis of device planes knows best what it looked for. */
static void say_own(struct na_session *s, const struct na_result *r)
{
	const char *hint = na_result_get_word(r, NA_WORD_HINT, NULL);

	if (s->interrupted)
		return;
	if (!na_session_any_host(s)) {
		na_say_error(s->request, "--host matches no host");
		na_session_say_there_is(s);
		return;
	}
	na_say_error(s->request, "%s",
		     na_result_get_word(r, NA_WORD_EMPTY, ""));
	if (!hint) { /* it is there, and the filters leave it out */
		na_session_say_there_is(s);
		return;
	}
	na_say_hint(s->request, "%s", hint);
	na_session_say_missing(s);
}

/* What an analysis of packets looks at, and what it takes. */
struct packet_words {
	const char *noun, *none, *missing;
};

static const struct packet_words of_connections = {
	"connection", "There is no TCP connection in this input.",
	"no TCP connections: looked for TCP packets in a capture (pcap, "
	"pcapng), or connections in a transfer file"};
static const struct packet_words of_queue_pairs = {
	"queue pair", "There is no RoCEv2 queue pair in this input.",
	"no RoCEv2 queue pairs: looked for UDP packets to port 4791 in a "
	"capture (pcap, pcapng); a transfer file does not keep them"};

static const struct packet_words *words_of(const struct na_analysis *a)
{
	return a->add_queue_pair ? &of_queue_pairs : &of_connections;
}

/* Those that the filters leave out, too. */
static size_t seen_packets(const struct na_session *s,
			   const struct na_analysis *a)
{
	size_t seen = a->add_queue_pair ? s->store.queue_pairs.n
					: s->store.connections.n;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_capture_counts *c = s->inputs[i].capture;

		if (c)
			seen += a->add_queue_pair ? c->roce_pairs_outside
						  : c->connections_outside;
	}
	return seen;
}

/* Of what only captures tell. */
static void say_no_packets(struct na_session *s, const struct na_analysis *a,
			   struct na_result *r)
{
	const struct packet_words *w = words_of(a);
	size_t seen = seen_packets(s, a);

	if (seen)
		na_result_wordf(r, NA_WORD_EMPTY, "The filters leave no %s.",
				w->noun);
	else
		na_result_word(r, NA_WORD_EMPTY, w->none);
	if (s->interrupted)
		return;
	if (seen) {
		na_say_error(s->request,
			     "the filters leave none of %zu %s%s to analyse",
			     seen, w->noun, na_plural(seen));
		if (!a->add_queue_pair && na_session_left_whole(s))
			na_say_hint(s->request,
				    "%" PRIu64 " of them reach beyond the "
				    "window: %s",
				    na_session_left_whole(s), NA_GIVE_CAPTURE);
		na_session_say_there_is(s);
		return;
	}
	if (na_session_say_no_packets(s))
		return;
	na_say_error(s->request, "%s", w->missing);
	na_say_hint(s->request, "netan info shows what is in the input");
}

static enum na_exit analyse(const struct na_cli *cli, struct na_session *s,
			    const struct na_analysis *a,
			    const struct na_grouping *by, struct na_result *r,
			    struct na_err *err)
{
	struct na_driven d;

	s->for_one = true;
	if (na_analyse(s, a, cli->params, by, r, &d, err) != NA_OK)
		return NA_EXIT_FAILED;
	if (!d.used) {
		if (na_result_get_word(r, NA_WORD_EMPTY, NULL))
			say_own(s, r);
		else if (a->add_transfer)
			na_session_say_nothing(s, r);
		else
			say_no_packets(s, a, r);
		if (s->interrupted)
			na_result_retitle(r, "Interrupted before anything was "
					     "read that this looks at");
		return NA_EXIT_FAILED;
	}
	return cli->common.fail_on >= 0 && (int)d.severity > cli->common.fail_on
		       ? NA_EXIT_FINDINGS
		       : NA_EXIT_OK;
}

static bool by_step(const struct na_session *s, const struct na_analysis *a,
		    const struct na_grouping *by)
{
	return s->window.step || a->by_steps ||
	       na_grouping_has(by, NA_KEY_STEP);
}

/* The first option that picks transfers, for an analysis that takes none. */
static const char *transfer_option(const struct na_request *q, bool ops)
{
	return q->collective.n && !ops ? "--collective"
	       : q->src.n && ops       ? "--src"
	       : q->dst.n && ops       ? "--dst"
	       : q->component >= 0     ? "--component"
	       : q->side               ? "--side"
	       : q->min_size > 0       ? "--min-size"
	       : q->max_size >= 0      ? "--max-size"
	       : q->min_latency > 0    ? "--min-latency"
	       : q->max_rate > 0       ? "--max-rate"
	       : q->include_loopback   ? "--include-loopback"
	       : q->line.n             ? "--line"
				       : NULL;
}

/* What the command line alone can tell is wrong: nobody waits for a long
 * read to learn of a typing error. */
static enum na_status check(const struct na_cli *cli,
			    const struct na_analysis *a, struct na_grouping *by,
			    struct na_err *err)
{
	const struct na_request *q = &cli->request;
	const char *vain = a->add_transfer ? NULL
					   : transfer_option(q, ops_alone(a));

	if (na_grouping_parse(cli->common.by, by, err) != NA_OK)
		return err->status;
	if (vain)
		return na_fail(err, NA_EUSAGE,
			       "%s: %s looks at %s, not at transfers; it "
			       "filters by %s",
			       vain, a->info.name,
			       ops_alone(a)        ? "ops of devices"
			       : a->add_queue_pair ? "queue pairs"
						   : "connections",
			       ops_alone(a) ? "--host, --collective, --from, "
					      "--to and --step"
					    : "--host, --src, --dst, --from, "
					      "--to and --filter");
	if (q->component > NA_COMP_NETWORK && q->component != NA_COMP_RPC &&
	    !a->components)
		return na_fail(err, NA_EUSAGE,
			       "--component: %s looks at transfers on the "
			       "network; netan latency knows the components",
			       a->info.name);
	return a->check ? a->check(cli->params, err) : NA_OK;
}

static enum na_exit read_and_analyse(const struct na_cli *cli,
				     struct na_session *s,
				     const struct na_analysis *a,
				     const struct na_grouping *by,
				     struct na_result *r, struct na_err *err)
{
	int64_t started_ns = na_now_ns(), read_ns;
	enum na_exit exit;

	if (na_session_filter(s, err) != NA_OK ||
	    na_session_topology(s, err) != NA_OK)
		return NA_EXIT_FAILED;
	s->filter = na_drive_reads(a, &s->filter, by,
				   cli->request.component >= 0);
	s->wants = na_drive_wants(a, &s->filter, by);
	s->stay = a->pack ? NA_STAY_FED : NA_STAY_SENT;
	if (na_session_read(s, by_step(s, a, by), err) != NA_OK ||
	    na_session_place(s, err) != NA_OK)
		return NA_EXIT_FAILED;
	read_ns = na_now_ns();
	exit = analyse(cli, s, a, by, r, err);
	na_say_detail(&cli->request, "reading took %.3f s, the analysis %.3f s",
		      (double)(read_ns - started_ns) / NA_NS_PER_S,
		      (double)(na_now_ns() - read_ns) / NA_NS_PER_S);
	return exit;
}

/* Opening looks for what reading may want. */
static uint32_t wants_at_most(const struct na_cli *cli,
			      const struct na_analysis *a,
			      const struct na_grouping *by)
{
	struct na_filter f;

	na_filter_init(&f);
	if (cli->request.component >= 0)
		f.components = NA_COMP_BIT(cli->request.component);
	f = na_drive_reads(a, &f, by, cli->request.component >= 0);
	/* What is a slice may tell of steps to look at. */
	return na_drive_wants(a, &f, by) | NA_WANT_STEPS;
}

/* A picture was chosen, and there is nowhere to draw it. */
static void say_picture(const struct na_cli *cli, struct na_result *r)
{
	const char *what = na_result_get_word(r, NA_WORD_PICTURE, NULL);

	if (what && !na_output_draws(cli))
		na_say_hint(&cli->request,
			    "--%s draws a picture: give it a file, -o "
			    "FILE.svg, .png or .pdf",
			    what);
}

enum na_exit na_run_analysis(struct na_cli *cli)
{
	return na_run_this_analysis(cli,
				    na_analysis_find(cli->command->info->name));
}

enum na_exit na_run_this_analysis(struct na_cli *cli,
				  const struct na_analysis *a)
{
	struct na_result *r = cli->result;
	struct na_err err = {.status = NA_OK};
	struct na_grouping by;
	struct na_session s;
	enum na_exit exit = na_ledger_check(cli), verdict;
	bool nothing = false;

	na_catch_interrupt();
	if (exit != NA_EXIT_OK)
		return exit;
	if (check(cli, a, &by, &err) != NA_OK) {
		na_say_failed(cli, &err);
		return NA_EXIT_USAGE;
	}
	exit = na_exit_of(
		na_session_open(&s, &cli->request, wants_at_most(cli, a, &by)));
	if (exit == NA_EXIT_OK) {
		exit = read_and_analyse(cli, &s, a, &by, r, &err);
		nothing = exit == NA_EXIT_FAILED;
	}
	if (na_stopped(cli, s.interrupted)) {
		exit = NA_EXIT_INTERRUPTED;
	} else if (err.status != NA_OK) {
		exit = na_say_failed(cli, &err);
	} else if (s.store_ready && na_get(na_result_doc(r), M_schema)) {
		verdict = na_exit_of(na_session_verdict(&s));
		if (verdict == NA_EXIT_OK && cli->common.ledger)
			verdict = na_ledger_note_session(cli, &s, r);
		exit = verdict == NA_EXIT_OK ? exit : verdict;
		/* An error has said so: a table of nothing adds nothing; one of
		 * what was read until an interrupt says that it is partial. */
		verdict = nothing && !s.interrupted && na_output_is_table(cli)
				  ? NA_EXIT_OK
				  : na_output(cli, r);
		say_picture(cli, r);
		exit = verdict == NA_EXIT_OK ? exit : verdict;
	}
	na_session_close(&s);
	return exit;
}
