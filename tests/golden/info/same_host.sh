# Two files of one host are two runs: not without labels.
netan synth -o a --run r --hosts 2 --only host-0 --devices 1 --steps 1 \
	--ops 1 >/dev/null
netan synth -o b --run r --hosts 2 --only host-0 --devices 1 --steps 2 \
	--ops 1 >/dev/null
netan info a b
echo "exit $?"
netan info --label one a --label two b --format csv | cut -d, -f1-9
