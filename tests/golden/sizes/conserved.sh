# Transfers and bytes are those of the trace, however they are counted, and
# for any number of threads.
netan synth -o t --run r --hosts 3 --devices 2 --steps 4 >/dev/null
sum()
{
	awk -F'\t' -v count="$1" -v bytes="$2" -v o="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		{ n += $col["count"]
		  b += bytes == "" ? $col["bytes"] * $col["count"] : $col[bytes] }
		END { printf "%d %.0f %s\n", n, b, o }'
}
netan info t --format json | sed -n '/"totals"/,$p' | grep '"valid"'
netan sizes t --format tsv | sum count bytes all
netan sizes t --format tsv --table distinct | sum count '' distinct
netan sizes t --format tsv --table histogram | sum count bytes histogram
for by in collective src,dst size step host,transfer_type; do
	netan sizes t --by $by --format tsv | sum count bytes $by
	netan sizes t --by $by --top 2 --format tsv --table distinct |
		sum count '' "$by, two and the rest"
done
netan sizes t --by pair,collective --format json -j1 >a
netan sizes t --by pair,collective --format json -j7 >b
cmp a b && echo same
