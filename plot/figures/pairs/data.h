/* What pairs.c draws, read from a result. */
#ifndef PLOT_FIGURES_PAIRS_DATA_H
#define PLOT_FIGURES_PAIRS_DATA_H

#include "netan/result/result.h"
#include "plot/words.h"

/* Of a cell that is no level: those that only wait accuse nobody. */
enum { CELL_NONE = -128, CELL_UNKNOWN = -127, CELL_WAITS = -126 };

/* Steps of colour on either side of 1x; one more is out of range. */
enum { LEVELS = 8, BEYOND = LEVELS + 1 };

/* Added to the level of a cell that too few transfers tell. */
enum { FEW = 2 * BEYOND + 1 };

static inline bool pairs_is_few(int level)
{
	return level > BEYOND;
}

/* Without what is added. */
static inline int pairs_shade(int level)
{
	return pairs_is_few(level) ? level - FEW : level;
}

enum { MARKS_MAX = 8, MATRICES_MAX = 4 };

/* More rows have no room for numbers. */
enum { NUMBERED_MAX = 16 };

struct pairs_mark {
	const char *kind, *name; /* "src", "dst", ...; "from host-3" */
	char words[160];
	size_t a, b;      /* nodes or racks */
	size_t rows;      /* nodes from a on */
	const char *host; /* that these are; NULL: one node */
	double excess;
	bool timeouts; /* the excess is of their number, not of time */
};

struct pairs_matrix {
	const char *label;   /* NULL: one run alone */
	size_t n, merged;    /* nodes; so many of them in one row */
	size_t m;            /* rows and columns */
	const char **names;  /* [n] */
	double *group;       /* [n] */
	const double *rack;  /* [n], NaN: none; or NULL */
	signed char *levels; /* [m * m], rows are sources */
	double *excess;      /* [m * m], NaN: none; NULL: too many to print */
	const char *measure; /* what it is the excess of */
	double most;         /* measure timeouts: of a pair; else 0 */
	size_t timeless;     /* cells that have none, as clocks differ */
	int64_t fewest;      /* transfers; fewer tell little of a cell */
	bool too_few;        /* pairs, for any to stand out */
	size_t prefix;       /* bytes that all names begin with */
	struct pairs_mark marks[MARKS_MAX];
	size_t n_marks, more_marks;
	double limit;        /* log; the figure's */
	bool hatched, unknown, waits; /* there are such cells */
	bool above, below;            /* beyond the limit */
	size_t few;                   /* those that little tells */
};

struct pairs_figure {
	const char *title, *empty, *ends; /* empty NULL: there is something */
	struct words subtitle;
	bool locality; /* given */
	double limit;  /* log; the middle of the last level */
	struct pairs_matrix matrices[MATRICES_MAX];
	size_t n, more;
};

enum na_status na_pairs_read(struct pairs_figure *f, const struct na_result *r,
			     struct na_err *err) NA_MUST_CHECK;
void na_pairs_fini(struct pairs_figure *f);

#endif
