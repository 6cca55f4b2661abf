# One, two and three transfers: what they cannot support is null or listed.
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 >/dev/null
try()
{
	netan latency t --collective 'psum*' "$@" --format json | tr -d ' \n' |
		sed 's/.*"groups":\[//; s/"tail":.*//'
	echo
}
try --src s0d0 --to 37.22ms
try --src s0d0
try --to 37.26ms
netan latency t --collective 'psum*' --src s0d0 --to 37.22ms -o one.svg
grep -o '<desc>.*</desc>' one.svg
netan latency t --collective 'psum*' --src s0d0 --to 37.22ms | sed -n '3,$p'
netan latency t --collective 'psum*' | sed -n 3p
