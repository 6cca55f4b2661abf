/*
 * Hang messages out of real-life logs.
 *
 * A line belongs to a stream: who speaks.  That is decided by what stands
 * before the message: its words without times, severities and places in
 * sources (a thread id, a container's or pod's name, "worker-3 |").  A
 * digest goes on in lines with the same words in front, or with the first
 * of them (a collector repeats its own part and not the logger's), or with
 * none, when they are indented, hold a known key or look like a digest's
 * children: then the stream with the most words in common takes them, and
 * of several the one that spoke last.  So workers may interleave, as long
 * as each line says whose it is.
 *
 * A line that is a JSON object or several (container runtimes, cloud
 * logging), logfmt, or a record of a CSV file whose first line names a
 * column of messages, is its message; who speaks is told by the members that
 * name pod, container or host.  Messages in which newlines are written as \n
 * are taken apart.
 */
#ifndef INGEST_LOGS_HANG_H
#define INGEST_LOGS_HANG_H

#include "netan/model/logs/hang.h"

/* Digests that are open at once; more close the one that was silent for
 * longest.  One closes after so many lines without one of its own. */
enum { NA_HANG_STREAMS = 64, NA_HANG_SILENCE = 2000 };

/*
 * Reads one file ("-" is standard input) to its end; h->files gets a row.
 * NA_EFORMAT: damaged packing, what came before it was read; NA_EIO: could
 * not be read.  `path` is borrowed.
 */
enum na_status na_hang_read(struct na_hang *h, const char *path,
			    struct na_err *err) NA_MUST_CHECK;

#endif
