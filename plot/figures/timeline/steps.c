#include "plot/figures/timeline/steps.h"
#include "members.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"

size_t na_steps_count(const struct na_value *body)
{
	const struct na_value *steps = na_get(body, M_steps);

	return steps && steps->kind == NA_V_LIST ? steps->n : 0;
}

struct step_name {
	char text[24];
};

NA_ORDER(by_place, struct na_mark, NA_UP(at), strcmp(x->name, y->name))

/*
 * From left to right, one mark for a step that several devices have begun
 * at about the same time.  Steps are named by text or by number; numbers
 * are written to names.  Returns how many.
 */
static size_t mark_steps(const struct na_value *body, const struct na_scale *x,
			 struct na_mark *marks, struct step_name *names)
{
	const struct na_value *v = na_get(body, M_steps)->u.of.first;
	size_t n = 0, kept = 0;

	for (; v; v = v->next) {
		const struct na_value *step = na_get(v, M_step);
		double from = na_number_at(v, M_from_s);

		/* The one that was running when the picture begins. */
		if (from < x->from && na_number_at(v, M_to_s) > x->from)
			from = x->from;
		if (!isfinite(from))
			continue;
		snprintf(names[n].text, sizeof(names[n].text), "%" PRId64,
			 na_int_of(step, 0));
		marks[n].at = na_scale_at(x, from);
		marks[n].name = na_text_of(step, names[n].text);
		n++;
	}
	na_sort(marks, n, by_place);
	for (size_t i = 0; i < n; i++) {
		if (!kept || strcmp(marks[kept - 1].name, marks[i].name) != 0)
			marks[kept++] = marks[i];
	}
	return kept;
}

enum na_status na_steps_draw(const struct na_layout *l,
			     const struct na_value *body,
			     const struct na_scale *x, struct na_box box,
			     struct na_err *err)
{
	size_t n = na_steps_count(body);
	struct na_mark *marks = na_calloc(n, sizeof(*marks));
	struct step_name *names = na_calloc(n, sizeof(*names));
	bool ok = marks && names;

	if (ok) {
		n = mark_steps(body, x, marks, names);
		na_draw_line(l->canvas, box.x0, box.y0, box.x1, box.y0,
			     NA_PEN(l, l->theme->axis, 1));
		na_marks(l, "step", marks, n, box);
	}
	free(marks);
	free(names);
	return ok ? NA_OK : na_fail_nomem(err);
}
