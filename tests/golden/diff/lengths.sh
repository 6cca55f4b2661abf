# Runs of other lengths; few steps; other hosts and collectives.
netan synth -o a --run r --hosts 2 --devices 2 --steps 40 --ops 4 >/dev/null
netan synth -o b --run r --hosts 2 --devices 2 --steps 12 --ops 4 >/dev/null
netan synth -o c --run r --hosts 2 --devices 2 --steps 3 --ops 4 >/dev/null
netan synth -o d --run r --hosts 4 --devices 2 --steps 12 --ops 4 \
	--collectives 9 >/dev/null
netan diff a b --top 2
netan diff a c --top 2 | sed '/^[a-z]*\.[pm]/d'
netan diff a d --format csv --table only --top 4
# Parts of one run are labelled alike.
netan diff --label a a/plugins/profile/r/host-0.xplane.pb \
	a/plugins/profile/r/host-1.xplane.pb \
	--label b b/plugins/profile/r/host-0.xplane.pb \
	b/plugins/profile/r/host-1.xplane.pb | sed -n 1,3p
# Without steps launches stand for them.
for seed in 1 2; do
	netan synth -o $seed --profile network --events 60000 --seed $seed >/dev/null
done
netan diff 1 2 | sed -n /^intervals/p
