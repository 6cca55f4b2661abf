# However a file comes in, its counts are the same.
netan synth -o t --run r --hosts 2 --only host-0 --devices 2 --steps 2 \
	--generation both --fault loopback:0:3 --fault bad-key:0:2 >/dev/null
f=t/plugins/profile/r/host-0.xplane.pb
netan synth -o z --run r --hosts 2 --only host-0 --devices 2 --steps 2 \
	--generation both --fault loopback:0:3 --fault bad-key:0:2 \
	--compress zstd >/dev/null
gzip -c $f >host-0.xplane.pb.gz
head -c 20000 $f | gzip >two.gz
tail -c +20001 $f | gzip >>two.gz
counts() { netan info "$@" --format csv --table totals; }
counts $f | tee want
counts t | cmp - want
counts t/plugins/profile/r -j 1 | cmp - want
counts t/plugins/profile -j 8 | cmp - want
counts t/plugins -j 8 | cmp - want
counts host-0.xplane.pb.gz | cmp - want
counts two.gz | cmp - want
counts z | cmp - want
counts - <$f | cmp - want
cat $f | counts - | cmp - want
cat two.gz | counts - | cmp - want
netan info $f | tail -n 1
