/*
 * What fits on the terminal: its width, and lines broken to it.
 */
#ifndef NETAN_CLI_OUTPUT_SCREEN_H
#define NETAN_CLI_OUTPUT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Of the terminal, else what COLUMNS asks for; 0: unbounded. */
int na_screen_columns(int fd, bool tty);

/* The columns of help: no line is easy to read on a wider screen. */
size_t na_help_columns(void);

/* A line on standard output, on a terminal broken to its width. */
void na_print_line(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

#endif
