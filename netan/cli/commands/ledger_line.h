/* A line of a ledger, read and written (ledger.h says what it holds). */
#ifndef NETAN_CLI_COMMANDS_LEDGER_LINE_H
#define NETAN_CLI_COMMANDS_LEDGER_LINE_H

#include <stdio.h>

#include "ingest/logs/lines.h"
#include "netan/base/scan.h"
#include "netan/cli/commands/ledger.h"

enum na_ledger_field {
	NA_LEDGER_WHEN,
	NA_LEDGER_RUN,
	NA_LEDGER_BY,
	NA_LEDGER_HOST,
	NA_LEDGER_CAUSE,
	NA_LEDGER_LINES,
	NA_LEDGER_FIELDS
};

struct na_ledger_entry {
	bool has[NA_LEDGER_FIELDS];
	char text[NA_LEDGER_FIELDS][NA_LINE_MAX / 128]; /* 512 bytes */
};

/* Not what is no object, or lacks a run, its command or a time.  What is there
 * is a text, of `lines` digits. */
bool na_ledger_parse(struct na_text x, struct na_ledger_entry *e);
/* s NULL: the run named nobody. */
void na_ledger_put(FILE *out, const struct na_ledger_run *run, const char *when,
		   const struct na_suspect *s);

#endif
