# On any number of threads, in any packing: the same bytes.
netan synth -o t --run r --hosts 8 --devices 2 --steps 10 --fault slow-path:2:5:4 \
	--fault clock:6:1ms --fault loopback:0:5 >/dev/null
netan synth -o z --run r --hosts 8 --devices 2 --steps 10 --fault slow-path:2:5:4 \
	--fault clock:6:1ms --fault loopback:0:5 --compress zstd >/dev/null
for level in host device; do
	netan pairs t -j 1 --level $level -o 1.json -o 1.svg -o 1.csv
	for j in 2 3 8; do
		netan pairs t -j $j --level $level -o $j.json -o $j.svg
		cmp 1.json $j.json
		cmp 1.svg $j.svg
	done
	netan pairs z --level $level --format csv | cmp - 1.csv
done
netan pairs t --include-loopback | grep -E 'inside a host|clocks|clock behind'
netan pairs t --format json | grep -A4 '"left_out"'
