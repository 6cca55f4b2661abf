/*
 * What one rank does in one operation of a communication library (NCCL,
 * RCCL, gloo), as profilers and recorders of GPU jobs tell it.
 *
 * A rank is the na_core of its input, whose number it is.  The time is that
 * of the rank's kernel, else (`source`) of its range on the CPU, or from
 * when it was put into the queue.  Beside a record of a kernel or a range
 * goes a na_op of the same time, for those that only ask when a device
 * communicates.
 *
 * Sources: pytorch/kineto libkineto (output_json.cpp, MetadataFieldCatalog.h);
 * NVIDIA/nccl plugins/profiler; docs/formats.md, "GPU jobs".
 */
#ifndef NETAN_MODEL_COMM_H
#define NETAN_MODEL_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/model/device.h"
#include "netan/model/transfer.h"

enum na_comm_source {
	NA_COMM_KERNEL,
	NA_COMM_CPU,    /* no kernel: gloo, or a trace of the CPU alone */
	NA_COMM_QUEUED, /* from queueing to what was noticed of its end */
	NA_COMM_HELD,   /* the same of one that is not known to have begun: to
			   the last time that its input tells */
	NA_COMM_LASTED, /* how long is told, when is not: its end is when it was
			   written down */
	NA_COMM_BEGUN,  /* as held, and it has begun */
	NA_N_COMM_SOURCES
};

/* It is in the queue, and has not ended. */
static inline bool na_comm_pending(uint8_t source)
{
	return source == NA_COMM_HELD || source == NA_COMM_BEGUN;
}

struct na_comm {
	int64_t start_ps, end_ps;
	int64_t sequence;    /* of its group, as the input says; -1 */
	uint64_t size_bytes; /* the larger of what goes in and what comes out;
				NA_UNKNOWN_U64 */
	/* A name: its ranks, "0,1,2,3", where all are told; else what the
	 * input calls it; NA_UNKNOWN_U32. */
	uint32_t group;
	uint32_t group_size; /* 0: not told */
	uint32_t type;       /* name, of its elements; NA_UNKNOWN_U32 */
	uint32_t stream;     /* of its device; NA_UNKNOWN_U32 */
	int32_t peer;        /* rank in the job, of SEND and RECV; -1 */
	uint32_t core;
	uint32_t input;    /* na_store fills it in */
	uint8_t operation; /* enum na_opcode; OTHER: not told */
	uint8_t source;    /* enum na_comm_source */
	uint16_t purpose;  /* of groups of the same ranks, which: from what
			      describes it, by na_comm_purpose(); 0: not told */
};
_Static_assert(sizeof(struct na_comm) == 64, "millions are kept");

/* The same for the same text, and hardly ever for another one. */
static inline uint16_t na_comm_purpose(const char *s, size_t n)
{
	uint32_t h = 2166136261U;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * 16777619U;
	h = (h >> 16 ^ h) & 0xffff;
	return (uint16_t)(n && !h ? 1 : n ? h : 0);
}

#endif
