/*
 * netan ingest -o DIR: what lies in the directory beside the files that a call
 * writes.
 */
#ifndef NETAN_CLI_COMMANDS_INGEST_BESIDE_H
#define NETAN_CLI_COMMANDS_INGEST_BESIDE_H

#include "netan/engine/session/listing.h"

struct na_ingest_place {
	const struct na_request *q;
	const char *dir;
	const struct na_listing *list;
	const char **names;  /* of the listing's files */
	const char **sorted; /* the same */
};

/* After names are there.  False: no memory. */
bool na_ingest_sort(struct na_ingest_place *p, struct na_arena *a);
/* Removes what calls that were killed have left half written: of files that
 * this one writes; of others what is a day old, for who writes them may run on
 * another machine. */
void na_ingest_sweep(const struct na_ingest_place *p);
/* How many transfer files there are of other inputs. */
size_t na_ingest_others(const struct na_ingest_place *p);
/* Is an input already there, in a file that this call would not write?  The
 * session of the directory would have it twice.  Says so. */
bool na_ingest_say_twice(const struct na_ingest_place *p);
/*
 * Warns of files from before that no trace stands behind any more, though every
 * analysis takes them: unread[i] says of the listing's files that they cannot
 * be read and have such a file; those whose trace is gone from a folder of the
 * inputs are found.
 */
void na_ingest_say_stale(const struct na_ingest_place *p, const bool *unread);

#endif
