# Worst first, with what it stands on and what to do; the verdict is what was
# planted, its counts are its truth's.
netan synth -q -o a.pcap --connections 0 --rpcs 0 --roce 600 --hosts 8 \
	--condition healthy --condition roce-loss --condition roce-timeout \
	--condition receiver-not-ready --condition congestion
netan rdma a.pcap
netan rdma a.pcap --top 1 --format md
netan rdma a.pcap --format csv | cut -d , -f 1-9
netan rdma a.pcap --src 10.1.0.2 --dst 10.1.0.3 --format csv | cut -d , -f 1-9
netan rdma a.pcap --fail-on error -q -o a.json
echo "exit $?"
tr -d ' \n' <a.pcap.truth.json |
	grep -oE '"responder":"[^"]*","condition":"[^"]*"|"(naks|rnr_naks|psn_repeats|needed_repeats|timeouts|congestion)":[0-9]*' |
	tail -n 35 | tr -d '"'
