/*
 * --anonymize: a message that is written gets pseudonyms for the names in its
 * texts.  Which fields are texts, and which hold messages with some, says a
 * table; all else stays as it is.
 */
#ifndef INGEST_TRANSFER_FILE_HIDE_H
#define INGEST_TRANSFER_FILE_HIDE_H

#include "ingest/bytes/wire.h"
#include "ingest/transfer_file/bytes.h"
#include "netan/base/pseudonyms.h"
#include "netan/base/strtab.h"
#include "netan/base/vec.h"

struct na_xf_texts {
	uint32_t field;               /* 0 ends the table */
	const struct na_xf_texts *in; /* of its message; NULL: it is a text */
};

/* Each text is looked through once, and reads the same ever after. */
struct na_xf_hiding {
	struct na_pseudonyms *names; /* NULL: everything stays */
	struct na_strtab seen, shown;
	NA_VEC(uint32_t) as; /* of each that was seen: which is shown */
};

void na_xf_hiding_fini(struct na_xf_hiding *h);
/* The message in place.  One that is damaged stays as far as it is whole;
 * m->failed when memory is short. */
void na_xf_hide(struct na_xf_hiding *h, const struct na_xf_texts *texts,
		struct na_xf_bytes *m);

extern const struct na_xf_texts na_xf_header_texts[], na_xf_name_texts[],
	na_xf_count_texts[], na_xf_source_texts[], na_xf_hlo_texts[];

#endif
