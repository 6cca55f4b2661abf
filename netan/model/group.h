/*
 * --by KEY[,KEY]: which group a transfer belongs to.  A key's value is a
 * small number within the store; its text is made only for output.
 */
#ifndef NETAN_MODEL_GROUP_H
#define NETAN_MODEL_GROUP_H

#include <stdbool.h>

#include "netan/model/store.h"

enum na_key {
	NA_KEY_COMPONENT,
	NA_KEY_HOST,
	NA_KEY_SRC,
	NA_KEY_DST,
	NA_KEY_PAIR,
	NA_KEY_COLLECTIVE,
	NA_KEY_TRANSFER_TYPE,
	NA_KEY_SIZE,
	NA_KEY_STEP,
	NA_KEY_DEVICE,
	NA_KEY_CLASS,
	NA_KEY_LABEL,
	NA_N_KEYS
};

enum { NA_MAX_KEYS = 4 };

struct na_grouping {
	enum na_key keys[NA_MAX_KEYS];
	size_t n;
};

/* The words of --by, comma-separated; NULL and "" are no key.  NA_EUSAGE names
 * the wrong one and what it may have meant, or says that there are more than
 * NA_MAX_KEYS. */
enum na_status na_grouping_parse(const char *by, struct na_grouping *out,
				 struct na_err *err) NA_MUST_CHECK;
const char *na_key_name(enum na_key k);
const char *na_key_offered(size_t k); /* NULL behind the last */

/* The group of a transfer as a tuple of g->n numbers; "not known" is a value
 * of its own.  Values behind the last key are left as they are.  The store is
 * resolved; nothing is allocated. */
void na_group_of(const struct na_grouping *g, const struct na_store *s,
		 const struct na_transfer *t, uint64_t values[NA_MAX_KEYS]);

/* The same where not the network latency is looked at, and of an action;
 * what an action has not (a source, a size that is not told) is unknown. */
void na_group_of_component(const struct na_grouping *g,
			   const struct na_store *s,
			   const struct na_transfer *t, enum na_component c,
			   uint64_t values[NA_MAX_KEYS]);
void na_group_of_exec(const struct na_grouping *g, const struct na_store *s,
		      const struct na_exec *e, uint64_t values[NA_MAX_KEYS]);
/* Of what ran on a device plane; a plane whose endpoint nobody tells is a
 * device by itself, "host TPU 3". */
void na_group_of_core(const struct na_grouping *g, const struct na_store *s,
		      uint32_t core, uint32_t step, uint32_t collective,
		      uint32_t type, uint64_t values[NA_MAX_KEYS]);
/* Of a packet, as what it is to the host on that side; it has no collective,
 * type or step. */
void na_group_of_packet(const struct na_grouping *g, const struct na_store *s,
			const struct na_wire_packet *w, enum na_side side,
			uint64_t values[NA_MAX_KEYS]);
/* Whether such a group may be one of that store: its texts can be asked for. */
bool na_group_known(const struct na_grouping *g, const struct na_store *s,
		    const uint64_t values[NA_MAX_KEYS]);
bool na_grouping_has(const struct na_grouping *g, enum na_key k);

const char *na_component_name(enum na_component c);

/* The text of one value that a na_group_of*() gave for this key and store;
 * `buf` [NA_KEY_BUF] is used where nothing lasting exists.  "unknown" for what
 * is not known, "none" outside all steps, "" without a label.  Valid as long
 * as both. */
#define NA_KEY_BUF 96
const char *na_key_text(const struct na_store *s, enum na_key k, uint64_t value,
			char *buf);

#endif
