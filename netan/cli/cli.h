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
#include "netan/engine/request.h"
#include "netan/result/result.h"

enum na_exit {
	NA_EXIT_OK = 0,
	NA_EXIT_FAILED = 1,
	NA_EXIT_USAGE = 2,
	NA_EXIT_FINDINGS = 3,
	NA_EXIT_INTERRUPTED = 130 /* as a shell says of Ctrl-C */
};

static inline enum na_exit na_exit_of(enum na_status st)
{
	return st == NA_OK       ? NA_EXIT_OK
	       : st == NA_EUSAGE ? NA_EXIT_USAGE
				 : NA_EXIT_FAILED;
}

/* Options that commands share: joined to a command's own by its `joins`. */
enum na_join {
	NA_JOIN_OUTPUT = 1,     /* -o --format --table -q -v --color ... */
	NA_JOIN_INPUT = 2,      /* --label, --anchor, -j, --strict ... */
	NA_JOIN_FILTER = 4,     /* --host --src --from --step ... */
	NA_JOIN_GROUP = 8,      /* --by --top */
	NA_JOIN_PICTURE = 16,   /* --width --theme --title ... */
	NA_JOIN_FINDINGS = 32,  /* --fail-on */
	NA_JOIN_QUIET = 64,     /* -q; -v with inputs */
	NA_JOIN_PROGRAMS = 128, /* --hlo */
	NA_JOIN_WORKERS = 256,  /* --label, --strict: inputs without records */
	NA_JOIN_PLACES = 512,   /* --topology, where --by is none of its */
	NA_JOIN_NAMES = 1024,   /* --anonymize, where the former are not */
	NA_JOIN_LEDGER = 2048,  /* --ledger: who names suspects */
	NA_JOIN_CHECKS = 4096,  /* --capacity, --host-settings, limits */
	NA_JOIN_MANY = 8192,    /* --local, --exact: netan-mpi runs it */
	NA_JOIN_MERGED = 16384, /* how results look, of any such command */
	NA_JOIN_WINDOW = 32768  /* --from --to --step --host, of the filters */
};

enum { NA_COLOR_AUTO, NA_COLOR_ALWAYS, NA_COLOR_NEVER };
enum { NA_PROGRESS_AUTO, NA_PROGRESS_NEVER };

/* What is asked of the command line itself; na_cli.request has the rest. */
struct na_common {
	/* output */
	struct na_text_list outputs; /* -o FILE, several */
	const char *format;          /* --format; NULL: table */
	const char *table;           /* --table NAME */
	bool quiet, verbose, wide, anonymize;
	int color, progress; /* NA_COLOR_*, NA_PROGRESS_* */
	struct na_text_list labels; /* the last one is in force, in parsing */
	size_t labelled;            /* of those that an input has followed */
	const char *by;      /* "host,collective" */
	const char *query;   /* the last operand, of a command that asks */
	/* checks */
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
	bool help, brief; /* --help, -h */
	bool no_config;
};

struct na_carried; /* commands/carry.h */
struct na_conf;    /* conf/conf.h */

struct na_cli {
	const struct na_command *command;
	const struct na_carried *carried; /* of one that carries; else NULL */
	const struct na_conf *conf;       /* what netan.conf set; or NULL */
	struct na_request request;        /* of the engine; speaks on stderr */
	struct na_common common;
	void *params; /* command->face->params_size bytes */
	/* Empty, of a command with NA_JOIN_OUTPUT: for its run to fill. */
	struct na_result *result;
	int argc;
	char **argv; /* as given, for reproducing */
	/* The progress line; 0: there is none. */
	int64_t progress_since_ns, progress_shown_ns;
};

/* How far a command shuts itself in (netan/cli/sandbox). */
enum na_shut {
	NA_SHUT_IN,    /* before anything is read */
	NA_SHUT_CALLS, /* files when it knows of which: it sees to that itself */
	NA_SHUT_NOT
};

struct na_command {
	const struct na_face *face; /* name, help, own options */
	const char *words;          /* operands: "a|b|c", or "COMMAND";
					 * NULL: files */
	unsigned joins;             /* enum na_join bits */
	/* Another command's line follows: netan partial OPTIONS COMMAND ... */
	bool carries;
	/* Its last operand is no input, but what is asked of them. */
	bool asks;
	/* Half of its result would mislead: all of it is written, or nothing
	 * (na_stopped). */
	bool whole;
	/* What its options take as ID: the k-th and what it means, NULL behind
	 * the last; for help and completion.  NULL: nothing. */
	const char *(*ids)(size_t k, const char **what);
	/* NULL: NA_SHUT_IN. */
	enum na_shut (*shut)(const struct na_cli *cli);
	/* Outputs are checked; the result is freed with the rest. */
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

/* The speaker of a command line, or of none (NULL): "netan: error: ..." and
 * "netan: warning: ..." on stderr, control characters escaped, coloured when
 * stderr is a terminal and --color allows; no warnings with -q, details and
 * more than twenty warnings with -v only; a progress line for work over
 * about a second. */
struct na_speaker na_cli_speaker(struct na_cli *cli);
/* How many warnings were not said for that. */
void na_say_more_warnings(const struct na_request *q);
/* Was there an error among what was said?  Of the whole program. */
bool na_said_error(void);
/* Says what failed, if something did. */
enum na_exit na_say_failed(const struct na_cli *cli, const struct na_err *err);
/* Ends the program where a library is refused memory (refused.h): removes what
 * is not finished, says so, status NA_EXIT_FAILED. */
void na_end_refused(void);
/* Before a `whole` command writes: was it interrupted, now or (`interrupted`)
 * while it read?  Then says that nothing is written; the status is
 * NA_EXIT_INTERRUPTED.  False of other commands. */
bool na_stopped(const struct na_cli *cli, bool interrupted);
/* What Ctrl-C makes of a command, for its help; NULL: it reads no inputs that
 * take long, or its help says more. */
const char *na_when_stopped(const struct na_command *c);

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
/* Whether all that is written is a table for people, on standard output. */
bool na_output_is_table(const struct na_cli *cli);
/* The same, and its lines are broken to the width of a screen. */
bool na_output_is_screen(const struct na_cli *cli);

#endif
