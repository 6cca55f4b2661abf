/*
 * Between the slices of JSON traces: events of PyTorch (cut.c), dispatches of
 * rocprofv3 (cut_rocprof.c).
 */
#ifndef INGEST_KINETO_CUT_H
#define INGEST_KINETO_CUT_H

#include "ingest/kineto/bare.h"

struct kt_cut {
	struct na_input *in;
	const struct na_slice *of;
	struct na_slice_counts *counts;
	struct na_err *err;
	struct kt_bare bare; /* --anonymize */
	uint64_t devices;    /* of kernels that were kept: bits */
	bool has_first, has_process, any;
};

enum na_status kt_cut_put(const struct kt_cut *c, const char *s,
			  size_t n) NA_MUST_CHECK;
/* What was made without names. */
enum na_status kt_cut_put_bare(struct kt_cut *c) NA_MUST_CHECK;
/* Past the bracket that opens the document s, and the member that says that
 * it is a slice, behind which s goes. */
enum na_status kt_cut_put_mark(const struct kt_cut *c, const char **s,
			       const char *end) NA_MUST_CHECK;
/* Does it meet the window, or the wide one? */
bool kt_cut_meets(const struct kt_cut *c, int64_t start_ps, int64_t end_ps,
		  bool wide);

enum na_status kt_cut_rocprof(struct kt_cut *c) NA_MUST_CHECK;

#endif
