#include "netan/engine/mpi/message.h"

#include <stdlib.h>

struct na_xf_bytes na_message_of(enum na_message_kind kind)
{
	struct na_xf_bytes m = {.p = NULL};
	uint8_t byte = (uint8_t)kind;

	na_xf_put(&m, &byte, 1);
	return m;
}

enum na_status na_message_send(const struct na_mpi *t, size_t to,
			       struct na_xf_bytes *m, struct na_err *err)
{
	enum na_status st = m->failed ? na_fail_nomem(err)
				      : t->world->ops->send(t->world, to, m->p,
							    m->n, err);

	na_xf_bytes_fini(m);
	return st;
}

enum na_status na_message_dismissed(struct na_mpi *t, struct na_err *err)
{
	t->dismissed = true;
	return na_fail(err, NA_END, "%s", "");
}

enum na_status na_message_broken(size_t from, struct na_err *err)
{
	return na_fail(err, NA_EFORMAT,
		       "what process %zu has sent cannot be read: are all of "
		       "the same version of netan?",
		       from);
}

enum na_status na_message_next(struct na_mpi *t, size_t from,
			       struct na_message *m, struct na_err *err)
{
	enum na_status st;
	size_t n = 0;

	*m = (struct na_message){.p = NULL};
	st = t->world->ops->recv(t->world, from, &m->p, &n, err);
	if (st == NA_END)
		return na_message_dismissed(t, err);
	if (st != NA_OK)
		return st;
	m->c = na_cursor_of(m->p, n);
	t->heard_bytes += n;
	if (n && m->c.p[0] < NA_N_MESSAGES) {
		m->kind = (enum na_message_kind)na_byte(&m->c);
		return NA_OK;
	}
	free(m->p);
	m->p = NULL;
	return na_message_broken(from, err);
}

enum na_status na_message_want(struct na_mpi *t, size_t from,
			       enum na_message_kind kind, struct na_message *m,
			       struct na_err *err)
{
	enum na_status st = na_message_next(t, from, m, err);

	if (st != NA_OK || m->kind == kind)
		return st;
	free(m->p);
	m->p = NULL;
	return na_message_broken(from, err);
}
