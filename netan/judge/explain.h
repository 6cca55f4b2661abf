/*
 * All terms behind the odds of one host, so that a reader can recompute them.
 *
 * For a side and mechanism, with `n` mechanisms there are:
 *
 *	log odds = log((exp(g1) + ... + exp(gn) + (3 - n)) / 3) + log prior
 *	g = log_factor - null, of the evidence that counts
 *
 * log_factor of level and large compares two integrals over the shift a: of
 * the log-uniform prior from 1.15x to 20x, and of the t density of scale
 * `spread` and `freedom` degrees, each times the likelihood.  That is the
 * product over observations of t((rest - a) / spread), of unit_freedom degrees;
 * with several collectives, of the products by collective, each smeared by a
 * t of scale collective_spread and 4 degrees.
 */
#ifndef NETAN_JUDGE_EXPLAIN_H
#define NETAN_JUDGE_EXPLAIN_H

#include "netan/judge/judge.h"

/* A pair's transfers in one collective, as a side's observation. */
struct na_judge_observation {
	enum na_judge_cause side;
	enum na_mechanism mechanism; /* LEVEL or LARGE */
	bool loaded;		     /* the load of ports is taken out */
	uint32_t peer;		     /* host at the other end */
	uint32_t collective; /* NA_JUDGE_NONE: all collectives together */
	uint64_t transfers;
	double centre; /* log of observed over usual, 25 % quantile */
	double others; /* what the other side and the session's mean explain */
	double rest;   /* centre - others */
	double error;  /* standard error of centre */
	double spread; /* and healthy spread of connections */
};

struct na_judge_evidence {
	enum na_judge_cause side; /* SRC, DST; HOST: late counts of both */
	enum na_mechanism mechanism;
	bool loaded;
	bool counts; /* enters the odds: of two views the greater one */
	double effect, low, high;
	double log_factor; /* log Bayes factor */
	double null; /* taken off it: what the best fifth's edge of all sides shows,
			what the mean of two views is less, and what evidence that
			depends on itself counts less */
	/* LEVEL, LARGE. */
	double spread, freedom; /* of healthy sides */
	double collective_spread, unit_freedom;
	/* LATE. */
	uint64_t late;
	double expected, dispersion;
};

struct na_judge_odds {
	double log_prior, log_odds; /* NaN: no evidence at all */
	double left; /* log odds once all findings are taken out; NaN: it is
			one of them, or nothing is left */
};

struct na_judge_explanation {
	double kappa;
	struct na_judge_odds odds[3]; /* SRC, DST, HOST */
	struct na_judge_evidence *evidence;
	size_t n_evidence;
	struct na_judge_observation *observations;
	size_t n_observations;
	/* The best hypotheses of the session, nothing taken out. */
	struct na_rival rivals[4];
	size_t n_rivals;
};

/* NA_EDOMAIN: no such host.  Release it with na_judge_explanation_fini(), also
 * after a failure. */
enum na_status na_judge_explain(const struct na_judge_input *in, uint32_t host,
				struct na_judge_explanation *out,
				struct na_err *err) NA_MUST_CHECK;
void na_judge_explanation_fini(struct na_judge_explanation *e);

#endif
