/*
 * What a path of an output stands for, before anything is opened: the one rule
 * of -o, of --ledger and of the sandbox.
 *
 * A regular file, or nothing yet, is written beside and renamed; symbolic
 * links are followed, also one that leads to nothing yet.  An open descriptor
 * (/dev/stdout, /dev/fd/N, /proc/self/fd/N) is written through the descriptor,
 * as whoever opened it wants it.  All else that is there is written in place.
 */
#ifndef NETAN_CLI_OUTPUT_PLACE_H
#define NETAN_CLI_OUTPUT_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "netan/base/err.h"

enum na_place_kind {
	NA_PLACE_FILE,
	NA_PLACE_OPEN,   /* a descriptor of this process */
	NA_PLACE_DEVICE, /* or a pipe, a socket, a descriptor of others */
	NA_PLACE_FOLDER,
};

struct na_place {
	enum na_place_kind kind;
	char *path; /* where links lead to: what is there, or would be made */
	int fd;     /* of NA_PLACE_OPEN */
	bool there;
	struct stat info; /* when it is there */
};

/* NA_EIO: links that go round, or what a folder of devices does not have.
 * To be freed, also after a failure. */
enum na_status na_place_find(struct na_place *p, const char *path,
			     struct na_err *err) NA_MUST_CHECK;
void na_place_free(struct na_place *p);

/* What fails is as NA_PLACE_FILE. */
enum na_place_kind na_place_kind(const char *path);
/* "-", or a descriptor that is standard output, or leads to the same. */
bool na_is_stdout(const char *path);

#endif
