/*
 * A window cut out of a file, in the file's own format (na_reader.slice).
 *
 * On the slice a command says of the window what it says on the original: the
 * origin stays, also where the first events go, and what commands look at
 * outside of the window (steps, program executions, collectives that are
 * counted from the beginning) stays, too.
 */
#ifndef INGEST_SLICE_H
#define INGEST_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/base/arena.h"
#include "netan/base/err.h"
#include "netan/base/opt.h"
#include "netan/base/scan.h"
#include "netan/base/str.h"
#include "netan/model/sink.h"

struct na_around;
struct na_input;
struct na_masks;
struct na_pseudonyms;

/*
 * What a slice says of itself, in the words of its command line: "cut by netan
 * slice --from 10s --to 11s of host-0.xplane.pb".  Texts; NULL: not said.
 */
struct na_slice_mark {
	const char *from, *to, *step;
	bool packets_alone; /* of connections nothing from beyond the window */
	bool damaged;       /* so was the file that it was cut from */
	bool other_hosts;   /* hosts were left out, and their files */
	bool other_packets; /* of a capture some were: --host, --filter */
	bool no_programs;   /* its HLO modules were left out */
	const char *of; /* what the file was called that it was cut from */
};
extern const char na_slice_said[]; /* how it begins */
void na_slice_mark_print(struct na_str *to, const struct na_slice_mark *m);
/* "--from 10s --to 11s" */
void na_slice_print_window(struct na_str *to, const struct na_slice_mark *m);
/* Does a file say that it is a slice?  Then in->cut is that. */
bool na_slice_take_mark(struct na_input *in, struct na_text said) NA_MUST_CHECK;
/* Texts in the arena; what is no time and no step is as if it were not said.
 * False: no memory. */
bool na_slice_mark_read(struct na_slice_mark *m, const char *said,
			struct na_arena *a) NA_MUST_CHECK;
/* "N" or "N-M". */
bool na_slice_parse_steps(const char *s, int64_t *first, int64_t *last);

/* What is kept.  Times are picoseconds since the origin. */
struct na_slice {
	int64_t from_ps, to_ps; /* [from, to): what was asked for */
	/* Beyond it, what belongs to executions and steps that meet it. */
	int64_t wide_from_ps, wide_to_ps;
	bool no_programs; /* leave out HLO modules */
	/* Captures: whole connections, of those that meet it; NULL: what is in
	 * the window alone. */
	struct na_around *around;
	uint32_t file; /* there */
	bool seeks; /* nothing is written: `around` is told; and what is damaged */
	/* Captures: only packets with such an address; NULL or empty: all. */
	const struct na_text_list *addresses;
	struct na_pseudonyms *names; /* instead of those of hosts, or NULL */
	struct na_masks *masks; /* with them: of addresses in packets */
	/* Nothing is written: names and addresses are told to these two. */
	bool learns;
	const char *said;            /* how it was cut, for people */
	const char *host;            /* whose file it is, as it is shown */
	/* A reader that knows an event by its records tells them, and asks:
	 * are they, all since it asked last, of the slice? */
	const struct na_sink *sink;
	enum na_sliced_as {
		NA_SLICED_NOTHING,
		NA_SLICED_IN,
		NA_SLICED_OUT
	} (*verdict)(void *ctx);
	void *ctx;
	/* The slice comes in pieces, in order; what it says but NA_OK ends
	 * it.  While it is sought, pieces of no bytes ask whether to go on. */
	enum na_status (*put)(void *ctx, const void *p, size_t n,
			      struct na_err *err);
	void *put_ctx;
};

struct na_slice_counts {
	uint64_t of_events; /* in the file; of captures: packets */
	uint64_t events;    /* in the slice, of which so many meet [from, to) */
	uint64_t inside;
	uint64_t around; /* captures: of connections, beyond the window */
};

/* What a file is opened for before it is cut. */
#define NA_WANT_SLICED \
	(NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_ACTIONS | \
	 NA_WANT_STEPS | NA_WANT_KERNELS | NA_WANT_COUNTS | NA_WANT_MODULES | \
	 NA_WANT_OPS | NA_WANT_BUSY | NA_WANT_HOST_EVENTS | NA_WANT_COMMS)

/* Whether [start, end], on the file's clock, meets [from, to); an instant at
 * `from` does. */
static inline bool na_slice_meets(int64_t start_ps, int64_t end_ps,
				  int64_t from_ps, int64_t to_ps)
{
	return end_ps >= from_ps && start_ps < to_ps;
}

#endif
