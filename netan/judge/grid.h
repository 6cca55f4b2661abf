/*
 * Shifts on a grid: prior and null densities, likelihoods of Student's t, and
 * sums over them.
 *
 * All integrals over an effect are sums over 71 shifts (log factors) from -1
 * to 3.6, fine near 0 and coarse above.  log(1 + z z / nu) is summed as the
 * logarithm of products of 16.
 */
#ifndef NETAN_JUDGE_GRID_H
#define NETAN_JUDGE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NA_J_GRID = 71,
	NA_J_GRID_ZERO = 25, /* shift 0 */
	NA_J_BATCH = 16,
	NA_J_SHARES = 6
};

struct na_j_prior { /* log-uniform on shifts from <= i < to */
	size_t from, to;
	double log_p[NA_J_GRID]; /* of a shift, its width included */
};

struct na_j_grid {
	double at[NA_J_GRID], width[NA_J_GRID], log_width[NA_J_GRID];
	struct na_j_prior fault, high; /* from 1.15x; from 1.5x */
};

/* Share of a link's connections. */
extern const double na_j_link_shares[NA_J_SHARES];

void na_j_grid_init(struct na_j_grid *g);

double na_j_lse(const double *x, size_t n); /* log of sum of exp */
/* The same of a[i] + b[i]; n <= NA_J_GRID. */
double na_j_lse_sum(const double *a, const double *b, size_t n);
double na_j_t_log(double z, double nu); /* density, unit scale */

/* t density of scale tau around 0, normalised on the grid: log probability. */
void na_j_null(const struct na_j_grid *g, double tau, double nu, double *out);

/* kernel[from][to]: t of scale tau around `to`. */
typedef double na_j_kernel[NA_J_GRID][NA_J_GRID];
/* A pointer to one, as the argument that is only read. */
#define NA_J_KERNEL(k) ((const double(*)[NA_J_GRID]) * (k))
void na_j_kernel_init(const struct na_j_grid *g, double tau, double nu,
		      na_j_kernel k);
/* A log likelihood with the kernel's spread integrated out, in place. */
void na_j_smear(const na_j_kernel k, double *ll);

/* Sum over units of the log density at (x - shift) / scale, by shift. */
struct na_j_sum {
	double nu;
	size_t waiting; /* factors in product */
	double product[NA_J_GRID], log[NA_J_GRID];
};
void na_j_sum_start(struct na_j_sum *s, double nu);
void na_j_sum_add(struct na_j_sum *s, const struct na_j_grid *g, double x,
		  double scale);
const double *na_j_sum_end(struct na_j_sum *s);

size_t na_j_largest(const double *x, size_t n); /* the first of equals */

/* The shift below which a share p of the mass lies, linear between the upper
 * edges of cells: of n cells from `from` on, log masses ll. */
double na_j_grid_quantile(const struct na_j_grid *g, size_t from, size_t n,
			  const double *ll, double p);

/*
 * Degrees of freedom of n healthy z, by maximum likelihood of |z - median|
 * below its outermost eighth, scale at least 1, at most n - 1.  Reorders z.
 */
double na_j_tail(double *z, size_t n);

#endif
