/*
 * Bus bandwidth over algorithm bandwidth, as nccl-tests defines it, of n
 * ranks and the larger of what goes in and what comes out at each.
 *
 * Source: NVIDIA/nccl-tests, doc/PERFORMANCE.md.
 */
#ifndef NETAN_METHODS_RANKS_BUS_H
#define NETAN_METHODS_RANKS_BUS_H

#include "netan/model/device.h"

static inline double na_bus_factor(uint8_t opcode, double n)
{
	switch (opcode) {
	case NA_OPCODE_ALL_REDUCE:
		return 2 * (n - 1) / n;
	case NA_OPCODE_ALL_GATHER:
	case NA_OPCODE_REDUCE_SCATTER:
	case NA_OPCODE_ALL_TO_ALL:
	case NA_OPCODE_RAGGED_ALL_TO_ALL:
		return (n - 1) / n;
	default:
		return 1;
	}
}

#endif
