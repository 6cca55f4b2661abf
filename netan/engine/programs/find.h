/*
 * Which files hold HLO modules, and whose they are.
 */
#ifndef NETAN_ENGINE_PROGRAMS_FIND_H
#define NETAN_ENGINE_PROGRAMS_FIND_H

#include <stdbool.h>

#include "netan/base/arena.h"
#include "netan/base/err.h"
#include "netan/engine/request.h"

struct na_hlo_file {
	const char *path;  /* "-": standard input */
	const char *owner; /* the directory, or the file given by itself */
	const char *given; /* the input that it comes from */
	const char *label; /* of the --label before it, or NULL */
	const char *name;  /* of the worker; a trace may know better */
	bool named;        /* by its label alone */
	bool in_session;   /* a trace by its name */
	bool listed;       /* found in a directory */
};

struct na_hlo_files {
	struct na_hlo_file *items;
	size_t n, cap;
};

/* As struct na_found says. */
struct na_hlo_choice {
	const char *note, *named;
};

/*
 * What an input stands for, to the end of f: itself, the traces of a session
 * (*choice: which run, or NULLs), or all dumps below a directory by
 * their endings (.pb .txt .hlo, packed or not; na_hlo_walk()).  More than
 * NA_HLO_FILES_MAX in all: NA_ELIMIT.  NA_EIO with a message; texts live in the
 * arena.
 */
enum na_status na_hlo_find(const struct na_request_input *in,
			   struct na_arena *a, struct na_hlo_files *f,
			   struct na_hlo_choice *choice,
			   struct na_err *err) NA_MUST_CHECK;

/* Workers are called by what tells their owners apart: of "a/h1/dump" and
 * "a/h2/dump" h1 and h2; behind a label, where one stands for several. */
enum na_status na_hlo_name_workers(struct na_hlo_files *f, struct na_arena *a,
				   struct na_err *err) NA_MUST_CHECK;

#endif
