# --cache: both rounds read what round 0 has written, and the result is the same.
netan synth -q -o job --hosts 4 --devices 1 --steps 2 --collectives 2
netan check job -o one.json >/dev/null 2>&1

rounds()
{
	for k in 1 2 3; do
		netan partial --shard $k/3 -o p0.$k.nap check "$@" -v job
	done 2>&1 | grep -e --cache
	netan merge -q -o plan.nap p0.*.nap 2>/dev/null
	for k in 1 2 3; do
		netan partial --plan plan.nap --shard $k/3 -o p1.$k.nap check "$@" -v job
	done 2>&1 | grep -e --cache
	# What -v says of each analysis has its seconds.
	netan merge -o out.json p1.*.nap >merge.out 2>&1
	echo "status $?"
	grep -e --cache merge.out
	cmp one.json out.json && echo same
	rm -f *.nap out.json
}

echo '* cold'; rounds --cache kept
echo '* warm'; rounds --cache kept
for f in kept/host-1-*; do truncate -s -1 "$f"; done
echo '* damaged'; rounds --cache kept
echo '* not to be written'; touch file; rounds --cache file | sed 's/-[0-9a-f]*\.netan/-HASH.netan/'
