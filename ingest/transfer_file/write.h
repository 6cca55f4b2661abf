/*
 * Writing netan's transfer file (ingest/proto/netan.proto).
 *
 * A part is a sink that encodes what it is told, on a thread of its own;
 * the file takes parts in the order of the input, so that its bytes do not
 * depend on the number of threads.
 *
 *	f = na_xfer_new(write, ctx, &head, err);
 *	p = na_xfer_part_new(source);            any number, on any thread
 *	reader->read(in, block, &sink of p, err);
 *	na_xfer_part_end(p);
 *	na_xfer_append(f, p, err);               one after the other
 *	na_xfer_source_end(f, source, in, err);  after its last part
 *	na_xfer_finish(f, err);
 */
#ifndef INGEST_TRANSFER_FILE_WRITE_H
#define INGEST_TRANSFER_FILE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/input.h"
#include "ingest/transfer_file/bytes.h"
#include "ingest/transfer_file/format.h"
#include "netan/base/pseudonyms.h"
#include "netan/base/strtab.h"
#include "netan/base/vec.h"

struct na_xfer_source {
	const char *host, *label, *format, *path; /* NULL: not told */
	const char *cut;                          /* na_input.cut */
	uint64_t file_bytes;
	bool has_time, has_wall;
	int64_t first_ns, zero_ns, profile_start_ns, profile_stop_ns;
	uint64_t n_devices;
	/* Of GPU jobs: a file of ranks, whose, of how many; -1: not told. */
	bool ranks, on_cpus, has_tpus, has_gpus;
	enum na_told told;
	int32_t rank, world_size;
	int64_t pid;
	uint64_t content_bytes, content_hash; /* na_input.content_bytes */
};

struct na_xfer_head {
	const struct na_xfer_source *sources; /* borrowed for the call */
	size_t n_sources;
	int64_t created_unix_ns;
	/* For the names in texts, and addresses; hosts and paths of the
	 * sources have theirs.  NULL: all names stay. */
	struct na_pseudonyms *pseudonyms;
	/* Stands for the options that it was made with, and where paths tell
	 * nothing, for the content of the sources. */
	uint64_t asked;
};

/* ---- one thread's part */

struct na_xfer_part;
struct na_xfer_part *na_xfer_part_new(uint32_t source);
/* One that takes over the room of p, which has ended; what p has encoded
 * stays with it.  NULL: no memory, and p keeps all. */
struct na_xfer_part *na_xfer_part_heir(struct na_xfer_part *p);
/* An heir begins. */
void na_xfer_part_begin(struct na_xfer_part *p, uint32_t source);
void na_xfer_part_free(struct na_xfer_part *p);
struct na_sink na_xfer_part_sink(struct na_xfer_part *p);
/* Called on the part's thread when a block of it is encoded and may be
 * appended: a whole capture is one block of work. */
void na_xfer_part_tell(struct na_xfer_part *p,
		       void (*full)(void *ctx, struct na_xfer_part *p),
		       void *ctx);
/* Encodes what is not yet; NA_ENOMEM. */
enum na_status na_xfer_part_end(struct na_xfer_part *p) NA_MUST_CHECK;

/* ---- the file */

struct na_xfer_counts {
	uint64_t bytes, blocks;
	uint64_t transfers, others;           /* records */
	uint64_t transfer_bytes, other_bytes; /* their sections, packed */
	uint64_t kinds[XF_N_KINDS];           /* enum na_xf_section */
};

typedef enum na_status (*na_xfer_write)(void *ctx, const void *p, size_t n,
					struct na_err *err);
struct na_xfer_file;
/* What a transfer file tells of how it was made. */
struct na_xfer_made {
	/* It is there and whole to its last checksum, by this version, with
	 * these options, of these paths (or of what they are today, spelt
	 * otherwise) of these sizes and labels. */
	bool same;
	bool damaged; /* it (or it is none), or what it was made of */
	bool alone;   /* its sources neither are captures nor hold ranks:
			 nothing in it depends on other inputs */
	/* Whole or not, it has sources of these paths, of others.  One that is
	 * anonymous is of these when `asked` is the same. */
	bool of_these, of_others;
};
struct na_xfer_made na_xfer_made_of(const char *path,
				    const struct na_xfer_head *head);
/* Of one that is open: another may have its name by now. */
struct na_xfer_made na_xfer_made_in(const struct na_input *in,
				    const struct na_xfer_head *head);
/* The paths of its sources, until `see` is false; of none when it is no
 * transfer file, or anonymous. */
void na_xfer_each_path(const char *path,
		       bool (*see)(void *ctx, const char *from), void *ctx);
/* The first of them, from malloc(); NULL: there is none. */
char *na_xfer_made_from(const char *path);
/*
 * `in` is open over a file of one source that has these, from now on as the
 * trace at `path` that it was made from: it is called so, has its format, its
 * size and what tells copies of it.  False: it is over no such file, or there
 * is no memory.
 */
bool na_xfer_stand_in(struct na_input *in, const char *path);
struct na_xfer_file *na_xfer_new(na_xfer_write write, void *ctx,
				 const struct na_xfer_head *head,
				 struct na_err *err);
void na_xfer_free(struct na_xfer_file *f);
/* Takes the encoded blocks out of the part, which may go on. */
enum na_status na_xfer_append(struct na_xfer_file *f, struct na_xfer_part *p,
			      struct na_err *err) NA_MUST_CHECK;
enum na_status na_xfer_source_end(struct na_xfer_file *f, uint32_t source,
				  struct na_input *in,
				  struct na_err *err) NA_MUST_CHECK;
enum na_status na_xfer_finish(struct na_xfer_file *f,
			      struct na_err *err) NA_MUST_CHECK;
const struct na_xfer_counts *na_xfer_counted(const struct na_xfer_file *f);

/*
 * An anonymous file of ours, whole, once more: what was written before a name
 * became known, which a text behind it told, is without that name, too.
 * *bytes: how long it has become.  NA_ENOMEM, or as `write`.
 */
enum na_status na_xfer_hide_again(const void *p, size_t n,
				  struct na_pseudonyms *names,
				  na_xfer_write write, void *ctx,
				  uint64_t *bytes,
				  struct na_err *err) NA_MUST_CHECK;

/* ---- between the two */

struct na_xf_endpoint {
	int32_t slice, device;
	uint32_t address; /* of the part's names; NA_NO_NAME: a device */
};

/* One block, but for the names that only the file can settle. */
struct na_xf_encoded {
	struct na_xf_bytes sections, counts, strings;
	NA_VEC(struct na_xf_endpoint) endpoints;
	size_t n_strings;
	uint64_t kinds[XF_N_KINDS], packed[XF_N_KINDS], records;
	struct na_xf_encoded *next;
};

struct na_xf_encoded *na_xf_part_take(struct na_xfer_part *p, uint32_t *source,
				      const struct na_strtab **names);
void na_xf_encoded_free(struct na_xf_encoded *e);

#endif
