/*
 * The text of PyTorch/XLA in a log, line by line: metrics reports, lines of
 * the client-side profiler, analysis blocks (docs/formats.md, "PyTorch/XLA
 * logs").
 *
 * Lines may carry a prefix, all or only the first of a report; lines of
 * several processes may be mixed, told apart by their prefixes without
 * times, levels and source lines.  A log entry that holds line ends as "\n"
 * in two characters is taken apart.
 */
#ifndef INGEST_LOGS_XLA_LINES_H
#define INGEST_LOGS_XLA_LINES_H

#include "ingest/logs/lines.h"
#include "ingest/logs/xla_value.h"

struct na_xla_reader;

/* What to look for with na_lines_find(). */
extern const struct na_needles na_xla_needles;

enum na_status na_xla_reader_open(struct na_xla_reader **r,
				  struct na_xla_log *log,
				  enum na_xla_durations how,
				  struct na_err *err) NA_MUST_CHECK;
/* NULL is none. */
void na_xla_reader_close(struct na_xla_reader *r);

/* Lines in their order; those without anything of interest may be left out.
 * NA_ENOMEM. */
enum na_status na_xla_line(struct na_xla_reader *r, const char *text, size_t n,
			   uint64_t number, struct na_err *err) NA_MUST_CHECK;
/* What is still open at the end of the log. */
enum na_status na_xla_end(struct na_xla_reader *r,
			  struct na_err *err) NA_MUST_CHECK;

#endif
