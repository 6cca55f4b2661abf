#include "netan/synth/capture/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

static const int64_t start_unix_ns = INT64_C(1767607200000000000);

enum {
	MS = 1000000,
	BULK_PORT = 8471,
	CALL_PORT = 50051,
	FIRST_PORT = 32768,
	ROCE_PORT = 49152,
	ROCE_PAIRS = 4, /* queue pairs, at most, or as many as conditions */
	MB = 1000000
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

bool na_synth_is_capture(const char *path)
{
	return ends_with(path, ".pcap") || ends_with(path, ".pcapng");
}

/* ---- who talks to whom */

static void describe_end(struct na_frame_end *e, uint32_t host, uint16_t port)
{
	e->mac[0] = 2;
	host++; /* 10.1.0.1 is host 0 */
	e->mac[4] = e->ip[2] = (uint8_t)(host >> 8);
	e->mac[5] = e->ip[3] = (uint8_t)host;
	e->ip[0] = 10;
	e->ip[1] = 1;
	e->port = port;
}

/* Two different hosts, the pairs in turn. */
static void describe_ends(struct na_frame_end ends[2], uint32_t hosts,
			  uint32_t i, uint16_t server_port)
{
	uint32_t a = i % hosts, b = (a + 1 + i / hosts % (hosts - 1)) % hosts;

	describe_end(&ends[0], a, (uint16_t)(FIRST_PORT + i % 20000));
	describe_end(&ends[1], b, server_port);
}

static void describe_flow(struct na_flow *f, struct na_rng *rng)
{
	na_rng_seed(&f->rng, na_rng_next(rng));
	f->isn[0] = (uint32_t)na_rng_next(&f->rng);
	f->isn[1] = (uint32_t)na_rng_next(&f->rng);
	f->start_ns = start_unix_ns + (int64_t)na_rng_below(&f->rng, 100 * MS);
}

/* The place of `word` among words; n: it is none of them. */
static size_t place_of(const char *word, const char *const *words, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(word, words[i]) != 0)
		i++;
	return i;
}

/* The conditions that these words name, in turn: the i-th; n without any. */
static size_t condition_of(const struct na_synth_config *cfg, size_t i,
			   const char *const *words, size_t n)
{
	const struct na_text_list *list = &cfg->conditions;
	size_t named = 0;

	for (size_t k = 0; k < list->n; k++)
		named += place_of(list->items[k], words, n) < n;
	for (size_t k = 0, left = named ? i % named : 0; k < list->n; k++) {
		size_t at = place_of(list->items[k], words, n);

		if (at < n && !left--)
			return at;
	}
	return n;
}

const char *na_condition_offered(size_t k)
{
	/* "healthy" is a word of both. */
	size_t roce = k < NA_FLOW_CALLS ? 0 : k - NA_FLOW_CALLS;

	if (k < NA_FLOW_CALLS)
		return na_flow_words[k];
	roce += roce > 0;
	return roce < NA_ROCE_CONDITIONS ? na_roce_words[roce] : NULL;
}

static size_t roce_words(const struct na_synth_config *cfg)
{
	size_t n = 0;

	for (size_t k = 0; k < cfg->conditions.n; k++)
		n += place_of(cfg->conditions.items[k], na_roce_words,
			      NA_ROCE_CONDITIONS) < NA_ROCE_CONDITIONS;
	return n;
}

static enum na_status check_words(const struct na_synth_config *cfg,
				  struct na_err *err)
{
	for (size_t k = 0; k < cfg->conditions.n; k++) {
		const char *word = cfg->conditions.items[k];

		if (place_of(word, na_flow_words, NA_FLOW_CALLS) ==
			    NA_FLOW_CALLS &&
		    place_of(word, na_roce_words, NA_ROCE_CONDITIONS) ==
			    NA_ROCE_CONDITIONS)
			return na_fail(err, NA_EUSAGE,
				       "--condition \"%s\" is not known; it is "
				       "healthy, loss, timeout, zero-window, "
				       "window-limited or idle, or of RoCEv2 "
				       "roce-mixed, healthy, roce-loss, "
				       "roce-timeout, receiver-not-ready or "
				       "congestion",
				       word);
	}
	return NA_OK;
}

/* Those that wait a lot get little to do, or the capture would take hours;
 * the others share the rest. */
static uint64_t most_bytes(enum na_flow_condition c)
{
	return c == NA_FLOW_IDLE                                  ? MB / 2
	       : c == NA_FLOW_TIMEOUT || c == NA_FLOW_ZERO_WINDOW ? 4 * MB
								  : UINT64_MAX;
}

static void start_bulks(struct na_capture_job *job)
{
	const struct na_synth_config *cfg = job->cfg;
	uint64_t left = (uint64_t)cfg->size_bytes, equal, quick = 0;
	int64_t loss_q16 = (int64_t)(cfg->loss * (double)NA_Q16_ONE);

	if (!left)
		left = 4 * MB;
	equal = job->n_bulks ? left / job->n_bulks : 0;
	for (size_t i = 0; i < job->n_bulks; i++) {
		uint64_t most = most_bytes(job->bulks[i].flow.condition);

		quick += most == UINT64_MAX;
		left -= most == UINT64_MAX ? 0 : equal < most ? equal : most;
	}
	for (size_t i = 0; i < job->n_bulks; i++) {
		uint64_t most = most_bytes(job->bulks[i].flow.condition);
		uint64_t n = most == UINT64_MAX ? left / quick
			     : equal < most     ? equal
						: most;

		na_bulk_start(&job->bulks[i], n ? n : 1, loss_q16);
	}
}

static void make_bulks(struct na_capture_job *job, struct na_rng *rng)
{
	for (size_t i = 0; i < job->n_bulks; i++) {
		struct na_flow *f = &job->bulks[i].flow;
		size_t c = condition_of(job->cfg, i, na_flow_words,
					NA_FLOW_CALLS);

		f->condition = (enum na_flow_condition)(
			c < NA_FLOW_CALLS ? c : i % NA_FLOW_CALLS);
		describe_ends(f->ends, (uint32_t)job->cfg->hosts, (uint32_t)i,
			      BULK_PORT);
		describe_flow(f, rng);
		f->sender = na_rng_hit(&f->rng, NA_Q16_ONE / 4);
	}
	start_bulks(job);
}

static void make_callers(struct na_capture_job *job, struct na_rng *rng)
{
	const struct na_synth_config *cfg = job->cfg;
	uint64_t rpcs = (uint64_t)cfg->rpcs, n = job->n_callers;

	for (size_t i = 0; i < n; i++) {
		struct na_calls_flow *c = &job->callers[i];

		/* Everybody asks host 0. */
		describe_end(&c->flow.ends[0], (uint32_t)i + 1,
			     (uint16_t)(FIRST_PORT + 20000 + i));
		describe_end(&c->flow.ends[1], 0, CALL_PORT);
		describe_flow(&c->flow, rng);
		c->flow.condition = NA_FLOW_CALLS;
		c->index = (uint32_t)(job->n_bulks + i);
		na_calls_start(c, &job->calls, rpcs / n + (i < rpcs % n),
			       cfg->message_bytes, NA_Q16_ONE / 40);
	}
}

static void make_roces(struct na_capture_job *job, struct na_rng *rng)
{
	uint64_t messages = (uint64_t)job->cfg->roce, n = job->n_roces;

	for (size_t i = 0; i < n; i++) {
		struct na_roce_flow *f = &job->roces[i];

		describe_ends(f->ends, (uint32_t)job->cfg->hosts, (uint32_t)i,
			      (uint16_t)(ROCE_PORT + 1000 + i));
		f->ends[0].port = (uint16_t)(ROCE_PORT + i);
		f->qp[0] = 0x100 + (uint32_t)i;
		f->qp[1] = 0x200 + (uint32_t)i;
		na_rng_seed(&f->rng, na_rng_next(rng));
		f->start_ns = start_unix_ns +
			      (int64_t)na_rng_below(&f->rng, 100 * MS);
		f->condition = (enum na_roce_condition)(
			condition_of(job->cfg, i, na_roce_words,
				     NA_ROCE_CONDITIONS) %
			NA_ROCE_CONDITIONS);
		na_roce_flow_start(f, messages / n + (i < messages % n));
	}
}

/* ---- in the order of time */

/* When the flow's next packet is; INT64_MAX: it has ended. */
static int64_t next_time(struct na_capture_job *job, uint32_t i)
{
	const struct na_flow *f;

	if (i >= job->n_bulks + job->n_callers) {
		struct na_roce_flow *r =
			&job->roces[i - job->n_bulks - job->n_callers];

		if (!r->n)
			na_roce_flow_more(r);
		return r->n ? r->plans[r->first].time_ns : INT64_MAX;
	}
	if (i < job->n_bulks) {
		struct na_bulk *b = &job->bulks[i];

		f = &b->flow;
		while (!f->n && !f->closed)
			na_bulk_more(b);
	} else {
		struct na_calls_flow *c = &job->callers[i - job->n_bulks];

		f = &c->flow;
		while (!f->n && !f->closed && !c->failed)
			na_calls_more(c);
	}
	return f->n ? f->plans[f->first].time_ns : INT64_MAX;
}

static enum na_status put_next(struct na_capture_job *job, uint32_t i,
			       struct na_frames *out, struct na_err *err)
{
	if (i < job->n_bulks)
		return na_flow_put(&job->bulks[i].flow, out, err);
	i -= (uint32_t)job->n_bulks;
	if (i < job->n_callers)
		return na_flow_put(&job->callers[i].flow, out, err);
	i -= (uint32_t)job->n_callers;
	return na_roce_flow_put(&job->roces[i], out, err);
}

/* At equal times the first flow goes first. */
static bool plan_turn(struct na_capture_job *job, uint32_t flow)
{
	int64_t at_ns = next_time(job, flow);

	return at_ns == INT64_MAX ||
	       na_queue_add(&job->turns, (struct na_planned){.at = at_ns,
							     .order = flow,
							     .id = flow});
}

static enum na_status put_all(struct na_capture_job *job, struct na_frames *out,
			      struct na_err *err)
{
	enum na_status st = NA_OK;
	unsigned what;
	uint32_t flow;

	job->first_ns = job->turns.n ? job->turns.heap[0].at : 0;
	while (!st && na_queue_take(&job->turns, &job->last_ns, &what, &flow)) {
		st = put_next(job, flow, out, err);
		if (!st && !plan_turn(job, flow))
			st = na_fail_nomem(err);
	}
	for (size_t i = 0; !st && i < job->n_callers; i++)
		if (job->callers[i].failed)
			st = na_fail_nomem(err);
	return st;
}

/* ---- the whole */

static enum na_status make_job(struct na_capture_job *job,
			       const struct na_synth_config *cfg,
			       struct na_err *err)
{
	size_t hosts = (size_t)cfg->hosts, n;
	struct na_rng rng;

	memset(job, 0, sizeof(*job));
	job->cfg = cfg;
	job->n_bulks = (size_t)cfg->connections;
	job->n_callers = (size_t)cfg->rpcs < hosts - 1 ? (size_t)cfg->rpcs
						       : hosts - 1;
	job->n_roces = roce_words(cfg) > ROCE_PAIRS ? roce_words(cfg)
						    : ROCE_PAIRS;
	if ((size_t)cfg->roce < job->n_roces)
		job->n_roces = (size_t)cfg->roce;
	n = job->n_bulks + job->n_callers + job->n_roces;
	if (!n)
		return na_fail(err, NA_EUSAGE,
			       "nothing to capture: --connections, --rpcs and "
			       "--roce are all 0");
	job->bulks = na_calloc(job->n_bulks + 1, sizeof(*job->bulks));
	job->callers = na_calloc(job->n_callers + 1, sizeof(*job->callers));
	job->roces = na_calloc(job->n_roces + 1, sizeof(*job->roces));
	if (!job->bulks || !job->callers || !job->roces)
		return na_fail_nomem(err);
	na_rng_seed(&rng, (uint64_t)cfg->seed);
	make_bulks(job, &rng);
	make_callers(job, &rng);
	make_roces(job, &rng);
	for (uint32_t i = 0; i < n; i++)
		if (!plan_turn(job, i))
			return na_fail_nomem(err);
	return NA_OK;
}

static void free_job(struct na_capture_job *job)
{
	for (size_t i = 0; job->callers && i < job->n_callers; i++)
		na_calls_fini(&job->callers[i]);
	free(job->bulks);
	free(job->callers);
	free(job->roces);
	na_queue_fini(&job->turns);
	free(job->calls.calls);
}

/* path + more, to be freed. */
static char *append(const char *path, const char *more)
{
	char *s;

	return asprintf(&s, "%s%s", path, more) < 0 ? NULL : s;
}

static enum na_status write_capture(struct na_capture_job *job,
				    struct na_synth_report *report,
				    struct na_err *err)
{
	static const char *const endings[] = {"", ".gz", ".zst"};
	const struct na_synth_config *cfg = job->cfg;
	char *path = append(cfg->dir, endings[cfg->compress]);
	struct na_frames *out = NULL;
	uint64_t bytes = 0;
	enum na_status st;

	if (!path)
		return na_fail_nomem(err);
	st = na_frames_open(&out, path, cfg->compress,
			    ends_with(cfg->dir, "ng"),
			    (uint32_t)cfg->snaplen_bytes, err);
	if (!st)
		st = put_all(job, out, err);
	if (st) {
		na_frames_abandon(out);
	} else {
		job->sums = *na_frames_sums(out);
		st = na_frames_finish(out, &bytes, err);
	}
	return na_synth_report_add(report, st, path, bytes, job->sums.frames,
				   err);
}

static enum na_status write_truth(struct na_capture_job *job,
				  struct na_synth_report *report,
				  struct na_err *err)
{
	char *path = append(job->cfg->dir, ".truth.json");
	uint64_t bytes = 0;
	enum na_status st;

	if (!path)
		return na_fail_nomem(err);
	st = na_capture_truth_write(job, path, &bytes, err);
	return na_synth_report_add(report, st, path, bytes, 0, err);
}

bool na_synth_is_packed_capture(const char *path)
{
	static const char *const endings[] = {".pcap.gz", ".pcap.zst",
					      ".pcapng.gz", ".pcapng.zst"};

	for (size_t i = 0; i < NA_LEN(endings); i++)
		if (ends_with(path, endings[i]))
			return true;
	return false;
}

static enum na_status check(const struct na_synth_config *cfg,
			    struct na_err *err)
{
	if (cfg->faults.n || cfg->only.n || cfg->run ||
	    cfg->profile != NA_PROFILE_SESSION)
		return na_fail(err, NA_EUSAGE,
			       "--run, --profile, --fault and --only are for "
			       "traces, not for captures; --condition plants "
			       "trouble in a capture");
	if (cfg->hosts < 2)
		return na_fail(err, NA_EUSAGE,
			       "a capture needs at least two hosts; --hosts "
			       "says %d",
			       (int)cfg->hosts);
	return check_words(cfg, err);
}

enum na_status na_synth_capture(const struct na_synth_config *cfg,
				struct na_synth_report *report,
				struct na_err *err)
{
	struct na_capture_job job = {0};
	enum na_status st = check(cfg, err);

	if (!st)
		st = make_job(&job, cfg, err);
	if (!st)
		st = write_capture(&job, report, err);
	if (!st)
		st = write_truth(&job, report, err);
	free_job(&job);
	return st;
}
