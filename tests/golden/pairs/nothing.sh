# Nothing to compare, and too little.
netan synth -o t --run r --hosts 3 --devices 1 --steps 2 >/dev/null
f=t/plugins/profile/r/host-0.xplane.pb
try()
{
	netan pairs "$@" --format json -q >out.json
	echo "exit $?"
	tr -d '\n' <out.json | sed 's/.*"result": //' | grep -oE \
		'"(level|verdict)": ("[^"]*"|null)|"(pairs|culprits)": \[\]'
}
try t --collective none
try t --src s1d0 --dst s0d0
try $f
try $f --src s1d0
try t
: >empty.pb
netan pairs empty.pb
echo "exit $?"
netan pairs t --collective none -o x.svg -q
grep -c '<desc>' x.svg
