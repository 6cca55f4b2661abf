# Files are called so that their order is that of the session, and none twice.
netan synth -o t --run r --hosts 1 --devices 1 --steps 1 --ops 1 >/dev/null
x=t/plugins/profile/r/host-0.xplane.pb
names()
{
	rm -rf d
	netan ingest -q -o d/ "$@" 2>&1
	ls d
}
# No copy: it has a field more that nobody knows.
other() { cat "$1"; printf 'x\001'; }
mkdir -p a b
cp $x a/host-2.xplane.pb
other $x | gzip -c >a/host-10.xplane.pb.gz
names a
echo "two runs with hosts of one name"
cp $x b/host-2.xplane.pb
names --label one a --label two b
netan info --format csv d | cut -d, -f1-4
echo "a name that another one begins with, in another order"
rm -rf a
mkdir a
cp $x a/w.xplane.pb
other $x >a/w.p.xplane.pb
names a
echo "without a name"
names --anonymize a
names - <a/w.xplane.pb
