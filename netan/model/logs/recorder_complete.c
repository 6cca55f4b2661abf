/* What is known of ranks once all inputs are read. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/model/logs/recorder.h"

/* ---- ranks that are guessed */

/* Numbers of GPUs are ranks where all the job is on one host: else two ranks
 * would be one, and others missing. */
static bool may_guess(const struct na_flight_record *x)
{
	const struct na_fr_dump *one = NULL;
	size_t n = 0, most = 0;

	for (size_t i = 0; i < x->dumps.n; i++) {
		const struct na_fr_dump *d = &x->dumps.v[i];

		if (!d->guessed)
			continue;
		if (one && one->host != d->host)
			return false;
		one = d;
		n++;
		for (size_t k = 0; k < d->places.n; k++) {
			size_t of = x->groups.v[d->places.v[k].group].n;

			most = of > most ? of : most;
		}
	}
	return n >= most;
}

static void drop_guesses(struct na_flight_record *x)
{
	bool may = may_guess(x);
	size_t kept = 0;

	for (size_t i = 0; !may && i < x->dumps.n; i++) {
		if (x->dumps.v[i].guessed)
			na_fr_free_dump(&x->dumps.v[i]);
		else
			x->dumps.v[kept++] = x->dumps.v[i];
	}
	x->dumps.n = may ? x->dumps.n : kept;
}

/* ---- members */

struct speaker {
	uint32_t group;
	int32_t rank;
};
NA_ORDER(by_group, struct speaker, NA_UP(group), NA_UP(rank))

struct speakers {
	NA_VEC(struct speaker);
};

static bool find_speakers(const struct na_flight_record *x,
			  struct speakers *list)
{
	for (size_t i = 0; i < x->dumps.n; i++) {
		const struct na_fr_dump *d = &x->dumps.v[i];

		for (size_t k = 0; k < d->places.n; k++) {
			uint32_t g = d->places.v[k].group;

			if (!x->groups.v[g].n &&
			    !na_add(list, ((struct speaker){g, d->rank})))
				return false;
		}
	}
	na_sort(list->v, list->n, by_group);
	return true;
}

static int32_t largest_rank(const struct na_flight_record *x)
{
	int32_t most = -1;

	for (size_t i = 0; i < x->dumps.n; i++)
		most = x->dumps.v[i].rank > most ? x->dumps.v[i].rank : most;
	return most;
}

/* Those of whom nobody tells are missing: no more than there are others. */
static bool all_ranks(struct na_flight_record *x, struct na_fr_group *g,
		      size_t told)
{
	int32_t most = largest_rank(x);

	if ((size_t)most >= 2 * told)
		return false;
	for (int32_t r = 0; r <= most; r++) {
		if (!na_add(&x->members, r))
			return false;
		g->n++;
	}
	return true;
}

static bool find_members(struct na_flight_record *x,
			 const struct speakers *list)
{
	size_t n;

	for (size_t i = 0; i < list->n; i += n) {
		struct na_fr_group *g = &x->groups.v[list->v[i].group];
		const char *name = na_strtab_at(&x->names, g->name);

		for (n = 1; i + n < list->n; n++) {
			if (list->v[i + n].group != list->v[i].group)
				break;
		}
		g->first = x->members.n;
		g->n = 0;
		if (strcmp(name, "default_pg") == 0 && all_ranks(x, g, n))
			continue;
		g->first = x->members.n;
		g->n = 0;
		for (size_t k = 0; k < n; k++) {
			if (!na_add(&x->members, list->v[i + k].rank))
				return false;
			g->n++;
		}
	}
	return true;
}

/* ---- groups of which nobody tells what has completed */

struct open_entry {
	uint32_t group;
	int64_t sequence;
	struct na_fr_entry *entry;
};
NA_ORDER(by_sequence, struct open_entry, NA_UP(group), NA_UP(sequence))

struct open_entries {
	NA_VEC(struct open_entry);
};

static bool find_open(struct na_flight_record *x, struct open_entries *list,
		      int64_t *least)
{
	for (size_t i = 0; i < x->dumps.n; i++) {
		struct na_fr_dump *d = &x->dumps.v[i];

		for (size_t k = 0; k < d->places.n; k++) {
			const struct na_fr_place *p = &d->places.v[k];

			if (p->open && p->enqueued < least[p->group])
				least[p->group] = p->enqueued;
		}
		for (size_t k = 0; k < d->entries.n; k++) {
			struct na_fr_entry *e = &d->entries.v[k];

			if (least[e->group] < INT64_MAX && !e->p2p &&
			    !na_add(list,
				    ((struct open_entry){e->group, e->sequence,
							 e})))
				return false;
		}
	}
	na_sort(list->v, list->n, by_sequence);
	return true;
}

/* All ranks of these bring and take as much. */
static bool even(const char *operation)
{
	return strcmp(operation, "all_reduce") == 0 ||
	       strcmp(operation, "broadcast") == 0 ||
	       strcmp(operation, "reduce") == 0;
}

static bool differ(const struct na_flight_record *x,
		   const struct na_fr_entry *a, const struct na_fr_entry *b)
{
	return a->operation != b->operation || a->type != b->type ||
	       (a->in_elements != b->in_elements &&
		even(na_strtab_at(&x->names, a->operation)));
}

/* NCCL's logs tell of calls, and of no ends. */
static bool close_open(struct na_flight_record *x)
{
	int64_t *least = na_calloc(x->groups.n + 1, sizeof(*least));
	struct open_entries list = {0};
	bool ok = least != NULL;

	for (size_t i = 0; ok && i < x->groups.n; i++)
		least[i] = INT64_MAX;
	ok = ok && find_open(x, &list, least);
	for (size_t i = 0, n; ok && i < list.n; i += n) {
		const struct open_entry *e = &list.v[i];
		bool apart = false;

		for (n = 1; i + n < list.n && e[n].group == e->group &&
			    e[n].sequence == e->sequence;
		     n++)
			apart |= differ(x, e->entry, e[n].entry);
		if (apart)
			least[e->group] = -1;
		for (size_t k = 0; e->sequence <= least[e->group] && k < n; k++)
			e[k].entry->state = NA_FR_COMPLETED;
	}
	na_vec_free(&list);
	free(least);
	return ok;
}

bool na_fr_complete(struct na_flight_record *x)
{
	struct speakers list = {0};
	bool ok;

	drop_guesses(x);
	na_fr_settle_years(x);
	ok = na_fr_once(x) && find_speakers(x, &list) &&
	     find_members(x, &list) && close_open(x);

	na_vec_free(&list);
	return ok;
}
