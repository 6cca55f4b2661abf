# One host sends slowly in B: latencies, stalls and steps are worse, sizes
# and slack are not; the host and its pairs are named first.
netan synth -o a --run r --hosts 4 --devices 2 --steps 30 --ops 4 >/dev/null
netan synth -o b --run r --hosts 4 --devices 2 --steps 30 --ops 4 \
	--fault slow-sender:host-1:3 >/dev/null
netan diff a b --top 3
netan diff --label good a --label bad b -q | sed -n 3,4p
netan diff b a | sed -n 3p
netan diff a b --format csv --table pairs --top 2
netan diff a b --format tsv --table compared | cut -f 1,3-8,13
