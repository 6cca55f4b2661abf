# Which sides would not have been named, why, and what would decide it; a
# topology that tells no hosts apart makes nobody surer, and what rests on one
# that does says so.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
netan synth -q -o four --hosts 4
netan synth -q -o eight --hosts 8 --steps 12
racks()
{
	echo host,rack
	for i in 0 1 2 3 4 5 6 7; do
		test $i -lt "$1" && echo "host-$i,rack-$((i / $2))"
	done
}
racks 8 8 >one.csv
racks 8 1 >own.csv
racks 2 2 >some.csv
racks 8 4 >two.csv
netan check -q four | sed 1q
for topology in one own some; do
	netan check -q four --topology $topology.csv | sed 1q
	netan pairs -q four --topology $topology.csv | grep -e tell
done
netan check -q eight --topology two.csv | sed 1q
netan pairs -q eight --topology two.csv | grep "suspect: "
# The window of a command does not leave the record.
netan check -q eight --capacity 70Gbps --only bandwidth-bound |
	grep -e '^More' -e '^Draw'
# What each check takes, at length.
netan check -v eight 2>&1 | sed -n '/^Skipped checks/,/^$/p'
