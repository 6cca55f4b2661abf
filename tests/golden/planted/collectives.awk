# truth.json, then `netan collectives --format csv`: executions and bytes.
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
	want = sprintf("%.0f", want)
	if (got == want)
		equal++
	else {
		print what " of " $1 ": " got ", not " want
		wrong++
	}
}
NR == FNR && /^ "[a-z_]*": / { part = $1; sub(/^ "/, "", part); sub(/".*/, "", part) }
NR == FNR && /"program": \[/ { part = "program" }
NR == FNR && part == "program" && /"collective": / {
	name = text($0, "collective")
	input[name] = number($0, "input_bytes")
	sent[name] = number($0, "sent_bytes")
}
NR == FNR && part == "collectives" && /"collective": / {
	runs[text($0, "collective")] = number($0, "occurrences")
	rows++
}
NR == FNR && part == "ici" && /"op": / { inside[text($0, "op")] = $0; rows++ }
NR == FNR { next }
FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{ found++ }
$column["network"] == "dcn" {
	n = runs[$1]
	same("executions", $column["executions"], n)
	same("bytes", $column["bytes"], n * input[$1])
	same("bytes received", $column["transfer_bytes"], n * sent[$1])
}
$column["network"] == "ici" {
	line = inside[$1]
	n = number(line, "executions")
	same("executions", $column["executions"], n)
	same("bytes", $column["bytes"], n * number(line, "bytes"))
	same("devices of a group", $column["group_size"], number(line, "participants"))
	same("groups", $column["groups"], number(line, "groups"))
	if (number(line, "whole_ps") > 0)
		same("time", $column["total_s"] * 1000000000000, number(line, "whole_ps"))
}
END {
	if (found != rows)
		print found + 0 " rows, not " rows
	printf "%d rows, %d numbers equal, %d wrong\n", found, equal, wrong
}
