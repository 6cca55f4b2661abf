/*
 * Commands that people paste.  What stands in one and was not written by us
 * (a NIC's name, a path) goes through here: a POSIX shell takes it for one
 * word, and does nothing else with it.
 */
#ifndef NETAN_BASE_SHELL_H
#define NETAN_BASE_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One word or more, parted by spaces, that need no quotes. */
bool na_shell_plain(const char *words);

/* One word, in quotes where it needs them. */
void na_shell_put(FILE *out, const char *word);

/* A path that is no option, whatever it begins with. */
void na_shell_put_path(FILE *out, const char *path);

/* One word into buf, whole and one line, so that it may stand in a comment;
 * where it does not fit, has control characters, would be an option, or memory
 * is short, `instead`: a plain word that stands for it. */
const char *na_shell_word(char *buf, size_t size, const char *word,
			  const char *instead);

#endif
