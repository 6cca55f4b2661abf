# A copy of a trace that is called as another host would count twice.
netan synth -q -o s --run r --hosts 2 --devices 1 --steps 2
mkdir copies
cp s/plugins/profile/r/host-0.xplane.pb copies/a.xplane.pb
cp s/plugins/profile/r/host-0.xplane.pb copies/b.xplane.pb
netan check copies || echo "exit $?"
netan info copies/a.xplane.pb s/plugins/profile/r || echo "exit $?"
# Side by side they may be.
netan sizes --label one copies/a.xplane.pb --label two copies/b.xplane.pb \
	--format csv | cut -d , -f 2,3
# Nor does it matter how they are packed.
gzip -c copies/b.xplane.pb >copies/c.xplane.pb.gz
rm copies/b.xplane.pb
netan check copies || echo "exit $?"
# Nor who has opened which of them.
for shard in 1 2; do
	netan partial -q --shard $shard/2 -o $shard.nap check copies
done
netan merge [12].nap -o next.nap || echo "exit $?"
