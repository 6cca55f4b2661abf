/*
 * HLO modules of all inputs of a command line: traces, dump files, dump
 * directories, standard input.  A trace's host is a worker, a directory that
 * holds dumps is one, and a dump file that is given by itself.
 */
#ifndef NETAN_ENGINE_PROGRAMS_READ_H
#define NETAN_ENGINE_PROGRAMS_READ_H

#include "netan/engine/session/session.h"
#include "netan/model/hlo.h"

/* A trace, a file, or all dumps of a directory. */
struct na_hlo_source {
	const char *path, *label;
	const char *format;  /* "xspace", "hlo"; NULL: could not be read */
	const char *host;    /* the worker; NULL: none */
	uint64_t file_bytes; /* of the files that were read */
	size_t files, passed_over; /* files that are no module */
	size_t modules;
	const char **warnings;
	size_t n_warnings, cap_warnings;
};

/* Instructions, about 120 bytes each with their texts, that are kept of
 * different programs; of further ones only the fingerprints. */
enum { NA_HLO_KEPT_MAX = 1 << 24 };

struct na_hlo_reading {
	const struct na_request *request;
	struct na_arena arena;
	struct na_hlo hlo; /* of equal modules, only one keeps its
			      instructions */
	struct na_hlo_source *sources;
	size_t n_sources, cap_sources;
	const char **notes;
	size_t n_notes, cap_notes;
	bool damaged;  /* something could not be read, or in part */
	bool only_one; /* file: what is wrong with it is the whole story */
	bool said;     /* and was told */
	bool no_dump;  /* something was read, but is no dump */
	size_t bare;   /* traces without a module; the first one's text */
	const char *first_bare;
	struct seen {  /* modules with their instructions, by hash */
		uint32_t *slots; /* index + 1; 0 is free */
		size_t n, n_slots;
		size_t instructions; /* kept */
	} seen;
};

/* Says what is wrong itself; NA_OK where there is a module at all.
 * na_hlo_reading_close() is due in any case. */
enum na_status na_hlo_reading_open(struct na_hlo_reading *x,
				   const struct na_request *q) NA_MUST_CHECK;
void na_hlo_reading_close(struct na_hlo_reading *x);

#endif
