# What one run does not hold is not compared, and why is said.
netan synth -o a --run r --hosts 2 --devices 2 --steps 12 --ops 4 >/dev/null
netan synth -o b --run r --hosts 2 --devices 2 --steps 12 --ops 4 \
	--skip-planes 2 >/dev/null
netan synth -o c --run r --profile gpu --hosts 1 --devices 2 --steps 10 \
	--ops 4 >/dev/null
try()
{
	netan diff "$@"
	echo "exit $?"
}
try a b | sed '/^[a-z]*\.[pm]/d'
netan diff a b --format csv --table not_compared
try a c | sed '/^[a-z]*\.[pm]/d'
try a c --from 900s -o x.svg
grep -c 'nothing to compare\|Nothing\|holds' x.svg
: >empty.xplane.pb
try a empty.xplane.pb
try empty.xplane.pb a
try a nofile
netan diff a b --format tsv --table metrics | cut -f 1,4-9,16,17 |
	sed -n '1p;/^slack.p50/p;/^steps.mean/p'
