/*
 * What a process that reads other people's files gives up for good before it
 * reads the first byte of them, where the kernel has the means:
 *
 * - Landlock: files and directories are opened, made, renamed and removed only
 *   where that was granted; nothing is executed, and no TCP port of IPv4 or
 *   IPv6 is connected to or bound.
 * - seccomp: of the kernel's calls those of calls.def are left.  What no reader
 *   of files has a business with (another program or process, the network,
 *   tracing, mounting) ends the process at once: by then somebody else's code
 *   runs in it.  What a library might try, and does without, is refused.  What
 *   is in no list is said not to exist (ENOSYS), so that a newer C library
 *   falls back on what is.  Memory that can be executed is not to be had.
 *
 * What is open already stays open, standard streams too.  Names, sizes and
 * times of files (stat) can be seen everywhere: no means of these hides them.
 *
 * All of it is the whole process's.  Begin on the only thread: Landlock holds
 * for the caller and for the threads that it starts.  Where the kernel has
 * not, or refuses, one of them, the other holds alone; na_sandbox_text() says
 * so.  A build without them (sanitizers, SANDBOX=no) grants everything.
 */
#ifndef NETAN_BASE_SANDBOX_H
#define NETAN_BASE_SANDBOX_H

#include <stdbool.h>

/* Of a file, or of a directory and all below it. */
enum na_reach {
	NA_REACH_LIST = 1,    /* directories are listed */
	NA_REACH_READ = 2,    /* that, and files read */
	NA_REACH_WRITE = 4,   /* files that are there are written */
	NA_REACH_REPLACE = 8, /* that, and files made, renamed and removed */
	NA_REACH_FOLDERS = 16 /* that, and directories */
};

struct na_sandbox {
	int rules; /* of Landlock; -1: there is none */
};

/* Nothing is granted yet, and nothing given up. */
void na_sandbox_begin(struct na_sandbox *s);

/* `reach`: bits of enum na_reach.  Of a symbolic link, and of /dev/fd/N, what
 * it leads to.  What is not there, or cannot be reached, grants nothing. */
void na_sandbox_grant(struct na_sandbox *s, const char *path, unsigned reach);

/*
 * NA_REACH_READ, and below a directory also of what symbolic links lead to:
 * files, and directories but those that the link itself lies below.  Names
 * with a dot in front are passed over.  All entries of the directory itself
 * are looked at, and NA_SANDBOX_ENTRIES of NA_SANDBOX_FOLDERS further down, the
 * nearest first: of links beyond nothing is granted.
 */
enum { NA_SANDBOX_ENTRIES = 32768, NA_SANDBOX_FOLDERS = 1024 };
void na_sandbox_grant_linked(struct na_sandbox *s, const char *path);

/* Landlock, with what was granted; once more: only what both grant.  Ends s. */
void na_sandbox_files(struct na_sandbox *s);

/* seccomp.  `capturing`: what a live capture asks of the socket that it has
 * open is left, too. */
void na_sandbox_calls(bool capturing);

/* Is all of it held that this build has? */
bool na_sandbox_whole(void);
/* "Landlock ABI 7, seccomp", or what is missing and why. */
enum { NA_SANDBOX_TEXT = 160 };
void na_sandbox_text(char text[NA_SANDBOX_TEXT]);

#endif
