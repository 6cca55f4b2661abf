/*
 * --hosts FILE, as traces, captures and dumps of ranks ask it.
 */
#ifndef NETAN_ENGINE_SESSION_HOSTS_FILE_H
#define NETAN_ENGINE_SESSION_HOSTS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/model/hosts/hosts.h"

enum { NA_RANK_NAME_BUF = 32 };

/* What a rank is called where nothing tells its host, and its key in the rows
 * of the file. */
const char *na_rank_name(char buf[NA_RANK_NAME_BUF], int32_t rank);
/* "3", "r3", "rank 3" */
bool na_rank_parse(const char *text, int32_t *rank);

/* na_hosts_fini() is due in any case. */
enum na_status na_hosts_read(struct na_hosts *h, const char *path,
			     struct na_err *err) NA_MUST_CHECK;

/* NULL: the file does not tell. */
const char *na_hosts_of_rank(const struct na_hosts *h, int32_t rank);

#endif
