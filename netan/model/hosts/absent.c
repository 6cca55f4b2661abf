#include "netan/model/hosts/absent.h"

#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"

/* ---- which devices share a host, as the files that are here tell */

struct block { /* of devices that follow each other in a slice */
	int32_t slice, at;
	uint32_t run;
	uint32_t source;
};

NA_ORDER(by_block, struct block, NA_UP(run), NA_UP(slice), NA_UP(at),
	 NA_UP(source))

static const struct na_endpoint *local_at(const struct na_store *s,
					  size_t source, size_t i)
{
	return &s->names.endpoints[s->local[source][i]];
}

/* The most devices that a file of the run holds; 0: none does. */
static size_t most_devices(const struct na_store *s, uint32_t run)
{
	size_t most = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		if (s->sources[i].run == run && s->n_local[i] > most)
			most = s->n_local[i];
	}
	return most;
}

/* All of a file's devices in one block of so many; false: they are not. */
static bool block_of(const struct na_store *s, size_t source, int32_t size,
		     struct block *b)
{
	const struct na_endpoint *e = local_at(s, source, 0);

	*b = (struct block){.slice = e->slice,
			    .at = e->device / size,
			    .run = s->sources[source].run,
			    .source = (uint32_t)source};
	for (size_t i = 0; i < s->n_local[source]; i++) {
		e = local_at(s, source, i);
		if (e->slice != b->slice || e->device / size != b->at)
			return false;
	}
	return true;
}

/* How many devices of a slice a host has; 0: the files do not tell, as they
 * differ or are fewer than two. */
static int32_t devices_of_host(const struct na_store *s, uint32_t run)
{
	size_t size = most_devices(s, run), n = 0;
	struct block *all = na_calloc(s->n_sources, sizeof(*all));
	bool same = all && size && size < NA_SLICE_DEVICES;

	for (size_t i = 0; same && i < s->n_sources; i++) {
		if (s->sources[i].run == run && s->n_local[i])
			same = block_of(s, i, (int32_t)size, &all[n++]);
	}
	if (same)
		na_sort(all, n, by_block);
	for (size_t i = 1; same && i < n; i++)
		same = all[i].slice != all[i - 1].slice ||
		       all[i].at != all[i - 1].at;
	free(all);
	return same && n > 1 ? (int32_t)size : 0;
}

/* ---- groups of what is not here */

struct lone { /* a device that is a host of its own */
	struct na_endpoint e;
	uint32_t run, host;
	int32_t block;
};

NA_ORDER(by_device, struct lone, NA_UP(run), NA_UP(e.slice), NA_UP(e.device))

typedef NA_VEC(struct lone) lones;

static bool is_lone(const struct na_store *s, size_t i)
{
	const struct na_endpoint *e =
		&s->names.endpoints[i % s->names.n_endpoints];
	const struct na_host *h = &s->hosts[s->host_of[i]];

	return e->slice >= 0 && e->device >= 0 && !h->recorded && !h->of_ranks;
}

static bool list_lone(const struct na_store *s, lones *all)
{
	size_t n = s->names.n_endpoints;
	uint32_t run = NA_UNKNOWN_U32;
	int32_t size = 0;

	for (size_t i = 0; i < n * s->n_runs; i++) {
		const struct na_endpoint *e = &s->names.endpoints[i % n];

		if (!is_lone(s, i))
			continue;
		if (run != (uint32_t)(i / n)) {
			run = (uint32_t)(i / n);
			size = devices_of_host(s, run);
		}
		if (!na_add(all, ((struct lone){*e, run, s->host_of[i],
						size ? e->device / size : -1})))
			return false;
	}
	na_sort(all->v, all->n, by_device);
	return true;
}

static struct na_absent_group *
group_of(struct na_absent *a, const struct lone *x, const struct lone *before)
{
	struct na_absent_group *g;

	if (before && before->run == x->run && before->e.slice == x->e.slice &&
	    before->block == x->block)
		return &a->groups[a->n - 1];
	if (!na_grow(&a->groups, &a->cap, a->n + 1, sizeof(*a->groups)))
		return NULL;
	g = &a->groups[a->n++];
	*g = (struct na_absent_group){.run = x->run,
				      .slice = x->e.slice,
				      .first = x->e.device,
				      .one_host = x->block >= 0,
				      .file = NA_UNKNOWN_U32};
	return g;
}

static bool same_slice(const struct na_absent_group *a,
		       const struct na_absent_group *b)
{
	return a->run == b->run && a->slice == b->slice;
}

/* A group is its whole slice where that has no other device. */
static bool find_whole(struct na_absent *a, const struct na_store *s)
{
	struct na_triples here = {0}; /* run, slice */
	size_t n = s->names.n_endpoints;
	bool ok = true;

	for (size_t i = 0; ok && i < n * s->n_runs; i++) {
		const struct na_endpoint *e = &s->names.endpoints[i % n];
		struct na_triple key = {(uint32_t)(i / n), (uint32_t)e->slice,
					0};

		if (a->of[s->host_of[i]] == NA_UNKNOWN_U32)
			ok = na_triples_add(&here, key) != NA_NO_TRIPLE;
	}
	for (size_t k = 0; ok && k < a->n; k++) {
		struct na_absent_group *g = &a->groups[k];
		struct na_triple key = {g->run, (uint32_t)g->slice, 0};

		g->whole = na_triples_find(&here, key) == NA_NO_TRIPLE &&
			   !(k && same_slice(g, g - 1)) &&
			   !(k + 1 < a->n && same_slice(g, g + 1));
	}
	na_triples_fini(&here);
	return ok;
}

/* ---- a file that was cut may still show how many devices its host has */

static size_t cores_of(const struct na_store *s, size_t source)
{
	size_t n = 0;

	for (size_t i = 0; i < s->devices.n_cores; i++)
		n += s->devices.cores[i].input == source &&
		     s->devices.cores[i].kind == NA_DEVICE_TPU;
	return n;
}

static void find_file(struct na_absent *a, const struct na_store *s,
		      uint32_t run)
{
	struct na_absent_group *only = NULL;
	uint32_t file = NA_UNKNOWN_U32;
	size_t groups = 0, files = 0;

	for (size_t k = 0; k < a->n; k++) {
		if (a->groups[k].run != run)
			continue;
		only = &a->groups[k];
		groups++;
	}
	for (uint32_t i = 0; i < s->n_sources; i++) {
		if (s->sources[i].run != run || s->n_local[i] ||
		    s->sources[i].capture)
			continue;
		file = i;
		files++;
	}
	if (groups == 1 && files == 1 && only->one_host &&
	    cores_of(s, file) == only->n)
		only->file = file;
}

bool na_absent_find(struct na_absent *a, const struct na_store *s)
{
	lones all = {NULL, 0, 0};
	bool ok;

	*a = (struct na_absent){.of = na_calloc(s->n_hosts, sizeof(*a->of))};
	ok = a->of && list_lone(s, &all);
	for (size_t h = 0; ok && h < s->n_hosts; h++)
		a->of[h] = NA_UNKNOWN_U32;
	for (size_t i = 0; ok && i < all.n; i++) {
		struct na_absent_group *g = group_of(a, &all.v[i],
						     i ? &all.v[i - 1] : NULL);

		ok = g != NULL;
		if (!ok)
			break;
		g->last = all.v[i].e.device;
		g->n++;
		a->of[all.v[i].host] = (uint32_t)(a->n - 1);
	}
	if (ok && a->n)
		ok = find_whole(a, s);
	for (uint32_t run = 0; ok && a->n && run < s->n_runs; run++)
		find_file(a, s, run);
	na_vec_free(&all);
	return ok;
}

void na_absent_fini(struct na_absent *a)
{
	free(a->of);
	free(a->groups);
	*a = (struct na_absent){.n = 0};
}

const struct na_absent_group *na_absent_at(const struct na_absent *a,
					   uint32_t host)
{
	uint32_t of = a->of ? a->of[host] : NA_UNKNOWN_U32;

	return of == NA_UNKNOWN_U32 ? NULL : &a->groups[of];
}

static void say_devices(struct na_str *t, const struct na_absent_group *g)
{
	na_str_addf(t, "s%dd%d", g->slice, g->first);
	if (g->n > 1)
		na_str_addf(t, " %s s%dd%d", g->n > 2 ? "to" : "and", g->slice,
			    g->last);
}

const char *na_absent_print(char buf[NA_ABSENT_BUF],
			    const struct na_absent_group *g,
			    const struct na_store *s)
{
	struct na_str t = na_str_over(buf, NA_ABSENT_BUF);

	if (g->file != NA_UNKNOWN_U32) {
		na_str_addf(&t, "%.60s (", s->hosts[g->file].name);
		say_devices(&t, g);
		na_str_addf(&t, "; its file shows no transfers)");
		return buf;
	}
	if (g->whole)
		na_str_addf(&t, "slice %d", g->slice);
	else
		say_devices(&t, g);
	na_str_addf(&t, "%s",
		    g->one_host ? ", whose host's file is missing"
				: ", of which no file is here");
	return buf;
}
