/* What the inputs of a session call their hosts: by the file, by what it says,
 * by --hosts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/session/hosts_file.h"
#include "netan/engine/session/session.h"

static bool is_told(const struct na_input *in)
{
	return in->host && *in->host;
}

/* The file's name when it has the form of a trace's, else what the trace
 * says of its host.  The files of ranks are called after ranks, not hosts. */
enum na_status na_session_name_host(struct na_session *s, struct na_input *in,
				    struct na_source *to)
{
	char buf[NA_RANK_NAME_BUF];
	bool by_form;
	const char *name = na_host_of_path(in->path, &s->arena, &by_form);
	int32_t rank = -1;

	if (!name)
		return NA_ENOMEM;
	to->of_rank = in->rank >= 0;
	to->rank = in->rank;
	to->ranks = in->ranks;
	to->no_host = to->ranks && !is_told(in);
	if (to->of_rank && !is_told(in)) {
		na_rank_name(buf, in->rank);
		in->host = na_arena_strn(&s->arena, buf, strlen(buf));
	} else if (!in->host_kept && (by_form || !is_told(in))) {
		in->host = strcmp(in->path, "-") ? name : "stdin";
	} else if (strncmp(in->host, "rank ", 5) == 0 &&
		   na_rank_parse(in->host, &rank)) {
		/* A transfer file of one. */
		to->of_rank = to->no_host = true;
		to->rank = rank;
	}
	to->host = in->host;
	return in->host ? NA_OK : NA_ENOMEM;
}

static void place_ranks(struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		struct na_source *to = &s->sources[i];
		const char *name;

		if (!to->of_rank)
			continue;
		name = na_hosts_of_rank(s->hosts, to->rank);
		if (!name)
			continue;
		to->host = s->inputs[i].host = name;
		to->no_host = false;
	}
}

bool na_session_name_rank(struct na_session *s, struct na_input *in,
			  struct na_source *to)
{
	char buf[NA_RANK_NAME_BUF];

	to->of_rank = true;
	to->rank = in->rank;
	if (!to->no_host)
		return true;
	na_rank_name(buf, in->rank);
	to->host = in->host = na_arena_strn(&s->arena, buf, strlen(buf));
	return in->host;
}

enum na_status na_session_hosts(struct na_session *s, struct na_err *err)
{
	const char *path = s->request->hosts;
	enum na_status st;

	if (!path)
		return NA_OK;
	s->hosts = na_calloc(1, sizeof(*s->hosts));
	if (!s->hosts)
		return na_fail_nomem(err);
	st = na_hosts_read(s->hosts, path, err);
	if (st == NA_OK)
		place_ranks(s);
	na_hide_session(s);
	return st;
}

static bool of_packets(const struct na_session *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_inputs; i++) {
		if (!(s->inputs[i].reader && s->inputs[i].reader->packets))
			return false;
		any = true;
	}
	return any;
}

/* Runs side by side may be of the same hosts: of traces, of which each file is
 * one, those of a run; *alike: of every run as many.  0: of one run, or
 * others. */
static size_t hosts_of_run(const struct na_session *s, bool *alike)
{
	const struct na_store *st = &s->store;
	size_t most = 0, n;

	*alike = true;
	if (st->n_runs < 2 || st->ranked.ranks ||
	    na_store_hosts(st) != st->n_sources)
		return 0;
	for (uint32_t run = 0; run < st->n_runs; run++) {
		n = 0;
		for (size_t i = 0; i < st->n_sources; i++)
			n += st->sources[i].run == run;
		*alike &= !run || n == most;
		most = n > most ? n : most;
	}
	return most;
}

/* Of captures, which know more addresses: only who has what was asked for is
 * counted. */
static const char *which_hosts(const struct na_session *s)
{
	const uint32_t of[] = {NA_WANT_TRANSFERS, NA_WANT_CONNECTIONS,
			       NA_WANT_QUEUE_PAIRS};
	static const char *const words[] = {" with transfers",
					    " with connections",
					    " with queue pairs"};
	const uint32_t all = NA_WANT_TRANSFERS | NA_WANT_CONNECTIONS |
			     NA_WANT_PACKETS | NA_WANT_QUEUE_PAIRS;

	for (size_t i = 0; i < NA_LEN(of); i++) {
		if ((s->wants & all) == of[i] && of_packets(s))
			return words[i];
	}
	return "";
}

const char *na_session_who(const struct na_session *s, char buf[NA_WHO_BUF])
{
	const struct na_ranked *x = &s->store.ranked;
	size_t hosts = na_store_hosts(&s->store);
	bool others = hosts != x->hosts, alike;
	struct na_str t = na_str_over(buf, NA_WHO_BUF);
	size_t each = hosts_of_run(s, &alike);

	if (each) {
		na_str_addf(&t, "%s%zu host%s each", alike ? "" : "at most ",
			    each, na_plural(each));
		return buf;
	}
	if (x->ranks)
		na_str_addf(&t, "%zu rank%s%s", x->ranks, na_plural(x->ranks),
			    others  ? ", "
			    : hosts ? " on "
				    : "");
	else if (x->inputs && !hosts)
		na_str_addf(&t, "ranks not told");
	if (!x->inputs || hosts)
		na_str_addf(&t, "%zu host%s%s", hosts, na_plural(hosts),
			    which_hosts(s));
	return buf;
}

bool na_session_is_damaged(const struct na_session *s, size_t input)
{
	return s->inputs[input].damaged ||
	       s->store.tallies[input].left_out[NA_LEFT_DAMAGED];
}

const char *na_session_inputs(const struct na_session *s,
			      char buf[NA_FILES_BUF])
{
	size_t captures = 0, traces = 0, damaged = 0, others;
	struct na_str t = na_str_over(buf, NA_FILES_BUF);

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		captures += in->capture != NULL;
		traces += !in->capture && in->told == NA_TOLD_TRACE;
		damaged += na_session_is_damaged(s, i);
	}
	others = s->n_inputs - captures;
	if (captures && others)
		na_str_addf(&t, "%zu %s%s and %zu capture%s", others,
			    traces == others ? "trace" : "file",
			    na_plural(others), captures, na_plural(captures));
	else
		na_str_addf(&t, "%zu file%s", s->n_inputs,
			    na_plural(s->n_inputs));
	if (damaged && damaged == s->n_inputs)
		na_str_addf(&t, " (%sdamaged)", damaged > 1 ? "all " : "");
	else if (damaged)
		na_str_addf(&t, " (%zu damaged)", damaged);
	return buf;
}

/* As many as the job has, as the inputs tell it; 0: not told, or of jobs side
 * by side. */
static size_t world_of(const struct na_session *s)
{
	int32_t most = 0;

	for (size_t i = 0; i < s->n_inputs; i++)
		most = s->inputs[i].world_size > most ? s->inputs[i].world_size
						      : most;
	return s->store.n_runs == 1 ? (size_t)most : 0;
}

/* Those that are not there, all of them; NULL is no memory. */
static bool *absent_ranks(const struct na_session *s, size_t world)
{
	bool *absent = na_calloc(world + 1, sizeof(*absent));

	if (!absent)
		return NULL;
	memset(absent, true, world);
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->sources[i].of_rank && (size_t)s->sources[i].rank < world)
			absent[s->sources[i].rank] = false;
	}
	return absent;
}

/* Files of PyTorch's profiler that do not tell whose they are. */
static void note_untold(const struct na_session *s, struct na_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++)
		n += s->inputs[i].rank < 0 &&
		     strcmp(s->inputs[i].format, "kineto") == 0;
	if (n > 1)
		na_result_note(r,
			       "%zu files do not tell their ranks, and "
			       "stand for a process each: the profiler of "
			       "PyTorch writes ranks (distributedInfo) "
			       "where torch.distributed is initialised "
			       "before it starts; a number in the file's "
			       "name (rank3) tells one, too",
			       n);
}

void na_session_note_ranks(const struct na_session *s, struct na_result *r,
			   struct na_value *coverage)
{
	enum { NAMED = 8 }; /* more are only counted */
	size_t world = world_of(s), here = s->store.ranked.ranks;
	char text[NAMED * 16] = "";
	struct na_str t = na_str_over(text, sizeof(text));
	bool *absent;

	note_untold(s, r);
	if (!here || here >= world)
		return;
	absent = world - here <= NAMED ? absent_ranks(s, world) : NULL;
	for (size_t i = 0; absent && i < world; i++) {
		if (absent[i])
			na_str_join(&t, ", ", "%zu", i);
	}
	free(absent);
	na_put_int(r, coverage, M_ranks_not_here, (int64_t)(world - here));
	na_result_note(r, "%zu of %zu ranks of the job %s in the input%s%s%s",
		       here, world, here == 1 ? "is" : "are",
		       t.n ? "; not there: rank" : "",
		       t.n && world - here > 1 ? "s "
		       : t.n                   ? " "
					       : "",
		       text);
}

void na_session_say_no_pairs(const struct na_session *s)
{
	na_say_error(s->request,
		     "no transfers between two ranks: looked for sends and "
		     "receives whose other rank is told (\"Src Rank\", \"Dst "
		     "Rank\"; nsys exports it with --include-blobs=true), and "
		     "for steps of NCCL's proxies (NCCL Inspector)");
	na_say_hint(s->request,
		    "netan collectives and netan steps tell of what ranks do "
		    "together; netan info shows what is in the input");
}

void na_session_say_no_file(const struct na_session *s)
{
	const struct na_text_list *l = s->filter.host;
	const struct na_store *st = &s->store;

	for (size_t i = 0; i < st->n_sources; i++) {
		if (st->sources[i].capture)
			return; /* addresses are hosts there */
	}
	for (size_t k = 0; l && k < l->n; k++) {
		for (size_t h = st->n_sources; h < st->n_hosts; h++) {
			const char *name = st->hosts[h].name;

			if (st->hosts[h].recorded || st->hosts[h].nobody ||
			    !na_glob(l->items[k], name))
				continue;
			na_say_hint(s->request,
				    "no file here is %s's: what it sent is "
				    "with --src '%s', what it got with "
				    "--dst '%s' --side tx",
				    name, l->items[k], l->items[k]);
			return;
		}
	}
}

static bool names_ranks(const struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->sources[i].of_rank &&
		    na_hosts_of_rank(s->hosts, s->sources[i].rank))
			return true;
	}
	return false;
}

/* Of ranks, which inputs may tell or not. */
static enum na_status names_no_rank(const struct na_session *s,
				    struct na_err *err)
{
	const char *has = na_strtab_at(&s->hosts->addresses, 0);
	char buf[NA_RANK_NAME_BUF], one[NA_RANK_NAME_BUF + 16] = "";
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_source *x = &s->sources[i];

		if (x->of_rank && x->rank >= 0 && !n++)
			snprintf(one, sizeof(one), "such as %s; ",
				 na_rank_name(buf, x->rank));
	}
	if (n)
		return na_fail(err, NA_EDOMAIN,
			       "%s names none of the %zu ranks (%sit has %s)",
			       s->request->hosts, n, one, has);
	return na_fail(err, NA_EDOMAIN,
		       "%s names none of the ranks: the inputs tell of none "
		       "which one it is (it has %s)",
		       s->request->hosts, has);
}

enum na_status na_session_named(struct na_session *s, struct na_err *err)
{
	const struct na_names *names = &s->store.names;
	const char *one = NULL;
	char buf[NA_ENDPOINT_BUF];
	size_t n = 0;

	if (!s->hosts || s->store.n_named || names_ranks(s))
		return NA_OK;
	for (size_t i = 0; i < names->n_endpoints; i++) {
		if (names->endpoints[i].slice != NA_ADDRESS)
			continue;
		if (!n++)
			one = na_endpoint_print(buf, names,
						&names->endpoints[i]);
	}
	if (n)
		return na_fail(err, NA_EDOMAIN,
			       "%s names none of the %zu addresses (such as "
			       "%s; it has %s)",
			       s->request->hosts, n, one,
			       na_strtab_at(&s->hosts->addresses, 0));
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->inputs[i].capture)
			return NA_OK; /* no address in it, to name or not */
	}
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->inputs[i].ranks || s->sources[i].of_rank)
			return names_no_rank(s, err);
	}
	return na_fail(err, NA_EUSAGE,
		       "--hosts is for packet captures and for ranks of GPU "
		       "jobs; %s is %s",
		       s->inputs[0].path, s->inputs[0].format);
}
