netan synth -o a --run r --hosts 2 --devices 1 --steps 9 --ops 4 >/dev/null
netan synth -o b --run r --hosts 2 --devices 1 --steps 9 --ops 4 \
	--fault slow-sender:host-1:2 >/dev/null
netan diff a b --fail-if 'latency.p50>+5%' --format json
echo "exit $?"
echo "CSV has the metrics"
netan diff a b --format csv | sed -n 2p | cut -d , -f 1,2,16
