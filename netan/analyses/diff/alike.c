/*
 * diff: did both runs do the same work?  Where not, figures stand beside each
 * other, and neither run is better: a capture beside a trace, GPUs beside
 * TPUs, other programs, other collectives with other bytes, another number of
 * hosts or devices.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/diff/state.h"
#include "netan/base/str.h"

/* ---- what the inputs are */

enum { OF_TPUS = 1, OF_GPUS = 2, OF_TRACES = 4, OF_CAPTURES = 8 };

/* What ranks tell of their sends is styled as if packets did. */
static bool has_ranks(const struct na_store *store, uint32_t run)
{
	for (size_t i = 0; i < store->n_sources; i++) {
		if (store->sources[i].run == run && store->sources[i].ranks)
			return true;
	}
	return false;
}

static unsigned kinds_of(const struct na_store *store, uint32_t run)
{
	unsigned styles = na_store_styles(store, run), kinds = 0;

	if (has_ranks(store, run))
		return OF_GPUS | OF_TRACES;
	for (size_t i = 0; i < store->devices.n_cores; i++) {
		const struct na_core *c = &store->devices.cores[i];

		if (na_store_run_of(store, c->input) == run)
			kinds |= c->kind == NA_DEVICE_TPU ? OF_TPUS : OF_GPUS;
	}
	if (kinds || styles & ~NA_STYLES_OF_PACKETS)
		kinds |= OF_TRACES;
	if (styles & NA_STYLES_OF_PACKETS)
		kinds |= OF_CAPTURES;
	return kinds;
}

static const char *name_kind(unsigned kinds)
{
	if (!(kinds & OF_TRACES))
		return "a capture";
	return kinds & OF_CAPTURES ? "a trace with a capture" : "a trace";
}

static void look_at_kinds(struct diff_state *s)
{
	enum { DEVICES = OF_TPUS | OF_GPUS, READ = OF_TRACES | OF_CAPTURES };
	unsigned a = kinds_of(s->scope->store, DIFF_A);
	unsigned b = kinds_of(s->scope->store, DIFF_B);
	bool both = a & DEVICES && b & DEVICES;

	if (!(a & READ) || !(b & READ))
		return;
	if ((a ^ b) & READ)
		snprintf(s->unlike[DIFF_OTHER_INPUT], DIFF_UNLIKE_BUF,
			 "%s against %s", name_kind(a), name_kind(b));
	else if (both && !(a & b & DEVICES))
		snprintf(s->unlike[DIFF_OTHER_INPUT], DIFF_UNLIKE_BUF,
			 "%s against %s", a & OF_TPUS ? "TPUs" : "GPUs",
			 b & OF_TPUS ? "TPUs" : "GPUs");
}

/* ---- how many took part */

struct crowd {
	uint64_t hosts, devices, ranks;
};

static void count_ranks(const struct na_store *store, uint32_t run,
			struct crowd *c)
{
	for (size_t i = 0; i < store->devices.n_cores; i++) {
		const struct na_core *x = &store->devices.cores[i];

		c->ranks += x->kind == NA_DEVICE_RANK &&
			    na_store_run_of(store, x->input) == run;
	}
}

static bool crowd_of(const struct diff_state *s, uint32_t run, struct crowd *c)
{
	const struct na_store *store = s->scope->store;
	bool *seen = na_calloc(store->n_hosts + 1, sizeof(*seen)), ok = seen;

	*c = (struct crowd){0};
	count_ranks(store, run, c);
	for (size_t i = 0; ok && i < store->n_sources; i++) {
		const struct na_source *x = &store->sources[i];
		uint32_t host = s->host_as[i];

		if (x->run != run || x->capture || !store->n_local[i])
			continue;
		c->devices += store->n_local[i];
		c->hosts += !seen[host];
		seen[host] = true;
	}
	free(seen);
	return ok;
}

static void say_counts(struct diff_state *s, enum diff_unlike what,
		       const char *of, uint64_t a, uint64_t b, const char *noun)
{
	char n[NA_UNIT_BUF], m[NA_UNIT_BUF];

	if (a && b && a != b)
		snprintf(s->unlike[what], DIFF_UNLIKE_BUF, "%s%s %s%s against %s",
			 of, na_print_count(n, a), noun, na_plural(a),
			 na_print_count(m, b));
}

static bool look_at_crowds(struct diff_state *s)
{
	struct crowd x[DIFF_RUNS];

	/* A capture sees whoever comes along. */
	if (!(kinds_of(s->scope->store, DIFF_A) & OF_TRACES))
		return true;
	for (uint32_t r = 0; r < DIFF_RUNS; r++) {
		if (!crowd_of(s, r, &x[r]))
			return false;
	}
	/* Of ranks it is not always told where they run. */
	if (x[DIFF_A].ranks && x[DIFF_B].ranks)
		say_counts(s, DIFF_OTHER_DEVICES, "", x[DIFF_A].ranks,
			   x[DIFF_B].ranks, "rank");
	else if (x[DIFF_A].hosts != x[DIFF_B].hosts)
		say_counts(s, DIFF_OTHER_HOSTS, "traces of ", x[DIFF_A].hosts,
			   x[DIFF_B].hosts, "host");
	else
		say_counts(s, DIFF_OTHER_DEVICES, "", x[DIFF_A].devices,
			   x[DIFF_B].devices, "device");
	return true;
}

/* ---- what they ran */

/* Of a name how much each run has of it: time of a program, transfers of a
 * collective. */
struct shares {
	double (*of)[DIFF_RUNS];
	size_t n;
};

/* What of a run the other one has, too; *common of all names. */
static double shared_least(const struct shares *x, size_t *common,
			   size_t *names)
{
	double sum[DIFF_RUNS] = {0, 0}, both[DIFF_RUNS] = {0, 0};

	*common = *names = 0;
	for (size_t i = 0; i < x->n; i++) {
		const double *n = x->of[i];
		bool here = n[DIFF_A] > 0 && n[DIFF_B] > 0;

		*names += n[DIFF_A] > 0 || n[DIFF_B] > 0;
		*common += here;
		for (int r = 0; r < DIFF_RUNS; r++) {
			sum[r] += n[r];
			both[r] += here ? n[r] : 0;
		}
	}
	if (sum[DIFF_A] <= 0 || sum[DIFF_B] <= 0)
		return 1;
	return fmin(both[DIFF_A] / sum[DIFF_A], both[DIFF_B] / sum[DIFF_B]);
}

static void say_common(struct diff_state *s, enum diff_unlike what,
		       size_t common, size_t names, const char *noun)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	snprintf(s->unlike[what], DIFF_UNLIKE_BUF, "%s of %s %s%s in common",
		 na_print_count(a, common), na_print_count(b, names), noun,
		 na_plural(names));
}

/* "jit_train_step(731)": what is in parentheses is another one each time. */
static uint32_t program_name(struct na_strtab *names, const char *name)
{
	const char *paren = strrchr(name, '(');

	return na_strtab_add(names, name,
			     paren && paren > name ? (size_t)(paren - name)
						   : strlen(name));
}

static bool look_at_programs(struct diff_state *s)
{
	const struct diff_gathered *g = &s->got;
	struct na_strtab names = {0};
	struct shares x = {na_calloc(g->programs.n + 1, sizeof(*x.of)), 0};
	size_t common, all;
	bool ok = x.of;

	for (size_t i = 0; ok && i < g->programs.n; i++) {
		const struct na_triple *key = &g->programs.keys[i];
		uint32_t at = program_name(
			&names, na_strtab_at(&s->scope->store->names.strings,
					     key->a));

		ok = at != NA_NO_NAME;
		if (ok)
			x.of[at][key->b] += (double)g->program_ps.v[i];
	}
	x.n = names.n;
	if (ok && shared_least(&x, &common, &all) < DIFF_SAME_PROGRAMS)
		say_common(s, DIFF_OTHER_PROGRAMS, common, all, "program");
	na_strtab_fini(&names);
	free(x.of);
	return ok;
}

/* A compiler numbers collectives anew, or cuts them otherwise: bytes tell
 * whether it is another job. */
static bool other_bytes(const struct diff_state *s, double shared)
{
	if (isnan(s->mix.demand))
		return shared < DIFF_SAME_ALONE;
	return shared < DIFF_SAME_COLLECTIVES &&
	       fabs(log(s->mix.demand)) > log(DIFF_SAME_BYTES);
}

/* Of a capture: a method, or the port of a server.  Ports that a kernel gives
 * out, and queue pairs, are others each time. */
static bool names_service(const char *name)
{
	enum { GIVEN_OUT = 32768 };

	if (strncmp(name, "tcp:", 4) == 0)
		return strtoul(name + 4, NULL, 10) < GIVEN_OUT;
	return *name == '/';
}

static bool stays(const struct diff_state *s, uint32_t name, bool captures)
{
	const struct na_strtab *t = &s->scope->store->names.strings;

	return !captures || names_service(na_strtab_at(t, name));
}

static bool look_at_collectives(struct diff_state *s)
{
	const struct na_triples *strata = &s->got.strata;
	bool captures = kinds_of(s->scope->store, DIFF_A) == OF_CAPTURES, ok;
	size_t n = s->scope->store->names.strings.n, common, all;
	struct shares x = {na_calloc(n + 1, sizeof(*x.of)), n + 1};
	double shared;

	ok = x.of;
	for (size_t i = 0; ok && i < strata->n; i++) {
		uint32_t name = strata->keys[i].b;

		if (!stays(s, name, captures))
			continue;
		/* Those without a name are one. */
		name = name < n ? name : (uint32_t)n;
		for (int r = 0; r < DIFF_RUNS; r++)
			x.of[name][r] += (double)s->in_stratum[i][r];
	}
	shared = ok ? shared_least(&x, &common, &all) : 1;
	if (captures ? shared <= 0 : other_bytes(s, shared))
		say_common(s, DIFF_OTHER_COLLECTIVES, common, all,
			   captures ? "service" : "collective");
	free(x.of);
	return ok;
}

/* ---- and so */

bool na_diff_is_unlike(const struct diff_state *s)
{
	for (int i = 0; i < DIFF_UNLIKES; i++) {
		if (*s->unlike[i])
			return true;
	}
	return false;
}

static void take_back(struct diff_state *s)
{
	for (int m = 0; m < DIFF_WHATS; m++) {
		for (size_t k = 0; k < DIFF_ROWS; k++) {
			enum diff_verdict *v = &s->metrics[m].rows[k].verdict;

			if (*v == DIFF_BETTER || *v == DIFF_WORSE)
				*v = DIFF_DIFFERS;
		}
	}
	for (size_t i = 0; i < s->n_changes; i++)
		s->changes[i].changed = false;
}

bool na_diff_judge_alike(struct diff_state *s)
{
	look_at_kinds(s);
	/* Names in one kind of input say nothing of those in another. */
	if (!na_diff_is_unlike(s) &&
	    (!look_at_crowds(s) || !look_at_programs(s) ||
	     !look_at_collectives(s)))
		return false;
	if (na_diff_is_unlike(s))
		take_back(s);
	return true;
}
