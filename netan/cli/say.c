#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/text.h"
#include "netan/cli/anonymize.h"

enum { SAY_MAX = 4096 };

static bool colored(const struct na_cli *cli)
{
	const char *no = getenv("NO_COLOR");
	int wish = cli ? cli->common.color : NA_COLOR_AUTO;

	if (!isatty(STDERR_FILENO) || wish == NA_COLOR_NEVER)
		return false;
	return wish == NA_COLOR_ALWAYS || !no || !*no;
}

/* Messages quote names and paths, so the whole is escaped. */
static NA_PRINTF(4, 0) void say(const struct na_cli *cli, const char *kind,
				const char *style, const char *fmt, va_list ap)
{
	char text[SAY_MAX], *shown;

	vsnprintf(text, sizeof(text), fmt, ap);
	shown = na_shown(cli, text);
	fflush(stdout);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr); /* over a progress line */
	fputs("netan: ", stderr);
	if (colored(cli) && *kind)
		fprintf(stderr, "%s%s:\033[0m ", style, kind);
	else if (*kind)
		fprintf(stderr, "%s: ", kind);
	na_escape_to(NA_ESC_TERMINAL, shown ? shown : "out of memory", stderr);
	free(shown);
	putc('\n', stderr);
}

void na_say_error(const struct na_cli *cli, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(cli, "error", "\033[1;31m", fmt, ap);
	va_end(ap);
}

void na_say_warning(const struct na_cli *cli, const char *fmt, ...)
{
	va_list ap;

	if (cli && cli->common.quiet)
		return;
	va_start(ap, fmt);
	say(cli, "warning", "\033[1;33m", fmt, ap);
	va_end(ap);
}

void na_say_hint(const struct na_cli *cli, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(cli, "", "", fmt, ap);
	va_end(ap);
}

void na_say_detail(const struct na_cli *cli, const char *fmt, ...)
{
	va_list ap;

	if (!cli || !cli->common.verbose)
		return;
	va_start(ap, fmt);
	say(cli, "", "", fmt, ap);
	va_end(ap);
}
