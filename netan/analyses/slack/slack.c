/*
 * slack: which collectives have too little time, and what they cost the
 * devices.  Of the device planes only the ops over the data-center network
 * are kept; everything is worked out once all are in, core by core.
 */
#include "netan/analyses/slack/slack.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/capacity.h"

/* clang-format off */
static const struct na_opt slack_opts[] = {
	{NA_OPT_TEXT, 0, "capacity", offsetof(struct sl_params, capacity),
	 "RATE", NULL, 0, 0, "network capacity of a host: 100Gbps, "
	 "4x200Gbps/2 or v6e; marks what needs more", NA_PATH_NONE,
	 na_capacity_offered,
	 .brief = "marks what needs more: 100Gbps"},
	{NA_OPT_CHOICE, 0, "sort", offsetof(struct sl_params, sort),
	 "stall|required", "stall", 0, 0, "which rows come first: by total "
	 "stall, or by the bandwidth that the slack requires",
	 .brief = "what comes first"},
	{NA_OPT_FLAG, 0, "reference", offsetof(struct sl_params, reference),
	 NULL, NULL, 0, 0, "the numbers that XProf prints: of device 0 alone, "
	 "cut to whole microseconds, means only"},
	{NA_OPT_COUNT, 0, "late", offsetof(struct sl_params, late), "N", "3", 0,
	 SL_LATE_MAX, "explain the N slowest executions of the collective that "
	 "stalls most; 0: none",
	 .brief = "explain the N slowest of the worst collective"},
	{NA_OPT_FLAG, 0, "waterfall", offsetof(struct sl_params, waterfall),
	 NULL, NULL, 0, 0, "draw the slowest of them, its actions on all its "
	 "hosts, in place of the overview"},
	NA_OPT_END,
};
/* clang-format on */

int64_t na_slack_clamp(na_i128 x)
{
	return x > NA_TIME_MAX   ? NA_TIME_MAX
	       : x < NA_TIME_MIN ? NA_TIME_MIN
				 : (int64_t)x;
}

int64_t na_slack_minus(int64_t a, int64_t b)
{
	return na_slack_clamp((na_i128)a - b);
}

int64_t na_slack_duration(const struct na_op *x)
{
	return na_time_between(x->start_ps, x->end_ps);
}

enum sl_part na_slack_part_of(const struct na_op_type *t)
{
	if (t->opcode == NA_OPCODE_SEND)
		return t->phase == NA_OP_DONE ? SL_SEND_DONE : SL_SEND;
	if (t->opcode == NA_OPCODE_RECV)
		return t->phase == NA_OP_DONE ? SL_RECV_DONE : SL_RECV;
	return SL_PARTS;
}

static enum na_status slack_check(const void *params, struct na_err *err)
{
	const struct sl_params *p = params;
	double gbps;

	if (p->waterfall && (p->reference || !p->late))
		return na_fail(err, NA_EUSAGE,
			       "--waterfall draws an execution that is "
			       "explained: leave out %s",
			       p->reference ? "--reference" : "--late 0");
	return p->capacity ? na_capacity_parse(p->capacity, &gbps, err) : NA_OK;
}

/* What an execution on a device can be grouped by. */
static enum na_status check_keys(const struct na_grouping *by,
				 struct na_err *err)
{
	for (size_t i = 0; i < by->n; i++) {
		switch (by->keys[i]) {
		case NA_KEY_HOST:
		case NA_KEY_DEVICE:
		case NA_KEY_STEP:
		case NA_KEY_LABEL:
		case NA_KEY_TRANSFER_TYPE:
		case NA_KEY_COLLECTIVE:
			break;
		default:
			return na_fail(err, NA_EUSAGE,
				       "--by: an execution of a collective on "
				       "a device has no %s; slack groups by "
				       "device host step label transfer_type",
				       na_key_name(by->keys[i]));
		}
	}
	return NA_OK;
}

static enum na_status slack_open(void *state, const struct na_scope *scope,
				 const void *params, struct na_err *err)
{
	struct sl_state *s = state;
	enum na_status st = check_keys(&scope->by, err);

	if (st != NA_OK)
		return st;
	s->scope = scope;
	s->params = params;
	s->by = scope->by;
	/* The reference knows one host at a time. */
	if (s->params->reference && scope->store->n_sources > 1 &&
	    !na_grouping_has(&s->by, NA_KEY_HOST) && s->by.n < NA_MAX_KEYS)
		s->by.keys[s->by.n++] = NA_KEY_HOST;
	s->capacity_gbps = NAN;
	if (s->params->capacity)
		return na_capacity_parse(s->params->capacity, &s->capacity_gbps,
					 err);
	return NA_OK;
}

static enum na_status slack_fork(void *block, const void *state, unsigned pass)
{
	(void)pass;
	*(struct sl_block *)block = (struct sl_block){.main = state};
	return NA_OK;
}

static enum na_status slack_add_op(void *block, const struct na_op *x)
{
	struct sl_block *b = block;
	struct sl_gathered *g = &b->got;
	const struct na_scope *scope = b->main->scope;
	const struct na_devices *v = &scope->store->devices;
	const struct na_op_type *t = &v->types.items[x->type];

	if (t->network != NA_NET_DCN || na_slack_part_of(t) == SL_PARTS) {
		g->other_ops += na_filter_input(scope->bound,
						v->cores[x->core].input) &&
				na_filter_on_core(scope->bound, x->core,
						  x->start_ps, x->end_ps);
		return NA_OK;
	}
	if (b->main->params->reference && v->cores[x->core].number != 0)
		return NA_OK;
	return na_add(&g->ops, *x) ? NA_OK : NA_ENOMEM;
}

static enum na_status slack_add_step(void *block, const struct na_span *x)
{
	struct sl_block *b = block;

	return na_add(&b->got.steps, *x) ? NA_OK : NA_ENOMEM;
}

static enum na_status slack_add_module(void *block, const struct na_span *x)
{
	struct sl_block *b = block;

	return na_add(&b->got.modules, *x) ? NA_OK : NA_ENOMEM;
}

static enum na_status slack_merge(void *state, void *block, unsigned pass)
{
	const struct sl_gathered *b = &((struct sl_block *)block)->got;
	struct sl_state *s = state;
	struct sl_gathered *g = &s->got;

	(void)pass;
	/* Once for all: doubling would take as much again. */
	if ((!g->ops.v && !na_room(&g->ops, s->scope->store->ops.n)) ||
	    !na_append(&g->ops, b->ops.v, b->ops.n) ||
	    !na_append(&g->steps, b->steps.v, b->steps.n) ||
	    !na_append(&g->modules, b->modules.v, b->modules.n))
		return NA_ENOMEM;
	g->other_ops += b->other_ops;
	return NA_OK;
}

/* Each core's own ops, runs and steps: ops of a core are already in order
 * where the trace is, and the sort of each core is a job of its own. */
static bool by_core(struct sl_state *s)
{
	size_t n = s->scope->store->devices.n_cores;
	struct na_op *sorted = na_calloc(s->got.ops.n, sizeof(*sorted));
	size_t at = 0;

	s->cores = na_calloc(n, sizeof(*s->cores));
	if (!sorted || !s->cores) {
		free(sorted);
		return false;
	}
	for (size_t i = 0; i < s->got.ops.n; i++)
		s->cores[s->got.ops.v[i].core].n_ops++;
	for (size_t i = 0; i < n; i++) {
		s->cores[i].ops = sorted + at;
		at += s->cores[i].n_ops;
		s->cores[i].n_ops = 0;
	}
	for (size_t i = 0; i < s->got.ops.n; i++) {
		struct sl_core *c = &s->cores[s->got.ops.v[i].core];

		c->ops[c->n_ops++] = s->got.ops.v[i];
	}
	free(s->got.ops.v);
	s->got.ops.v = sorted;
	na_sort(s->got.modules.v, s->got.modules.n, na_span_order);
	na_sort(s->got.steps.v, s->got.steps.n, na_span_order);
	for (size_t i = s->got.modules.n; i-- > 0;) {
		s->cores[s->got.modules.v[i].core].modules =
			&s->got.modules.v[i];
		s->cores[s->got.modules.v[i].core].n_modules++;
	}
	for (size_t i = s->got.steps.n; i-- > 0;) {
		s->cores[s->got.steps.v[i].core].steps = &s->got.steps.v[i];
		s->cores[s->got.steps.v[i].core].n_steps++;
	}
	return true;
}

NA_ORDER(by_start, struct sl_occ, NA_UP(start_ps), NA_UP(end_ps),
	 NA_UP(collective))

/* Then the line's own order tells which of two at one time came first. */
static bool in_order(const struct sl_core *c)
{
	for (size_t i = 1; i < c->n_ops; i++) {
		if (c->ops[i].start_ps < c->ops[i - 1].start_ps)
			return false;
	}
	return true;
}

static void walk_core(void *arg, size_t i)
{
	struct sl_state *s = arg;
	struct sl_core *c = &s->cores[i];

	if (!in_order(c))
		na_sort(c->ops, c->n_ops, na_op_order);
	c->failed = !(s->params->reference ? na_slack_walk_reference(s, c)
					   : na_slack_walk(s, c));
	if (!na_filter_input(s->scope->bound,
			     s->scope->store->devices.cores[i].input)) {
		uint64_t hosts = c->occs.n + c->left[SL_OUTSIDE];
		uint64_t elsewhere = c->left[SL_ELSEWHERE];

		memset(c->left, 0, sizeof(c->left));
		c->left[SL_HOSTS] = hosts;
		c->left[SL_ELSEWHERE] = elsewhere;
		c->occs.n = 0;
	}
	na_sort(c->occs.v, c->occs.n, by_start);
}

static bool gather(struct sl_state *s)
{
	size_t cores = s->scope->store->devices.n_cores, n = 0;

	for (size_t i = 0; i < cores; i++) {
		if (s->cores[i].failed)
			return false;
		n += s->cores[i].occs.n;
		for (size_t k = 0; k < SL_N_COUNTS; k++)
			s->left[k] += s->cores[i].left[k];
	}
	free(s->got.ops.v); /* what they tell is in the occurrences */
	s->got.ops.v = NULL;
	s->occs = na_calloc(n, sizeof(*s->occs));
	if (!s->occs || n >= UINT32_MAX)
		return false;
	for (size_t i = 0; i < cores; i++) {
		struct sl_core *c = &s->cores[i];

		if (c->occs.n)
			memcpy(s->occs + s->n, c->occs.v,
			       c->occs.n * sizeof(*c->occs.v));
		s->n += c->occs.n;
		na_vec_free(&c->occs);
	}
	return true;
}

static enum na_status slack_turn(void *state, unsigned done, struct na_err *err)
{
	struct sl_state *s = state;

	(void)done;
	if (!by_core(s) ||
	    !na_side_by_side(s->scope, s->scope->store->devices.n_cores,
			     walk_core, s) ||
	    !gather(s) || !na_slack_join_graphs(s) || !na_slack_sum_up(s) ||
	    !na_slack_latencies(s) || !na_slack_judge(s))
		return na_fail_nomem(err);
	return NA_END;
}

static void fini_gathered(struct sl_gathered *g)
{
	na_vec_free(&g->ops);
	na_vec_free(&g->modules);
	na_vec_free(&g->steps);
}

static void fini_block(void *block)
{
	fini_gathered(&((struct sl_block *)block)->got);
}

static void slack_fini(void *state)
{
	struct sl_state *s = state;
	size_t cores = s->cores ? s->scope->store->devices.n_cores : 0;

	for (size_t i = 0; i < cores; i++)
		na_vec_free(&s->cores[i].occs);
	free(s->cores);
	fini_gathered(&s->got);
	free(s->occs);
	na_groups_fini(&s->groups);
	na_groups_fini(&s->bases);
	na_triples_fini(&s->keys);
	free(s->rows);
	free(s->order);
	free(s->ranked);
	free(s->overlaps);
}

static enum na_severity slack_severity(const void *state)
{
	return ((const struct sl_state *)state)->severity;
}

const struct na_analysis na_an_slack = {
	.info.name = "slack",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "which collectives have too little slack, who stalls "
			 "the device",
	.info.details =
		"On each TPU a collective over the data-center network is "
		"four ops: send, send-done, recv, recv-done. Slack is the "
		"time from the start of the send to the start of the "
		"recv-done, minus the time of any such op meanwhile: the "
		"time that the network may take without stalling the device. "
		"Stall is the time in the four ops; required is the "
		"bandwidth at which the bytes just fit the slack; achieved "
		"is that of the time in flight. A slack below 0 keeps its "
		"sign: ops of other collectives ran into this one's time.\n"
		"Host stall: from the start of the recv-done to the end of "
		"the graph execution on the host; below 0, the host was done "
		"first. --table overlaps lists other collectives in flight.\n"
		"An execution owns its recv even before the send, and its "
		"send-done even after the recv-done. Ops in a loop are "
		"joined in order, and never across two runs of a program. "
		"--from and --to use the end of the recv-done, --step the "
		"step in which it began; --collective selects rows, and "
		"other collectives still count as overlap.\n"
		"Small slack (slack_small): less than 5 % of the observed "
		"time, or less than the median latency of one of its "
		"transfers. The verdict counts those that stall devices for "
		"1 % of their step time or more.\n"
		"--reference: XProf's table (device 0 of each host, ops "
		"inside a program run, stall restarted at each send, times "
		"cut to nanoseconds and microseconds), without its errors in "
		"the mean time of recv, negative slack, and host stall in "
		"slice 0.",
	.info.matter = "output,format,from,to,step,by,collective,sort,late,"
		       "capacity",
	.info.example =
		"netan slack logdir\n"
		"netan slack logdir --capacity 200Gbps -o slack.svg\n"
		"netan slack logdir --collective 'all-reduce.7*' --by host\n"
		"netan slack logdir --waterfall -o late.svg\n"
		"netan slack host0.xplane.pb --reference --format csv",
	.info.method = "definitions of XProf's Megascale stats",
	.many = true,
	.wants = NA_WANT_OPS | NA_WANT_GRAPHS | NA_WANT_STEPS |
		 NA_WANT_MODULES | NA_WANT_PROGRAMS | NA_WANT_TRANSFERS |
		 NA_WANT_AGAIN,
	/* Clocks are told apart by sends, and by latencies of 0. */
	.both_sides = true,
	.every_host = true,
	.censored = true,
	.info.opts = slack_opts,
	.info.params_size = sizeof(struct sl_params),
	.begins = 1,
	.reports_coverage = 8,
	.state_size = sizeof(struct sl_state),
	.block_size = sizeof(struct sl_block),
	.passes = 1,
	.check = slack_check,
	.open = slack_open,
	.fork = slack_fork,
	.add_op = slack_add_op,
	.add_step = slack_add_step,
	.add_module = slack_add_module,
	.merge = slack_merge,
	.turn = slack_turn,
	.finish = na_slack_finish,
	.fini = slack_fini,
	.fini_block = fini_block,
	.severity = slack_severity,
};
