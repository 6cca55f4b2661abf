#include "netan/engine/session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/order.h"
#include "netan/base/similar.h"
#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/session/files.h"

/* One run for each label, numbered in order of appearance. */
static void number_runs(struct na_session *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		size_t k = 0;

		while (k < i &&
		       !na_same_label(s->sources[k].label, s->sources[i].label))
			k++;
		s->sources[i].run = k < i ? s->sources[k].run : n++;
	}
}

/* Farther apart, times do not fit one origin. */
#define APART_NS (INT64_C(100) * 86400 * 1000000000)

/* Two profiles are of one run when their times meet; a packet capture may
 * begin before, but not after them. */
static bool apart(const struct na_input *a, const struct na_input *b)
{
	int64_t ns;

	if (a->has_wall && b->has_wall &&
	    (__builtin_sub_overflow(a->first_ns, b->first_ns, &ns) ||
	     ns > APART_NS || ns < -APART_NS))
		return true;
	if (a->capture && b->profile_stop_ns)
		return a->has_wall && a->first_ns > b->profile_stop_ns;
	if (b->capture)
		return a->profile_stop_ns && b->has_wall &&
		       b->first_ns > a->profile_stop_ns;
	if (!a->profile_start_ns || !a->profile_stop_ns ||
	    !b->profile_start_ns || !b->profile_stop_ns)
		return false;
	return a->profile_start_ns > b->profile_stop_ns ||
	       b->profile_start_ns > a->profile_stop_ns;
}

/* In what was kept of them, if they were packed or are of a GPU job.  Of one
 * that another process has open the ends are all that is known. */
static bool same_bytes(const struct na_input *a, const struct na_input *b)
{
	return !a->capture == !b->capture && a->rank == b->rank &&
	       a->content_bytes == b->content_bytes &&
	       a->content_hash == b->content_hash &&
	       a->has_time && b->has_time && a->first_ns == b->first_ns &&
	       (a->away || b->away || a->stands_in || b->stands_in ||
		(a->data && b->data &&
		 memcmp(a->data, b->data, a->size) == 0));
}

/* Recorders and plugins tell of groups, the largest of which need not be that
 * of all ranks. */
static bool tells_world(const struct na_input *in)
{
	return in->world_size > 0 && in->told == NA_TOLD_TRACE;
}

/* Different runs must not be mixed by accident. */
static enum na_status may_mix(const struct na_session *s, size_t i, size_t k,
			      struct na_err *err)
{
	const struct na_input *a = &s->inputs[i], *b = &s->inputs[k];
	const char *what = NULL;

	if (!na_same_label(s->sources[i].label, s->sources[k].label) ||
	    (a->path == b->path && a->source != b->source))
		return NA_OK; /* a file's hosts are one run */
	/* Each rank of a host has a file of its own, of each kind. */
	if (a->rank >= 0 && a->rank == b->rank && a->told == b->told)
		what = "are of the same rank";
	else if (!a->capture && !b->capture && strcmp(a->host, b->host) == 0 &&
		 a->told == b->told && a->rank < 0)
		what = "are of the same host";
	/* A capture is no host, and may be in pieces; a copy of a trace may be
	 * called as another host. */
	else if (same_bytes(a, b))
		return na_fail(err, NA_EUSAGE,
			       "%s and %s hold the same %s: leave one of them "
			       "out",
			       b->path, a->path,
			       a->capture ? "packets" : "events");
	else if (tells_world(a) && tells_world(b) &&
		 a->world_size != b->world_size)
		what = "are of jobs with other numbers of ranks";
	else if (apart(a, b))
		what = "were captured at different times";
	if (!what)
		return NA_OK;
	if (strcmp(a->path, b->path) == 0)
		return na_fail(err, NA_EUSAGE,
			       "%s is given twice: leave one out", a->path);
	/* A label would be refused next. */
	if (s->request->one_run)
		return na_fail(err, NA_EUSAGE,
			       "%s and %s %s: these are several runs, and this "
			       "command is of one; give it the inputs of one, "
			       "or compare two: netan diff A B",
			       b->path, a->path, what);
	return na_fail(err, NA_EUSAGE,
		       "%s and %s %s: inputs of different runs need a --label "
		       "NAME before each",
		       b->path, a->path, what);
}

/* What of a run may be apart from another one: as apart() tells it. */
struct spread {
	int64_t first_ns, last_ns;            /* on the wall clock */
	int64_t captured_ns;                  /* last capture that begins */
	int64_t last_start_ns, first_stop_ns; /* of profiles that tell both */
	int64_t stop_ns;                      /* first that stops */
	int32_t least_ranks, most_ranks;      /* of a job, where told */
	size_t captures;
};

static void spread_out(struct spread *x, const struct na_input *in)
{
	bool both = in->profile_start_ns && in->profile_stop_ns;

	if (tells_world(in) && in->world_size < x->least_ranks)
		x->least_ranks = in->world_size;
	if (tells_world(in) && in->world_size > x->most_ranks)
		x->most_ranks = in->world_size;
	if (in->has_wall && in->first_ns < x->first_ns)
		x->first_ns = in->first_ns;
	if (in->has_wall && in->first_ns > x->last_ns)
		x->last_ns = in->first_ns;
	if (in->capture) {
		x->captures++;
		if (in->has_wall && in->first_ns > x->captured_ns)
			x->captured_ns = in->first_ns;
		return;
	}
	if (both && in->profile_start_ns > x->last_start_ns)
		x->last_start_ns = in->profile_start_ns;
	if (both && in->profile_stop_ns < x->first_stop_ns)
		x->first_stop_ns = in->profile_stop_ns;
	if (in->profile_stop_ns && in->profile_stop_ns < x->stop_ns)
		x->stop_ns = in->profile_stop_ns;
}

static bool is_apart(const struct spread *x)
{
	int64_t ns;

	return x->captures > 1 || x->most_ranks > x->least_ranks ||
	       (x->last_ns > x->first_ns &&
		(__builtin_sub_overflow(x->last_ns, x->first_ns, &ns) ||
		 ns > APART_NS)) ||
	       x->captured_ns > x->stop_ns ||
	       x->last_start_ns > x->first_stop_ns;
}

struct input_key {
	const char *host;
	uint32_t run;
	int32_t rank, told;
	int64_t first_ns;
	uint64_t content_bytes, content_hash;
};

NA_ORDER(by_host, struct input_key, NA_UP(run), NA_UP(told),
	 strcmp(x->host, y->host), NA_UP(rank))
NA_ORDER(by_rank, struct input_key, NA_UP(run), NA_UP(told), NA_UP(rank))

NA_ORDER(by_content, struct input_key, NA_UP(run), NA_UP(content_bytes),
	 NA_UP(rank), NA_UP(first_ns), NA_UP(content_hash))

/* Whether some host may have two inputs that are not two ranks of it, or some
 * rank two of one kind, or two are copies. */
static bool may_be_doubled(const struct na_session *s, struct input_key *keys)
{
	bool doubled = false;
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (!in->capture)
			keys[n++] = (struct input_key){in->host,
						       s->sources[i].run,
						       in->rank,
						       (int32_t)in->told,
						       in->first_ns,
						       in->content_bytes,
						       in->content_hash};
	}
	na_sort(keys, n, by_rank);
	for (size_t i = 1; i < n; i++)
		doubled |= keys[i].rank >= 0 &&
			   !by_rank(&keys[i - 1], &keys[i]);
	na_sort(keys, n, by_host);
	for (size_t i = 1; i < n; i++)
		doubled |= keys[i - 1].rank < 0 &&
			   keys[i - 1].run == keys[i].run &&
			   keys[i - 1].told == keys[i].told &&
			   strcmp(keys[i - 1].host, keys[i].host) == 0;
	na_sort(keys, n, by_content);
	for (size_t i = 1; i < n; i++)
		doubled |= keys[i].content_bytes &&
			   !by_content(&keys[i - 1], &keys[i]);
	return doubled;
}

/* False: no two of them need to be compared.  That takes n log n, where pair
 * by pair takes its square. */
static bool may_be_mixed(const struct na_session *s)
{
	size_t n = s->n_inputs;
	struct spread *of = na_calloc(n, sizeof(*of));
	struct input_key *keys = na_calloc(n, sizeof(*keys));
	bool may = !of || !keys;

	for (size_t i = 0; !may && i < n; i++)
		of[i] = (struct spread){.first_ns = INT64_MAX,
					.last_ns = INT64_MIN,
					.captured_ns = INT64_MIN,
					.last_start_ns = INT64_MIN,
					.first_stop_ns = INT64_MAX,
					.stop_ns = INT64_MAX,
					.least_ranks = INT32_MAX};
	for (size_t i = 0; !may && i < n; i++)
		spread_out(&of[s->sources[i].run], &s->inputs[i]);
	for (size_t i = 0; !may && i < n; i++)
		may = is_apart(&of[i]);
	may = may || may_be_doubled(s, keys);
	free(of);
	free(keys);
	return may;
}

static bool runs_mixed(const struct na_session *s, struct na_err *err)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		for (size_t k = 0; k < i; k++) {
			if (may_mix(s, i, k, err) != NA_OK)
				return true;
		}
	}
	return false;
}

/* The origin of a run: the first time in all its files where all tell the
 * wall clock; else of its captures, which are merged by it. */
struct origin {
	int64_t all_ns, captures_ns; /* INT64_MAX: no time is told */
};

static int64_t zero_of(const struct na_session *s, const struct na_input *in,
		       const struct origin *of)
{
	int64_t ns = INT64_MAX;

	if (s->one_clock)
		ns = of->all_ns;
	else if (in->capture)
		ns = of->captures_ns;
	return ns < INT64_MAX ? ns : in->first_ns;
}

/* Each labelled run has an origin of its own, so that runs lie side by side.
 * False: no memory. */
static bool settle_origin(struct na_session *s)
{
	struct origin *of = na_calloc(s->n_inputs, sizeof(*of));

	s->one_clock = true;
	for (size_t i = 0; of && i < s->n_inputs; i++) {
		s->one_clock &= s->inputs[i].has_wall || !s->inputs[i].has_time;
		of[i] = (struct origin){INT64_MAX, INT64_MAX};
	}
	for (size_t i = 0; of && i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];
		struct origin *x = &of[s->sources[i].run];

		if (in->has_time && in->first_ns < x->all_ns)
			x->all_ns = in->first_ns;
		if (in->has_time && in->capture &&
		    in->first_ns < x->captures_ns)
			x->captures_ns = in->first_ns;
	}
	for (size_t i = s->n_inputs; of && i-- > 0;) {
		struct na_input *in = &s->inputs[i];

		in->zero_ns = zero_of(s, in, &of[s->sources[i].run]);
		if (in->has_time)
			s->origin_unix_ns = in->zero_ns;
	}
	free(of);
	return of;
}

static int64_t profiled(const struct na_input *in, int64_t unix_ns)
{
	int64_t ps;

	return unix_ns > 0 && na_ps_since(unix_ns, in->zero_ns, &ps)
		       ? ps
		       : NA_UNKNOWN_PS;
}

static void note_profiles(struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		s->sources[i].own_clock = !s->one_clock;
		s->sources[i].profile_start_ps = profiled(in,
							  in->profile_start_ns);
		s->sources[i].profile_stop_ps = profiled(in,
							 in->profile_stop_ns);
	}
}

/* Ranks are brought together by the ends of their operations. */
static void say_rank_clocks(const struct na_session *s)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (!in->has_time || in->has_wall || in->rank < 0)
			continue;
		first = first ? first : in->path;
		n++;
	}
	if (n && s->n_inputs > 1)
		na_say_warning(s->request,
			       "%zu file%s of ranks know%s no wall clock (the "
			       "first is %s): every file counts time from its "
			       "own first operation, and only ends of "
			       "collectives tell how these lie to each other",
			       n, na_plural(n), n == 1 ? "s" : "", first);
}

/* One file without the wall clock leaves all hosts unaligned: name it. */
static void say_clocks(const struct na_session *s)
{
	say_rank_clocks(s);
	for (size_t i = 0; !s->one_clock && i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (in->has_time && !in->has_wall && in->rank < 0 &&
		    s->n_inputs > 1)
			na_say_warning(s->request,
				       "%s has no wall clock (plane \"Task "
				       "Environment\"): every file counts time "
				       "from its own first line; without this "
				       "file they can be aligned",
				       in->path);
	}
}

static bool go_on(void *ctx, uint64_t bytes)
{
	(void)ctx;
	(void)bytes;
	return !na_interrupted();
}

enum na_status na_session_open(struct na_session *s, const struct na_request *q,
			       uint32_t wants)
{
	return na_session_open_beside(s, q, wants, NULL);
}

/* What all of them together say of each. */
static enum na_status settle(struct na_session *s, struct na_err *err)
{
	number_runs(s);
	na_hide_session(s);
	if (!s->n_inputs)
		return na_fail(err, NA_EIO, "%s",
			       s->n_logs ? "these are logs alone: netan hang "
					   "says what they tell"
			       : s->request->local.n && !s->n_refused
				       ? "no node has a file that --local names"
			       : s->only_one ? ""
			       : na_interrupted()
				       ? "interrupted before anything was read"
				       : "no readable input");
	if (na_session_seats(s, err) != NA_OK ||
	    na_session_once(s, err) != NA_OK ||
	    na_session_hosts(s, err) != NA_OK ||
	    (may_be_mixed(s) && runs_mixed(s, err)) ||
	    na_session_captures(s, err) != NA_OK)
		return err->status;
	if (!settle_origin(s))
		return na_fail_nomem(err);
	note_profiles(s);
	say_clocks(s);
	return NA_OK;
}

enum na_status na_session_open_beside(struct na_session *s,
				      const struct na_request *q,
				      uint32_t wants,
				      const struct na_hang_reading *hangs)
{
	struct na_err err = {.status = NA_OK};

	*s = (struct na_session){.request = q, .wants = wants, .hangs = hangs};
	s->asks = (struct na_input_asks){.lines = &q->line,
					 .filter = q->filter,
					 .unquoted = q->pseudonyms,
					 .segments_of = NA_UNKNOWN_U32,
					 .go_on = go_on};
	s->threads = na_threads_of(q);
	s->only_one = q->n_inputs == 1;
	if (na_session_files(s, &err) == NA_OK)
		na_in_err(settle(s, &err));
	if (*err.text)
		na_say_error(q, "%s", err.text);
	return err.status;
}

void na_session_close(struct na_session *s)
{
	if (s->store_ready)
		na_store_fini(&s->store);
	for (size_t i = s->n_inputs; i-- > 0;) /* borrowers first */
		na_input_close(&s->inputs[i]);
	for (size_t i = 0; i < s->n_refused; i++)
		free(s->refused[i].why);
	free(s->inputs);
	free(s->refused);
	free(s->notes);
	free(s->sources);
	free(s->owners);
	if (s->topology)
		na_topology_fini(s->topology);
	free(s->topology);
	if (s->hosts)
		na_hosts_fini(s->hosts);
	free(s->hosts);
	if (s->programs)
		na_hlo_fini(s->programs);
	free(s->programs);
	free(s->merged);
	na_arena_fini(&s->arena);
}
