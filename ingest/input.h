/*
 * One opened input, and the table of readers.  A reader is one row of
 * readers.def:
 *
 *   sniff  says whether the first bytes are its format
 *   open   surveys the file: structure, first time, wall clock, host
 *   cut    hands out the next block of work (one caller at a time)
 *   read   turns one block into records (any number of threads at once)
 *   close  frees what open made
 *
 * Between open and read the caller sets zero_ns, once it knows the origin
 * over all inputs.
 */
#ifndef INGEST_INPUT_H
#define INGEST_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/base/arena.h"
#include "netan/base/err.h"
#include "netan/base/memory/mapped.h"
#include "netan/base/opt.h"
#include "netan/base/scan.h"
#include "netan/model/sink.h"

struct na_slice; /* slice.h */
struct na_slice_counts;

enum { NA_BLOCK_BYTES = 1 << 20 }; /* fixed: output never depends on -j */

/* What is in a file, for `netan info`. */
struct na_section {
	const char *name; /* plane; borrowed from the input */
	uint64_t lines, events;
	struct na_part_line {
		const char *name;
		uint64_t events;
		uint32_t wants; /* who reads it: enum na_want bits */
	} * parts;
	size_t n_parts; /* one for each line */
};

struct na_warning {
	const char *text; /* owned by the input's arena */
	struct na_warning *next;
};

/* What the user asks of readers, borrowed until the close. */
struct na_input_asks {
	/* Of the threads of a trace's host, only those whose name matches one
	 * of these globs; NULL or empty: all. */
	const struct na_text_list *lines;
	const char *filter;   /* captures: in capture-filter syntax; or NULL */
	uint32_t segments_of; /* na_connection.id; NA_UNKNOWN_U32: none */
	bool idle_threads;    /* one may unpack while another one reads */
	/* What others said, in words of theirs, is not quoted: nobody could
	 * tell which are names (--anonymize). */
	bool unquoted;
	/* Of long blocks, called now and then with how many bytes were read
	 * since; false: stop, as at the end.  Or NULL. */
	bool (*go_on)(void *ctx, uint64_t bytes);
	void *ctx;
};

/* An HLO module as it stands in a file: a HloProto. */
struct na_program_bytes {
	struct na_text name;
	uint64_t id;
	const void *p;
	size_t n;
	uint64_t at; /* byte of the file */
};
struct na_comm_rank;

struct na_input {
	const char *path; /* as given, or dir/name */
	const char *host; /* from the file name or content */
	bool host_kept;   /* it says how it was called before it was cut */
	const char *cut;  /* as a slice says of itself (slice.h); NULL: none */
	const char *format;  /* "xspace", "pcap", "pcapng" */
	const char *packed;  /* "gzip", "zstd" or NULL */
	const char *sha256;  /* of the file, 64 hex digits; NULL: not asked */
	uint64_t file_bytes; /* size on disk; piped: bytes read */
	uint32_t wants;      /* enum na_want bits */
	struct na_input_asks asks;

	const uint8_t *data; /* mapped bytes, inflated */
	size_t size;
	/* Of those bytes; of a transfer file that stands in for a trace, of
	 * the trace's: how many, and of the first and the last ones. */
	uint64_t content_bytes, content_hash;
	struct na_mapped *mapped; /* NULL: they are not */
	bool fate_told; /* whatever another process has made of them */
	bool borrowed;  /* the bytes are another input's */
	bool copied;    /* allocated: a small file, or what became of one */
	bool away;      /* another process has it open: no bytes, no state */
	bool stands_in; /* the bytes are a transfer file's, all else is the
			 * trace's that it was made from */
	const struct na_reader *reader;
	void *state; /* the reader's */

	/* From open().  Times in ns on the wall clock when has_wall, else on
	 * the file's own clock; zero_ns is the origin on the same clock. */
	bool has_time, has_wall;
	int64_t first_ns, zero_ns;
	/* Set with zero_ns: what lasts, as connections do, counts in
	 * [from_ps, to_ps) alone; what passes is the sink's to choose. */
	bool windowed;
	int64_t from_ps, to_ps;
	int64_t profile_start_ns, profile_stop_ns; /* 0: unknown */
	uint64_t n_devices;                        /* device planes */
	bool has_tpus, has_gpus;                   /* among them */
	bool on_cpus; /* without one: its rank communicates on CPUs (gloo) */
	enum na_told told;
	/* Of GPU jobs: the rank whose file it is and how many there are; -1:
	 * not told. */
	int32_t rank, world_size;
	bool ranks; /* it holds ranks, known or not */
	/* Where ranks are told of communicators alone: which ones the process
	 * is in (gpu/rank_map.h), and its number on its host, -1: not told. */
	struct na_comm_rank *comm_ranks;
	size_t n_comm_ranks;
	int64_t pid;
	bool p2p_told; /* a trace of its rank tells its sends and receives */
	/* Its HLO modules are without what does not communicate. */
	bool slim_programs;
	bool anonymous; /* its names are pseudonyms (ingest --anonymize) */
	uint64_t lines_skipped; /* nobody asked for them */
	uint64_t events;        /* of the lines that were read */
	bool damaged;           /* truncated or broken somewhere */

	/* One file may hold the records of several hosts: open() says how
	 * many (0: one), and is called for each. */
	size_t n_sources;
	size_t source;           /* which of them this is */
	const void *first_state; /* of a later one: the first one's */
	/* What the reader keeps of its blocks beyond close(), in the arena,
	 * and what it kept of them when they were read before; or NULL. */
	void *kept, *first_kept;
	const char *label;       /* of its run, as the file says; or NULL */

	/* Of one that is away: its HLO modules, in the arena. */
	struct na_program_bytes *programs;
	size_t n_programs;

	/* Captures: what was counted while reading; else NULL. */
	const struct na_capture_counts *capture;
	/* Files of one capture, merged by time while the first is read: of
	 * the first, all of them in the order given; of the others 0. */
	struct na_input **merged;
	size_t n_merged;

	struct na_section *sections;
	size_t n_sections;

	struct na_arena arena;
	struct na_warning *warnings, **warnings_end;
	size_t n_warnings; /* more may have been counted */
};

/* A piece of work: about NA_BLOCK_BYTES of the input, borrowed from it. */
struct na_block {
	const void *owner; /* the reader's: which line */
	const uint8_t *p, *end;
	/* Reading it looks at nothing of the input from here on (names may
	 * stand behind the block); NULL: who knows. */
	const uint8_t *needs_end;
	void *kept; /* of it, see na_input.kept; or NULL */
};

enum na_sniff { NA_SNIFF_NO, NA_SNIFF_YES, NA_SNIFF_DAMAGED };

struct na_hlo;

/* x is valid for the call; another status than NA_OK ends the round. */
typedef enum na_status (*na_program_take)(void *ctx,
					  const struct na_program_bytes *x,
					  struct na_err *err);

struct na_reader {
	const char *name;
	/* head: the first n bytes of `size` (UINT64_MAX: not known yet).
	 * NA_SNIFF_DAMAGED says why, in a constant text. */
	enum na_sniff (*sniff)(const uint8_t *head, size_t n, uint64_t size,
			       const char **why);
	/*
	 * While inflated or piped bytes are spooled: decide about the next
	 * bytes at a structural border.  Returns how many bytes *keep holds
	 * for (may exceed n), or 0 for "show me more".  NULL: keep all.
	 */
	uint64_t (*spool)(void *state, const uint8_t *p, size_t n, bool last,
			  uint32_t wants, bool *keep);
	size_t spool_state_size; /* zeroed at first */
	bool spool_is_state;     /* it becomes in->state, before open() */
	/* in->data is mapped.  May set in->state, which close() frees, also
	 * after a failure.  Damage that leaves something to read is a warning
	 * and no failure: in->damaged. */
	enum na_status (*open)(struct na_input *in, struct na_err *err);
	/* Blocks come in the order of the file; NA_END: there is no other. */
	enum na_status (*cut)(struct na_input *in, struct na_block *b,
			      struct na_err *err);
	/* The same records for the same block, on whatever thread; what a
	 * block cannot tell is counted at the sink.  Fails when memory is
	 * short, or with what the sink says. */
	enum na_status (*read)(const struct na_input *in,
			       const struct na_block *b,
			       const struct na_sink *sink, struct na_err *err);
	/* After open(): the HLO modules in the file, as bytes that are valid
	 * for the call; damaged ones are warnings of the input.  NULL: it
	 * holds none. */
	enum na_status (*program_bytes)(struct na_input *in,
					na_program_take take, void *ctx,
					struct na_err *err);
	/* The part of the file that `of` asks for, in the file's format, to
	 * of->put(); what is damaged is left out.  `in` was opened for all
	 * that NA_WANT_SLICED names.  NULL: such files are not cut. */
	enum na_status (*slice)(struct na_input *in, const struct na_slice *of,
				struct na_slice_counts *counts,
				struct na_err *err);
	/* Why such files are not cut, and what to do instead; NULL: a transfer
	 * file of them is cut. */
	const char *whole;
	/* By which such files are known in a directory; NULL: their format. */
	const char *ending;
	bool packets; /* its files are captures: nothing in them is an action */
	bool ranks;   /* they are of GPU jobs: of a rank each, or several */
	/* Of such a file no record depends on other inputs: a transfer file may
	 * stand in for it (na_xfer_stand_in()). */
	bool alone;
	void (*close)(struct na_input *in);
};

/* The HLO modules in the file, read, to the end of `to`; none where the reader
 * has no program_bytes. */
enum na_status na_input_programs(struct na_input *in, uint32_t input,
				 struct na_hlo *to,
				 struct na_err *err) NA_MUST_CHECK;

extern const struct na_reader *const na_readers[]; /* NULL at the end */
/* na_reader_NAME of each row. */
#define NA_READER(name) extern const struct na_reader na_reader_##name;
#include "ingest/readers.def"
#undef NA_READER

/*
 * Open, unpack and survey one file ("-" is standard input).
 *
 *   path   borrowed until the close
 *   wants  enum na_want bits: what the sinks of later reads look at
 *   asks   copied, its texts borrowed until the close; or NULL
 *
 * On failure nothing stays open and err names the file.  NA_EFORMAT: not a
 * format we read; NA_EIO: could not be read; NA_ELIMIT, NA_ENOMEM.
 */
enum na_status na_input_open(struct na_input *in, const char *path,
			     uint32_t wants, const struct na_input_asks *asks,
			     struct na_err *err) NA_MUST_CHECK;
/* Whose format the first bytes of a file are, unpacked; NULL: nobody's, or it
 * cannot be read. */
const struct na_reader *na_input_known(const char *path);
/* Another of the sources in the file that `first` has open, which is closed
 * after this one; source < first->n_sources.  Fails as na_input_open(). */
enum na_status na_input_open_source(struct na_input *in,
				    const struct na_input *first, size_t source,
				    struct na_err *err) NA_MUST_CHECK;
void na_input_close(struct na_input *in);
/* For readers that turn one format into another while they open: the input's
 * bytes are these from now on, from malloc(), which it owns; or none. */
void na_input_replace(struct na_input *in, uint8_t *bytes, size_t size);

/* Is the file still what it was when it was opened?  Else a warning, once, and
 * in->damaged.  For when it has been read; not of one that is borrowed. */
void na_input_settle(struct na_input *in);
/* How many of its bytes are there by now: the system is asked. */
size_t na_input_left(const struct na_input *in);
/* What `from`, opened over the same file, has told of damage, and `to` not. */
void na_input_tell(struct na_input *to, const struct na_input *from);
/* Some of its bytes are known to be lost.  On any thread, at once. */
static inline bool na_input_lost(const struct na_input *in)
{
	return in->mapped && na_mapped_left(in->mapped) < in->size;
}
/* Whether all that reading a block has looked at was there.  On any thread,
 * at once. */
bool na_block_sound(const struct na_input *in, const struct na_block *b);

/* Remember damage; the first few are kept as text, all are counted. */
void na_input_warn(struct na_input *in, const char *fmt, ...) NA_PRINTF(2, 3);
/* The same of what somebody else said (asks.unquoted leaves its words out);
 * who said it may be NULL. */
void na_input_quote(struct na_input *in, const char *who, struct na_text said);

#endif
