#include "netan/engine/partial/world_files.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/engine/mpi/facts.h"

/* ---- a shard */

/* What it says of its inputs is what the plan was made of. */
static enum na_status same_facts(const struct na_world *w, const void *p,
				 size_t n, struct na_err *err)
{
	const struct na_world_files *f = w->ctx;

	if (!f->n_in || na_facts_agree(p, n, f->facts, f->n_facts))
		return NA_OK;
	return na_fail(err, NA_EIO,
		       "the inputs of shard %zu of %zu are not what they were "
		       "in round 0: make that round again, and the plan",
		       w->rank, w->size - 1);
}

static enum na_status tell(struct na_world *w, size_t to, const void *p,
			   size_t n, struct na_err *err)
{
	struct na_world_files *f = w->ctx;
	enum na_status st = NA_OK;

	(void)to;
	if (f->sent == 0)
		st = same_facts(w, p, n, err);
	if (st == NA_OK)
		st = na_nap_put(f->out, p, n, err);
	/* Rank 0 hears the first message of all before any other. */
	if (st == NA_OK && f->sent++ == 0)
		st = na_nap_cut(f->out, err);
	return st;
}

static enum na_status hear(struct na_world *w, size_t from, void **p, size_t *n,
			   struct na_err *err)
{
	struct na_world_files *f = w->ctx;
	struct na_heard *x = &f->heard[f->next];

	(void)from;
	(void)err;
	*p = NULL;
	if (!f->n_in || f->next == NA_LEN(f->heard)) {
		f->done = true;
		return NA_END;
	}
	*p = x->p;
	*n = x->n;
	x->p = NULL;
	f->next++;
	return NA_OK;
}

/* Where the facts of this shard stand among all: those of each rank follow
 * each other, behind their length. */
static bool find_facts(struct na_world_files *f, size_t shard)
{
	struct na_cursor c = na_cursor_of(f->facts, f->n_facts);
	struct na_text run = na_text_n("", 0);

	for (size_t r = 0; r <= shard; r++) {
		if (!na_hear_run(&c, &run))
			return false;
	}
	f->facts = (const uint8_t *)run.s;
	f->n_facts = run.n;
	return true;
}

static enum na_status no_plan(const struct na_nap *plan, struct na_err *err)
{
	return na_fail(err, NA_EFORMAT, "%s holds no plan", plan->path);
}

static enum na_status read_plan(struct na_world_files *f, size_t shard,
				char hash[NA_SHA256_HEX], struct na_err *err)
{
	struct na_heard *all = &f->heard[NA_LEN(f->heard) - 1];
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < NA_LEN(f->heard); i++)
		st = na_nap_next(f->in, &f->block, &f->heard[i].p,
				 &f->heard[i].n, err);
	if (st == NA_END)
		return no_plan(f->in, err);
	if (st != NA_OK)
		return st;
	f->facts = all->p;
	f->n_facts = all->n;
	if (!find_facts(f, shard))
		return no_plan(f->in, err);
	na_sha256(all->p, all->n, hash);
	return NA_OK;
}

static const struct na_world_ops of_a_shard = {tell, hear};

enum na_status na_world_shard(struct na_world_files *f, struct na_world *w,
			      struct na_nap_head *head, struct na_nap_out *out,
			      struct na_nap *plan, struct na_err *err)
{
	*f = (struct na_world_files){.out = out,
				     .in = plan,
				     .n_in = plan != NULL};
	*w = (struct na_world){.rank = head->shard,
			       .size = head->shards + 1,
			       .ops = &of_a_shard,
			       .files = true,
			       .ctx = f};
	head->plan[0] = '\0';
	return plan ? read_plan(f, head->shard, head->plan, err) : NA_OK;
}

/* ---- rank 0 */

/* All hear the same: what the first one does is kept. */
static enum na_status tell_all(struct na_world *w, size_t to, const void *p,
			       size_t n, struct na_err *err)
{
	struct na_world_files *f = w->ctx;

	return f->out && to == 1 ? na_nap_put(f->out, p, n, err) : NA_OK;
}

static enum na_status hear_one(struct na_world *w, size_t from, void **p,
			       size_t *n, struct na_err *err)
{
	struct na_world_files *f = w->ctx;
	struct na_nap *in = &f->in[from - 1];
	enum na_status st = na_nap_next(in, &f->block, p, n, err);
	char name[NA_NAP_NAME_BUF];

	if (st == NA_END && !f->plans)
		return na_fail(err, NA_EFORMAT, "%s holds too little",
			       na_nap_name(in, name));
	f->done |= st == NA_END;
	return st;
}

static const struct na_world_ops of_the_merge = {tell_all, hear_one};

void na_world_merge(struct na_world_files *f, struct na_world *w,
		    struct na_nap_out *out, struct na_nap *shards, size_t n)
{
	*f = (struct na_world_files){.out = out,
				     .in = shards,
				     .n_in = n,
				     .plans = out != NULL};
	*w = (struct na_world){.size = n + 1,
			       .ops = &of_the_merge,
			       .files = true,
			       .plans = out != NULL,
			       .ctx = f};
}

void na_world_files_free(struct na_world_files *f)
{
	na_nap_block_free(&f->block);
	for (size_t i = 0; i < NA_LEN(f->heard); i++)
		free(f->heard[i].p);
}
