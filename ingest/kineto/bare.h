/*
 * --anonymize of a trace in JSON: written anew with nothing but what netan
 * reads, its texts with pseudonyms for names in them.
 */
#ifndef INGEST_KINETO_BARE_H
#define INGEST_KINETO_BARE_H

#include "ingest/kineto/kineto.h"
#include "ingest/slice.h"
#include "ingest/transfer_file/bytes.h"

struct kt_bare {
	struct na_pseudonyms *names;
	struct na_xf_bytes out;     /* what is written next */
	struct na_xf_bytes scratch; /* a text without its escapes */
	struct na_strtab seen;      /* texts as they stand */
	NA_VEC(const char *) as; /* by index there: in JSON, in the arena */
	struct na_arena arena;
};

void kt_bare_fini(struct kt_bare *b);

/* All are appended to b->out, and b->out.failed tells where memory was
 * short. */

/* The document up to the first of its events; what closes it. */
void kt_bare_head(struct kt_bare *b, const struct na_input *in,
		  const struct na_slice *of);
/* One event; `read` false: only when it was, and of which kind. */
void kt_bare_event(struct kt_bare *b, const struct na_kineto_event *e,
		   bool read);
/* rocprofv3's document up to the first dispatch; one of them. */
void kt_bare_rocprof(struct kt_bare *b, const struct na_input *in,
		     const struct na_slice *of);
void kt_bare_dispatch(struct kt_bare *b, const struct kineto *k,
		      const struct kt_dispatch *x);
/* A text is looked at for names, and nothing is written; `once`: it is not
 * remembered, since there is no other like it. */
void kt_bare_learn(struct kt_bare *b, struct na_text raw, bool once);

#endif
