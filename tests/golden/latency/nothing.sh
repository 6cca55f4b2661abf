# Nothing to time: told apart from damage, and what to do.
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 >/dev/null
try()
{
	netan latency "$@"
	echo "exit $?"
}
try
: >empty.xplane.pb
try empty.xplane.pb
try t --collective none
try t --collective none --by host --format json | grep -A3 '"result"'
try t --from 5s --to 6s -o x.svg
grep -c 'left out' x.svg
try t --component kernel
try missing.pb
