/*
 * Python's pickle, protocol 2, byte for byte as TorchScript's pickler writes
 * it (torch/csrc/jit/serialization/pickler.cpp of PyTorch): each text once,
 * BINPUT behind it and BINGET afterwards; integers in the smallest of
 * BININT1, BININT2, BININT, LONG1; no memo for containers but those that
 * are used again.
 */
#ifndef NETAN_SYNTH_PYTORCH_PICKLE_OUT_H
#define NETAN_SYNTH_PYTORCH_PICKLE_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/base/strtab.h"
#include "netan/base/vec.h"
#include "netan/base/wire_out.h"

struct na_pickle { /* all zero but w */
	struct na_wire *w;
	struct na_strtab seen;
	NA_VEC(uint32_t) memo; /* by index in seen */
	uint32_t n_memo;
};

void na_pickle_begin(struct na_pickle *p);
/* The end; frees all but w, whose `failed` says when memory was short. */
void na_pickle_end(struct na_pickle *p);

void na_pickle_text(struct na_pickle *p, const char *s);
void na_pickle_int(struct na_pickle *p, int64_t v);
void na_pickle_bool(struct na_pickle *p, bool v);
void na_pickle_none(struct na_pickle *p);
/* { and [, to be closed with the same bracket's other half. */
void na_pickle_open(struct na_pickle *p, char bracket);
void na_pickle_close(struct na_pickle *p, char bracket);
/* The two values before become a tuple. */
void na_pickle_pair(struct na_pickle *p);
/* A container that is used again under this name: true when it was written
 * before and is now referred to; else write it, and then keep it. */
bool na_pickle_again(struct na_pickle *p, const char *name);
void na_pickle_keep(struct na_pickle *p, const char *name);

#endif
