# What GPU jobs leave behind, against Python: dumps of the flight recorder, and
# NCCL Inspector's lines.  Read by bench.sh.
# shellcheck shell=bash disable=SC2016,SC2034

# One process's log, laid out as the plugin does: LINES FILE.
write_inspector()
{
	awk -v lines="$1" 'BEGIN {
		split("AllReduce AllGather ReduceScatter Broadcast", op, " ")
		for (i = 0; i < lines; i++)
			printf("{\"header\":{\"id\":\"0x7f8c496ae9f661\",\"rank\":2,\"n_ranks\":8,\"nnodes\":1},\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"git_rev\":\"\",\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":%.0f,\"hostname\":\"gpu-7\",\"pid\":468528},\"coll_perf\":{\"coll\":\"%s\",\"coll_sn\":%d,\"coll_msg_size_bytes\":%d,\"coll_exec_time_us\":%d,\"coll_algobw_gbs\":%d.%06d,\"coll_busbw_gbs\":%d.%06d}}\n", 1752867229000000 + i * 300, op[1 + i % 4], i, 4096 * (1 + i % 512), 100 + i % 190, 100 + i % 97, i * 7 % 1000000, 170 + i % 97, i * 13 % 1000000)
	}' >"$2"
}

make_gpu()
{
	HAS_PYTHON=no
	command -v python3 >/dev/null || return 0
	HAS_PYTHON=yes
	DUMPS=$WORK/dumps-${RECORDER_RANKS:=1000}
	if [ ! -e "$DUMPS/made" ]; then
		echo "making $DUMPS" >&2
		python3 "$BENCH_SOURCE/recorder_dumps.py" make "$DUMPS" "$RECORDER_RANKS" 2000
		touch "$DUMPS/made"
	fi
	INSPECTOR=$WORK/inspector-${INSPECTOR_LINES:=3000000}.log
	if [ ! -s "$INSPECTOR" ]; then
		echo "making $INSPECTOR" >&2
		write_inspector "$INSPECTOR_LINES" "$INSPECTOR.new"
		mv "$INSPECTOR.new" "$INSPECTOR"
	fi
	cat >"$WORK/lines.py" <<-'END'
		import json
		import sys
		with open(sys.argv[1], "rb") as f:
		    for line in f:
		        json.loads(line)
	END
	export DUMPS INSPECTOR
}

# NAME TIMES: the last two commands, ours and then Python's; wall.
times_faster()
{
	row "$1, wall" "$(calc '%.3f s' "${WALL[0]}")" "$(calc '%.3f s' "${WALL[1]}")" \
		"$(calc %.1fx "${WALL[1]} / ${WALL[0]}")" ">= $2x" \
		"$(calc %d "(${WALL[1]} >= $2 * ${WALL[0]})")"
	say "$(calc 'cpu: %.2f s against %.2f s, %.1fx' "${CPU[0]}, ${CPU[1]}, ${CPU[1]} / ${CPU[0]}")"
}

bench_recorder()
{
	local walk
	# They are dumps of a job that hangs: exit status 1.
	RUNS=1 measure '"$NETAN" hang -q "$DUMPS" >"$WORK/r.txt" || [ $? = 1 ]' \
		'python3 "$BENCH_SOURCE/recorder_dumps.py" load "$DUMPS"' \
		'"$BIN/pickle_walk" "$DUMPS"/_dump_* >"$WORK/w.txt"'
	times_faster "recorder, $RECORDER_RANKS ranks x 2000, hang, against pickle" 20
	walk=${CPU[2]}
	say "$(calc 'a bare walk over the opcodes: %.2f s; netan, cpu: %.1fx of it' "$walk, ${CPU[0]} / $walk")"
	within "recorder, $RECORDER_RANKS ranks x 2000" 200000000 \
		'"$NETAN" hang -q "$DUMPS" >"$WORK/r.txt" || [ $? = 1 ]'
}

bench_inspector()
{
	RUNS=1 measure '"$NETAN" collectives -q "$INSPECTOR" >"$WORK/i.txt"' \
		'python3 "$WORK/lines.py" "$INSPECTOR"'
	times_faster "Inspector, $INSPECTOR_LINES lines, against json" 10
}

bench_gpu()
{
	if [ "$HAS_PYTHON" = no ]; then
		say "recorder and Inspector: skipped, python3 is not here"
		return
	fi
	bench_recorder
	bench_inspector
}
