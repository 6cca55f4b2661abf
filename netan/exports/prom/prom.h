/*
 * Results as metrics: Prometheus text format 0.0.4 without timestamps, as the
 * textfile collector of its node exporter wants it.  Which member is which
 * metric: metrics.def.
 */
#ifndef NETAN_EXPORTS_PROM_PROM_H
#define NETAN_EXPORTS_PROM_PROM_H

#include <stdio.h>

#include "netan/engine/request.h"
#include "netan/result/result.h"

struct na_prom_of {
	const char *command;
	const struct na_result *result; /* NULL: none */
};

/* Has this command metrics? */
bool na_prom_has(const char *command);

/* The metrics of n results.  q: names are shown as it asks for; NULL: as they
 * are.  Rows with the same labels count once, the first.  NA_EIO with the
 * system's reason, NA_ENOMEM. */
enum na_status na_prom_put(const struct na_prom_of *of, size_t n,
			   const struct na_request *q, FILE *out,
			   struct na_err *err) NA_MUST_CHECK;

#endif
