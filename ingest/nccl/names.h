/*
 * Words of NCCL's (and RCCL's) that its logs and its profiler plugins share.
 */
#ifndef INGEST_NCCL_NAMES_H
#define INGEST_NCCL_NAMES_H

#include "netan/base/scan.h"
#include "netan/model/device.h"

/* "AllReduce", "Send"; OTHER: none that we know. */
enum na_opcode na_nccl_opcode(struct na_text function);

/* A larger rank, or more ranks, is damage. */
enum { NA_NCCL_RANKS_MAX = 1 << 20 };

#endif
