/*
 * A result: a tree of named values that every output (table, JSON, CSV,
 * Markdown, picture) reads.  An analysis fills the object na_result_body();
 * the command line adds the envelope (inputs, coverage, ...) around it.
 *
 * A result owns all its nodes and copies every string.  When memory runs
 * out the builders return NULL and do nothing with a NULL parent, and
 * na_result_ok() says false: look once, at the end.
 *
 * JSON names and shapes: `netan help --schema COMMAND`.
 */
#ifndef NETAN_RESULT_RESULT_H
#define NETAN_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/str.h"

enum na_value_kind {
	NA_V_NULL,
	NA_V_BOOL,
	NA_V_INT,
	NA_V_ID, /* unsigned, 64 bits: a name more than a number */
	NA_V_REAL,
	NA_V_TEXT,
	NA_V_OBJECT, /* named members, in order */
	NA_V_LIST,   /* members without names */
	NA_V_REALS,  /* packed doubles; NaN reads null */
	NA_V_ROWS    /* packed list of objects of integers */
};

struct na_value {
	enum na_value_kind kind;
	bool packed, in_row;   /* na_put_packed(): the list; what is in it */
	uint16_t name_no;      /* the result's own */
	const char *name;      /* member name; NULL inside a list */
	struct na_value *next; /* sibling */
	size_t n;              /* members, packed doubles or rows */
	union {
		bool flag;
		int64_t i;
		uint64_t id;
		double d;
		const char *text;
		double *reals;
		struct {
			struct na_value *first, *last;
		} of; /* na_items() reads it */
		struct {
			struct na_value *none; /* as if it were empty */
			struct na_pack *pack;
		} many; /* of a packed list */
		struct {
			const int64_t *cells; /* [n][fields] */
			const char *const *fields;
		} rows;
	} u;
};

/* How bad something is: what a check finds, what --fail-on asks, how loud the
 * title of a view is in colour. */
enum na_severity { NA_SEV_NONE, NA_SEV_INFO, NA_SEV_WARNING, NA_SEV_ERROR };

/* "info", "warning", "error"; NULL for none. */
const char *na_severity_name(enum na_severity severity);

/* How a column is printed for people.  CSV ignores it. */
enum na_format {
	NA_F_DECLARED, /* as the row of its member says (member.h) */
	NA_F_TEXT,     /* left-aligned, escaped */
	NA_F_COUNT,    /* integer */
	NA_F_NUMBER,   /* `digits` significant digits */
	NA_F_FIXED,    /* `digits` digits after the point */
	NA_F_PLAIN,    /* no more than `digits`, whole parts whole; its header
			  ends in no unit */
	NA_F_FACTOR,   /* of a natural logarithm: as NA_F_NUMBER, e to it */
	NA_F_TIMES,    /* of a ratio: as NA_F_NUMBER, "1.53x" */
	NA_F_CHANCE,   /* a probability: na_print_chance() */
	NA_F_NAMES,  /* of a list of more than three texts: "a, b and 6 more" */
	NA_F_LENGTH, /* of a list: how many */
	NA_F_RANKS,  /* text: a list of ranks "0,1,2,3" is "0-3" */
	NA_F_WORDS,  /* text: a word of the schema, "few_large", as others are
			written */
	NA_F_JSON    /* text: JSON, in words */
};

struct na_column {
	const char *field;  /* member of each row; "key.host" and
			       "hosts.0.name" dig */
	const char *header; /* with the unit: "p99 us"; NULL: as declared */
	enum na_format format;
	int digits;
	double scale; /* printed = value * scale; 0 means 1; below 0: value
			 / -scale, since a thousandth is no double */
};

/* Empty; NULL when memory is short.  Freed with all its values; NULL is
 * none.  False after any builder ran out of memory. */
struct na_result *na_result_new(void);
void na_result_free(struct na_result *r);
bool na_result_ok(const struct na_result *r);

/* The whole JSON document; its member "result"; and a tree that is printed
 * in tables and read by figures but is not part of the JSON. */
struct na_value *na_result_doc(struct na_result *r);
struct na_value *na_result_body(struct na_result *r);
struct na_value *na_result_side(struct na_result *r);

/*
 * What a result says of itself beside its members: to the command line and to
 * pictures.  Words are copied; NULL takes a word back.
 */
enum na_word {
	NA_WORD_MESSAGE,   /* what was found: title of the picture */
	NA_WORD_TITLE,     /* of the picture, which shows the rest of it */
	NA_WORD_SUBTITLE,  /* of the picture, instead of the inputs */
	NA_WORD_SCOPE,     /* what of the inputs was asked for: "host-3" */
	NA_WORD_EMPTY,     /* why there is nothing to show */
	NA_WORD_HINT,      /* what would help then */
	NA_WORD_NOUN,      /* one of what was used: "packet" */
	NA_WORD_SIDES,     /* behind it: " (sends and receives)" */
	NA_WORD_LEFT_NOUN, /* one of what was left out, if it is another */
	NA_WORD_HOST,      /* what a host is, where it is none: "rank" */
	NA_WORD_PICTURE,   /* which of its pictures -o draws */
	NA_WORD_UNDRAWN,   /* why there is none: what to use instead */
	NA_WORD_DOUBT,     /* why the verdict is no finding; NULL: it is */
	NA_N_WORDS
};
void na_result_word(struct na_result *r, enum na_word which, const char *text);
void na_result_wordf(struct na_result *r, enum na_word which, const char *fmt,
		     ...) NA_PRINTF(3, 4);
const char *na_result_get_word(const struct na_result *r, enum na_word which,
			       const char *fallback);
/* A text that the result keeps; s, which grows, is freed.  Never NULL: "" when
 * memory is short. */
const char *na_result_keep(struct na_result *r, struct na_str *s);
/* Another message, which stands over the first view, too. */
void na_result_retitle(struct na_result *r, const char *title);

/* Numbers beside the members. */
struct na_about {
	bool runs_apart;   /* runs stand side by side, not added up */
	bool anchor_idle;  /* no time depends on the anchor */
	const char *hosts; /* what stands for them, "rank", where nothing tells
			      the hosts of ranks; NULL: they are hosts */
	bool part_limited; /* a capacity is of a part of what the rates hold */
	/* Counted by the analysis itself, in its own noun; below 0: by the
	 * envelope. */
	int64_t left_out, filtered;
};
struct na_about *na_result_about(struct na_result *r);
const struct na_about *na_result_get_about(const struct na_result *r);
/* By what the analysis counts itself, if it does, else by the coverage. */
uint64_t na_result_left_out(const struct na_result *r);

/*
 * Builders: append a member to an object (name given) or a list (NULL).
 * Names and texts are copied.  Values are in the unit that the name ends in.
 */
struct na_value *na_put_object(struct na_result *r, struct na_value *in,
			       const char *name);
struct na_value *na_put_list(struct na_result *r, struct na_value *in,
			     const char *name);
/*
 * A list of objects of which there may be a million: each is kept in few bytes
 * (pack.h).  A row is complete, and its nodes go, when another such row of the
 * result begins or the list is read; na_each_row() reads without more memory.
 */
struct na_value *na_put_packed(struct na_result *r, struct na_value *in,
			       const char *name);
void na_put_null(struct na_result *r, struct na_value *in, const char *name);
void na_put_bool(struct na_result *r, struct na_value *in, const char *name,
		 bool v);
void na_put_int(struct na_result *r, struct na_value *in, const char *name,
		int64_t v);
void na_put_id(struct na_result *r, struct na_value *in, const char *name,
	       uint64_t v);
/* More than INT64_MAX, which nothing real counts, is that. */
void na_put_count(struct na_result *r, struct na_value *in, const char *name,
		  uint64_t n);
/* NaN and infinities become null. */
void na_put_real(struct na_result *r, struct na_value *in, const char *name,
		 double v);
/* NULL becomes null. */
void na_put_text(struct na_result *r, struct na_value *in, const char *name,
		 const char *v);
void na_put_textf(struct na_result *r, struct na_value *in, const char *name,
		  const char *fmt, ...) NA_PRINTF(4, 5);
/* n zeroed doubles for the caller to fill; NULL when memory is short. */
double *na_put_reals(struct na_result *r, struct na_value *in, const char *name,
		     size_t n);

/*
 * A list of n objects, each with the same integer members, where one node
 * for each would be too large.  Borrowed until the result is freed: cells
 * row by row, and the names, which end with a NULL.
 */
void na_put_rows(struct na_result *r, struct na_value *in, const char *name,
		 const char *const *fields, const int64_t *cells, size_t n);
/* Another name for a value of the same result, with all its members; of a row
 * that is walked a copy. */
void na_put_alias(struct na_result *r, struct na_value *in, const char *name,
		  const struct na_value *v);
/* So many rows more that nobody shows: counted alone. */
void na_put_more_rows(struct na_value *list, size_t more);
/* A block from malloc() that the result frees from now on, whatever
 * happens; NULL is none. */
void na_result_adopt(struct na_result *r, void *block);

/*
 * Every text of a complete result, titles and notes too, becomes what `to`
 * makes of it: from malloc(), or NULL where memory is short.  It is told the
 * member whose value the text is, "" for the header of a column, else NULL.
 * Names of members stay.  What has two names (na_put_alias) is asked twice.
 */
void na_result_retext(struct na_result *r,
		      char *(*to)(void *ctx, const char *member,
				  const char *text),
		      void *ctx);

/*
 * Readers.  All take NULL.  What they return is borrowed from the result and
 * lives as long; na_get() and na_first() walk along the members: O(members).
 * na_..._of read a value, na_..._at and na_..._or what lies along "a.b.c" in
 * an object.  Where nothing of the kind is there, _of and _or give the
 * fallback, _at NaN, 0, "" or false.  An integer reads as a number, and a
 * number as a count with its fraction cut off.
 */
const struct na_value *na_get(const struct na_value *in, const char *name);
const struct na_value *na_dig(const struct na_value *in, const char *path);
double na_real_of(const struct na_value *v, double fallback);
int64_t na_int_of(const struct na_value *v, int64_t fallback);
const char *na_text_of(const struct na_value *v, const char *fallback);

static inline bool na_is_container(const struct na_value *v)
{
	return v->kind == NA_V_OBJECT || v->kind == NA_V_LIST;
}

/* A packed list's rows as nodes like any other, from now on. */
struct na_value *na_unpacked(const struct na_value *list);

/* The members of an object or a list, none of anything else:
 *	na_for_each (v, na_get(body, "hosts")) */
static inline const struct na_value *na_items(const struct na_value *in)
{
	if (!in || !na_is_container(in))
		return NULL;
	return in->packed ? na_unpacked(in) : in->u.of.first;
}

#define na_for_each(v, in) \
	for (const struct na_value *v = na_items(in); v; v = v->next)

/*
 * The same where a list may be packed: a row and the values in it are there
 * until the next one; its texts stay with the result.  Left early (break,
 * return), room for one row stays with the result, too.  One thread at a time
 * walks a list.
 */
struct na_row_walk {
	bool going;
	const struct na_value *at;
	struct na_pack *pack; /* NULL: from `at` on */
	const struct na_pack_chunk *chunk;
	size_t used, n;
	struct na_pack_room *room;
};
struct na_row_walk na_row_walk(const struct na_value *in);
const struct na_value *na_row_next(struct na_row_walk *w); /* NULL: the end */
bool na_row_more(const struct na_row_walk *w); /* is there one after this? */
void na_row_end(struct na_row_walk *w);        /* before the end */

#define na_each_row(v, in) \
	for (struct na_row_walk walk_##v = na_row_walk(in); walk_##v.going; \
	     walk_##v.going = false) \
		for (const struct na_value *v; (v = na_row_next(&walk_##v));)

double na_number_at(const struct na_value *in, const char *path);
int64_t na_count_at(const struct na_value *in, const char *path);
const char *na_text_at(const struct na_value *in, const char *path);
bool na_flag_at(const struct na_value *in, const char *path);
double na_number_or(const struct na_value *in, const char *path,
		    double fallback);
int64_t na_count_or(const struct na_value *in, const char *path,
		    int64_t fallback);
const char *na_text_or(const struct na_value *in, const char *path,
		       const char *fallback);
/* The first member of an object or list `name`; of a list, how many. */
const struct na_value *na_first(const struct na_value *in, const char *name);
size_t na_length(const struct na_value *in, const char *name);
const double *na_reals_of(const struct na_value *v, size_t *n);
/* The packed doubles of a member, if they are at least `least`. */
const double *na_reals_at(const struct na_value *in, const char *name,
			  size_t least);
const int64_t *na_rows_of(const struct na_value *v, size_t *n);

/*
 * What a person sees without -o.  The headline is the first line; then the
 * views in order; then the notes.  A view shows the rows of a list of
 * objects, or, when `list` is an object, its members as "name value" rows
 * (cols name the members then).  `table` declares the members, where columns
 * leave to it how they look; NULL: none does.  Columns are copied.  At most
 * max_rows rows (0: all), the rest are counted below the table.
 */
struct na_table;
void na_result_headline(struct na_result *r, const char *fmt, ...)
	NA_PRINTF(2, 3);
void na_result_note(struct na_result *r, const char *fmt, ...) NA_PRINTF(2, 3);
void na_result_view(struct na_result *r, const char *title,
		    const struct na_value *list, const struct na_table *table,
		    const struct na_column *cols, size_t n_cols,
		    size_t max_rows);
/* Columns, and how many:
 *	na_result_view(r, title, list, table, NA_COLUMNS({M_host}, {M_n}), 0);
 */
#define NA_COLUMNS(...) \
	(const struct na_column[]){__VA_ARGS__}, \
		sizeof((const struct na_column[]){__VA_ARGS__}) / \
			sizeof(struct na_column)

/* A view's columns one by one, where they depend on the data; no more than
 * there is room for. */
enum { NA_MAX_COLUMNS = 20 };
struct na_columns {
	struct na_column c[NA_MAX_COLUMNS];
	size_t n;
};
/* A column as a view prints it: what it leaves open its member declares. */
struct na_column na_column_declared(const struct na_table *table,
				    const struct na_column *c);
/* How loud the title of the view that came last is, in colour. */
void na_result_tone(struct na_result *r, enum na_severity tone);
/* Words among the views: a title and lines, which '\n' ends.  A terminal
 * breaks long ones, but not "More: COMMAND" nor "Draw: COMMAND" nor "Do: on
 * HOST: COMMAND", which are for pasting. */
void na_result_text(struct na_result *r, const char *title, const char *fmt,
		    ...) NA_PRINTF(3, 4);
/* Nor any line of those words that came last. */
void na_result_whole(struct na_result *r);

#endif
