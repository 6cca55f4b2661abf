netan synth -o t --run r --hosts 2 --devices 2 --steps 2 --ici 1 >/dev/null
netan collectives t --collective 'all-reduce*' --format json
for j in 1 2 5; do
	netan collectives t -j $j --format json | cksum
done
