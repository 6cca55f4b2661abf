# Repeats of a segment are one loss, and name no host; what costs next to nothing
# and came a few times is a remark; loss of the network at large is named after
# a side that is slow.
try()
{
	netan check -q "$@" | sed -n '1p; / rdma-queue-pair: /p'
}
netan synth -q -o backoff.pcap --seed 9
try backoff.pcap
netan synth -q -o one.pcap --seed 6 --condition healthy --condition roce-mixed
try one.pcap
netan synth -q -o marks.pcap --seed 1 --condition healthy \
	--condition roce-mixed
try marks.pcap
netan synth -q -o window.pcap
try --from 0s --to 0.26s window.pcap
netan synth -q -o slow --steps 12 --fault slow-sender:3:3
netan synth -q -o loss.pcap --condition loss --loss 0.03
try slow loss.pcap
