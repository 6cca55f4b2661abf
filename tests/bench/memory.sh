# Sessions larger than memory: what a small --memory costs.  Read by bench.sh.
# shellcheck shell=bash disable=SC2016,SC2034

# A large file of network events, within 64 MB of private memory.
bench_spill()
{
	local name ample

	for name in timeline pairs check; do
		export ANALYSIS=$name
		measure '"$NETAN" "$ANALYSIS" -q -o "$WORK/m.json" "$TEN"'
		ample=("${CPU[0]}" "${WALL[0]}")
		METER=(-d 64000000)
		measure '"$NETAN" "$ANALYSIS" -q -v -o "$WORK/n.json" --memory 64MB "$TEN" 2>"$WORK/n.txt"'
		at_most "$name within 64 MB, against without, cpu" \
			"${CPU[0]}" "${ample[0]}" 2
		say "wall ${WALL[0]} s against ${ample[1]} s; $(sed -n 's/^netan: memory: //p' "$WORK/n.txt")"
		row "$name within 64 MB, output" "" "" "" "the same" \
			"$(cmp -s "$WORK/m.json" "$WORK/n.json" && echo 1 || echo 0)"
	done
}
