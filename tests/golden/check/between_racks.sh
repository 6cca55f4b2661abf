# All links between two racks are slow, both ways: nobody stands out, and nobody
# is acquitted; as when all racks are as near.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
printf 'host,rack\n' >racks.csv
for i in 0 1 2 3 4 5 6 7; do echo "host-$i,rack-$((i / 4))"; done >>racks.csv
slow=
for i in 0 1 2 3; do
	for j in 4 5 6 7; do
		slow="$slow --fault slow-path:$i:$j:3 --fault slow-path:$j:$i:3"
	done
done
netan synth -q -o far --hosts 8 --devices 2 --steps 6 --seed 25 $slow
netan synth -q -o near --hosts 8 --devices 2 --steps 6 --seed 25
for job in far near; do
	netan check -q --topology racks.csv $job | sed 1q
	netan pairs -q --topology racks.csv $job --format json |
		grep -E '"(verdict|outcome)"'
done
# One link of a rack, as the topology calls it.
slow=
for i in 0 1 2 3; do
	for j in 4 5 6 7; do
		slow="$slow --fault slow-path:$i:$j:3"
	done
done
netan synth -q -o way --hosts 8 --devices 2 --steps 6 --seed 25 $slow
netan check -q --topology racks.csv way | sed '1s/, costs.*//; 1q'
rm -r far near way
