/* What the files of the reader of PyTorch/XLA logs share. */
#ifndef INGEST_LOGS_XLA_PARTS_H
#define INGEST_LOGS_XLA_PARTS_H

#include "ingest/logs/xla_lines.h"
#include "netan/base/scan.h"

enum { NA_XLA_KEY_BYTES = 120 };

/* What a line's prefix tells. */
struct na_xla_prefix {
	char key[NA_XLA_KEY_BYTES]; /* without times, levels, source lines */
	size_t n;
	size_t indent; /* blanks behind it; a tab is two */
	struct na_xla_stamp stamp;
};

void na_xla_prefix(const char *s, size_t n, struct na_xla_prefix *p);

/* An analysis block that is open. */
struct na_xla_block {
	bool open, execution, wants_cause, in_frames;
	uint32_t cause, frames[NA_XLA_FRAMES_MAX];
	size_t n_frames;
	uint64_t graph; /* hash of its hash; 0: not told */
};

/* Lines with one prefix: a process. */
struct na_xla_stream {
	char key[NA_XLA_KEY_BYTES];
	size_t key_n;
	bool kept;             /* something came of it */
	bool loose;            /* its prefix is another one on each line */
	uint64_t last_line[2]; /* of reports, of anything else */
	/* "Metric: X" waits for the line that shows that it is one */
	bool pending, pending_metric;
	char pending_text[NA_XLA_NAME_BYTES];
	size_t pending_n;
	uint32_t pending_name; /* once it is one */
	size_t pending_indent, field_indent;
	uint64_t pending_line;
	struct na_xla_stamp pending_stamp;
	struct na_xla_report now;
	bool titled;          /* "[MetricsData; step=N]" came */
	int64_t next_step;    /* of it; -1 */
	bool counting;        /* counters have begun */
	bool open;            /* the last metric may get more fields */
	bool only_samples;    /* and has none but its first */
	uint64_t report_line; /* last line of the report */
	struct na_xla_block block;
};

struct na_xla_reader {
	struct na_xla_log *log;
	enum na_xla_durations how;
	struct na_xla_stream *streams; /* as log->processes */
	size_t n, cap;
	size_t recent[2]; /* streams, of last_line; SIZE_MAX: none */
};

/* A name of the log: NA_NO_NAME with NA_OK when there are too many. */
enum na_status na_xla_name(struct na_xla_log *log, const char *s, size_t n,
			   uint32_t *name, struct na_err *err) NA_MUST_CHECK;

/* xla_report.c: rest is the text behind the word, blanks removed. */
enum na_xla_word {
	NA_XLA_W_METRIC,
	NA_XLA_W_COUNTER,
	NA_XLA_W_SAMPLES,
	NA_XLA_W_TOTAL,
	NA_XLA_W_VALUE_RATE,
	NA_XLA_W_RATE,
	NA_XLA_W_PERCENTILES,
	NA_XLA_W_VALUE,
	NA_XLA_W_TITLE,
	NA_XLA_W_PROFILER,
	NA_XLA_W_COMPILATION,
	NA_XLA_W_EXECUTION,
	NA_XLA_W_POST,
	NA_XLA_N_WORDS
};

struct na_xla_found {
	enum na_xla_word word;
	const struct na_xla_prefix *prefix;
	struct na_text rest;
	uint64_t number; /* of the line */
};

enum na_status na_xla_report_line(struct na_xla_reader *r, size_t stream,
				  const struct na_xla_found *f,
				  struct na_err *err) NA_MUST_CHECK;
void na_xla_report_end(struct na_xla_reader *r, size_t stream);

/* xla_hints.c */
enum na_status na_xla_hint_line(struct na_xla_reader *r, size_t stream,
				const struct na_xla_found *f,
				struct na_err *err) NA_MUST_CHECK;

/* xla_blocks.c */
enum na_status na_xla_block_line(struct na_xla_reader *r, size_t stream,
				 const struct na_xla_found *f,
				 struct na_err *err) NA_MUST_CHECK;
enum na_status na_xla_block_end(struct na_xla_reader *r, size_t stream,
				struct na_err *err) NA_MUST_CHECK;

static inline bool na_xla_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct na_text na_xla_trimmed(struct na_text x);

#endif
