# shellcheck shell=bash
# Part of bench.sh: a trace for Perfetto.  `make check-real` holds it against
# XProf's converter; here the peer is netan check, whose work the export does as
# well: what is beyond it makes slices of records and writes them.

bench_pftrace()
{
	local events out
	export PFT=$WORK/out.pftrace
	measure '"$NETAN" export -q "$TYPICAL" -o "$PFT"' \
		'"$NETAN" check -q "$TYPICAL" >"$WORK/checked"' \
		'"$NETAN" export -q "$TYPICAL" -o "$PFT.gz"'
	at_most "export -o x.pftrace against check, cpu" "${CPU[0]}" \
		"${CPU[1]}" 1.6
	events=$(count_of "$TYPICAL" events)
	out=$(stat -c %s "$PFT")
	rate "of the input" "${WALL[0]}" "$(stat -c %s "$TYPICAL")" "${events:-0}"
	say "$(calc '%.0f MiB written; packed %.0f MiB in %.1f s' \
		"$out / 1048576, $(stat -c %s "$PFT.gz") / 1048576, ${WALL[2]}")"
	within "export -o x.pftrace, --memory 256MB" $((512 << 20)) \
		'"$NETAN" export -q --memory 256MB "$TYPICAL" -o "$PFT"'
	measure '"$NETAN" export -q "$NETWORK" -o "$PFT"' \
		'"$NETAN" check -q "$NETWORK" >"$WORK/checked"'
	at_most "export -o x.pftrace against check, network only, cpu" \
		"${CPU[0]}" "${CPU[1]}" 1.9
	within "export -o x.pftrace, --memory 256MB, network only" \
		$((512 << 20)) \
		'"$NETAN" export -q --memory 256MB "$NETWORK" -o "$PFT"'
	rm -f "$PFT" "$PFT.gz"
}
