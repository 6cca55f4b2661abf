/*
 * One row describes one option: parsing, default, range check, help,
 * completion and man page all come from it (netan/cli/opt.h reads it).
 * The value lands at `offset` in the parameters of its command:
 *
 *   NA_OPT_FLAG    bool
 *   NA_OPT_COUNT   int64_t
 *   NA_OPT_REAL    double
 *   NA_OPT_TIME    int64_t, picoseconds
 *   NA_OPT_BYTES   int64_t, bytes
 *   NA_OPT_RATE    double, bits per second
 *   NA_OPT_TEXT    const char *, borrowed from the command line;
 *                  `arg` may list the only words allowed: "rx|tx"
 *   NA_OPT_CHOICE  int, index into `arg`, which lists the words: "rx|tx"
 *   NA_OPT_LIST    struct na_text_list, one entry each time it is given
 *
 * `def` is the default in the words a user would type; NULL leaves the
 * field as it is (zero).  min and max bound numbers (both 0: no bound); a text
 * with a max of 1 may be given once only, where the last one would not do.
 */
#ifndef NETAN_BASE_OPT_H
#define NETAN_BASE_OPT_H

#include <stddef.h>

enum na_opt_kind {
	NA_OPT_NONE,
	NA_OPT_FLAG,
	NA_OPT_COUNT,
	NA_OPT_REAL,
	NA_OPT_TIME,
	NA_OPT_BYTES,
	NA_OPT_RATE,
	NA_OPT_TEXT,
	NA_OPT_CHOICE,
	NA_OPT_LIST
};

/* What a value of NA_OPT_TEXT or NA_OPT_LIST names in the file system, if
 * anything: the sandbox grants that and no more. */
enum na_opt_path {
	NA_PATH_NONE,
	NA_PATH_READ,   /* a file or directory that is read */
	NA_PATH_WRITE,  /* a file that is made or replaced */
	NA_PATH_REREAD, /* the same, read and written while it is made */
	NA_PATH_MAKE,   /* that, or a directory with files in it */
	NA_PATH_KEEP,   /* a directory, made if need be, of files that are
			   made, replaced and read */
	NA_PATH_NEW,    /* a directory, made beside and renamed */
	NA_PATH_APPEND, /* a file that grows, and is read before */
};

struct na_opt {
	enum na_opt_kind kind;
	char short_name;  /* 0: none */
	const char *name; /* without the dashes */
	size_t offset;
	const char *arg; /* placeholder, or "a|b|c" */
	const char *def;
	double min, max;
	const char *help;
	enum na_opt_path path; /* most rows leave it out, and what follows */
	/* Values that a shell may complete, beside those of `arg`: the k-th,
	 * NULL behind the last.  NULL: none.  Of a flag: the operands that it
	 * asks for. */
	const char *(*offers)(size_t k);
	/* What -h says of it, where the first clause of `help` takes more than
	 * a line or says too little alone.  NULL: that clause. */
	const char *brief;
};

#define NA_OPT_END \
	{ \
		NA_OPT_NONE, 0, NULL, 0, NULL, NULL, 0, 0, NULL, NA_PATH_NONE, \
			NULL, NULL \
	}

struct na_text_list {
	const char **items; /* owned by whoever parsed */
	size_t n, cap;
};

#endif
