/*
 * --host-settings DIR...: the network settings of a job's hosts, from their
 * snapshots (netan sysctl --snapshot), as the exhibit "settings" of checks.
 *
 * Its body: hosts[] with path, command (that shows more), trace_host (the
 * host of the trace that it is, or null), and what sysctl says of it without
 * routes and interfaces that are no NICs; without[], the recorded hosts of
 * the trace that have no snapshot.
 */
#ifndef NETAN_CLI_COMMANDS_HOST_SETTINGS_H
#define NETAN_CLI_COMMANDS_HOST_SETTINGS_H

#include "netan/cli/cli.h"
#include "netan/engine/battery/battery.h"

enum { NA_SNAPSHOTS_MAX = 4096 };

struct na_snapshots {
	struct na_arena arena;
	const char **dirs; /* NULL: none were asked for */
	size_t n, cap;
};

/* Before the traces are read: each directory is a snapshot, or holds some.
 * Says what is wrong itself.  na_snapshots_fini() in any case. */
enum na_exit na_snapshots_find(struct na_snapshots *s,
			       const struct na_cli *cli);
/* Reads them; those that cannot be read are warned of. */
enum na_exit na_snapshots_add(const struct na_snapshots *s,
			      const struct na_cli *cli, struct na_battery *b);
void na_snapshots_fini(struct na_snapshots *s);

/*
 * Which of n hosts is called `name`: exactly so, or else, unless either is an
 * address, so up to the first dot; then it must be the only one.  n: none.
 */
size_t na_same_host(const char *name, const char *const *hosts, size_t n);

#endif
