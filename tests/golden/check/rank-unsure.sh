# What is told of links that nothing tells apart is of ranks that are surely
# slow (0 to 1), not of those that look slowest and may be by chance (2 to 3).
record()
{
	awk -v me="$1" -v what="$2" -v src="$3" -v dst="$4" -v usual="$5" \
		-v odd="$6" 'BEGIN {
		printf "{\"schemaVersion\":1,\"distributedInfo\":{"
		printf "\"backend\":\"nccl\",\"rank\":%d,", me
		printf "\"world_size\":8},\"traceEvents\":["
		for (i = 0; i < 24; i++) {
			printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",", i ? "," : ""
			printf "\"name\":\"ncclDevKernel_SendRecv(x)\","
			printf "\"pid\":0,\"tid\":7,\"ts\":%d,", i * 50000
			printf "\"dur\":%d,", (i % 2 || !i ? odd : usual) + i % 5
			printf "\"args\":{\"device\":0,\"stream\":7,"
			printf "\"Collective name\":\"%s\",\"dtype\":\"Float\",", what
			printf "\"In msg nelems\":2097152,"
			printf "\"Out msg nelems\":2097152,\"Group size\":2,"
			printf "\"Process Group Name\":\"0\","
			printf "\"Src Rank\":%d,\"Dst Rank\":%d}}", src, dst
		}
		printf "]}\n"
	}' >"host-$1_$1.1.pt.trace.json"
}
both()
{
	record "$1" send "$1" "$2" "$3" "$4"
	record "$2" recv "$1" "$2" "$3" "$4"
}
both 0 1 4000 4000
both 2 3 1000 20000
both 4 5 1000 1000
both 6 7 1000 1000
for i in 0 1 2 3 4 5 6 7; do echo "r$i,host-$i"; done >hosts.csv
netan collectives ./*.trace.json --hosts hosts.csv --format json 2>/dev/null |
	sed -n '/"links"/,$p' | grep -E '"(group|verdict)"'
netan check -q ./*.trace.json --hosts hosts.csv 2>&1 | sed -n '1p; /bad-endpoint:/p; /^Evidence/p'
