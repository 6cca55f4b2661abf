# truth.json, then `netan slack --late N --format json`: the offsets of hosts
# from the one whose device was late.
function value(line, key)
{
	if (!match(line, "\"" key "\": \"?[^,\" ]*"))
		return ""
	line = substr(line, RSTART, RLENGTH)
	sub(/.*: "?/, "", line)
	return line
}
function abs(x) { return x < 0 ? -x : x }
NR == FNR && /"clock_ahead_ns": / {
	planted[value($0, "host")] = value($0, "clock_ahead_ns") / 1000
}
NR == FNR { next }
/^        "host": / { own = value($0, "host") }
/^        "clocks": \[/ { inside = 1 }
/^        \]/ { inside = 0 }
inside && /"host": / { host = value($0, "host") }
inside && /"ahead_us": / { ahead = value($0, "ahead_us") + 0 }
inside && /"uncertainty_us": / {
	if (seen[own, host]++)
		next
	unsure = value($0, "uncertainty_us") + 0
	off = abs(ahead - (planted[host] - planted[own]))
	offsets++
	within += off <= unsure
	near += off < least
	narrow += unsure < most
	if (off > unsure || off >= least)
		printf "%s to %s: %s +- %s us, not %s\n", own, host, ahead, unsure, planted[host] - planted[own]
}
END {
	printf "%d offsets, %d within their uncertainty, %d of these below the largest of smallest latencies, %d nearer than the smallest\n", offsets, within, narrow, near
}
