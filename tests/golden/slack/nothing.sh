try()
{
	netan slack "$@"
	echo "exit $?"
}
netan synth -o t --run r --hosts 2 --devices 1 --steps 2 --collectives 2 \
	>/dev/null
netan synth -o gpu --profile gpu --run r --hosts 1 --devices 2 --steps 2 \
	>/dev/null
: >empty.xplane.pb
try empty.xplane.pb
try "$NETAN_ROOT/tests/data/tcp.pcap"
try gpu
try t --collective none
try t --from 5s -o x.svg
grep -c 'the filters leave no execution' x.svg
# The host's side alone.
cp "$NETAN_ROOT/tests/data/graph.xplane.pb" .
try graph.xplane.pb --late 0
