# The same bytes for any number of threads, from a transfer file of devices,
# and with hosts read one by one.
netan synth -o t --run r --hosts 3 --devices 2 --steps 6 --collectives 5 \
	>/dev/null
for j in 1 2 5; do
	netan slack t -j $j --format json >$j.json
	netan slack t -j $j --by device,step -o $j.svg
done
cmp 1.json 2.json && cmp 1.json 5.json && cmp 1.svg 5.svg && echo same
# A step of its own, and as one of many.
netan slack t --step 2 --format tsv | cut -f 2,9 | sort >one
netan slack t --by step --format tsv | awk -F'\t' '$2 == 2' | cut -f 1 | wc -l
wc -l <one
sum()
{
	awk -F'\t' -v c="$1" 'NR == 1 { for (i = 1; i <= NF; i++) n[$i] = i; next }
		{ s += $n[c] } END { printf "%s %.3f\n", c, s }'
}
for by in host device step transfer_type host,step; do
	netan slack t --by $by --format tsv >rows
	sum occurrences <rows
	sum total_stall_us <rows
done
