/*
 * Finds the command, parses its command line, runs it, and sees to it that
 * what was printed has arrived.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gsl/gsl_errno.h>

#include "netan/base/memory/oom.h"
#include "netan/base/memory/temp_files.h"
#include "netan/base/shell.h"
#include "netan/base/similar.h"
#include "netan/base/vec.h"
#include "netan/cli/again.h"
#include "netan/cli/commands/carry.h"
#include "netan/cli/common.h"
#include "netan/cli/conf/conf.h"
#include "netan/cli/program.h"
#include "netan/cli/sandbox/shut_in.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/memory.h"
#include "netan/engine/mpi/mpi.h"

/* With a standard descriptor closed, the next file opened would take its
 * number, and messages would land in it.  Writing to a closed standard
 * output still fails, as it should. */
static void keep_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
			_exit(NA_EXIT_FAILED);
}

/* Before there is a command line, or with it. */
static enum na_exit usage_error(const struct na_request *q, const char *text,
				const char *command)
{
	na_say_error(q, "%s", text);
	if (command)
		na_say_hint(q, "'netan %s --help' lists the options", command);
	else
		na_say_hint(q, "'netan --help' lists the commands");
	return NA_EXIT_USAGE;
}

/* What netan-mpi alone can do, and what it cannot. */
static enum na_exit check_world(const struct na_cli *cli)
{
	const struct na_request *q = &cli->request;

	if (!q->world && q->local.n) {
		na_say_error(q, "--local is an option of netan-mpi");
		return NA_EXIT_USAGE;
	}
	if (q->local.n && q->n_inputs) {
		na_say_error(q, "give either inputs that all nodes see, or "
				"--local and what each has for itself");
		return NA_EXIT_USAGE;
	}
	for (size_t i = 0; !na_world_alone(q->world) && i < q->n_inputs; i++) {
		if (strcmp(q->inputs[i].path, "-") != 0)
			continue;
		na_say_error(q,
			     "-: standard input is one %s's alone; name what "
			     "all nodes see%s",
			     na_world_member(q->world),
			     q->world->files ? "" : ", or use --local");
		return NA_EXIT_USAGE;
	}
	return NA_EXIT_OK;
}

/* Its globs are the inputs. */
static bool take_local(struct na_request *q)
{
	if (!q->local.n)
		return true;
	q->inputs = na_calloc(q->local.n, sizeof(*q->inputs));
	for (size_t i = 0; q->inputs && i < q->local.n; i++)
		q->inputs[q->n_inputs++].path = q->local.items[i];
	return q->inputs;
}

static enum na_exit no_input(const struct na_cli *cli)
{
	const struct na_command *c = cli->command;

	if (!(c->joins & (NA_JOIN_INPUT | NA_JOIN_WORKERS)) ||
	    cli->request.n_inputs || cli->request.local.n)
		return NA_EXIT_OK;
	return usage_error(
		&cli->request,
		c->asks ? "wanted an INPUT and behind it the question, as one "
			  "argument: netan sql LOGDIR 'SELECT ...'"
		: c->joins & NA_JOIN_INPUT
			? "no INPUT is given: a file, the directory "
			  "of a profile, or - for standard input"
			: "no INPUT is given: a file, a directory of "
			  "such files, or - for standard input",
		c->info->name);
}

/* Before any work: what the command line asks for is there and makes sense. */
static enum na_exit prepare(struct na_cli *cli, struct na_err *err)
{
	enum na_exit code = na_anonymize_start(cli, err) == NA_OK
				    ? no_input(cli)
				    : na_say_failed(cli, err);

	if (code == NA_EXIT_OK)
		code = check_world(cli);
	if (code == NA_EXIT_OK && !take_local(&cli->request))
		code = na_exit_of(na_fail_nomem(err));
	if (code != NA_EXIT_OK)
		return code;
	if (cli->command->joins & (NA_JOIN_INPUT | NA_JOIN_WORKERS) &&
	    na_memory_start(&cli->request, err) != NA_OK)
		return usage_error(&cli->request, err->text,
				   cli->command->info->name);
	if (!(cli->command->joins & NA_JOIN_OUTPUT))
		return NA_EXIT_OK;
	/* The other ranks write nothing, and need not see the place. */
	if (na_world_writes(cli->request.world))
		code = na_output_check(cli);
	if (code == NA_EXIT_OK)
		cli->result = na_result_new();
	return code == NA_EXIT_OK && !cli->result ? NA_EXIT_FAILED : code;
}

/* All ranks go on, or none.  What kept rank 0 it has said itself. */
static enum na_exit settle(const struct na_request *q, enum na_exit code)
{
	struct na_err err = {0};
	enum na_status st;

	if (na_world_alone(q->world))
		return code;
	if (na_exit_failed(code))
		na_in_err(na_fail(&err,
				  code == NA_EXIT_USAGE ? NA_EUSAGE : NA_EIO,
				  "%s", q->world->why));
	st = na_world_agree(q->world, &err);
	if (st == NA_OK || na_exit_failed(code))
		return code;
	na_say_error(q, "%s", err.text);
	return na_exit_of(st);
}

static enum na_exit run_ready(struct na_cli *cli)
{
	struct na_world *w = cli->request.world;
	struct na_mpi mpi;
	struct na_err err = {0};
	enum na_exit code;

	na_shut_in(cli);
	code = prepare(cli, &err);
	code = settle(&cli->request, code);
	if (code != NA_EXIT_OK)
		return code;
	if (na_world_alone(w)) {
		code = cli->command->run(cli);
		na_memory_tell(&cli->request);
		return code;
	}
	na_mpi_init(&mpi, w);
	cli->request.hashes |= cli->common.ledger != NULL;
	cli->request.mpi = &mpi;
	code = cli->command->run(cli);
	na_memory_tell(&cli->request);
	na_mpi_fini(&mpi);
	return mpi.dismissed ? NA_EXIT_OK : code;
}

/* Its own part of the command line; the rest is `carried`. */
static enum na_status parse(struct na_cli *cli, const struct na_command *c,
			    int argc, char **argv, struct na_carried *carried,
			    struct na_err *err)
{
	*carried = (struct na_carried){.command = NULL};
	if (!c->carries)
		return na_cli_parse(cli, c, argc, argv, err);
	if (!na_carry_split(carried, c, argc, argv)) {
		*cli = (struct na_cli){.command = NULL};
		return na_fail_nomem(err);
	}
	if (na_cli_parse(cli, c, carried->n_own, carried->own, err) == NA_OK)
		cli->carried = carried;
	/* What is said around the other command's work is said likewise. */
	cli->common.anonymize |= na_carried_gives(carried, "anonymize");
	return err->status;
}

/* The command line once more, with what stays. */
static enum na_status join_conf(struct na_cli *cli, const struct na_command *c,
				int argc, char **argv,
				struct na_carried *carried,
				struct na_conf *conf, struct na_err *err)
{
	char **words = c->carries
			       ? na_conf_join(conf, carried->command,
					      &carried->n_words, carried->words)
			       : na_conf_join(conf, c, &argc, argv);

	if (!words)
		return na_fail_nomem(err);
	if (c->carries) {
		free(carried->words);
		carried->words = words;
		return NA_OK;
	}
	conf->words = words;
	na_cli_free(cli);
	if (na_cli_parse(cli, c, argc, words, err) != NA_OK)
		return err->status;
	cli->request.settings_file = conf->path;
	cli->request.settings = conf->used;
	cli->request.n_settings = conf->n_used;
	return NA_OK;
}

static enum na_exit conf_error(const struct na_request *q,
			       const struct na_err *err)
{
	na_say_error(q, "%s", err->text);
	na_say_hint(q, "--no-config leaves the file out; 'netan help "
		       "--settings' says what may be in it");
	return NA_EXIT_USAGE;
}

/* A shard's line has them already, and --help wants none. */
static enum na_status take_conf(struct na_cli *cli, const struct na_command *c,
				int argc, char **argv,
				struct na_carried *carried,
				struct na_conf *conf, struct na_world *w,
				struct na_err *err)
{
	const struct na_command *to = c->carries ? carried->command : c;
	bool shown = na_gives(cli, "settings");

	if (cli->common.help || cli->common.brief || (w && w->files) ||
	    (!shown && !na_conf_concerns(to)))
		return NA_OK;
	conf->off = cli->common.no_config ||
		    (c->carries && na_carried_gives(carried, "no-config"));
	conf->nameless = cli->common.anonymize;
	conf->shown = shown;
	if (w)
		w->nameless = cli->common.anonymize;
	if (!conf->off)
		conf->wrong = na_conf_load(conf, to, w, err) != NA_OK;
	if (conf->wrong || (!conf->off && join_conf(cli, c, argc, argv, carried,
						    conf, err) != NA_OK))
		return err->status;
	cli->conf = conf;
	return NA_OK;
}

static enum na_exit run_command(const struct na_request *q,
				const struct na_command *c, int argc,
				char **argv)
{
	struct na_carried carried;
	struct na_conf conf = {.words = NULL};
	struct na_world *w = q->world;
	struct na_err err = {0};
	enum na_exit code;
	struct na_cli cli;
	enum na_status st;

	st = parse(&cli, c, argc, argv, &carried, &err);
	if (st == NA_OK)
		st = take_conf(&cli, c, argc, argv, &carried, &conf, w, &err);
	cli.request.world = w;
	cli.request.own_process = q->own_process;
	cli.request.commit = q->commit;
	if (w)
		w->nameless = cli.common.anonymize;
	if (cli.common.help || cli.common.brief) {
		(cli.common.help ? na_help_command : na_help_brief)(c, stdout);
		code = NA_EXIT_OK;
	} else if (st == NA_EUSAGE && conf.wrong) {
		code = conf_error(&cli.request, &err);
	} else if (st != NA_OK) {
		code = st == NA_EUSAGE ? usage_error(&cli.request, err.text,
						     c->info->name)
				       : na_say_failed(&cli, &err);
	} else {
		code = run_ready(&cli);
	}
	na_cli_free(&cli);
	na_carried_free(&carried);
	na_conf_free(&conf);
	return code;
}

/* Of a command that is there, and that netan-mpi does not run. */
static enum na_exit not_many(const struct na_request *q,
			     const struct na_command *c)
{
	na_say_error(q,
		     "netan-mpi does not run %s, netan does; 'netan-mpi "
		     "--help' lists what it runs",
		     c->info->name);
	return NA_EXIT_USAGE;
}

static enum na_exit unknown_command(const struct na_request *q,
				    const char *name)
{
	const char *close = na_command_closest(name);
	char text[256];
	struct stat there;

	if (stat(name, &there) == 0) {
		na_say_error(q, "%s: what to do with it comes first", name);
		na_say_hint(q,
			    "what is wrong with the job says netan check %s; "
			    "'netan --help' lists the commands",
			    na_shell_word(text, sizeof(text), name, "INPUT"));
		return NA_EXIT_USAGE;
	}
	if (close)
		snprintf(text, sizeof(text),
			 "there is no command '%.64s'; "
			 "did you mean '%s'?",
			 name, close);
	else
		snprintf(text, sizeof(text), "there is no command '%.64s'",
			 name);
	return usage_error(q, text, NULL);
}

enum na_exit na_command_run(const struct na_request *q, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	static const char *const options[] = {"--help", "--version"};
	const struct na_command *c;
	const char *close;
	char text[160];

	if (!word) {
		if (na_world_speaks(q->world))
			na_help_short(stderr);
		return NA_EXIT_USAGE;
	}
	if (strcmp(word, "-h") == 0 && !q->world) {
		na_help_short(stdout);
		return NA_EXIT_OK;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		(q->world ? na_help_many : na_help_program)(stdout);
		return NA_EXIT_OK;
	}
	if (word[0] == '-' && word[1]) {
		close = na_closest(word, options, NA_LEN(options));
		snprintf(text, sizeof(text),
			 "unknown option %.64s before a command%s%s%s", word,
			 close ? "; did you mean " : "", close ? close : "",
			 close ? "?" : "");
		return usage_error(q, text, NULL);
	}
	c = na_command_find(word);
	if (!c)
		return unknown_command(q, word);
	return q->world && !na_command_many(c) ? not_many(q, c)
					       : run_command(q, c, argc, argv);
}

/* A closed pipe is a reader that has seen enough. */
static enum na_exit close_stdout(const struct na_request *q, enum na_exit code)
{
	bool failed = ferror(stdout) != 0;
	int e = errno;

	errno = 0;
	if (fclose(stdout) != 0) {
		failed = true;
		e = errno;
	}
	if (!failed || e == EPIPE)
		return code;
	if (code == NA_EXIT_OK || code == NA_EXIT_FINDINGS)
		na_say_error(q, "cannot write standard output: %s",
			     strerror(e ? e : EIO));
	return code == NA_EXIT_USAGE ? code : NA_EXIT_FAILED;
}

/* Whoever was refused memory may not have passed it on. */
static enum na_exit whole(const struct na_request *q, enum na_exit code)
{
	if (!na_oom() || (na_exit_failed(code) && na_said_error()))
		return code;
	na_say_nomem(q);
	return NA_EXIT_FAILED;
}

static bool given(int argc, char **argv, int i, const char *name,
		  const char *other)
{
	return argc > i &&
	       (strcmp(argv[i], name) == 0 || strcmp(argv[i], other) == 0);
}

enum na_exit na_program(struct na_world *w, const struct na_build *build,
			int argc, char **argv)
{
	const struct na_request q = {.speaker = na_cli_speaker(NULL),
				     .world = w,
				     .commit = build->commit,
				     .own_process = true};
	enum na_exit code = NA_EXIT_OK;

	keep_descriptors();
	setlocale(LC_ALL, "C");
	signal(SIGPIPE, SIG_IGN);
	/* Of ranks the launcher says what ended them. */
	na_temp_files_on_signals(!w);
	na_oom_handler(na_end_refused);
	gsl_set_error_handler_off();
	/* Large blocks go back to the system when they are freed: left to
	 * itself, glibc keeps ever larger ones. */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	if (given(argc, argv, 1, "--version", "-V"))
		na_version_put(build, given(argc, argv, 2, "--verbose", "-v"));
	else
		code = na_command_run(&q, argc, argv);
	na_say_more_warnings(&q);
	return close_stdout(&q, whole(&q, code));
}
