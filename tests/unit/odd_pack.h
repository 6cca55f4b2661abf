/*
 * Protobuf messages packed in unusual but legal ways: fields in any order
 * (those of one repeated field keep theirs), a singular field given twice
 * (the last counts; not in planes and lines), defaults written out, packed
 * lists unpacked, fields that no one knows in between, varints longer than
 * they must be.  Readers must see the same message.
 */
#ifndef TESTS_UNIT_ODD_PACK_H
#define TESTS_UNIT_ODD_PACK_H

#include <protobuf-c/protobuf-c.h>

#include "netan/synth/rng.h"

/* To be freed.  The same state of rng, the same bytes. */
uint8_t *odd_pack(const ProtobufCMessage *m, struct na_rng *rng, size_t *n);

#endif
