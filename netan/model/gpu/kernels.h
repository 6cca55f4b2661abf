/*
 * What the name of a GPU kernel tells.  Kernels of NCCL and RCCL are called
 * ncclKernel_AllReduce_RING_LL_Sum_float(...) or
 * ncclDevKernel_AllReduce_Sum_f32_RING_LL(...), or, with nothing of what
 * they do, ncclDevKernel_Generic_1(...); inference servers have kernels of
 * their own that reduce between devices.
 *
 * Sources: NVIDIA/nccl src/device/generate.py; vllm-project/vllm csrc/
 * custom_all_reduce.cuh; pytorch/pytorch SymmetricMemory.
 */
#ifndef NETAN_MODEL_GPU_KERNELS_H
#define NETAN_MODEL_GPU_KERNELS_H

#include <stdbool.h>

#include "netan/base/scan.h"
#include "netan/model/device.h"

/* Does it communicate with other devices?  Case does not count. */
bool na_kernel_talks(struct na_text name);

/* What it does: enum na_opcode; OTHER: the name does not say. */
uint8_t na_kernel_opcode(struct na_text name);

/* The same of a call or a range: "ncclAllReduce", "nccl:all_to_all",
 * "_allgather_base", "send 0->1". */
uint8_t na_call_opcode(struct na_text name);

/* The name without return type, namespace, template and arguments: a part of
 * it, of at most 1 KiB. */
struct na_text na_kernel_short(struct na_text name);

/* "ALL_REDUCE" of the opcode of a collective; NULL: none. */
const char *na_opcode_word(uint8_t opcode);
/* "AllReduce", as NCCL calls it, of that word; NULL: none of its own. */
const char *na_nccl_function(const char *word);

#endif
