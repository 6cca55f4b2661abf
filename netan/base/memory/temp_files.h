/*
 * Names of files that are not finished yet, to be removed where a signal ends
 * the program before it can do so itself.
 */
#ifndef NETAN_BASE_MEMORY_TEMP_FILES_H
#define NETAN_BASE_MEMORY_TEMP_FILES_H

#include <stdbool.h>

struct na_temp_file;

/*
 * A file, or a folder that is empty once the others are gone; before it is
 * made.  path is copied.  From any thread.  NULL: no memory, or too long; it is
 * not removed then, and that is all.
 */
struct na_temp_file *na_temp_file_new(const char *path);
/* It has its own name by now, or is gone.  NULL is none. */
void na_temp_file_free(struct na_temp_file *l);

/* Removes all of them.  From a signal's handler, too; the program ends. */
void na_temp_files_remove(void);

/* For main(): the signals that end a program (SIGTERM, SIGHUP, SIGINT) do so
 * after this, and where it is aloud after saying so; of SIGINT nothing is said,
 * for who sent it sits in front.  A limit of the size of files (SIGXFSZ) is
 * what a full disk is: an error of who writes. */
void na_temp_files_on_signals(bool aloud);

/* The handler for that: of who catches a signal once, for the next one. */
void na_temp_files_end(int number);

#endif
