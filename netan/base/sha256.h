/*
 * SHA-256 (FIPS 180-4), so that whoever reads a report can tell whether it
 * is of the files in front of him.  The only file that knows the library.
 */
#ifndef NETAN_BASE_SHA256_H
#define NETAN_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>

enum { NA_SHA256_HEX = 65 }; /* 64 digits and a NUL */

void na_sha256(const void *p, size_t n, char hex[NA_SHA256_HEX]);

/* Of a file's bytes as they are on the disk.  False, and hex "", when it is
 * no regular file (a pipe gives its bytes once), cannot be read to its end,
 * or `go_on` (NULL: always) says false, which is asked about every MiB. */
bool na_sha256_file(const char *path, bool (*go_on)(void *ctx), void *ctx,
		    char hex[NA_SHA256_HEX]);

/* The hash of a script as a Content-Security-Policy names it: base64. */
enum { NA_SHA256_BASE64 = 45 };
void na_sha256_base64(const void *p, size_t n, char text[NA_SHA256_BASE64]);

#endif
