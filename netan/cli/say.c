/* How the command line speaks: on stderr. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "netan/base/memory/oom.h"
#include "netan/base/memory/temp_files.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/cli/cli.h"
#include "netan/cli/output/screen.h"
#include "netan/engine/parallel.h"
#include "netan/result/emit_lines.h"

#define FIRST_NS NA_NS_PER_S /* quick work shows nothing */
#define EVERY_NS (NA_NS_PER_S / 10)

static bool colored(const struct na_cli *cli)
{
	const char *no = getenv("NO_COLOR");
	int wish = cli ? cli->common.color : NA_COLOR_AUTO;

	if (!isatty(STDERR_FILENO) || wish == NA_COLOR_NEVER)
		return false;
	return wish == NA_COLOR_ALWAYS || !no || !*no;
}

static bool hears(void *ctx, enum na_level level)
{
	const struct na_cli *cli = ctx;

	if (level == NA_SAY_WARNING)
		return !(cli && cli->common.quiet);
	return level != NA_SAY_DETAIL || (cli && cli->common.verbose);
}

/* Of thousands of damaged files: the others are counted. */
enum { WARNINGS_MOST = 20 };

static atomic_bool said_error;

/* That memory was short is said once, by whichever thread was refused first. */
enum { UNSAID, BEING_SAID, SAID };
static atomic_int short_of_memory = UNSAID;
static _Thread_local bool says_so;

static bool may_say_so(void)
{
	int unsaid = UNSAID;

	says_so = atomic_compare_exchange_strong(&short_of_memory, &unsaid,
						 BEING_SAID);
	return says_so;
}
static atomic_size_t warnings;

bool na_said_error(void)
{
	return said_error;
}

void na_say_more_warnings(const struct na_request *q)
{
	size_t n = atomic_load(&warnings);

	if (n > WARNINGS_MOST)
		na_say_hint(q, "%zu more warnings: -v says all",
			    n - WARNINGS_MOST);
}

enum { INDENT = 7 }; /* "netan: " */

/* On a terminal broken to its width; in a file a message is a line. */
static void put_text(const char *text, const char *kind)
{
	size_t at = INDENT + (kind ? strlen(kind) + 2 : 0);

	if (isatty(STDERR_FILENO))
		na_put_broken(stderr, text,
			      (size_t)na_screen_columns(STDERR_FILENO, true),
			      at, INDENT);
	else
		na_escape_to(NA_ESC_TERMINAL, text, stderr);
}

/* Messages quote names and paths, so the whole is escaped. */
static void say(void *ctx, enum na_level level, const char *text)
{
	const struct na_cli *cli = ctx;
	const char *kind = level == NA_SAY_ERROR     ? "error"
			   : level == NA_SAY_WARNING ? "warning"
						     : NULL;
	bool refused = level == NA_SAY_ERROR && na_oom() &&
		       strstr(text, "memory");

	if (level == NA_SAY_ERROR)
		said_error = true;
	if (refused && !may_say_so())
		return;
	if (level == NA_SAY_WARNING && !(cli && cli->common.verbose) &&
	    atomic_fetch_add(&warnings, 1) >= WARNINGS_MOST)
		return;
	fflush(stdout);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr); /* over a progress line */
	fputs("netan: ", stderr);
	if (kind && colored(cli))
		fprintf(stderr, "\033[1;%dm%s:\033[0m ",
			level == NA_SAY_ERROR ? 31 : 33, kind);
	else if (kind)
		fprintf(stderr, "%s: ", kind);
	put_text(text, kind);
	putc('\n', stderr);
	if (refused)
		short_of_memory = SAID;
	says_so = false;
}

static bool shows_progress(const struct na_cli *cli)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && !cli->common.quiet &&
	       cli->common.progress != NA_PROGRESS_NEVER && term &&
	       strcmp(term, "dumb") != 0;
}

static void end_progress(struct na_cli *cli)
{
	if (cli->progress_shown_ns) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	cli->progress_since_ns = cli->progress_shown_ns = 0;
}

static void progress(void *ctx, const char *what, double share)
{
	struct na_cli *cli = ctx;
	int64_t now = na_now_ns();
	char text[64];

	if (!what) {
		end_progress(cli);
		return;
	}
	if (!cli->progress_since_ns)
		cli->progress_since_ns = now;
	if (now - cli->progress_since_ns < FIRST_NS ||
	    now - cli->progress_shown_ns < EVERY_NS || !shows_progress(cli))
		return;
	/* Short enough for any terminal: a wrapped line cannot be erased. */
	if (na_escape(NA_ESC_TERMINAL, what, text, sizeof(text) - 4) >=
	    sizeof(text) - 4)
		strcat(text, "...");
	fprintf(stderr, "\r\033[K%s %3.0f%%", text,
		share < 1 ? share * 100 : 100);
	fflush(stderr);
	cli->progress_shown_ns = now;
}

struct na_speaker na_cli_speaker(struct na_cli *cli)
{
	return (struct na_speaker){hears, say, cli ? progress : NULL, cli};
}

/* Another thread is about to. */
static void wait_till_said(void)
{
	const struct timespec moment = {.tv_nsec = NA_NS_PER_S / 100};

	for (int i = 0; i < 100 && short_of_memory == BEING_SAID; i++)
		nanosleep(&moment, NULL);
}

/* From within malloc(): only what takes no memory. */
void na_end_refused(void)
{
	static atomic_flag ending = ATOMIC_FLAG_INIT;
	static _Thread_local bool mine;
	struct na_err err = {.status = NA_OK};
	char line[sizeof(err.text) + 32];

	if (mine)
		return;
	mine = true;
	while (atomic_flag_test_and_set(&ending))
		pause(); /* another thread ends the program */
	na_temp_files_remove();
	na_in_err(na_fail_nomem(&err));
	snprintf(line, sizeof(line), "netan: error: %s\n", err.text);
	/* Or this one was, and cannot. */
	if (says_so || may_say_so())
		(void)!write(STDERR_FILENO, line, strlen(line));
	else
		wait_till_said();
	_exit(NA_EXIT_FAILED);
}

bool na_stopped(const struct na_cli *cli, bool interrupted)
{
	if (!cli->command->whole || (!interrupted && !na_interrupted()))
		return false;
	na_say_error(&cli->request, "interrupted: nothing is written");
	return true;
}

const char *na_when_stopped(const struct na_command *c)
{
	if (!(c->joins & NA_JOIN_INPUT))
		return NULL;
	return c->whole ? "Ctrl-C: nothing that is not whole is written "
			  "(exit status 130)."
			: "Ctrl-C: what was read until then is printed and "
			  "written to -o, and says that it is partial (exit "
			  "status 1).";
}

enum na_exit na_say_failed(const struct na_cli *cli, const struct na_err *err)
{
	if (err->status != NA_OK)
		na_say_error(&cli->request, "%s", err->text);
	return na_exit_of(err->status);
}
