# However it comes in, and on however many threads: the same bytes.
netan synth -o t --run r --hosts 4 --devices 4 --steps 30 \
	--fault tail:1:0.02 >/dev/null
netan rpc t -j 1 --by collective -o 1.json -o 1.svg
for j in 2 3 8; do
	netan rpc t -j $j --by collective -o $j.json -o $j.svg
	cmp 1.json $j.json
	cmp 1.svg $j.svg
done
f=t/plugins/profile/r/host-0.xplane.pb
cp $f host-0.xplane.pb
netan rpc $f --format csv >want
gzip -c $f | netan rpc - --format csv | cmp - want
wc -l <want
# Density and single points both stay below 1 MiB.
for n in 16 3000 15000 60000; do
	netan synth -o n$n --run r --profile network --events $n >/dev/null
	netan rpc n$n -o $n.svg -o $n.png --theme dark
	test "$(wc -c <$n.svg)" -lt 1048576 && echo "$n fits"
done
