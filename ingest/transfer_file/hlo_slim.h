/*
 * An HLO module with nothing but what is needed to tell which collective a
 * device op is of: the instructions that communicate, and their operands.
 */
#ifndef INGEST_TRANSFER_FILE_HLO_SLIM_H
#define INGEST_TRANSFER_FILE_HLO_SLIM_H

#include "ingest/transfer_file/bytes.h"

/* From a HloProto or HloModuleProto to a HloProto, behind what `out` holds.
 * False: it is damaged, or memory is short (out->failed). */
bool na_hlo_slim(const void *p, size_t n, struct na_xf_bytes *out);

#endif
