/*
 * What the two halves of the capture reader share: capfile.c has the classic
 * format and the way back from damage, capfile_ng.c the blocks of pcapng.
 */
#ifndef INGEST_CAPTURE_CAPFILE_PARTS_H
#define INGEST_CAPTURE_CAPFILE_PARTS_H

#include <inttypes.h>
#include <string.h>

#include "ingest/bytes/cursor.h"
#include "ingest/capture/capfile.h"
#include "netan/base/scan.h"
#include "netan/base/vec.h"

enum {
	/* Longer records are damage, unless the file's own snap length says
	 * more, which is believed up to the second limit. */
	NA_RECORD_BYTES = 1 << 20,
	NA_RECORD_BYTES_TOP = 1 << 27,
	NA_USUAL_BYTES = 65535 + 64, /* more is looked at twice */
	NA_INTERFACES = 1 << 16,     /* of one section */
	NA_CHAIN = 4,            /* plausible headers in a row behind damage */
	NA_SEARCHES = 64,        /* of doubtful headers, in one file */
	NA_CHAIN_APART_S = 86400 /* and how far apart their times may be */
};

struct na_capture_interface {
	uint32_t link, snap_bytes; /* 0: no limit */
	/* ns = units * mul / div, or units * 10^9 / 2^shift; + offset */
	uint64_t mul, div;
	uint8_t shift;
	bool binary;
	int64_t offset_s;
};

/* Of a slice (cut.h); no text: it is none. */
struct na_capfile_cut {
	struct na_text said; /* of the mapping */
	int64_t zero_ns;
};

struct na_capfile {
	struct na_input *in;
	struct na_cursor c;           /* at the next record or block */
	bool ng, big, nano, modified; /* byte order of file or section */
	bool swapped_lengths;         /* before version 2.3, or in it */
	uint32_t link, limit_bytes, usual_bytes;
	int64_t last_ns, last_s;
	bool has_last;
	int searches;
	struct na_capfile_cut cut;
	size_t interfaces; /* of all sections */
	/* pcapng: the section's */
	NA_VEC(struct na_capture_interface) list;
	size_t section_base;
};

/* f->c is at a section header that a caller has seen. */
enum na_status na_capfile_ng_open(struct na_capfile *f,
				  struct na_err *err) NA_MUST_CHECK;
enum na_status na_capfile_ng_next(struct na_capfile *f,
				  struct na_record *r) NA_MUST_CHECK;

/* For who takes records as they stand: how long a classic record's header is;
 * and blocks of pcapng one by one. */
static inline size_t na_capfile_header_size(const struct na_capfile *f)
{
	return f->modified ? 24 : 16;
}
struct na_capfile_block {
	enum na_capfile_kind {
		NA_BLOCK_OTHER,
		NA_BLOCK_SECTION,
		NA_BLOCK_INTERFACE,
		NA_BLOCK_STATISTICS,
		NA_BLOCK_PACKET
	} kind;
	bool big; /* byte order from here on */
};
/* A whole block at c, past which it goes; `big`: the order before it.  False:
 * there is none, and c stays. */
bool na_capfile_block(struct na_cursor *c, bool big,
		      struct na_capfile_block *b);
struct na_capfile_option {
	uint32_t code;
	struct na_cursor value;
	const uint8_t *at, *end; /* with its head and padding */
};
/* Past which c goes; false: there is no other. */
bool na_capfile_option(struct na_cursor *c, bool big,
		       struct na_capfile_option *o);
/* Is it the comment of a slice? */
bool na_capfile_is_mark(const struct na_capfile_option *o,
			struct na_capfile_cut *cut);

/* Warn, and mark the input as damaged. */
#define na_capfile_hurt(f, ...) \
	((f)->in->damaged = true, na_input_warn((f)->in, __VA_ARGS__))

/* A length on the wire that nothing has: the captured one stands in. */
static inline void na_capfile_wire(struct na_capfile *f, uint64_t at,
				   uint32_t captured, uint32_t *wire)
{
	if (*wire <= NA_RECORD_BYTES_TOP)
		return;
	na_capfile_hurt(f,
			"record at byte %" PRIu64 ": %" PRIu32
			" bytes on the wire; taken as the %" PRIu32 " captured",
			at, *wire, captured);
	*wire = captured;
}

/* Move behind damage to where `plausible` says that records go on; false,
 * and f->c where it was, if nowhere.  What was passed over is counted. */
typedef bool na_plausible_fn(const struct na_capfile *f, struct na_cursor c);
bool na_capfile_resync(struct na_capfile *f, size_t step,
		       na_plausible_fn *plausible);

#endif
