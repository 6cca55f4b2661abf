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
# What an option names, also of the command that partial and merge run: a
# directory is all below it. Nor does a slice go to where inputs are found.
netan synth -q -o run --hosts 2 --steps 3 --hlo-dump hlo
netan sysctl -q --snapshot snap >nul
netan partial -q --shard 1/1 -o t0.nap pairs run --topology places --ledger led
at=$(echo run/plugins/profile/*)
module=$(find hlo -name '*.pb' | head -1)
ln "$module" module.json
ln snap/proc/net/snmp snmp.json
printf '{"when":"2026-10-09T00:00:00Z","run":"r"}\n' >led
find run hlo snap led places -type f -exec md5sum {} + >before
{
refused partial --shard 1/1 -o places pairs run --topology places
refused partial --shard 1/1 -o led pairs run --ledger led
refused partial --shard 1/1 -o "$at/host-0.xplane.pb" pairs run
refused partial --shard 1/1 -o "$module" check run --hlo hlo
refused merge -o "$at/host-0.xplane.pb" t0.nap
refused merge -o led t0.nap
refused merge -o places t0.nap
refused hlo hlo --format json -o "${module%.hlo_proto.pb}.after_optimizations.txt"
refused hlo hlo -o module.json
refused check run --hlo hlo -o module.json
refused check run --host-settings snap -o snmp.json
refused check run --host-settings snap -o snap/proc/net/netstat --format json
refused sysctl --root snap -o snap/proc/net/netstat --format json
refused sysctl --nic-before snap -o snap/proc/net/netstat --format json
refused slice run --from 0s -o run/
refused slice run --from 0s -o "$at/"
refused slice run --from 0s -o run/plugins/profile/later/
refused ingest run -o run/plugins/profile/later/
} | sed "s,$at,RUN,g"
md5sum -c --quiet before && ls run run/plugins/profile | wc -l
