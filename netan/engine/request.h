/*
 * What is asked of the engine, and how it speaks: the command line fills a
 * request from its options, a test may write one by hand.  The engine reads
 * it, keeps pointers into it, and changes nothing: it must outlive the
 * session.  Texts are borrowed.
 */
#ifndef NETAN_ENGINE_REQUEST_H
#define NETAN_ENGINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/command_info.h"
#include "netan/base/err.h"
#include "netan/base/opt.h"
#include "netan/world/world.h"

struct na_mpi; /* netan/engine/mpi */

struct na_request;

enum na_level {
	NA_SAY_ERROR,   /* why there is no result */
	NA_SAY_WARNING, /* the result is not all that was asked for */
	NA_SAY_HINT,    /* what to do about an error, after it */
	NA_SAY_DETAIL   /* for those who want to know more */
};

/* May be called on any thread of the engine; each may be NULL. */
struct na_speaker {
	/* Is a level said at all?  What is not is not written either: names
	 * get no pseudonyms for it.  NULL: all are. */
	bool (*hears)(void *ctx, enum na_level level);
	/* One line without its end, which may hold any bytes. */
	void (*say)(void *ctx, enum na_level level, const char *text);
	/* Work of share (0 to 1) is done; `what` NULL: it is over. */
	void (*progress)(void *ctx, const char *what, double share);
	void *ctx;
};

struct na_request_input {
	const char *path;  /* a file or directory; "-" is standard input */
	const char *label; /* of its run, or NULL */
	bool found;        /* in a directory: what is no file is passed over */
};

/* A member of coverage.settings, M_name, and its value. */
struct na_request_setting {
	const char *member, *value;
	bool look; /* of how the result looks, not of what it is */
};

struct na_request {
	struct na_request_input *inputs;
	size_t n_inputs;
	struct na_speaker speaker;
	bool own_process; /* which does nothing else: it may be shut in */
	struct na_pseudonyms *pseudonyms; /* NULL: names are shown */
	/* Many processes. */
	struct na_world *world;    /* NULL: one process */
	struct na_mpi *mpi;        /* of that world; NULL: alone */
	struct na_text_list local; /* the inputs are these: globs of files that
				      each node has for itself */
	bool hashes;               /* of the inputs' files are asked for */
	/* Transfer files that stand in for traces: in this directory, made by
	 * stand_in(), which writes the inputs of a request as one, whole or
	 * not at all, with `asked` for what they hold.  NULL: none.
	 * NA_EIO: it cannot be written, as err says; NA_END: interrupted. */
	const char *cache;
	const char *commit; /* that netan is of, as they depend on it; or NULL */
	enum na_status (*stand_in)(const struct na_request *q, uint64_t asked,
				   const char *path, struct na_err *err);
	bool exact;                /* rather nothing than an approximation */
	/* reading */
	int64_t threads;          /* 0: all cores */
	int64_t memory;           /* bytes; 0: what the machine allows */
	int anchor;               /* enum na_anchor */
	bool strict;              /* damage is a failure */
	const char *hosts;        /* of captures: a file, or NULL */
	const char *filter;       /* of packets: an expression, or NULL */
	struct na_text_list hlo;  /* more HLO modules: files, directories */
	struct na_text_list line; /* threads of /host:CPU: globs */
	const char *topology;     /* a file, or NULL */
	/* Which records: as typed where the inputs must resolve it. */
	struct na_text_list host, src, dst, collective; /* globs */
	const char *side;           /* "rx", "tx"; NULL: as usual */
	int component;              /* enum na_component; -1: as usual */
	const char *from, *to;      /* TIME or UTC wall clock, or NULL */
	const char *step;           /* "N" or "N-M", or NULL */
	int64_t min_size, max_size; /* bytes; max -1: none */
	int64_t min_latency;        /* ps; 0: none */
	bool include_loopback;
	double max_rate; /* bits/s; 0: none */
	/* analysing */
	int64_t top;          /* rows of a table; 0: all */
	const char *capacity; /* of a host, as typed; NULL: not given */
	bool draws;           /* a picture of the result is wanted */
	bool one_run;         /* several are refused, whatever their labels */
	bool step_hosts;      /* each host in each step is wanted */
	bool executions;      /* each execution of a device is */
	bool analyses_alone;  /* look at transfers and executions: nobody does
				 after them */
	/* What of this a file of settings said, and nobody else. */
	const char *settings_file;
	const struct na_request_setting *settings;
	size_t n_settings;
	/* For analyses that nobody gave options: `params_size` bytes with the
	 * defaults, and the capacity where there is such an option.
	 * *params is to be dropped also after a failure. */
	enum na_status (*params)(const struct na_request *q,
				 const struct na_command_info *info,
				 void **params, struct na_err *err);
	void (*drop_params)(const struct na_command_info *info, void *params);
};

/* Is the member of coverage.settings one of them? */
bool na_request_set(const struct na_request *q, const char *member);

/* Zero but for what zero does not leave out. */
void na_request_init(struct na_request *q);

/* Also where neither has one. */
bool na_same_label(const char *a, const char *b);
/* By the labels of the inputs. */
bool na_several_runs(const struct na_request *q);

/* In the words of printf; names are pseudonyms where that is asked for.  Of
 * many ranks one speaks; another's first error becomes why it failed. */
void na_say_error(const struct na_request *q, const char *fmt, ...)
	NA_PRINTF(2, 3);
/* That an allocation failed, what was taken until then and what would help. */
void na_say_nomem(const struct na_request *q);
void na_say_warning(const struct na_request *q, const char *fmt, ...)
	NA_PRINTF(2, 3);
void na_say_detail(const struct na_request *q, const char *fmt, ...)
	NA_PRINTF(2, 3);
void na_say_hint(const struct na_request *q, const char *fmt, ...)
	NA_PRINTF(2, 3);
/* `what` NULL: it is over. */
void na_say_progress(const struct na_request *q, const char *what,
		     double share);

#endif
