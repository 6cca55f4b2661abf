# Of what the benches append ("WORLD<tab>WHAT<tab>K<tab>N"): a table for
# docs/methods.md, a column a world.  The status is 1 when names said at
# 0.9-0.99, or at more, are right less often than in 85 % in all worlds
# together, by more than chance explains.
#
# -v command: how the numbers were made.

BEGIN {
	FS = "\t"
	n_rows = split("said below 0.5|said 0.5-0.9|said 0.9-0.95|" \
		"said 0.95-0.99|said 0.99-1|planted|sound|healthy", rows, "|")
	text["planted"] = "bound holds: slow sides that are not named"
	text["sound"] = "bound holds: sides without a fault"
	text["healthy"] = "sessions without a fault: `not_guilty`"
}

function add(what, world) {
	k[what, world] += $3
	n[what, world] += $4
}

{
	if (!($1 in seen))
		worlds[++n_worlds] = $1
	seen[$1] = 1
	add($2, $1)
	add($2, "all")
}

function share(what, world) {
	if (!n[what, world])
		return "-"
	return k[what, world] " of " n[what, world]
}

function print_row(what,    line, i) {
	line = "| " (what in text ? text[what] : "posterior " substr(what, 6))
	for (i = 1; i <= n_worlds; i++)
		line = line " | " share(what, worlds[i])
	print line " |"
}

# Fewer than honest odds of 85 % leave in one of twenty benches: the lower tail
# of the binomial distribution is below 5 %.
function lies(right, said,    x, p, sum) {
	p = 0.15 ^ said
	for (x = 0; x <= right; x++) {
		sum += p
		p *= (said - x) / (x + 1) * 0.85 / 0.15
	}
	return sum < 0.05
}

END {
	worlds[++n_worlds] = "all"
	print "Names that are right of those said, and bounds that hold, by `" \
		command "`:\n"
	line = "| "
	rule = "| ---"
	for (i = 1; i <= n_worlds; i++) {
		line = line " | " worlds[i]
		rule = rule " | ---"
	}
	print line " |\n" rule " |"
	for (i = 1; i <= n_rows; i++)
		if (n[rows[i], "all"])
			print_row(rows[i])
	a = "said 0.9-0.95" SUBSEP "all"
	b = "said 0.95-0.99" SUBSEP "all"
	c = "said 0.99-1" SUBSEP "all"
	exit lies(k[a] + k[b], n[a] + n[b]) || lies(k[c], n[c])
}
