/*
 * Which rank a device of a process is: as the initialisation of the largest
 * communicator says; else, of a file of one device, as the environment of the
 * profiler or the file's name says; else the device's number stands for it.  And what
 * communicators are in ranks of the job.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ingest/gpu/file_name.h"
#include "ingest/nsight/nsight.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/model/device.h"

enum { RANKS_MAX = 1 << 20, NAMED_RANKS_MAX = 4096 };

NA_ORDER(by_place, struct na_ns_member, NA_UP(communicator), NA_UP(place),
	 NA_UP(slot))
NA_ORDER(by_group, struct na_ns_group, NA_UP(communicator))

/* ---- members of communicators */

/* The process's device, or its only one; UINT32_MAX: none. */
static uint32_t slot_of(const struct na_ns *x, const struct na_ns_range *init)
{
	uint64_t process = x->has_processes ? NA_NS_PROCESS(init->thread) : 0;
	struct na_triple key = {(uint32_t)(process >> 32), (uint32_t)process,
				init->device};
	uint32_t slot = na_triples_find(&x->slot_keys, key), only = UINT32_MAX;
	size_t n = 0;

	if (slot != NA_NO_TRIPLE)
		return slot;
	for (uint32_t i = 0; i < x->slots.n; i++) {
		if (x->slots.v[i].process != process)
			continue;
		only = i;
		n++;
	}
	return n == 1 ? only : UINT32_MAX;
}

static bool list_members(struct na_ns *x)
{
	for (size_t i = 0; i < x->inits.n; i++) {
		const struct na_ns_range *r = &x->inits.v[i];
		struct na_ns_member m = {r->communicator, r->number, r->peer,
					 UINT32_MAX};

		if (!r->communicator || r->number < 1 ||
		    r->number > RANKS_MAX || r->peer < 0 ||
		    r->peer >= r->number)
			continue;
		m.slot = slot_of(x, r);
		if (!na_add(&x->members, m))
			return false;
		x->world = r->number > x->world ? r->number : x->world;
	}
	na_sort(x->members.v, x->members.n, by_place);
	return true;
}

/* ---- ranks */

/* All are told, and differ. */
static bool all_told(const struct na_ns *x)
{
	struct na_triples seen = {.keys = NULL};
	bool ok = true;

	for (size_t i = 0; ok && i < x->slots.n; i++) {
		struct na_triple key = {(uint32_t)x->slots.v[i].rank, 0, 0};

		ok = x->slots.v[i].rank >= 0 && na_triples_add(&seen, key) == i;
	}
	na_triples_fini(&seen);
	return ok;
}

static bool by_communicator(struct na_ns *x)
{
	for (size_t i = 0; i < x->members.n; i++) {
		const struct na_ns_member *m = &x->members.v[i];

		if (m->ranks == x->world && m->slot < x->slots.n)
			x->slots.v[m->slot].rank = m->place;
	}
	return all_told(x);
}

static bool by_surroundings(struct na_input *in)
{
	static const char *const ranks[] = {
		"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
		"PMI_RANK", "SLURM_PROCID",
	};
	static const char *const worlds[] = {
		"WORLD_SIZE",
		"OMPI_COMM_WORLD_SIZE",
		"PMI_SIZE",
		"SLURM_NTASKS",
	};
	struct na_ns *x = in->state;
	int32_t rank;

	if (x->slots.n != 1)
		return false;
	rank = na_ns_environment(in, ranks, NA_LEN(ranks), RANKS_MAX);
	if (rank < 0)
		rank = na_rank_of_path(in->path);
	if (rank < 0)
		return false;
	x->slots.v[0].rank = rank;
	x->world = na_ns_environment(in, worlds, NA_LEN(worlds), RANKS_MAX);
	return true;
}

/* By device number where those differ, else by process, too. */
static void by_device(struct na_input *in)
{
	struct na_ns *x = in->state;
	bool numbers;

	for (size_t i = 0; i < x->slots.n; i++)
		x->slots.v[i].rank = (int32_t)x->slots.v[i].device;
	numbers = all_told(x);
	for (size_t i = 0; !numbers && i < x->slots.n; i++)
		x->slots.v[i].rank = (int32_t)i;
	if (x->talks.n)
		na_input_warn(in,
			      "nothing tells the ranks: %s taken for them; %s",
			      numbers ? "device numbers are"
				      : "devices of processes, in the order of "
					"their first kernels, are",
			      x->slots.n > 1
				      ? "of a job of several hosts, record "
					"each rank into a file of its own "
					"(nsys profile -o job_rank%q{RANK})"
				      : "call the file ..._rank3.sqlite");
}

/* ---- groups */

/* The rank in the job of a place in a communicator; -1. */
static int32_t rank_of(const struct na_ns *x, uint64_t communicator,
		       int32_t place)
{
	const struct na_ns_member *v = x->members.v;
	size_t i = NA_BOUND(k, 0, x->members.n,
			    v[k].communicator > communicator ||
				    (v[k].communicator == communicator &&
				     v[k].place >= place));

	if (i == x->members.n || v[i].communicator != communicator)
		return -1;
	if (v[i].ranks == x->world)
		return place < x->world ? place : -1;
	return v[i].place == place && v[i].slot < x->slots.n
		       ? x->slots.v[v[i].slot].rank
		       : -1;
}

/* "0,1,2,3", sorted; false: not all are told. */
static bool name_by_ranks(const struct na_ns *x, const struct na_ns_member *m,
			  struct na_str *text)
{
	NA_VEC(int32_t) ranks = {.v = NULL};
	bool ok = m->ranks <= NAMED_RANKS_MAX;

	for (int32_t place = 0; ok && place < m->ranks; place++) {
		int32_t rank = rank_of(x, m->communicator, place);

		ok = rank >= 0 && na_add(&ranks, rank);
	}
	na_sort(ranks.v, ranks.n, na_order_i32);
	for (size_t i = 0; ok && i < ranks.n; i++)
		na_str_join(text, ",", "%" PRId32, ranks.v[i]);
	na_vec_free(&ranks);
	return ok;
}

/* NULL: nobody initialised it here. */
static uint32_t name_group(struct na_ns *x, const struct na_ns_member *m,
			   uint64_t communicator)
{
	struct na_str text = {0};
	uint32_t name = NA_NO_NAME;

	if (!m || !name_by_ranks(x, m, &text)) {
		text.n = 0;
		na_str_addf(&text, "communicator 0x%" PRIx64, communicator);
	}
	if (text.s && !text.failed)
		name = na_strtab_add(&x->names, text.s, text.n);
	free(text.s);
	return name;
}

static bool add_group(struct na_ns *x, const struct na_ns_member *m,
		      uint64_t communicator)
{
	struct na_ns_group g = {.communicator = communicator,
				.name = NA_NO_NAME};
	bool world = m && m->ranks == x->world;

	if (m)
		g.size = (uint32_t)m->ranks;
	if (world)
		g.name = x->world_name;
	if (g.name == NA_NO_NAME)
		g.name = name_group(x, m, communicator);
	if (world && m->ranks <= NAMED_RANKS_MAX)
		x->world_name = g.name;
	return g.name != NA_NO_NAME && na_add(&x->groups, g);
}

const struct na_ns_group *na_ns_group_of(const struct na_ns *x,
					 uint64_t communicator)
{
	const struct na_ns_group *v = x->groups.v;
	size_t i = NA_BOUND(k, 0, x->groups.n,
			    v[k].communicator >= communicator);

	return communicator && i < x->groups.n &&
			       v[i].communicator == communicator
		       ? &v[i]
		       : NULL;
}

/* Those of members, and those that calls name and nobody initialised here. */
static bool list_groups(struct na_ns *x)
{
	struct na_triples seen = {.keys = NULL};
	bool ok = true;

	for (size_t i = 0; ok && i < x->members.n; i++) {
		uint64_t c = x->members.v[i].communicator;

		if (i == 0 || x->members.v[i - 1].communicator != c)
			ok = add_group(x, &x->members.v[i], c) &&
			     na_triples_add(&seen, (struct na_triple){
							   (uint32_t)(c >> 32),
							   (uint32_t)c,
							   0}) != NA_NO_TRIPLE;
	}
	for (size_t i = 0; ok && i < x->talks.n; i++) {
		uint64_t c = x->talks.v[i].communicator;
		size_t before = seen.n;

		if (!c)
			continue;
		ok = na_triples_add(&seen,
				    (struct na_triple){(uint32_t)(c >> 32),
						       (uint32_t)c, 0}) !=
		     NA_NO_TRIPLE;
		if (ok && seen.n > before)
			ok = add_group(x, NULL, c);
	}
	na_triples_fini(&seen);
	na_sort(x->groups.v, x->groups.n, by_group);
	return ok;
}

/* Payloads tell what one rank sends; of some operations the other side is
 * larger: as often as there are ranks. */
static uint64_t larger_side(const struct na_ns_talk *t,
			    const struct na_ns_group *g)
{
	bool times = t->record == NA_OPCODE_OTHER || t->record == t->opcode;
	uint64_t bytes = t->size_bytes;

	if (bytes == NA_UNKNOWN_U64 || !times || t->between_two ||
	    (t->opcode != NA_OPCODE_ALL_GATHER &&
	     t->opcode != NA_OPCODE_REDUCE_SCATTER &&
	     t->opcode != NA_OPCODE_ALL_TO_ALL))
		return bytes;
	if (!g || !g->size || __builtin_mul_overflow(bytes, g->size, &bytes))
		return NA_UNKNOWN_U64;
	return bytes;
}

static void settle_talks(struct na_ns *x)
{
	for (size_t i = 0; i < x->talks.n; i++) {
		struct na_ns_talk *t = &x->talks.v[i];
		const struct na_ns_group *g = na_ns_group_of(x,
							     t->communicator);

		t->size_bytes = larger_side(t, g);
		if (t->peer >= 0)
			t->peer = rank_of(x, t->communicator, t->peer);
	}
}

enum na_status na_ns_rank(struct na_input *in, struct na_err *err)
{
	struct na_ns *x = in->state;
	bool told;

	x->world = -1;
	x->world_name = NA_NO_NAME;
	if (!list_members(x))
		return na_fail_nomem(err);
	told = by_communicator(x) || by_surroundings(in);
	if (!told)
		by_device(in);
	if (!list_groups(x))
		return na_fail_nomem(err);
	settle_talks(x);
	in->rank = told && x->slots.n == 1 ? x->slots.v[0].rank : -1;
	in->world_size = (int32_t)x->world;
	return NA_OK;
}
