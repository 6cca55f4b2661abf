# Two slow senders are named, with a topology and without: what they send each
# other is slow, too.  Behind a link that two share that is as quick as else, and
# then nobody is named; what is said of one slow host alone says so.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
said()
{
	netan pairs -q "$@" --top 1 | sed -n -e '3p' -e '/^cannot tell: .*alone/p'
}
for i in 0 1 2 3 4 5 6 7; do echo "host-$i,rack-$((i / 4))"; done >racks.csv
netan synth -q -o two --hosts 8 --devices 2 --steps 10 \
	--fault slow-sender:5:3 --fault slow-sender:2:3
said two
said two --topology racks.csv
netan check -q two | sed -n 1p
faults=
for i in 0 1 3 4 6 7; do
	faults="$faults --fault slow-path:2:$i:3 --fault slow-path:5:$i:3"
done
netan synth -q -o link --hosts 8 --devices 2 --steps 10 $faults
said link
netan check -q link | sed -n 1p
# Three, of two kinds.
netan synth -q -o three --hosts 8 --devices 2 --steps 10 \
	--fault slow-sender:1:3 --fault slow-sender:6:3 --fault slow-receiver:3:3
said three
# The same link, slow both ways: they are slow on both sides.
faults=
for i in 0 1 3 4 6 7; do
	faults="$faults --fault slow-path:2:$i:3 --fault slow-path:5:$i:3"
	faults="$faults --fault slow-path:$i:2:3 --fault slow-path:$i:5:3"
done
netan synth -q -o ways --hosts 8 --devices 2 --steps 10 $faults
said ways
netan check -q ways | sed -n 1p
