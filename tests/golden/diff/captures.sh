# Calls of captures; transfers one by one, where nothing tells steps.
netan synth -o a.pcap --rpcs 400 --condition healthy >/dev/null
netan synth -o b.pcap --rpcs 400 --condition healthy --message 64KiB >/dev/null
netan diff a.pcap a.pcap --component rpc
netan diff a.pcap b.pcap --component rpc --top 2 --format csv --table metrics |
	cut -d, -f 1,2,4,5,7-9,14,16 | sed -n '1p;/p50/p;/p99,/p;/mean/p'
