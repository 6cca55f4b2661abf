# Logs as they come: processes mixed, cut off, very long lines, hostile names.
. "$NETAN_ROOT/tests/golden/xla-metrics/report.lib"
{
	report 4 100 5
	report 9 1000 20
} | sed 's/^/[node-7.corp rank0] /' >a
{
	report 4 100 5
	report 900 1000 2000 7 2000
} | sed 's/^/[node-8.corp rank1] /' >b
paste -d '\n' a b >mixed.log
netan xla-metrics mixed.log | sed -n '1,12p'
netan xla-metrics mixed.log --format csv --table processes
netan xla-metrics a b mixed.log --format csv --table processes
netan xla-metrics mixed.log --anonymize --format csv --table processes
# Cut off amid a metric; binary and a line of a megabyte between.
{
	report 4 100 5
	head -c 1000000 /dev/zero | tr '\0' 'x'
	printf '\nstep \000\377\n'
	head -c 1000000 /dev/zero | tr '\0' 'y'
	echo ' pt-xla-profiler: CompileTime too frequent: 21 counts during 22 steps'
	report 9 1000 20 | head -n 8
} >cut.log
netan xla-metrics cut.log | sed -n '1,5p;$p'
# Names are anybody's.
{
	printf 'Metric: <script>alert(1)</script>\n  TotalSamples: 3\n  Accumulator: 12.00\n'
	printf 'Counter: =cmd|calc\n  Value: 1\nCounter: a\033[31mb\342\200\256c|`d`\n  Value: 2\n'
	printf 'Counter: aten::+1\n  Value: 9\nCounter: aten::x\000y\n  Value: 8\n'
} >odd.log
netan xla-metrics odd.log
netan xla-metrics odd.log --format csv --table counters
netan xla-metrics odd.log --format md | grep -e script -e cmd
# An entry of a log as JSON.
printf '{"insertId":"q","textPayload":"%s"}\n' "$(report 9 1000 20 | sed 's/$/\\n/' | tr -d '\n')" >entry.json
netan xla-metrics entry.json | head -n 5
