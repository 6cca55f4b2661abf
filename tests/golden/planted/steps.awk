# truth.json, then the steps of one host with one device, as CSV: equal in ps.
function number(line, key)
{
	if (!match(line, "\"" key "\": -?[0-9]+"))
		return "none"
	line = substr(line, RSTART, RLENGTH)
	sub(/.*: /, "", line)
	return line
}
function same(what, ms, want)
{
	ms = sprintf("%.0f", ms * 1000000000)
	if (ms == want "")
		equal++
	else {
		print what " of step " $1 " of " host ": " ms ", not " want
		wrong++
	}
}
NR == FNR && /"host": .*"device": .*"step": / && index($0, "\"" host "\"") {
	truth[number($0, "step")] = $0
	rows++
}
NR == FNR { next }
FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
	line = truth[$1]
	found++
	same("duration", $column["duration_ms"], number(line, "duration_ps"))
	same("computation", $column["compute_ms"], number(line, "compute_ps"))
	same("exposed", $column["exposed_ms"], number(line, "exposed_ps"))
	same("idle", $column["idle_ms"], number(line, "idle_ps"))
}
END {
	if (found != rows)
		print found + 0 " rows, not " rows
	printf "%s: %d steps, %d numbers equal, %d wrong\n", host, found, equal, wrong
}
