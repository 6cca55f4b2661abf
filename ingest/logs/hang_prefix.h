/*
 * What stands before a message in a log line, word by word: times,
 * severities and places in sources change from line to line, the other words
 * tell who speaks.
 */
#ifndef INGEST_LOGS_HANG_PREFIX_H
#define INGEST_LOGS_HANG_PREFIX_H

#include "ingest/logs/hang_shape.h"
#include "netan/model/logs/recorder.h"

/* How many words of `prefix`, from the first on, `text` begins with; *end is
 * where the last of them ends in the text. */
size_t na_prefix_match(struct na_text prefix, struct na_text text, size_t *end);
size_t na_prefix_words(struct na_text prefix);
/* Whether a line that goes on may repeat the first n words of it and no
 * more: a collector's part ends before a logger's time or behind a name, not
 * between a time and the name that follows. */
bool na_prefix_may_end(struct na_text prefix, size_t n);
/* Its first word is a time or the like: another message begins here. */
bool na_prefix_begins(struct na_text text);

/* The words that tell who speaks, with a blank between, cut at `room`. */
size_t na_prefix_who(struct na_text prefix, char *out, size_t room);

/* The first time in it that has a year, else the first. */
void na_prefix_time(struct na_text prefix, struct na_hang_time *t);

/* The last time in the last lines of a log that is not packed (not known: of
 * none, or standard input); and the times with a year that lines at both of its
 * ends begin with, for those that have none. */
void na_hang_ends(const char *path, struct na_hang_time *last,
		  struct na_flight_record *x);

#endif
