/*
 * Messages in protobuf's wire format, field by field.
 */
#ifndef TESTS_UNIT_PROTO_BYTES_H
#define TESTS_UNIT_PROTO_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* A message that grows; zero to begin with. */
struct proto_bytes {
	uint8_t p[4096];
	size_t n;
};

void proto_varint(struct proto_bytes *to, uint64_t x);
void proto_number(struct proto_bytes *to, uint32_t field, uint64_t x);
void proto_text(struct proto_bytes *to, uint32_t field, const char *s);
void proto_message(struct proto_bytes *to, uint32_t field,
		   const struct proto_bytes *m);
/* Packed; a negative number ends them. */
void proto_packed(struct proto_bytes *to, uint32_t field, const int64_t *x);

#endif
