# Rscript tests/oracle/robust.R >tests/oracle/robust.tsv
# Samples by a recurrence that the unit test repeats.
sample_of <- function(n, kind) {
	s <- 12345
	x <- numeric(n)
	for (i in seq_len(n)) {
		s <- (s * 16807) %% 2147483647
		x[i] <- if (kind == 0) s %% 1000 / 8 - 60 else s %% 7
	}
	x
}
say <- function(...) cat(..., sep = "\t")
row <- function(...) { say(...); cat("\n") }
num <- function(v) sprintf("%.17g", v)
row("# sample n kind median mad q0.25 q0.95; mad without the factor")
for (n in c(1, 2, 3, 10, 49, 50, 1000)) for (kind in 0:1) {
	x <- sample_of(n, kind)
	row("sample", n, kind, num(median(x)), num(mad(x, constant = 1)),
	    num(quantile(x, .25, type = 7, names = FALSE)),
	    num(quantile(x, .95, type = 7, names = FALSE)))
}
row("# poisson k mean P(X >= k)")
for (k in c(0, 1, 3, 40)) for (m in c(.01, 2, 30))
	row("poisson", k, num(m), num(ppois(k - 1, m, lower.tail = FALSE)))
row("# binomial k p n P(X >= k)")
for (k in c(0, 1, 5, 12, 13))
	row("binomial", k, num(.02), 12,
	    num(pbinom(k - 1, 12, .02, lower.tail = FALSE)))
row("# normal z P(Z >= z)")
for (z in c(-3, 0, 1.96, 5, 30))
	row("normal", num(z), num(pnorm(z, lower.tail = FALSE)))
row("# bh p q, together")
p <- c(.01, .04, .03, .005, .5, .04, 1, 1e-8, 0)
q <- p.adjust(p, "BH")
for (i in seq_along(p)) row("bh", num(p[i]), num(q[i]))
