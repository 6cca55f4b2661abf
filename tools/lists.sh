#!/usr/bin/env bash
# A name of an analysis, a command, a check or a reader stands in its table,
# and in no list beside it: what a list would say of it is a field of its row.
# Two such names in one statement are a list; one alone may be what code is
# about.  Tests may name several, as their cases, but not list them all.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

# Lists of other things that bear such names: FILE, the names, and why.
exceptions='
netan/analyses/diff/diff.c latency sizes slack steps: what diff compares
netan/analyses/diff/result.c collectives pairs: lists of its result
netan/analyses/steps/result.c collectives steps: what a straggler was seen in
netan/checks/joined.c rdma tcp: what packets are told in
netan/checks/verdict.c slack slack-small: a check and what it reads
netan/checks/verdict.c pairs tcp: transfers, or packets of them
netan/checks/steps/straggler.c steps straggler: what it was seen in
netan/cli/commands/synth.c collectives steps: options that count them
netan/cli/commands/synth.c hang info: the next command
netan/synth/job/job.c hlo steps: what --without leaves out
netan/synth/pytorch/pytorch.c inspector kineto: what it writes
tests/unit/test_checks.c bursts bursty collectives info: what one finding says
tests/unit/test_checks_packets.c bursts bursty clock-skew pairs rdma rdma-queue-pair rpc rpc-latency sizes small-transfers tcp tcp-connection: what each reads, and how little
tests/unit/test_fig_diff.c latency sizes slack steps: what diff compares
tests/unit/test_opt.c completion help info synth timeline: words to find close ones to
tests/unit/test_opt.c help info latency synth timeline: the same
'

names=$({
	sed -n -E 's/^NA_[A-Z_]+\(([a-z_]+)\).*/\1/p' \
		netan/analyses/analyses.def netan/cli/commands.def ingest/readers.def
	# called with dashes everywhere
	sed -n -E 's/^NA_CHECK\(([a-z_]+)\).*/\1/p' netan/checks/checks.def | tr _ -
} | sort -u | paste -s -d ' ')

find netan ingest plot tests/unit -name '*.[ch]' 2>/dev/null | sort |
	xargs awk -v names="$names" -v exceptions="$exceptions" '
BEGIN {
	split(names, list, " ")
	for (i in list) {
		known[list[i]] = 1
		gsub(/_/, "-", list[i])
		known[list[i]] = 1
	}
	n = split(exceptions, list, "\n")
	for (i = 1; i <= n; i++) {
		sub(/:.*/, "", list[i])
		excepted[list[i]] = 1
	}
}
# The comments of a file are no code; nor is what a check says that it reads.
function code(line,   before)
{
	while (match(line, inside ? "[*]/" : "/[*]")) {
		if (!inside)
			before = before substr(line, 1, RSTART - 1)
		line = substr(line, RSTART + 2)
		inside = !inside
	}
	line = before (inside ? "" : line)
	return line ~ /^\t\.(info\.)?(id|name|needs|uses) = / ? "" : line
}
function judge(   found, all, k, word, rest, least)
{
	rest = statement
	while (match(rest, /"[a-z_-]+"/)) {
		word = substr(rest, RSTART + 1, RLENGTH - 2)
		rest = substr(rest, RSTART + RLENGTH)
		if (known[word] && !(word in found)) {
			found[word] = 1
			all = all_sorted(all, word)
			k++
		}
	}
	least = file ~ /^tests/ ? 4 : 2
	if (k >= least && !((file all) in excepted)) {
		print file ":" start ": lists" all ": that belongs into their table"
		bad = 1
	}
	statement = ""
}
function all_sorted(all, word,   words, n, i, out)
{
	n = split(all, words, " ")
	for (i = 1; i <= n && words[i] < word; i++)
		out = out " " words[i]
	out = out " " word
	for (; i <= n; i++)
		out = out " " words[i]
	return out
}
FNR == 1 { judge(); file = FILENAME; inside = 0 }
{
	line = code($0)
	if (statement == "")
		start = FNR
	statement = statement line
	if (line ~ /;[ \t]*$/)
		judge()
}
END { judge(); exit bad }'
