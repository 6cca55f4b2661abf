# However it comes in, and on however many threads: the same bytes.
netan synth -o u --run r --hosts 3 --steps 4 --generation both \
	--fault loopback:0:5 >/dev/null
f=u/plugins/profile/r/host-0.xplane.pb
netan bursts $f --include-loopback --table bursts --format csv >want
cat $f | netan bursts - --include-loopback --table bursts --format csv |
	cmp - want
gzip -c $f | netan bursts - --include-loopback --table bursts --format csv |
	cmp - want
netan bursts u -j 1 --by collective,host --top 5 -o 1.json -o 1.svg
for j in 2 3 8; do
	netan bursts u -j $j --by collective,host --top 5 -o $j.json -o $j.svg
	cmp 1.json $j.json
	cmp 1.svg $j.svg
done
wc -l <want
