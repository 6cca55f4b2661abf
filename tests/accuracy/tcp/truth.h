/*
 * What is true of a recorded condition, and of what one view of it shows.
 */
#ifndef ACCURACY_TCP_TRUTH_H
#define ACCURACY_TCP_TRUTH_H

#include <stdint.h>

#include "netan/base/vec.h"
#include "tests/accuracy/tcp/json.h"

enum { NAME_BYTES = 64, HOSTS_MOST = 8 };

/* Ends are "address:port"; hosts are numbers from 0, as in the truth. */
struct truth_conn {
	const char *ends[2]; /* the first one sent first */
	unsigned hosts[2];
	const struct json
		*verdicts; /* that are right if the fault touched it */
	uint64_t dropped;  /* data and SYNs, both ways */
	uint64_t dropped_acks;
};

struct truth {
	struct json root;
	const char *condition;
	const char *fault; /* as record.sh says */
	const struct json *outcome, *accused, *words, *views;
	char hosts[HOSTS_MOST][NAME_BYTES], addresses[HOSTS_MOST][NAME_BYTES];
	unsigned n_hosts;
	uint64_t dropped; /* data and SYNs, over all */
	bool lossless;    /* nothing was dropped, nor sent where nobody was */
	NA_VEC(struct truth_conn) conns;
};

/* From the text of truth.json; false: it is none.  To be freed in any case. */
bool truth_read(const char *text, struct truth *out);
/* Of DIR/truth.json; false, with a message on stderr.  To be freed. */
bool truth_load(const char *dir, struct truth *out);
void truth_free(struct truth *t);

/* The number of a host by its name, its address, or its address:port; n_hosts:
 * there is none. */
unsigned truth_host(const struct truth *t, const char *name);
/* The connection between both ends, in either order; NULL: none. */
const struct truth_conn *truth_conn(const struct truth *t, const char *a,
				    const char *b);

/* What a view shows of it. */
struct sight {
	const struct json *view;
	const char *how;   /* host middle any cut both skewed lose1 lose5 late
			     oneway noid */
	unsigned at;       /* only connections of this host; n_hosts: all */
	bool fault;        /* something that the fault touched is in it */
	bool drops;        /* the network dropped packets of these */
	bool sides;        /* it shows whose side of which path it is */
	bool holes;        /* records were cut out of it */
	bool may_not_tell; /* it is too little to tell */
};

struct sight truth_sight(const struct truth *t, const struct json *view);
bool sight_shows(const struct truth *t, const struct sight *s,
		 const struct truth_conn *c);
/* Did the fault touch it? */
bool truth_touched(const struct truth *t, const struct truth_conn *c);

#endif
