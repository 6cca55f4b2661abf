/*
 * Readers of HLO modules: HloProto and HloModuleProto in binary form (also
 * inside a trace), and module text as compilers dump it.
 */
#ifndef INGEST_HLO_HLO_H
#define INGEST_HLO_HLO_H

#include "netan/base/arena.h"
#include "netan/base/err.h"
#include "netan/model/hlo.h"

/* What one module may make us remember, whatever it claims. */
enum { NA_HLO_MAX_MODULE = 1 << 24 }; /* instructions, operands each */

/*
 * An instruction's hash, and so the fingerprint, is over what it does:
 *
 *   binary  every field of HloInstructionProto but name, id, metadata and
 *           original_value, in the order of their numbers; empty messages
 *           are none, frontend attributes have no order
 *   text    shape, opcode, operands and attributes as they are written, but
 *           metadata={} and origin={}, comments and runs of blanks
 *   both    operands, control predecessors and called computations by how
 *           far before they stand, not by name or id
 *
 * So backend_config counts, layouts, and the rendezvous names; what a
 * compiler was asked (options, source lines) does not.
 *
 * One module of `n` bytes to the end of h.  NA_EFORMAT with a message that
 * names the byte where it is damaged (nothing is added then); NA_ENOMEM.
 */
enum na_status na_hlo_read_proto(struct na_hlo *h, const void *p, size_t n,
				 uint32_t worker,
				 struct na_err *err) NA_MUST_CHECK;
enum na_status na_hlo_read_text(struct na_hlo *h, const char *s, size_t n,
				uint32_t worker,
				struct na_err *err) NA_MUST_CHECK;

/* What a file is, from its first bytes. */
bool na_hlo_is_text(const void *p, size_t n);
bool na_hlo_is_proto(const void *p, size_t n);
/* Of a file, packed or not; false, too, where it cannot be read. */
bool na_hlo_is_module(const char *path);

/* Directories below a directory, and entries of them in all; beyond:
 * NA_ELIMIT. */
enum { NA_HLO_DIR_DEPTH = 16, NA_HLO_FILES_MAX = 1 << 20 };

struct na_hlo_dump {
	const char *path;
	const char *dir;   /* that it is in; one pointer for all of them */
	const char *below; /* the same from the named one on; NULL: that */
};

struct na_hlo_dumps {
	struct na_hlo_dump *items;
	size_t n, cap;
};

/*
 * The files of a directory and those below that hold modules as they ran: of
 * one module_NNNN the optimized one where it is there, and of that the binary
 * form; all others with the name of a dump.  Sorted by na_natural_order(), a
 * directory's files before its directories; a link back up is not followed.
 * NA_EIO.  Texts live in the arena (and `dir`); the array is the caller's to
 * free in any case.
 */
enum na_status na_hlo_walk(const char *dir, struct na_arena *a,
			   struct na_hlo_dumps *out,
			   struct na_err *err) NA_MUST_CHECK;

/*
 * All dumps of a directory (and its subdirectories, which are workers of
 * their own), or one file: *.hlo_proto.pb, *.pb, *.txt, *.hlo, each also
 * gzip or zstd packed.  Files that are no module (a trace, a log) are passed
 * over; damaged ones are told to `warn` with their path.  NA_EIO: cannot be
 * read at all.  NA_EDOMAIN: the one file is no module.  `worker` NULL: the
 * last part of the path names it.
 */
enum na_status na_hlo_read_path(struct na_hlo *h, const char *path,
				const char *worker,
				void (*warn)(void *ctx, const char *text),
				void *ctx, size_t *n_files,
				struct na_err *err) NA_MUST_CHECK;

#endif
