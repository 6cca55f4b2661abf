# What is intact is analysed; what was lost is said; --strict makes it fail.
netan synth -o t --run r --hosts 2 --devices 1 --steps 2 \
	--fault truncate:host-1:0.9 >/dev/null
netan timeline t --format json >out.json
echo "exit $?"
grep -A3 -E '"warnings": \[$|"used"' out.json
netan timeline t --strict >/dev/null
echo "exit $?"
cp t/plugins/profile/r/host-0.xplane.pb .
netan timeline host-0.xplane.pb missing.pb --format json | grep -A2 '"used"'
netan timeline --strict host-0.xplane.pb missing.pb >/dev/null
echo "exit $?"
gzip -nk host-0.xplane.pb
head -c 5000 host-0.xplane.pb.gz >cut.gz
netan timeline cut.gz >/dev/null
echo "exit $?"
