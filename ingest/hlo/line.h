/*
 * One HLO instruction as text, the way compilers print it in dumps and
 * profilers put it into the name of a device op:
 *
 *   [ROOT] %name = SHAPE opcode(OPERANDS), key=value, key={...}, ...
 *
 * The leading % may be missing.  OPERANDS may repeat shapes ("bf16[8]{0}
 * %x") or not ("x").  A shape is type[dims]{layout} or a tuple (a, b, ...),
 * and may carry comments that count its members ("index=5", in C's comment
 * marks).
 *
 * Source: openxla/xla, xla/hlo/ir/hlo_instruction.cc (ToString).
 */
#ifndef INGEST_HLO_LINE_H
#define INGEST_HLO_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/model/device.h"
#include "netan/model/transfer.h"

struct na_hlo_line {
	struct na_text name, opcode_name;    /* borrowed from the text */
	struct na_text first_operand;        /* without %; n 0: none */
	struct na_text operands, attributes; /* between the parentheses; what
						follows them */
	struct na_text rendezvous, transfer_type, handler; /* n 0: none */
	uint64_t size_bytes;           /* of the result; NA_UNKNOWN_U64 */
	int64_t channel;               /* -1: none */
	uint32_t group_size, n_groups; /* of replica_groups or
					  source_target_pairs; 0: not told */
	uint8_t opcode, phase;         /* enum na_opcode, na_op_phase */
	bool host_transfer, uneven, root;
	bool all_devices; /* replica_groups={} */
};

/* False: the text is no instruction; *out then holds nothing.  Never reads
 * beyond the text; nesting is bounded by HLO_LINE_DEPTH. */
enum { HLO_LINE_DEPTH = 64 };
bool na_hlo_line(const char *s, size_t n, struct na_hlo_line *out);

/* Opcode and phase of "all-reduce-start"; NA_OPCODE_OTHER for those that do
 * not communicate. */
uint8_t na_hlo_opcode_of(const char *s, size_t n, uint8_t *phase);
/* The same of an op's short name, "recv-done.7"; a name that only begins
 * like an opcode ("all-reduce-scatter-fusion.2") is no such op. */
uint8_t na_hlo_opcode_of_name(const char *s, size_t n, uint8_t *phase);

/* The next operand in `operands` from *at on, without its shape and %;
 * false at the end. */
bool na_hlo_next_operand(const struct na_text *operands, size_t *at,
			 struct na_text *out);

/* Bytes of one element of a primitive type: by name ("bf16", "pred") in
 * bits, by number in xla_data.proto in bits; 0: none (token, opaque, tuple).
 * -1: not known. */
int na_hlo_type_bits(const char *s, size_t n);
int na_hlo_type_number_bits(uint64_t number);

#endif
