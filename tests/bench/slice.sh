# shellcheck shell=bash
# Part of bench.sh: a window cut out of a trace.  Each event is looked at, and
# few are written: the peer copies them all.

bench_slice()
{
	export SLICE=$WORK/slice.xplane.pb
	measure \
		'"$NETAN" slice -q "$TYPICAL" --from 100ms --to 200ms -o "$SLICE"' \
		'cat "$TYPICAL" >"$SLICE.copy"'
	at_most "slice of a typical trace, against a copy, cpu" \
		"${CPU[0]}" "${CPU[1]}" 12
	say "$(calc '%.0f MB/s; the slice is %.1f %% of it' \
		"$(wc -c <"$TYPICAL") / 1e6 / ${CPU[0]}, $(wc -c <"$SLICE") / $(wc -c <"$TYPICAL") * 100")"
	rm "$SLICE" "$SLICE.copy"
}
