# Who is slow only since others are, or with others on one link, is not named:
# hosts and racks of a block whose links are slow, what two slow paths share,
# both ends of one; and what is always slow waits for no timer.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
for i in 0 1 2 3 4 5 6 7; do
	echo "host-$i,rack-$((i / 2)),b$((i / 4))"
done >blocks.csv
cut -d, -f1,2 blocks.csv >racks.csv
sed 's/rack-[01]/west/; s/rack-[23]/east/' racks.csv >halves.csv
first()
{
	topologies=$1
	shift
	netan synth -q -o job --hosts 8 --steps 12 "$@"
	for t in $topologies; do
		netan check -q --topology $t.csv job |
			sed 's/, costs.*likely/; likely/; s/; what would.*//; 1q'
	done
	rm -r job
}
block()
{
	for i in 0 1 2 3; do
		for j in 4 5 6 7; do
			echo "--fault slow-path:$i:$j:$1"
		done
	done
}
first "blocks racks" $(block 2)
first "racks" $(block 3)
few="--devices 2 --collectives 5"
paths="--fault slow-path:0:4:4 --fault slow-path:1:5:4"
first "racks halves" $paths
first "halves" $few $paths --fault slow-path:2:6:4
first "racks" $few --fault slow-path:2:3:2
first "racks" $few --fault slow-sender:1:4 --fault slow-receiver:6:4
first "blocks" $few --fault slow-receiver:5:2
first "halves" $few $(block 2)
