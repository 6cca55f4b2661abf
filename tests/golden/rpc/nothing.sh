# Nothing to draw is told, and drawn.
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 >/dev/null
netan rpc t --from 5s --to 6s -o x.svg -o x.json
echo "exit $?"
grep -c 'No transfer with a latency was used' x.svg
grep -A12 '"result"' x.json
: >empty.xplane.pb
netan rpc empty.xplane.pb
echo "exit $?"
echo "== too few transfers to call them high all the time"
netan synth -o few --run r --hosts 2 --devices 1 --steps 1 --collectives 2 \
	--fault slow-host:0:200 >/dev/null
netan rpc few | sed -n 3p
