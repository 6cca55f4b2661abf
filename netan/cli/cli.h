/*
 * The command line's own contract: one row of commands.def describes one
 * command; dispatch, help, completion, man pages and schemas read it.
 */
#ifndef NETAN_CLI_CLI_H
#define NETAN_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "netan/base/err.h"
#include "netan/base/face.h"
#include "netan/base/opt.h"
#include "netan/checks/check.h"
#include "netan/result/result.h"

enum na_exit {
	NA_EXIT_OK = 0,
	NA_EXIT_FAILED = 1,
	NA_EXIT_USAGE = 2,
	NA_EXIT_FINDINGS = 3
};

/* Options that commands share: joined to a command's own by its `joins`. */
enum na_join {
	NA_JOIN_OUTPUT = 1,     /* -o --format --table -q -v --color ... */
	NA_JOIN_INPUT = 2,      /* --label, --anchor, -j, --strict ... */
	NA_JOIN_FILTER = 4,     /* --host --src --from --step ... */
	NA_JOIN_GROUP = 8,      /* --by --top */
	NA_JOIN_PICTURE = 16,   /* --width --theme --title ... */
	NA_JOIN_FINDINGS = 32,  /* --fail-on */
	NA_JOIN_QUIET = 64,     /* -q alone */
	NA_JOIN_PROGRAMS = 128, /* --hlo */
	NA_JOIN_WORKERS = 256,  /* --label, --strict: inputs without records */
	NA_JOIN_PLACES = 512,   /* --topology, where --by is none of its */
	NA_JOIN_NAMES = 1024,   /* --anonymize, where the former are not */
	NA_JOIN_LEDGER = 2048,  /* --ledger: who names suspects */
	NA_JOIN_CHECKS = 4096   /* --capacity, --host-settings, limits */
};

enum { NA_COLOR_AUTO, NA_COLOR_ALWAYS, NA_COLOR_NEVER };
enum { NA_PROGRESS_AUTO, NA_PROGRESS_NEVER };

struct na_common {
	/* output */
	struct na_text_list outputs; /* -o FILE, several */
	const char *format;          /* --format; NULL: table */
	const char *table;           /* --table NAME */
	bool quiet, verbose, strict, anonymize;
	int color, progress; /* NA_COLOR_*, NA_PROGRESS_* */
	/* input */
	int64_t threads;            /* 0: all cores */
	int anchor;                 /* enum na_anchor */
	const char *label;          /* --label in force, while parsing */
	const char *hosts, *filter; /* captures: a file, an expression */
	struct na_text_list hlo;    /* --hlo PATH, several */
	/* filters, as typed where a later stage must resolve them */
	struct na_text_list host, line, src, dst, collective;
	const char *side;           /* NULL: the command's own default */
	int component;              /* enum na_component; -1: not given */
	const char *from, *to;      /* TIME or UTC wall clock */
	const char *step;           /* N or N-M */
	int64_t min_size, max_size; /* bytes; max -1: none */
	int64_t min_latency;        /* ps; 0: none */
	bool include_loopback;
	double max_rate; /* bits/s; 0: none */
	/* groups */
	const char *by; /* "host,collective" */
	int64_t top;
	const char *topology;
	/* checks */
	const char *capacity; /* as typed; NULL: not given */
	struct na_text_list host_settings;
	struct na_limits limits;
	/* findings */
	int fail_on;        /* enum na_severity less 1; -1: never */
	const char *ledger; /* remembers suspects over runs; NULL: none */
	/* pictures */
	int64_t width, height; /* 0: the figure's own */
	double scale;
	int theme; /* 0 light, 1 dark */
	const char *title;
	bool help; /* --help */
};

struct na_cli_input {
	const char *path;  /* as given; "-" is standard input */
	const char *label; /* of the --label before it, or NULL */
};

/* Also where neither has one. */
bool na_same_label(const char *a, const char *b);

struct na_cli {
	const struct na_command *command;
	struct na_common common;
	void *params; /* command->face->params_size bytes */
	struct na_cli_input *inputs;
	size_t n_inputs;
	int argc;
	char **argv;                      /* as given, for reproducing */
	struct na_pseudonyms *pseudonyms; /* NULL: without --anonymize */
};

struct na_command {
	const struct na_face *face; /* name, help, own options */
	const char *words;          /* operands: "a|b|c", or "COMMAND";
					 * NULL: files */
	unsigned joins;             /* enum na_join bits */
	/* What its options take as ID: the k-th and what it means, NULL behind
	 * the last; for help and completion.  NULL: nothing. */
	const char *(*ids)(size_t k, const char **what);
	enum na_exit (*run)(struct na_cli *cli);
};

extern const struct na_command *const na_commands[]; /* NULL at the end */

/* Runs the analysis that is named like the command: analyses.def gives each
 * a command of its own (registry.c). */
enum na_exit na_run_analysis(struct na_cli *cli);
/* The same with an analysis that is not in that list. */
struct na_analysis;
enum na_exit na_run_this_analysis(struct na_cli *cli,
				  const struct na_analysis *a);

/* "netan: error: ..." / "netan: warning: ..." on stderr, control characters
 * escaped, coloured when stderr is a terminal and --color allows. */
void na_say_error(const struct na_cli *cli, const char *fmt, ...)
	NA_PRINTF(2, 3);
void na_say_warning(const struct na_cli *cli, const char *fmt, ...)
	NA_PRINTF(2, 3);
/* Only with -v. */
void na_say_detail(const struct na_cli *cli, const char *fmt, ...)
	NA_PRINTF(2, 3);
/* What to do about an error, behind it. */
void na_say_hint(const struct na_cli *cli, const char *fmt, ...)
	NA_PRINTF(2, 3);

/*
 * Write a finished result everywhere the user asked (output.c): each -o by
 * its ending, else standard output in --format.  Pictures go through the
 * figure named like the command.  Files are written beside their final name
 * and renamed.  A closed pipe is success, a full disk an error that names
 * the file.  With --anonymize the texts of r are replaced first.
 */
enum na_exit na_output(const struct na_cli *cli, struct na_result *r);
/* Before any work (main calls it): endings known, a figure there, --format
 * known.  Says what is wrong itself. */
enum na_exit na_output_check(const struct na_cli *cli);
/* Whether one of the outputs is a picture. */
bool na_output_draws(const struct na_cli *cli);

/* Of a clock that only moves forward. */
int64_t na_now_ns(void);

/* A progress line on stderr for work over about a second; silent when
 * stderr is no terminal, with -q or --progress never. */
struct na_progress {
	bool on, shown;
	int64_t started_ns, last_ns;
};
void na_progress_start(struct na_progress *p, const struct na_cli *cli);
void na_progress_tell(struct na_progress *p, const char *what, double share);
void na_progress_end(struct na_progress *p);

#endif
