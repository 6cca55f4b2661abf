/* What hang.c draws, from the result of `netan hang`. */
#ifndef PLOT_FIGURES_HANG_DATA_H
#define PLOT_FIGURES_HANG_DATA_H

#include <stdint.h>

#include "netan/result/result.h"
#include "plot/words.h"

enum {
	HANG_PANELS = 12,
	HANG_COLUMNS = 12, /* sequences that a panel shows */
	HANG_BEFORE = 4,   /* of them before the one in question */
	HANG_TEXT = 240
};

/* How far a rank came in an operation. */
enum hang_cell {
	CELL_COMPLETED,
	CELL_STARTED,
	CELL_QUEUED,
	CELL_NEVER,
	CELL_MISSED, /* by who is to blame */
	CELL_UNKNOWN,
	CELL_KINDS
};

/* Ranks that came equally far. */
struct hang_row {
	char who[HANG_TEXT], says[HANG_TEXT];
	bool culprit;
	enum hang_cell state;                 /* of the operation itself */
	int64_t completed, started, enqueued; /* -1: none, or not told */
};

/* A group, by the sequences around one that somebody holds. */
struct hang_panel {
	char name[HANG_TEXT], of[HANG_TEXT];
	const struct na_value *positions;
	size_t n;                   /* of them */
	bool own;                   /* the operation of a hang */
	int64_t sequence, from, to; /* -1: point-to-point */
	int64_t last;               /* called by somebody; beyond `to`: not drawn */
};

struct hang_figure {
	const struct na_result *result;
	const struct na_value *body;
	const char *empty; /* NULL: there is something to draw */
	struct hang_panel panels[HANG_PANELS];
	size_t n, columns;
};

void na_fig_hang_read(struct hang_figure *f, const struct na_result *r);
void na_fig_hang_row(const struct hang_panel *p,
		     const struct na_value *position, struct hang_row *row);
/* The rest of a panel, from a position on, as a row without cells. */
void na_fig_hang_rest(const struct na_value *from, struct hang_row *row);
/* Column k, from 0, of a row. */
enum hang_cell na_fig_hang_cell(const struct hang_panel *p,
				const struct hang_row *row, size_t k);
size_t na_fig_hang_columns(const struct hang_panel *p);

void na_fig_hang_title(const struct hang_figure *f, struct words *w);
void na_fig_hang_subtitle(const struct hang_figure *f, struct words *w);

#endif
