/*
 * An HLO module in binary form while it is read: what proto.c and its
 * texts for people, show.c, share.
 */
#ifndef INGEST_HLO_PROTO_H
#define INGEST_HLO_PROTO_H

#include "ingest/hlo/wire.h"
#include "netan/base/vec.h"

struct na_hlo_proto {
	struct na_hlo_read r;
	struct na_idmap computations;   /* index by id */
	struct na_idmap instructions;   /* the last of that id */
	NA_VEC(struct na_field) fields; /* of the instruction at hand */
	struct na_text entry_name;
	uint64_t entry_id;
};

/* The last of that tag, of the instruction at hand; or NULL. */
static inline const struct na_field *na_hlo_field(const struct na_hlo_proto *p,
						  uint32_t tag)
{
	for (size_t i = p->fields.n; i-- > 0;) {
		if (p->fields.v[i].tag == tag)
			return &p->fields.v[i];
	}
	return NULL;
}

static inline struct na_text na_hlo_field_text(const struct na_field *f)
{
	if (!f)
		return (struct na_text){"", 0};
	return (struct na_text){(const char *)f->body.p, na_left(&f->body)};
}

/* In hash and text: not names, ids, and where it came from in the source; an
 * empty message is none, unless it is one of several. */
static inline bool na_hlo_field_counts(const struct na_field *f)
{
	uint32_t n = f->tag >> 3;

	return n != 1 && n != 7 && n != 35 && n != 88 &&
	       ((f->tag & 7) != NA_W_BYTES || f->value || n == 49 || n == 52 ||
		n == 57);
}

/* An instruction of this computation, by id. */
static inline uint32_t na_hlo_instruction_of(const struct na_hlo_proto *p,
					     uint64_t id)
{
	const struct na_hlo_module *m = p->r.m;
	uint32_t i = na_idmap_at(&p->instructions, na_hlo_key(id));

	return i < m->n_instructions &&
			       i >= m->computations[m->n_computations - 1].first
		       ? i
		       : NA_NO_NAME;
}

/* p->r.text: the instruction at hand, normalised. */
void na_hlo_describe(struct na_hlo_proto *p,
		     const struct na_hlo_instruction *x);

#endif
