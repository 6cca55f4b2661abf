#include "netan/world/world.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a broadcast: ranks pass one on while the next one comes. */
enum { PIECE = 1 << 20 };

/* What is known of the ranks below one in the tree, itself among them. */
struct report {
	uint64_t failed; /* how many */
	uint64_t rank;   /* the lowest that did; of it: */
	int32_t status;
	bool alike; /* all that failed say the same */
	bool named; /* the text names a rank already */
	char node[NA_NODE_BUF];
	char text[sizeof(((struct na_err *)NULL)->text)];
};

/* Ranks form a binary tree: 1 and 2 below 0, 3 and 4 below 1. */
static size_t parent_of(size_t rank)
{
	return (rank - 1) / 2;
}

static size_t first_child(const struct na_world *w)
{
	return 2 * w->rank + 1;
}

/* Behind the last one. */
static size_t end_child(const struct na_world *w)
{
	size_t end = 2 * w->rank + 3;

	return end < w->size ? end : w->size;
}

void na_world_note(struct na_world *w, const char *text)
{
	if (!atomic_flag_test_and_set(&w->noted))
		snprintf(w->why, sizeof(w->why), "%s", text);
}

void na_world_node(const struct na_world *w, char to[NA_NODE_BUF])
{
	memset(to, 0, NA_NODE_BUF);
	if (w->nameless || gethostname(to, NA_NODE_BUF - 1) != 0)
		to[0] = '\0';
}

void na_world_place(char to[NA_NODE_BUF])
{
	const struct na_world named = NA_WORLD_ONE;
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char boot[37] = "", name[NA_NODE_BUF];

	if (fd >= 0) {
		if (read(fd, boot, sizeof(boot) - 1) < 0)
			boot[0] = '\0';
		close(fd);
	}
	na_world_node(&named, name);
	snprintf(to, NA_NODE_BUF, "%s %.80s", boot, name);
}

enum na_status na_world_failed(struct na_err *err, enum na_status status,
			       size_t rank, const char *node, const char *text)
{
	return na_fail(err, status, "rank %zu%s%s: %s", rank,
		       *node ? " on " : "", node, text);
}

static void own_report(const struct na_world *w, const struct na_err *err,
		       struct report *r)
{
	memset(r, 0, sizeof(*r));
	r->alike = true;
	r->rank = w->rank;
	if (err->status >= NA_OK)
		return;
	r->failed = 1;
	r->status = err->status;
	snprintf(r->text, sizeof(r->text), "%s", err->text);
	na_world_node(w, r->node);
}

static void join_report(struct report *r, const struct report *other)
{
	struct report both = *r;

	if (!other->failed)
		return;
	if (!r->failed || other->rank < r->rank)
		both = *other;
	both.failed = r->failed + other->failed;
	both.alike = r->alike && other->alike &&
		     (!r->failed || (r->status == other->status &&
				     strcmp(r->text, other->text) == 0));
	*r = both;
}

/* A message of a known size; another one means that the ranks are not in the
 * same place. */
static enum na_status recv_exactly(struct na_world *w, size_t from, void *to,
				   size_t n, struct na_err *err)
{
	void *p = NULL;
	size_t got = 0;
	enum na_status st = w->ops->recv(w, from, &p, &got, err);

	if (st == NA_OK && got != n)
		st = na_fail(err, NA_EIO,
			     "rank %zu sent %zu bytes where %zu were expected",
			     from, got, n);
	if (st == NA_OK)
		memcpy(to, p, n);
	free(p);
	return st;
}

/* A rank that is gone is a failure of this one, which tells it. */
static void join_lost(const struct na_world *w, const struct na_err *err,
		      struct report *r)
{
	struct report lost;

	own_report(w, err, &lost);
	lost.named = err->status == NA_EIO;
	join_report(r, &lost);
}

static bool hear(struct na_world *w, size_t from, struct report *r)
{
	struct na_err err = {0};
	struct report other;

	if (recv_exactly(w, from, &other, sizeof(other), &err) == NA_OK)
		join_report(r, &other);
	else
		join_lost(w, &err, r);
	return err.status == NA_OK;
}

static bool tell(struct na_world *w, size_t to, struct report *r)
{
	struct na_err err = {0};

	if (w->ops->send(w, to, r, sizeof(*r), &err) != NA_OK)
		join_lost(w, &err, r);
	return err.status == NA_OK;
}

/* What comes from above holds what went there. */
static bool hear_back(struct na_world *w, size_t from, struct report *r)
{
	struct na_err err = {0};
	struct report all;

	if (recv_exactly(w, from, &all, sizeof(all), &err) == NA_OK)
		*r = all;
	else
		join_lost(w, &err, r);
	return err.status == NA_OK;
}

/* What all together report, as far as this rank can know. */
static bool exchange(struct na_world *w, struct report *r)
{
	bool whole = true;

	for (size_t i = first_child(w); i < end_child(w); i++)
		whole &= hear(w, i, r);
	if (w->rank > 0) {
		size_t up = parent_of(w->rank);

		whole &= tell(w, up, r);
		whole &= hear_back(w, up, r);
	}
	for (size_t i = first_child(w); i < end_child(w); i++)
		whole &= tell(w, i, r);
	return whole;
}

static enum na_status take_report(struct na_world *w, const struct report *r,
				  struct na_err *err)
{
	*err = (struct na_err){0};
	if (!r->failed)
		return NA_OK;
	if (r->named || (r->failed == w->size && r->alike))
		return na_fail(err, (enum na_status)r->status, "%s", r->text);
	return na_world_failed(err, (enum na_status)r->status, r->rank, r->node,
			       r->text);
}

enum na_status na_world_agree(struct na_world *w, struct na_err *err)
{
	struct report r;

	if (na_world_alone(w) || w->files)
		return err->status < NA_OK ? err->status : NA_OK;
	own_report(w, err, &r);
	w->agreeing = true;
	w->agreed += exchange(w, &r);
	w->agreeing = false;
	return take_report(w, &r, err);
}

/* From the parent to the children.  A rank that got nothing passes on an
 * empty message, so that those below it do not wait; n > 0, so that they take
 * it for the failure that it is. */
static void pass_on(struct na_world *w, void *p, size_t n, struct na_err *err)
{
	bool have = w->rank == 0 ||
		    recv_exactly(w, parent_of(w->rank), p, n, err) == NA_OK;

	for (size_t i = first_child(w); i < end_child(w); i++)
		na_in_err(w->ops->send(w, i, p, have ? n : 0, err));
}

enum na_status na_world_broadcast(struct na_world *w, void **p, size_t *n,
				  struct na_err *err)
{
	uint64_t length = *n;
	enum na_status st = na_world_agree(w, err);

	if (na_world_alone(w) || st != NA_OK)
		return st;
	if (w->files)
		return w->rank ? w->ops->recv(w, 0, p, n, err)
			       : w->ops->send(w, 1, *p, *n, err);
	pass_on(w, &length, sizeof(length), err);
	if (w->rank > 0 && err->status == NA_OK) {
		*p = malloc(length ? length : 1);
		if (!*p)
			na_in_err(na_fail_nomem(err));
	}
	st = na_world_agree(w, err);
	for (size_t at = 0; st == NA_OK && at < length; at += PIECE)
		pass_on(w, (char *)*p + at,
			length - at < PIECE ? length - at : PIECE, err);
	if (st == NA_OK)
		st = na_world_agree(w, err);
	if (w->rank > 0 && st != NA_OK) {
		free(*p);
		*p = NULL;
	}
	*n = st == NA_OK ? length : 0;
	return st;
}
