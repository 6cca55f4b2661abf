# With a topology far pairs are no slow ones, and racks have links.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
netan synth -o t --run r --hosts 8 --devices 2 --steps 10 --fault slow-sender:3:4 >/dev/null
for i in 0 1 2 3 4 5 6 7; do echo "host-$i,rack-$((i / 4))"; done >racks.csv
echo 'host-0,host-1,near' >pairs.csv
said()
{
	netan pairs t "$@" --top 1 | grep -E 'suspect|locality|topology|no culprit'
	netan pairs t "$@" --format csv --table culprits | cut -d, -f 1,2
}
said
said --topology racks.csv
said --topology pairs.csv
netan pairs t --topology none.csv
echo "exit $?"

# A rack's uplink is not the fault of the hosts that use it.
faults=
for i in 0 1 2 3; do
	for j in 4 5 6 7 8 9 10 11; do
		faults="$faults --fault slow-path:$i:$j:3"
	done
done
netan synth -o u --run r --hosts 12 --devices 1 --steps 10 $faults >/dev/null
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
	echo "host-$i,rack-$((i / 4))"
done >racks.csv
netan pairs u --topology racks.csv --top 1
netan pairs u --topology racks.csv --format json | grep -A 2 '"culprits"'
netan pairs u --top 1
# Each of many runs keeps its sentence, to the end.
runs=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	runs="$runs --label the-same-run-under-label-$i u"
done
netan pairs $runs --top 1 | grep -c "^what would decide: .* rack's links$"
