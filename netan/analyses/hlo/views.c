/* hlo: tables for people, from the members of the result. */
#include <string.h>

#include "members.h"
#include "netan/analyses/hlo/state.h"
#include "netan/base/str.h"

enum { DEFAULT_TOP = 20, CELL = 110, BEFORE = 8 };

/* A row of the side list `in` that has these values under these names. */
static struct na_value *put_row(struct na_result *r, struct na_value *in,
				const struct na_value *d,
				const struct na_value *g)
{
	struct na_value *row = na_put_object(r, in, NULL);

	na_put_alias(r, row, M_difference, d);
	na_put_alias(r, row, M_group, g);
	return row;
}

/* ---- who differs */

static void groups_view(struct na_result *r, const char *title, size_t top)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_groups);

	na_for_each (d, na_get(na_result_body(r), M_differences)) {
		na_for_each (g, na_get(d, M_groups))
			put_row(r, list, d, g);
	}
	na_result_view(r, title, list, &na_table_hlo_shown,
		       NA_COLUMNS({M_difference "." M_module},
				  {M_group "." M_hosts, "workers", NA_F_NAMES},
				  {M_group "." M_hosts, "number", NA_F_LENGTH},
				  {M_group "." M_fingerprint},
				  {M_group "." M_instructions},
				  {M_group "." M_first_instruction "." M_index,
				   "differs at"},
				  {M_group "." M_changed "." M_instructions,
				   "changed"},
				  {M_group "." M_changed "." M_share},
				  {M_group "." M_changed "." M_computations},
				  {M_group "." M_changed "." M_collectives}),
		       top);
}

static bool inside_rune(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The text from a little before `same` on, as far as a cell holds. */
static void put_excerpt(struct na_result *r, struct na_value *row,
			const char *text, size_t same)
{
	size_t n = text ? strlen(text) : 0, end;
	size_t at = same > BEFORE && n > CELL ? same - BEFORE : 0;

	if (!text) {
		na_put_text(r, row, M_text, "(the end)");
		return;
	}
	at = n > CELL && n - at < CELL ? n - CELL : at;
	while (at > 0 && inside_rune(text[at]))
		at--;
	end = n - at > CELL ? at + CELL : n;
	while (end > at && end < n && inside_rune(text[end]))
		end--;
	na_put_textf(r, row, M_text, "%s%.*s%s", at ? "..." : "",
		     (int)(end - at), text + at, end < n ? "..." : "");
}

static size_t common(const char *a, const char *b)
{
	size_t n = 0;

	while (a && b && a[n] && a[n] == b[n])
		n++;
	return n;
}

/* What stands at the first place that differs, on both sides; for the first
 * instruction of the program that ends there, nothing. */
static void put_sides(struct na_result *r, struct na_value *list,
		      const struct na_value *d, const struct na_value *g,
		      const struct na_value *last)
{
	const struct na_value *first = na_get(g, M_first_instruction);
	const struct na_value *own = na_first(first, M_sides);
	const struct na_value *of = g;
	size_t same;

	if (na_length(first, M_sides) != 2)
		return;
	same = common(na_text_or(own, M_text, NULL),
		      na_text_or(own->next, M_text, NULL));
	na_for_each (side, na_get(first, M_sides)) {
		struct na_value *row = put_row(r, list, d, of);

		na_put_alias(r, row, M_first, first);
		na_put_alias(r, row, M_side, side);
		put_excerpt(r, row,
			    na_text_or(side, M_text,
				       na_text_or(side, M_opcode, NULL)),
			    same);
		of = last;
	}
}

static void first_view(struct na_result *r, size_t top)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_sides);

	na_for_each (d, na_get(na_result_body(r), M_differences)) {
		const struct na_value *groups = na_get(d, M_groups);

		na_for_each (g, groups) {
			if (g->next)
				put_sides(r, list, d, g, groups->u.of.last);
		}
	}
	if (list && list->n)
		na_result_view(r, "first instruction that differs", list,
			       &na_table_hlo_shown,
			       NA_COLUMNS({M_difference "." M_module},
					  {M_group "." M_hosts, "workers",
					   NA_F_NAMES},
					  {M_first "." M_index},
					  {M_side "." M_computation},
					  {M_side "." M_name},
					  {M_side "." M_opcode}, {M_text}),
			       top);
}

static void missing_view(struct na_result *r, const char *title, size_t top)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_missing);

	na_for_each (x, na_get(na_result_body(r), M_missing)) {
		struct na_value *row = na_put_object(r, list, NULL);
		const char *why = na_text_at(x, M_why);

		na_put_alias(r, row, M_absence, x);
		na_put_text(r, row, M_what,
			    strcmp(why, "absent") == 0  ? "missing"
			    : strcmp(why, "fewer") == 0 ? "fewer copies"
							: "other form");
	}
	na_result_view(r, title, list, &na_table_hlo_shown,
		       NA_COLUMNS({M_absence "." M_module}, {M_what},
				  {M_absence "." M_hosts, "on", NA_F_NAMES},
				  {M_absence "." M_missing, "not on",
				   NA_F_NAMES},
				  {M_absence "." M_other_name}),
		       top);
}

/* ---- what is there */

static void modules_view(struct na_result *r, const char *title, size_t top)
{
	na_result_view(r, title, na_get(na_result_body(r), M_modules),
		       &na_table_hlo_modules,
		       NA_COLUMNS({M_module}, {M_fingerprint}, {M_form},
				  {M_instructions}, {M_computations},
				  {M_dcn_collectives}, {M_ici_collectives},
				  {M_workers}, {M_hosts, "which", NA_F_NAMES}),
		       top);
}

/* Of different programs, those that the others are compared with. */
static void collectives_view(struct na_result *r, size_t top)
{
	struct na_value *list = na_put_list(r, na_result_side(r),
					    M_collectives);

	na_for_each (c, na_get(na_result_body(r), M_collectives)) {
		if (!na_flag_at(c, M_differs))
			na_put_alias(r, list, NULL, c);
	}
	if (list && list->n)
		na_result_view(r, "collectives", list,
			       &na_table_hlo_collectives,
			       NA_COLUMNS({M_module}, {M_name, "op"},
					  {M_network}, {M_rendezvous},
					  {M_transfer_type}, {M_channel},
					  {M_bytes}, {M_participants},
					  {M_group_size}),
			       top);
}

static void headline(const struct na_programs *p, struct na_result *r)
{
	size_t workers = p->h->n_workers, modules = p->h->n_modules;

	na_result_headline(r, "hlo: %zu module%s of %zu worker%s, %zu distinct",
			   modules, na_plural(modules), workers,
			   na_plural(workers), p->programs.n);
}

void na_programs_views(const struct na_programs *p, size_t top,
		       struct na_result *r)
{
	const char *title = na_text_at(na_result_body(r), M_verdict);

	if (!na_result_ok(r))
		return;
	top = top ? top : DEFAULT_TOP;
	headline(p, r);
	if (p->differences.n) {
		groups_view(r, title, top);
		first_view(r, top);
		title = "missing";
	}
	if (p->absences.n)
		missing_view(r, title, top);
	modules_view(r, p->differences.n || p->absences.n ? "modules" : title,
		     top);
	collectives_view(r, top);
	na_program_notes(p, r);
}
