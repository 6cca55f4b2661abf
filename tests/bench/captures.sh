# The part of bench.sh that measures captures: against tcptrace, tshark and
# a bare record walk, on captures that `netan synth` makes.
# shellcheck shell=bash disable=SC2016,SC2154

# NAME OPTION...: one capture with that content; sets $file.
make_capture()
{
	local dir=$WORK/$1
	shift
	file=$dir/capture.pcap
	if [ "$(cat "$dir/made-with" 2>/dev/null)" != "$*" ]; then
		rm -rf "$dir"
		mkdir -p "$dir"
		echo "making ${dir##*/}: netan synth $*" >&2
		"$NETAN" synth "$@" -o "$file" >/dev/null
		echo "$*" >"$dir/made-with"
	fi
	[ -s "$file" ] || { echo "bench: netan synth left no $file" >&2; exit 1; }
}

packets_of() { "$BIN/record_walk" "$1" | awk '$1 == "packets" { print $2 }'; }

# NAME FILE TCPTRACE WALK [TSHARK]: the complete TCP analysis; the bars are
# the most that netan may take of each peer's time.
bench_tcp()
{
	local packets
	packets=$(packets_of "$2")
	CAPTURE=$2
	export CAPTURE
	measure '"$NETAN" tcp -q -j 1 -o "$WORK/c.json" "$CAPTURE"' \
		'"$BIN/record_walk" "$CAPTURE" >"$WORK/c.txt"' \
		'{ ! command -v tcptrace || tcptrace -n -l -r "$CAPTURE"; } >"$WORK/c.txt" 2>&1'
	at_most "$1, tcp, against the record walk, wall" "${WALL[0]}" "${WALL[1]}" "$4"
	if command -v tcptrace >/dev/null; then
		at_most "$1, tcp, against tcptrace, wall" "${WALL[0]}" "${WALL[2]}" "$3"
	else
		say "tcptrace is not here: not compared"
	fi
	rate "netan, packets as events" "${WALL[0]}" "$(stat -c %s "$2")" "$packets"
	[ $# -gt 4 ] || return 0
	if ! command -v tshark >/dev/null; then
		say "tshark is not here: not compared"
		return 0
	fi
	local ours=${WALL[0]}
	RUNS=1 measure 'tshark -n -q -z conv,tcp -r "$CAPTURE" >"$WORK/c.txt" 2>&1'
	at_most "$1, tcp, against tshark, wall" "$ours" "${WALL[0]}" "$5"
}

bench_calls()
{
	CAPTURE=$1
	export CAPTURE
	measure '"$NETAN" rpc -q -j 1 -o "$WORK/c.json" "$CAPTURE"' \
		'"$BIN/record_walk" "$CAPTURE" >"$WORK/c.txt"'
	at_most "HTTP/2 data, rpc, against the walk, wall" \
		"${WALL[0]}" "${WALL[1]}" 3
	rate "netan, packets as events" "${WALL[0]}" "$(stat -c %s "$1")" \
		"$(packets_of "$1")"
}

# NAME FILE: works within 32 MiB and 1.5 KiB for each connection?
capture_memory()
{
	local connections
	CAPTURE=$2
	export CAPTURE
	connections=$("$NETAN" info -q --format json "$2" | json_number connections)
	within "$1, $connections connections" \
		$(((32 << 20) + ${connections:-0} * 1536)) \
		'"$NETAN" tcp -q -j 1 -o "$WORK/c.json" "$CAPTURE"'
}

bench_captures()
{
	local full cut calls many
	make_capture capture-full --size "${CAPTURE_SIZE:-950MB}" \
		--connections 64 --rpcs 0 --roce 0
	full=$file
	make_capture capture-cut --size "${CUT_SIZE:-5GB}" \
		--connections 256 --rpcs 0 --roce 0 --snaplen 96
	cut=$file
	make_capture capture-calls --connections 0 --roce 0 \
		--rpcs 2000 --message 400KiB
	calls=$file
	make_capture capture-many --size 400MB --connections 10000 --rpcs 0 --roce 0
	many=$file
	bench_tcp "full packets" "$full" 0.4 4.5 0.04
	bench_tcp "cut to 96 bytes" "$cut" 0.25 8
	bench_calls "$calls"
	say "limit: RLIMIT_DATA of 32 MiB + 1.5 KiB x connections; first column: peak resident, mapped file included"
	capture_memory "full packets" "$full"
	capture_memory "cut to 96 bytes" "$cut"
	capture_memory "many connections" "$many"
}
