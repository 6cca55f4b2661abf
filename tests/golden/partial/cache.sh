# --cache: both rounds read what round 0 has written, and the result is the same;
# also where it comes or goes between them.
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
echo '* not to be written'; touch file; rounds --cache file |
	sed 's/host-[0-9]-[0-9a-f]*\.netan/HOST-HASH.netan/' # threads race

echo '* between the rounds'
cp -R job packed
gzip packed/plugins/profile/*/*.pb
netan synth -q -o torch --profile pytorch --hosts 2 --devices 2 --steps 3
# SESSION CACHE0 CACHE1: of each round.
between()
{
	session=$1
	netan check "$session" -o one.json >/dev/null 2>&1
	for k in 1 2; do
		netan partial -q --shard $k/2 -o p0.$k.nap check $2 "$session"
	done
	netan merge -q -o plan.nap p0.*.nap 2>/dev/null
	[ "$2" = --cache=gone ] && rm -r gone && touch gone
	for k in 1 2; do
		netan partial -q --plan plan.nap --shard $k/2 -o p1.$k.nap check $3 "$session"
	done 2>/dev/null
	netan merge -q -o out.json p1.*.nap 2>/dev/null
	echo "$session ${2:-no}, then ${3:-no}: status $?"
	cmp one.json out.json && echo same
	rm -rf *.nap out.json kept gone
}
for session in job packed torch/kineto; do
	between $session '' --cache=kept
	between $session --cache=kept ''
	between $session --cache=gone --cache=gone
done
# What has changed in between is still told.
netan partial -q --shard 1/1 -o p0.nap check --cache kept job
netan merge -q -o plan.nap p0.nap
touch -d '1 hour' job/plugins/profile/*/host-1*
netan partial -q --plan plan.nap --shard 1/1 -o p1.nap check --cache kept job 2>&1
echo "status $?"
