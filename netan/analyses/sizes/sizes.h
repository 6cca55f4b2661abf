/* What others know of sizes. */
#ifndef NETAN_ANALYSES_SIZES_SIZES_H
#define NETAN_ANALYSES_SIZES_SIZES_H

/* Fewer transfers of ranks, or of packets, do not show that they are too
 * small. */
enum { NA_SIZES_LEAST = 100 };

#endif
