/* A result from within: what result.c and shown.c share. */
#ifndef NETAN_RESULT_RESULT_IMPL_H
#define NETAN_RESULT_RESULT_IMPL_H

#include <stdarg.h>

#include "netan/base/arena.h"
#include "netan/base/strtab.h"
#include "netan/result/emit.h"
#include "netan/result/result.h"

struct na_result {
	struct na_arena arena;
	bool failed; /* memory ran out somewhere */
	struct na_value doc, side;
	struct na_value *body; /* last member of doc, always */
	const char *headline;
	const char *words[NA_N_WORDS];
	struct na_about about;
	struct na_view *views, **views_end, *last;
	struct na_text_line *notes, **notes_end;
	struct adopted *adopted;
	struct na_strtab names; /* of members */
	struct na_pack *packs;
	struct na_pack *open; /* the one that has an open row, if any */
};

/* NULL, and the result marked, when memory is short: room, a text, one that is
 * printed, in this arena. */
void *na_result_take(struct na_result *r, size_t size);
const char *na_result_copy(struct na_result *r, const char *s);
NA_PRINTF(3, 0)
const char *na_result_copyv(struct na_result *r, struct na_arena *arena,
			    const char *fmt, va_list ap);

#endif
