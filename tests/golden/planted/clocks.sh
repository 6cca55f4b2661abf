# Clocks that differ: every offset is told within what it says it is uncertain
# by, which is below the largest of the smallest latencies of pairs, and nearer
# than the smallest of them.
. "$NETAN_ROOT/tests/golden/planted/common"
n=0
try()
{
	n=$((n + 1))
	job j$n --devices 2 --steps 8 "$@"
	printf '%s: ' "$*"
	netan slack -q j$n --late 64 --format json |
		awk -v least="$least" -v most="$most" -f "$here/clocks.awk" j$n/truth.json -
}
# Of the smallest latencies between two hosts, those at the ends.
job plain --devices 2 --steps 8
netan latency -q plain --by pair --format csv >latency.csv
least=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	!m || $c["min_us"] < m { m = $c["min_us"] } END { print m }' latency.csv)
most=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["min_us"] > m { m = $c["min_us"] } END { print m }' latency.csv)
echo "smallest latencies of pairs: $least to $most us"
try
try --fault clock:host-1:300us
try --fault clock:host-2:5ms
try --fault clock:host-2:-70ms
try --fault clock:host-0:20ms
try --fault clock:host-1:-40us --fault clock:host-2:100ms
try --fault clock:host-1:300ms --fault clock:host-2:-1us
