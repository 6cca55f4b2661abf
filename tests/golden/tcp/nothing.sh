# No connections: a trace, a capture without TCP, nothing left by a filter.
cp "$NETAN_ROOT/tests/data/graph.xplane.pb" "$NETAN_ROOT/tests/data/tcp.pcap" .
try()
{
	netan tcp "$@" --format json >out.json
	echo "exit $?"
	grep -E '"(connections|connections_used|verdict)"' out.json
}
try graph.xplane.pb
head -c 24 tcp.pcap >empty.pcap
try empty.pcap
try tcp.pcap --src 1.2.3.4
try tcp.pcap --from 5s
# Cut in the middle: what is there is told.
head -c 9000 tcp.pcap >cut.pcap
netan tcp cut.pcap | sed -n 3,7p
# Cut before the first packet: not an empty capture.
head -c 30 tcp.pcap >head.pcap
try head.pcap
netan info -q head.pcap | grep -c 'right interface'
