/* What the name of a file of a GPU job tells. */
#ifndef INGEST_GPU_FILE_NAME_H
#define INGEST_GPU_FILE_NAME_H

#include <stdint.h>

/* The rank: rank-3, rank_3, rank3, worker3, 1-TP-3-EP-3; -1: none, or not by
 * itself. */
int32_t na_rank_of_path(const char *path);

#endif
