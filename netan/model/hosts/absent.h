/*
 * Hosts whose files are not here: their devices are named by the transfers of
 * the others, and each of them is a host of its own, for nobody says which of
 * them share one.  What shares a NIC can only be judged together, though, and
 * the files that are here often tell: where each of them holds as many devices
 * that follow each other in a slice (s5d0 to s5d3), so do the missing ones.
 */
#ifndef NETAN_MODEL_HOSTS_ABSENT_H
#define NETAN_MODEL_HOSTS_ABSENT_H

#include "netan/model/store.h"

struct na_absent_group {
	uint32_t run;
	int32_t slice, first, last; /* devices, of which it has n */
	size_t n;
	bool one_host; /* as the other files tell; else one host or several */
	bool whole;    /* no other device of the slice is known */
	/* The file that they must be from, as it is the only one that shows
	 * devices and no record of them, and they are the only ones without a
	 * file; NA_UNKNOWN_U32: none. */
	uint32_t file;
};

struct na_absent {
	uint32_t *of; /* by host: its group; NA_UNKNOWN_U32: it is here */
	struct na_absent_group *groups; /* by run, slice, device */
	size_t n, cap;
};

/* After na_store_resolve().  False: no memory; na_absent_fini() in any case.
 * O(endpoints log endpoints). */
bool na_absent_find(struct na_absent *a,
		    const struct na_store *s) NA_MUST_CHECK;
void na_absent_fini(struct na_absent *a);

/* The group of a host, or NULL. */
const struct na_absent_group *na_absent_at(const struct na_absent *a,
					   uint32_t host);

/* "host-4 (s4d0 to s4d3; its file shows no transfers)", "slice 4, whose host's
 * file is missing", "s4d0 to s4d3, of which no file is here". */
#define NA_ABSENT_BUF 200
const char *na_absent_print(char buf[NA_ABSENT_BUF],
			    const struct na_absent_group *g,
			    const struct na_store *s);

#endif
