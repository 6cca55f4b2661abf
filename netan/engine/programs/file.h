/*
 * The HLO modules of one file, read by itself: nothing is shared, so that
 * several threads may each read one.
 */
#ifndef NETAN_ENGINE_PROGRAMS_FILE_H
#define NETAN_ENGINE_PROGRAMS_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "netan/base/arena.h"
#include "netan/base/err.h"
#include "netan/engine/programs/find.h"
#include "netan/model/hlo.h"

#define NA_HLO_LOOKED_FOR "looked for \"Hlo Proto\" on the plane \"/host:metadata\""

/* What is wrong with a file. */
struct na_hlo_told {
	struct na_hlo_told *next;
	const char *text;
	bool damaged; /* something was lost */
	bool partial; /* and the rest is there */
	bool bare;    /* a trace without a module: as many others may be */
};

struct na_hlo_piece {
	const struct na_hlo_file *file;
	FILE *copy; /* of standard input */
	char copy_path[64];
	bool unquoted; /* what inputs say in words of theirs is not */
	struct na_arena arena;
	struct na_hlo hlo; /* of one worker */
	struct na_hlo_told *told, *last_told;
	const char *format;
	const char *host; /* as a trace tells it, or NULL */
	bool host_kept;   /* whatever the file is called: na_input.host_kept */
	uint64_t file_bytes;
	bool trace;
	bool no_dump;     /* nothing of the kind */
	bool passed_over; /* and nobody said that it was */
	struct na_err err;
};

/* On the caller's thread: standard input ("-") is copied into a temporary
 * file without a name, in the order in which it is named.  `file` is borrowed
 * as long as the piece.  na_hlo_piece_fini() is due in any case. */
void na_hlo_piece_init(struct na_hlo_piece *p, const struct na_hlo_file *file,
		       bool unquoted);
/*
 * On any thread, once: the modules into p->hlo, and what is wrong with the
 * file into p->told, in order.  A file that the user named is tried as a
 * trace, then as a dump; one that stood in a directory only as a dump, and is
 * passed over when it is none.  p->err: no memory, no temporary file, standard
 * input that cannot be read; after a failure of init nothing is read.
 */
void na_hlo_piece_read(struct na_hlo_piece *p);
/* With it go its modules and texts, those of p->told and p->host too. */
void na_hlo_piece_fini(struct na_hlo_piece *p);

#endif
