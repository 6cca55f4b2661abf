# Smaller chunks: other sizes, not another network.
netan synth -o a --run r --hosts 2 --devices 2 --steps 24 --ops 4 >/dev/null
netan synth -o b --run r --hosts 2 --devices 2 --steps 24 --ops 4 \
	--chunk 1MiB >/dev/null
netan diff a b | grep -v '^throughput\|^stall\|^slack\|^steps'
netan diff a b --format json | sed -n '/"mix": {/,/}/p'
