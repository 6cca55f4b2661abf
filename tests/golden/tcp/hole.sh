# A real stack, and a path that from 2 s on carries no packet above 1300 bytes:
# the peer is not gone, its small packets and those to it pass.  Of a piece
# that ends before, nothing of it is said; of a transfer file all.
data=$NETAN_ROOT/tests/data
netan tcp -q "$data/mtu-shrinks.pcap" | head -n 8
netan check -q "$data/mtu-shrinks.pcap" | head -n 3
netan check -q --to 2s "$data/mtu-shrinks.pcap" | head -n 1
netan ingest -q "$data/mtu-shrinks.pcap" -o mtu.netan
netan check -q mtu.netan | head -n 1
# The picture names the cause that check does, and draws packets by length.
netan tcp -q "$data/mtu-shrinks.pcap" -o mtu.svg -o mtu.json
grep '<title>' mtu.svg
tr -d '\n ' <mtu.json | grep -oE '"fates":.*"packets"'
