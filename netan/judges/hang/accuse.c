/* Who is to blame for an event, and who waits for whom; see hang.h. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/judges/hang/hang.h"

/* ---- sets of names */

static int by_name(const void *a, const void *b, void *logs)
{
	const struct na_hang *h = logs;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const char *x = na_strtab_at(&h->names, i);
	const char *y = na_strtab_at(&h->names, k);
	int order = na_natural_order(x, y);

	return order ? order : strcmp(x, y);
}

static size_t sort_names(const struct na_hangs *x, uint32_t *names, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort_r(names, n, sizeof(*names), by_name,
			(void *)(uintptr_t)x->logs);
	for (size_t i = 0; i < n; i++) {
		if (!kept || names[kept - 1] != names[i])
			names[kept++] = names[i];
	}
	return kept;
}

static bool has(const uint32_t *names, size_t n, uint32_t name)
{
	for (size_t i = 0; i < n; i++) {
		if (names[i] == name)
			return true;
	}
	return false;
}

#define ADD(list, name) \
	(na_hang_room(list) && ((list)->items[(list)->n++] = (name), true))

/* ---- culprits */

static bool add_culprit(struct na_hangs_event *e,
			const struct na_hang_worker *w)
{
	struct na_hangs_culprit c = {*w, NA_NO_NAME, NA_NO_NAME};

	for (size_t i = 0; i < e->culprits.n; i++) {
		struct na_hang_worker *o = &e->culprits.items[i].worker;

		if (na_hangs_who(o) == na_hangs_who(w) &&
		    (o->task == w->task || w->task == NA_NO_NAME) &&
		    (o->chip == w->chip || w->chip == NA_NO_NAME) &&
		    (o->core == w->core || w->core == NA_NO_NAME))
			return true;
		/* Ten thousands of workers in one list are not searched. */
		if (i >= 4096)
			break;
	}
	if (!na_hang_room(&e->culprits))
		return false;
	e->culprits.items[e->culprits.n++] = c;
	return true;
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
static void complete(struct na_hangs_culprit *c, const struct na_hang_record *r)
{
	const struct na_hang_worker *found = NULL;
	bool alike = true;

	for (size_t p = 0; p < r->places.n; p++) {
		const struct na_hang_place *place = &r->places.items[p];

		for (size_t i = 0; i < place->n_workers; i++) {
			const struct na_hang_worker *w =
				&r->at_places.items[place->worker + i];

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
		struct na_hangs_culprit *c = &e->culprits.items[i];
		uint32_t who, pc;

		complete(c, r);
		who = na_hangs_who(&c->worker);
		c->error = said_of(r->errors.items, r->errors.n, who);
		pc = said_of(r->counters.items, r->counters.n, who);
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
		if (!add_culprit(e, &r->culprits.items[i]))
			return false;
	}
	describe(e, r, 0);
	named = e->culprits.n;
	for (size_t i = 0; i < r->listed.n; i++) {
		if (r->culprits.n && !lists_culprits(e->cause))
			break;
		if (!add_culprit(e, &r->listed.items[i]))
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
	struct na_hangs_module *m;

	for (size_t i = 0; i < e->modules.n; i++) {
		m = &e->modules.items[i];
		if (m->module == module && m->fingerprint == print &&
		    m->launch_id == launch)
			return m;
	}
	if (!na_hang_room(&e->modules))
		return NULL;
	m = &e->modules.items[e->modules.n++];
	*m = (struct na_hangs_module){module, print, launch, {NULL, 0, 0}};
	return m;
}

static bool add_state(struct na_hangs_event *e, const struct na_hang_record *r,
		      const struct na_hang_state *s)
{
	struct na_hangs_module *m = module_for(e, s->module, s->fingerprint,
					       s->launch_id);

	for (size_t p = s->place; m && p < s->place + s->n_places; p++) {
		const struct na_hang_place *at = &r->places.items[p];

		for (size_t i = 0; i < at->n_workers; i++) {
			if (!ADD(&m->hosts,
				 na_hangs_who(
					 &r->at_places.items[at->worker + i])))
				return false;
		}
	}
	return m != NULL;
}

static bool gather_modules(const struct na_hangs *x, struct na_hangs_event *e,
			   const struct na_hang_record *r)
{
	for (size_t i = 0; i < r->states.n && i < 4096; i++) {
		if (!add_state(e, r, &r->states.items[i]))
			return false;
	}
	for (size_t i = 0; !r->states.n && i < r->fingerprints.n; i++) {
		const struct na_hang_said *f = &r->fingerprints.items[i];
		struct na_hangs_module *m = module_for(e, NA_NO_NAME, f->value,
						       -1);

		if (!m || !ADD(&m->hosts, f->host))
			return false;
		if (e->modules.n > 4096)
			break;
	}
	for (size_t i = 0; i < e->modules.n; i++) {
		struct na_hangs_module *m = &e->modules.items[i];

		m->hosts.n = sort_names(x, m->hosts.items, m->hosts.n);
	}
	return true;
}

/* ---- who blocks whom */

/* All hosts of the modules that a test lets pass, each once. */
static bool hosts_of(const struct na_hangs *x, const struct na_hangs_event *e,
		     bool (*test)(const struct na_hangs_module *m,
				  int64_t launch),
		     int64_t launch, struct na_hang_names *out)
{
	for (size_t i = 0; i < e->modules.n; i++) {
		const struct na_hangs_module *m = &e->modules.items[i];

		for (size_t k = 0; test(m, launch) && k < m->hosts.n; k++) {
			if (!ADD(out, m->hosts.items[k]))
				return false;
		}
	}
	out->n = sort_names(x, out->items, out->n);
	return true;
}

static bool in_launch(const struct na_hangs_module *m, int64_t launch)
{
	return m->launch_id == launch;
}

static bool later(const struct na_hangs_module *m, int64_t launch)
{
	return m->launch_id > launch;
}

static bool any_launch(const struct na_hangs_module *m, int64_t launch)
{
	(void)launch;
	return m->hosts.n > 0;
}

static bool take_names(struct na_hangs_event *e,
		       const struct na_hang_names *from)
{
	for (size_t i = 0; i < from->n; i++) {
		if (!ADD(&e->blocked_by, from->items[i]))
			return false;
	}
	return true;
}

/* Hosts of the smallest group, where that is the only smallest and fewer
 * than half of `all` are in it. */
struct group {
	struct na_hang_names hosts;
	uint32_t key[3];
};

static const struct group *minority(const struct group *groups, size_t n,
				    size_t all)
{
	const struct group *least = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct group *g = &groups[i];

		if (g->hosts.n && (!least || g->hosts.n < least->hosts.n))
			least = g;
	}
	for (size_t i = 0; least && i < n; i++) {
		if (&groups[i] != least && groups[i].hosts.n == least->hosts.n)
			return NULL;
	}
	return least && n > 1 && 2 * least->hosts.n < all ? least : NULL;
}

/* Workers of one launch by where they stand. */
static bool by_place(const struct na_hangs *x, const struct na_hang_record *r,
		     int64_t launch, struct group **groups, size_t *n)
{
	size_t cap = 0;

	for (size_t s = 0; s < r->states.n; s++) {
		const struct na_hang_state *state = &r->states.items[s];

		for (size_t p = state->place;
		     p < state->place + state->n_places; p++) {
			const struct na_hang_place *at = &r->places.items[p];
			size_t g = 0;

			if (state->launch_id != launch ||
			    (at->tag == NA_NO_NAME && at->pc == NA_NO_NAME) ||
			    *n > 1024)
				continue;
			while (g < *n && ((*groups)[g].key[0] != at->tag ||
					  (*groups)[g].key[1] != at->pc ||
					  (*groups)[g].key[2] != at->hlo))
				g++;
			if (g == *n) {
				if (!na_grow(groups, &cap, *n + 1,
					     sizeof(**groups)))
					return false;
				(*groups)[(*n)++] = (struct group){{NULL, 0, 0},
								   {at->tag,
								    at->pc,
								    at->hlo}};
			}
			for (size_t i = 0; i < at->n_workers; i++) {
				if (!ADD(&(*groups)[g].hosts,
					 na_hangs_who(
						 &r->at_places
							  .items[at->worker +
								 i])))
					return false;
			}
		}
	}
	for (size_t g = 0; g < *n; g++)
		(*groups)[g].hosts.n = sort_names(x, (*groups)[g].hosts.items,
						  (*groups)[g].hosts.n);
	return true;
}

/* The few that stand elsewhere than the others of their launch. */
static bool narrow(const struct na_hangs *x, struct na_hangs_event *e,
		   const struct na_hang_record *r, int64_t launch, size_t all)
{
	struct group *groups = NULL;
	const struct group *few = NULL;
	size_t n = 0;
	bool ok = by_place(x, r, launch, &groups, &n);

	if (ok)
		few = minority(groups, n, all);
	if (few) {
		ok = take_names(e, &few->hosts);
		e->why = "they stand at another place of the program than "
			 "the others of their launch";
	}
	for (size_t g = 0; g < n; g++)
		free(groups[g].hosts.items);
	free(groups);
	return ok;
}

/* One launch, several modules or fingerprints. */
static bool smaller_module(struct na_hangs_event *e, size_t all)
{
	const struct na_hangs_module *least = NULL;
	size_t with = 0, alike = 0;

	for (size_t i = 0; i < e->modules.n; i++) {
		const struct na_hangs_module *m = &e->modules.items[i];

		with += m->hosts.n > 0;
		if (m->hosts.n && (!least || m->hosts.n < least->hosts.n))
			least = m;
	}
	for (size_t i = 0; least && i < e->modules.n; i++)
		alike += e->modules.items[i].hosts.n == least->hosts.n;
	if (with < 2)
		return true;
	if (alike > 1 || 2 * least->hosts.n >= all) {
		e->why = "the groups are of the same launch, and none is the "
			 "smaller one";
		return true;
	}
	e->why = "they run another module or fingerprint than the others";
	for (size_t i = 0; i < least->hosts.n; i++) {
		if (!ADD(&e->blocked_by, least->hosts.items[i]))
			return false;
	}
	return true;
}

/* Several launches: those in the oldest one; are they the many, then the few
 * of them that stand elsewhere. */
static bool by_launch(const struct na_hangs *x, struct na_hangs_event *e,
		      const struct na_hang_record *r, int64_t oldest,
		      size_t all)
{
	struct na_hang_names behind = {NULL, 0, 0};
	bool ok = hosts_of(x, e, in_launch, oldest, &behind) &&
		  hosts_of(x, e, later, oldest, &e->waiting);

	if (ok && 2 * behind.n > all)
		ok = narrow(x, e, r, oldest, behind.n);
	if (ok && !e->blocked_by.n) {
		ok = take_names(e, &behind);
		e->why = 2 * behind.n > all
				 ? "they are still in the older launch; they "
				   "are the larger group, so one of them is "
				   "the cause"
				 : "they are still in the older launch, the "
				   "others have moved on";
	}
	free(behind.items);
	return ok;
}

static bool who_blocks(const struct na_hangs *x, struct na_hangs_event *e,
		       const struct na_hang_record *r)
{
	int64_t oldest = INT64_MAX, newest = -1;
	struct na_hang_names all = {NULL, 0, 0};
	bool ok;

	for (size_t i = 0; i < e->modules.n; i++) {
		const struct na_hangs_module *m = &e->modules.items[i];

		if (!m->hosts.n || m->launch_id < 0)
			continue;
		oldest = m->launch_id < oldest ? m->launch_id : oldest;
		newest = m->launch_id > newest ? m->launch_id : newest;
	}
	ok = hosts_of(x, e, any_launch, 0, &all);
	if (ok && newest > oldest)
		ok = by_launch(x, e, r, oldest, all.n);
	else if (ok)
		ok = smaller_module(e, all.n) &&
		     (e->blocked_by.n || e->why || newest < 0 ||
		      narrow(x, e, r, newest, all.n));
	free(all.items);
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
		uint32_t who = na_hangs_who(&e->culprits.items[i].worker);

		if (!has(e->blocked_by.items, e->blocked_by.n, who) &&
		    !ADD(&e->blocked_by, who))
			return false;
	}
	e->blocked_by.n = sort_names(x, e->blocked_by.items, e->blocked_by.n);
	if (e->blocked_by.n)
		e->why = "the digest names them as culprits";
	return true;
}
