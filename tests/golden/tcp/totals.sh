# Totals are of all connections, listed or not.
netan synth -q -o job.pcap --condition loss --rpcs 60 --size 2MB
for top in 1 100; do
	netan tcp -q --top $top --format json job.pcap |
		sed -n '/"totals"/,/"retransmissions"/p' | grep loss_events
done
