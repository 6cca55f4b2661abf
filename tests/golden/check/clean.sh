# Healthy jobs of every size and kind, and healthy connections: nothing above
# a remark, and nobody accused.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
. "$NETAN_ROOT/tests/golden/check/common"
n=0
try()
{
	n=$((n + 1))
	printf '== %s\n' "$*"
	netan synth -q -o j$n --run r "$@"
	judge j$n
}
judge()
{
	netan check -q "$@" --fail-on warning >out
	echo "exit $?"
	sed -n -E '1p; s/^(error|warning|info) ([a-z-]+): .*/\1 \2/p' out
	sed -n '/^passed$/ { n; s/^/passed: /p; }' out
}
try --hosts 2
try --hosts 4
try --hosts 8 --steps 10
try --hosts 16 --steps 6 --devices 2
try --hosts 10 --devices 8 --steps 2
try --hosts 4 --collectives 16 --steps 6
try --hosts 8 --slices 2 --steps 10
try --hosts 4 --generation message
try --hosts 4 --generation both
try --hosts 4 --pattern ring
try --hosts 4 --ici 4
try --hosts 4 --without steps --without modules
try --profile gpu
for end in pcap pcapng; do
	echo "== healthy.$end"
	netan synth -q -o healthy.$end --condition healthy
	judge healthy.$end
done
echo "== capacity"
judge j2 --capacity 400Gbps
echo "== its transfer file"
netan ingest -q j2 -o job.netan
judge job.netan
echo "== settings of its hosts"
for h in 0 1 2 3; do settings host-$h 5000; done
judge j2 --host-settings settings
echo "-- two hosts: too few to say which end it is"
netan synth -q --hosts 2 --steps 6 -o pair
netan check pair --only bad-endpoint
netan synth -q -o bulk.pcap --condition healthy --rpcs 0 --roce 0
printf '== bulk alone\n'
judge bulk.pcap
printf '== traces and dumps of ranks\n'
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 4 \
	--evidence kineto --evidence recorder -o ranks
judge ranks/kineto ranks/recorder
printf '== traces of ranks and packets: these tell of the network, by name\n'
judge ranks/kineto healthy.pcap
for i in 1 2 3 4; do
	echo "10.1.0.$i,host-$((i - 1))"
done >hosts.csv
judge ranks/kineto healthy.pcap --hosts hosts.csv
printf '== ranks share the NICs of their hosts\n'
judge ranks/kineto --capacity 10Gbps
