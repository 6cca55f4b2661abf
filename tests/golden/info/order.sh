# The order in which files are given does not matter to what is said of them.
netan synth -q -o s --hosts 6 --steps 4 --fault slow-sender:host-3:3
there=$(find s -name '*.xplane.pb' | sort)
back=$(find s -name '*.xplane.pb' | sort -r)
for command in info latency sizes timeline bursts rpc pairs collectives slack steps; do
	netan $command -q --format json $there >one
	netan $command -q --format json $back >other
	cmp one other && echo $command
done
