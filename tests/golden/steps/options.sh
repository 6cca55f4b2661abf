netan synth -o t --run r --hosts 3 --devices 1 --steps 12 --ops 10 \
	--fault slow-compute:host-1:1.5 >/dev/null
netan synth -o u --run r --hosts 3 --devices 1 --steps 12 --ops 10 >/dev/null
try()
{
	netan steps "$@"
	echo "exit $?"
}
steps() { netan steps t --format tsv "$@" | cut -f 1,4,5; }
steps --step 3-5
steps --from 100ms --to 300ms
netan steps t --host host-2 | sed -n 1,3p
try t --by host
try t --fail-on error -q -o /dev/null
try u --fail-on error -q -o /dev/null
netan steps --label before u --label after t --format tsv --table hosts |
	cut -f 1,2,3,6,8
netan steps --label before u --label after t | sed -n 3p
