/* collectives: which devices execute a row, and which of those that run its
 * program do not, or not as often. */
#include "netan/analyses/collectives/match.h"
#include "netan/base/order.h"

/*
 * A crew is what rows have in common: their devices, and how many executions
 * each lacks, in a text of pairs.  Most rows of a program have the same one.
 */
struct reader {
	const uint8_t *p, *end;
	uint32_t core;
	uint64_t lacks;
};

static struct reader crew_at(const struct coll_rows *rows, uint32_t crew)
{
	const struct na_interned *x = &rows->crews.names[crew];
	const uint8_t *p = (const uint8_t *)x->s;

	return (struct reader){.p = p, .end = p + x->len};
}

static bool next(struct reader *x)
{
	if (x->p == x->end)
		return false;
	x->core += (uint32_t)na_varint_number(&x->p);
	x->lacks = na_varint_number(&x->p);
	return true;
}

/* NA_NO_NAME: no memory. */
static uint32_t crew_of(struct coll_match *m)
{
	struct na_varint_pack *b = &m->text;
	uint32_t before = 0;

	b->is.n = 0;
	for (size_t i = 0; i < m->crew.n; before = m->crew.v[i++]) {
		uint32_t core = m->crew.v[i];

		na_varint_put_number(b, core - before);
		na_varint_put_number(b, m->row.most - m->parts[core].n);
	}
	return b->failed ? NA_NO_NAME
			 : na_strtab_add(&m->f->rows.crews,
					 (const char *)b->is.v, b->is.n);
}

/* The most executions, and who came last most often. */
static void count(struct coll_match *m)
{
	struct coll_matched *row = &m->row;

	row->took_part = (uint32_t)m->crew.n;
	for (size_t i = 0; i < m->crew.n; i++) {
		const struct coll_part *part = &m->parts[m->crew.v[i]];

		if (part->n > row->most) {
			row->most = part->n;
			row->took_full = 0;
		}
		row->took_full += part->n == row->most;
		if (part->last > row->last_n) {
			row->last_n = part->last;
			row->last_core = m->crew.v[i];
		}
	}
}

bool na_collectives_man(struct coll_match *m)
{
	struct coll_matched *row = &m->row;

	na_sort(m->crew.v, m->crew.n, na_order_u32);
	count(m);
	if (!m->s->by_type) {
		row->crew = crew_of(m);
		if (row->crew == NA_NO_NAME ||
		    na_triples_add(&m->teams,
				   (struct na_triple){row->program, row->crew,
						      0}) == NA_NO_TRIPLE)
			return false;
	}
	for (size_t i = 0; i < m->crew.n; i++)
		m->parts[m->crew.v[i]] = (struct coll_part){.n = 0};
	m->crew.n = 0;
	return true;
}

/* ---- who is missing */

NA_ORDER(by_program, struct na_triple, NA_UP(a), NA_UP(c))

/* All devices that run a program. */
static bool list_devices(struct coll_match *m)
{
	struct coll_rows *rows = &m->f->rows;

	for (size_t i = 0; i < m->teams.n; i++) {
		const struct na_triple *team = &m->teams.keys[i];
		struct reader x = crew_at(rows, team->b);

		while (next(&x)) {
			if (na_triples_add(&m->devices,
					   (struct na_triple){team->a, 0,
							      x.core}) ==
			    NA_NO_TRIPLE)
				return false;
		}
	}
	na_sort(m->devices.keys, m->devices.n, by_program);
	for (size_t i = 0; i < m->devices.n; i++) {
		uint32_t *n = na_vec_at(&rows->n_cores, m->devices.keys[i].a);

		if (!n)
			return false;
		++*n;
	}
	return true;
}

static bool push(struct coll_match *m, const struct coll_matched *row,
		 uint32_t core, uint64_t executions)
{
	return na_add(&m->f->missing,
		      ((struct coll_missing){.row = row->id,
					     .host = m->d->cores[core].input,
					     .who = core,
					     .executions = executions}));
}

/* The first of them, by name; `from`: where the devices of its program
 * begin. */
static bool miss(struct coll_match *m, const struct coll_matched *row,
		 const struct na_triple *from)
{
	struct reader x = crew_at(&m->f->rows, row->crew);
	bool more = next(&x), ok = true;
	size_t left = row->n_missing < COLL_MISSING_MAX ? row->n_missing
							: COLL_MISSING_MAX;

	for (size_t i = 0; ok && left && i < row->participants; i++) {
		uint32_t core = from[i].c;
		bool took_part = more && x.core == core;
		uint64_t n = took_part ? row->most - x.lacks : 0;

		more = took_part ? next(&x) : more;
		if (n < row->most && (!n || !m->s->clipped)) {
			ok = push(m, row, core, n);
			left--;
		}
	}
	return ok;
}

bool na_collectives_find_missing(struct coll_match *m)
{
	const struct coll_rows *rows = &m->f->rows;
	bool ok = list_devices(m);

	for (size_t i = 0; ok && m->devices.n && i < rows->n; i++) {
		struct coll_matched row = na_collectives_row(rows, i);
		const struct na_triple *all = m->devices.keys;
		size_t from;

		if (!row.n_missing)
			continue;
		from = NA_BOUND(k, 0, m->devices.n, all[k].a >= row.program);
		ok = miss(m, &row, &all[from]);
	}
	return ok;
}
