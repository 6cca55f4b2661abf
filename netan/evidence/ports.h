/*
 * Whose port is slow, of hosts whose ports' rates captures show.
 *
 * A row is a stretch of data, with the time per byte of all that its sender's
 * port sent meanwhile, and its receiver's got.  A port that is full shows the
 * same rate all the time, whoever it talks to; one that is not, for want of
 * data or since the other end is slow, shows many rates, the fastest nearest to
 * its own.  So for each port, of log time per byte, and 50 us for 64 KiB (less
 * than that is processors that wake up):
 *
 *	x    lower quartile of its rows
 *	d    their standard deviation, from the 10 % quantile to the median: a
 *	     port that is not full may be so much faster than it seems
 *	w    0.05^2 / (0.05^2 + d^2): what a port tells of full ones
 *	mu   median of x by w over the other hosts' ports of its kind (senders',
 *	     receivers')
 *	s2   mean of (x - mu)^2 by w, of both kinds, moderated (Smyth 2004) by 4
 *	     of 0.05^2
 *	m    x - mu, of variance s2 + d^2, and that of mu
 *
 * odds = prior x (mean of t((m - a) / s) over a = log 1.15 ... log 20) / t(m / s)
 *
 * with as many degrees of freedom as other ports, and two (predictive t: Gelman et
 * al., Bayesian Data Analysis, ch. 3).  As each host is compared with what the
 * others predict, one of five does not hide in the spread it makes; who talks to
 * it alone is none of the others.  A host is named when both of its ports stand
 * out; a pair, when that explains as much (neither end talks to anyone
 * else).  Then it is left out, and the rest is looked at again.
 */
#ifndef NETAN_EVIDENCE_PORTS_H
#define NETAN_EVIDENCE_PORTS_H

#include "netan/base/vec.h"
#include "netan/judge/judge.h"

enum { NA_PORTS_LEAST = 4 }; /* hosts */

struct na_port_row {
	uint32_t host[2];      /* sender, receiver */
	double us_per_byte[2]; /* of the port of each; NaN: not known */
};

struct na_port_rows {
	NA_VEC(struct na_port_row) rows;
};

/* As na_judge(); no clocks, no pairs. */
enum na_status na_ports_judge(const struct na_port_rows *in, size_t n_hosts,
			      struct na_judge_result *out,
			      struct na_err *err) NA_MUST_CHECK;

#endif
