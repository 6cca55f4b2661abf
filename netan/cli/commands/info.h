/* What info says of packet captures, and of ranks of GPU jobs. */
#ifndef NETAN_CLI_COMMANDS_INFO_H
#define NETAN_CLI_COMMANDS_INFO_H

#include "netan/engine/session/session.h"

/* Sum of two; times become the range of both. */
void na_info_add_capture(struct na_capture_counts *to,
			 const struct na_capture_counts *x);
void na_info_put_capture(struct na_result *r, struct na_value *row,
			 const struct na_capture_counts *x);
void na_info_view_captures(struct na_result *r, const struct na_value *rows,
			   bool labels);
void na_info_note_capture(struct na_result *r,
			  const struct na_capture_counts *all, bool damaged);

/* By what steps of GPUs are told that have no line of their own. */
void na_info_note_steps(struct na_result *r, const struct na_store *store);

/* What ranks do, and how far it is joined: NULL, no memory. */
struct na_info_ranks;
struct na_info_ranks *na_info_ranks(const struct na_session *s);
void na_info_ranks_free(struct na_info_ranks *x);
/* Of input i; false: it tells of no rank. */
bool na_info_put_rank(struct na_result *r, struct na_value *row,
		      struct na_info_ranks *x, const struct na_input *in,
		      size_t i);
/* Those of all inputs by rank, into a list: once, behind the last. */
void na_info_rank_rows(struct na_result *r, const struct na_info_ranks *x,
		       struct na_value *to);
/* Which columns say whose a row is: the host only where it is told, or nothing
 * tells the rank. */
bool na_info_shows_ranks(const struct na_info_ranks *x);
bool na_info_shows_hosts(const struct na_info_ranks *x);
/* Where there are ranks. */
void na_info_put_joins(struct na_result *r, struct na_value *body,
		       const struct na_info_ranks *x);
void na_info_view_ranks(struct na_result *r, const struct na_info_ranks *x,
			const struct na_value *ranks);
/* The first line, where all inputs are of ranks. */
void na_info_say_ranks(struct na_result *r, const struct na_session *s,
		       const struct na_info_ranks *x, uint64_t events);
/* Operations and steps of input i. */
const struct na_extent *na_info_rank_seen(const struct na_info_ranks *x,
					  size_t i);

/* Of a slice, how it was cut; and which of the inputs are some. */
void na_info_put_slice(struct na_result *r, struct na_value *row,
		       const struct na_input *in);
void na_info_note_slices(struct na_result *r, const struct na_session *s);

#endif
