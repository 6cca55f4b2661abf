/*
 * Messages between the processes of one analysis as files (.nap): what a
 * shard tells rank 0 in a round, or what rank 0 has told all of them, which
 * is the plan.
 *
 *	magic, block HEAD, blocks BYTES, block END
 *
 * A block is its kind, how long its bytes are, how long they are packed (0:
 * they are not), those bytes, and a CRC-32 of all that.  The bytes of all
 * blocks one behind the other are messages, each behind its length as a
 * varint.  END stands at the end of the file and says how many there are: a
 * file without one was not finished.
 *
 * Records in messages are structs as this build of this version lays them
 * out, so that another one's files are refused.
 */
#ifndef NETAN_ENGINE_PARTIAL_NAP_H
#define NETAN_ENGINE_PARTIAL_NAP_H

#include <stdio.h>

#include "ingest/transfer_file/bytes.h"
#include "netan/base/arena.h"
#include "netan/base/err.h"
#include "netan/base/sha256.h"

enum {
	NA_NAP_SHARDS = 1000000,     /* more are not believed */
	NA_NAP_BLOCK_BYTES = 1 << 20 /* of a block, at most */
};

struct na_nap_head {
	const char *version; /* of netan */
	uint32_t layout;     /* of the records */
	char **words;        /* the command line: "netan", "check", ... */
	int n_words;
	size_t shard, shards; /* from 1; 0: the plan */
	unsigned round;       /* 0, or 1: made with a plan */
	/* Of the plan that it was made with; "" in round 0. */
	char plan[NA_SHA256_HEX];
};

/* ---- writing */

struct na_nap_out {
	FILE *to;         /* the caller's */
	const char *path; /* for messages; borrowed */
	struct na_xf_bytes bytes;
	uint64_t messages;
};

/* Version and layout are this program's, whatever the head says.  To be freed
 * whatever comes back. */
enum na_status na_nap_begin(struct na_nap_out *o, FILE *to, const char *path,
			    const struct na_nap_head *head,
			    struct na_err *err) NA_MUST_CHECK;
enum na_status na_nap_put(struct na_nap_out *o, const void *p, size_t n,
			  struct na_err *err) NA_MUST_CHECK;
/* What comes next begins a block. */
enum na_status na_nap_cut(struct na_nap_out *o,
			  struct na_err *err) NA_MUST_CHECK;
enum na_status na_nap_end(struct na_nap_out *o,
			  struct na_err *err) NA_MUST_CHECK;
void na_nap_free(struct na_nap_out *o);

/* ---- reading */

struct na_nap {
	const char *path; /* borrowed */
	struct na_nap_head head;
	struct na_arena arena; /* of its texts */
	uint64_t size, messages;
	/* The block that holds the next byte, and how many of its bytes are
	 * read. */
	uint64_t at, used;
	uint64_t heard; /* messages that are read */
};

/* The bytes of the block that was read last: many files share one, and none
 * of them is open between two calls. */
struct na_nap_block {
	const struct na_nap *of; /* NULL: nobody's */
	uint64_t at, next;
	uint8_t *p;
	size_t n;
};

/* Head and end are read and checked.  NA_EFORMAT: it is none, of another
 * version or layout, damaged or unfinished; the message names file and shard.
 * NA_EIO, NA_ENOMEM.  To be closed whatever comes back. */
enum na_status na_nap_open(struct na_nap *f, const char *path,
			   struct na_err *err) NA_MUST_CHECK;
void na_nap_close(struct na_nap *f);
/* The texts of its head, which is less with many files. */
void na_nap_forget(struct na_nap *f);
/* The next message: *p from malloc(), the caller's, not NULL also where *n is
 * 0.  NA_END: there is no other.  NA_EFORMAT with the byte where it is
 * damaged. */
enum na_status na_nap_next(struct na_nap *f, struct na_nap_block *b, void **p,
			   size_t *n, struct na_err *err) NA_MUST_CHECK;
void na_nap_block_free(struct na_nap_block *b);

/* "p0.3.nap (shard 3 of 4)", "plan.nap (the plan)" */
enum { NA_NAP_NAME_BUF = 320 };
const char *na_nap_name(const struct na_nap *f, char buf[NA_NAP_NAME_BUF]);

/* ---- between the two */

#define NAP_MAGIC "netan partial\r\n"
enum {
	NAP_MAGIC_BYTES = 15,
	NAP_BLOCK_HEAD = 9, /* kind and two lengths */
	NAP_CRC_BYTES = 4,
	NAP_END_BYTES = NAP_BLOCK_HEAD + 8 + NAP_CRC_BYTES,
	/* What packs better than this is written as it is: a reader makes no
	 * more of a file's bytes. */
	NAP_RATIO = 256
};
enum nap_kind { NAP_HEAD = 1, NAP_BYTES, NAP_END };

uint32_t na_nap_layout(void);

#endif
