# A GPU job as the profiler leaves it: no line of steps and no group_id, but
# the host's step markers and its launches.  Four steps, as planted, and the
# same from the transfer file that is made of it.
cp "$NETAN_ROOT/tests/data/gpu-markers.xplane.pb" host-0.xplane.pb
netan steps host-0.xplane.pb
echo "exit $?"
netan info host-0.xplane.pb | sed -n '/^steps/p'
netan ingest -q -o host-0.netan host-0.xplane.pb
for f in host-0.xplane.pb host-0.netan; do
	netan steps --format json $f | sed -n '/"result"/,$p' >$f.json
done
cmp host-0.xplane.pb.json host-0.netan.json && echo "the transfer file says the same"
grep devices_by host-0.netan.json

# Without anything that communicates: the network is neither accused nor
# acquitted.
sed 's/nccl/gemm/g' host-0.xplane.pb >quiet.xplane.pb
netan check quiet.xplane.pb | head -n 1
netan check --format json quiet.xplane.pb | grep '"outcome"'
