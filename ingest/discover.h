/*
 * From what a user names to the files to read: a file stands for itself, a
 * directory is an XProf session (every *.xplane.pb* in it), else the ranks of
 * a GPU job (*.trace.json, *rank*.json, *worker*.json, *.sqlite), else what captures
 * (*.pcap, *.pcapng, *.cap) and transfer files (*.netan) are in it, packed or
 * not, else a log directory with plugins/profile/<run>/ below it (the newest
 * run), else the ranks of a GPU job in directories below it (job/kineto/,
 * job/recorder/): to a bounded depth, and not through links.  Captures take
 * with them the one run below, or these ranks; which of several runs they are
 * of, or whether a transfer file was made of it, is not told: then the note
 * names what is left out.
 */
#ifndef INGEST_DISCOVER_H
#define INGEST_DISCOVER_H

#include "netan/base/arena.h"
#include "netan/base/err.h"

enum {
	NA_DISCOVER_DEPTH = 3,
	NA_DISCOVER_BELOW = 4096 /* directories that are looked into */
};

struct na_found {
	const char **paths; /* sorted by name */
	size_t n, cap;
	const char *note;  /* a choice that was made, or NULL */
	const char *named; /* what it calls by name: none of the paths */
};

/*
 * Paths live in the arena, but for `path` itself, which is borrowed; the
 * array is the caller's (free), also after a failure.  What is in *out before
 * does not count.  A path that is no directory, and "-", is taken as it is,
 * there or not.  In a directory, names with a dot in front are passed over;
 * nothing is opened but directories.
 * NA_EIO: a directory cannot be read, or holds nothing of this; NA_ENOMEM.
 */
enum na_status na_discover(const char *path, struct na_arena *a,
			   struct na_found *out,
			   struct na_err *err) NA_MUST_CHECK;

/* Host name by file name: base name without ".xplane.pb" and packing
 * (*from_name says whether it had that form), or other endings; without one
 * that is known, what stands before the first dot.  In the arena; NULL: no
 * memory. */
const char *na_host_of_path(const char *path, struct na_arena *a,
			    bool *from_name);

#endif
