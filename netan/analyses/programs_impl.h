/* What the parts of the comparison of programs share. */
#ifndef NETAN_ANALYSES_PROGRAMS_IMPL_H
#define NETAN_ANALYSES_PROGRAMS_IMPL_H

#include "netan/analyses/programs.h"

enum { PG_VERDICT_BUF = 1600 };

/* programs_result.c */
/* The distinct workers of copies, in their order; to be freed. */
uint32_t *pg_workers(const struct na_program_copy *c, size_t n, size_t *out);
const char *pg_text(const struct na_programs *p, uint32_t name);
const char *pg_form(uint8_t form);
const struct na_program_copy *pg_holders(const struct na_programs *p,
					 const struct na_program_absence *x);

/* programs_collectives.c: members of the row of a module, and the same once
 * more into the list `flat`. */
void pg_put_collectives(const struct na_programs *p, struct na_result *r,
			const struct na_hlo_module *m, struct na_value *row,
			struct na_value *flat);

/* programs_words.c: the answer in one line. */
void pg_verdict(const struct na_programs *p, char *text, size_t size);
/* "host-3 and host-5", "host-3, host-4 and 6 more". */
void pg_who(const struct na_programs *p, const struct na_program_copy *c,
	    size_t n, char *text, size_t size);
void pg_who_of(const struct na_programs *p, const uint32_t *workers, size_t n,
	       char *text, size_t size);
/* What to do about it. */
void pg_notes(const struct na_programs *p, struct na_result *r);

#endif
