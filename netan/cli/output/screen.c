#include "netan/cli/output/screen.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "netan/result/emit_lines.h"

enum { COLUMNS_UNKNOWN = 80, HELP_MOST = 79, HELP_LEAST = 40, SET_IN = 2 };

int na_screen_columns(int fd, bool tty)
{
	const char *asked = getenv("COLUMNS");
	long n = fd >= 0 && asked ? strtol(asked, NULL, 10) : 0;
	struct winsize size;

	if (tty && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return n > 0 && n <= INT_MAX ? (int)n : tty ? COLUMNS_UNKNOWN : 0;
}

size_t na_help_columns(void)
{
	int n = na_screen_columns(STDOUT_FILENO, isatty(STDOUT_FILENO));

	if (n <= 0 || n > HELP_MOST)
		return HELP_MOST;
	return n < HELP_LEAST ? HELP_LEAST : (size_t)n;
}

void na_print_line(const char *fmt, ...)
{
	bool tty = isatty(STDOUT_FILENO);
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (tty && vasprintf(&text, fmt, ap) >= 0)
		na_put_broken(stdout, text,
			      (size_t)na_screen_columns(STDOUT_FILENO, tty), 0,
			      SET_IN);
	else if (!tty)
		vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	free(text);
}
