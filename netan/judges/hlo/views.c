/* hlo: tables for people, from the members of the result. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/judges/hlo/parts.h"

enum { DEFAULT_TOP = 20, CELL = 110, BEFORE = 8 };

static const char *text_of(const struct na_value *row, const char *name)
{
	return na_text_of(na_get(row, name), NULL);
}

static int64_t int_of(const struct na_value *row, const char *name)
{
	return na_int_of(na_get(row, name), 0);
}

/* "host-0, host-1 and 6 more", of a list of names. */
static void put_who(struct na_result *r, struct na_value *row, const char *name,
		    const struct na_value *hosts)
{
	size_t n = hosts ? hosts->n : 0, shown = n <= 3 ? n : 2, i = 0;
	char text[360] = "";
	size_t at = 0;

	for (const struct na_value *v = hosts ? hosts->u.of.first : NULL;
	     v && i < shown; v = v->next, i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.100s",
				       i ? ", " : "", na_text_of(v, ""));
	if (shown < n)
		snprintf(text + at, sizeof(text) - at, " and %zu more",
			 n - shown);
	na_put_text(r, row, name, text);
}

static void put_copy(struct na_result *r, struct na_value *to,
		     const struct na_value *row, const char *name)
{
	const struct na_value *v = na_get(row, name);

	if (v && v->kind == NA_V_INT)
		na_put_int(r, to, name, v->u.i);
	else
		na_put_text(r, to, name, na_text_of(v, NULL));
}

/* ---- who differs */

static void groups_view(struct na_result *r, const struct na_value *body,
			const char *title, size_t top)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_module, "module", NA_F_TEXT, 0, 0},
		{"who", "workers", NA_F_TEXT, 0, 0},
		{"n", "number", NA_F_COUNT, 0, 0},
		{M_fingerprint, "fingerprint", NA_F_TEXT, 0, 0},
		{M_instructions, "instructions", NA_F_COUNT, 0, 0},
		{"first", "differs at", NA_F_COUNT, 0, 0},
		{M_changed, "changed", NA_F_COUNT, 0, 0},
		{M_share, "%", NA_F_NUMBER, 3, 100},
		{M_computations, "computations", NA_F_COUNT, 0, 0},
		{M_collectives, "collectives", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), M_groups);
	const struct na_value *all = na_get(body, M_differences);

	for (const struct na_value *d = all->u.of.first; d; d = d->next) {
		const struct na_value *g = na_get(d, M_groups)->u.of.first;

		for (; g; g = g->next) {
			struct na_value *row = na_put_object(r, list, NULL);
			const struct na_value *hosts = na_get(g, M_hosts);
			const struct na_value *c = na_get(g, M_changed);

			put_copy(r, row, d, "module");
			put_who(r, row, "who", hosts);
			na_put_int(r, row, "n", (int64_t)hosts->n);
			put_copy(r, row, g, "fingerprint");
			put_copy(r, row, g, "instructions");
			if (!c)
				continue;
			na_put_int(r, row, "first",
				   na_int_of(na_dig(g, M_first_instruction
						    "." M_index),
					     0));
			na_put_int(r, row, M_changed,
				   int_of(c, "instructions"));
			na_put_real(r, row, M_share,
				    na_real_of(na_get(c, M_share), 0));
			put_copy(r, row, c, "computations");
			put_copy(r, row, c, "collectives");
		}
	}
	na_result_view(r, title, list, NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), top);
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
	const struct na_value *sides = na_dig(g,
					      M_first_instruction "." M_sides);
	const struct na_value *of[2] = {g, last};
	const struct na_value *a, *b;
	size_t same;

	if (!sides || sides->n != 2)
		return;
	a = sides->u.of.first;
	b = a->next;
	same = common(text_of(a, "text"), text_of(b, "text"));
	for (int i = 0; i < 2; i++, a = b) {
		struct na_value *row = na_put_object(r, list, NULL);

		put_copy(r, row, d, "module");
		put_who(r, row, "who", na_get(of[i], M_hosts));
		na_put_int(r, row, M_index,
			   na_int_of(na_dig(g, M_first_instruction "." M_index),
				     0));
		put_copy(r, row, a, "computation");
		put_copy(r, row, a, "name");
		put_copy(r, row, a, "opcode");
		put_excerpt(r, row,
			    text_of(a, "text") ? text_of(a, "text")
					       : text_of(a, "opcode"),
			    same);
	}
}

static void first_view(struct na_result *r, const struct na_value *body,
		       size_t top)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_module, "module", NA_F_TEXT, 0, 0},
		{"who", "workers", NA_F_TEXT, 0, 0},
		{M_index, "place", NA_F_COUNT, 0, 0},
		{M_computation, "computation", NA_F_TEXT, 0, 0},
		{M_name, "name", NA_F_TEXT, 0, 0},
		{M_opcode, "opcode", NA_F_TEXT, 0, 0},
		{M_text, "instruction, without names", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), "first");
	const struct na_value *all = na_get(body, M_differences);

	for (const struct na_value *d = all->u.of.first; d; d = d->next) {
		const struct na_value *groups = na_get(d, M_groups);

		for (const struct na_value *g = groups->u.of.first; g->next;
		     g = g->next)
			put_sides(r, list, d, g, groups->u.of.last);
	}
	if (list && list->n)
		na_result_view(r, "first instruction that differs", list, NULL,
			       cols, sizeof(cols) / sizeof(cols[0]), top);
}

static void missing_view(struct na_result *r, const struct na_value *body,
			 const char *title, size_t top)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_module, "module", NA_F_TEXT, 0, 0},
		{M_what, "what", NA_F_TEXT, 0, 0},
		{"on", "on", NA_F_TEXT, 0, 0},
		{"not_on", "not on", NA_F_TEXT, 0, 0},
		{M_other_name, "there called", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), "absent");
	const struct na_value *all = na_get(body, M_missing);

	for (const struct na_value *x = all->u.of.first; x; x = x->next) {
		struct na_value *row = na_put_object(r, list, NULL);
		const char *why = text_of(x, "why");

		put_copy(r, row, x, "module");
		na_put_text(r, row, M_what,
			    strcmp(why, "absent") == 0  ? "missing"
			    : strcmp(why, "fewer") == 0 ? "fewer copies"
							: "other form");
		put_who(r, row, "on", na_get(x, M_hosts));
		put_who(r, row, "not_on", na_get(x, M_missing));
		put_copy(r, row, x, M_other_name);
	}
	na_result_view(r, title, list, NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), top);
}

/* ---- what is there */

static void modules_view(struct na_result *r, const struct na_value *body,
			 const char *title, size_t top)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_module, "module", NA_F_TEXT, 0, 0},
		{M_fingerprint, "fingerprint", NA_F_TEXT, 0, 0},
		{M_form, "form", NA_F_TEXT, 0, 0},
		{M_instructions, "instructions", NA_F_COUNT, 0, 0},
		{M_computations, "computations", NA_F_COUNT, 0, 0},
		{M_dcn_collectives, "DCN collectives", NA_F_COUNT, 0, 0},
		{M_ici_collectives, "ICI", NA_F_COUNT, 0, 0},
		{"n", "workers", NA_F_COUNT, 0, 0},
		{"who", "which", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), "programs");
	const struct na_value *all = na_get(body, M_modules);

	for (const struct na_value *m = all->u.of.first; m; m = m->next) {
		struct na_value *row = na_put_object(r, list, NULL);

		for (size_t i = 0; i < 7; i++)
			put_copy(r, row, m, cols[i].field);
		na_put_int(r, row, "n", int_of(m, "workers"));
		put_who(r, row, "who", na_get(m, M_hosts));
	}
	na_result_view(r, title, list, NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), top);
}

static void collectives_view(struct na_result *r, const struct na_value *body,
			     size_t top)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_module, "module", NA_F_TEXT, 0, 0},
		{M_name, "op", NA_F_TEXT, 0, 0},
		{M_network, "network", NA_F_TEXT, 0, 0},
		{M_rendezvous, "rendezvous", NA_F_TEXT, 0, 0},
		{M_transfer_type, "type", NA_F_TEXT, 0, 0},
		{M_channel, "channel", NA_F_COUNT, 0, 0},
		{M_bytes, "MB", NA_F_NUMBER, 4, 1e-6},
		{M_participants, "devices", NA_F_COUNT, 0, 0},
		{M_group_size, "of a group", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */
	const struct na_value *all = na_get(body, M_collectives);
	struct na_value *list = na_put_list(r, na_result_side(r), "moved");

	/* Of different programs, those that the others are compared with. */
	for (const struct na_value *c = all->u.of.first; c; c = c->next) {
		struct na_value *row;

		if (na_get(c, M_differs)->u.flag)
			continue;
		row = na_put_object(r, list, NULL);
		for (size_t i = 0; i < sizeof(cols) / sizeof(cols[0]); i++)
			put_copy(r, row, c, cols[i].field);
	}
	if (list && list->n)
		na_result_view(r, "collectives", list, NULL, cols,
			       sizeof(cols) / sizeof(cols[0]), top);
}

static void headline(const struct na_programs *p, struct na_result *r)
{
	size_t workers = p->h->n_workers, modules = p->h->n_modules;

	na_result_headline(r, "hlo: %zu module%s of %zu worker%s, %zu distinct",
			   modules, modules == 1 ? "" : "s", workers,
			   workers == 1 ? "" : "s", p->n_programs);
}

void na_programs_views(const struct na_programs *p, size_t top,
		       struct na_result *r)
{
	const struct na_value *body = na_result_body(r);
	const char *verdict = text_of(body, "verdict");

	if (!na_result_ok(r))
		return;
	top = top ? top : DEFAULT_TOP;
	headline(p, r);
	if (p->n_differences) {
		groups_view(r, body, verdict, top);
		first_view(r, body, top);
		verdict = "missing";
	}
	if (p->n_absences)
		missing_view(r, body, verdict, top);
	modules_view(r, body,
		     p->n_differences || p->n_absences ? "modules" : verdict,
		     top);
	collectives_view(r, body, top);
	pg_notes(p, r);
}
