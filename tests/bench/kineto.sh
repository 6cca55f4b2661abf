# A PyTorch job's trace in JSON against yajl's walk of the same bytes.  Read by
# bench.sh.
# shellcheck shell=bash disable=SC2016,SC2034

# EVENTS FILE: the trace of one rank, laid out as libkineto does: of ten
# events one is a kernel, of fifty kernels one communicates.
write_kineto()
{
	awk -v groups=$(($1 / 10)) 'BEGIN {
		printf("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [],\n")
		printf("  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 8},\n")
		printf("  \"traceEvents\": [\n")
		for (i = 0; i < groups; i++) {
			ts = sprintf("%.0f.%03d", 4458676388068 + i * 20, i * 7 % 1000)
			for (k = 0; k < 5; k++)
				printf("  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::linear_%d\", \"pid\": 2910249, \"tid\": 2910249,\n    \"ts\": %s, \"dur\": 17.%03d,\n    \"args\": {\n      \"External id\": %d,\"Record function id\": 0, \"Ev Idx\": %d\n    }\n  },\n", k, ts, i % 1000, i * 5 + k, i * 5 + k)
			for (k = 0; k < 2; k++)
				printf("  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 2910249, \"tid\": 2910249,\n    \"ts\": %s, \"dur\": 4.%03d,\n    \"args\": {\n      \"External id\": %d, \"cbid\": 211, \"correlation\": %d\n    }\n  },\n", ts, i % 1000, i * 5, i * 2 + k)
			printf("  {\n    \"ph\": \"s\", \"id\": %d, \"pid\": 2910249, \"tid\": 2910249, \"ts\": %s,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  },\n", i, ts)
			printf("  {\n    \"ph\": \"f\", \"id\": %d, \"pid\": 0, \"tid\": 7, \"ts\": %s,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  },\n", i, ts)
			common = sprintf("\"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": %d, \"correlation\": %d,\n      \"registers per thread\": 96,\n      \"shared memory\": 87568,\n      \"blocks per SM\": 0.074074,\n      \"warps per SM\": 1.259259,\n      \"grid\": [8, 1, 1],\n      \"block\": [544, 1, 1],\n      \"est. achieved occupancy %%\": 0", i % 50 ? 7 : 40, i * 2)
			if (i % 50)
				printf("  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)\", \"pid\": 0, \"tid\": 7,\n    \"ts\": %s, \"dur\": 12.%03d,\n    \"args\": {\n      \"External id\": %d,\n      %s\n    }\n  },\n", ts, i % 1000, i * 5, common)
			else
				printf("  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)\", \"pid\": 0, \"tid\": 40,\n    \"ts\": %s, \"dur\": 12.%03d,\n    \"args\": {\n      \"External id\": %d,\n      %s, \"Collective name\": \"allreduce\", \"In msg nelems\": 2049000, \"Out msg nelems\": 2049000, \"Group size\": 8, \"dtype\": \"BFloat16\", \"In split size\": \"[]\", \"Out split size\": \"[]\", \"Process Group Name\": \"0\", \"Process Group Description\": \"default_pg\", \"Process Group Ranks\": \"[0, 1, 2, 3, 4, 5, 6, 7]\"\n    }\n  },\n", ts, i % 1000, i * 5, common)
		}
		printf("  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\", \"pid\": \"\", \"tid\": \"\", \"ts\": %.0f\n  }\n  ],\n", 4458676388068 + groups * 20)
		printf("  \"traceName\": \"rank0.json\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1711964646000000000\n}\n")
	}' >"$2"
}

make_kineto()
{
	KINETO=$WORK/rank0.pt.trace.json
	if [ ! -s "$KINETO" ]; then
		echo "making $KINETO" >&2
		write_kineto "${KINETO_EVENTS:-5000000}" "$KINETO.new"
		gzip -6 -c "$KINETO.new" >"$KINETO.gz"
		mv "$KINETO.new" "$KINETO"
	fi
	# A tenth of it, of each of eight ranks.
	KINETO_SET=$WORK/kineto-ranks
	if [ ! -s "$KINETO_SET/rank7.pt.trace.json" ]; then
		echo "making $KINETO_SET" >&2
		mkdir -p "$KINETO_SET"
		write_kineto $((${KINETO_EVENTS:-5000000} * 2 / 25)) "$WORK/kineto.new"
		for rank in 0 1 2 3 4 5 6 7; do
			sed "s/\"rank\": 0,/\"rank\": $rank,/" "$WORK/kineto.new" \
				>"$KINETO_SET/rank$rank.pt.trace.json"
		done
		rm "$WORK/kineto.new"
	fi
	export KINETO KINETO_SET
}

# Other parsers of the same bytes, where they are installed; of Python, which
# keeps all, on a small file.
say_other_json()
{
	if command -v python3 >/dev/null; then
		RUNS=1 measure '"$NETAN" collectives -q -j 1 "$KINETO_SET/rank0.pt.trace.json" >"$WORK/k.txt"' \
			'python3 -c "import json, sys; json.load(open(sys.argv[1]))" "$KINETO_SET/rank0.pt.trace.json"'
		say "$(calc 'of one of the eight, Python json.load: %.2f s cpu; netan: %.2fx of it' "${CPU[1]}, ${CPU[0]} / ${CPU[1]}")"
	fi
	if ! c++ -O2 -o "$WORK/simd_peer" "$BENCH_SOURCE/simd_peer.cc" -lsimdjson 2>/dev/null; then
		say "simdjson: skipped, libsimdjson-dev is not installed"
		return
	fi
	measure '"$NETAN" collectives -q -j 1 "$KINETO" >"$WORK/k.txt"' \
		'"$WORK/simd_peer" "$KINETO" >"$WORK/k.txt"'
	say "$(calc 'simdjson: %.2f s cpu; netan: %.2fx of it' "${CPU[1]}, ${CPU[0]} / ${CPU[1]}")"
}

bench_kineto()
{
	local bytes
	bytes=$(stat -c %s "$KINETO")
	measure '"$NETAN" collectives -q -j 1 "$KINETO" >"$WORK/k.txt"' \
		'"$BIN/json_peer" "$KINETO" >"$WORK/k.txt"'
	at_most "Kineto JSON, collectives -j 1, cpu" "${CPU[0]}" "${CPU[1]}" 0.7
	say "$(calc 'netan, -j 1: %.2f GB/s; yajl: %.2f GB/s' "$bytes / ${WALL[0]} / 1e9, $bytes / ${WALL[1]} / 1e9")"
	# 10,000 of 5 million events are kernels that communicate.
	within "Kineto JSON" \
		$(((64 << 20) + ${KINETO_EVENTS:-5000000} / 500 * 96)) \
		'"$NETAN" collectives -q "$KINETO" >"$WORK/k.txt"'
	say_other_json
	measure '"$NETAN" collectives -q "$KINETO.gz" >"$WORK/k.txt"' \
		'"$BIN/inflate_peer" "$KINETO.gz" >"$WORK/k.txt"' \
		'"$BIN/inflate_peer" -i "$KINETO.gz" >"$WORK/k.txt"' \
		'"$NETAN" collectives -q -j 1 "$KINETO.gz" >"$WORK/k.txt"'
	at_most "Kineto JSON, gzip, wall, against inflating alone" \
		"${WALL[0]}" "${WALL[1]}" 1.3
	say "$(calc 'cpu: %.2fx of zlib; -j 1, wall: %.2fx' "${CPU[0]} / ${CPU[1]}, ${WALL[3]} / ${WALL[1]}")"
	say "$(calc 'against ISA-L, which netan uses: wall %.2fx, cpu %.2fx' "${WALL[0]} / ${WALL[2]}, ${CPU[0]} / ${CPU[2]}")"
	measure '"$NETAN" collectives -q -j 2 "$KINETO_SET" >"$WORK/k.txt"' \
		'"$NETAN" collectives -q -j 1 "$KINETO_SET" >"$WORK/k.txt"'
	row "Kineto JSON, 8 files of 100 MB, -j 2 against -j 1" \
		"$(calc '%.3f s' "${WALL[0]}")" "$(calc '%.3f s' "${WALL[1]}")" \
		"$(calc %.2fx "${WALL[1]} / ${WALL[0]}")" ">= 1.7x" \
		"$(calc %d "(${WALL[1]} >= 1.7 * ${WALL[0]})")"
}
