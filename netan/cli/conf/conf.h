/*
 * netan.conf: settings that stay.  Rows "option = value", blank lines and
 * lines that begin with # between them; which options, conf.def says.  A
 * setting becomes a word of the command line, in front of those that were
 * typed, for each command that has the option and was not given it: so it
 * goes wherever the line goes, into the sandbox, a shard or a command to
 * paste.
 *
 * The file is $XDG_CONFIG_HOME/netan/netan.conf, or ~/.config/netan/netan.conf
 * where that variable is not set to an absolute path; never one of the
 * current folder, which may be somebody else's.
 */
#ifndef NETAN_CLI_CONF_CONF_H
#define NETAN_CLI_CONF_CONF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "netan/base/vec.h"
#include "netan/cli/cli.h"

enum { NA_CONF_MAX = 64 << 10 /* bytes of the file */ };

enum na_conf_effect { NA_CONF_RESULT, NA_CONF_LOOK };

struct na_conf_key {
	const char *name, *member;
	enum na_opt_kind kind;
	enum na_opt_path path;
	enum na_conf_effect effect;
};

extern const struct na_conf_key na_conf_keys[];
extern const size_t na_conf_n_keys;

enum {
#define NA_CONF(...) +1
	NA_CONF_N =
#include "netan/cli/conf/conf.def"
#undef NA_CONF
};

struct na_conf_row {
	unsigned line;     /* of the file; 0: not set */
	char *word;        /* "--capacity=100Gbps", "--wide" */
	const char *value; /* as used, paths with the file's folder: "yes" */
};

/* What is wrong in it, in words: of which line and key, where it is of one. */
struct na_conf_wrong {
	unsigned line; /* 0: the file */
	size_t key;    /* NA_CONF_N: none */
	char text[sizeof(((struct na_err *)0)->text)];
};

struct na_conf {
	char path[PATH_MAX]; /* ""; neither variable names a folder */
	bool there, off;     /* the file; --no-config */
	bool wrong;          /* the file, or what it names */
	/* What is wrong is kept here, and is no failure. */
	bool shown;
	NA_VEC(struct na_conf_wrong) wrongs;
	bool nameless; /* messages do not name the file nor what it names */
	struct na_conf_row rows[NA_CONF_N]; /* by na_conf_keys */
	/* What the command line got of it, for its request. */
	struct na_request_setting used[NA_CONF_N];
	size_t n_used;
	char **words; /* the command line, where it is not carried */
};

/* Does the command take any setting? */
bool na_conf_concerns(const struct na_command *c);

/* The option of c that the setting k is, or NULL. */
const struct na_opt *na_conf_option(const struct na_command *c, size_t k);
/* The same of the first command that has it. */
const struct na_opt *na_conf_any_option(size_t k);

/* Rows of a text of n bytes, which may hold anything; conf->path is set.
 * NA_EUSAGE names file and line; NA_ENOMEM.  conf is to be freed also then. */
enum na_status na_conf_parse(struct na_conf *conf, const char *text, size_t n,
			     struct na_err *err) NA_MUST_CHECK;

/*
 * The user's file, where there is one; of many ranks that of rank 0 goes to
 * all, which call this together.  Files that settings of c name must be there.
 */
enum na_status na_conf_load(struct na_conf *conf, const struct na_command *c,
			    struct na_world *w,
			    struct na_err *err) NA_MUST_CHECK;

/* argv (argc words, as main() gets them, of c) with the settings in it, *argc
 * then: from calloc(), its words conf's and argv's.  NULL: no memory. */
char **na_conf_join(struct na_conf *conf, const struct na_command *c, int *argc,
		    char **argv);

void na_conf_free(struct na_conf *conf);

/* netan help --settings: what may be set, what is, and where (show.c). */
void na_conf_show(const struct na_conf *conf, FILE *out);

#endif
