# truth.json, then `netan slack --by host --format csv`: sums in ps are equal.
function number(line, key)
{
	if (!match(line, "\"" key "\": -?[0-9]+"))
		return "none"
	line = substr(line, RSTART, RLENGTH)
	sub(/.*: /, "", line)
	return line
}
function text(line, key)
{
	match(line, "\"" key "\": \"[^\"]*\"")
	line = substr(line, RSTART, RLENGTH)
	sub(/"$/, "", line)
	sub(/.*"/, "", line)
	return line
}
function same(what, got, want)
{
	got = sprintf("%.0f", got)
	if (got == want "")
		equal++
	else {
		print what " of " row ": " got ", not " want
		wrong++
	}
}
NR == FNR && /^ "collectives": / { inside = 1 }
NR == FNR && /^ "[a-z_]*": / && !/^ "collectives"/ { inside = 0 }
NR == FNR && inside && /"collective": / { collective = text($0, "collective") }
NR == FNR && inside && /"host": / { truth[collective "," text($0, "host")] = $0; rows++ }
NR == FNR { next }
FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
	row = $1 "," $2
	line = truth[row]
	n = $column["occurrences"]
	us = n * 1000000
	found++
	same("occurrences", n, number(line, "occurrences"))
	same("slack", $column["slack_us.mean"] * us, number(line, "slack_ps"))
	same("least slack", $column["slack_us.min"] * 1000000, number(line, "slack_min_ps"))
	same("most slack", $column["slack_us.max"] * 1000000, number(line, "slack_max_ps"))
	same("observed", $column["observed_us.mean"] * us, number(line, "observed_ps"))
	same("stall", $column["stall_us.mean"] * us, number(line, "stall_ps"))
	same("total stall", $column["total_stall_us"] * 1000000, number(line, "stall_ps"))
	same("send", $column["send_us"] * us, number(line, "send_ps"))
	same("send-done", $column["send_done_us"] * us, number(line, "send_done_ps"))
	same("recv", $column["recv_us"] * us, number(line, "recv_ps"))
	same("recv-done", $column["recv_done_us"] * us, number(line, "recv_done_ps"))
	if (!$column["graphs"] && $column["host_stall_us"] == "")
		alone++
	else {
		same("graphs", $column["graphs"], n)
		same("host stall", $column["host_stall_us"] * us, number(line, "host_stall_ps"))
	}
	if ($column["bytes"] == "")
		unsized++
	else
		same("bytes", $column["bytes"] * n, number(line, "bytes"))
}
END {
	if (found != rows)
		print found + 0 " rows, not " rows
	printf "%d rows, %d numbers equal, %d wrong", found, equal, wrong
	if (unsized)
		printf ", %d rows without bytes", unsized
	if (alone)
		printf ", %d rows without the host's side", alone
	print ""
}
