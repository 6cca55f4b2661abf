/*
 * Every constant of the model, with its reason.  They are the same for all
 * sessions; prior odds are in causes.def.
 */
#ifndef NETAN_JUDGE_CONSTANTS_H
#define NETAN_JUDGE_CONSTANTS_H

/* Clusters of steps for standard errors: enough for a variance, few enough
 * to be independent. */
#define NA_J_BLOCKS 24
/* Centre of a unit: contention makes tails, a fault slows even the best. */
#define NA_J_CENTRE 0.25
/* Prior weight, in blocks or hosts, of pooled spreads. */
#define NA_J_PRIOR_WEIGHT 4.0
/* Variance of a median over that of the mean, of normal values: pi / 2. */
#define NA_J_MEDIAN_VARIANCE 1.57
/* Least spreads (log): of a block's median (ties, whole microseconds), of
 * healthy sides, of healthy connections (hardware differs by 2-3 %). */
#define NA_J_FLOOR_CELL 0.03
#define NA_J_FLOOR_SIDE 0.02
#define NA_J_FLOOR_UNIT 0.03
/* Degrees of freedom where there are too few to estimate: effects by
 * collective, links, connections of one pair.  Single units have no more, which
 * a session's own estimate may only lower. */
#define NA_J_NU_FEW      4.0
#define NA_J_NU_UNIT_MIN 2.0
#define NA_J_NU_MAX      30.0
/* Share of units, the outermost, that estimates of tails leave out. */
#define NA_J_TAIL_TRIM 0.12
/* Port load must narrow transfers within a pair to this share. */
#define NA_J_LOAD_GAIN 0.93
/* Smallest fixed cost of a transfer. */
#define NA_J_FIXED_US 10.0
/* Support of the log-uniform effect of a fault, 1.15x to 20x; links and steps
 * are uneven by themselves and begin at 1.5x, which is also the largest bound of
 * a side or a link that acquits. */
#define NA_J_EFFECT_MIN  0.13976194237515868
#define NA_J_EFFECT_HIGH 0.40546510810816438
#define NA_J_EFFECT_MAX  2.9957322735539909
/* Late: beyond the usual by the shortest timer of practice, and by this factor
 * beyond the own usual and the stratum's 90 % quantile. */
#define NA_J_LATE_US    4000.0
#define NA_J_LATE_TIMES 2.5
/* Dispersion of late counts: least, for sides and for links and pairs. */
#define NA_J_LATE_SPREAD      0.05
#define NA_J_LATE_SPREAD_LINK 0.5
#define NA_J_LATE_MIN         3
/* A jackknife without the collective with more than this share of the late,
 * unless it has this share of all transfers. */
#define NA_J_LATE_MOST 0.5
#define NA_J_LATE_ALL  0.67
/* At most a fifth of the sides is at fault; the others are the null. */
#define NA_J_NULL_SHARE 0.2
/* Log Bayes factors of late counts, and of pairs on two clocks, are divided by
 * this.  Of names at 0.9 or more in 120 fleets of make calibrate 99 of 115 are
 * right; of those with late counts alone divided, 102 of 125. */
#define NA_J_TEMPER 1.5
/* Odds of a cause that the model does not have, whatever the evidence: of names
 * with more than 1000 to 1, as many are wrong. */
#define NA_J_OUTSIDE 0.03
/* Odds that name (posterior 0.9); the posterior that acquits, and that among
 * explanations of the same evidence above which these are not listed; how many
 * may be listed. */
#define NA_J_NAME_LOG_ODDS 2.1972245773362196
#define NA_J_POSTERIOR     0.9
#define NA_J_MOST_RIVALS   3
/* An explanation of the same evidence: within 9:1 and this, and falls by more
 * than that once the other is taken out. */
#define NA_J_RIVAL_WITHIN 2.0
#define NA_J_RIVAL_FALLS  3.0
/* Fewer have no centre or variance of their own: transfers of a pair in a
 * collective, blocks of steps, pairs of a stratum; connections of a link. */
#define NA_J_MIN_SAMPLE      5
#define NA_J_MIN_CONNECTIONS 4
/* A table of large transfers: where this share of all is, or is not. */
#define NA_J_FEW_LARGE 0.05
/* Pairs looked at in each round: that stand out most, with most late. */
#define NA_J_PAIRS_LEVEL 12
#define NA_J_PAIRS_LATE  6
#define NA_J_ROUNDS      8
/* Two clocks: pairs with this share of latencies of 0 are left out. */
#define NA_J_CLAMPED 0.02

#endif
