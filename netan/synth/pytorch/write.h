/*
 * What the writers of one rank's evidence share.
 */
#ifndef NETAN_SYNTH_PYTORCH_WRITE_H
#define NETAN_SYNTH_PYTORCH_WRITE_H

#include "netan/synth/pytorch/pytorch.h"

/* Groups of one rank are not made. */
static inline bool na_torch_has(const struct na_torch_job *job, int role)
{
	return job->roles[role].size > 1;
}

static inline bool na_torch_without(const struct na_torch_job *job,
				    enum na_torch_without what)
{
	return job->without >> what & 1;
}

#endif
