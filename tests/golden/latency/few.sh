# One, two and three transfers: what they cannot support is null or listed.
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 >/dev/null
netan latency t --format csv --src s0d0 | head -n 1
try()
{
	netan latency t --src s0d0 "$@" --format json | tr -d ' \n' |
		sed 's/.*"groups":\[//; s/"tail":.*//'
	echo
}
try --max-size 1KiB
try --collective 'psum*'
netan latency t --src s0d0 --max-size 1KiB -o one.svg
grep -c '<desc' one.svg
netan latency t --src s0d0 --max-size 1KiB | sed -n '3,$p'
