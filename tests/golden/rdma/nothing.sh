# No queue pairs: a trace, a capture without RoCEv2, nothing left by a filter.
cp "$NETAN_ROOT/tests/data/graph.xplane.pb" "$NETAN_ROOT/tests/data/tcp.pcap" .
try()
{
	netan rdma "$@" --format json >out.json
	echo "exit $?"
	grep -E '"(queue_pairs|queue_pairs_used|verdict)"' out.json
}
try graph.xplane.pb
try tcp.pcap
head -c 24 tcp.pcap >empty.pcap
try empty.pcap
netan synth -q -o a.pcap --connections 0 --rpcs 0 --roce 40
try a.pcap --src 1.2.3.4
# All of them were there before, or came later.
try a.pcap --from 0.5s --to 0.6s
netan rdma a.pcap --from 0s --to 1ns --format json | grep '_used'
try a.pcap --by src
try a.pcap --queue-pair 99 -o a.svg
# Cut in the middle: what is there is told.
head -c 20000 a.pcap >cut.pcap
netan rdma cut.pcap | sed -n 3,7p
# A transfer file does not keep them.
netan ingest -q a.pcap -o a.netan
try a.netan
