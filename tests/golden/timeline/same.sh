# However it comes in, and on however many threads: the same bytes.
netan synth -o t --run r --hosts 2 --only host-0 --steps 4 \
	--generation both --fault loopback:0:5 >/dev/null
netan synth -o u --run r --hosts 3 --steps 4 >/dev/null
f=t/plugins/profile/r/host-0.xplane.pb
cp $f host.xplane.pb
gzip -nk host.xplane.pb
netan synth -o z --run r --hosts 2 --only host-0 --steps 4 \
	--generation both --fault loopback:0:5 --compress zstd >/dev/null
for o in --include-loopback --side=tx; do
	netan timeline $o host.xplane.pb --format csv >want
	netan timeline $o t --format csv | cmp - want
	netan timeline $o host.xplane.pb.gz --format csv | cmp - want
	netan timeline $o z --format csv | cmp - want
	cat host.xplane.pb.gz | netan timeline $o - --format csv | cmp - want
	cat host.xplane.pb | netan timeline $o - --format csv | cmp - want
	netan timeline $o - --format csv <host.xplane.pb | cmp - want
done
netan timeline u -j 1 --capacity 60Gbps --by collective -o 1.json -o 1.svg
for j in 2 3 8; do
	netan timeline u -j $j --capacity 60Gbps --by collective -o $j.json -o $j.svg
	cmp 1.json $j.json
	cmp 1.svg $j.svg
done
wc -l <want
