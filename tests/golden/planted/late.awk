# truth.json, then `netan steps --format csv --table steps`: every late step
# has its host and cause, and no other step that of the planted host.
function number(line, key)
{
	if (!match(line, "\"" key "\": -?[0-9]+"))
		return 0
	line = substr(line, RSTART, RLENGTH)
	sub(/.*: /, "", line)
	return line + 0
}
function text(line, key)
{
	match(line, "\"" key "\": \"[^\"]*\"")
	line = substr(line, RSTART, RLENGTH)
	sub(/"$/, "", line)
	sub(/.*"/, "", line)
	return line == "compute" ? "computation" : line
}
NR == FNR && /"step": .*"host": .*"cause": / {
	step = number($0, "step")
	host[step] = guilty = text($0, "host")
	cause[step] = kind = text($0, "cause")
	by[step] = number($0, "by_ps") / 1000000000
	rows++
}
NR == FNR { next }
FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{ steps++ }
!($1 in host) {
	blamed += $column["slowest_host"] == guilty && $column["cause"] == kind
	next
}
{
	named += $column["slowest_host"] == host[$1] && $column["cause"] == cause[$1]
	far = $column["behind_ms"] - by[$1]
	near += by[$1] && far < by[$1] / 6 && -far < by[$1] / 6
}
END {
	printf "%d of %d late steps named, %d of %d others blamed", named, rows, blamed, steps - rows
	printf near ? "; of %d the time, to a sixth\n" : "\n", near
}
