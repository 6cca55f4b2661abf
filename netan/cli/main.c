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
#include <unistd.h>

#include <gsl/gsl_errno.h>

#include "netan/cli/common.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/memory.h"

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

static enum na_exit run_for_result(struct na_cli *cli)
{
	enum na_exit code = na_output_check(cli);

	if (code != NA_EXIT_OK)
		return code;
	cli->result = na_result_new();
	return cli->result ? cli->command->run(cli) : NA_EXIT_FAILED;
}

/* The budget is begun before anything is read. */
static enum na_exit run_within(struct na_cli *cli)
{
	const struct na_command *c = cli->command;
	struct na_err err = {0};
	enum na_exit code;

	if (c->joins & (NA_JOIN_INPUT | NA_JOIN_WORKERS) &&
	    na_memory_start(&cli->request, &err) != NA_OK)
		return usage_error(&cli->request, err.text, c->face->name);
	code = c->joins & NA_JOIN_OUTPUT ? run_for_result(cli) : c->run(cli);
	na_memory_tell(&cli->request);
	return code;
}

static enum na_exit run_command(const struct na_command *c, int argc,
				char **argv)
{
	struct na_err err = {0};
	enum na_exit code;
	struct na_cli cli;
	enum na_status st;

	st = na_cli_parse(&cli, c, argc, argv, &err);
	if (cli.common.help) {
		na_help_command(c, stdout);
		code = NA_EXIT_OK;
	} else if (st != NA_OK) {
		code = st == NA_EUSAGE ? usage_error(&cli.request, err.text,
						     c->face->name)
				       : na_say_failed(&cli, &err);
	} else if ((c->joins & (NA_JOIN_INPUT | NA_JOIN_WORKERS)) &&
		   !cli.request.n_inputs) {
		code = usage_error(&cli.request,
				   c->joins & NA_JOIN_INPUT
					   ? "no INPUT is given: a file, the "
					     "directory of a profile, or - for "
					     "standard input"
					   : "no INPUT is given: a file, a "
					     "directory of such files, or - "
					     "for standard input",
				   c->face->name);
	} else if (na_anonymize_start(&cli, &err) != NA_OK) {
		code = na_say_failed(&cli, &err);
	} else {
		code = run_within(&cli);
	}
	na_cli_free(&cli);
	return code;
}

static enum na_exit unknown_command(const struct na_request *q,
				    const char *name)
{
	const char *close = na_command_closest(name);
	char text[256];

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

static enum na_exit dispatch(const struct na_request *q, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct na_command *c;
	char text[128];

	if (!word) {
		na_help_short(stderr);
		return NA_EXIT_USAGE;
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		printf("netan %s\n", NETAN_VERSION);
		return NA_EXIT_OK;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		na_help_program(stdout);
		return NA_EXIT_OK;
	}
	if (word[0] == '-' && word[1]) {
		snprintf(text, sizeof(text),
			 "unknown option %.64s before a "
			 "command",
			 word);
		return usage_error(q, text, NULL);
	}
	c = na_command_find(word);
	return c ? run_command(c, argc, argv) : unknown_command(q, word);
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

int main(int argc, char **argv)
{
	const struct na_request q = {.speaker = na_cli_speaker(NULL)};

	keep_descriptors();
	setlocale(LC_ALL, "C");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file too long is an error */
	gsl_set_error_handler_off();
	/* Large blocks go back to the system when they are freed: left to
	 * itself, glibc keeps ever larger ones. */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	return (int)close_stdout(&q, dispatch(&q, argc, argv));
}
