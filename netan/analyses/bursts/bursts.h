/* What others know of bursts. */
#ifndef NETAN_ANALYSES_BURSTS_BURSTS_H
#define NETAN_ANALYSES_BURSTS_BURSTS_H

/* Above both what starts is called bursty: the index of dispersion over 10 ms,
 * and the most that is pending over its mean.  `check` may be asked for
 * others. */
#define NA_BURSTS_IDC  10
#define NA_BURSTS_PEAK 8

#endif
