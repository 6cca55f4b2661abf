# A job run twice on the same hosts: steps of its start are alike for long,
# longer in one run than in the other, and that is no difference.
netan synth -o a --run r --devices 2 --repeat 1 >/dev/null
netan synth -o b --run r --devices 2 --repeat 2 >/dev/null
cmp -s a/plugins/profile/r/host-0.xplane.pb b/plugins/profile/r/host-0.xplane.pb ||
	echo other noise
grep -h '"repeat"' a/truth.json b/truth.json
netan diff a b --top 3 --fail-if 'stall.p90>+10%' --fail-if 'stall.p90<-10%' | sed -n 3,30p
