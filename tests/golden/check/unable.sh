# What a command cannot tell no check passes: it is told what that takes.  Late
# transfers that are rare, and calls that failed, are remarks.
netan synth -q --hosts 4 --steps 2 --collectives 1 --devices 1 -o few
netan synth -q --hosts 2 --steps 6 --fault clock:1:5ms -o clocks
netan synth -q --hosts 4 --steps 6 --fault tail:1:0.0008 --seed 2 -o late
netan synth -q --hosts 3 --connections 0 --roce 0 --rpcs 1000 -o calls.pcap
netan synth -q --profile pytorch --hosts 4 --devices 2 --steps 6 \
	--fault slow-sender:2:6 -o ranks
for i in few clocks late calls.pcap ranks; do
	echo "== $i"
	netan rpc "$i" | sed -n 3p | cut -d ';' -f 1
	netan check -q "$i" --only rpc-latency --only bursty \
		--only small-transfers --only bad-endpoint | grep -E \
		'^(info|warning) rpc|^Evidence: .*calls|^passed|passed$|^rpc-|^bursty|^small-|^bad-'
done
echo '== many calls failed'
netan check -q calls.pcap --failed-calls 0.01 --only rpc-latency \
	--only tcp-connection --only bad-endpoint --only rdma-queue-pair |
	sed -n '1p; /calls failed/,/^More/p'
netan check -q calls.pcap --failed-calls 0.01 --fail-on warning >out || echo "exit $?"
echo '== a rank without a dump'
netan synth -q --profile pytorch --hosts 4 --devices 4 --steps 4 \
	--fault missing-rank:9 -o hung
netan check -q hung | sed 1q
echo '== whom check names of ranks, and pairs does not'
netan synth -q --profile pytorch --hosts 4 --devices 4 --steps 8 \
	--fault slow-sender:2:4 -o named
netan check -q named | sed 1q
netan pairs named | grep -E '^cannot tell|names nobody'
