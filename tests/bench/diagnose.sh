# check and report against the analyses they contain, logs against grep, diff.
# Read by bench.sh.
# shellcheck shell=bash disable=SC2016,SC2034

# Seconds of wall time of the slowest single analysis of INPUT: SLOWEST, which
# one it was: SLOWEST_NAME.
slowest_analysis()
{
	local k names=(timeline latency sizes bursts rpc pairs collectives slack steps)
	local commands=()
	for k in "${names[@]}"; do
		commands+=("\"\$NETAN\" $k -q -o \"\$WORK/s.json\" \"\$INPUT\" 2>/dev/null || true")
	done
	measure "${commands[@]}"
	SLOWEST=0
	for k in "${!names[@]}"; do
		if [ "$(calc %d "(${WALL[k]} > $SLOWEST)")" = 1 ]; then
			SLOWEST=${WALL[k]} SLOWEST_NAME=${names[k]}
		fi
	done
}

# INPUT: bytes, 96 for each of its transfers, 22 for each of its device ops,
# and 64 MiB: what one of the analyses within may take.
kept_limit()
{
	local transfers ops

	transfers=$("$NETAN" timeline -q --format json "$1" | json_number used)
	ops=$(device_events "$1")
	echo $((96 * ${transfers:-0} + 22 * ${ops:-0} + (64 << 20)))
}

# NAME INPUT
bench_one_pass()
{
	local limit

	export INPUT=$2
	slowest_analysis
	measure '"$NETAN" check -q -o "$WORK/s.json" "$INPUT"' \
		'"$NETAN" report -q -o "$WORK/s.html" "$INPUT"'
	at_most "$1, check, against $SLOWEST_NAME alone, wall" "${WALL[0]}" "$SLOWEST" 1.5
	at_most "$1, report, against $SLOWEST_NAME alone, wall" "${WALL[1]}" "$SLOWEST" 1.5
	limit=$(kept_limit "$2")
	within "$1, check" "$limit" '"$NETAN" check -q -o "$WORK/s.json" "$INPUT"'
	within "$1, report" "$limit" '"$NETAN" report -q -o "$WORK/s.html" "$INPUT"'
	row "$1, size of the page" \
		"$(calc '%.2f MiB' "$(stat -c %s "$WORK/s.html") / 1048576")" "5 MiB" "" \
		"<= 5 MiB" "$(calc %d "($(stat -c %s "$WORK/s.html") <= 5242880)")"
}

# Half a gigabyte of what services log, without a word that a reader wants.
make_log()
{
	LOG=$WORK/quiet.log
	export LOG
	[ -s "$LOG" ] && return
	echo "making $LOG" >&2
	awk 'BEGIN {
		n = split("step loss rate batch tokens loading shard checkpoint saved " \
			"restored worker heartbeat ok queue depth bytes written flush " \
			"gradient norm learning schedule eval metric host device", w, " ")
		for (bytes = 0; bytes < 512 * 1048576; bytes += length(s) + 1) {
			s = sprintf("I0102 %02d:%02d:%02d.%06d %5d train.py:%d]", i / 3600 % 24,
				i / 60 % 60, i % 60, i * 7919 % 1000000, 4000 + i % 8, 100 + i % 700)
			for (k = 0; k < 8; k++)
				s = s " " w[1 + (i * 31 + k * 17) % n] "=" (i * 2654435 + k * 97) % 100003
			print s
			i++
		} }' >"$LOG.new"
	mv "$LOG.new" "$LOG"
}

# Nothing is found there: exit status 1 is right for xla-metrics.
bench_logs()
{
	make_log
	measure '"$NETAN" hang -q "$LOG" >"$WORK/l.txt" 2>&1 || true' \
		'"$NETAN" xla-metrics -q "$LOG" >"$WORK/l.txt" 2>&1 || true' \
		'grep -c -F "Megascale hang detected" "$LOG" >"$WORK/l.txt" || true'
	at_most "quiet log, hang, against grep -c -F, wall" "${WALL[0]}" "${WALL[2]}" 3
	at_most "quiet log, xla-metrics, against grep -c -F, wall" "${WALL[1]}" "${WALL[2]}" 3
	say "$(calc 'hang: %.2f GB/s' "$(stat -c %s "$LOG") / ${WALL[0]} / 1e9")"
}

bench_diff()
{
	measure '"$NETAN" diff -q --label A "$NETWORK" --label B "$MILLION" -o "$WORK/d.json"'
	say "$(calc 'diff of two runs: %.2f s' "${WALL[0]}")"
}

bench_diagnose()
{
	bench_one_pass typical "$TYPICAL"
	bench_one_pass "network only" "$NETWORK"
	bench_one_pass fleet "$FLEET"
	bench_logs
	bench_diff
}
