# Device planes that are dense with collectives: of a device's ops 2, 17 and 60
# in a hundred.  Read by bench.sh.
# shellcheck shell=bash disable=SC2016,SC2034

DENSE_SHARES="0.02 0.17 0.60"

make_dense()
{
	local share

	for share in $DENSE_SHARES; do
		make_file "dense-$share" --profile typical --events "$EVENTS" \
			--collective-ops "$share"
	done
	make_file dense-quarter --profile typical --events $((EVENTS / 4)) \
		--collective-ops 0.17
	DENSE_QUARTER=$file
	export DENSE_QUARTER
}

# NAME FILE ENDING MIB: within so much private memory for the 9.3 million
# events of the bar, and 8 MiB for what a process has anyhow?
within_dense()
{
	within "$2, $1" \
		"$(calc %d "$4 * 1048576 * $EVENTS / 9.3e6 + 8388608")" \
		"\"\$NETAN\" $1 -q -o \"\$WORK/dense.$3\" \"\$DENSE\""
}

# COMMAND ENDING BAR MIB: against a bare walk that decodes every stat.
bench_dense_command()
{
	local share

	for share in $DENSE_SHARES; do
		DENSE=$(find "$WORK/dense-$share" -name '*.xplane.pb')
		export DENSE
		measure "\"\$NETAN\" $1 -q -o \"\$WORK/dense.$2\" \"\$DENSE\"" \
			'"$BIN/yardstick" "$DENSE" >"$WORK/dense.txt"'
		at_most "dense $share, $1, wall" "${WALL[0]}" "${WALL[1]}" "$3"
		say "$(calc 'cpu %.2fx' "${CPU[0]} / ${CPU[1]}")"
		within_dense "$1" "dense $share" "$2" "$4"
	done
}

bench_dense()
{
	bench_dense_command timeline json 0.28 35
	bench_dense_command slack json 0.8 128
	bench_dense_command collectives json 1.2 150
	bench_dense_command steps json 1.3 180
	bench_dense_command check json 2 300
	bench_dense_command report html 2.5 330
	bench_dense_command ingest netan 1.5 16
	DENSE=$(find "$WORK/dense-0.17" -name '*.xplane.pb')
	export DENSE
	measure '"$NETAN" check -q -j 1 -o "$WORK/dense.json" "$DENSE"' \
		'"$NETAN" check -q -j 1 -o "$WORK/dense.json" "$DENSE_QUARTER"'
	at_most "dense 0.17, check, four times the file, cpu" \
		"${CPU[0]}" "${CPU[1]}" 4.4
}
