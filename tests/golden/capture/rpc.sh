# Calls as the truth of a made capture has them, one by one; what rpc says of
# them; filters.
netan synth -o c.pcap --connections 4 --rpcs 60 --roce 20 --size 400kB >/dev/null
# connection, stream, method, status, first, end, bytes: of the truth, of ours.
tr -d '\n' <c.pcap.truth.json | sed 's/.*"calls": *\[//; s/\].*//' |
	tr '}' '\n' | tr -d '{"' | awk -F'[,:] *' '/stream/ {
		for (i = 1; i < NF; i++) { sub(/^ +/, "", $i); v[$i] = $(i + 1) }
		printf "%.9f %s %s %.3f %.3f %d %d\n", v["start_ns"] / 1e9,
			v["method"], v["grpc_status"], v["first_ns"] / 1e3,
			v["end_ns"] / 1e3, v["bytes_req"], v["bytes_resp"]
	}' | sort >want
netan rpc c.pcap --format csv --table calls | awk -F, 'NR > 1 {
	printf "%.9f %s %s %.3f %.3f %d %d\n", $1, $4, $5, $9, $10, $11, $12
}' | sort >got
wc -l <want
diff want got && echo the same
netan rpc c.pcap --component rpc
netan rpc c.pcap --collective '*Barrier' --dst 10.1.0.1 --top 2 \
	--format csv --table calls
netan rpc c.pcap --component network --format csv --table calls
netan rpc c.pcap --by component --format csv --table methods
# A heavy tail of which timers explain a part.
netan synth -q -o mixed.pcap
netan rpc mixed.pcap | sed -n 3p | cut -d ';' -f 1
# Few that a server answers late, and alike: not TCP's.
netan synth -q -o alike.pcap --hosts 3 --connections 0 --roce 0 --rpcs 400
netan rpc alike.pcap | sed -n 3p | cut -d ';' -f 1
netan rpc alike.pcap --format json | grep -A4 '"alike"'
