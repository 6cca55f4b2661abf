# Nothing to draw is told, and drawn.
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 >/dev/null
netan rpc t --from 5s --to 6s -o x.svg -o x.json
echo "exit $?"
grep -c 'No transfer with a latency was used' x.svg
grep -A12 '"result"' x.json
: >empty.xplane.pb
netan rpc empty.xplane.pb
echo "exit $?"
