# However it comes in, and on however many threads: the same bytes.
netan synth -o u --run r --hosts 3 --steps 4 --fault tail:1:0.05 >/dev/null
for by in '' src component,size; do
	netan latency u -j 1 --by "$by" -o 1.json -o 1.svg
	for j in 2 3 8; do
		netan latency u -j $j --by "$by" -o $j.json -o $j.svg
		cmp 1.json $j.json
		cmp 1.svg $j.svg
	done
done
f=u/plugins/profile/r/host-0.xplane.pb
netan latency $f --format csv >want
cat $f | netan latency - --format csv | cmp - want
wc -l <want
