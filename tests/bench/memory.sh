# Sessions larger than memory: what a small --memory costs; and what is kept
# for each name.  Read by bench.sh.
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

NAMES=${NAMES:-1000000}

# Files of names.c: in each, $NAMES names that come once.
make_names()
{
	local kind dir

	for kind in collectives ops devices pairs; do
		dir=$WORK/names-$kind
		[ "$(cat "$dir/made-with" 2>/dev/null)" = "$NAMES" ] && continue
		rm -rf "$dir"
		mkdir -p "$dir"
		echo "making names-$kind" >&2
		"$BIN/names" "$kind" "$NAMES" >"$dir/host.xplane.pb"
		echo "$NAMES" >"$dir/made-with"
	done
}

# KIND COMMAND BYTES: works without a temporary file within so many bytes of
# private memory for each name, 24 for the name itself, and 64 MiB?
within_names()
{
	export INPUT=$WORK/names-$1/host.xplane.pb ANALYSIS=$2
	within "$2, $NAMES $1, $3 B each" $((($3 + 24) * NAMES + (64 << 20))) \
		'TMPDIR=/nonexistent "$NETAN" "$ANALYSIS" -q -j 1 --memory 1TB -o "$WORK/n.json" "$INPUT" >"$WORK/n.txt" 2>&1'
}

bench_names()
{
	local name

	say "limit: RLIMIT_DATA; first column: peak resident, mapped file included"
	for name in info timeline latency sizes rpc bursts collectives check; do
		within_names collectives "$name" 200
		within_names devices "$name" 200
	done
	within_names devices pairs 200
	for name in collectives steps check; do
		within_names ops "$name" 200
	done
	for name in timeline pairs check; do
		within_names pairs "$name" 150
	done
}
