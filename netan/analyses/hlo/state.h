/* What the parts of the comparison of programs share. */
#ifndef NETAN_ANALYSES_HLO_STATE_H
#define NETAN_ANALYSES_HLO_STATE_H

#include "netan/analyses/hlo/hlo.h"

enum { NA_PROGRAM_VERDICT_BUF = 1600 };

/* The group that the others of a module are compared with. */
static inline const struct na_program_group *
na_program_most(const struct na_programs *p,
		const struct na_program_difference *d)
{
	return &p->groups.v[d->first_group + d->n_groups - 1];
}

/* absent.c */
/* By worker, the number of the last question that it was counted in. */
struct na_program_marks {
	uint32_t *name, *slot, next;
};

/* How many workers these copies are of, each marked. */
uint32_t na_program_count_workers(const struct na_program_copy *c, size_t n,
				  uint32_t *seen, uint32_t mark);
/* Copies [i, end) are those of one name: who has none. */
enum na_status na_program_absent_name(struct na_programs *p, size_t i,
				      size_t end, struct na_program_marks *m,
				      struct na_err *err) NA_MUST_CHECK;
/* Of copies [i, half) in one form and [half, end) in the other: is there
 * nobody who has both? */
enum na_status na_program_other_form(struct na_programs *p, size_t i,
				     size_t half, size_t end,
				     struct na_program_marks *m,
				     struct na_err *err) NA_MUST_CHECK;
/* Copies [i, end) of odd: who of the workers of the name, marked in of_name,
 * has none of this ordinal. */
enum na_status na_program_absent_slot(struct na_programs *p, size_t i,
				      size_t end, const uint32_t *of_name,
				      uint32_t name_mark, uint32_t *seen,
				      uint32_t mark,
				      struct na_err *err) NA_MUST_CHECK;
/* The same programs under other names; then in their order. */
enum na_status na_program_finish_absences(struct na_programs *p,
					  struct na_err *err) NA_MUST_CHECK;

/* result.c */
/* The distinct workers of copies, in their order; to be freed. */
uint32_t *na_program_workers(const struct na_program_copy *c, size_t n,
			     size_t *out);
const char *na_program_text(const struct na_programs *p, uint32_t name);
const struct na_program_copy *
na_program_holders(const struct na_programs *p,
		   const struct na_program_absence *x);

void na_program_put_fingerprint(struct na_result *r, struct na_value *in,
				uint64_t fingerprint);
void na_program_put_nulls(struct na_result *r, struct na_value *in,
			  const char *const *names, size_t n);

/* collectives.c: members of the row of a module, and the same once
 * more into the list `flat`. */
void na_program_put_collectives(const struct na_programs *p,
				struct na_result *r, const struct na_program *x,
				struct na_value *row, struct na_value *flat);

/* What of the collectives of module `a` (with another shape, group, channel
 * or name) is not in `b`: how many, and the first few as texts into the list
 * `name` of `in`. */
size_t na_program_put_only(const struct na_programs *p, struct na_result *r,
			   struct na_value *in, const char *name,
			   const struct na_hlo_module *a,
			   const struct na_hlo_module *b);

/* words.c: the answer in one line. */
void na_program_verdict(const struct na_programs *p, char *text, size_t size);
/* What to do about it. */
void na_program_notes(const struct na_programs *p, struct na_result *r);

#endif
