# What captures lose is compared by losses that do not follow from each other,
# and comes first; captures that lose alike, or nothing, are not told apart.
lost() { sed -n '3p;/captures lose/,/^$/p'; }
netan synth -q -o clean.pcap --rpcs 60 --condition healthy --size 2MB
netan synth -q -o loss.pcap --rpcs 60 --condition loss --size 2MB
netan synth -q -o again.pcap --rpcs 60 --condition loss --size 2MB --seed 9
netan diff -q clean.pcap loss.pcap | lost
echo "== the other way"
netan diff -q loss.pcap clean.pcap | lost
echo "== alike"
netan diff -q loss.pcap again.pcap | lost
echo "== none"
netan diff -q clean.pcap clean.pcap | lost
netan diff -q clean.pcap loss.pcap --format json | grep -A9 '"loss_events"'
echo "== RoCEv2"
roce() { netan synth -q --connections 0 --rpcs 0 --roce 2000 --hosts 4 "$@"; }
roce -o clean.pcap --condition healthy
roce -o loss.pcap --condition roce-loss
netan diff -q clean.pcap loss.pcap | lost
netan diff -q loss.pcap clean.pcap | lost | sed -n 1p
netan diff -q loss.pcap loss.pcap | lost
