netan synth -o a --run r --hosts 2 --devices 2 --steps 12 --ops 4 >/dev/null
netan synth -o b --run r --hosts 2 --devices 2 --steps 12 --ops 4 \
	--fault slow-sender:host-1:3 >/dev/null
try()
{
	netan diff "$@"
	echo "exit $?"
}
limits() { try "$@" | sed -n '/^Limits/,/^$/p;/^exit/p'; }
limits a b --fail-if 'latency.mean>+10%'
limits a a --fail-if 'latency.mean>+10%' --fail-if 'latency.p50>1ms'
limits a b --fail-if 'throughput.mean<-5%' --fail-if 'steps.p50>2s' \
	--fail-if 'sizes.p50>1KiB' --fail-if 'latency.p99.9>+1%' \
	--fail-if 'stall.mean<900us'
limits a b --fail-if 'latency.p99>+180%' --fail-if 'slack.p50<0ms'
netan diff a b --fail-if 'latency.mean>+10%' --format csv --table fail_if
echo "exit $?"
for limit in latncy.p50\>+3% latency.p55\>+3% latency \> 'latency.p50>' \
	'latency.p50>3' 'latency.p50>3%' 'latency.p50>+3%%' 'sizes.p50>3ms' \
	'steps.mean>1e3ms' 'latency.p50>nan' 'throughput.p50<+x%' ''; do
	try a b --fail-if "$limit"
done
try a
try a b a
try --label x a b
try --label x a --label y b --label z a
try a --label y b
try - -
try a b --by host
try a b --fail-if
try --label x a --step 0-1 --label y a --step 2-3
