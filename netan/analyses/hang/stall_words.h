/* What the sentences about stalls of ranks share; see hang.h. */
#ifndef NETAN_ANALYSES_HANG_STALL_WORDS_H
#define NETAN_ANALYSES_HANG_STALL_WORDS_H

#include "netan/analyses/hang/hang.h"
#include "netan/base/units.h"

struct na_str;

/* All texts live as long as x->phrases does; a text of nothing is "". */

const char *na_stall_name(const struct na_stalls *x, uint32_t n);
/* Of a rank; NA_NO_NAME: nothing tells it. */
uint32_t na_stall_host(const struct na_stalls *x, int32_t rank);
/* A fact as a line of a text. */
void na_stall_line(const struct na_stalls *x, struct na_str *to,
		   struct na_fact fact);
/* "rank 3", "ranks 3, 5-8 and 12" */
const char *na_stall_ranks_word(const struct na_stalls *x,
				const struct na_stall_ranks *ranks);
/* The same of those who are blamed. */
const char *na_stall_culprits(const struct na_stalls *x,
			      const struct na_stall *s);
/* The same with their host, where all are on one: "rank 3 on host-1". */
const char *na_stall_who(const struct na_stalls *x, const struct na_stall *s);

/* From the first who waits to the last time in the inputs, or so long as a log
 * says that it ran.  A dump has no time of its own: less than a second, which
 * ranks may be apart, is not a number, as where no times tell it. */
double na_stall_lasted_s(const struct na_stall *s);

/* What a rank's own recorder tells. */
struct na_stall_own {
	const struct na_fr_dump *dump;        /* NULL: there is none */
	size_t pending;                       /* have not completed */
	const struct na_fr_entry *last;       /* called; NULL: none is listed */
};
struct na_stall_own na_stall_own(const struct na_stalls *x, int32_t rank);
/* Lines on it, of culprits who never came; and on what is undecided. */
void na_stall_own_text(const struct na_stalls *x, const struct na_stall *s,
		       struct na_str *to);
void na_stall_others_text(const struct na_stalls *x, const struct na_stall *s,
			  struct na_str *to);
/* "all_reduce, 4.19 MB, BFloat16" */
const char *na_stall_calls_text(const struct na_stalls *x,
				const struct na_fr_entry *e);
/* "there is no dump of WHO", of those who are blamed. */
const char *na_stall_no_dump(const struct na_stalls *x,
			     const struct na_stall *s, const char *who);
/* What a picture is called: the one hang, in a sentence that says no more than
 * is told of it, and begins with a small letter. */
const char *na_stall_sentence(const struct na_stalls *x,
			      const struct na_stall *s);
/* "all_reduce number 155 of TENSOR_PARALLEL (ranks 4 and 5)"; of a message,
 * whose sequence is -1, without its number. */
const char *na_stall_operation(const struct na_stalls *x, uint32_t operation,
			       int64_t sequence, uint32_t group);
/* "TENSOR_PARALLEL (ranks 2 and 3)" */
const char *na_stall_group(const struct na_stalls *x, uint32_t group);
/* Of all hangs together: who is blamed, and who waits for them.  False: no
 * memory; both are the caller's in any case. */
bool na_stall_all_of(const struct na_stalls *x, struct na_stall_ranks *blamed,
		     struct na_stall_ranks *waiting);

#endif
