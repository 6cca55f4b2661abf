/*
 * Faults that can be planted, as typed: KIND:HOST[:HOST][:VALUE], or with a
 * rank instead of a host.
 */
#ifndef NETAN_SYNTH_JOB_FAULT_H
#define NETAN_SYNTH_JOB_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/opt.h"
#include "netan/base/scan.h"

enum na_fault_kind {
	NA_FAULT_SLOW_SENDER, /* value_q16: latency factor */
	NA_FAULT_SLOW_RECEIVER,
	NA_FAULT_SLOW_HOST,
	NA_FAULT_SLOW_PATH,    /* host -> peer */
	NA_FAULT_TAIL,         /* value_q16: share of its sends */
	NA_FAULT_SLOW_COMPUTE, /* value_q16: factor on computing */
	NA_FAULT_REGISTRATION, /* value: how many */
	NA_FAULT_COPY,
	NA_FAULT_SMALL_SLACK, /* name: a collective */
	NA_FAULT_CLOCK,       /* value: ps that the clock is ahead */
	NA_FAULT_TRUNCATE,    /* value: bytes, or value_q16: share */
	NA_FAULT_LOOPBACK,    /* value: how many receives */
	NA_FAULT_NO_LATENCY,
	NA_FAULT_BAD_KEY,
	NA_FAULT_PROGRAM,        /* the host runs another program */
	NA_FAULT_LATE_INPUT,     /* value: ps, value_q16: share of its steps */
	NA_FAULT_STALL,          /* name: a collective; value: ps */
	NA_FAULT_SLOW_REDUCTION, /* value_q16: factor on reductions */
	NA_FAULT_LARGE_SHARD,    /* name: a collective; value: bytes */
	/* Of ranks: `host` is the rank. */
	NA_FAULT_LATE_RANK,    /* value: ps, in each step */
	NA_FAULT_STUCK_DEVICE, /* it does not leave an operation */
	NA_FAULT_STUCK_HOST,   /* it does not come to it */
	NA_FAULT_MISMATCH,     /* it calls another */
	NA_FAULT_MISSING_RANK, /* it is gone, and no dump is there */
	NA_FAULT_KINDS
};

#define NA_SHARD_MAX (UINT64_C(4) << 30)

struct na_fault {
	enum na_fault_kind kind;
	const char *text;    /* as typed; borrowed */
	struct na_text name; /* part of text: the collective; or none */
	uint32_t host, peer; /* host: the rank, of faults of ranks */
	int64_t value, value_q16;
};

/* "slow-sender", "slow-receiver", ... */
const char *na_fault_name(enum na_fault_kind kind);
const char *na_fault_offered(size_t k); /* NULL behind the last */

/*
 * The list as typed to n_faults records, allocated at *out.  Hosts may be
 * given by name ("host-3") or number, ranks as "r3" or "3"; n_ranks is 0
 * where a job has none.  NA_EUSAGE names the part that is wrong and what
 * could stand there.
 */
NA_MUST_CHECK enum na_status na_faults_parse(const struct na_text_list *list,
					     uint32_t n_hosts, uint32_t n_ranks,
					     struct na_fault **out, size_t *n,
					     struct na_err *err);

/* Whether it names this collective. */
bool na_fault_names(const struct na_fault *f, const char *collective);

/* "host-3" or "3" to 3. */
NA_MUST_CHECK enum na_status na_fault_host(const char *s, size_t len,
					   uint32_t n_hosts, uint32_t *host,
					   struct na_err *err);

#endif
