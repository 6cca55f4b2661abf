# What the first line says of faults that tempt to say more: two hosts, a
# direction of which is slow; a packet that is lost; files that are missing;
# waits behind other sends; servers that answer late beside lossy connections.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
first()
{
	netan check -q "$@" | sed 1q
}
for fault in slow-path:0:1:3.5 slow-receiver:0:3.5 slow-compute:1:2 \
	clock:1:200us; do
	netan synth -q -o "two-$fault" --hosts 2 --steps 12 --fault $fault
	echo "$fault"
	first "two-$fault"
done
netan check -q two-slow-path:0:1:3.5 --format json |
	grep -A3 -e '"kind": "src"' -e '"kind": "dst"' | grep -e kind -e host | sort -u
netan synth -q -o one.pcap --condition healthy --condition loss --loss 0.0001 \
	--connections 2
first one.pcap
netan synth -q -o all --run r --hosts 8 --steps 8
mkdir some
for i in 0 1 2 3 4 5; do
	cp all/plugins/profile/r/host-$i.xplane.pb some
done
first some
for i in 0 1 2 3 4 5 6 7; do
	echo "host-$i,rack-$((i / 4))"
done >racks.csv
first some --topology racks.csv
netan synth -q -o ring --hosts 4 --steps 12 --pattern ring \
	--fault slow-receiver:1:3
first ring
netan synth -q -o mixed.pcap
netan rpc -q mixed.pcap | grep '^Heavy tail'
netan export -q -o own.sqlite two-clock:1:200us
netan check -q own.sqlite
netan hang -q all
true
