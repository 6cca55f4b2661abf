/*
 * How good is what netan says of a view?
 *
 * right   `check` has an outcome that is right and accuses who it was, with
 *         the side where the view shows it, or `tcp` has a right verdict for
 *         at least a third of the connections that were touched; and nobody is
 *         accused wrongly.  Where nothing is wrong: nobody is accused.
 * fair    nobody is accused wrongly, but it cannot tell, or only a part
 * missed  it says healthy, or nothing
 * wrong   somebody is accused wrongly
 */
#ifndef ACCURACY_TCP_SCORE_H
#define ACCURACY_TCP_SCORE_H

#include "tests/accuracy/tcp/said.h"
#include "tests/accuracy/tcp/truth.h"

enum score { RIGHT, FAIR, MISSED, WRONG, SCORES };

enum { WHY_BYTES = 160 };

/* Verdicts of `tcp`: of connections that the fault touched, and of others. */
struct tally {
	unsigned touched, told; /* told: with a verdict that is right */
	unsigned others, quiet; /* quiet: accuses nobody */
	unsigned parties;       /* accused wrongly: server, client, settings */
};

struct scored {
	enum score score;
	char why[WHY_BYTES];
	bool clean;  /* the network dropped nothing of what it shows */
	bool blamed; /* though clean: the network loses packets */
	struct tally conns;
	bool acquitted; /* though not clean: the network is not guilty */
};

struct scored score_view(const struct truth *t, const struct sight *s,
			 const struct said *said);

#endif
