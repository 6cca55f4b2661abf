# Without arguments: a short help on stderr, and wrong usage.
netan 2>&1 >/dev/null | sed 1q
netan >/dev/null 2>&1
