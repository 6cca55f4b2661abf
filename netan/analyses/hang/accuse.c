/* Who is to blame for an event, and who waits for whom; see hang.h. */
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "netan/analyses/hang/hang.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

/* ---- sets of names */

int na_hangs_order(const struct na_hangs *x, uint32_t a, uint32_t b)
{
	const char *s = na_hangs_name(x, a), *t = na_hangs_name(x, b);
	int order = na_natural_order(s, t);

	return order ? order : strcmp(s, t);
}

static int by_name(const void *a, const void *b, void *x)
{
	return na_hangs_order(x, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* In order, each once. */
static void sort_names(struct na_hangs *x, struct na_hang_names *names)
{
	size_t kept = 0;

	if (names->n)
		qsort_r(names->v, names->n, sizeof(*names->v), by_name, x);
	for (size_t i = 0; i < names->n; i++) {
		if (!kept || names->v[kept - 1] != names->v[i])
			names->v[kept++] = names->v[i];
	}
	names->n = kept;
}

/* ---- culprits */

static bool add_culprit(struct na_hangs_event *e,
			const struct na_hang_worker *w)
{
	for (size_t i = 0; i < e->culprits.n; i++) {
		struct na_hang_worker *o = &e->culprits.v[i].worker;

		if (na_hangs_who(o) == na_hangs_who(w) &&
		    (o->task == w->task || w->task == NA_NO_NAME) &&
		    (o->chip == w->chip || w->chip == NA_NO_NAME) &&
		    (o->core == w->core || w->core == NA_NO_NAME))
			return true;
		/* Ten thousands of workers in one list are not searched. */
		if (i >= 4096)
			break;
	}
	return na_add(&e->culprits,
		      ((struct na_hangs_culprit){*w, NA_NO_NAME, NA_NO_NAME}));
}

/* Of different modules and fingerprints the verdict names examples only. */
static bool lists_culprits(enum na_hang_cause c)
{
	return c != NA_HANG_DIFFERENT_MODULE &&
	       c != NA_HANG_FINGERPRINT_MISMATCH;
}

/* A worker among those that stand somewhere: by its host, else its task. */
static bool is_worker(const struct na_hang_worker *w,
		      const struct na_hang_worker *at)
{
	if (w->host != NA_NO_NAME)
		return w->host == at->host &&
		       (w->chip == NA_NO_NAME || w->chip == at->chip) &&
		       (w->core == NA_NO_NAME || w->core == at->core);
	return w->task != NA_NO_NAME && w->task == at->task &&
	       (w->job == NA_NO_NAME || at->job == NA_NO_NAME ||
		w->job == at->job);
}

/* What the states tell of a culprit: its host, chip and counter, where all
 * places agree. */
static void complete_culprit(struct na_hangs_culprit *c,
			     const struct na_hang_record *r)
{
	const struct na_hang_worker *found = NULL;
	bool alike = true;

	for (size_t p = 0; p < r->places.n; p++) {
		const struct na_hang_place *place = &r->places.v[p];

		for (size_t i = 0; i < place->n_workers; i++) {
			const struct na_hang_worker *w =
				&r->at_places.v[place->worker + i];

			if (!is_worker(&c->worker, w))
				continue;
			if (c->pc == NA_NO_NAME)
				c->pc = place->pc;
			if (c->worker.host == NA_NO_NAME)
				c->worker.host = w->host;
			if (found)
				alike = alike && found->chip == w->chip &&
					found->core == w->core;
			found = found ? found : w;
		}
	}
	if (found && alike && c->worker.chip == NA_NO_NAME) {
		c->worker.chip = found->chip;
		c->worker.core = found->core;
	}
	if (found && c->worker.task == NA_NO_NAME &&
	    c->worker.host == found->host) {
		c->worker.task = found->task;
		c->worker.job = found->job;
	}
}

static uint32_t said_of(const struct na_hang_said *list, size_t n,
			uint32_t host)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i].host == host)
			return list[i].value;
	}
	return NA_NO_NAME;
}

static void describe(struct na_hangs_event *e, const struct na_hang_record *r,
		     size_t from)
{
	for (size_t i = from; i < e->culprits.n && i < 4096; i++) {
		struct na_hangs_culprit *c = &e->culprits.v[i];
		uint32_t who, pc;

		complete_culprit(c, r);
		who = na_hangs_who(&c->worker);
		c->error = said_of(r->errors.v, r->errors.n, who);
		pc = said_of(r->counters.v, r->counters.n, who);
		c->pc = pc == NA_NO_NAME ? c->pc : pc;
	}
}

/* The digest's workers first, and whole: they may be bare tasks, whose hosts
 * the verdict lists. */
static bool accuse_workers(struct na_hangs_event *e,
			   const struct na_hang_record *r)
{
	size_t named;

	for (size_t i = 0; i < r->culprits.n; i++) {
		if (!add_culprit(e, &r->culprits.v[i]))
			return false;
	}
	describe(e, r, 0);
	named = e->culprits.n;
	for (size_t i = 0; i < r->listed.n; i++) {
		if (r->culprits.n && !lists_culprits(e->cause))
			break;
		if (!add_culprit(e, &r->listed.v[i]))
			return false;
	}
	describe(e, r, named);
	return true;
}

/* ---- modules */

static struct na_hangs_module *module_for(struct na_hangs_event *e,
					  uint32_t module, uint32_t print,
					  int64_t launch)
{
	for (size_t i = 0; i < e->modules.n; i++) {
		struct na_hangs_module *m = &e->modules.v[i];

		if (m->module == module && m->fingerprint == print &&
		    m->launch_id == launch)
			return m;
	}
	return na_add(&e->modules,
		      ((struct na_hangs_module){module, print, launch, {0}}))
		       ? &e->modules.v[e->modules.n - 1]
		       : NULL;
}

/* The hosts of those who stand at a place. */
static bool add_workers(struct na_hang_names *to,
			const struct na_hang_record *r,
			const struct na_hang_place *at)
{
	for (size_t i = 0; i < at->n_workers; i++) {
		if (!na_add(to, na_hangs_who(&r->at_places.v[at->worker + i])))
			return false;
	}
	return true;
}

static bool add_state(struct na_hangs_event *e, const struct na_hang_record *r,
		      const struct na_hang_state *s)
{
	struct na_hangs_module *m = module_for(e, s->module, s->fingerprint,
					       s->launch_id);

	for (size_t p = s->place; m && p < s->place + s->n_places; p++) {
		if (!add_workers(&m->hosts, r, &r->places.v[p]))
			return false;
	}
	return m != NULL;
}

static bool gather_modules(struct na_hangs *x, struct na_hangs_event *e,
			   const struct na_hang_record *r)
{
	for (size_t i = 0; i < r->states.n && i < 4096; i++) {
		if (!add_state(e, r, &r->states.v[i]))
			return false;
	}
	for (size_t i = 0; !r->states.n && i < r->fingerprints.n; i++) {
		const struct na_hang_said *f = &r->fingerprints.v[i];
		struct na_hangs_module *m = module_for(e, NA_NO_NAME, f->value,
						       -1);

		if (!m || !na_add(&m->hosts, f->host))
			return false;
		if (e->modules.n > 4096)
			break;
	}
	for (size_t i = 0; i < e->modules.n; i++)
		sort_names(x, &e->modules.v[i].hosts);
	return true;
}

/* ---- who blocks whom */

/* All hosts of the modules in these launches. */
static bool hosts_of(struct na_hangs *x, const struct na_hangs_event *e,
		     int64_t first, int64_t last, struct na_hang_names *out)
{
	for (size_t i = 0; i < e->modules.n; i++) {
		const struct na_hangs_module *m = &e->modules.v[i];

		if (m->launch_id >= first && m->launch_id <= last &&
		    !na_append(out, m->hosts.v, m->hosts.n))
			return false;
	}
	sort_names(x, out);
	return true;
}

/* Workers of one launch who stand at the same place. */
struct group {
	struct na_hang_names hosts;
	uint32_t tag, pc, hlo;
};

struct groups {
	NA_VEC(struct group);
};

/* The smallest one, where there is only one so small and fewer than half of
 * `all` are in it. */
static const struct group *minority(const struct groups *groups, size_t all)
{
	const struct group *least = NULL;
	size_t alike = 0;

	for (size_t i = 0; i < groups->n; i++) {
		const struct group *g = &groups->v[i];

		if (g->hosts.n && (!least || g->hosts.n < least->hosts.n))
			least = g;
	}
	for (size_t i = 0; least && i < groups->n; i++)
		alike += groups->v[i].hosts.n == least->hosts.n;
	return alike == 1 && groups->n > 1 && 2 * least->hosts.n < all ? least
								       : NULL;
}

static struct group *group_at(struct groups *groups,
			      const struct na_hang_place *at)
{
	for (size_t i = 0; i < groups->n; i++) {
		struct group *g = &groups->v[i];

		if (g->tag == at->tag && g->pc == at->pc && g->hlo == at->hlo)
			return g;
	}
	return na_add(groups, ((struct group){{0}, at->tag, at->pc, at->hlo}))
		       ? &groups->v[groups->n - 1]
		       : NULL;
}

static bool by_place(struct na_hangs *x, const struct na_hang_record *r,
		     int64_t launch, struct groups *groups)
{
	for (size_t s = 0; s < r->states.n; s++) {
		const struct na_hang_state *state = &r->states.v[s];
		size_t end = state->place + state->n_places;

		if (state->launch_id != launch)
			continue;
		for (size_t p = state->place; p < end; p++) {
			const struct na_hang_place *at = &r->places.v[p];
			struct group *g;

			if ((at->tag == NA_NO_NAME && at->pc == NA_NO_NAME) ||
			    groups->n > 1024)
				continue;
			g = group_at(groups, at);
			if (!g || !add_workers(&g->hosts, r, at))
				return false;
		}
	}
	for (size_t i = 0; i < groups->n; i++)
		sort_names(x, &groups->v[i].hosts);
	return true;
}

/* The few that stand elsewhere than the others of their launch. */
static bool narrow(struct na_hangs *x, struct na_hangs_event *e,
		   const struct na_hang_record *r, int64_t launch, size_t all)
{
	struct groups groups = {0};
	bool ok = by_place(x, r, launch, &groups);
	const struct group *few = ok ? minority(&groups, all) : NULL;

	if (few) {
		ok = na_append(&e->blocked_by, few->hosts.v, few->hosts.n);
		e->why = na_fact_stand_elsewhere();
	}
	for (size_t i = 0; i < groups.n; i++)
		na_vec_free(&groups.v[i].hosts);
	na_vec_free(&groups);
	return ok;
}

/* One launch, several modules or fingerprints. */
static bool smaller_module(struct na_hangs_event *e, size_t all)
{
	const struct na_hangs_module *least = NULL;
	size_t with = 0, alike = 0;

	for (size_t i = 0; i < e->modules.n; i++) {
		const struct na_hangs_module *m = &e->modules.v[i];

		with += m->hosts.n > 0;
		if (m->hosts.n && (!least || m->hosts.n < least->hosts.n))
			least = m;
	}
	for (size_t i = 0; least && i < e->modules.n; i++)
		alike += e->modules.v[i].hosts.n == least->hosts.n;
	if (with < 2)
		return true;
	if (alike > 1 || 2 * least->hosts.n >= all) {
		e->why = na_fact_no_group_is_smaller();
		return true;
	}
	e->why = na_fact_run_another_module();
	return na_append(&e->blocked_by, least->hosts.v, least->hosts.n);
}

/* Several launches: those in the oldest one; are they the many, then the few
 * of them that stand elsewhere. */
static bool by_launch(struct na_hangs *x, struct na_hangs_event *e,
		      const struct na_hang_record *r, int64_t oldest,
		      size_t all)
{
	struct na_hang_names behind = {0};
	bool ok = hosts_of(x, e, oldest, oldest, &behind) &&
		  hosts_of(x, e, oldest + 1, INT64_MAX, &e->waiting);

	if (ok && 2 * behind.n > all)
		ok = narrow(x, e, r, oldest, behind.n);
	if (ok && !e->blocked_by.n) {
		ok = na_append(&e->blocked_by, behind.v, behind.n);
		e->why = na_fact_are_in_older_launch(2 * behind.n > all);
	}
	na_vec_free(&behind);
	return ok;
}

static bool who_blocks(struct na_hangs *x, struct na_hangs_event *e,
		       const struct na_hang_record *r)
{
	int64_t oldest = INT64_MAX, newest = -1;
	struct na_hang_names all = {0};
	bool ok;

	for (size_t i = 0; i < e->modules.n; i++) {
		const struct na_hangs_module *m = &e->modules.v[i];

		if (!m->hosts.n || m->launch_id < 0)
			continue;
		oldest = m->launch_id < oldest ? m->launch_id : oldest;
		newest = m->launch_id > newest ? m->launch_id : newest;
	}
	ok = hosts_of(x, e, INT64_MIN, INT64_MAX, &all);
	if (ok && newest > oldest)
		ok = by_launch(x, e, r, oldest, all.n);
	else if (ok)
		ok = smaller_module(e, all.n) &&
		     (e->blocked_by.n || e->why.id || newest < 0 ||
		      narrow(x, e, r, newest, all.n));
	na_vec_free(&all);
	return ok;
}

/* Where states do not tell: these causes block by their host. */
static bool blocks_by_culprit(enum na_hang_cause c)
{
	return c == NA_HANG_BAD_CHIP || c == NA_HANG_INPUT_STALL ||
	       c == NA_HANG_UNRECOVERABLE_ERROR ||
	       c == NA_HANG_PROGRAM_NOT_QUEUED;
}

bool na_hangs_accuse(struct na_hangs *x, struct na_hangs_event *e)
{
	const struct na_hang_record *r = na_hangs_report(x, e);

	if (!r)
		return true;
	if (!accuse_workers(e, r) || !gather_modules(x, e, r) ||
	    !who_blocks(x, e, r))
		return false;
	if (e->blocked_by.n || !blocks_by_culprit(e->cause))
		return true;
	for (size_t i = 0; i < e->culprits.n; i++) {
		if (!na_add(&e->blocked_by,
			    na_hangs_who(&e->culprits.v[i].worker)))
			return false;
	}
	sort_names(x, &e->blocked_by);
	if (e->blocked_by.n)
		e->why = na_fact_digest_names_them();
	return true;
}
