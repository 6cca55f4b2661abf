/*
 * The world whose messages are files: ranks 1, 2, ... are shards, each a
 * process of its own at whatever time, and rank 0 merges what they wrote.
 *
 *	round 0, shard    its facts; where rank 0 is to answer, it is done
 *	round 0, rank 0   hears all facts; what it tells all is the plan; where
 *	                  shards are to go on, it is done
 *	round 1, shard    its facts again, hears the plan, its records; done
 *	round 1, rank 0   hears facts and records: no other process is needed
 *
 * To be done is NA_END from recv.
 */
#ifndef NETAN_ENGINE_PARTIAL_WORLD_FILES_H
#define NETAN_ENGINE_PARTIAL_WORLD_FILES_H

#include "netan/engine/partial/nap.h"
#include "netan/world/world.h"

struct na_world_files {
	struct na_nap_out *out; /* the caller's; rank 0 in round 1: NULL */
	/* A shard in round 1: the plan.  Rank 0: what the shards wrote, in
	 * their order. */
	struct na_nap *in;
	size_t n_in;
	bool plans; /* rank 0 in round 0 */
	bool done;  /* there is nothing more to hear, and all went well */
	struct na_nap_block block;
	/* A shard in round 1: what it is to hear, and what it has sent first
	 * in round 0. */
	struct na_heard {
		void *p;
		size_t n;
	} heard[2];
	size_t next;
	const uint8_t *facts;
	size_t n_facts;
	uint64_t sent;
};

/* Shard head->shard, which writes to out; plan NULL: in round 0.  head->plan
 * is set.  NA_EFORMAT: the plan is damaged, or says what cannot be. */
enum na_status na_world_shard(struct na_world_files *f, struct na_world *w,
			      struct na_nap_head *head, struct na_nap_out *out,
			      struct na_nap *plan,
			      struct na_err *err) NA_MUST_CHECK;
/* Rank 0 of n shards, all of one round; out: where the plan is written in
 * round 0, else NULL. */
void na_world_merge(struct na_world_files *f, struct na_world *w,
		    struct na_nap_out *out, struct na_nap *shards, size_t n);
void na_world_files_free(struct na_world_files *f);

#endif
