# No output takes the place of an input: not by its name, through links, inside
# of a session, as a topology or a ledger, nor by standard output.
data="$NETAN_ROOT/tests/data"
mkdir session shards
cp "$data/graph.xplane.pb" session/a.xplane.pb
netan ingest -q session -o session/b.netan
cp "$data/tcp.pcap" c.pcap
cp "$data/graph.xplane.pb" t.pb
ln -s t.pb t.json
ln t.pb t.netan
ln session/a.xplane.pb inside.json
printf 'host,rack\na,r1\n' >places
ln places places.json
ln c.pcap c.json
echo 'E0101 hung' >log
ln log log.json
for k in 1 2; do
	netan -q partial --shard $k/2 -o shards/$k.nap pairs session >nul 2>&1
done
md5sum session/* c.pcap t.pb places log shards/* >before 2>&1
refused()
{
	netan "$@" >out 2>err
	echo "$? netan $*: $(head -1 err)"
}
refused ingest t.pb -o t.netan
refused ingest t.pb -o t.pb
refused slice t.pb --from 0s -o t.pb
refused slice session --from 0s -o session/
refused timeline t.pb -o t.json
refused check t.pb -o t.json
refused report t.pb -o t.json
refused timeline session -o inside.json
refused ingest session -o inside.json
refused tcp c.pcap -o c.json
refused pairs t.pb --topology places -o places.json
refused hang log -o log.json
refused pairs t.pb --ledger t.json
refused pairs t.pb --ledger new.json -o new.json
refused pairs t.pb --ledger led.json
refused pairs t.pb --ledger led.json -o led.json
netan timeline t.pb >>t.pb 2>err
echo "$? $(cat err)"
netan ingest t.pb -o - 2>err >>t.pb
echo "$? $(cat err)"
md5sum -c --quiet before && echo "nothing is lost"
