/* What the files that read pickles share: opcodes, and how far they are. */
#ifndef INGEST_RECORDER_UNPICKLER_H
#define INGEST_RECORDER_UNPICKLER_H

#include "ingest/bytes/cursor.h"
#include "ingest/recorder/pickle.h"
#include "netan/base/vec.h"

/* Opcodes that are read; pickletools has their meaning. */
enum op {
	OP_MARK = '(',
	OP_STOP = '.',
	OP_BINFLOAT = 'G',
	OP_BININT = 'J',
	OP_BININT1 = 'K',
	OP_BININT2 = 'M',
	OP_NONE = 'N',
	OP_BINUNICODE = 'X',
	OP_EMPTY_LIST = ']',
	OP_APPEND = 'a',
	OP_APPENDS = 'e',
	OP_BINGET = 'h',
	OP_LONG_BINGET = 'j',
	OP_BINPUT = 'q',
	OP_LONG_BINPUT = 'r',
	OP_SETITEM = 's',
	OP_TUPLE = 't',
	OP_EMPTY_TUPLE = ')',
	OP_SETITEMS = 'u',
	OP_EMPTY_DICT = '}',
	OP_PROTO = 0x80,
	OP_TUPLE1 = 0x85,
	OP_TUPLE2,
	OP_TUPLE3,
	OP_NEWTRUE,
	OP_NEWFALSE,
	OP_LONG1
};

struct unpickler {
	struct na_cursor c;
	struct na_dump_store *store;
	NA_VEC(struct na_dump_value) stack;
	NA_VEC(struct na_dump_value) memo;
	size_t marks[NA_PICKLE_MARKS]; /* heights of the stack */
	size_t n_marks, puts;
	const struct na_pickle_items *items;
	struct na_dump_mark mark; /* behind what stays */
	bool marked;
	bool kept; /* the memo has something behind the mark */
	struct na_err *err;
};

static inline struct na_dump_value an_int(int64_t i)
{
	return (struct na_dump_value){.kind = NA_DUMP_INT, .i = i};
}

/*
 * On over opcodes that only push or end a list, as far as they are whole and
 * there is room; to the first one that wants more care.
 */
void na_unpickle_hurry(struct unpickler *x);

#endif
