/*
 * A format of `netan export`: a row of exports.def.  What it writes is told by
 * the ending of -o.
 *
 *   begin  an empty file of that path is there; the state is zeroed
 *   end    analyses and checks are done; the file is complete afterwards
 *   close  due after begin, whatever it said
 *
 * Records go through `records` meanwhile, an analysis whose parameters are the
 * state (see na_battery_run()); NULL: it wants results alone.
 */
#ifndef NETAN_EXPORTS_EXPORT_H
#define NETAN_EXPORTS_EXPORT_H

#include <stdio.h>

#include "netan/engine/battery/battery.h"

struct na_export_of {
	const struct na_battery *battery;
	const struct na_result *check; /* of netan check; NULL: several runs */
	bool indexes;                  /* where the format has such */
};

struct na_export {
	const char *ending; /* without the point */
	const char *what;   /* in a list: "a SQLite database" */
	bool with_page;     /* netan report writes it beside its page, which
			       links to it: nothing of it is read again */
	bool step_hosts;    /* it tells of each host in each step */
	bool executions;    /* and of each execution of a collective */
	/* Exhibits that it tells of beside those that checks read; NULL ends,
	 * and instead of a list: all. */
	const char *const *uses;
	size_t state_size;
	const struct na_analysis *records;
	enum na_status (*begin)(void *state, const char *path,
				const struct na_request *q, struct na_err *err);
	/* What it holds goes to `told`, a line without its end. */
	enum na_status (*end)(void *state, const struct na_export_of *of,
			      FILE *told, struct na_err *err);
	void (*close)(void *state);
};

#define NA_EXPORT(name) extern const struct na_export na_export_##name;
#include "netan/exports/exports.def"

extern const struct na_export *const na_exports[]; /* NULL ends */
/* By the ending of a path, whatever its case; NULL: there is none. */
const struct na_export *na_export_find(const char *path);

#endif
