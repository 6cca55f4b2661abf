# shellcheck shell=bash
# Part of bench.sh: traces for Perfetto, metrics and CSV.  `make check-real`
# holds the first against XProf's converter; here the peer is netan check, whose
# work an export does as well: what is beyond it makes records what it writes.

# NAME FILE BAR: a trace for Perfetto.
pftrace_of()
{
	local events
	export PFT_IN=$2
	measure '"$NETAN" export -q "$PFT_IN" -o "$PFT"' \
		'"$NETAN" check -q "$PFT_IN" >"$WORK/checked"' \
		'"$NETAN" export -q "$PFT_IN" -o "$PFT.gz"'
	at_most "export -o x.pftrace against check, $1, cpu" "${CPU[0]}" \
		"${CPU[1]}" "$3"
	events=$(count_of "$2" events)
	rate "of the input, wall" "${WALL[0]}" "$(stat -c %s "$2")" "$events"
	rate "of the input, cpu" "${CPU[0]}" "$(stat -c %s "$2")" "$events"
	say "$(calc '%.0f MiB written; packed %.0f MiB in %.1f s' \
		"$(stat -c %s "$PFT") / 1048576, $(stat -c %s "$PFT.gz") / 1048576, ${WALL[2]}")"
	within "export -o x.pftrace, --memory 256MB, $1" $((512 << 20)) \
		'"$NETAN" export -q --memory 256MB "$PFT_IN" -o "$PFT"'
	rm -f "$PFT" "$PFT.gz"
}

bench_pftrace()
{
	export PFT=$WORK/out.pftrace
	pftrace_of typical "$TYPICAL" 1.6
	pftrace_of "dense 0.17" "$DENSE_SIXTH" 1.6
	pftrace_of "network only" "$NETWORK" 1.5
}

# What is small whatever the input: metrics against check, and CSV against
# the same numbers as JSON.
bench_flat()
{
	local events
	events=$(count_of "$NETWORK" events)
	measure '"$NETAN" export -q "$NETWORK" -o "$WORK/out.prom"' \
		'"$NETAN" check -q "$NETWORK" >"$WORK/checked"' \
		'"$NETAN" timeline -q "$NETWORK" -o "$WORK/out.csv"' \
		'"$NETAN" timeline -q "$NETWORK" -o "$WORK/out.json"'
	at_most "export -o x.prom against check, network only, cpu" \
		"${CPU[0]}" "${CPU[1]}" 1.2
	rate "of the input, cpu" "${CPU[0]}" "$(stat -c %s "$NETWORK")" "$events"
	at_most "timeline -o x.csv against x.json, network only, cpu" \
		"${CPU[2]}" "${CPU[3]}" 1.1
	rate "of the input, cpu" "${CPU[2]}" "$(stat -c %s "$NETWORK")" "$events"
	rm -f "$WORK/out.prom" "$WORK/out.csv" "$WORK/out.json"
}
