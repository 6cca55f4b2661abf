/*
 * A host's settings kept as files, below a directory of their own: what
 * `netan sysctl --root` and `netan check --host-settings` read again.
 */
#ifndef NETAN_ENGINE_SNAPSHOT_H
#define NETAN_ENGINE_SNAPSHOT_H

#include "netan/base/err.h"
#include "netan/model/hosts/settings.h"

/* Before any work: NA_EIO when dir is there already and not an empty
 * directory, or could not be made. */
enum na_status na_snapshot_check(const char *dir,
				 struct na_err *err) NA_MUST_CHECK;
/* The whole directory appears under its name at once, or nothing does:
 * it is filled beside it.  Nothing that exists is written over. */
enum na_status na_snapshot_write(const struct na_settings *s, const char *dir,
				 struct na_err *err) NA_MUST_CHECK;

#endif
