/*
 * A host's network settings, NICs and TCP counters from the files below a
 * root (netan/model/hosts/settings.h says which), and its routes from a saved
 * text or, where the root is this machine's, from the kernel.
 *
 * The host is called as the file `hostname`, `proc/sys/kernel/hostname` or
 * `etc/hostname` says.  Below a root other than "/" routes are in the file
 * `routes.txt`.  That and `hostname` are how a snapshot keeps what is no
 * file on a host.
 */
#ifndef INGEST_HOST_SETTINGS_H
#define INGEST_HOST_SETTINGS_H

#include "ingest/bytes/chroot_path.h"
#include "netan/model/hosts/settings.h"

#define NA_SETTING_BYTES  ((size_t)4096)     /* of a file with one value */
#define NA_COUNTERS_BYTES ((size_t)64 << 10) /* of snmp, netstat */
enum { NA_NICS_MAX = 256 };                  /* more are counted */
#define NA_ROUTES_FILE "routes.txt"
/* Of a snapshot: paths that were there and could not be read, a line each;
 * what is missing for that reason is not taken for absent. */
#define NA_REFUSED_FILE "unreadable.txt"

struct na_settings_from {
	const char *root;   /* a directory */
	const char *routes; /* text[n] of a saved `ip route`, or NULL */
	size_t routes_bytes;
	bool live; /* the root is this machine: ask the kernel for routes */
	bool by_directory; /* where no file tells the host's name, the
			    * directory's does */
};

/*
 * What cannot be seen becomes unknown, with the reason.  NA_EIO: the root is
 * no directory that can be opened; NA_EDOMAIN: it holds nothing that the
 * reader knows; NA_EFORMAT: `routes` is no such text; NA_ENOMEM.
 * na_settings_fini() in any case.
 */
enum na_status na_settings_read(struct na_settings *s,
				const struct na_settings_from *from,
				struct na_err *err) NA_MUST_CHECK;

/* Whether the directory is such a root: it has one of the files or folders
 * that are looked for. */
bool na_settings_here(const char *dir);

/*
 * Values of /proc/net/snmp and netstat, text[n]: pairs of lines, names and
 * numbers, each behind "PREFIX:".  False: not there or no number.
 */
bool na_settings_counter(const char *text, size_t n, const char *prefix,
			 const char *name, int64_t *v);
/* `count` integers, blanks between, nothing else. */
bool na_settings_numbers(const char *text, int64_t *v, size_t count);

#endif
