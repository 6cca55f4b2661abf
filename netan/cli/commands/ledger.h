/*
 * A ledger remembers suspects over runs: a file of JSON objects, one a line,
 * that only grows.
 *
 *	{"when":"2026-10-02T03:09:06Z","run":"9f86d081884c7d65","by":"pairs",
 *	 "host":"host-17","peer":null,"kind":"src","cause":"large",
 *	 "events":31,"excess":2.8,M_p_value:1e-09,"lines":1,"netan":"0.1.0"}
 *
 *	when     when it happened, as the inputs tell; else when it was noted
 *	run      the first 16 digits of the SHA-256 over those of the inputs
 *	         (sorted); a run is never noted twice by the same command
 *	by       the command
 *	host     the suspect; null: the run named nobody, and counts
 *	peer     the other end, where a path between two hosts is suspected
 *	kind     as `pairs` names its culprits; of `hang`: "host", or "link"
 *	         for the ends of a broken link
 *	cause    as `hang` names causes; of `pairs`: the channel
 *	lines    how many the run has: with fewer it is not noted, and is noted
 *	         again
 *	events   hangs, or transfers; excess and p_value: of `pairs`, else null
 *
 * All lines of a run are written at once, under a lock, and reach the disk; or
 * none is.  What a crash has left of a line at the end is removed, and that is
 * said.  Other lines that are no such object (somebody edited) are counted and
 * left alone.
 */
#ifndef NETAN_CLI_COMMANDS_LEDGER_H
#define NETAN_CLI_COMMANDS_LEDGER_H

#include "members.h"
#include "netan/cli/cli.h"

struct na_suspect {              /* texts are borrowed */
	const char *host, *peer; /* peer: or NULL */
	const char *kind, *cause;
	uint64_t events;
	double excess, p_value; /* NaN: none */
};

struct na_ledger_run {
	const char *by;
	char id[17];
	int64_t when_ns; /* since the epoch; INT64_MIN: not known */
	const struct na_suspect *suspects;
	size_t n;
};

/* Of hexadecimal hashes of the inputs, in any order. */
void na_ledger_id(const char *const *hashes, size_t n, char id[17]);

/*
 * Notes the run in cli->common.ledger, and puts what it knows of the hosts
 * named now into the body of r and its views: the member "ledger".
 */
enum na_status na_ledger_note(const struct na_cli *cli,
			      const struct na_ledger_run *run,
			      struct na_result *r,
			      struct na_err *err) NA_MUST_CHECK;

struct na_session;

/* The culprits of a result, as `pairs` puts them.  Says itself what is
 * wrong. */
enum na_exit na_ledger_note_session(const struct na_cli *cli,
				    struct na_session *s, struct na_result *r);

/* What the command line alone can tell is wrong: says so itself. */
enum na_exit na_ledger_check(const struct na_cli *cli);

#endif
