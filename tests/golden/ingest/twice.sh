# No trace comes into a directory under two names, nor over another one that
# has its pseudonym.
netan synth -o t --run r --hosts 2 --devices 1 --steps 2 --ops 1 >/dev/null
mkdir a b
mv t/plugins/profile/r/host-0.xplane.pb a
mv t/plugins/profile/r/host-1.xplane.pb b/host-0.xplane.pb
ingest()
{
	netan ingest "$@" >out 2>&1
	echo "exit $?"
	sed 's/, [0-9.]* [KM]*i*B: .*//; /^a transfer takes/d' out
}
ingest -o d/ a/host-0.xplane.pb
echo "now one of two hosts of that name"
ingest -o d/ --label one a --label two b
ls d
echo "moved to what it is called now"
mv d/host-0.netan d/a-host-0.xplane.pb.netan
ingest -o d/ --label one a --label two b
ls d
echo "and alone, spelt otherwise"
ingest -o d/ --label one ./b/../a/host-0.xplane.pb
ingest --anonymize -o d/ b
ls d
echo "two traces without a name, one by one"
ingest --anonymize -o n/ a
ingest --anonymize -o n/ a
cp n/input-1.netan kept
ingest --anonymize -o n/ b
cmp kept n/input-1.netan && echo "stays"
ingest --anonymize --no-frames -o n/ a
ingest --anonymize -o n/ - <a/host-0.xplane.pb
cp a/host-0.xplane.pb input-1.xplane.pb
touch -d 2020-01-01 input-1.xplane.pb
ingest -o n/ input-1.xplane.pb
cmp kept n/input-1.netan && echo "stays"
