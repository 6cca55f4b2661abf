# RoCEv2 queue pairs: each kind of trouble, whom it accuses, and what acquits
# the network.
try()
{
	printf '== %s\n' "$*"
	netan synth -q -o a.pcap --connections 0 --rpcs 0 --roce 2000 "$@"
	netan check -q a.pcap --fail-on error >out
	echo "exit $?"
	sed -n -E '1p; /^(error|warning|info) rdma-queue-pair/,/^$/p' out
	grep -o 'rdma-queue-pair' out | sort -u
}
try --hosts 4 --condition healthy
try --hosts 4 --condition roce-loss
try --hosts 8 --condition healthy --condition healthy --condition roce-loss \
	--condition healthy --condition healthy --condition healthy
try --hosts 4 --condition roce-timeout
try --hosts 2 --condition receiver-not-ready
try --hosts 4 --condition receiver-not-ready
try --hosts 2 --condition congestion
