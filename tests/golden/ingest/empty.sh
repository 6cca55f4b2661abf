# Of nothing nothing is made: a file of zero bytes is no input that was read.
: >empty.xplane.pb
netan ingest -o none.netan empty.xplane.pb
echo "exit $?"
ls none.netan 2>/dev/null
netan sql empty.xplane.pb 'SELECT count(*) FROM transfers'
echo "exit $?"
echo "beside one that holds something it is a warning"
netan synth -q --hosts 2 --devices 1 --steps 2 --ops 1 -o t >/dev/null
cp "$(find t -name 'host-0.xplane.pb')" full.xplane.pb
netan ingest -o one.netan empty.xplane.pb full.xplane.pb >/dev/null
echo "exit $?"
mkdir d && cp empty.xplane.pb d/
netan ingest -q -o out/ d
echo "exit $?"
netan ingest -q -o - - </dev/null | wc -c
