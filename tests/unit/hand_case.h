/*
 * A case made by hand: exhibits written as JSON, judged by one check or all.
 */
#ifndef TESTS_HAND_CASE_H
#define TESTS_HAND_CASE_H

#include "netan/checks/check.h"

enum { HAND_EXHIBITS = 16 };

struct hand_case {
	struct na_exhibit exhibits[HAND_EXHIBITS];
	struct na_result *owned[HAND_EXHIBITS];
	size_t n;
	struct na_limits limits; /* the defaults */
	double capacity_gbps;
	const char *only; /* NULL: all checks */
	struct na_result *judged;
	int worst;
};

void hand_case_init(struct hand_case *h);
void hand_case_fini(struct hand_case *h);
/* JSON (single quotes stand for double ones) into the body, the side tree or
 * the document of the exhibit of that name, which is new or not. */
void hand_body(struct hand_case *h, const char *name, const char *json);
void hand_side(struct hand_case *h, const char *name, const char *json);
void hand_doc(struct hand_case *h, const char *name, const char *json);
/* A result of somebody else as an exhibit; NULL: "nothing" is missing. */
void hand_show(struct hand_case *h, const char *name,
	       const struct na_result *r);
/* The body of the result: verdict, findings, ...  Until the next call. */
const struct na_value *hand_judge(struct hand_case *h);
/* The same, of one check: how many findings, and the first. */
size_t hand_found(struct hand_case *h, const char *id,
		  const struct na_value **first);
const char *hand_verdict(struct hand_case *h);

/* Judges by this check alone; then of its findings number i (NULL: there are
 * fewer), its severity ("none"), and what was missing, or NULL. */
void hand_run(struct hand_case *h, const char *id);
const struct na_value *hand_finding(const struct hand_case *h, size_t i);
const char *hand_severity(const struct hand_case *h, size_t i);
const char *hand_missing(const struct hand_case *h);

/* A row of power of pairs: the side's slowdown is at most so much. */
#define HAND_SIDE(host, side, upper) \
	"{'host': '" host "', 'side': '" side "', 'factor': " upper \
	", 'upper_factor': " upper "}"
/* Of pairs: no side is named, and each is 1.3x slower at most. */
#define HAND_POWER \
	"'outcome': 'not_guilty', 'culprits': [], 'undecided': [], 'power': [" \
	HAND_SIDE("a", "src", "1.3") "," HAND_SIDE("b", "src", "1.25") "," \
	HAND_SIDE("c", "dst", "1.2") "," HAND_SIDE("d", "dst", "1.2") "]"
#define HAND_NO_LINKS \
	"; shared links were not checked (--topology)"
#define HAND_NOT_GUILTY \
	"Network looks healthy: a NIC 1.30x slower than usual would have " \
	"been detected on all 4 transmit and receive sides" HAND_NO_LINKS

/* A healthy job of four hosts; its pairs; so much of its time waits for
 * communication. */
void hand_healthy(struct hand_case *h);
void hand_quiet_pairs(struct hand_case *h);
void hand_slack(struct hand_case *h, const char *share);

#endif
