/* netan slice of a capture: na_reader.slice. */
#ifndef INGEST_CAPTURE_CUT_H
#define INGEST_CAPTURE_CUT_H

#include "ingest/input.h"

enum na_status na_capture_slice(struct na_input *in, const struct na_slice *of,
				struct na_slice_counts *counts,
				struct na_err *err) NA_MUST_CHECK;

#endif
