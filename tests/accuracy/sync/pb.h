/*
 * Protobuf, written: varints, strings and nested messages into one growing
 * buffer.  After a failure to get memory everything is a no-op and `ok` is
 * false.
 */
#ifndef ACCURACY_SYNC_PB_H
#define ACCURACY_SYNC_PB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/vec.h"

struct sy_pb {
	NA_VEC(uint8_t) bytes;
	bool failed;
};

void sy_pb_int(struct sy_pb *b, uint32_t field, uint64_t value);
void sy_pb_bytes(struct sy_pb *b, uint32_t field, const void *data, size_t n);
void sy_pb_text(struct sy_pb *b, uint32_t field, const char *text);

/* A message within: what sy_pb_begin() returns goes to sy_pb_end(). */
size_t sy_pb_begin(struct sy_pb *b, uint32_t field);
void sy_pb_end(struct sy_pb *b, size_t mark);

void sy_pb_fini(struct sy_pb *b);

#endif
