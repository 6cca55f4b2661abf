/*
 * The rows of a list of a result, packed: a million of them take some tens of
 * bytes each, where a node for each value takes some thousands.  For
 * result.c, which owns it; readers walk (result.h).
 *
 * One row is open at a time, made of nodes like any other; na_pack_close()
 * packs it and takes its nodes back.  What rows look like (names, kinds, how
 * many members) is kept once, and their values in as few bytes as they need.
 */
#ifndef NETAN_RESULT_PACK_H
#define NETAN_RESULT_PACK_H

#include "netan/base/arena.h"
#include "netan/base/strtab.h"
#include "netan/base/varint_pack.h"
#include "netan/base/vec.h"
#include "netan/result/result.h"

struct na_pack_chunk {
	struct na_pack_chunk *next;
	size_t used, size;
	uint8_t p[];
};

/* Room for the nodes of one row. */
struct na_pack_room {
	struct na_pack_room *next;
	size_t n;
	struct na_value nodes[];
};

/* Texts that came by lately are not kept again. */
enum { NA_PACK_LATELY = 1024 };
struct na_pack_text {
	const char *is;
	size_t known; /* its number among those that came twice; 0: none */
};

struct na_pack {
	struct na_pack *next;          /* of the result */
	struct na_arena *arena;        /* of the result: nodes that stay */
	const struct na_strtab *names; /* of members, the result's */
	bool *failed;                  /* the result's: memory ran out */

	struct na_arena row;   /* texts and nodes of the open row */
	struct na_value *open; /* NULL: none */

	struct na_strtab shapes;
	struct na_pack_chunk *first, *last;
	size_t n, most_nodes;
	struct na_pack_text lately[NA_PACK_LATELY];
	NA_VEC(const char *) known;         /* texts, by their numbers less 1 */
	struct na_varint_pack shape, values; /* of the row being packed */

	struct na_pack_room *spare;         /* of walks that have ended */
	struct na_value *nodes, *last_node; /* na_unpacked(): first and last */
};

void na_pack_fini(struct na_pack *p);

/* The open row, if there is one, joins those before it. */
void na_pack_close(struct na_pack *p);

/* Of a name by its number: what a node has room for. */
#define NA_NO_NAME_NO UINT16_MAX
static inline uint16_t na_name_no(size_t no)
{
	return no < NA_NO_NAME_NO ? (uint16_t)no : NA_NO_NAME_NO;
}

#endif
