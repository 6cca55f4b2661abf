/*
 * Text that grows by pieces, and the sentences that figures share: whose
 * data it is, and how much of it counts.
 */
#ifndef PLOT_WORDS_H
#define PLOT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "netan/result/result.h"

/* All zero at first; text always ends in a NUL, and is cut where its room
 * ends. */
struct words {
	char text[1024];
	size_t n;
};
void na_words_add(struct words *w, const char *fmt, ...) NA_PRINTF(2, 3);
/* " · " between two parts of a subtitle; nothing at its beginning. */
void na_words_break(struct words *w);

/* "runs a, b and 2 more", by their labels. */
void na_words_runs(const struct na_result *r, struct words *w);
/* What a person calls the input: "run 2026_01_05" (the session's folder) and
 * the host of its only file, the folder of several files, the name of a file,
 * the runs where labels say that there are several; and what of it was asked
 * for. */
void na_words_inputs(const struct na_result *r, struct words *w);
/* Runs or inputs. */
void na_words_data(const struct na_result *r, bool runs_apart, struct words *w);
/* Where the inputs of one label lie: "before/2026_01_05", the folder of the
 * log and that of the session; the folder of several files, or a file. */
void na_words_run(const struct na_result *r, const char *label,
		  struct words *w);
/* "120 034 transfers used, 3 422 left out", or what the side calls them; and
 * that captures are not among them where traces lie beside these. */
void na_words_coverage(const struct na_result *r, struct words *w);
/* "origin 2026-11-20 ... UTC", if it is known. */
void na_words_origin(const struct na_value *doc, struct words *w);
/* "14 s", as a part of its own. */
void na_words_seconds(double seconds, struct words *w);

/* The values of a group's key, "host1 / network"; or the key itself if it is
 * text.  Cut to buf [size], size above 0; "" for NULL. */
void na_words_key(char *buf, size_t size, const struct na_value *key);

/* The analysis' own sum of what --top left out: the last row, "rest" in
 * every part of its key. */
bool na_is_rest(const struct na_value *row);

#endif
