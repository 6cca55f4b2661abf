/* What steps.c draws, read from a result. */
#ifndef PLOT_FIGURES_STEPS_DATA_H
#define PLOT_FIGURES_STEPS_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/result/result.h"
#include "plot/theme.h"
#include "plot/words.h"

enum { STEP_LINES = 6 };     /* more hosts are a heat map */
enum { STEP_ROWS = 256 };    /* of it; beyond, hosts share a row */
enum { STEP_CELLS = 24000 }; /* bounds the picture's size */
enum { STEP_LEVELS = 8 };    /* of colour */
enum { STEP_NO_DATA = -1 };

enum step_part { PART_COMPUTE, PART_OVERLAP, PART_EXPOSED, PART_IDLE, PARTS };

struct step_line { /* a host, or a run */
	size_t at; /* in the result */
	const char *name;
	const char *cause; /* of a straggler; NULL */
	double behind_ms;
	const double *own, *late; /* ms by column; NaN: no such step */
};

struct step_change { /* of all hosts */
	double at;   /* column */
	double from_ms, to_ms;
	bool drift;
};

struct step_rows {           /* of the heat map */
	signed char *levels; /* [rows][columns], row by row */
	size_t rows, columns;
	size_t each;         /* hosts in a row */
	size_t columns_each; /* columns of the data in one of these */
	double max_ms;       /* the top level reaches up to this */
};

struct steps_figure {
	const struct na_result *result;
	const struct na_value *doc, *body, *side;
	struct step_line *lines;
	size_t n_lines, stragglers;
	bool network; /* so are the stragglers: own times do not differ */
	bool runs_apart;
	bool launches; /* of programs: nobody knows what fills them */
	size_t n;      /* columns */
	double first, each;
	bool by_order;
	const double *part[PARTS]; /* means of all hosts; NULL: none */
	double share[PARTS];       /* of the sum */
	double *mean;              /* sum of the parts; NULL: none */
	struct step_change *changes;
	size_t n_changes;
	struct step_rows map;
	const char *empty;
};

/* False: no memory. */
bool na_fig_steps_read(struct steps_figure *f, const struct na_result *r);
void na_fig_steps_free(struct steps_figure *f);
static inline bool na_fig_steps_is_map(const struct steps_figure *f)
{
	return !f->runs_apart && (f->n_lines > STEP_LINES || f->network);
}
void na_fig_steps_subtitle(const struct steps_figure *f, struct words *w);
/* A straggler by what it does itself: whose transfers take longest may only wait
 * for another one. */
bool na_fig_steps_is_itself(const struct step_line *x);
/* Its name, and of a straggler why and how far it is behind. */
void na_fig_steps_name(const struct step_line *x, struct words *w);

#endif
