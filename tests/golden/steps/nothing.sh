# No steps: an input without device planes, an empty window.
cp "$NETAN_ROOT/tests/data/tcp.pcap" .
netan synth -o t --run r --hosts 2 --devices 1 --steps 2 --ops 10 >/dev/null
try()
{
	netan steps "$@"
	echo "exit $?"
}
try tcp.pcap
try t --from 5s --to 6s -o x.svg
grep -c 'the filters leave none' x.svg
