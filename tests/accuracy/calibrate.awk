# Of what the benches append ("WORLD<tab>WHAT<tab>K<tab>N"): a table for
# docs/methods.md, a column a world.  The status is 1 when names of a range are
# right less often than its lower edge says, in all worlds together, or those
# said at 0.9 or more in less than 85 % in one world, by more than chance explains.
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

# Fewer right than chance leaves in one of twenty benches: the lower tail of the
# binomial distribution is below 5 %.
function lies(right, said, odds,    x, p, sum) {
	p = (1 - odds) ^ said
	for (x = 0; x <= right; x++) {
		sum += p
		p *= (said - x) / (x + 1) * odds / (1 - odds)
	}
	return sum < 0.05
}

function is_dishonest(    i, j, from, right, said) {
	for (j = 1; j <= n_worlds; j++) {
		right = said = 0
		for (i = 1; i <= n_rows; i++)
			if (match(rows[i], /0\.9[0-9]*-/)) {
				right += k[rows[i], worlds[j]]
				said += n[rows[i], worlds[j]]
			}
		if (lies(right, said, 0.85))
			return 1
	}
	for (i = 1; i <= n_rows; i++)
		if (match(rows[i], /0\.[0-9]+-/)) {
			from = substr(rows[i], RSTART, RLENGTH - 1)
			if (lies(k[rows[i], "all"], n[rows[i], "all"], from + 0))
				return 1
		}
	return 0
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
	exit is_dishonest()
}
