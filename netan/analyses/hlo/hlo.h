/*
 * Do all workers run the same programs?  Modules of the same name and form
 * are grouped by fingerprint; what all workers of a name have in common is
 * set aside first, so that a module that one of them compiled in addition
 * does not shift the others; the rest is compared in order.
 *
 * Not an analysis of transfers: `netan hlo` calls it with what it has read.
 */
#ifndef NETAN_ANALYSES_HLO_HLO_H
#define NETAN_ANALYSES_HLO_HLO_H

#include "netan/analyses/analysis.h"
#include "netan/analyses/hlo/diff.h"
#include "netan/base/vec.h"
#include "netan/result/result.h"

/* Groups of one module that are compared instruction by instruction. */
enum { NA_PROGRAMS_COMPARED = 32 };

/* A module of a worker. */
struct na_program_copy {
	uint64_t fingerprint;
	uint32_t name, worker; /* of na_hlo */
	uint32_t module;       /* index: order of the worker's modules */
	uint32_t ordinal;      /* among those of its name; NA_NO_NAME: all
				  workers of that name have it */
	uint8_t form;
};

/* Copies [first, first + n) of an array are one program. */
struct na_program {
	size_t first, n;
	size_t body; /* index of a module with its instructions */
	uint32_t workers;
	bool differs; /* workers have another one in its place, and that is
			 what it is compared with */
};

/* Workers that have the same one of several programs. */
struct na_program_group {
	size_t first, n; /* of na_programs.odd: by worker */
	size_t body;
	bool compared;
	struct na_program_diff diff; /* against the last group */
};

/* A module that is not the same everywhere: the largest group last, which
 * the others are compared with. */
struct na_program_difference {
	uint32_t name, ordinal;
	uint8_t form;
	bool majority; /* the last group has more than half */
	size_t first_group, n_groups, n_workers;
};

/* A module that some workers do not have. */
struct na_program_absence {
	size_t first, n; /* of na_programs.odd or .copies: who has it */
	bool odd;
	bool other_form; /* the others have it in the other form */
	uint32_t other;  /* the same program under this name, where they
			      have one; NA_NO_NAME */
	size_t n_missing;
	uint32_t *missing; /* workers; owned */
};

struct na_programs {
	const struct na_hlo *h;
	/* By name, form, fingerprint, worker; and what is not common to all
	 * workers of a name by name, form, ordinal, fingerprint, worker. */
	struct na_program_copy *copies, *odd;
	size_t n_copies, n_odd;
	NA_VEC(struct na_program) programs; /* largest first */
	NA_VEC(struct na_program_group) groups;
	NA_VEC(struct na_program_difference)
	differences; /* fewest workers
							     first */
	NA_VEC(struct na_program_absence) absences;
	enum na_severity severity;
};

/* `h` is borrowed until na_programs_fini(), which is due in any case, and not
 * changed.  NA_ENOMEM alone. */
enum na_status na_programs_compare(struct na_programs *p,
				   const struct na_hlo *h,
				   struct na_err *err) NA_MUST_CHECK;
void na_programs_fini(struct na_programs *p);

/* Into the body of r. */
void na_programs_result(const struct na_programs *p, struct na_result *r);
/* Headline, tables and notes, from the body; at most `top` rows (0: the
 * usual) of each table. */
void na_programs_views(const struct na_programs *p, size_t top,
		       struct na_result *r);

#endif
