# A host that reduces slowly, against the others.
found()
{
	netan check "$@" --only compute-latency --only small-transfers \
		--format json |
		grep -E '"(severity|title|host|ratio|missing)":' |
		grep -v '"host": "host-[0-9]",$' | sed 's/^ *//; s/,$//'
}
job()
{
	netan synth -q --run r --devices 2 --steps 4 -o "$@"
}
job clean --hosts 6
netan check -q clean --only compute-latency --fail-on info >/dev/null
echo "clean: exit $?"
job slow --hosts 6 --fault slow-reduction:host-4:1.6
found slow
grep -h '"kind": "slow-reduction"' slow/truth.json
found slow --compute-ratio 1.7
job little --hosts 6 --fault slow-reduction:host-4:1.2
found little
# The older messages tell only when a reduction is done.
job old --hosts 6 --generation message --fault slow-reduction:host-4:2
found old
# Slow devices are none of it; nor are two hosts enough.
job devices --hosts 6 --fault slow-compute:host-4:1.6
found devices
job two --hosts 2 --fault slow-reduction:host-1:2
found two
