#include "netan/cli/commands/diff_judged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/checks/look.h"
#include "netan/engine/battery/battery.h"
#include "netan/methods/sides.h"
#include "netan/result/emit.h"
#include "netan/stats/tests/robust.h"

static struct na_limits usual_limits(void)
{
	struct na_limits l;

#define NA_LIMIT(name, option, def, min, max, arg, help) \
	l.name = strtod(def, NULL);
#include "netan/checks/limits.def"
#undef NA_LIMIT
	return l;
}

/* ---- whom a row of accused[] is about */

static void put_hosts(struct na_str *to, const struct na_value *row)
{
	const char *sep = "";

	na_for_each (v, na_get(row, M_hosts)) {
		na_str_addf(to, "%s%.60s", sep, na_text_of(v, "?"));
		sep = ", ";
	}
	if (!*sep)
		na_str_addf(to, "%.60s", na_text_or(row, M_host, "a host"));
}

/* Of a side or of racks; NULL: a path, or somewhere. */
static const char *side_of(const struct na_value *row)
{
	static const char *const sides[][2] = {
		{"rack_uplink", "uplink of the rack of "},
		{"rack_downlink", "downlink of the rack of "},
		{"rack_pair", "links between the racks of "},
	};

	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++) {
		if (na_says(row, M_kind, sides[i][0]))
			return sides[i][1];
	}
	return na_side_of(na_text_at(row, M_kind));
}

static void put_network(struct na_str *to, const struct na_value *row)
{
	const char *side = side_of(row);

	if (side) {
		na_str_addf(to, "%s", side);
		put_hosts(to, row);
	} else if (na_says(row, M_kind, "pair")) {
		na_str_addf(to, "path %.60s -> %.60s",
			    na_text_at(row, M_src_host),
			    na_text_at(row, M_dst_host));
	} else {
		na_str_addf(to, "the network");
	}
}

static void put_who(struct na_str *to, const struct na_value *row)
{
	const struct na_value *rank = na_get(row, M_rank);
	bool ranked = rank && rank->kind == NA_V_INT;

	if (na_says(row, M_cause, "network")) {
		put_network(to, row);
	} else {
		na_str_addf(to, "%.20s of ", na_text_at(row, M_cause));
		put_hosts(to, row);
	}
	if (ranked)
		na_str_addf(to, " (rank %lld)", (long long)rank->u.i);
	if (na_length(row, M_alternatives))
		na_str_addf(to, " or another that check names");
}

static const char *kept(struct na_arena *arena, const char *text)
{
	return na_arena_strn(arena, text, strlen(text));
}

static void note_accused(struct na_arena *arena, const struct na_value *body,
			 struct diff_judged *to)
{
	na_for_each (row, na_get(body, M_accused)) {
		struct diff_accused *x = &to->accused[to->n];
		char buf[300];
		struct na_str who = na_str_over(buf, sizeof(buf));

		if (to->n == DIFF_ACCUSED)
			break;
		put_who(&who, row);
		x->who = kept(arena, buf);
		x->confidence = kept(arena, na_text_at(row, M_confidence));
		to->n += x->who && x->confidence;
	}
}

static void note(struct na_arena *arena, const struct na_value *body,
		 struct diff_judged *to)
{
	to->outcome = kept(arena, na_text_at(body, M_outcome));
	to->verdict = kept(arena, na_text_at(body, M_verdict));
	if (to->outcome && to->verdict)
		note_accused(arena, body, to);
}

/* ---- what captures lose */

static double median_rtt(const struct na_value *rows)
{
	size_t n = 0;
	double *us = na_calloc((rows ? rows->n : 0) + 1, sizeof(*us));
	double median = (double)NAN;

	na_for_each (v, us ? rows : NULL) {
		us[n] = na_number_at(v, M_path_rtt_us);
		n += us[n] > 0;
	}
	if (n)
		median = na_median(us, n);
	free(us);
	return median;
}

static const struct na_value *body_of(const struct na_battery *b,
				      const char *name)
{
	const struct na_result *r = na_battery_result(b, name);

	return r ? na_result_get_body(r) : NULL;
}

static void note_rdma_losses(const struct na_battery *b, struct diff_losses *to)
{
	const struct na_value *all = na_get(body_of(b, "rdma"), M_totals);

	if (!all)
		return;
	to->packets = na_number_or(all, M_packets, 0);
	to->n[DIFF_RDMA_LOST] = na_number_or(all, M_needed_repeats, 0);
	to->n[DIFF_RDMA_EVENTS] = na_number_or(all, M_loss_events, 0);
	to->n[DIFF_RDMA_REPEATS] = na_number_or(all, M_repeats, 0);
	to->n[DIFF_RDMA_NAKS] = na_number_or(all, M_sequence_naks, 0);
	to->n[DIFF_RDMA_TIMEOUTS] = na_number_or(all, M_timeouts, 0);
}

static void note_losses(const struct na_battery *b, struct diff_losses *to)
{
	const struct na_value *body = body_of(b, "tcp");
	const struct na_value *all = na_get(body, M_totals);
	const struct na_value *rows = na_get(body, M_connections);

	if (!all)
		return;
	to->segments = na_number_or(all, M_data_segments, 0);
	to->n[DIFF_LOST] = na_number_or(all, M_lost_data_segments, 0);
	to->n[DIFF_EVENTS] = na_number_or(all, M_loss_events, 0);
	to->n[DIFF_TIMEOUTS] = na_number_or(all, M_timeouts, 0);
	to->n[DIFF_ZERO_WINDOWS] = na_number_or(all, M_zero_windows, 0);
	to->n[DIFF_REORDERED] = na_number_or(all, M_reordered, 0);
	/* Of many connections the worst alone are listed. */
	to->rtt_us = na_count_at(body, M_connections_not_listed)
			     ? (double)NAN
			     : median_rtt(rows);
}

/* ---- asking */

static bool deaf(void *ctx, enum na_level level)
{
	(void)ctx;
	(void)level;
	return false;
}

static bool all_exhibits(void *ctx, const char *name)
{
	(void)ctx;
	for (size_t i = 0; na_checks[i]; i++) {
		if (na_check_reads(na_checks[i], name))
			return true;
	}
	return false;
}

/* Commands of findings are nobody's to see. */
static const char *no_rest(void *ctx, const char *line, enum na_inputs_of of)
{
	(void)ctx;
	(void)line;
	(void)of;
	return "";
}

static void ask(const struct na_request *q, struct na_arena *arena,
		struct diff_judged *to)
{
	const struct na_limits limits = usual_limits();
	struct na_checks_asked asked = {.rest = no_rest, .limits = &limits};
	struct na_result *r = na_result_new();
	struct na_err err = {.status = NA_OK};
	struct na_battery b;
	int worst;

	if (na_battery_run(&b, q, all_exhibits, NULL, NULL, 0) == NA_OK &&
	    b.used && !b.session.interrupted && r) {
		asked.exhibits = b.exhibits;
		asked.n_exhibits = b.n;
		asked.captured = b.captured;
		asked.n_captured = b.n_captured;
		note_losses(&b, &to->losses);
		note_rdma_losses(&b, &to->losses);
		if (na_checks_run(&asked, r, &worst, &err) == NA_OK)
			note(arena, na_result_body(r), to);
	}
	na_battery_close(&b);
	na_result_free(r);
}

/* A pipe has nothing left for diff itself. */
static bool is_there_twice(const char *path)
{
	struct stat is;

	return strcmp(path, "-") != 0 && stat(path, &is) == 0 &&
	       (S_ISREG(is.st_mode) || S_ISDIR(is.st_mode));
}

void na_diff_judge_runs(const struct na_cli *cli, struct na_arena *arena,
			struct diff_judged judged[2])
{
	const struct na_request *all = &cli->request;
	struct na_request_input *inputs =
		calloc(all->n_inputs, sizeof(*inputs));

	for (int run = 0; inputs && run < 2; run++) {
		struct na_request q = *all;
		bool there = true;

		q.speaker = (struct na_speaker){.hears = deaf};
		q.inputs = inputs;
		q.n_inputs = 0;
		q.one_run = true;
		q.analyses_alone = true;
		for (size_t i = 0; i < all->n_inputs; i++) {
			bool first = na_same_label(all->inputs[i].label,
						   all->inputs[0].label);

			if (first != (run == 0))
				continue;
			there &= is_there_twice(all->inputs[i].path);
			inputs[q.n_inputs] = all->inputs[i];
			inputs[q.n_inputs++].label = NULL;
		}
		if (there)
			ask(&q, arena, &judged[run]);
	}
	free(inputs);
}
