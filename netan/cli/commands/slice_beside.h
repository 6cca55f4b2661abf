/*
 * netan slice -o DIR: traces of other runs that are there.
 */
#ifndef NETAN_CLI_COMMANDS_SLICE_BESIDE_H
#define NETAN_CLI_COMMANDS_SLICE_BESIDE_H

#include "netan/engine/slice/slice.h"

/*
 * Commands read all traces of a directory as one run.  NA_EUSAGE where `dir`,
 * which is there, holds some that are none of names[] (na_slice_names), and so
 * would stay beside what is written; paths live in the arena.
 */
enum na_status na_slice_check_beside(const struct na_slicer *z, const char *dir,
				     const char *const *names,
				     struct na_arena *a,
				     struct na_err *err) NA_MUST_CHECK;

#endif
