/*
 * What the inputs of a request tell of a hang: logs, dumps of recorders and
 * answers of RAS, in files and in all that is below directories.  Traces and
 * captures among them tell nothing of it and are passed over unread.
 */
#ifndef NETAN_ENGINE_HANGS_HANGS_H
#define NETAN_ENGINE_HANGS_HANGS_H

#include "ingest/logs/files.h"
#include "netan/base/vec.h"
#include "netan/engine/request.h"
#include "netan/model/logs/hang.h"
#include "netan/model/logs/recorder.h"

/* What a user named, with the files that it stands for. */
struct na_hang_source {
	const struct na_request_input *input;
	size_t first, n; /* of the files */
	uint64_t told;   /* records and dumps */
	NA_VEC(const char *) warnings;
};

struct na_hang_reading {
	const struct na_request *request;
	/* Analyses read the inputs, too: of what is no log they speak. */
	bool beside;
	struct na_arena arena;
	struct na_log_files files;
	struct na_hang_source *sources; /* one for each input */
	struct na_hang logs;
	struct na_flight_record ranks;
	size_t traces; /* files passed over that are such, or captures */
	size_t kept;   /* of them, transfer files */
	bool damaged, said;
};

/*
 * Reads them, on all threads; says what is wrong with files itself, which is
 * no failure (`damaged`; `said`: it was the only file).  x is zero but for
 * `request` and `beside`; na_hang_reading_fini() is due in any case.
 * NA_ENOMEM; NA_EIO: interrupted.
 */
enum na_status na_hang_reading(struct na_hang_reading *x,
			       struct na_err *err) NA_MUST_CHECK;
void na_hang_reading_fini(struct na_hang_reading *x);

/* Whether an input of the request, by its path, tells something of a hang
 * that no analysis reads: logs. */
bool na_hang_reading_logs(const struct na_hang_reading *x, const char *path);

#endif
