#include "netan/model/gpu/kernels.h"

#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/vec.h"

/* NCCL's are below 100. */
enum { KERNEL_NAME_MAX = 1024 };

/* Kernels that are not NCCL's, by a part of their names. */
/* clang-format off */
static const struct {
	const char *part;
	uint8_t opcode;
} customs[] = {
	{"cross_device_reduce", NA_OPCODE_ALL_REDUCE},
	{"multimem_all_reduce", NA_OPCODE_ALL_REDUCE},
	{"multimem_one_shot_all_reduce", NA_OPCODE_ALL_REDUCE},
	{"one_shot_all_reduce", NA_OPCODE_ALL_REDUCE},
	{"two_shot_all_reduce", NA_OPCODE_ALL_REDUCE},
	{"allreduce_fusion_kernel", NA_OPCODE_ALL_REDUCE},
	{"allreduce_prototype_twoshot", NA_OPCODE_ALL_REDUCE},
	{"multimem_all_gather", NA_OPCODE_ALL_GATHER},
};
/* clang-format on */

static bool is_nccl(struct na_text name)
{
	return na_starts_nocase(name.s, name.n, "nccl");
}

static size_t custom_of(struct na_text name)
{
	struct na_text before, behind;
	size_t i = 0;

	while (i < NA_LEN(customs) &&
	       !na_text_split(name, customs[i].part, &before, &behind))
		i++;
	return i;
}

bool na_kernel_talks(struct na_text name)
{
	return is_nccl(name) || custom_of(name) < NA_LEN(customs);
}

/* As NCCL calls them. */
/* clang-format off */
static const struct {
	const char *name;
	uint8_t opcode;
} functions[] = {
	{"AllReduce", NA_OPCODE_ALL_REDUCE},
	{"AllGather", NA_OPCODE_ALL_GATHER},
	{"ReduceScatter", NA_OPCODE_REDUCE_SCATTER},
	{"AlltoAll", NA_OPCODE_ALL_TO_ALL},
	{"Broadcast", NA_OPCODE_BROADCAST},
	{"Reduce", NA_OPCODE_REDUCE},
	{"SendRecv", NA_OPCODE_SEND_RECV},
};
/* clang-format on */

/* The <Op> in ncclDevKernel_<Op>_<Red>_<dtype>_<ALGO>_<PROTO>. */
static uint8_t nccl_opcode(struct na_text name)
{
	size_t from = 0;

	for (size_t i = 0; i <= name.n; i++) {
		if (i < name.n && name.s[i] != '_')
			continue;
		for (size_t k = 0; k < NA_LEN(functions); k++) {
			if (na_same_nocase(name.s + from, i - from,
					   functions[k].name))
				return functions[k].opcode;
		}
		from = i + 1;
	}
	return NA_OPCODE_OTHER;
}

uint8_t na_kernel_opcode(struct na_text name)
{
	size_t custom;

	if (is_nccl(name))
		return nccl_opcode(na_kernel_short(name));
	custom = custom_of(name);
	return custom < NA_LEN(customs) ? customs[custom].opcode
					: NA_OPCODE_OTHER;
}

/* Behind "void (anonymous namespace)::" and the like. */
static struct na_text without_scope(struct na_text name)
{
	static const char *const before[] = {"void ", "(anonymous namespace)::",
					     "at::", "vllm::", "sglang::"};

	for (size_t i = 0; i < NA_LEN(before); i++)
		na_text_past(&name, before[i]);
	return name;
}

struct na_text na_kernel_short(struct na_text name)
{
	static const char ends[] = "(<";

	name = without_scope(name);
	if (name.n > KERNEL_NAME_MAX)
		name.n = KERNEL_NAME_MAX;
	for (size_t i = 0; i < 2; i++) {
		size_t at = na_text_first(name, ends[i]);

		if (at && at < name.n)
			name.n = at;
	}
	while (name.n && name.s[name.n - 1] == ' ')
		name.n--;
	return name;
}

uint8_t na_call_opcode(struct na_text name)
{
	/* clang-format off */
	static const struct {
		const char *part;
		uint8_t opcode;
	} parts[] = {
		{"allreduce", NA_OPCODE_ALL_REDUCE},
		{"allgather", NA_OPCODE_ALL_GATHER},
		{"reducescatter", NA_OPCODE_REDUCE_SCATTER},
		{"alltoall", NA_OPCODE_ALL_TO_ALL},
		{"broadcast", NA_OPCODE_BROADCAST},
		{"bcast", NA_OPCODE_BROADCAST},
		{"barrier", NA_OPCODE_ALL_REDUCE},
		{"reduce", NA_OPCODE_REDUCE},
		{"send", NA_OPCODE_SEND},
		{"recv", NA_OPCODE_RECV},
	};
	/* clang-format on */
	char plain[64];
	size_t n = 0;

	for (size_t i = 0; i < name.n && n < sizeof(plain); i++) {
		if (name.s[i] != '_')
			plain[n++] = name.s[i];
	}
	for (size_t i = 0; i < NA_LEN(parts); i++) {
		if (na_contains_nocase(plain, n, parts[i].part))
			return parts[i].opcode;
	}
	return NA_OPCODE_OTHER;
}

const char *na_opcode_word(uint8_t opcode)
{
	/* clang-format off */
	static const char *const words[NA_N_OPCODES] = {
		[NA_OPCODE_ALL_REDUCE] = "ALL_REDUCE",
		[NA_OPCODE_ALL_GATHER] = "ALL_GATHER",
		[NA_OPCODE_REDUCE_SCATTER] = "REDUCE_SCATTER",
		[NA_OPCODE_ALL_TO_ALL] = "ALL_TO_ALL",
		[NA_OPCODE_RAGGED_ALL_TO_ALL] = "RAGGED_ALL_TO_ALL",
		[NA_OPCODE_PERMUTE] = "COLLECTIVE_PERMUTE",
		[NA_OPCODE_BROADCAST] = "BROADCAST",
		[NA_OPCODE_REDUCE] = "REDUCE",
		[NA_OPCODE_SEND_RECV] = "SEND_RECV",
	};
	/* clang-format on */

	return opcode < NA_N_OPCODES ? words[opcode] : NULL;
}

const char *na_nccl_function(const char *word)
{
	for (size_t i = 0; i < NA_LEN(functions); i++) {
		if (strcmp(na_opcode_word(functions[i].opcode), word) == 0)
			return functions[i].name;
	}
	return NULL;
}
