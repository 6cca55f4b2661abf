# Nothing to count: told apart from damage, and what to do.
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 >/dev/null
try()
{
	netan bursts "$@"
	echo "exit $?"
}
: >empty.xplane.pb
try empty.xplane.pb
try t --collective none
try t --from 5s --to 6s -o x.svg
grep -c 'all transfers were left out' x.svg
try missing.pb
head -c 3000 /dev/zero >zeros.pb
try zeros.pb
try t --gap 5
try t --gap -1ms
try t --capacity 100Gbps
