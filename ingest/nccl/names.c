#include "ingest/nccl/names.h"

/* clang-format off */
static const struct { const char *word; enum na_opcode is; } functions[] = {
	{"AllReduce", NA_OPCODE_ALL_REDUCE},
	{"AllGather", NA_OPCODE_ALL_GATHER},
	{"ReduceScatter", NA_OPCODE_REDUCE_SCATTER},
	{"AllToAll", NA_OPCODE_ALL_TO_ALL},
	{"AlltoAll", NA_OPCODE_ALL_TO_ALL},
	{"AllToAllv", NA_OPCODE_RAGGED_ALL_TO_ALL},
	{"Broadcast", NA_OPCODE_BROADCAST},
	{"Reduce", NA_OPCODE_REDUCE},
	{"Send", NA_OPCODE_SEND},
	{"Recv", NA_OPCODE_RECV},
	{"SendRecv", NA_OPCODE_SEND_RECV},
};
/* clang-format on */

enum na_opcode na_nccl_opcode(struct na_text function)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (na_text_is(function, functions[i].word))
			return functions[i].is;
	}
	return NA_OPCODE_OTHER;
}
