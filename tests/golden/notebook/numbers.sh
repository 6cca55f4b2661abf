# Action graphs: what is in flight are means then, "all" is their sum; no
# number is infinite or none.  A capacity is there where it was asked for.
equiv=$NETAN_ROOT/notebooks-equiv
netan synth -o t --hosts 4 --steps 2 >/dev/null
sh "$equiv/all.sh" --no-picture -o out t >/dev/null
cat out/*.tsv | grep -ciE '(^|	)[-+]?(inf|nan)'
sed -n 1p out/in_flight.tsv
awk -F '\t' '
	NR == 1 { next }
	$1 == "all" { all[$2] = $3; next }
	{ sum[$2] += $3; n[$1] = 1 }
	END { for (s in n) sizes++
		for (t in all) {
			d = all[t] - sum[t]
			rows++
			equal += all[t] > 0 && d < 1e-9 && d > -1e-9 }
		print sizes, "sizes;", equal, "sums of", rows }' out/in_flight.tsv
capacity()
{
	sh "$equiv/04_throughput.sh" --no-picture -o out "$@" t >/dev/null
	awk -F '\t' 'NR > 1 { print "capacity:", "<" $3 ">" }' \
		out/throughput.tsv | sort -u
}
capacity
capacity --capacity 400
capacity --parity
capacity --parity --capacity 200
