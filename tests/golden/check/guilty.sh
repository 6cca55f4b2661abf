# Who is called guilty: found so, too (--fail-on error); all that was lost,
# with timeouts or without; a path before the network at large; what costs as
# much beside it; a capacity that is less than what was sent.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
try()
{
	netan check -q "$@" --fail-on error >out
	echo "exit $?"
	sed -n -E '1p; /^(error|warning) /p' out
}
netan synth -q -o lossy.pcap --condition loss --condition timeout \
	--condition zero-window --condition idle --condition healthy
try lossy.pcap
netan tcp -q lossy.pcap --format json |
	grep -o '"lost_data_segments": [1-9][0-9]*' | sort | uniq -c
netan synth -q -o both.pcap --condition loss --condition healthy --roce 400 \
	--condition roce-loss --condition congestion --seed 5
try both.pcap
netan synth -q -o two --hosts 8 --steps 12 --seed 31 \
	--fault slow-sender:1:3 --fault slow-compute:5:1.3
try two
netan synth -q -o both --hosts 6 --steps 12 --fault slow-sender:1:2 \
	--fault slow-receiver:4:2
try both
netan check -q --capacity 10Gbps two | grep -A3 bandwidth-bound
true
