#!/usr/bin/env bash
# Measures netan against its bars and its peers on files that it makes with
# `netan synth` (kept between runs).  Medians of RUNS runs, commands in turn,
# after one warm-up each.  A bar that is missed says FELL SHORT; the exit
# status stays 0, for this is a measurement and no test.
#
#	RUNS=5 EVENTS=9000000 tests/bench/bench.sh NETAN BIN WORK
#
# ONLY="kineto gpu" measures these parts alone; ONLY=export all that exports
# write: sql, pftrace, flat.
#
# cpu is user and system time, wall what a person waits.  Peers, in BIN:
# yardstick (a bare walk that decodes every event and stat), unpack_peer
# (protobuf-c), inflate_peer (zlib; -i: ISA-L), json_peer (yajl), pickle_walk
# (the opcodes of pickles, and nothing else).
# shellcheck disable=SC2016  # measured commands are for the inner shell
set -eu

NETAN=$(realpath "$1")
BIN=$(realpath "$2")
mkdir -p "$3"
WORK=$(realpath "$3")
RUNS=${RUNS:-5}
ONLY=${ONLY-}
ONLY=${ONLY//export/sql pftrace flat}
EVENTS=${EVENTS:-9000000}
BENCH_SOURCE=$(realpath "${BASH_SOURCE[0]%/*}")
export NETAN BIN WORK BENCH_SOURCE
export LC_ALL=C TZ=UTC
held=0 short=0

# ---- files

# NAME OPTION...: one XSpace file with that content; sets $file.
make_file()
{
	local name=$1 dir=$WORK/$1
	shift
	if [ "$(cat "$dir/made-with" 2>/dev/null)" != "$*" ]; then
		rm -rf "$dir"
		mkdir -p "$dir"
		echo "making $name: netan synth $*" >&2
		"$NETAN" synth "$@" -o "$dir" >/dev/null
		echo "$*" >"$dir/made-with"
	fi
	file=$(find "$dir" -name '*.xplane.pb*' | head -n 1)
	[ -s "$file" ] || { echo "bench: netan synth left no file in $dir" >&2; exit 1; }
}

# PART...: is one of them measured?
wants()
{
	local part
	for part in "$@"; do
		[ -z "$ONLY" ] || [[ " $ONLY " == *" $part "* ]] && return 0
	done
	return 1
}

# VARIABLE PARTS NAME OPTION...: make_file for these parts, into the variable.
make_for()
{
	local to=$1 parts=$2
	shift 2
	printf -v "$to" %s ""
	# shellcheck disable=SC2086  # words on purpose
	if wants $parts; then
		make_file "$@"
		printf -v "$to" %s "$file"
	fi
}

# ---- measuring and printing

# COMMAND...: run in turn; afterwards CPU[k], WALL[k], PEAK[k], STATUS[k].
measure()
{
	local c w p s
	CPU=() WALL=() PEAK=() STATUS=()
	while read -r c w p s; do
		CPU+=("$c") WALL+=("$w") PEAK+=("$p") STATUS+=("$s")
		[ "$s" = 0 ] || echo "  exit status $s, command ${#CPU[@]} of: $*"
	done < <("$BIN/meter" -n "$RUNS" "${METER[@]}" "$@")
	METER=()
}
METER=()

# FORMAT EXPRESSION[, EXPRESSION]
calc() { awk "BEGIN { printf(\"$1\", $2) }"; }

# NAME OURS PEER RATIO BAR HELD: one row of the table.
row()
{
	local verdict="FELL SHORT"
	if [ "$6" = 1 ]; then
		verdict=ok
		held=$((held + 1))
	else
		short=$((short + 1))
	fi
	printf '%-50s %11s %11s %8s  %-10s %s\n' "$1" "$2" "$3" "$4" "$5" "$verdict"
}

# NAME OURS PEER BAR: seconds, and their ratio is to be at most BAR.
at_most()
{
	row "$1" "$(calc '%.3f s' "$2")" "$(calc '%.3f s' "$3")" \
		"$(calc %.2fx "$2 / $3")" "<= $4x" "$(calc %d "($2 <= $4 * $3)")"
}

# NAME LIMIT COMMAND: works within so many bytes of private memory?
within()
{
	METER=(-d "$2")
	RUNS=1 measure "$3"
	row "memory, $1" "$(calc '%.0f MiB' "${PEAK[0]} / 1024")" \
		"$(calc '%.1f MiB' "$2 / 1048576")" "" "works" \
		"$(calc %d "(${STATUS[0]} == 0)")"
}

say() { printf '  %s\n' "$*"; }

# NAME SECONDS BYTES EVENTS
rate()
{
	say "$(calc "$1: %.2f GB/s, %.1f million events/s" "$3 / $2 / 1e9, $4 / $2 / 1e6")"
}

count_of() { "$BIN/yardstick" "$1" | awk -v k="$2" '$1 == k { print $2 }'; }

# The first number of that name in a JSON document on standard input.
json_number() { tr -s ',{}' '\n' | sed -n "s/^ *\"$1\": *\([0-9.]*\).*/\1/p" | head -n 1; }

# ---- what is measured

# A fleet's transfer file: how small, and how much sooner it is read.
bench_transfer_file()
{
	local t o
	read -r t o < <("$NETAN" ingest -o "$WORK/fleet.netan" "$FLEET" |
		sed -n 's/^a transfer takes \([0-9.]*\) bytes, another record \([0-9.]*\)$/\1 \2/p')
	row "transfer file, bytes of a transfer" "$t B" "16 B" \
		"$(calc %.2fx "$t / 16")" "<= 16 B" "$(calc %d "($t <= 16)")"
	row "transfer file, bytes of another record" "$o B" "8 B" \
		"$(calc %.2fx "$o / 8")" "<= 8 B" "$(calc %d "($o <= 8)")"
	measure '"$NETAN" latency -j 1 "$WORK/fleet.netan" >"$WORK/f.txt"' \
		'"$NETAN" latency -j 1 "$FLEET" >"$WORK/f.txt"'
	at_most "latency of it, cpu, against the original" "${CPU[0]}" "${CPU[1]}" 1
}

bench_typical()
{
	local bytes events
	bytes=$(stat -c %s "$TYPICAL")
	events=$(count_of "$TYPICAL" events)
	measure '"$NETAN" timeline -q -o "$WORK/t.svg" "$TYPICAL"' \
		'"$NETAN" timeline -q -j 1 -o "$WORK/t.svg" "$TYPICAL"' \
		'"$BIN/yardstick" "$TYPICAL" >"$WORK/t.txt"'
	at_most "typical, timeline -o svg, all cores, wall" "${WALL[0]}" "${WALL[2]}" 0.75
	at_most "typical, timeline -o svg, -j 1, cpu" "${CPU[1]}" "${CPU[2]}" 0.75
	rate "netan, all cores" "${WALL[0]}" "$bytes" "$events"
	rate "netan, -j 1" "${WALL[1]}" "$bytes" "$events"
	rate "yardstick" "${WALL[2]}" "$bytes" "$events"
	local ours=${CPU[1]}
	RUNS=1 measure '"$BIN/unpack_peer" "$TYPICAL" >"$WORK/t.txt"'
	at_most "typical, -j 1, cpu, against protobuf-c unpack" "$ours" "${CPU[0]}" 1
	rate "protobuf-c unpack" "${WALL[0]}" "$bytes" "$events"
}

bench_network()
{
	local bytes events same=0
	bytes=$(stat -c %s "$NETWORK")
	events=$(count_of "$NETWORK" events)
	measure '"$NETAN" timeline -q -j 1 -o "$WORK/n1.svg" "$NETWORK"' \
		'"$NETAN" timeline -q -j 2 -o "$WORK/n2.svg" "$NETWORK"' \
		'"$BIN/yardstick" "$NETWORK" >"$WORK/n.txt"'
	at_most "network only, timeline -o svg, -j 1, cpu" "${CPU[0]}" "${CPU[2]}" 2.5
	row "network only, -j 2 against -j 1, wall" \
		"$(calc '%.3f s' "${WALL[1]}")" "$(calc '%.3f s' "${WALL[0]}")" \
		"$(calc %.2fx "${WALL[0]} / ${WALL[1]}")" ">= 1.6x" \
		"$(calc %d "(${WALL[0]} >= 1.6 * ${WALL[1]})")"
	rate "netan, -j 1" "${WALL[0]}" "$bytes" "$events"
	rate "netan, -j 2" "${WALL[1]}" "$bytes" "$events"
	rate "yardstick" "${WALL[2]}" "$bytes" "$events"
	for n in 1 2; do
		"$NETAN" timeline -q -j $n --format json "$NETWORK" >"$WORK/n$n.json"
	done
	cmp -s "$WORK/n1.svg" "$WORK/n2.svg" &&
		cmp -s "$WORK/n1.json" "$WORK/n2.json" && same=1
	row "network only, -j 1 and -j 2 write the same bytes" "" "" "" "same" $same
}

bench_packed()
{
	measure '"$NETAN" timeline -q -o "$WORK/z.svg" "$PACKED"' \
		'"$BIN/inflate_peer" "$PACKED" >"$WORK/z.txt"'
	at_most "typical, gzip, against zlib inflate, wall" "${WALL[0]}" "${WALL[1]}" 1.35
	at_most "typical, gzip, against zlib inflate, cpu" "${CPU[0]}" "${CPU[1]}" 1.35
}

# NAME FILE COMMAND [ANALYSIS]: works within 96 bytes for each transfer that
# the analysis (timeline) keeps, and 64 MiB?
within_memory()
{
	local transfers
	transfers=$("$NETAN" "${4:-timeline}" -q --format json "$2" | json_number used)
	within "$1" $((96 * ${transfers:-0} + (64 << 20))) "$3"
	if [ "$MEMORY_SAID" = no ]; then
		say "limit: RLIMIT_DATA of 96 B x $transfers transfers + 64 MiB; first column: peak resident, mapped file included"
		MEMORY_SAID=yes
	fi
}

bench_memory()
{
	MEMORY_SAID=no
	within_memory "typical" "$TYPICAL" \
		'"$NETAN" timeline -q -o "$WORK/m.svg" "$TYPICAL"'
	within_memory "typical, gzip" "$TYPICAL" \
		'"$NETAN" timeline -q -o "$WORK/m.svg" "$PACKED"'
	within_memory "typical, standard input" "$TYPICAL" \
		'cat "$TYPICAL" | "$NETAN" timeline -q -o "$WORK/m.svg" -'
	MEMORY_SAID=no
	within_memory "network only" "$NETWORK" \
		'"$NETAN" timeline -q -o "$WORK/m.svg" "$NETWORK"'
	within_memory "network only, standard input" "$NETWORK" \
		'cat "$NETWORK" | "$NETAN" timeline -q -o "$WORK/m.svg" -'
}

bench_growth()
{
	measure '"$NETAN" timeline -q -o "$WORK/g.svg" "$TYPICAL"' \
		'"$NETAN" timeline -q -o "$WORK/g.svg" "$TYPICAL_QUARTER"' \
		'"$NETAN" timeline -q -o "$WORK/g.svg" "$NETWORK"' \
		'"$NETAN" timeline -q -o "$WORK/g.svg" "$NETWORK_QUARTER"'
	at_most "typical, four times the file, wall" "${WALL[0]}" "${WALL[1]}" 4.4
	at_most "network only, four times the file, wall" "${WALL[2]}" "${WALL[3]}" 4.4
}

bench_picture()
{
	local transfers draw limit size
	transfers=$("$NETAN" timeline -q --format json "$MILLION" | json_number used)
	measure '"$NETAN" timeline -q -j 1 -o "$WORK/p.csv" "$MILLION"' \
		'"$NETAN" timeline -q -j 1 -o "$WORK/p.csv" -o "$WORK/p.svg" "$MILLION"'
	draw=$(calc %.4f "${WALL[1]} - ${WALL[0]}")
	limit=$(calc %.4f "(${WALL[0]} / 3 > 0.3) ? ${WALL[0]} / 3 : 0.3")
	row "picture of $transfers transfers, wall" "$(calc '%.3f s' "$draw")" \
		"$(calc '%.3f s' "${WALL[0]}")" "$(calc %.2fx "$draw / ${WALL[0]}")" \
		"<= $(calc '%.2f s' "$limit")" "$(calc %d "($draw <= $limit)")"
	size=$(stat -c %s "$WORK/p.svg")
	row "picture of $transfers transfers, size" "$(calc '%.0f KiB' "$size / 1024")" \
		"" "" "<= 1 MiB" "$(calc %d "($size < 1048576)")"
}

# FILE OPTION...: medians of RUNS runs: READ and ANALYSE seconds, as -v says
# them.
phases()
{
	local file=$1
	shift
	for ((i = 0; i <= RUNS; i++)); do
		"$NETAN" "$@" -v --progress never -o "$WORK/a.json" "$file" 2>&1 |
			sed -n 's/.*reading took \([0-9.]*\) s, the analysis \([0-9.]*\) s.*/\1 \2/p'
	done | tail -n "$RUNS" >"$WORK/phases"
	READ=$(cut -d ' ' -f 1 "$WORK/phases" | sort -n | sed -n "$((RUNS / 2 + 1))p")
	ANALYSE=$(cut -d ' ' -f 2 "$WORK/phases" | sort -n | sed -n "$((RUNS / 2 + 1))p")
}

bench_analyses()
{
	local transfers name
	transfers=$("$NETAN" latency -q --format json "$TWO_SIDED" | json_number used)
	for name in latency sizes bursts rpc; do
		phases "$TWO_SIDED" "$name" -j 1
		at_most "$name of $transfers transfers, after reading" \
			"$ANALYSE" "$READ" 0.5
		say "$(calc '%.1f million transfers/s' "$transfers / ($ANALYSE + 1e-9) / 1e6")"
	done
	MEMORY_SAID=no
	for name in latency sizes bursts rpc; do
		within_memory "$name" "$TEN" \
			"\"\$NETAN\" $name -q -o \"\$WORK/m.svg\" \"\$TEN\"" "$name"
	done
}

bench_pairs()
{
	local transfers pairs
	transfers=$("$NETAN" pairs -q --format json "$FLEET" >"$WORK/f.json"; json_number used <"$WORK/f.json")
	pairs=$(grep -c '"src_host"' "$WORK/f.json" || true)
	phases "$FLEET" pairs
	at_most "pairs, $transfers transfers, $pairs pairs, after reading" \
		"$ANALYSE" "$READ" 2
	say "$(calc '%.2f s in all, %.1f million transfers/s' "$READ + $ANALYSE, $transfers / ($READ + $ANALYSE) / 1e6")"
}

# shellcheck source=tests/bench/captures.sh
. "${BASH_SOURCE[0]%/*}/captures.sh"
# shellcheck source=tests/bench/memory.sh
. "${BASH_SOURCE[0]%/*}/memory.sh"
# shellcheck source=tests/bench/devices.sh
. "${BASH_SOURCE[0]%/*}/devices.sh"
# shellcheck source=tests/bench/dense.sh
. "${BASH_SOURCE[0]%/*}/dense.sh"
# shellcheck source=tests/bench/diagnose.sh
. "${BASH_SOURCE[0]%/*}/diagnose.sh"
# shellcheck source=tests/bench/kineto.sh
. "${BASH_SOURCE[0]%/*}/kineto.sh"
# shellcheck source=tests/bench/gpu.sh
. "${BASH_SOURCE[0]%/*}/gpu.sh"
# shellcheck source=tests/bench/hosts.sh
. "${BASH_SOURCE[0]%/*}/hosts.sh"
# shellcheck source=tests/bench/ranks.sh
. "${BASH_SOURCE[0]%/*}/ranks.sh"
# shellcheck source=tests/bench/sql.sh
. "${BASH_SOURCE[0]%/*}/sql.sh"
# shellcheck source=tests/bench/pftrace.sh
. "${BASH_SOURCE[0]%/*}/pftrace.sh"
# shellcheck source=tests/bench/slice.sh
. "${BASH_SOURCE[0]%/*}/slice.sh"

make_for TYPICAL "typical packed memory growth devices diagnose pftrace slice" \
	typical --profile typical --events "$EVENTS"
make_for TYPICAL_QUARTER "growth devices" \
	typical-quarter --profile typical --events $((EVENTS / 4))
make_for NETWORK "network memory growth diagnose pftrace flat" \
	network --profile network --events $((EVENTS / 2))
make_for DENSE_SIXTH pftrace \
	dense-0.17 --profile typical --events "$EVENTS" --collective-ops 0.17
make_for NETWORK_QUARTER growth \
	network-quarter --profile network --events $((EVENTS / 8))
make_for MILLION "picture diagnose" \
	million --profile network --events $((EVENTS / 6))
# A third of the events of a file are receives: the analyses look at those.
make_for TWO_SIDED analyses \
	three-million --profile network --events "$((EVENTS / 9 * 3))"
make_for TEN "analyses spill sql" \
	thirty-million --profile network --events "$((EVENTS / 9 * 30))"
make_for FLEET "pairs transfer_file diagnose" \
	fleet --hosts 256 --devices 1 --collectives 8 --ops 1 \
	--steps "${FLEET_STEPS:-3}"
FLEET=${FLEET%/*}
PACKED=$WORK/typical.xplane.pb.gz
if wants packed memory &&
	{ [ ! -s "$PACKED" ] || [ "$TYPICAL" -nt "$PACKED" ]; }; then
	echo "making $PACKED" >&2
	gzip -6 -c "$TYPICAL" >"$PACKED.new"
	mv "$PACKED.new" "$PACKED"
fi
if wants devices; then make_device_files; fi
if wants dense; then make_dense; fi
if wants kineto; then make_kineto; fi
if wants gpu; then make_gpu; fi
if wants hosts; then make_hosts; fi
if wants ranks; then make_ranks; fi
if wants names; then make_names; fi
export FLEET TEN TWO_SIDED TYPICAL TYPICAL_QUARTER NETWORK NETWORK_QUARTER MILLION PACKED

echo "$("$NETAN" --version | sed 1q), $(nproc) cores," \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), load $(cut -d ' ' -f 1 /proc/loadavg)," \
	"median of $RUNS runs"
if awk -v n="$(nproc)" '{ exit !($1 > 0.75 * n) }' /proc/loadavg; then
	echo "the machine is busy: believe cpu, not wall"
fi
printf '%-50s %11s %11s %8s  %-10s %s\n' "" netan peer ratio bar ""
for part in typical network packed memory growth picture analyses pairs diff \
	devices dense captures transfer_file diagnose kineto gpu hosts ranks spill \
	names sql pftrace flat slice; do
	if wants "$part"; then "bench_$part"; fi
done
echo "$held bars held, $short fell short"
