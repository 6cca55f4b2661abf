/*
 * netan slice -o DIR: what the slice of each input is called there.
 */
#ifndef NETAN_CLI_COMMANDS_SLICE_NAMES_H
#define NETAN_CLI_COMMANDS_SLICE_NAMES_H

#include "netan/engine/slice/slice.h"

/*
 * A path in `dir` for each input of the session, in the arena: like the file,
 * without the ending of what it is packed with; where two files would be
 * called alike, with the folders in front that tell them apart; under
 * --anonymize "input-3" and the endings of its format and of what is packed.  NULL: no memory, or
 * NA_EUSAGE where they are alike even so.
 */
const char **na_slice_names(const struct na_slicer *z, const char *dir,
			    struct na_arena *a, struct na_err *err);

#endif
